"""A look at identities in the middle of a rating: who is asked, what is written down, and what it does to findings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fingerprint_project import choosing, plan_of, project_with_texts, rated
from inline_compute import Inline
from packet_files import coordinator, finished, make, merge

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.looking import SEEN, record_look, sessions_to_ask
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import go_back, record_choice, withdraw
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.stores.judging import LOOK
from biasprint.core.report.export import export_rows
from biasprint.core.runs.fingerprint import fingerprint_of
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.sample import unpack_sample
from biasprint.core.studies.creativity.gather import axes_of, of_judgments
from biasprint.core.studies.creativity.live import JudgedChoices
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.exporting import columns
from biasprint.core.texts.exporting import rows as exported


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with_texts(tmp_path / "study.biasprint", ["orientation"], tasks=["haiku"]) as made:
        plan_of(made, "orientation", per_axis=6)
        yield made


def plan(project: Project) -> str:
    return project.judging.plans()[0].id


def codes(project: Project) -> list[str]:
    return [one.code for one in sessions_to_ask(project)]


def judge(project: Project, code: str, answers: int, *, look_after: int | None = None, card: int = 0) -> None:
    """A person answers through the door; somebody looks after so many answers."""
    door = open_judging(ProjectStore(project))
    view = door.ask(open_session, door.ask(offer_plans, code).result().offers[0].token, code).result()
    for number in range(answers):
        if number == look_after:
            record_look(project, "outputs")
        assert view.comparison is not None
        view = door.ask(record_choice, view.comparison.token, "choice", card).result()
    door.close(5)


def reveal(project: Project) -> None:
    for session in project.judging.sessions():
        project.judging.reveal(session.id)


# who is asked


def test_whoever_is_in_the_middle_of_rating_here_is_asked_until_the_reveal(project: Project):
    assert codes(project) == []
    judge(project, "R01", 2)
    assert codes(project) == ["R01"]
    reveal(project)
    assert codes(project) == []


def test_who_rates_the_sample_is_asked_although_a_model_has_finished_it(tmp_path: Path):
    path = tmp_path / "Sample.biasprint"
    unpack_sample(path)
    with Project.open(path) as sample:
        assert any(session.revealed_at is not None for session in sample.judging.sessions())
        assert codes(sample) == []
        judge(sample, "R01", 1)
        assert codes(sample) == ["R01"]


def test_a_model_and_a_workshops_participant_are_not_asked(project: Project):
    rated(project, plan(project), "m", lambda number, row: "tie", kind="model", revealed=False)
    workshop = plan_of(project, "orientation", seed=2, per_axis=3, workshop=True)
    rated(project, workshop, "P-1", lambda number, row: "tie", revealed=False)
    assert codes(project) == []


def test_who_only_sends_and_merges_packets_is_not_asked(tmp_path: Path):
    path = tmp_path / "study.biasprint"
    (away, back) = make(path, coordinator(path), "R01", "R02")
    with Project.open(path) as project:
        assert codes(project) == []
    merge(path, back.path)  # not finished: its session is open here
    with Project.open(path) as project:
        assert any(session.revealed_at is None for session in project.judging.sessions())
        assert codes(project) == []
    with Project.open(away.path) as packet:
        assert codes(packet) == []
    merge(path, finished(away.path))
    with Project.open(path) as project:
        assert codes(project) == []


def test_of_two_raters_both_are_asked_and_the_look_is_written_into_both_once(project: Project):
    judge(project, "R01", 1)
    judge(project, "R02", 1)
    assert codes(project) == ["R01", "R02"]
    record_look(project, "charts")
    record_look(project, "outputs")
    assert codes(project) == []
    looks = project.annotations.of_kind(LOOK)  # of one moment: in no order
    assert [row.value for row in looks] == [{"where": "charts"}] * 2
    assert {(row.target, row.rater_id) for row in looks} == {
        (session.id, session.rater_id) for session in project.judging.sessions()
    }
    judge(project, "R03", 1)
    assert codes(project) == ["R03"]


def test_a_look_that_cannot_be_written_down_is_refused(project: Project):
    judge(project, "R01", 1)
    path = project.path
    project.close()
    with Project.open(path, read_only=True) as onlooker:
        with pytest.raises(AppError, match="could not be written down"):
            record_look(onlooker, "outputs")
        assert onlooker.annotations.of_kind(LOOK) == ()


# what is marked


def test_judgments_made_after_the_look_are_marked_and_no_others(project: Project):
    judge(project, "R01", 5, look_after=3)
    assert [row.seen for row in project.judging.judgments()] == [False] * 3 + [True] * 2
    path = project.path
    project.close()
    assert check_project(path).sound  # a marked row carries its own hash


def test_an_answer_that_is_changed_or_taken_back_after_the_look_is_marked(project: Project):
    judge(project, "R01", 3)
    record_look(project, "outputs")
    door = open_judging(ProjectStore(project))
    view = door.ask(open_session, door.ask(offer_plans, "R01").result().offers[0].token, "R01").result()
    assert view.comparison is not None
    view = door.ask(go_back, view.comparison.token).result()
    assert view.comparison is not None
    door.ask(record_choice, view.comparison.token, "choice", 1).result()
    view = door.ask(go_back).result()
    assert view.comparison is not None
    door.ask(withdraw, view.comparison.token).result()
    door.close(5)
    rows = project.judging.judgments(superseded=True)
    assert [row.seen for row in rows] == [False] * 3 + [True] * (len(rows) - 3)
    assert len(rows) > 3


def test_the_other_raters_answers_before_and_after_a_finished_session_are_not_marked(project: Project):
    rated(project, plan(project), "R01", choosing("queer"))
    judge(project, "R02", 1)
    record_look(project, "outputs")
    marked = {row.session_id for row in project.judging.judgments() if row.seen}
    assert marked == set()
    judge(project, "R03", 1)  # began after the look
    assert not any(row.seen for row in project.judging.judgments())


# what it does to findings


def seen_project(project: Project) -> Project:
    judge(project, "R01", 6, look_after=4)
    reveal(project)
    return project


def measured(project: Project, *, seen: bool = False) -> Any:
    sessions = project.judging.sessions()
    return of_judgments(JobContext(), project, sessions, axes_of(project), 0, Inline(), seen=seen)  # type: ignore[arg-type]


def choices(result: Any) -> int:
    return next(one.n for one in result.findings if one.id == "creativity.abs" and one.variant == "default")


def test_findings_leave_marked_judgments_out_and_say_how_many_and_keep_them_if_asked(project: Project):
    seen_project(project)
    blind, every = measured(project), measured(project, seen=True)
    assert (choices(blind), blind.dropped[SEEN], blind.rows) == (4, 2, 6)
    assert (choices(every), every.dropped.get(SEEN), every.rows) == (6, None, 6)


def test_a_session_that_was_begun_after_a_look_of_its_rater_leaves_nothing_but_the_count(project: Project):
    judge(project, "R01", 6, look_after=0)
    reveal(project)
    found = measured(project)
    assert (found.findings, found.dropped, found.rows) == ((), {SEEN: 6}, 6)


def test_the_measure_says_it_and_keeps_the_choice_in_the_recipe(project: Project):
    project = seen_project(project)
    compute: Any = Inline()
    blind = measure_project(JobContext(), project, "creativity", MeasureOptions(), compute)
    every = measure_project(JobContext(), project, "creativity", MeasureOptions(seen=True), compute)
    assert any("2 judgments were made after a look" in remark and "left out" in remark for remark in blind.remarks)
    assert any("are kept, as asked" in remark for remark in every.remarks)
    assert ("seen" in blind.recipe, every.recipe["seen"]) == (False, True)


def test_an_export_says_which_and_its_table_gives_the_same_findings(project: Project, tmp_path: Path):
    project = seen_project(project)
    target = tmp_path / "judgments.csv"
    rows = list(exported(JobContext(), project, "judgments"))
    assert [row["seen"] for row in rows] == [0] * 4 + [1] * 2
    export_rows(iter(rows), target, columns(project, "judgments"))
    compute: Any = Inline()
    for seen in (False, True):
        options = MeasureOptions(seen=seen)
        of_table = measure_tables(JobContext(), [target], "creativity", options, compute).result
        of_project = measured(project, seen=seen)
        assert choices(of_table) == choices(of_project)
        assert of_table.dropped.get(SEEN) == of_project.dropped.get(SEEN)


def test_the_fingerprint_and_the_live_board_leave_them_out_too(project: Project):
    project = seen_project(project)
    (rater,) = project.judging.raters()
    found = fingerprint_of(JobContext(), project, rater.id, Inline())  # type: ignore[arg-type]
    assert (found.n, found.seen, found.complete) == (4, 2, True)
    live = JudgedChoices(project)
    live.read(JobContext())
    assert {value.n for value in live.values()} == {4}
