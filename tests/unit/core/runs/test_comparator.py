"""LLM Comparator's format, out and in."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fingerprint_project import choosing, plan_of, project_with_texts, rated

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.comparator import read_comparator, store_comparator, write_comparator
from biasprint.core.texts.exporting import judgment_rows

# The example of LLM Comparator's own repository, docs/data/example_tiny.json, with other words.
TINY: dict[str, Any] = {
    "metadata": {"source_path": "n/a", "custom_fields_schema": []},
    "models": [{"name": "ABC 1.1"}, {"name": "ABC 1.0"}],
    "examples": [
        {"input_text": "Where to in spring?", "tags": ["Travel"], "output_text_a": "To the sea.",
         "output_text_b": "To the hills.", "score": 0.5, "individual_rater_scores": [], "custom_fields": {}},
        {"input_text": "How are charts drawn?", "tags": ["Coding"], "output_text_a": "I do not know.",
         "output_text_b": "With a library.", "score": -1.0,
         "individual_rater_scores": [
             {"is_flipped": False, "score": -1.5, "rationale": "B helps."},
             {"is_flipped": True, "score": -0.5, "rationale": "B tries."},
             {"is_flipped": True, "score": 0.0, "rationale": ""},
         ], "custom_fields": {}},
        {"input_text": "Hi", "tags": [], "output_text_a": "Good day.", "output_text_b": "Hello.", "score": 0.0,
         "individual_rater_scores": [], "custom_fields": {}},
        {"input_text": "Hi", "tags": [], "output_text_a": "Same.", "output_text_b": "Same.", "score": 0.0,
         "individual_rater_scores": [], "custom_fields": {}},
        {"input_text": "Hi", "tags": [], "output_text_a": "One.", "output_text_b": "Two.", "score": None,
         "individual_rater_scores": [], "custom_fields": {}},
    ],
}  # fmt: skip


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps(TINY), "utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "in.biasprint"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Six comparisons of three identities: R01 always chose the man, R02 who is neither."""
    path = tmp_path / "three.biasprint"
    project = project_with_texts(path, ["gender"], tasks=["haiku"])
    plan = plan_of(project, "gender", per_axis=6)
    rated(project, plan, "R01", choosing("man"))
    rated(project, plan, "R02", choosing("non-binary"))
    project.close()
    return path


def stored(file: Path, path: Path) -> tuple[int, int]:
    with Project.open(file) if file.exists() else Project.create(file) as project:
        found = store_comparator(JobContext(), project, path)
        return found.comparisons, found.judgments


def rows_of(file: Path) -> list[dict[str, Any]]:
    with Project.open(file, read_only=True) as project:
        return [dict(row) for row in judgment_rows(project, [study.id for study in project.studies.all()])]


def test_a_file_comes_in_as_a_plan_of_two_models_with_its_judgments(file: Path, tiny: Path) -> None:
    assert stored(file, tiny) == (3, 5)
    rows = rows_of(file)
    assert Counter((row["outcome"], row["chosen"], row["shown"]) for row in rows) == {
        ("choice", "ABC 1.1", "ABC 1.1|ABC 1.0"): 1,
        ("choice", "ABC 1.0", "ABC 1.1|ABC 1.0"): 1,
        ("choice", "ABC 1.0", "ABC 1.0|ABC 1.1"): 1,
        ("tie", "", "ABC 1.0|ABC 1.1"): 1,
        ("tie", "", "ABC 1.1|ABC 1.0"): 1,
    }
    assert {(row["axis"], row["rater_kind"]) for row in rows} == {("model", "model")}
    assert len({row["rater"] for row in rows}) == 1  # a judge that was asked three times is one
    assert {row["note"] for row in rows} == {"", "B helps.", "B tries."}
    with Project.open(file, read_only=True) as project:
        assert {row.text for row in project.outputs.each()} == {
            "To the sea.", "To the hills.", "I do not know.", "With a library.", "Good day.", "Hello."
        }  # fmt: skip


def test_what_cannot_be_used_is_counted_by_reason(tiny: Path) -> None:
    assert read_comparator(tiny).left_out == {"the two texts are the same": 1, "it has no score": 1}


def test_the_same_file_again_adds_nothing_and_one_that_stopped_goes_on(file: Path, tiny: Path) -> None:
    class Stopped(Exception):
        pass

    class Stopping(JobContext):
        def report(self, done: int, total: int | None = None, *more: Any, **named: Any) -> None:
            if total == 3 and done == 2:
                raise Stopped

    with Project.create(file) as project, pytest.raises(Stopped):
        store_comparator(Stopping(), project, tiny)
    assert stored(file, tiny) == (3, 1)
    assert stored(file, tiny) == (3, 0)
    assert len(rows_of(file)) == 5


def test_what_was_written_here_comes_back_the_same(tmp_path: Path, three: Path) -> None:
    out = tmp_path / "out.json"
    with Project.open(three, read_only=True) as project:
        written = write_comparator(JobContext(), project, out)
    assert {one.pair for one in written} == {("man", "woman"), ("man", "non-binary"), ("woman", "non-binary")}
    pair = next(one for one in written if one.pair == ("man", "woman"))
    assert pair.path.name == "out-man-woman.json"
    content = json.loads(pair.path.read_text("utf-8"))
    assert content["models"] == [{"name": "man"}, {"name": "woman"}]
    assert all(set(one) >= set(TINY["examples"][0]) for one in content["examples"])
    scores = Counter(rating["score"] for one in content["examples"] for rating in one["individual_rater_scores"])
    assert set(scores) == {1.0}  # one rater chose the man each time, the other the third
    assert pair.left_out == {"none of the two was chosen": pair.examples}
    back = tmp_path / "back.biasprint"
    assert stored(back, pair.path) == (pair.examples, pair.ratings)
    rows = rows_of(back)
    assert {(row["outcome"], row["chosen"], row["rater_kind"]) for row in rows} == {("choice", "man", "person")}
    with Project.open(three, read_only=True) as project:
        here = {
            (row["shown"].split("|").index("man") < row["shown"].split("|").index("woman"))
            for row in judgment_rows(project, [1])
            if row["chosen"] == "man"
        }
    assert {row["shown"].startswith("man") for row in rows} == here


def test_without_judgments_there_is_nothing_to_write(tmp_path: Path) -> None:
    with Project.create(tmp_path / "empty.biasprint") as project, pytest.raises(AppError, match="no judgments"):
        write_comparator(JobContext(), project, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"models": [{"name": "a"}], "examples": []}', b'{"models": [{"name": "a"}, {"name": "a"}]}',
     b'{"models": [{"name": "a"}, {"name": "b"}], "examples": [3]}', b"[" * 100_000,
     b'{"models": [{"name": "a"}, {"name": "b"}], "examples": []}'],
)  # fmt: skip
def test_what_is_not_of_the_format_is_refused_and_nothing_comes_in(file: Path, tmp_path: Path, content: bytes) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    with Project.create(file) as project:
        with pytest.raises(AppError, match="not of LLM Comparator's format"):
            store_comparator(JobContext(), project, bad)
        assert project.studies.all() == ()
