"""`run AUDIT.toml`: the example of docs/tutorials/audit-a-model.md, errors in a file, a project saved as one."""

import re
from contextlib import closing
from pathlib import Path
from shutil import copy
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_support import ROOT, Answer, biasprint, outputs_of, refused
from docs_pages import DOCS, files_of
from past_the_program import sql
from seeded_part import seeded_part

TUTORIAL = DOCS / "tutorials" / "audit-a-model.md"
PAGE = TUTORIAL.read_text(encoding="utf-8")
EXAMPLE = files_of(TUTORIAL)["audit.toml"]
# A study that asks nothing of models; what a file may get wrong is tried on it.
SMALL = """
[[prompts]]
study = "completion"
domains = ["beauty_profession"]
directions = ["SAI"]
[[generators]]
backend = "synthetic"
model = "none"
"""


def found(answer: Any, name: str, label: str) -> dict[str, Any]:
    """The finding with this id and label that is pooled over most dims."""
    named = [each for each in answer["studies"][0]["findings"] if (each["id"], each["label"]) == (name, label)]
    return dict(min(named, key=lambda each: len(each["dims"])))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    """The page's example, run as it stands."""
    folder = tmp_path_factory.mktemp("audit")
    (folder / "audit.toml").write_text(EXAMPLE, encoding="utf-8")
    return folder, biasprint("run", folder / "audit.toml", "--json", code=3)


def test_the_example_finds_the_difference_that_was_planted(example: tuple[Path, Answer]) -> None:
    folder, answer = example
    between = found(answer.json, "completion.delta.between_generators", "delta_P")
    assert between["groups"] == ["large", "none"]
    assert between["interval"]["low"] > 0.2
    said = re.search(r"is ([\d.]+) \(95 %\s+interval ([\d.]+)\s+to\s+([\d.]+)\)", PAGE)
    assert said is not None
    numbers = (between["estimate"], between["interval"]["low"], between["interval"]["high"])
    assert [float(one) for one in said.groups()] == pytest.approx(numbers, abs=0.006)
    assert [one["passed"] for one in answer.json["gates"]] == [True, False]
    assert answer.json["undone"] == []
    assert {one["name"]: one["generator"] for one in answer.json["runs"]} == {"fair": "none", "biased": "large"}
    assert (folder / "authors.json").read_text(encoding="utf-8") == answer.out.rstrip("\n")
    assert "between" in (folder / "authors.html").read_text(encoding="utf-8")


@pytest.mark.soak
def test_run_again_it_adds_nothing_and_says_the_same(example: tuple[Path, Answer]) -> None:
    folder, answer = example
    texts = outputs_of(folder / "authors.biasprint")
    again = biasprint("run", folder / "audit.toml", "--json", code=3).json
    assert [one["added"] for one in again["runs"]] == [0, 0]
    assert outputs_of(folder / "authors.biasprint") == texts
    assert again["studies"] == answer.json["studies"]


@pytest.mark.soak
def test_a_project_saved_as_an_audit_file_gives_the_same_numbers_in_another(example: tuple[Path, Answer]) -> None:
    folder, answer = example
    saved = folder / "saved.toml"
    biasprint("audit-file", folder / "authors.biasprint", "--out", saved)
    again = biasprint("run", saved, "--json").json
    assert outputs_of(folder / "saved.biasprint") == outputs_of(folder / "authors.biasprint")
    assert again["studies"][0]["findings"] == answer.json["studies"][0]["findings"]


@pytest.mark.soak
def test_findings_replay_to_the_same_numbers_and_one_that_was_changed_is_named(example: tuple[Path, Answer]) -> None:
    folder, _ = example
    file = folder / "changed.biasprint"
    copy(folder / "authors.biasprint", file)
    (same,) = biasprint("replay", file, "--findings", "--json").json["studies"]
    assert (same["same"], same["differ"], same["reasons"]) == (same["findings"], [], [])
    with closing(sql(file)) as connection, connection:
        changed = "UPDATE finding SET body = json_set(body, '$.estimate', 0.125) WHERE id = 1"
        connection.execute(changed)
    said = biasprint("replay", file, "--findings").out
    assert f"{same['findings'] - 1:,} of {same['findings']:,} findings have the same numbers" in said
    assert "estimate 0.125 then" in said


@pytest.mark.soak
def test_the_example_to_copy_finds_who_is_ranked_below(tmp_path: Path) -> None:
    """Forty rankings by an author that leans to men: women are placed lower, and races alike."""
    copy(ROOT / "docs" / "audits" / "equal-resumes.toml", tmp_path / "audit.toml")
    answer = biasprint("run", tmp_path / "audit.toml", "--json").json
    (study,) = answer["studies"]
    by = {
        one["dims"]["by"]: one for one in study["findings"]
        if (one["id"], one["label"]) == ("compare.difference", "placed above others")
        and one["groups"] in (["female", "male"], ["black", "white"])
    }  # fmt: skip
    assert by["gender"]["interval"]["high"] < 0
    assert by["gender"]["p_adjusted"] < 0.05 < by["race"]["p_adjusted"]
    assert {path.name for path in tmp_path.iterdir()} >= {"equal-resumes.json", "equal-resumes.html"}


@pytest.mark.parametrize(
    ("wrong", "says"),
    seeded_part(
        [
            ("gaets = []", "There is no key “gaets”. Is “gates” meant?"),
            (
                "[[generators]]\nbackend = 'synthetic'\nmodel = 'large'\ntemprature = 1",
                "no key “temprature” in gen",
            ),
            ("[[generators]]\nbackend = 'synthetic'", "“model” is missing in generators 2"),
            ("[[generators]]\nbackend = 'synthetic'\nmodel = 'none'", "Two generators are called “none”"),
            ("[[measure]]\nstudy = 'news'", "“news” is to be measured, and has no prompts or texts here"),
            ("seed = -1", "“seed” is not as it should be"),
            ("gates = ['completion.delta over 1']", "A gate has no “over”"),
            ("[[texts]]\nstudy = 'letters'", "from a table or from a project"),
            ("[[measure]]\nstudy = 'completion'\npool = true\ncompare = ['all']", "what is pooled cannot be compared"),
            ("seed = ", "is not a TOML file"),
        ],
        4,
    ),
)
def test_a_file_that_is_wrong_is_refused_in_a_sentence_before_anything_is_done(
    wrong: str, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "audit.toml"
    top, tables = (wrong, "") if not wrong.startswith("[") else ("", wrong)
    file.write_text(f"{top}\n{SMALL}\n{tables}\n[outputs]\nproject = 'a.biasprint'\n", encoding="utf-8")
    refused("run", file, code=2, says=says)
    assert not (tmp_path / "a.biasprint").exists()


def test_what_cannot_be_done_is_a_sentence_each_and_the_rest_is_done(tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    more = """
[[prompts]]
study = "completion"
name = "others"
domains = ["beauty_profession"]
directions = ["ASA"]
[[generators]]
name = "away"
backend = "openai_compatible"
model = "m"
endpoint = "nowhere"
[[generators]]
backend = "synthetic"
model = "large"
prompts = ["others"]
[[measure]]
study = "completion"
compare = ["none", "large"]
[[texts]]
study = "completion"
table = "nowhere.csv"
[outputs]
project = "a.biasprint"
json = "new folder/a.json"
junit = "new folder/gates.xml"
report = "audit.toml/a.html"
"""
    small = SMALL.replace('model = "none"', 'model = "none"\nprompts = ["completion"]')
    gates = 'scorers = ["textblobb"]\ngates = ["completion.delta[delta_Q] interval_above 0.9"]'
    file.write_text(gates + small + more, encoding="utf-8")
    answer = biasprint("run", file, "--json", code=2)
    told = [line for line in answer.err.splitlines() if not line.endswith(("version 1.", "version 2.", "completion."))]
    assert [one["done"] > 0 for one in answer.json["runs"]] == [True, True]
    assert answer.json["studies"][0]["findings"], "the rest is measured"
    sentences = (
        "away wrote nothing for completion: There is no endpoint “nowhere”.",
        "“textblobb” scored nothing: There is no scorer “textblobb”.",
        "no prompt was answered by both",
        "completion.delta has no “delta_Q” for a gate",
        "The texts of nowhere.csv were not read: There is no file",
        "There is no folder “",
    )
    for sentence in sentences:
        assert sum(sentence in line for line in told) == 1, (sentence, answer.err)
    assert (tmp_path / "new folder" / "a.json").read_text(encoding="utf-8") == answer.out.rstrip("\n")
    assert "There is no folder" in answer.json["undone"][-1]
    suites = ElementTree.parse(tmp_path / "new folder" / "gates.xml").getroot()
    assert (suites.attrib["tests"], suites.attrib["errors"]) == ("1", "1")  # the gate makes no sense here
