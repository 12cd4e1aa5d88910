"""What is sent of a project that is written to meanwhile is whole: a moment of it, and a sound file."""

import threading
from pathlib import Path

import pytest
from trust.report import Figure

from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec

PROMPTS = 20


def written_to(path: Path) -> tuple[Project, int]:
    """A new project and its run."""
    project = Project.create(path)
    study = project.studies.add("creativity", "Study").number("study")
    prompts = tuple(PromptSpec(key=f"k{number}", text=f"Write {number}.") for number in range(PROMPTS))
    spec = PromptSetSpec(name="set", recipe={}, prompts=prompts)
    chosen = project.prompts.add_set(study, spec).number("prompt_set")
    generator = project.runs.add_generator(GeneratorSpec(backend="written", model="m")).number("generator")
    run = RunSpec(study_id=study, prompt_set_id=chosen, generator_id=generator, seed=1, samples=10_000)
    return project, project.runs.start(run).number("run")


@pytest.mark.parametrize("copies", [4, pytest.param(500, marks=pytest.mark.soak)])
def test_a_copy_that_is_saved_while_texts_are_written_is_sound_and_has_all_that_was_acknowledged(
    tmp_path: Path, copies: int, figure: Figure
) -> None:
    project, run = written_to(tmp_path / "study.biasprint")
    acknowledged: list[tuple[int, int]] = []
    stop = threading.Event()

    def write() -> None:
        for sample in range(10_000):
            for prompt in range(1, PROMPTS + 1):
                if stop.is_set():
                    return
                text = f"Text {prompt} {sample}. " * 40
                project.outputs.record(
                    OutputSpec(run_id=run, prompt_id=prompt, sample=sample, seed=1, text=text)
                ).result()
                acknowledged.append((prompt, sample))

    writer = threading.Thread(target=write)
    writer.start()
    grown = set()
    try:
        for _ in range(copies):
            before = len(acknowledged)
            copy = project.save_copy(tmp_path / "sent.biasprint")
            assert check_project(copy).sound
            with Project.open(copy, read_only=True) as sent:
                found = {(row.prompt_id, row.sample) for row in sent.outputs.each()}
            assert set(acknowledged[:before]) <= found
            grown.add(len(found))
            copy.unlink()
    finally:
        stop.set()
        writer.join(30)
        project.close()
    assert len(grown) > 1, "nothing was written meanwhile: the test shows nothing"
    figure(f"{copies} copies while {len(acknowledged):,} texts were written, each whole", copies)
