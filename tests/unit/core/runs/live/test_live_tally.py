"""What holds for every study that is followed: new rows alone are read, whatever was cut short, failed or is huge."""

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_scene import Quick, store, tally_of, written

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobCancelled, JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Pending
from biasprint.core.project.specs import OutputSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.runs.generate import start_run
from biasprint.core.runs.live import LiveTally, Rates
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.runs.setup import generator_spec, store_set, study_of

CREATIVE = {"tasks": ["blog", "haiku"], "themes": ["rain", "stars"], "axes": ["gender"]}
ITEM = {"positive": "kind", "negative": "rude", "neutral": "tall", "domain": "beauty", "direction": "SAI"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def reply(run: int, pending: Pending, text: str = "kind", failure: str = "") -> OutputSpec:
    return OutputSpec(
        run_id=run, prompt_id=pending.prompt.id, sample=pending.sample, seed=1, status="error" if failure else "done",
        text="" if failure else text, finish_reason="stop", error=failure, usage={}, seconds=0.1, failure=failure,
        detail={},
    )  # fmt: skip


def items(number: int) -> PromptSetDraft:
    prompts = [
        PromptDraft(
            f"c/{place}", "Fill in.", "completion",
            fields={**ITEM, "pronoun": "masculine", "given": ("positive", "negative")[place % 2],
                    "term": f"term {place % 7}", "context": f"They are BLANK {place}."},
        )
        for place in range(number)
    ]  # fmt: skip
    return PromptSetDraft("Items", {"suite": "test"}, tuple(prompts))


def run_of_items(project: Project, number: int) -> int:
    added = store_set(project, "completion", items(number))
    return start_run(project, prompt_set_id=added.set_id, generator=generator_spec("synthetic", "none", {}), seed=1)


# ---- The cost of what is new


def lines_of(work: Callable[[], object]) -> int:
    """How many lines of Python this took: the same on every computer, and loops count each time round."""
    count = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.soak
def test_ten_more_replies_cost_the_same_after_40_and_after_800(project: Project) -> None:
    run = run_of_items(project, 820)
    waiting = list(project.runs.pending(run, limit=1_000))
    tally = tally_of(project, "completion")
    cost = {}
    for had, until in ((40, 50), (800, 810)):
        stored = 820 - len(waiting)
        project.outputs.record_many([reply(run, one) for one in waiting[: had - stored]])
        tally.catch_up(JobContext())
        changes = project.outputs.record_many([reply(run, one) for one in waiting[had - stored : until - stored]])
        cost[had] = lines_of(lambda given=changes: tally.take(JobContext(), given))
        del waiting[: until - stored]
    assert tally.rates().texts == 810
    assert cost[800] < 1.1 * cost[40]


@pytest.mark.parametrize(
    ("kind", "chosen"), [("letters", {"names": ["Kelly=female", "Joseph=male"]}), ("creativity", CREATIVE)]
)
@pytest.mark.soak
def test_a_score_costs_the_same_for_the_first_texts_and_for_the_last(
    project: Project, kind: str, chosen: dict[str, Any]
) -> None:
    for seed in range(1, 6):
        written(project, kind, seed=seed, **chosen)
    study = study_of(project, kind)
    keys = [("output", row.id) for row in project.outputs.each(OutputFilter(study_id=study.id, status="done"))]
    rng = np.random.default_rng(1)
    info = scorers_needed(kind)[0]
    values = {key: rng.integers(1, 9, 16).astype(float) + (np.arange(16) == 0) * 200 for key in keys}
    tally = tally_of(project, kind)
    tally.catch_up(JobContext())
    costs = []
    for start in range(0, len(keys), 20):  # a block or prompt twice in each
        store(project, info, {key: values[key] for key in keys[start : start + 20]})
        costs.append(lines_of(lambda: tally.catch_up(JobContext())))
    if kind == "creativity":
        costs = costs[:-1]
    late, early = np.median(costs[-3:]), np.median(costs[1:4])
    assert late < 1.5 * early, costs


# ---- What was cut short, or changed behind


def test_cut_short_before_the_figures_were_made_it_goes_on_the_next_time(project: Project) -> None:
    run = run_of_items(project, 4)
    waiting = list(project.runs.pending(run, limit=10))
    tally = tally_of(project, "completion")
    project.outputs.record_many([reply(run, one) for one in waiting])
    followed: Any = tally._tally
    settle, followed.settle = followed.settle, _raising(JobCancelled())
    with pytest.raises(JobCancelled):
        tally.catch_up(JobContext())
    assert tally.values() == ()
    followed.settle = settle
    tally.catch_up(JobContext())
    assert {one.n for one in tally.values()} > {4}


def _raising(error: Exception) -> Callable[..., None]:
    def settle(ctx: JobContext) -> None:
        raise error

    return settle


def test_failures_that_are_asked_for_again_are_read_although_their_ids_come_twice(project: Project) -> None:
    """SQLite gives the id of a row that was removed last to the next one."""
    run = run_of_items(project, 6)
    waiting = list(project.runs.pending(run, limit=10))
    project.outputs.record_many([reply(run, one) for one in waiting[:4]])
    project.outputs.record_many([reply(run, one, failure="refused") for one in waiting[4:]])
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    assert (tally.rates().texts, dict(tally.rates().failed)) == (4, {"refused": 2})
    last = max(row.id for row in project.outputs.each())
    project.outputs.forget_failures(run)
    changes = project.outputs.record_many([reply(run, one) for one in waiting[4:]])
    assert last in changes.of("output")
    tally.take(JobContext(), changes)
    assert (tally.rates().texts, dict(tally.rates().failed)) == (6, {})


def test_a_refusal_without_words_is_one_and_a_cut_text_has_no_length(project: Project) -> None:
    run = run_of_items(project, 3)
    one, two, three = project.runs.pending(run, limit=3)
    cut = reply(run, one).model_copy(update={"finish_reason": "length", "text": "one two three"})
    declined = reply(run, two).model_copy(update={"text": "I can't help with that."})
    project.outputs.record_many([cut, declined, reply(run, three, failure="refusal")])
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    rates = tally.rates()
    assert (rates.texts, rates.refusals, rates.cut, dict(rates.failed)) == (2, 2, 1, {})
    assert sum(count for _, _, count in rates.lengths) == 1


def test_a_failure_is_no_text_of_the_pace(project: Project) -> None:
    run = run_of_items(project, 3)
    rates = Rates()
    waiting = list(project.runs.pending(run, limit=3))
    project.outputs.record_many(
        [reply(run, one, failure="refused" if place else "") for place, one in enumerate(waiting)]
    )
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    rows = sorted(project.outputs.each(), key=lambda row: row.status)
    for second, row in enumerate(rows):
        rates.add(replace(row, created_at=(begun + timedelta(seconds=2 * second)).isoformat()))
    told = rates.now(begun + timedelta(seconds=4))
    assert (told.texts, told.texts_per_second, told.seconds) == (1, 0.1, 4.0)
    assert told.texts_per_second_in_all == 0.0  # the first text begins the time, and none came in it


def test_who_asks_what_there_is_does_not_wait_for_a_reading(project: Project) -> None:
    run = run_of_items(project, 4)
    project.outputs.record_many([reply(run, one) for one in project.runs.pending(run, limit=10)])
    tally = tally_of(project, "completion")
    inside, told = threading.Event(), threading.Event()

    def settle(ctx: JobContext) -> None:
        inside.set()
        assert told.wait(60), "values() waited for the reading"

    tally._tally.settle = settle  # type: ignore[method-assign]
    reader = threading.Thread(target=lambda: tally.catch_up(JobContext()))
    reader.start()
    assert inside.wait(60)
    assert tally.values() == ()
    assert tally.rates().texts == 4
    assert tally.traces() == {}
    told.set()
    reader.join(60)
    assert tally.values()


def test_a_project_that_was_closed_gives_a_sentence_and_what_was_known(project: Project) -> None:
    run = run_of_items(project, 4)
    project.outputs.record_many([reply(run, one) for one in project.runs.pending(run, limit=10)])
    tally = tally_of(project, "completion")
    tally.catch_up(JobContext())
    known = tally.values()
    project.close()
    with pytest.raises(AppError):
        tally.catch_up(JobContext())
    assert tally.values() == known


def test_another_commit_is_none_of_its_business(project: Project) -> None:
    run_of_items(project, 4)
    tally = tally_of(project, "completion")
    project.close()
    assert not tally.take(JobContext(), Changes.to("finding", [1]))


# ---- Many


def test_ten_thousand_identities_have_a_sentence_where_curves_would_be(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [f"identity {place}" for place in range(10_000)]
    monkeypatch.setattr("biasprint.core.studies.creativity.live.defined_axes", lambda project: {"origin": many})
    from biasprint.core.studies.creativity.live import CreativityTally, _Unscored

    tally = CreativityTally(project, 1, Quick())  # type: ignore[arg-type]
    (info,) = tally.scorers
    rng = np.random.default_rng(1)
    for place, identity in enumerate(["default", *many]):
        tally._unscored[place] = _Unscored(1, 0, "m", "blog", "rain", identity, "")
        tally._heat[1] = "0.7"
        tally.scored(info, ("output", place), rng.random(8).astype(np.float32), None)
    (value,) = tally.values()
    assert (value.estimate, value.reason) == (None, "there are more than 24 identities: they are compared at the end")


def test_letters_of_ten_thousand_groups_have_a_sentence_and_take_little_memory() -> None:
    from biasprint.core.studies.kit.live import Drawer
    from biasprint.core.studies.letters.live import _Letter, _Part

    part = _Part(9, Drawer())
    for place in range(10_000):
        letter = _Letter(f"group {place}", "one block", ("", "letter"), True, (False, place))
        part.count(letter, np.ones(9), 100.0)
    assert len(part.groups()) == 10_000
    assert len(part.counts._counts) <= 25 * 26


def test_every_figure_has_its_course(project: Project) -> None:
    run = run_of_items(project, 30)
    tally: LiveTally = tally_of(project, "completion")
    for one in project.runs.pending(run, limit=100):
        tally.take(JobContext(), project.outputs.record_many([reply(run, one)]))
    (course,) = [trace for key, trace in tally.traces().items() if key.label == "PL"]
    assert course.n.tolist() == list(range(1, 31))


def test_the_curve_of_the_first_model_goes_on_when_a_second_one_writes(project: Project) -> None:
    runs = [run_of_items(project, 40)]
    runs += [
        start_run(
            project, prompt_set_id=project.prompts.sets()[0].id,
            generator=generator_spec("synthetic", "large", {}), seed=1,
        )
    ]  # fmt: skip
    tally = tally_of(project, "completion")
    points = {}
    for run in runs:
        project.outputs.record_many([reply(run, item) for item in project.runs.pending(run, limit=40)])
        tally.catch_up(JobContext())
        found = {key: curve for key, curve in tally.traces().items() if key.label == "irrelevant"}
        points[run] = {dict(key.dims).get("generator"): curve.n.tolist() for key, curve in found.items()}
    assert points == {runs[0]: {None: [40]}, runs[1]: {"none": [40], "large": [40]}}
