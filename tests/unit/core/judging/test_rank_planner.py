"""How many comparisons tell two places apart: against the information of the model, and in words."""

from itertools import combinations
from math import ceil

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.judging.planner import BEST, BEST_AND_WORST, PAIRS, RankDesign


def variance(identities: int, cards: int, worst: bool) -> float:
    """Of a difference of log π, per comparison: the inverse of the information of every block once, at equality."""
    information = np.zeros((identities, identities))
    blocks = list(combinations(range(identities), cards))
    for block in blocks:
        stages = [(block, 1.0)]
        if worst:
            stages += [(tuple(one for one in block if one != best), 1 / 3) for best in block]
        for shown, chance in stages:
            part = np.eye(identities)[list(shown)]
            mean = part.mean(axis=0)
            information += chance * (part.T @ part / len(shown) - np.outer(mean, mean))
    covariance = np.linalg.pinv(information / len(blocks))
    return float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])


@pytest.mark.parametrize("identities", [4, 5, 8])
@pytest.mark.parametrize(
    ("cards", "worst", "constant"), [(2, False, PAIRS), (3, False, BEST), (3, True, BEST_AND_WORST)]
)
def test_the_constants_are_the_models_information(identities: int, cards: int, worst: bool, constant: float) -> None:
    assert variance(identities, cards, worst) == pytest.approx(constant * (identities - 1))


def test_the_number_needed_has_the_power_and_one_fewer_has_not() -> None:
    design = RankDesign(0, 6)
    needed = design.needed(0.6)
    assert needed is not None
    assert RankDesign(needed, 6).power(0.6) >= 0.8 > RankDesign(needed - 1, 6).power(0.6)
    # By hand: 4 · 5 (z of .05 over 15 pairs, two-sided, and of .8)² / logit(.6)².
    assert needed == ceil(4 * 5 * (2.93519947 + 0.84162123) ** 2 / np.log(1.5) ** 2)
    assert RankDesign(needed, 6).detectable == pytest.approx(0.6, abs=1e-3)
    assert RankDesign(0, 6, 3, worst=True).needed(0.6) < RankDesign(0, 6, 3).needed(0.6) < needed  # type: ignore[operator]


def test_raters_who_agree_replace_comparisons_only_so_far() -> None:
    enough = RankDesign(600, 6).raters_needed(0.6)
    assert enough is not None
    assert RankDesign(600, 6, raters=enough).power(0.6) >= 0.8
    assert RankDesign(600, 6, raters=enough - 1).power(0.6) < 0.8
    assert RankDesign(50, 6).raters_needed(0.6) is None


def test_what_cannot_be_told_apart_says_so() -> None:
    assert RankDesign(100, 6).needed(0.5) is None
    assert "cannot be told apart" in RankDesign(100, 6).needs(0.5)
    assert RankDesign(0, 6).detectable is None
    assert RankDesign(0, 6).power(0.9) == 0
    with pytest.raises(AppError, match="more identities than a comparison shows"):
        RankDesign(10, 3, 3)


def test_the_sentences() -> None:
    design = RankDesign(120, 8, raters=3)
    assert design.sees(0.6).startswith("With 120 comparisons of 8 in pairs, each judged by 3 raters, two of which")
    assert "60 % of the cases, it takes" not in design.needs(0.6)
    assert "in 80 of 100 studies, it takes" in design.needs(0.6)
    assert "best and worst" in RankDesign(9, 8, 3, worst=True).detects()
