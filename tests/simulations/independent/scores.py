"""Simulated scores of texts of two groups and more, given to the differences of the program."""

from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from simulations.independent.tally import Answer, Setting, answer

from biasprint.core.metrics.grouped import group_difference, spread_of_groups
from biasprint.core.metrics.means import equivalence, paired_difference

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
FLOOR = 20  # resamples of the floor, of which no interval and no p is made
SHUFFLES = 400


def normal(sd: float, mean: float = 0.0) -> Draw:
    return lambda rng, n: rng.normal(mean, sd, n)


def heavy(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return rng.standard_t(3, n)


def log_normal(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    return rng.lognormal(0.0, 1.0, n)


def grades(*chances: float) -> Draw:
    return lambda rng, n: rng.choice(np.arange(1.0, 6.0), size=n, p=chances)


def independent(first: Draw, n: int, second: Draw, m: int, truth: float = 0.0) -> Callable[..., Answer]:
    """Two groups of texts that have nothing to do with each other."""

    def study(rng: np.random.Generator) -> Answer:
        values = np.concatenate([first(rng, n), second(rng, m)])
        of_first = np.arange(n + m) < n
        difference = group_difference(values, of_first, [""] * (n + m), rng, resamples=FLOOR).difference
        return answer(difference.p, difference.interval.bounds, truth)

    return study


def prompts_of_one_group(rng: np.random.Generator) -> Answer:
    """Twelve prompts of the first group and 18 of the second, with one to eight texts each, which are alike."""
    texts = rng.integers(1, 9, 30)
    prompt = np.repeat(np.arange(30), texts)
    spread = np.where(np.arange(30) < 12, 2.0, 1.0)
    values = rng.normal(0.0, spread)[prompt] + rng.normal(0.0, 1.0, prompt.size)
    blocks = [f"prompt {number}" for number in prompt]
    difference = group_difference(values, prompt < 12, blocks, rng, resamples=FLOOR).difference
    return answer(difference.p, difference.interval.bounds, 0.0)


def prompts_of_both_groups(rng: np.random.Generator) -> Answer:
    """Ten prompts, each with two texts of the first group that vary much and three of the second that do not."""
    prompt = np.repeat(np.arange(10), 5)
    of_first = np.tile([True, True, False, False, False], 10)
    leaning = rng.normal(0.0, 0.5, 10)[prompt] * of_first
    values = rng.normal(0.0, 3.0, 10)[prompt] + leaning + rng.normal(0.0, np.where(of_first, 2.0, 0.5))
    difference = group_difference(values, of_first, [str(number) for number in prompt], rng, resamples=FLOOR).difference
    return answer(difference.p, difference.interval.bounds, 0.0)


def steps_of_pairs(pairs: int) -> Callable[..., Answer]:
    """Grades that differ by a whole number of steps within a pair, or not at all."""

    def study(rng: np.random.Generator) -> Answer:
        first = rng.integers(1, 6, pairs).astype(float)
        second = first + rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], size=pairs, p=[0.1, 0.25, 0.3, 0.25, 0.1])
        difference = paired_difference(first, second)
        return answer(difference.p, difference.interval.bounds, 0.0)

    return study


def alike_groups(prompts: int, spreads: tuple[float, ...]) -> Callable[..., Answer]:
    """Groups with the same mean over so many prompts: does the spread of their means exceed its floor?"""

    def study(rng: np.random.Generator) -> Answer:
        values = rng.normal(0.0, 2.0, (prompts, 1)) + rng.normal(0.0, spreads, (prompts, len(spreads)))
        spread = spread_of_groups(values, rng, resamples=SHUFFLES)
        assert spread.floor
        return answer(spread.floor.p, spread.interval.bounds, 0.0)

    return study


def groups_that_differ(spreads: tuple[float, float, float]) -> Callable[..., Answer]:
    """Three groups with means −½, 0 and ½, so that their spread is ½, over 15 prompts."""

    def study(rng: np.random.Generator) -> Answer:
        values = rng.normal(0.0, 2.0, (15, 1)) + rng.normal([-0.5, 0.0, 0.5], spreads, (15, 3))
        bounds = spread_of_groups(values, rng, resamples=SHUFFLES).interval.bounds
        assert bounds
        return Answer(None, bounds.low <= 0.5 <= bounds.high)

    return study


def at_the_margin(sizes: tuple[int, ...], spreads: tuple[float, ...], margin: float) -> Callable[..., Answer]:
    """A true difference as large as the margin: is it called alike, and does the shown interval agree?

    One size: pairs. Two: groups. An alarm is “alike”; a contradiction is “alike” beside an interval that leaves the
    margin.
    """

    def study(rng: np.random.Generator) -> Answer:
        if len(sizes) == 1:
            second = rng.normal(0.0, 1.0, sizes[0])
            first = second + rng.normal(margin, spreads[0], sizes[0])
            difference, verdict = paired_difference(first, second), equivalence(first - second, margin)
        else:
            first, second = rng.normal(margin, spreads[0], sizes[0]), rng.normal(0.0, spreads[1], sizes[1])
            values, of_first = np.concatenate([first, second]), np.arange(sum(sizes)) < sizes[0]
            found = group_difference(values, of_first, [""] * sum(sizes), rng, margin=margin, resamples=FLOOR)
            assert found.equivalence
            difference, verdict = found.difference, found.equivalence
        bounds = difference.interval.bounds
        assert bounds
        leaves = not (-margin < bounds.low and bounds.high < margin)
        return Answer(verdict.equivalent, bounds.low <= margin <= bounds.high, verdict.equivalent and leaves)

    return study


NARROW, WIDE = normal(1.0), normal(3.0)
THE_ISSUE = (
    Setting("difference, 8 and 24 texts, SD 3 and 1", independent(WIDE, 8, NARROW, 24)),
    Setting("difference, 8 and 40 texts, SD 3 and 1", independent(WIDE, 8, NARROW, 40)),
    Setting("difference, 24 and 8 texts, SD 3 and 1", independent(WIDE, 24, NARROW, 8)),
    Setting("difference of 1, 8 and 24 texts, SD 3 and 1", independent(normal(3.0, 1.0), 8, NARROW, 24, 1.0)),
    Setting("“alike” at the margin, 6 pairs", at_the_margin((6,), (0.2,), 0.5), discrete=True),
    Setting("“alike” at the margin, 15 and 15 texts", at_the_margin((15, 15), (0.3, 0.9), 1.0), discrete=True),
)
FURTHER = (
    Setting("log-normal scores, 30 and 30 texts", independent(log_normal, 30, log_normal, 30)),
    Setting("log-normal scores, 12 and 48 texts", independent(log_normal, 12, log_normal, 48)),
    Setting(
        "grades 1 to 5 of unlike shape, 12 and 18 texts",
        independent(grades(0.1, 0.2, 0.4, 0.2, 0.1), 12, grades(0.3, 0.1, 0.2, 0.1, 0.3), 18),
    ),
    Setting("1 to 8 texts of a prompt, 12 and 18 prompts", prompts_of_one_group),
    Setting("10 prompts with 2 and 3 texts, SD 2 and ½", prompts_of_both_groups),
    Setting("difference, 5 and 100 texts, SD 2 and 1", independent(normal(2.0), 5, NARROW, 100)),
    Setting("heavy tails (t with 3 df), 15 and 25 texts", independent(heavy, 15, heavy, 25)),
    Setting("whole steps, 6 pairs", steps_of_pairs(6)),
    Setting("whole steps, 25 pairs", steps_of_pairs(25)),
    Setting("spread of three groups, 15 prompts", alike_groups(15, (1, 1, 1)), 1000),
    Setting("spread of three groups, SD 3, 1, 1", alike_groups(15, (3, 1, 1)), 1000),
    Setting("spread of five groups, 10 prompts, SD 4 and four of 1", alike_groups(10, (4, 1, 1, 1, 1)), 1000),
    Setting("spread of three groups that differ", groups_that_differ((1, 1, 1)), 1000, discrete=True),
    Setting("spread of three groups that differ, SD 2, 1, 1", groups_that_differ((2, 1, 1)), 1000, discrete=True),
)
SETTINGS = tuple(chain(THE_ISSUE, FURTHER))
