"""How long the report of a study with 10,000 outputs takes from the command to each file: at most 30 seconds."""

import time
from pathlib import Path

import pytest
from figures import at_most, title

from biasprint.core.cli.app import main
from biasprint.core.findings import Finding
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.sample import unpack_sample

pytestmark = pytest.mark.bench

OUTPUTS = 10_000
SECONDS = 30.0


def project_of(folder: Path) -> Path:
    """Letters by two generators, and every finding of the sample's letters."""
    unpack_sample(folder / "Sample.biasprint")
    with Project.open(folder / "Sample.biasprint", read_only=True) as sample:
        rows = sample.findings.all("letters")
    with Project.create(folder / "large.biasprint") as project:
        study = project.studies.add("letters", "letters").number("study")
        prompts = tuple(PromptSpec(key=str(number), text=f"Write {number}.") for number in range(OUTPUTS // 2))
        set_id = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts)).number(
            "prompt_set"
        )
        keys = [row.id for row in project.prompts.page(set_id, 0, OUTPUTS)]
        for model in ("first", "second"):
            made = project.runs.add_generator(GeneratorSpec(backend="llama_cpp", model=model, parameters={}))
            spec = RunSpec(study_id=study, prompt_set_id=set_id, generator_id=made.number("generator"), seed=1)
            run = project.runs.start(spec).number("run")
            texts = [OutputSpec(run_id=run, prompt_id=key, sample=0, seed=1, text=f"{model} {key}") for key in keys]
            project.outputs.record_many(texts)
        project.findings.replace("letters", "whole study", {}, [Finding.from_json(row.body) for row in rows])
        assert project.outputs.count() == OUTPUTS
    return folder / "large.biasprint"


def test_each_file_is_there_within_half_a_minute(tmp_path: Path) -> None:
    file = project_of(tmp_path)
    title(f"The report of {OUTPUTS:,} outputs")
    for ending in ("html", "pdf", "md", "tex"):
        began = time.perf_counter()
        assert main(["report", str(file), "--out", str(tmp_path / f"report.{ending}")]) == 0
        at_most(f"report as {ending}", time.perf_counter() - began, SECONDS, "s")
