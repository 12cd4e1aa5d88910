"""Exported judgments name who wrote what was compared, and measured as a table they find what the project finds."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fingerprint_project import choosing, plan_of, project_with_texts, rated
from inline_compute import Inline

from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.report.export import export_rows
from biasprint.core.runs.comparator import store_comparator
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import SEVERAL, WROTE, columns, rows

INLINE: Any = Inline()
PARAMETERS = {"base_url": "http://here/v1", "system": "Be kind.", "temperature": 0.5}


def another_generator(project: Project) -> None:
    """It writes a second text for each prompt."""
    key = project.runs.add_generator(GeneratorSpec(backend="openai", model="other", parameters=PARAMETERS))
    run = project.runs.start(RunSpec(study_id=1, prompt_set_id=1, generator_id=key.number("generator"), seed=1))
    project.outputs.record_many(
        [
            OutputSpec(run_id=run.number("run"), prompt_id=row.id, sample=0, seed=0, text=f"Other {row.id}.")
            for row in project.prompts.page(1, 0, 5000)
        ]
    )


@pytest.fixture
def two(tmp_path: Path) -> Any:
    """Comparisons of the texts of one generator, and of another, judged by two raters."""
    project = project_with_texts(tmp_path / "two.biasprint", ["gender"], tasks=["haiku"])
    another_generator(project)
    plan = plan_of(project, "gender", per_axis=8)
    rated(project, plan, "R01", choosing("man"))
    rated(project, plan, "R02", choosing("woman"))
    yield project
    project.close()


def test_every_judgment_says_who_wrote_what_was_compared(two: Project) -> None:
    found = list(rows(JobContext(), two, "judgments"))
    assert set(found[0]) == set(columns(two, "judgments"))
    assert Counter(tuple(one[name] for name in WROTE) for one in found) == {
        ("author", "", "", "{}"): 8,
        ("other", "http://here/v1", "Be kind.", '{"temperature": 0.5}'): 8,
    }


def test_of_two_generators_in_one_comparison_both_are_named(tmp_path: Path) -> None:
    example = {"input_text": "Where to?", "tags": [], "output_text_a": "To the sea.", "output_text_b": "To the hills.",
               "score": 1.0, "individual_rater_scores": [], "custom_fields": {}}  # fmt: skip
    path = tmp_path / "both.json"
    path.write_text(json.dumps({"metadata": {}, "models": [{"name": "A"}, {"name": "B"}], "examples": [example]}))
    with Project.create(tmp_path / "both.biasprint") as project:
        store_comparator(JobContext(), project, path)
        (row,) = rows(JobContext(), project, "judgments")
    assert row["written_by"] == f"imported: A{SEVERAL}imported: B"
    assert (row["endpoint"], row["parameters"]) == ("", "{}")  # what does not differ is said once


def numbers(result: StudyResult) -> dict[Any, Any]:
    return {
        (one.id, one.label, one.groups, tuple(sorted(one.dims.items()))): (one.estimate, one.n, one.interval)
        for one in result.findings
    }


def test_an_exported_table_of_judgments_is_measured_by_generator_as_its_project_is(
    two: Project, tmp_path: Path
) -> None:
    out = tmp_path / "judgments.csv"
    export_rows(rows(JobContext(), two, "judgments"), out, columns(two, "judgments"))
    from_table = measure_tables(JobContext(), [out], "creativity", MeasureOptions(), INLINE).result
    from_project = measure_project(JobContext(), two, "creativity", MeasureOptions(as_stored=True), INLINE).result
    assert {one.dims["generator"] for one in from_table.findings} == {"author", "other"}
    assert numbers(from_table) == numbers(from_project)
