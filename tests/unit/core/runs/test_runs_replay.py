"""Replaying: the same recipe gives the same text; where it cannot, it is said why."""

from pathlib import Path

import pytest

pytest.importorskip("gguf", reason="tiny models are written with the gguf package")
pytest.importorskip("llama_cpp", reason="llama_cpp is not installed")

from inline_compute import Inline
from tiny_gguf import write_tiny

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import OutputSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.runs import writing
from biasprint.core.runs.audit.again import Replay, first_difference, latest_run, replay
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.setup import generator_spec, store_set
from biasprint.core.runs.writing import BUILD

PARAMETERS = {"threads": 1, "max_tokens": 12, "prefix_cache": False}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny.gguf")


@pytest.fixture
def project(tmp_path: Path, model: Path) -> Project:
    """Twelve letters of nonsense."""
    project = Project.create(tmp_path / "a.biasprint")
    added = store_set(project, "letters", letters_context_less_set(ages=[20], occupations=["chef", "artist", "actor"]))
    spec = generator_spec("llama_cpp", str(model), PARAMETERS, Inline())  # type: ignore[arg-type]
    run = start_run(project, prompt_set_id=added.set_id, generator=spec, seed=4, samples=2)
    generate(JobContext(), project, run, Inline(), opens=str(model))  # type: ignore[arg-type]
    return project


def again(project: Project, model: Path, **more: int) -> Replay:
    return replay(JobContext(), project, latest_run(project), Inline(), opens=str(model), **more)  # type: ignore[arg-type]


def test_the_same_build_and_file_give_the_same_texts(project: Project, model: Path) -> None:
    (before,) = [project.outputs.count()]
    result = again(project, model, count=5)
    assert (result.same, len(result.outputs), result.reasons) == (5, 5, ())
    assert len({(one.key, one.sample) for one in result.outputs}) == 5
    assert len(again(project, model, count=99).outputs) == 12
    assert project.outputs.count() == before
    assert all(row.detail[BUILD] for row in project.outputs.each(OutputFilter(status="done")))


def test_a_model_with_another_hash_is_refused(project: Project, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_open", None)  # as in a process that has not opened it yet
    write_tiny(model, seed=2)
    with pytest.raises(AppError, match="is not the model that wrote the run") as refused:
        again(project, model)
    assert refused.value.kept
    monkeypatch.setattr(writing, "_open", None)
    model.unlink()
    with pytest.raises(AppError, match="There is no file"):
        again(project, model)


def test_what_differs_is_told_with_the_place(project: Project, model: Path, tmp_path: Path) -> None:
    first = next(iter(project.outputs.each(OutputFilter(status="done"))))
    generator = project.runs.get(first.run_id).generator_id
    with Project.create(tmp_path / "b.biasprint") as other:
        added = store_set(other, "letters", letters_context_less_set(ages=[20], occupations=["chef"]))
        row = project.runs.generators()[generator]
        spec = generator_spec(row.backend, str(model), row.parameters, Inline())  # type: ignore[arg-type]
        run = start_run(other, prompt_set_id=added.set_id, generator=spec, seed=4)
        ids = other.prompts.by_key(added.set_id, [first.prompt_key])
        other.outputs.record_many(
            [
                OutputSpec(
                    run_id=run, prompt_id=ids[first.prompt_key], sample=0, seed=0, text=f"{first.text} And more.",
                    detail={BUILD: "llama-cpp-python 0.0.1: AVX"},
                )
            ]
        )  # fmt: skip
        result = again(other, model)
    (differs,) = result.outputs
    assert differs.at == len(first.text) + 1
    assert result.same == 0
    assert "computed by llama-cpp-python 0.0.1: AVX, and here by" in result.reasons[0]


def test_texts_that_nothing_here_wrote_are_no_run_to_replay(tmp_path: Path) -> None:
    with Project.create(tmp_path / "c.biasprint") as project:
        with pytest.raises(AppError, match="no run that could be replayed"):
            latest_run(project)
        with pytest.raises(UsageError, match="no run 7"):
            replay(JobContext(), project, 7, Inline())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "at"),
    [("abc", "abc", None), ("abc", "abd", 3), ("abc", "abcd", 4), ("", "a", 1), ("abc", "", 1)],
)
def test_the_first_character_that_differs_is_counted_from_one(before: str, after: str, at: int | None) -> None:
    assert first_difference(before, after) == at
