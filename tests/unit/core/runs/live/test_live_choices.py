"""Choices followed by session: nothing before the reveal, the digits of the measure after it; counts of judging."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_scene import compared, measured, store, tally_of, written

from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import JudgmentSpec, RaterSpec
from biasprint.core.runs.compare import compare
from biasprint.core.runs.live import _per_minute
from biasprint.core.runs.setup import study_of
from biasprint.core.studies.creativity.columns import judgment_columns
from biasprint.core.studies.creativity.gather import embedder
from biasprint.core.studies.kit.declared import MeasureOptions

AXES = ["gender", "orientation"]


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with Project.create(tmp_path / "study.biasprint") as made:
        written(made, "creativity", tasks=["blog", "haiku"], themes=["rain", "stars"], axes=AXES)
        compare(JobContext(), made, study_id=study_of(made, "creativity").id, axes=AXES, seed=1)
        yield made


OUTCOMES = ("choice", "choice", "choice", "tie", "skip")


def judged(project: Project, code: str, seed: int, kind: str = "person", outcomes: Sequence[str] = OUTCOMES) -> str:
    """A session with choices, ties and skips; a model is asked in two orders of the cards."""
    (plan,) = project.judging.plans()
    rater = project.judging.add_rater(RaterSpec(code=code, kind=kind)).uuid("rater")  # type: ignore[arg-type]
    session = project.judging.open_session(plan.id, rater).uuid("session")
    rng = np.random.default_rng(seed)
    for row in project.judging.comparisons(plan.id):
        orders = [tuple(rng.permutation(len(row.items)).tolist())]
        orders += [orders[0][::-1]] if kind == "model" else []
        for order in orders:
            outcome = str(rng.choice(outcomes))
            chosen = int(rng.integers(len(row.items))) if outcome == "choice" else None
            project.judging.record(
                JudgmentSpec(
                    session_id=session, comparison_id=row.id, outcome=outcome, chosen=chosen, shown=order,
                    texts_sha256=row.texts_sha256, active_seconds=3.0,
                )
            )  # fmt: skip
    return session


def embedded(project: Project) -> None:
    rng = np.random.default_rng(1)
    store(project, embedder(MeasureOptions()), {("output", row.id): rng.random(8) for row in project.outputs.each()})


def choices(tally: Any) -> list[Any]:
    return [one for one in tally.values() if one.key.id in ("creativity.share", "creativity.abs")]


def test_nothing_is_told_before_the_reveal_and_the_measured_shares_after_it(project: Project) -> None:
    embedded(project)
    tally = tally_of(project, "creativity")
    first, second = judged(project, "R1", 1), judged(project, "R2", 2)
    tally.catch_up(JobContext())
    assert choices(tally) == []
    project.judging.reveal(first)
    tally.catch_up(JobContext())
    alone = choices(tally)
    project.judging.reveal(second)
    assert tally.catch_up(JobContext())
    together = choices(tally)
    assert [one.n for one in alone] < [one.n for one in together]
    assert compared(together, measured(project, "creativity")) == 3 + 1 + 2 + 1
    assert not tally.catch_up(JobContext())


def test_a_models_orders_are_one_averaged_choice(project: Project) -> None:
    embedded(project)
    project.judging.reveal(judged(project, "a model", 3, "model"))
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    assert compared(choices(tally), measured(project, "creativity")) == 3 + 1 + 2 + 1


def test_where_people_judged_a_models_choices_are_left_out(project: Project) -> None:
    embedded(project)
    tally = tally_of(project, "creativity")
    project.judging.reveal(judged(project, "a model", 3, "model"))
    tally.catch_up(JobContext())
    first = [one.estimate for one in choices(tally)]
    project.judging.reveal(judged(project, "R1", 1))
    tally.catch_up(JobContext())
    assert [one.estimate for one in choices(tally)] != first
    assert compared(choices(tally), measured(project, "creativity")) == 3 + 1 + 2 + 1


def test_only_ties_have_a_sentence(project: Project) -> None:
    project.judging.reveal(judged(project, "R1", 1, outcomes=("tie",)))
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    assert {(one.estimate, one.reason) for one in choices(tally)} == {(None, "no comparison with a choice")}


def test_answers_that_come_back_in_a_packet_later_replace_what_was_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session whose packet was merged may change after its reveal: a contested comparison has no answer in force."""
    embedded(project)
    session = judged(project, "R1", 1)
    project.judging.reveal(session)
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    before = {one.key: one.n for one in choices(tally)}
    in_force = project.judging.judgments
    monkeypatch.setattr(type(project.judging), "merged_sessions", lambda self: frozenset([session]))
    monkeypatch.setattr(type(project.judging), "judgments", lambda self, key=None: in_force_without_choices(in_force))
    assert tally.take(JobContext(), Changes.to("annotation", ["decision"]))
    assert {one.n for one in choices(tally)} == {0}
    assert before


def in_force_without_choices(read: Any) -> list[Any]:
    return [row for row in read() if row.outcome != "choice"]


def test_a_text_asks_for_no_judgment(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    monkeypatch.setattr(type(project.judging), "sessions", lambda self: pytest.fail("judgments were looked at"))
    tally.take(JobContext(), Changes.to("output", [1]))


def test_how_far_raters_are_is_counted_and_nothing_else(project: Project) -> None:
    session = judged(project, "R1", 1)
    tally = tally_of(project, "creativity")
    (row,) = tally.judging()
    assert (row.rater, row.kind, row.judged, row.planned, row.revealed) == ("R1", "person", 8, 8, False)
    assert row.per_minute is None or row.per_minute > 0
    project.judging.reveal(session)
    assert tally.judging()[0].revealed


def test_a_comparison_that_was_revised_is_counted_once_and_one_that_was_taken_back_not_at_all(project: Project) -> None:
    session = judged(project, "R1", 1)
    first, second, *_ = project.judging.judgments(session)
    for row, outcome in ((first, "tie"), (second, "undone")):
        project.judging.record(
            JudgmentSpec(
                session_id=session, comparison_id=row.comparison_id, outcome=outcome, chosen=None, shown=row.shown,
                texts_sha256=row.texts_sha256, active_seconds=3.0, supersedes=row.id,
            )
        )  # fmt: skip
    judged(project, "judge", 2, kind="model")  # each comparison in two orders
    person, model = tally_of(project, "creativity").judging()
    assert (person.judged, person.planned) == (7, 8)
    assert (model.judged, model.planned) == (8, 8)


def test_the_rate_is_of_comparisons_not_of_revisions_or_of_orders(project: Project) -> None:
    session = judged(project, "R1", 1)
    rows = project.judging.judgments(session)[:4]
    timed = [replace(row, created_at=f"2026-01-01T00:00:{15 * place:02}+00:00") for place, row in enumerate(rows)]
    assert _per_minute(tuple(timed)) == pytest.approx(3 / 0.75), "three after the first, in 45 seconds"
    third = replace(timed[3], comparison_id=timed[2].comparison_id, supersedes=timed[2].id)
    assert _per_minute((*timed[:3], third)) == pytest.approx(2 / 0.75), "the last one revised the one before"
    orders = [replace(row, comparison_id=timed[place // 2].comparison_id) for place, row in enumerate(timed)]
    assert _per_minute(tuple(orders)) == pytest.approx(1 / 0.75), "two comparisons, each in two orders"
    assert _per_minute(tuple(timed[:1])) is None


def test_measured_choices_know_how_long_their_texts_are(project: Project) -> None:
    """In the order of the cards: what the adjustment for length is made from."""
    session = judged(project, "R1", 1)
    project.judging.reveal(session)
    (row,) = [one for one in project.judging.sessions() if one.id == session]
    columns = judgment_columns(project, [row], compared=True)
    comparisons = {one.id: one for one in project.judging.comparisons(row.plan_id)}
    for judgment, words in zip(project.judging.judgments(session), columns["words"], strict=True):
        items = [comparisons[judgment.comparison_id].items[place] for place in judgment.shown]
        texts = project.texts([item.key for item in items])
        assert words == tuple(len(texts[item.key].split()) for item in items)
        assert min(words) > 0
