"""Rankings: coverage of strengths where raters and texts differ, and how often equals are told apart."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
from simulations.rows import Found, Row

from biasprint.core.judging.blocks import balanced_blocks
from biasprint.core.judging.planner import RankDesign
from biasprint.core.metrics.preference import LENGTH, card_style
from biasprint.core.metrics.ranking import NOBODY, Ballots, ranking

TRIALS, STYLE_TRIALS = 300, 200
NAMES = "abcde"
K = len(NAMES)
PLANTED = np.linspace(0.6, -0.6, K)
TEXTS = 0.5  # standard deviation of the quality of texts, on the logit
COMPARISONS, CELLS = 40, 10
RATERS, DIFFER = (6, 12), (0.0, 0.5, 1.0)
RESAMPLES = 200
# Style: the weakest writes twice as long, the odds of a text double with each doubling of its length, and so do those
# of the second card.
LONGER, LIKED, ON_SECOND = np.array([0.0, 0.0, 0.0, 0.0, np.log(2)]), 1.0, np.log(2)


def studied(
    cards: int,
    worst: bool,
    strengths: np.ndarray,
    differ: float,
    raters: int,
    rng: np.random.Generator,
    cells: int = CELLS,
    comparisons: int = COMPARISONS,
    texts: float = TEXTS,
) -> Ballots:
    """Everybody judges the same comparisons. Three cards can be a tie, δ being 0.3 of each other's."""
    drawn = balanced_blocks([NAMES] * cells, NAMES, cards, comparisons, random.Random(int(rng.integers(1 << 30))))
    quality = strengths + rng.normal(0, texts, (cells, K))
    taste = rng.normal(0, differ, (raters, K))
    shown, best, last, rater, block = [], [], [], [], []
    for cell, names in drawn:
        some = np.array([NAMES.index(name) for name in names])
        for person in range(raters):
            utility = quality[cell, some] + taste[person, some]
            tie = np.log(0.3) + utility.mean()
            heard = np.append(utility, tie) + rng.gumbel(size=cards + 1)
            pick = int(heard.argmax())
            order = some[np.argsort(-heard[:cards])]
            shown.append([*some, *[NOBODY] * (3 - cards)])
            best.append(NOBODY if pick == cards else order[0])
            last.append(order[-1] if worst and pick < cards else NOBODY)
            rater.append(person)
            block.append(cell)
    columns = [np.array(each, dtype=np.int64) for each in (shown, best, last)]
    return Ballots(*columns, np.ones(len(best)), np.array(rater), np.array(block))


@cache
def truth(cards: int, worst: bool, differ: float) -> tuple[float, ...]:
    """The strengths that so many raters and texts have that chance does not matter."""
    rng = np.random.default_rng([cards, worst, int(10 * differ)])
    given = studied(cards, worst, PLANTED, differ, 100, rng, cells=400, comparisons=1_200)
    found = ranking(given, K, by_rater=True, resamples=2)
    assert found.identities is not None
    return tuple(one.strength for one in found.identities)


def styled(raters: int, differ: float, rng: np.random.Generator, strengths: np.ndarray = PLANTED) -> Ballots:
    """Pairs whose texts differ in length, judged by people who like longer ones, and the second card."""
    given = studied(2, False, strengths, differ, raters, rng)
    drawn = given.shown[::raters, :2]  # everybody judges the same comparisons
    log_words = np.repeat(rng.normal(5, 0.3, drawn.shape) + LONGER[drawn], raters, axis=0)
    swapped = rng.random(len(log_words)) < 0.5
    shown = np.where(swapped[:, None], given.shown[:, [1, 0]], given.shown[:, :2])
    log_words = np.where(swapped[:, None], log_words[:, ::-1], log_words)
    tie = np.log(0.3)
    # The answers are drawn again: those of `studied` know nothing of the style.
    quality, taste = rng.normal(0, TEXTS, (CELLS, K)), rng.normal(0, differ, (raters, K))
    utility = strengths[shown] + quality[given.block[:, None], shown] + taste[given.rater[:, None], shown]
    utility = utility + LIKED * log_words + ON_SECOND * np.array([0.0, 1.0])
    heard = np.column_stack([utility, tie + utility.mean(axis=1)]) + rng.gumbel(size=(len(shown), 3))
    pick = heard.argmax(axis=1)
    best = np.where(pick == 2, NOBODY, shown[np.arange(len(shown)), np.minimum(pick, 1)])
    cards = np.column_stack([shown, np.full(len(shown), NOBODY)])
    words = np.column_stack([np.exp(log_words), np.zeros(len(shown))])
    return replace(given, shown=cards, best=best, style=card_style({LENGTH: words}, cards != NOBODY))


def style_rows(trials: int = TRIALS) -> list[Row]:
    """Coverage of the strengths at equal style: the truth is that of the same people where all texts are alike in it.

    False alarms: a pair of equals told apart, of whom one writes twice as long.
    """
    found = []
    for raters in RATERS:
        for differ in (0.0, 0.5):
            rng = np.random.default_rng([7, raters, int(10 * differ)])
            held, alarms = [], []
            for trial in range(min(trials, STYLE_TRIALS)):
                at = ranking(styled(raters, differ, rng), K, by_rater=True, seed=trial, resamples=RESAMPLES)
                assert at.identities is not None
                held += [
                    one.interval is not None and one.interval.low <= true <= one.interval.high
                    for one, true in zip(at.identities, truth(2, False, differ), strict=True)
                ]
                none = ranking(styled(raters, differ, rng, np.zeros(K)), K, by_rater=True, seed=trial,
                               resamples=RESAMPLES)  # fmt: skip
                alarms.append(any(pair.adjusted is not None and pair.adjusted <= 0.05 for pair in none.pairs))
            design = (
                f"{K} identities in pairs, one writes twice as long, raters differ by σ {differ:g}, {raters} raters"
            )
            found.append(
                Row(design, COMPARISONS, "strength at equal length and place", float(np.mean(held)),
                    float(np.mean(alarms)))
            )  # fmt: skip
    return found


def order_counts(trials: int = TRIALS) -> tuple[int, int, int]:
    """In how many studies the weakest, who writes twice as long, stands last: raw, at equal style; of so many."""
    raw = equal = 0
    for trial in range(min(trials, TRIALS)):
        given = styled(6, 0.0, np.random.default_rng([8, trial]))
        for one in (replace(given, style=None), given):
            found = ranking(one, K, by_rater=True, resamples=2).identities
            assert found is not None
            last = found[K - 1].place == K
            raw, equal = (raw + last, equal) if one.style is None else (raw, equal + last)
    return raw, equal, min(trials, TRIALS)


def rows(trials: int = TRIALS) -> list[Row]:
    """Coverage of the five strengths where there is a ranking; false alarms: a pair told apart where there is none."""
    found = style_rows(trials)
    for cards, worst, named in ((2, False, "pairs"), (3, False, "best of three"), (3, True, "best and worst of three")):
        for raters in RATERS:
            for differ in DIFFER:
                rng = np.random.default_rng([cards, worst, raters, int(10 * differ)])
                held, alarms = trial_counts(cards, worst, raters, differ, min(trials, TRIALS), rng)
                design = f"{K} identities in {named}, raters differ by σ {differ:g}, {raters} raters"
                found.append(Row(design, COMPARISONS, "strength, bootstrap by rater and texts", held, alarms))
    return found


def trial_counts(
    cards: int, worst: bool, raters: int, differ: float, trials: int, rng: np.random.Generator
) -> tuple[float, float]:
    held, alarms = [], []
    for trial in range(trials):
        found = ranking(
            studied(cards, worst, PLANTED, differ, raters, rng), K, by_rater=True, seed=trial, resamples=RESAMPLES
        )
        assert found.identities is not None
        held += [
            one.interval is not None and one.interval.low <= true <= one.interval.high
            for one, true in zip(found.identities, truth(cards, worst, differ), strict=True)
        ]
        none = ranking(
            studied(cards, worst, np.zeros(K), differ, raters, rng), K, by_rater=True, seed=trial, resamples=RESAMPLES
        )
        alarms.append(any(pair.adjusted is not None and pair.adjusted <= 0.05 for pair in none.pairs))
    return float(np.mean(held)), float(np.mean(alarms))


def found_rows(trials: int = TRIALS) -> list[Found]:
    """Two places apart by 60 to 40 %, at the number of comparisons that the planner asks for: one rater, no ties."""
    found = []
    for cards, worst, named in ((2, False, "pairs"), (3, True, "best and worst of three")):
        needed = RankDesign(0, K, cards, worst).needed(0.6)
        assert needed is not None
        strengths = np.array([np.log(1.5), *[0.0] * (K - 1)])
        rng = np.random.default_rng([cards, needed])
        hits = []
        for trial in range(min(trials, TRIALS)):
            given = independent(cards, worst, strengths, needed, rng)
            pairs = ranking(given, K, by_rater=False, seed=trial, resamples=RESAMPLES).pairs
            hits.append(pairs[0].adjusted is not None and pairs[0].adjusted <= 0.05)
        stated = RankDesign(needed, K, cards, worst).power(0.6)
        found.append(
            Found(f"{K} identities in {named}: two places apart, 60 to 40 %", needed, float(np.mean(hits)), stated)
        )
    return found


def independent(cards: int, worst: bool, strengths: np.ndarray, n: int, rng: np.random.Generator) -> Ballots:
    """A comparison of its own texts each, by one rater."""
    some = _drawn(cards, n)
    heard = strengths[some] + rng.gumbel(size=some.shape)
    order = np.take_along_axis(some, np.argsort(-heard, axis=1), axis=1)
    nobody = np.full(n, NOBODY)
    shown = np.column_stack([some, nobody]) if cards == 2 else some
    return Ballots(
        shown, order[:, 0], order[:, -1] if worst else nobody, np.ones(n), np.zeros(n, dtype=np.int64), np.arange(n)
    )


@cache
def _drawn(cards: int, n: int) -> np.ndarray:
    drawn = balanced_blocks([NAMES] * n, NAMES, cards, n, random.Random(1))
    return np.array([[NAMES.index(name) for name in names] for _, names in drawn])
