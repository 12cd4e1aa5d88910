"""Replies to designs: read in a project and from the tables exported from it, and scored by what they need."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline

from biasprint.core.backends.protocol import Request
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.runs.measure import measure_project, measure_tables, scorers_needed
from biasprint.core.runs.setup import add_prompts, import_table
from biasprint.core.studies.author import SyntheticAuthor
from biasprint.core.studies.compare.designs import measure_design
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.planting import load_dial
from biasprint.core.texts import exporting
from biasprint.core.texts.exporting import read_table

INLINE: Any = Inline()
DESIGNS = ("equal_resumes", "relative_decision")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[Any, Any]]]:
    """The exported replies of the synthetic author to two designs, one of each failed, and their numbers."""
    folder = tmp_path_factory.mktemp("replies")
    with pytest.MonkeyPatch.context() as patch, Project.create(folder / "replies.biasprint") as project:
        patch.setitem(measure_design.__kwdefaults__, "resamples", 200)
        for key in DESIGNS:
            answered(project, add_prompts(project, "compare", design=key).set_id)
        options = MeasureOptions(seed=1)
        found = measure_project(JobContext(), project, "compare", options, INLINE).result
        columns = exporting.columns(project, "outputs", None)
        with (folder / "replies.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(exporting.rows(JobContext(), project, "outputs", None))
        yield folder / "replies.csv", numbers(found.findings)


def answered(project: Project, set_id: int) -> None:
    author = SyntheticAuthor(load_dial("large"))
    generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="large")).number("generator")
    study = project.studies.of_kind("compare")
    assert study is not None
    run = project.runs.start(
        RunSpec(study_id=study.id, prompt_set_id=set_id, generator_id=generator, seed=1)
    ).number("run")  # fmt: skip
    outputs = []
    for item in project.runs.pending(run, limit=500):
        fields = {**item.prompt.fields, "task": item.prompt.task}
        request = Request(key=item.prompt.key, prompt=item.prompt.text, seed=1, fields=fields)
        text = author.generate(request, lambda _: None, lambda: None).text
        outputs.append(OutputSpec(run_id=run, prompt_id=item.prompt.id, sample=0, seed=1, text=text))
    outputs[0] = outputs[0].model_copy(update={"text": "", "status": "error", "error": "timeout"})
    project.outputs.record_many(outputs)


def numbers(findings: tuple[Finding, ...]) -> dict[Any, Any]:
    return {
        (one.id, one.label, one.groups, tuple(sorted(one.dims.items()))): (one.estimate, one.interval, one.n, one.p)
        for one in findings
        if ".replies" not in one.id  # a table has no requests that failed
    }


def test_an_exported_table_of_replies_is_read_as_the_project_reads_them(
    table: tuple[Path, dict[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, of_project = table
    monkeypatch.setitem(measure_design.__kwdefaults__, "resamples", 200)
    found = measure_tables(JobContext(), [path], "compare", MeasureOptions(seed=1), INLINE)
    assert numbers(found.result.findings) == of_project
    assert found.result.dropped == {"generation failed": 2}
    assert {dims["design"] for _, _, _, pairs in of_project if (dims := dict(pairs))} == set(DESIGNS)


def test_brought_into_a_project_they_are_read_too(
    table: tuple[Path, dict[Any, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, of_project = table
    monkeypatch.setitem(measure_design.__kwdefaults__, "resamples", 200)
    with Project.create(tmp_path / "other.biasprint") as other:
        read = read_table(JobContext(), path, "compare")
        import_table(JobContext(), other, None, "compare", path, read)
        found = measure_project(JobContext(), other, "compare", MeasureOptions(seed=1), INLINE).result
    estimates = {key: value[0] for key, value in of_project.items()}
    assert {key: value[0] for key, value in numbers(found.findings).items()} == pytest.approx(estimates, nan_ok=True)


def test_a_design_that_does_not_ship_is_said(tmp_path: Path) -> None:
    rows = "".join(f"own,yes_no,{who},Yes indeed.\n" for who in ("a", "b") * 5)
    (tmp_path / "own.csv").write_text(f"design,reads,group,text\n{rows}", encoding="utf-8")
    options = MeasureOptions(scorers={"score": "length"})
    found = measure_tables(JobContext(), [tmp_path / "own.csv"], "compare", options, INLINE)
    assert [told for told in found.remarks if "The design “own” does not ship" in told]
    assert [one for one in found.result.findings if one.id == "compare.mean" and one.estimate == 2]


def test_texts_are_scored_as_they_arrive_by_what_their_design_needs(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.biasprint") as project:
        keys = ("equal_resumes", "agency", "first_person")
        sets = {key: add_prompts(project, "compare", design=key).set_id for key in keys}
        study = project.studies.of_kind("compare")
        assert study is not None

        def names(set_id: int | None) -> set[str]:
            return {info.role for info in scorers_needed("compare", project, study.id, set_id)}

        assert names(sets["equal_resumes"]) == set()
        assert names(sets["agency"]) == {"agency_balance"}
        own = {"length", "sentiment", "reading_ease", "refusal", "gender_stereotypes", "embedding"}
        assert names(sets["first_person"]) == own
        assert names(None) == own | {"agency_balance"}


def test_of_replies_to_a_design_only_the_score_that_is_asked_is_read(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.biasprint") as project:
        answered(project, add_prompts(project, "compare", design="first_person").set_id)
        found = {
            asked: measure_project(JobContext(), project, "compare", MeasureOptions(scorers=scorers), INLINE).result
            for asked, scorers in (("score", {"score": "length"}), ("usual", {"embedding": "none"}))
        }
    ids = {asked: {finding.id for finding in result.findings} for asked, result in found.items()}
    assert "compare.difference" in ids["score"]
    assert not any("similarity" in finding for finding in ids["score"])
    assert any("similarity" in finding for finding in ids["usual"])
