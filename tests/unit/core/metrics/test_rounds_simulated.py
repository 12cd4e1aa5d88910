"""The simulation of plans in rounds does what the program does, and what it publishes holds again in fewer studies."""

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from simulations.rounds import BALANCED, RANDOM, ROUNDS, drawn, look, simulated, simulated_shares

from biasprint.core.judging.blocks import Standing, balanced_blocks
from biasprint.core.metrics.ranking import NOBODY, Ballots, ranking

K = 5
PAIRS = list(combinations(range(K), 2))


def some_wins(seed: int, n: int) -> tuple[np.ndarray, Ballots]:
    """A study of so many comparisons in which the first is the strongest, as wins and as ballots."""
    rng = np.random.default_rng(seed)
    pairs = np.array([PAIRS[at] for at in rng.integers(0, len(PAIRS), n)])
    apart = 0.5 * (pairs[:, 1] - pairs[:, 0])
    best = np.where(rng.random(n) < 1 / (1 + np.exp(-apart)), pairs[:, 0], pairs[:, 1])
    won = np.zeros((1, K, K), dtype=np.int64)
    np.add.at(won, (0, best, pairs.sum(axis=1) - best), 1)
    nobody = np.full(n, NOBODY)
    shown = np.column_stack([pairs, nobody])
    return won, Ballots(shown, best, nobody, np.ones(n), np.zeros(n, dtype=np.int64), np.arange(n))


@pytest.mark.parametrize("n", [30, 120, 600])
def test_a_simulated_look_is_the_ranking_of_the_program(n: int) -> None:
    won, ballots = some_wins(n, n)
    seen, found = look(won), ranking(ballots, K, by_rater=False, watched=True)
    for at, pair in enumerate(found.pairs):
        assert pair.interval is not None
        ends = [1 / (1 + np.exp(-float(end[0, at]))) for end in (seen.low, seen.high)]
        assert (pair.interval.low, pair.interval.high) == pytest.approx(ends, abs=1e-4)
        assert pair.adjusted == pytest.approx(seen.adjusted[0, at], rel=1e-3)


def test_a_simulated_round_is_the_one_that_the_program_draws() -> None:
    won, ballots = some_wins(3, 150)
    now = look(won)
    met = won + won.transpose(0, 2, 1)
    picked = drawn(ROUNDS, now, met, 12, np.random.default_rng(0))[0]
    still = [pair for pair, adjusted in zip(PAIRS, now.adjusted[0], strict=True) if adjusted > 0.05]
    names = [str(identity) for identity in range(K)]
    before = [(at, (str(a), str(b))) for at, (a, b) in enumerate(ballots.shown[:, :2])]
    standing = Standing(now.strengths[0].tolist(), 1.0, still)
    blocks = balanced_blocks([names] * 400, names, 2, 12, random.Random(1), before, standing)
    assert [tuple(map(int, block)) for _, block in blocks] == [PAIRS[at] for at in picked]


def test_rounds_find_the_first_place_sooner_and_are_as_safe() -> None:
    runs = {plan: simulated(4, False, plan, 60) for plan in (RANDOM, BALANCED, ROUNDS)}
    assert np.median(runs[ROUNDS].first) < 0.85 * np.median(runs[RANDOM].first)
    assert np.median(runs[ROUNDS].order) < 0.85 * np.median(runs[RANDOM].order)
    for run in runs.values():
        assert run.held.mean() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)
        assert run.wrong.mean() <= 0.05


def test_shares_of_two_hold_at_every_look_though_tasks_get_what_they_need() -> None:
    run = simulated_shares((0.5, 0.65, 0.9), 40)
    for held in (run.of_drawn, run.each_task):
        assert held.mean() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 40)


def test_the_published_table_has_every_plan_and_says_how_it_was_made() -> None:
    page = (Path(__file__).parents[4] / "docs" / "tables" / "rounds.md").read_text(encoding="utf-8")
    assert "python tests/simulations/rounds.py" in page
    for plan in (RANDOM, BALANCED, ROUNDS):
        assert page.count(f"| {plan} |") == 12
