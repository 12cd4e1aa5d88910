"""A plan that grows by rounds: what is drawn next, packets of each round, what comes back late, and what is refused."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_projects import Writing, haikus
from inline_compute import Inline
from packet_files import answer, finished

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.blind import BlindComparison
from biasprint.core.judging.known import KnownAnswer
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import JudgingWork, record_choice
from biasprint.core.metrics.anytime import share_anytime_p, share_band
from biasprint.core.project.copies import copy_project
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, PlanRow
from biasprint.core.runs.compare.rounds import NextRound, next_round, packets_out
from biasprint.core.studies.creativity.columns import judgment_table_columns
from biasprint.core.studies.creativity.gather import axes_of, of_judgments
from biasprint.core.tables.rows import Record
from biasprint.core.texts.exporting import judgment_rows

MODELS = ("alone", "bravo", "charlie", "delta", "echo")
STRENGTH = dict(zip(MODELS, (4.0, 0.0, 0.0, 0.0, 0.0), strict=True))


@pytest.fixture
def writing(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    for model in MODELS:
        haikus(made, model, samples=getattr(request, "param", 3))
    yield made
    made.project.close()


def preferred(comparison: BlindComparison, rng: random.Random) -> int:
    """The first of MODELS nearly always beats the others, which are equal."""
    scores = [STRENGTH[text.split(" by ")[1].split()[0]] + rng.gauss(0, 1) for text in comparison.texts]
    return scores.index(max(scores))


def judge(project: Project, code: str = "R01", *, seed: int = 1, most: int = 1_000, then_reveal: bool = False) -> int:
    """A rater judges what is left of the first plan here; the number of comparisons there were to judge."""
    work, rng, done = JudgingWork(ProjectStore(project)), random.Random(seed), 0
    view = open_session(work, offer_plans(work, code).offers[0].token, code)
    while view.comparison is not None and done < most:
        view = record_choice(work, view.comparison.token, "choice", preferred(view.comparison, rng))
        done += 1
    if then_reveal:
        reveal(work, anyway=True)
    return done


def drawn(project: Project, plan_id: str, **how: bool) -> NextRound:
    return next_round(JobContext(), project, plan_id, compute=Inline(), **how)  # type: ignore[arg-type]


def plan_of(project: Project, plan_id: str) -> PlanRow:
    return next(row for row in project.judging.plans() if row.id == plan_id)


def in_round(project: Project, plan_id: str, number: int) -> list[ComparisonRow]:
    settings = PlanSettings.of(plan_of(project, plan_id).settings)
    return [row for row in project.judging.comparisons(plan_id) if settings.round_of(row.position) == number]


@pytest.mark.parametrize("writing", [20], indirect=True)
def test_the_next_round_asks_about_what_is_still_open_and_forgets_nobody(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=40, seed=1).plan_id
    for number in range(2, 7):
        judge(writing.project)
        assert drawn(writing.project, plan).number == number
    last = Counter(item.identity for row in in_round(writing.project, plan, 6) for item in row.items)
    every = Counter(item.identity for row in writing.project.judging.comparisons(plan) for item in row.items)
    assert last["alone"] < min(last[name] for name in MODELS[1:]), "who is told apart is asked about less often"
    assert min(every.values()) >= 0.25 * sum(every.values()) / len(MODELS), every


def test_a_round_repeats_no_comparison_and_changes_none(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=20, seed=1, own_order=True).plan_id
    before = writing.project.judging.comparisons(plan)
    judge(writing.project)
    assert drawn(writing.project, plan).comparisons == {"model": 20}
    after = writing.project.judging.comparisons(plan)
    assert after[:20] == before
    texts = [frozenset(item.key for item in row.items) for row in after]
    assert len(set(texts)) == len(texts) == 40
    assert [row.position for row in after] == list(range(40))


def test_the_same_answers_give_the_same_round(writing: Writing, tmp_path: Path) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=12, seed=1).plan_id
    judge(writing.project)
    copies = [tmp_path / "one.biasprint", tmp_path / "two.biasprint"]
    seen = []
    for copy in copies:
        copy_project(writing.project.path, copy)
        with Project.open(copy) as project:
            seen.append(drawn(project, plan))
            seen.append([row.items for row in in_round(project, plan, 2)])
    assert seen[0] == seen[2]
    assert seen[1] == seen[3]


def test_who_was_asked_before_is_asked_the_same_in_the_same_order(writing: Writing) -> None:
    plan = writing.draw(
        "creativity", kind="model", cards=2, adaptive=20, seed=1, own_order=True, split=2, overlap=0.2
    ).plan_id

    def asked() -> list[str]:
        rows = writing.project.judging.comparisons(plan)
        settings = PlanSettings.of(plan_of(writing.project, plan).settings)
        return [rows[place].id for place in assigned(rows, settings, secret="s", code="R01")]

    before = asked()
    judge(writing.project)
    drawn(writing.project, plan)
    assert asked()[: len(before)] == before
    assert len(asked()) == pytest.approx(2 * len(before), abs=2)


def test_an_open_session_goes_on_with_the_new_comparisons_and_a_locked_one_does_not(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=10, seed=1).plan_id
    judge(writing.project, "R01")
    judge(writing.project, "R02", seed=2, then_reveal=True)
    grown = drawn(writing.project, plan)
    assert grown.locked == ("R02",)
    assert "R02" in grown.words
    assert judge(writing.project, "R01") == 10


def test_nothing_names_an_identity_while_somebody_rates_here(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=30, seed=1).plan_id
    judge(writing.project, "R01")
    blind = drawn(writing.project, plan, store=False)
    assert not [name for name in MODELS if name in blind.words], blind.words
    judge(writing.project, "R01", then_reveal=True)
    open_to_all = drawn(writing.project, plan, store=False)
    assert [name for name in MODELS if name in open_to_all.least], open_to_all.words
    assert len(writing.project.judging.comparisons(plan)) == 30, "asked what it would be, and it was drawn"


def test_tasks_with_the_widest_intervals_get_more(writing: Writing) -> None:
    plan = writing.draw("creativity", axes=["gender"], adaptive=6, seed=1).plan_id
    judge(writing.project)
    assert drawn(writing.project, plan).comparisons == {"gender": 6}


# ---- Packets


def rated(path: Path) -> Path:
    """The packet with the first card chosen of each of its eight comparisons, finished."""
    return finished(answer(path, *((at, "choice", 0) for at in range(8))))


def test_each_round_has_packets_of_its_own_for_the_same_raters(writing: Writing, tmp_path: Path) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=8, seed=1).plan_id
    ctx, project = JobContext(), writing.project
    (first,) = make_packets(ctx, project, plan_id=plan, codes=["R01"], folder=tmp_path)
    report = merge_packets(ctx, project, [rated(first.path)])
    assert report.files[0].added == 8
    assert packets_out(project, plan) == {}
    drawn(project, plan)
    (second,) = make_packets(ctx, project, plan_id=plan, codes=["R01"], folder=tmp_path)
    assert (second.comparisons, second.path.name) == (8, "packet-R01-round-2.bpacket")
    with Project.open(second.path) as inside:
        (own,) = inside.judging.plans()
        shown = {row.id for row in inside.judging.comparisons(own.id)}
    assert shown == {row.id for row in in_round(project, plan, 2)}
    assert packets_out(project, plan) == {"R01": 2}
    assert merge_packets(ctx, project, [rated(second.path)]).files[0].added == 8
    assert len(project.judging.judgments()) == 16


def test_who_joins_in_a_later_round_practises_first_and_who_did_does_not_again(
    writing: Writing, tmp_path: Path
) -> None:
    known = (KnownAnswer(("Good by all.", "Bad."), 0, "haiku").stored(),)
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=8, seed=1, practice=known).plan_id
    ctx, project = JobContext(), writing.project
    (first,) = make_packets(ctx, project, plan_id=plan, codes=["R01"], folder=tmp_path)
    merge_packets(ctx, project, [rated(first.path)])
    drawn(project, plan)
    again, new = make_packets(ctx, project, plan_id=plan, codes=["R01", "R09"], folder=tmp_path)
    assert make_packets(ctx, project, plan_id=plan, codes=["R09"], folder=tmp_path) == (new,), "it stays as it is"
    practices = []
    for packet in (first, again, new):
        with Project.open(packet.path, read_only=True) as inside:
            (own,) = inside.judging.plans()
            practices.append(len(own.settings.get("practice", ())))
    assert practices == [1, 0, 1]


def test_a_packet_of_an_earlier_round_that_comes_back_late_is_merged(writing: Writing, tmp_path: Path) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=8, seed=1).plan_id
    ctx, project = JobContext(), writing.project
    first, late = make_packets(ctx, project, plan_id=plan, codes=["R01", "R02"], folder=tmp_path)
    merge_packets(ctx, project, [rated(first.path)])
    with pytest.raises(AppError, match=r"round 1 are still out \(R02\)") as refused:
        drawn(project, plan)
    assert "anyway" in refused.value.hint
    assert "merged when they come" in refused.value.hint
    assert len(project.judging.comparisons(plan)) == 8
    drawn(project, plan, anyway=True)
    report = merge_packets(ctx, project, [rated(late.path)])
    assert (report.files[0].added, report.files[0].refused, report.conflicts) == (8, "", 0)


def test_an_earlier_round_can_be_sent_again_and_one_that_is_not_there_cannot(writing: Writing, tmp_path: Path) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=8, seed=1).plan_id
    judge(writing.project)
    drawn(writing.project, plan)
    ctx = JobContext()
    (again,) = make_packets(ctx, writing.project, plan_id=plan, codes=["R05"], folder=tmp_path, number=1)
    with Project.open(again.path) as inside:
        (own,) = inside.judging.plans()
        shown = {row.id for row in inside.judging.comparisons(own.id)}
    assert shown == {row.id for row in in_round(writing.project, plan, 1)}
    with pytest.raises(UsageError, match="no round 3"):
        make_packets(ctx, writing.project, plan_id=plan, codes=["R06"], folder=tmp_path, number=3)


# ---- What cannot be


def test_a_plan_that_was_drawn_at_once_has_no_rounds(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, per_axis=8, seed=1).plan_id
    judge(writing.project)
    with pytest.raises(UsageError, match="drawn at once"):
        drawn(writing.project, plan)


def test_a_round_without_answers_is_nothing_to_choose_by(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=8, seed=1).plan_id
    with pytest.raises(AppError, match="Nobody has answered"):
        drawn(writing.project, plan)


def test_a_plan_ends_where_its_texts_do(writing: Writing) -> None:
    plan = writing.draw("creativity", axes=["gender"], models=["alone"], adaptive=4, seed=1).plan_id
    judge(writing.project)
    assert sum(drawn(writing.project, plan).comparisons.values()) == 2  # two themes and three samples are six
    judge(writing.project)
    with pytest.raises(AppError, match="Every text"):
        drawn(writing.project, plan)


def test_asked_again_it_is_the_plan_that_is_there_though_it_has_grown(writing: Writing) -> None:
    asked = {"kind": "model", "cards": 2, "adaptive": 8, "seed": 1}
    plan = writing.draw("creativity", **asked).plan_id
    judge(writing.project)
    drawn(writing.project, plan)
    again = writing.draw("creativity", **asked)
    assert (again.plan_id, again.made) == (plan, False)


@pytest.mark.parametrize("what", [{"workshop": True}, {"sway": 0.5, "sway_for": ("man",)}])
def test_workshops_and_recommendations_are_drawn_at_once(writing: Writing, what: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="from the start"):
        writing.draw("creativity", axes=["gender"], adaptive=6, **what)


# ---- Findings of a plan of rounds


def measured(project: Project) -> StudyResult:
    sessions = [row for row in project.judging.sessions() if row.revealed_at]
    return of_judgments(JobContext(), project, sessions, axes_of(project), 0, Inline(), parts=True)  # type: ignore[arg-type]


def test_intervals_of_a_plan_of_rounds_may_be_looked_at_after_each_and_say_so(writing: Writing) -> None:
    plan = writing.draw("creativity", kind="model", cards=2, adaptive=30, seed=1).plan_id
    judge(writing.project, "R02", seed=2)
    drawn(writing.project, plan)
    judge(writing.project, "R01", then_reveal=True)
    pairs = [one for one in measured(writing.project).findings if one.id == "creativity.rank.pair"]
    assert pairs
    for pair in pairs:
        assert pair.interval is not None
        assert "anytime-valid" in pair.interval.method
        assert "after every round" in pair.note
    told_apart = [one.p_adjusted is not None and one.p_adjusted <= 0.05 for one in pairs if "alone" in one.groups]
    assert len(told_apart) == 4
    assert all(("is certain after 60 comparisons: alone" in one.note) == all(told_apart) for one in pairs)


def test_shares_of_a_plan_of_rounds_are_banded_and_of_a_whole_plan_are_not(writing: Writing) -> None:
    plan = writing.draw("creativity", axes=["gender"], adaptive=10, seed=1).plan_id
    judge(writing.project, "R01")
    drawn(writing.project, plan)
    judge(writing.project, "R01", then_reveal=True)
    result = measured(writing.project)
    whole = [one for one in result.findings if one.id == "creativity.share" and one.variant == "default"]
    assert whole
    for share in whole:
        assert share.interval is not None
        assert share.estimate is not None
        counted = round(share.estimate * share.n)
        band = share_band(counted, share.n)
        assert (share.interval.low, share.interval.high) == pytest.approx((band.low, band.high))
        assert share.p == pytest.approx(share_anytime_p(counted, share.n, 1 / 3))
    score = next(one for one in result.findings if one.id == "creativity.abs" and one.variant == "default")
    assert score.interval is not None
    assert "anytime-valid" in score.interval.method
    others = [one for one in result.findings if one.interval is not None and one.dims.get("axis") == "gender"]
    assert all("anytime-valid" in one.interval.method or "one look alone" in one.note for one in others)


def test_an_export_says_which_judgments_were_drawn_in_rounds(writing: Writing) -> None:
    writing.draw("creativity", axes=["gender"], adaptive=10, seed=1)
    judge(writing.project, "R01", then_reveal=True)
    rows = list(judgment_rows(writing.project, [writing.study("creativity")]))
    assert {row["adaptive"] for row in rows} == {"1"}
    columns = judgment_table_columns(
        [Record(at, at, {k: str(v) for k, v in row.items()}) for at, row in enumerate(rows)]
    )
    assert set(columns["adaptive"]) == {"1"}
