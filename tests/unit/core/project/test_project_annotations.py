"""Statements beside the judgments, and the cards that show a source instead of an output."""

from pathlib import Path

import pytest

from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import AnnotationSpec, ComparisonSpec, PlanSpec, RaterSpec, SourceSpec


@pytest.fixture
def project(tmp_path: Path) -> Project:
    with Project.create(tmp_path / "p.biasprint") as project:
        yield project


def test_a_later_statement_supersedes_and_never_replaces(project: Project) -> None:
    rater = project.judging.add_rater(RaterSpec(code="R01")).uuid("rater")
    first = AnnotationSpec(kind="criterion", target="c1", rater_id=rater, value={"card": 0, "rating": 2})
    key = project.annotations.add(first).uuid("annotation")
    project.annotations.add(first.model_copy(update={"value": {"card": 0, "rating": 5}, "supersedes": key}))
    (row,) = project.annotations.of_kind("criterion")
    assert (row.target, row.rater_id, row.value, row.supersedes) == ("c1", rater, {"card": 0, "rating": 5}, key)
    assert len(project.annotations.of_kind("criterion", superseded=True)) == 2
    assert project.annotations.of_kind("criterion", target="c2") == ()
    assert project.annotations.of_kind("decision") == ()


def test_a_statement_that_comes_again_adds_nothing(project: Project) -> None:
    spec = AnnotationSpec(id="a1", kind="criterion", target="c1", value={"rating": 2}, created_at="2026-01-01")
    assert project.annotations.add(spec).of("annotation") == {"a1"}
    assert project.annotations.add(spec.model_copy(update={"value": {"rating": 4}})).of("annotation") == frozenset()
    (row,) = project.annotations.of_kind("criterion")
    assert row.value == {"rating": 2}


def test_a_card_may_show_a_source(project: Project) -> None:
    study = project.studies.add("news", "News").number("study")
    text = "Written by a person."
    project.sources.add_many(study, [SourceSpec(kind="original", origin="a.csv", row=1, text=text)])
    (source,) = project.sources.page(study)
    items = (ComparisonItem(None, "original", source=source.id), ComparisonItem(None, "other", source=source.id + 1))
    spec = ComparisonSpec(position=0, axis="origin", task="", theme="", items=items, texts_sha256="0" * 64)
    plan = project.judging.add_plan(PlanSpec(study_id=study, title="p", axis="origin", seed=1), [spec]).uuid("plan")
    (row,) = project.judging.comparisons(plan)
    assert row.items == items
    assert project.texts(item.key for item in row.items) == {("source", source.id): text}


def test_a_card_shows_one_text() -> None:
    for output, source in ((None, None), (1, 1)):
        with pytest.raises(ValueError, match="one output or one source"):
            ComparisonItem(output, "man", source)
