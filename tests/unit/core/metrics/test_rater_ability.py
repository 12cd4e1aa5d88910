"""Abilities of raters: against girth and crowd-kit, on simulated raters, and what has no estimate."""

import json
from pathlib import Path

import numpy as np
import pytest
from simulations.abilities import known, latent

from biasprint.core.metrics.agreement import (
    FEWEST_KNOWN,
    FEWEST_SHARED,
    NOT_ASKED,
    by_known_answers,
    by_the_others,
    nobody_agrees,
)

RECORDED = json.loads((Path(__file__).parents[3] / "data" / "rater_abilities.json").read_text(encoding="utf-8"))


def answers_of(lines: list[str]) -> np.ndarray:
    return np.array([[int(answer) for answer in line] for line in lines])


def two_cards(answers: np.ndarray) -> np.ndarray:
    return np.full(answers.shape[1], 2)


@pytest.mark.parametrize("recorded", RECORDED["known"])
def test_abilities_by_known_answers_are_those_of_girth(recorded: dict) -> None:
    """Its logit is a (θ_i − b_j), raters being its items j: a rater's ability is −a b. girth searches each by bounded
    steps, so that it stops within 0.02 of the largest likelihood, and within 0.07 of the spread."""
    answers = answers_of(recorded["answers"])
    found = by_known_answers(answers, np.ones(answers.shape[1], dtype=int), two_cards(answers))
    expected = -recorded["discrimination"] * np.array(recorded["difficulty"])
    assert [one.value for one in found.raters] == pytest.approx(expected, abs=0.02)
    assert found.spread == pytest.approx(recorded["discrimination"], abs=0.07)


@pytest.mark.parametrize("recorded", RECORDED["latent"])
def test_agreement_with_the_others_is_that_of_crowd_kits_one_coin_dawid_skene(recorded: dict) -> None:
    answers = answers_of(recorded["answers"])
    found = by_the_others(answers, two_cards(answers), imaginary=0)
    assert [one.right for one in found.raters] == pytest.approx(recorded["right"], abs=1e-4)


def test_the_errors_are_those_of_the_curvature_of_the_likelihood() -> None:
    """Of two raters' known answers the marginal likelihood is summed by hand; its second differences give Wald's."""
    rng = np.random.default_rng(3)
    answers = (rng.random((3, 60)) < np.array([[0.6], [0.75], [0.8]])).astype(int)
    found = by_known_answers(answers, np.ones(60, dtype=int), two_cards(answers))
    nodes = np.linspace(-8, 8, 2001)
    density = np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi) * (nodes[1] - nodes[0])

    def log_likelihood(at: np.ndarray) -> float:
        chance = 1 / (1 + np.exp(-(at[:3, None] + at[3] * nodes)))
        each = np.where(answers[:, :, None] == 1, chance[:, None], 1 - chance[:, None]).prod(axis=0)
        return float(np.log(each @ density).sum())

    best, step = np.array([*[one.value for one in found.raters], found.spread]), 1e-3
    shifts = np.eye(4) * step
    curve = np.array([
        [(log_likelihood(best + a + b) - log_likelihood(best + a - b) - log_likelihood(best - a + b)
          + log_likelihood(best - a - b)) / (4 * step**2) for b in shifts] for a in shifts
    ])  # fmt: skip
    errors = np.sqrt(np.diagonal(np.linalg.inv(-curve)))[:3]
    widths = [(one.interval.high - one.interval.low) / 2 / 1.959964 for one in found.raters]
    assert widths == pytest.approx(errors, rel=0.02)


def test_simulated_abilities_are_found_again_within_their_intervals() -> None:
    for draw, how in ((known, (6, 30, 2)), (latent, (6, 60, 2, 0.0)), (latent, (6, 60, 3, 0.0))):
        rng = np.random.default_rng(4)
        pairs, held = [], []
        for _ in range(20):
            theta, found = draw(*how, rng)
            for true, one in zip(theta, found.raters, strict=True):
                if one.interval is not None:
                    pairs.append((true, one.value))
                    held.append(one.interval.low <= true <= one.interval.high)
        assert np.corrcoef(np.array(pairs).T)[0, 1] > 0.65
        assert np.mean(held) > 0.88


def test_who_guesses_is_at_chance_and_who_chooses_the_opposite_is_below() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 80)
    careful = np.where(rng.random((4, 80)) < 0.85, truth, 1 - truth)
    guessing, against = rng.integers(0, 2, 80), np.where(rng.random(80) < 0.85, 1 - truth, truth)
    found = by_the_others(np.vstack([careful, guessing, against]), np.full(80, 2)).raters
    assert all(one.interval.low > 0 for one in found[:4])
    assert found[4].interval.low < 0 < found[4].interval.high
    assert found[5].interval.high < 0
    assert found[0].right == pytest.approx(0.85, abs=0.1)


def test_what_has_no_estimate_has_a_reason() -> None:
    rng = np.random.default_rng(6)
    right = np.zeros(10, dtype=int)
    answers = np.zeros((5, 10), dtype=int)
    answers[1] = 1
    answers[2, : FEWEST_KNOWN - 1] = [0, 1, 0, 1]
    answers[2, FEWEST_KNOWN - 1 :] = NOT_ASKED
    answers[3:] = rng.integers(0, 2, (2, 10))
    found = by_known_answers(answers, right, np.full(10, 2)).raters
    assert [one.value is None for one in found] == [True, True, True, False, False]
    assert "all 10 known answers are right" in found[0].reason
    assert "none of 10" in found[1].reason
    assert f"fewer than {FEWEST_KNOWN}" in found[2].reason
    two = by_the_others(rng.integers(0, 2, (2, 40)), np.full(40, 2)).raters
    assert "3 raters" in two[0].reason
    few = by_the_others(rng.integers(0, 2, (4, FEWEST_SHARED - 1)), np.full(FEWEST_SHARED - 1, 2)).raters
    assert f"fewer than {FEWEST_SHARED}" in few[0].reason


def test_an_item_that_most_fail_is_harder_than_the_average() -> None:
    rng = np.random.default_rng(7)
    hit = rng.random((12, 20)) < 0.8
    hit[:, 0] = np.arange(12) < 2
    found = by_known_answers(hit.astype(int), np.ones(20, dtype=int), np.full(20, 2))
    hard = found.items[0]
    assert (hard.n, hard.right) == (12, 2)
    assert hard.high < 0


def test_nobody_agrees_where_no_card_has_more_than_half_of_three_choices_or_more() -> None:
    none = NOT_ASKED
    answers = np.array([[0, 0, 0, none, 0], [1, 0, 1, 0, 1], [2, 1, 0, 1, 0], [none, none, 1, none, 0]])
    assert nobody_agrees(answers).tolist() == [0, 2]
