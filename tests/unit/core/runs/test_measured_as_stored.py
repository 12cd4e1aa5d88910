"""What raters said is measured without waiting for the texts to be embedded."""

from pathlib import Path

import pytest
from fingerprint_project import choosing, plan_of, project_with_texts, rated
from inline_compute import Inline

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure import measure_project
from biasprint.core.studies.kit.declared import MeasureOptions


def test_judgments_are_measured_although_no_text_is_embedded(tmp_path: Path) -> None:
    with project_with_texts(tmp_path / "study.biasprint", ["orientation"], tasks=["haiku"]) as project:
        plan = plan_of(project, "orientation", per_axis=6)
        rated(project, plan, "R01", choosing("straight"))
        found = measure_project(JobContext(), project, "creativity", MeasureOptions(as_stored=True), Inline())  # type: ignore[arg-type]
        assert not list(project.scores.known())
    ids = {one.id for one in found.result.findings}
    assert "creativity.share" in ids
    assert not [name for name in ids if name.startswith("creativity.distance")]
    assert found.remarks[0].startswith("Distances were left out")


def test_texts_that_nobody_scored_are_not_said_to_be_missing(tmp_path: Path) -> None:
    with project_with_texts(tmp_path / "study.biasprint", ["orientation"], tasks=["haiku"]) as project:
        texts = project.outputs.count()
        with pytest.raises(AppError, match=f"There are {texts} texts, and none is scored yet") as caught:
            measure_project(JobContext(), project, "creativity", MeasureOptions(as_stored=True), Inline())  # type: ignore[arg-type]
    assert "Score and measure" in caught.value.hint
