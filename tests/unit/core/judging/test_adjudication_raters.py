"""How plans and raters stand: counts for the coordinator, and no answer of anybody who is not done."""

from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from raters_scene import add_plan, answer_packet, copy_of, merged, packets_for, rate, with_outputs

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.rater_quality import PlanState, RaterStates, agreement_so_far


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


# time left, and agreement so far


def test_the_time_left_of_a_packet_is_its_median_for_each_comparison_left_once_five_came(
    project: Project, tmp_path: Path
) -> None:
    plan = add_plan(project)
    packets = packets_for(project, plan, ["R01", "R02"], tmp_path)
    merged(project, *(answer_packet(packets["R01"], dict.fromkeys(range(4), ("choice", 0))),))
    assert [rater.seconds_left for rater in read(project)[0].raters] == [None, None], "four tell no pace"
    merged(project, answer_packet(packets["R01"], {4: ("choice", 0)}))
    first, second = read(project)[0].raters
    assert (first.seconds_left, second.seconds_left) == (12.0, None), "one is left, of 12 s each"
    merged(project, answer_packet(packets["R01"], {5: ("choice", 0)}, finish=True))
    assert read(project)[0].raters[0].seconds_left is None


def test_agreement_so_far_counts_the_comparisons_in_common_and_who_is_out(project: Project) -> None:
    plan, compute = add_plan(project, repeats=2), Inline()
    both: Any = compute

    def so_far() -> tuple[float | None, int, int, int]:
        found = agreement_so_far(JobContext(), project, plan, both)
        return found.raw.value, found.raw.n, found.finished, found.out

    rate(project, plan, "R01", dict.fromkeys((0, 1, 2, 3, 6), ("choice", 0)))
    rate(project, plan, "R02", {0: ("choice", 0)}, reveal=False)
    assert so_far() == (None, 0, 1, 1)
    undefined_yet = agreement_so_far(JobContext(), project, plan, both).raw
    assert undefined_yet.reason == "it needs two who finished the same comparisons, and 1 did so far"
    session = next(row.id for row in project.judging.sessions() if row.revealed_at is None)
    project.judging.reveal(session)
    assert so_far() == (1.0, 1, 2, 0)
    rate(
        project, plan, "R03", {0: ("choice", 1), 1: ("choice", 0), 2: ("choice", 2), 3: ("tie", None), 6: ("choice", 1)}
    )
    # Of 0 one of three pairs agrees, of 1 the one pair does, of 2 it does not; 3 has one choice, and 6 repeats 0.
    assert so_far() == (pytest.approx((1 / 3 + 1 + 0) / 3), 3, 3, 0)
    found = agreement_so_far(JobContext(), project, plan, both)
    assert found.chance == pytest.approx(1 / 3)
    assert found.raw.interval.bounds is None
    assert found.raw.interval.reason == "fewer than 10 comparisons"
