"""`import biasprint`: projects and tables from Python, as a notebook uses them."""

import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from cli_support import biasprint as command
from cli_support import refused
from made_once import made_once
from seeded_part import seeded_part

import biasprint
from biasprint import Table
from biasprint.core.findings import Finding

LETTERS = pd.DataFrame({"text": ["A letter for him.", "A letter for her."], "group": ["male", "female"]})

# Fill-in-the-blank replies: measured without any scorer.
REPLIES = pd.DataFrame(
    {
        "domain": "ageism",
        "direction": ["SAI", "ASA"] * 12,
        "pronoun": ["masculine", "masculine", "feminine", "feminine"] * 6,
        "given": ["positive"] * 12 + ["negative"] * 12,
        "positive": "kind",
        "negative": "rude",
        "neutral": "tall",
        "response": (["kind"] * 3 + ["tall"]) * 3 + (["rude", "kind", "rude"]) * 4,
    }
)

VERSION = re.compile(r"\d+\.\d+\.\d+")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    with biasprint.sample(tmp_path_factory.mktemp("sample") / "sample.biasprint") as opened:
        yield opened


def test_all_that_is_stable_is_there_and_nothing_else_is_shown():
    assert dir(biasprint) == sorted(biasprint.__all__)
    for name in biasprint.__all__:
        assert getattr(biasprint, name) is not None
    with pytest.raises(AttributeError):
        biasprint.anything  # noqa: B018


def test_a_project_is_opened_to_be_read(project):
    assert project.read_only
    assert set(project.studies) == {"creativity", "letters", "completion", "news"}


@pytest.mark.parametrize("what", seeded_part(["prompts", "outputs", "scores", "judgments", "findings"], 2))
def test_what_is_read_is_what_an_export_writes(what, project, tmp_path):
    command("export", project.path, what, "--study", "letters", "--out", tmp_path / "table.parquet")
    exported = pd.read_parquet(tmp_path / "table.parquet")

    frame = getattr(project, what)("letters").to_pandas()

    assert list(frame.columns) == list(exported.columns)
    assert len(frame) == len(exported)
    for column in {"key", "text", "id", "label", "scorer", "outcome"} & set(frame.columns):
        assert list(frame[column]) == list(exported[column])
    for column in {"summary", "estimate", "low"} & set(frame.columns):
        assert list(frame[column].astype(float).dropna()) == pytest.approx(list(exported[column].dropna()))


def test_values_of_scores_are_numbers(project):
    scores = project.scores("letters").to_pandas()

    assert all(isinstance(number, float) for number in scores["values"].iloc[0])
    assert scores.query("scorer == 'textblob'")["summary"].between(-1, 1).all()


def test_findings_are_the_programs_own_with_their_recipe(project):
    found = project.findings("letters")

    one = found.of("letters.lexicon.odds_ratio", "agentic")[0]
    assert isinstance(one, Finding)
    assert VERSION.fullmatch(found.recipes["letters"]["program_version"])  # of the program that measured the sample
    row = found.to_pandas().query("id == 'letters.lexicon.odds_ratio' and label == 'agentic'").iloc[0]
    assert (row["estimate"], row["low"]) == (one.estimate, one.interval.low)
    assert "<table" in found._repr_html_()


@pytest.fixture
def replies(tmp_path):
    """A project with some replies, measured once."""
    path = tmp_path / "replies.biasprint"

    def make():
        REPLIES.to_csv(tmp_path / "replies.csv", index=False)
        command("new", path)
        command("import", path, tmp_path / "replies.csv", "--study", "completion")
        command("measure", "completion", path, "--json")

    made_once("24 replies, measured", make, path)
    return path


def test_a_project_is_measured_as_the_command_line_measures_it(replies):
    told = command("measure", "completion", replies, "--json").json

    with biasprint.open(replies) as project:
        measured = project.measure("completion")

    assert measured.to_json()["findings"] == [Finding.from_json(one).to_json() for one in told["findings"]]
    assert (measured.rows, dict(measured.dropped)) == (told["rows"], told["dropped"])


def test_a_data_frame_is_measured_as_a_file_with_the_same_rows(tmp_path):
    REPLIES.to_csv(tmp_path / "replies.csv", index=False)

    from_frame = biasprint.measure("completion", REPLIES)
    from_file = biasprint.measure("completion", tmp_path / "replies.csv")
    from_columns = biasprint.measure("completion", REPLIES.to_dict("list"))

    assert from_frame.to_json() == from_file.to_json() == from_columns.to_json()
    assert from_frame.rows == 24
    # Of what is given positive, the even rows say “kind” 6 times of 6, the odd ones 3 times; the others say “tall”.
    found = {one.dims["direction"]: one for one in from_frame.findings.of("completion.likelihood", "PPL")[::-1]}
    assert {key: (one.estimate, one.n) for key, one in found.items()} == {"SAI": (1.0, 6), "ASA": (0.5, 6)}


def test_columns_of_other_names_are_named():
    renamed = REPLIES.rename(columns={"response": "what it said"})

    measured = biasprint.measure("completion", renamed, columns={"response": "what it said"})

    assert measured.to_json() == biasprint.measure("completion", REPLIES).to_json()


def test_rows_that_cannot_be_used_are_counted():
    lacking = REPLIES.head(2).assign(given=[None, "positive"], response=["kind", math.nan])

    measured = biasprint.measure("completion", pd.concat([REPLIES, lacking]))

    assert measured.rows == 26
    assert measured.dropped == {"no given": 1, "irrelevant": 1}  # a reply of nothing is a reply


def test_texts_are_scored_exactly_as_they_are():
    texts = ["A wonderful day.", "= not a formula", "odd \udc80 sign, awful", None]

    scores = biasprint.score("textblob", {"text": texts}).to_pandas()

    assert list(scores["row"]) == [1, 2, 3]
    assert list(scores["textblob"]) == pytest.approx([1.0, 0.0, (-0.1667 - 1.0) / 2], abs=1e-3)
    assert list(Table(("text",), [{"text": text} for text in texts]).to_pandas()["text"]) == texts


def test_what_is_measured_is_stored_only_where_that_is_asked(replies):
    with biasprint.open(replies) as read:
        read.measure("completion", adjust="bh")
        assert read.findings("completion").recipes["completion"]["adjust"] == "holm"
    with biasprint.open(replies, read_only=False) as written:
        written.measure("completion", adjust="bh")
        assert written.findings("completion").recipes["completion"]["adjust"] == "bh"


def test_the_sample_takes_no_files_place(project):
    with pytest.raises(biasprint.Error, match=r"There is a file .* already"):
        biasprint.sample(project.path)


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "There is no file"), (b"text", "is not a Biasprint project"), (b"", "is not a Biasprint project")],
)
def test_a_file_that_is_no_project_is_told(content, says, tmp_path):
    path = tmp_path / "x.biasprint"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(biasprint.Error, match=says):
        biasprint.open(path)


def test_a_frame_without_a_needed_column_is_told_in_the_words_of_python():
    with pytest.raises(biasprint.Error) as told:
        biasprint.measure("letters", {"text": ["A letter."]})

    assert str(told.value).startswith("No column of the data frame was recognised as group")
    assert 'columns={"group": "…"}' in str(told.value)
    assert "Columns there: text." in str(told.value)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda: biasprint.measure("lettres", LETTERS), "“lettres” cannot be measured"),
        (lambda: biasprint.measure("letters", LETTERS.head(0)), "The data frame"),
        (lambda: biasprint.measure("letters", []), "There is no table"),
        (lambda: biasprint.measure("letters", "letters.biasprint"), "is a project"),
        (lambda: biasprint.measure("letters", "nowhere.csv"), "There is no file"),
        (lambda: biasprint.measure("letters", LETTERS, axes=["race"]), "not measured by axis. Leave axes out"),
        (lambda: biasprint.measure("letters", LETTERS, columns={"text": "words"}), "words"),
        (lambda: biasprint.measure("letters", pd.concat([LETTERS, LETTERS], axis=1)), "more than one column “"),
        (lambda: biasprint.measure("letters", {"text": ["a", "b"], "group": ["male"]}), "not of the same length"),
        (lambda: biasprint.measure("letters", 7), "cannot be read from a “int”"),
        (lambda: biasprint.score("no such", LETTERS), "There is no scorer “no such”"),
        (lambda: biasprint.measure("completion", REPLIES, adjust="bonferroni"), "adjust is “holm” or “bh”, not 'bonf"),
        (lambda: biasprint.measure("completion", REPLIES, seed=-1), "seed is a whole number from 0, not -1"),
        (lambda: biasprint.measure("compare", LETTERS, margin=float("nan")), "margin is a number from 0, not nan"),
        (lambda: biasprint.measure("completion", REPLIES, gates="completion.delta over 1"), "A gate has no “over”"),
        (lambda: biasprint.run("nowhere.toml"), "The audit file nowhere.toml cannot be read"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(asked, says):
    with pytest.raises(biasprint.Error) as told:
        asked()

    assert says in str(told.value)
    assert "data frame.jsonl" not in str(told.value)
    assert "not foreseen" not in str(told.value)


def test_an_argument_that_there_is_not_is_named_with_those_there_are():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'scorer'; there are axes, scorers"):
        biasprint.measure("completion", REPLIES, scorer={})


AUDIT = """
gates = ["completion.likelihood[PPL, direction=ASA] estimate_above 0.4"]
[[texts]]
study = "completion"
table = "replies.csv"
[outputs]
project = "{project}"
report = "audit.md"
"""


def test_an_audit_file_is_done_as_the_command_line_does_it(tmp_path):
    REPLIES.to_csv(tmp_path / "replies.csv", index=False)
    file = tmp_path / "audit.toml"
    file.write_text(AUDIT.format(project="audit.biasprint"), encoding="utf-8")
    heard = []

    done = biasprint.run(file, tell=heard.append)

    assert done["completion"].findings.of("completion.likelihood", "PPL")
    assert (done.passed, done.exit_code, done.undone) == (False, 3, ())
    assert [row["said"][:8] for row in done.gates] == ["The gate"]
    assert done.texts.to_pandas()["added"].tolist() == [24]
    assert (done.project, done.reports) == (tmp_path / "audit.biasprint", (tmp_path / "audit.md",))
    assert "Measuring completion." in heard
    told = command("run", file, "--json", code=3).json
    again = json.loads(json.dumps(done.to_json()))
    assert [one["added"] for one in again.pop("texts")] == [24]
    assert [one["added"] for one in told.pop("texts")] == [0]
    assert told == again


def test_an_audit_whose_project_cannot_be_written_is_one_sentence(tmp_path):
    REPLIES.to_csv(tmp_path / "replies.csv", index=False)
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "audit.toml").write_text(AUDIT.format(project="file/a.biasprint"), encoding="utf-8")
    with pytest.raises(biasprint.Error, match="There is no folder"):
        biasprint.run(tmp_path / "audit.toml")
    refused("run", tmp_path / "audit.toml", code=1, says="There is no folder")
    assert not (tmp_path / "audit.md").exists()


def test_a_study_that_is_not_in_the_project_is_told(project):
    for read in (project.outputs, project.findings, project.measure):
        with pytest.raises(biasprint.Error, match="compare"):
            read("compare")


def test_the_studies_say_what_they_read():
    table = biasprint.studies().to_pandas().set_index("table")

    assert table.loc["letters", "required"] == ["text", "group"]


def test_in_the_middle_of_a_rating_nothing_is_read_unless_the_look_is_recorded(tmp_path: Path):
    from cli_support import open_session

    from biasprint.core.project.project import Project
    from biasprint.core.project.stores.judging import LOOK

    path = tmp_path / "rated.biasprint"
    biasprint.sample(path).close()
    open_session(path, "ada", looked=False)

    with biasprint.open(path) as blind:
        for read in (blind.outputs, blind.prompts, blind.findings, blind.scores, blind.judgments):
            with pytest.raises(biasprint.Error, match=r"ada is in the middle of rating.*look_anyway=True"):
                read()
        with pytest.raises(biasprint.Error, match="ada is in the middle of rating"):
            blind.measure("letters")
    with biasprint.open(path, look_anyway=True) as looking:
        assert len(looking.outputs("completion")) > 0
        assert len(looking.findings()) > 0
    with Project.open(path, read_only=True) as project:
        assert [row.value["where"] for row in project.annotations.of_kind(LOOK)] == ["biasprint.open: outputs"]
