"""The sample project is whole, is what the program's own code makes, and nobody's choices end up in the next person's.

Where one of these fails after a change of format, texts, scorers or measures: python docs/make_sample.py
"""

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biasprint.core.compute import shared
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue
from biasprint.core.metrics.proportions import wilson
from biasprint.core.project.connection import SCHEMA_VERSION
from biasprint.core.project.damaged import check_project
from biasprint.core.project.drives import journal_of
from biasprint.core.project.gate import read_header
from biasprint.core.project.project import Project
from biasprint.core.project.specs import RaterSpec
from biasprint.core.runs import sample
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.sample import MODEL, found, found_sentence, is_found
from biasprint.core.scorers import document_success
from biasprint.core.scorers.document_success import Outcome
from biasprint.core.scorers.registry import score_batch
from biasprint.core.studies.kit.declared import MeasureOptions
from sample_making.real import JUDGING, PARTS, rows_kept
from sample_making.whole import SCORERS, add_texts, build_sample

# Left out: times, keys made at random (rows stand in their order), and which version of the program it was.
LEFT_OUT = {"created_at", "program_version", "seconds", "plan_id", "checksum"}
TEXTS = ("study", "axis_definition", "prompt_set", "prompt", "generator", "run", "output", "plan", "comparison")
GROUPS = ("male", "female")
ORDER = {"plan": "seed", "comparison": "position"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("BIASPRINT_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def path(home: Path) -> Path:
    return sample.open_sample()


def test_it_is_of_the_present_format_and_there_at_once(tmp_path: Path) -> None:
    begun = time.process_time()  # not by the clock: other programs share this machine
    sample.unpack_sample(tmp_path / "new.biasprint")
    with Project.open(tmp_path / "new.biasprint"):
        took = time.process_time() - begun
    assert read_header(tmp_path / "new.biasprint") == SCHEMA_VERSION
    assert took < 2


def test_it_has_twelve_comparisons_on_each_axis_over_many_tasks(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        (plan,) = project.judging.plans()
        comparisons = project.judging.comparisons(plan.id)
    assert Counter(row.axis for row in comparisons) == {"race": 12, "gender": 12, "orientation": 12}
    assert len({row.task for row in comparisons}) >= 4
    assert {len(row.items) for row in comparisons if row.axis == "orientation"} == {2}


def test_what_is_planted_and_what_a_real_model_wrote_are_told_apart_and_every_text_is_scored(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        scored = {scorer: texts for scorer, _, texts in project.scores.known()}
        generators = project.runs.generators()
        runs = {
            (generators[run.generator_id].backend, generators[run.generator_id].model, project.runs.counts(run.id).done)
            for run in project.runs.all()
        }
    of_letters = ("lexicon", "lexicon_published", "formality_f", "positivity_lexicon", "agency_minilm")
    assert scored == {**dict.fromkeys(of_letters, 480), "textblob": 792, "mpnet": 252}
    assert runs == {
        ("written", "sample texts", 132),
        ("synthetic", "medium", 120),
        ("llama_cpp", MODEL, 360),
        ("llama_cpp", MODEL, 912),
        ("llama_cpp", MODEL, 120),
        ("llama_cpp", MODEL, 40),
    }
    assert check_project(path).sound


def test_what_is_said_of_the_real_part_is_what_there_is(path: Path) -> None:
    real = sample.about()["real"]
    with Project.open(path, read_only=True) as project:
        generators = project.runs.generators()
        kinds = {study.id: study.kind for study in project.studies.all()}
        counts = {
            kinds[run.study_id]: project.runs.counts(run.id).done
            for run in project.runs.all()
            if generators[run.generator_id].model == MODEL
        }
    assert counts == {
        "letters": real["letters"], "completion": real["choices"], "creativity": real["creative"],
        "news": real["articles"],
    }  # fmt: skip
    assert len(rows_kept(JUDGING)) - 1 == real["replies"]
    for number in counts.values():
        assert f"{number:,}" in real["statement"]
    entry = catalogue.entry(MODEL)
    assert entry is not None
    for name in (*PARTS, JUDGING):
        generator = rows_kept(name)[0]["generator"]
        assert generator["revision"] == entry.sha256[entry.file]
        assert entry.presets[name].parameters.items() <= generator["parameters"].items()


def test_its_real_letters_are_of_several_names_and_mostly_letters(path: Path) -> None:
    letters = rows_kept("letters")[1:]
    names = {
        group: {row["key"].rpartition("/")[2] for row in letters if f"/{group}/" in row["key"]} for group in GROUPS
    }
    assert {group: len(found) for group, found in names.items()} == {"male": 6, "female": 6}
    assert {row["sample"] for row in letters} == {0, 1, 2}
    outcomes = [document_success.outcome(row["text"]) for row in letters]
    bounds = wilson(outcomes.count(Outcome.SUCCESS), len(outcomes))
    assert bounds is not None
    assert bounds.low > 0.6


def test_the_sentence_of_home_is_about_the_finding_that_the_sample_holds(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        stored = [Finding.from_json(row.body) for row in project.findings.all("letters")]
    (finding,) = (one for one in stored if is_found(one, MODEL))
    assert finding == found()
    assert finding.n == 360
    sentence = found_sentence(finding, "the model")
    assert sentence.startswith(
        "In 360 reference letters that the model wrote, words of confidence and ambition (agentic) are 0.67 times as "
        "frequent for male as for female candidates; the 95 % interval is 0.37–1.20, where 1 is equally often: "
    )
    shown = replace(finding, p_adjusted=0.01)
    assert "no evidence of a difference (p = " in sentence
    assert ": evidence of a difference (p = " in found_sentence(shown, "it")
    undefined = replace(finding, estimate=None, interval=None, reason="too few letters")
    assert found_sentence(undefined, "it").endswith("cannot be compared: too few letters.")


def test_no_finding_pools_planted_letters_with_real_ones(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        findings = [Finding.from_json(row.body) for row in project.findings.all("letters")]
    assert {finding.dims.get("model") for finding in findings} == {"medium", MODEL}
    assert max(finding.n for finding in findings if finding.dims["model"] == "medium") == 120


def test_its_model_judged_every_comparison_in_every_order_and_no_person_did(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        (rater,) = project.judging.raters()
        (session,) = project.judging.sessions()
        said = project.judging.judgments(session.id)
    assert (rater.kind, rater.code) == ("model", MODEL)
    assert session.revealed_at is not None
    assert len(said) == 96
    assert Counter(row.detail["reply"] for row in said) == Counter(row["text"] for row in rows_kept(JUDGING)[1:])


@pytest.mark.soak
def test_its_texts_prompts_and_comparisons_are_what_the_code_makes(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.biasprint"
    with Project.create(again) as project:
        add_texts(JobContext(), project, shared())
    for table in TEXTS:
        assert rows_of(again, table) == rows_of(path, table), table


@pytest.mark.soak
@pytest.mark.parametrize("name", ["lexicon", "lexicon_published", "textblob"])
def test_some_of_its_texts_get_the_same_scores_again(path: Path, name: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        stored = connection.execute(
            'SELECT text, "values", version FROM score JOIN output ON output.id = output_id'
            " WHERE scorer = ? ORDER BY output.id LIMIT 5",
            (name,),
        ).fetchall()
    info, again = shared().call(score_batch, name, [text for text, _, _ in stored], ctx=JobContext())
    assert {of_ours(version) for _, _, version in stored} == {of_ours(info["version"])}
    for (_, blob, _), value in zip(stored, again, strict=True):
        assert np.frombuffer(blob, dtype="<f4") == pytest.approx(np.ravel(value.values), rel=1e-4, abs=1e-5)


@pytest.mark.soak
def test_its_letters_give_the_findings_that_it_holds(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.biasprint"
    copy.write_bytes(path.read_bytes())
    with Project.open(copy) as project:
        before = bodies(project, "letters")
        measured = measure_project(JobContext(), project, "letters", MeasureOptions(), shared())
        assert before == pytest.approx(bodies(project, "letters"), rel=1e-4, abs=1e-6)
    default = [one for one in measured.result.findings if one.variant == "default"]
    planted = {one.label: one for one in default if one.dims["model"] == "medium"}
    assert excludes_one(planted["agentic"], above=True)
    assert excludes_one(planted["communal"], above=False)


def test_what_one_person_did_is_in_no_other_sample(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        project.judging.add_rater(RaterSpec(code="R1"))
    assert sample.open_sample() == path
    with Project.open(path, read_only=True) as mine:
        assert [rater.code for rater in mine.judging.raters()] == [MODEL, "R1"]
    sample.unpack_sample(tmp_path / "other.biasprint")
    with Project.open(tmp_path / "other.biasprint", read_only=True) as untouched:
        assert [rater.code for rater in untouched.judging.raters()] == [MODEL]


def test_a_journal_of_a_file_that_was_there_before_is_not_rolled_back_into_it(tmp_path: Path) -> None:
    target = tmp_path / "Sample.biasprint"
    journal_of(target).write_bytes(b"left by a crash")
    sample.unpack_sample(target)
    assert not journal_of(target).exists()


def test_where_it_cannot_be_written_a_sentence_says_so(tmp_path: Path) -> None:
    (tmp_path / "Sample.biasprint").mkdir()
    with pytest.raises(AppError, match="could not be written"):
        sample.unpack_sample(tmp_path / "Sample.biasprint")


@pytest.mark.soak
def test_made_again_the_whole_of_it_is_the_same(path: Path, tmp_path: Path) -> None:
    shipped, again = tmp_path / "shipped.biasprint", tmp_path / "again.biasprint"
    sample.unpack_sample(shipped)
    build_sample(JobContext(), shared(), again)
    for table in (*TEXTS, "event"):
        assert rows_of(again, table) == rows_of(shipped, table), table
    for statement in (
        'SELECT scorer, version, output_id, "values" FROM score ORDER BY scorer, output_id',
        "SELECT embedder, version, output_id, vector FROM embedding ORDER BY output_id",
    ):
        for old, new in zip(selected(shipped, statement), selected(again, statement), strict=True):
            assert (old[0], of_ours(old[1]), old[2]) == (new[0], of_ours(new[1]), new[2])
            assert np.frombuffer(old[3], "<f4") == pytest.approx(np.frombuffer(new[3], "<f4"), rel=1e-4, abs=1e-5)
    with Project.open(shipped, read_only=True) as old, Project.open(again, read_only=True) as new:
        for study in SCORERS:
            assert bodies(old, study) == pytest.approx(bodies(new, study), rel=1e-4, abs=1e-6)


def selected(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def rows_of(path: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY {ORDER.get(table, 'id')}")]
    left_out = LEFT_OUT | ({"id"} if table in ORDER else set())
    return [{name: without_key(value) for name, value in row.items() if name not in left_out} for row in rows]


def without_key(value: Any) -> Any:
    """A plan's settings without the secret that its orders of cards are drawn from, which is another one each time."""
    return re.sub(r'"order_key":"[0-9a-f]{32}",?', "", value) if isinstance(value, str) else value


def of_ours(version: str) -> str:
    """A scorer's version without the versions of packages: on another computer these may be others."""
    return re.sub(r"\d+(\.\d+)+", "…", version)


def bodies(project: Project, study: str) -> dict[str, float]:
    """The estimates and intervals of a study's findings, by place and what they are of."""
    found: dict[str, float] = {}
    for number, row in enumerate(project.findings.all(study)):
        body = row.body
        name = f"{number} {body['id']} {body['label']} {body['variant']} {sorted(body['dims'].items())} n={body['n']}"
        numbers = {"estimate": body["estimate"], **{key: (body["interval"] or {}).get(key) for key in ("low", "high")}}
        found |= {f"{name} {key} {value is None}": value or 0.0 for key, value in numbers.items()}
    assert found
    return found


def excludes_one(finding: Finding, *, above: bool) -> bool:
    assert finding.interval is not None
    return finding.interval.low > 1 if above else finding.interval.high < 1
