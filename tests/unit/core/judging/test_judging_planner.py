"""The planner: chances, what is needed and what can be detected, against the exact power and by hand; its sentences."""

from dataclasses import FrozenInstanceError, replace
from time import thread_time

import pytest

from biasprint.core.errors import AppError
from biasprint.core.judging.planner import (
    AGREEMENT,
    PREFERENCE,
    JudgingDesign,
    detectable,
    needed,
    plan_power,
    raters_needed,
)
from biasprint.core.metrics.power import exact_power, top_shares


def test_the_chance_of_a_session_is_the_exact_power_and_says_so_plainly() -> None:
    found = plan_power(JudgingDesign(20))
    assert found.power == exact_power(20, PREFERENCE)
    assert found.in_words() == (
        "With 20 comparisons on one axis, a preference of 55/30/15 % is seen in 47 of 100 sessions."
    )
    three = plan_power(JudgingDesign(60, axes=3))
    assert three.power == exact_power(60, PREFERENCE, 3)
    assert three.in_words() == (
        "With 60 comparisons on each of 3 axes, a preference of 55/30/15 % on one of them "
        "is seen in 89 of 100 sessions."
    )


def test_one_number_is_the_largest_share() -> None:
    assert plan_power(JudgingDesign(30), 0.5).power == exact_power(30, (0.5, 0.25, 0.25))
    assert plan_power(JudgingDesign(30, identities=2), 0.7).in_words() == (
        "With 30 comparisons on one axis, a preference of 70/30 % is seen in 59 of 100 sessions."
    )
    assert plan_power(JudgingDesign(30, identities=2), 0.7).power == pytest.approx(0.5888, abs=5e-5)


def test_several_raters_of_one_text_tell_less_than_as_many_texts() -> None:
    """By hand: 3 raters with ρ = .2 of 20 comparisons are worth 60 / 1.4 choices."""
    design = JudgingDesign(20, raters=3)
    assert design.effective == pytest.approx(60 / 1.4)
    assert JudgingDesign(20, raters=3, agreement=1.0).effective == pytest.approx(20)
    assert JudgingDesign(20, raters=3, agreement=0.0).effective == pytest.approx(60)
    assert plan_power(JudgingDesign(20)).power < plan_power(design).power < plan_power(JudgingDesign(60)).power
    assert "each judged by 3 raters" in plan_power(design).in_words()
    assert plan_power(design).in_words().endswith("such studies.")


def test_raters_who_always_agree_are_one_rater() -> None:
    alike = plan_power(JudgingDesign(20, raters=5, agreement=1.0))
    assert alike.power == pytest.approx(plan_power(JudgingDesign(20)).power)


def test_judgments_without_a_choice_cost_comparisons() -> None:
    design = JudgingDesign(50, without_choice=0.2)
    assert design.effective == pytest.approx(40)
    assert plan_power(design).power == pytest.approx(exact_power(40, PREFERENCE))
    assert "20 % of them without a choice" in plan_power(design).in_words()


def test_a_common_preference_looks_like_agreement_to_the_test() -> None:
    """By hand: pairs are the same with .415 + .2 × .585 = .532; (3 × .532 − 1) / 2 = .298; 1.596 / 1.4."""
    assert JudgingDesign(20, raters=3).stretch(PREFERENCE) == pytest.approx(1.596 / 1.4)
    assert JudgingDesign(20, raters=3).stretch((1 / 3,) * 3) == pytest.approx(1)
    assert JudgingDesign(20).stretch(PREFERENCE) == 1


@pytest.mark.parametrize(
    "design",
    [JudgingDesign(0), JudgingDesign(0, axes=3), JudgingDesign(0, identities=2), JudgingDesign(0, identities=4)],
)
def test_the_number_needed_is_the_first_from_which_on_the_chance_holds(design: JudgingDesign) -> None:
    shares = top_shares(0.7 if design.identities == 2 else 0.55, design.identities)
    found = needed(design, shares)
    assert found.comparisons is not None
    powers = {n: exact_power(n, shares, design.axes) or 0 for n in range(1, found.comparisons + 25)}
    assert all(powers[n] >= 0.8 for n in range(found.comparisons, found.comparisons + 25))
    assert powers[found.comparisons - 1] < 0.8


def test_what_is_needed_in_words_and_in_people() -> None:
    found = needed(JudgingDesign(0, axes=3))
    assert found.comparisons == 50
    assert found.in_words() == (
        "To see a preference of 55/30/15 % in 80 of 100 cases, it takes 50 comparisons on each of 3 axes."
    )
    assert found.people(60) == 3  # 150 judgments, 60 each
    assert found.people(0) is None
    three = needed(JudgingDesign(0, raters=3))
    assert three.people(1000) == 3  # nobody judges a comparison twice
    assert three.people(20) == 3 * -(-(three.comparisons or 0) // 20)


def test_a_split_and_recommendations_leave_fewer_choices() -> None:
    whole, split = JudgingDesign(60, raters=3), JudgingDesign(60, raters=3, split=3, overlap=0.2)
    # 12 comparisons with 3 choices each, 48 with 1: 84² / (12 · 3 · 1.4 + 48).
    assert split.effective == pytest.approx(84**2 / (12 * 3 * 1.4 + 48))
    assert (split.answers, whole.answers) == pytest.approx((84, 180))
    assert JudgingDesign(60, raters=3, split=3).effective == pytest.approx(60), "each comparison has one rater"
    assert JudgingDesign(60, raters=4, split=3).effective == pytest.approx(80**2 / (20 * 2 * 1.2 + 40))
    assert JudgingDesign(60, raters=1, split=3).effective == pytest.approx(20), "two parts have nobody"
    assert JudgingDesign(60, raters=3, split=3, overlap=1).effective == pytest.approx(whole.effective)
    assert JudgingDesign(60, recommended=0.5).effective == pytest.approx(30)
    assert (
        plan_power(split)
        .in_words()
        .startswith(
            "With 60 comparisons on one axis, split in 3 parts among 3 raters but for 20 % that all of them judge, a "
        )
    )
    assert "among 1 rater (2 parts judged by nobody)" in plan_power(JudgingDesign(60, raters=1, split=3)).in_words()
    assert "and with a recommendation beside 50 %" in needed(JudgingDesign(0, recommended=0.5)).in_words()
    assert needed(JudgingDesign(0, raters=3, split=3)).comparisons == needed(JudgingDesign(0)).comparisons
    found = raters_needed(split)
    assert found.raters is not None
    assert plan_power(replace(split, raters=found.raters)).power >= 0.8


def test_more_raters_of_few_comparisons_help_or_are_said_not_to() -> None:
    found = raters_needed(JudgingDesign(20))
    assert found.raters is not None
    assert plan_power(replace(JudgingDesign(20), raters=found.raters)).power >= 0.8
    assert plan_power(replace(JudgingDesign(20), raters=found.raters - 1)).power < 0.8
    never = raters_needed(JudgingDesign(10, agreement=0.6))
    assert never.raters is None
    assert never.people(10) is None
    assert "agree too much" in never.in_words()


def test_equal_shares_cannot_be_planned_for() -> None:
    assert needed(JudgingDesign(0), 1 / 3).in_words() == (
        "A preference of 33.3/33.3/33.3 % cannot be planned for: equal shares are no preference."
    )


def test_the_detectable_share_is_where_the_chance_passes_eight_in_ten() -> None:
    found = detectable(JudgingDesign(60, axes=3))
    assert found.top is not None
    assert (exact_power(60, top_shares(found.top, 3), 3) or 0) >= 0.8
    assert (exact_power(60, top_shares(found.top - 0.001, 3), 3) or 1) < 0.8
    assert found.in_words() == (
        "With 60 comparisons on each of 3 axes, one identity has to be chosen 56 % of the time to be seen in 80 of 100 "
        "cases; chance is 33.3 %."
    )
    nothing = detectable(JudgingDesign(2))
    assert nothing.top is None
    assert nothing.shares is None
    assert "not even one text chosen every time" in nothing.in_words()


def test_neither_never_nor_always_is_promised() -> None:
    assert "more than 99 of 100" in plan_power(JudgingDesign(200)).in_words()
    assert 0 < plan_power(JudgingDesign(9, axes=3, identities=2), 0.5).power < 0.005
    assert "in fewer than 1 of 100" in plan_power(JudgingDesign(9, axes=3, identities=2), 0.5).in_words()


@pytest.mark.parametrize(
    "wrong",
    [
        {"identities": 1},
        {"comparisons": -1},
        {"axes": 0},
        {"raters": 0},
        {"agreement": 1.5},
        {"without_choice": 1.0},
    ],
)
def test_a_design_that_cannot_be_is_refused_with_a_hint(wrong: dict[str, float]) -> None:
    with pytest.raises(AppError) as refused:
        JudgingDesign(**({"comparisons": 20} | wrong))  # type: ignore[arg-type]
    assert refused.value.hint


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.5, 0.4, 0.3), (1.2, -0.1, -0.1), 1.5])
def test_shares_that_do_not_fit_the_axis_are_refused_with_a_hint(shares: object) -> None:
    with pytest.raises(AppError) as refused:
        plan_power(JudgingDesign(20), shares)  # type: ignore[arg-type]
    assert "3 shares" in str(refused.value.hint)


def test_results_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        plan_power(JudgingDesign(20)).power = 1.0  # type: ignore[misc]


def test_planning_is_quick_enough_to_follow_a_slider() -> None:
    start = thread_time()  # not by the clock: other programs share this machine
    plan_power(JudgingDesign(60, agreement=AGREEMENT), (0.54, 0.31, 0.15))
    assert thread_time() - start < 0.05
