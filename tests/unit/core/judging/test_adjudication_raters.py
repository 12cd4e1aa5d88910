"""How plans and raters stand: counts for the coordinator, and no answer of anybody who is not done."""

from pathlib import Path

import pytest
from raters_scene import add_plan, answer_packet, copy_of, merged, packets_for, rate, with_outputs

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.rater_quality import PlanState, RaterStates


@pytest.fixture
def project(tmp_path: Path):
    with with_outputs(tmp_path / "p.biasprint") as made:
        yield made


def read(project: Project) -> tuple[PlanState, ...]:
    return RaterStates(project).read(JobContext())


def test_a_plan_is_told_with_its_repeats_and_how_many_have_finished(project: Project) -> None:
    plan = add_plan(project, repeats=2)
    rate(project, plan, "R01", {0: ("choice", 0), 1: ("skip", None)})
    rate(project, plan, "R02", {0: ("choice", 0)}, reveal=False)
    (one,) = read(project)
    assert (one.comparisons, one.repeats, one.taking_part, one.finished) == (8, 2, 2, 1)
    assert (one.title, one.kind, one.workshop) == ("First reading", "identity", False)


def test_of_an_open_session_here_only_the_count_is_told(project: Project) -> None:
    plan = add_plan(project)
    rate(project, plan, "R01", {0: ("choice", 0), 1: ("skip", None), 2: ("tie", None)})
    rate(project, plan, "R02", {0: ("choice", 0), 1: ("skip", None)}, reveal=False)
    done, opened = read(project)[0].raters
    assert (done.answered, done.skipped, done.left, done.active_seconds) == (2, 1, 3, 60.0)
    assert (opened.done, opened.left, opened.open, opened.where) == (2, 4, True, "here")
    assert (opened.answered, opened.skipped, opened.active_seconds) == (None, None, None)


def test_what_was_taken_back_is_not_done(project: Project) -> None:
    plan = add_plan(project)
    session = rate(project, plan, "R01", {0: ("choice", 0)}, reveal=False)
    (row,) = project.judging.judgments(session)
    from biasprint.core.project.specs import JudgmentSpec

    project.judging.record(
        JudgmentSpec(
            session_id=session,
            comparison_id=row.comparison_id,
            outcome="undone",
            shown=row.shown,
            texts_sha256=row.texts_sha256,
            active_seconds=1.0,
            supersedes=row.id,
        )
    )
    assert read(project)[0].raters[0].done == 0


def test_a_model_is_a_rater_that_is_asked_no_hidden_repeat(project: Project) -> None:
    plan = add_plan(project, repeats=2)
    rate(project, plan, "made-up", {0: ("choice", 0), 1: ("choice", 0)}, kind="model", reveal=False)
    (one,) = read(project)[0].raters
    assert (one.model, one.comparisons, one.answered, one.left) == (True, 6, 2, 4)


def test_packets_are_away_come_back_in_part_and_are_finished(project: Project, tmp_path: Path) -> None:
    plan = add_plan(project)
    paths = packets_for(project, plan, ["R01", "R02", "R03"], tmp_path / "out")
    assert {one.code: (one.where, one.done, one.left) for one in read(project)[0].raters} == {
        "R01": ("away", 0, 6),
        "R02": ("away", 0, 6),
        "R03": ("away", 0, 6),
    }
    part = answer_packet(copy_of(paths["R02"], "part.bpacket"), {0: ("choice", 0), 1: ("skip", None)})
    whole = answer_packet(paths["R03"], dict.fromkeys(range(6), ("tie", None)), finish=True)
    merged(project, part, whole)
    found = {one.code: one for one in read(project)[0].raters}
    assert [found[code].where for code in sorted(found)] == ["away", "partly", "finished"]
    assert (found["R02"].answered, found["R02"].skipped, found["R02"].left, found["R02"].open) == (1, 1, 4, True)
    assert (found["R03"].answered, found["R03"].left, found["R03"].open) == (6, 0, False)
    assert read(project)[0].finished == 1


def test_of_a_workshop_nobody_is_told_apart(project: Project) -> None:
    plan = add_plan(project, workshop=True)
    rate(project, plan, "ZQCODE", {0: ("choice", 0)})
    rate(project, plan, "ZQOTHER", {0: ("choice", 0)}, reveal=False)
    (one,) = read(project)
    assert (one.taking_part, one.finished, one.raters) == (2, 1, ())
    assert "ZQ" not in repr(one)


def test_what_cannot_change_of_a_plan_is_read_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    add_plan(project, repeats=1)
    states = RaterStates(project)
    first = states.read(JobContext())
    monkeypatch.setattr(project.judging, "comparisons", lambda plan_id: pytest.fail("read again"))
    assert states.read(JobContext()) == first
