"""Which comparisons fall to a rater, and in which order: seeded by the plan and the code, and nothing else."""

from collections import Counter

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.plan import CHECK, REPEAT_DISTANCE, PlanSettings
from biasprint.core.judging.planner import dealt
from biasprint.core.project.rows import ComparisonItem, ComparisonRow

OWN = PlanSettings(own_order=True)


def row(place: int, axis: str = "gender", task: str = "haiku", repeat_of: str | None = None) -> ComparisonRow:
    items = (ComparisonItem(2 * place, "woman"), ComparisonItem(2 * place + 1, "man"))
    return ComparisonRow(f"c{place}", "plan", place, axis, task, "stars", items, "0" * 64, repeat_of)


def plan(number: int = 60, *, repeats: int = 0, checks: int = 0) -> list[ComparisonRow]:
    rows = [row(at, ("gender", "race")[at % 2], ("haiku", "song", "story")[at // 2 % 3]) for at in range(number)]
    rows += [row(number + at, rows[at].axis, rows[at].task, repeat_of=f"c{at}") for at in range(repeats)]
    return rows + [row(number + repeats + at, CHECK) for at in range(checks)]


def test_without_a_word_of_it_everybody_is_asked_everything_in_the_order_of_the_plan():
    assert assigned(plan(5), PlanSettings(), secret="1", code="R01") == (0, 1, 2, 3, 4)


def test_an_own_order_is_the_same_each_time_and_another_for_another_rater_or_seed():
    rows = plan(40, repeats=4, checks=3)
    first = assigned(rows, OWN, secret="1", code="R01")
    assert first == assigned(rows, OWN, secret="1", code="R01")
    assert sorted(first) == list(range(len(rows)))
    others = {
        assigned(rows, OWN, secret=secret, code=code) for secret, code in (("1", "R02"), ("2", "R01"), ("1", "ann"))
    }
    assert len(others | {first}) == 4


@pytest.mark.parametrize("code", [f"R{number:02d}" for number in range(1, 21)])
def test_in_an_own_order_repeats_come_late_checks_never_first_and_the_axes_in_turn(code: str):
    rows = plan(40, repeats=10, checks=6)
    order = [rows[place] for place in assigned(rows, OWN, secret="9", code=code)]
    at = {one.id: place for place, one in enumerate(order)}
    originals = [one for one in order if one.repeat_of is None and one.axis != CHECK]
    assert order[0].axis != CHECK
    for one in order:
        if one.repeat_of is not None and originals.index(order[at[one.repeat_of]]) < len(originals) - REPEAT_DISTANCE:
            assert at[one.id] - at[one.repeat_of] >= REPEAT_DISTANCE
        if one.repeat_of is not None:
            assert at[one.id] > at[one.repeat_of]
    for half in range(0, len(originals), 2):
        assert {one.axis for one in originals[half : half + 2]} == {"gender", "race"}


def test_a_split_gives_every_comparison_to_one_rater_but_for_the_stated_overlap():
    rows = plan(60, repeats=12, checks=5)
    settings = PlanSettings(split=3, overlap=0.2)
    parts = [assigned(rows, settings, secret="4", code=code) for code in ("R01", "R02", "R03")]
    asked = Counter(place for part in parts for place in part if rows[place].repeat_of is None)
    of_originals = Counter(asked[place] for place in range(60))
    assert of_originals == {3: 12, 1: 48}
    assert [sum(place < 60 for place in part) for part in parts] == [28, 28, 28]
    assert all(asked[place] == 3 for place in range(72, 77)), "a check is asked of everybody"
    for part in parts:
        ids = {rows[place].id for place in part}
        assert all((one.repeat_of in ids) == (one.id in ids) for one in rows if one.repeat_of is not None)
    assert assigned(rows, settings, secret="4", code="R04") == parts[0]


@pytest.mark.parametrize("raters", [1, 2, 3, 4, 7])
def test_the_planner_counts_the_raters_of_a_split_as_they_are_asked(raters: int):
    rows, settings = plan(60), PlanSettings(split=3, overlap=0.2)
    asked = Counter(
        place for at in range(raters) for place in assigned(rows, settings, secret="4", code=f"R{at + 1:02d}")
    )
    found = Counter(asked[place] for place in range(60))
    told: Counter[int] = Counter()
    for share, judged_by in dealt(raters, 3, 0.2):
        told[judged_by] += round(60 * share)
    assert found == +told


def test_every_part_has_each_task_and_axis_about_equally_often():
    rows = plan(120)
    for code in ("R01", "R02", "R03", "R04"):
        part = assigned(rows, PlanSettings(split=4), secret="2", code=code)
        counted = Counter((rows[place].axis, rows[place].task) for place in part)
        assert set(counted.values()) == {5}


@pytest.mark.parametrize("wrong", [{"split": 1}, {"split": -2}, {"split": 2, "overlap": 1.5}, {"overlap": 0.5}])
def test_a_split_that_makes_no_sense_is_refused(wrong: dict[str, float]):
    with pytest.raises(UsageError, match="split among two raters or more"):
        PlanSettings(**wrong)  # type: ignore[arg-type]


def test_a_workshop_is_not_split():
    with pytest.raises(UsageError, match="everybody judges all"):
        PlanSettings(workshop=True, split=2)
