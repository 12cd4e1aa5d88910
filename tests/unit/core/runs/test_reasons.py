"""Reasons: notes and marked words, on the side of the identity whose text was chosen."""

from pathlib import Path

import pytest
from raters_scene import add_plan, rate, rows_of, text_of, with_outputs

from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import exclude
from biasprint.core.project.project import Project
from biasprint.core.runs.reasons import GivenReason, ReasonsFor, reasons


@pytest.fixture
def project(tmp_path: Path):
    with with_outputs(tmp_path / "p.biasprint") as made:
        yield made


def told(project: Project) -> dict[str, ReasonsFor]:
    return {found.identity: found for found in reasons(JobContext(), project)}


def test_notes_and_marked_words_stand_by_the_identity_that_was_chosen(project: Project) -> None:
    plan = add_plan(project, repeats=1, spans=True)
    first, second, _ = (item.identity for item in rows_of(project, plan)[0].items)
    notes = {
        0: "vivid, vivid images",
        1: "vivid, vivid, vivid",
        2: "dull",
        3: "dull ending, dull dull dull",
        6: "again",
    }
    said = {place: ("choice", 0 if place < 2 or place == 6 else 1) for place in notes}
    rate(project, plan, "R01", said, notes=notes, details={0: {"spans": [[0, 0, 4], [1, 0, 3]]}})
    rate(project, plan, "R02", {0: ("tie", None)}, notes={0: "neither"})
    rate(project, plan, "R03", {0: ("choice", 0)}, notes={0: "not finished"}, reveal=False)
    found = told(project)
    assert set(found) == {first, second}
    (row,) = [row for row in rows_of(project, plan) if row.position == 0]
    marked = text_of(row.task, row.theme, first)[:4]
    assert found[first].reasons == (
        GivenReason("R01", "vivid, vivid images", False),
        GivenReason("R01", marked, True),
        GivenReason("R01", "vivid, vivid, vivid", False),
    )
    assert [(word.word, word.here, word.others) for word in found[first].words] == [("vivid", 5, 0)], "images: once"
    assert [(word.word, word.here, word.others) for word in found[second].words] == [("dull", 5, 0)]


def test_who_is_left_out_gives_no_reason(project: Project) -> None:
    plan = add_plan(project)
    rate(project, plan, "R01", {0: ("choice", 0)}, notes={0: "warm"})
    assert len(told(project)) == 1
    exclude(project, project.judging.raters()[0].id, "failed checks")
    assert told(project) == {}
