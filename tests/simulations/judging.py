"""Judging: people beside a model on the same comparisons, places of cards, hidden repeats.

Texts of one comparison differ in quality, so people and models who read the same agree without any common preference.
"""

from functools import partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.proportions import clustered_proportion
from biasprint.core.studies.creativity.agreement import paired
from biasprint.core.studies.creativity.choices import PersonAnswer
from biasprint.core.studies.creativity.judgments import positions

RESAMPLES = 300
TRIALS = 2000
EVEN, LEANING, OTHER = (1 / 3, 1 / 3, 1 / 3), (0.55, 0.30, 0.15), (0.25, 0.30, 0.45)
CONCENTRATION = 4.0  # of a comparison's leanings: two judgments of it correlate by 0.2


def chosen(shares: tuple[float, ...], n: int, judges: int, rng: np.random.Generator) -> np.ndarray:
    """Choices of people and, last, of one model: comparisons × judges; the same texts for all."""
    leanings = rng.dirichlet(CONCENTRATION * np.array(shares), size=n)
    edges = leanings.cumsum(axis=1)[:, None, :]
    return np.minimum((rng.random((n, judges, 1)) > edges).sum(axis=2), len(shares) - 1)


def difference_trial(
    of_people: tuple[float, ...], of_model: tuple[float, ...], people: int, rng: np.random.Generator, n: int
) -> dict[str, Outcome]:
    """People's share of the first identity less the model's, comparisons paired."""
    judged = chosen(of_people, n, people + 1, rng)
    answers = judged[:, people] if of_people == of_model else chosen(of_model, n, 1, rng)[:, 0]
    found = paired((judged[:, :people] == 0).mean(axis=1), (answers == 0).astype(np.float64))
    truth = of_people[0] - of_model[0]
    return {"McNemar, or t of means": Outcome(covers(found.interval, truth), alarm(found.p, truth))}


def position_trial(liking: float, raters: int, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Everyone's share of the first card. `liking`: how often it is taken because it is the first."""
    texts, starts = chosen(EVEN, n, raters, rng), rng.integers(0, 3, n)
    turns = (starts[:, None] + np.arange(raters)) % 3  # raters see the cards turned by one
    cards = np.where(rng.random((n, raters)) < liking, 0, (texts - turns) % 3)
    given = [
        PersonAnswer(f"R{rater}", ("", f"c{line}"), None, "choice", "", 3, int(cards[line, rater]), 0.0)
        for line in range(n)
        for rater in range(raters)
    ]
    first = next(one for one in positions(given, int(rng.integers(1 << 31)), RESAMPLES) if one.label == "first")
    truth = liking + (1 - liking) / 3
    held = None if first.interval is None else first.interval.low <= truth <= first.interval.high
    return {"share of the first card, permuted within comparisons": Outcome(held, alarm(first.p, liking))}


def repeat_trial(steady: float, raters: int, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """The share of repeats answered the same. `steady`: how often a rater remembers or has a firm opinion."""
    # Some comparisons are easy for everybody: their repeats go together.
    firm = rng.beta(4 * steady, 4 * (1 - steady), n)[:, None]
    same = (rng.random((n, raters)) < firm) | (rng.random((n, raters)) < 1 / 3)
    found = clustered_proportion(same.ravel(), np.repeat(np.arange(n), raters))
    return {"Wilson over comparisons": Outcome(covers(found.interval, steady + (1 - steady) / 3))}


def rows(trials: int = TRIALS) -> list[Row]:
    """The whole table, of TRIALS at least: they are quick."""
    trials = max(trials, TRIALS)
    found: list[Row] = []
    for people in (1, 3):
        who = "one person" if people == 1 else f"{people} people"
        for other, named in ((LEANING, "who prefer the same"), (OTHER, "who prefer another")):
            trial = partial(difference_trial, LEANING, other, people)
            for n in (12, 20, 50):
                found += simulated(f"{who} and a model {named}", n, trial, trials)
    for liking in (0.0, 0.2):
        for raters in (1, 3):
            who = "one rater" if raters == 1 else f"{raters} raters of each comparison"
            for n in (20, 60):
                trial = partial(position_trial, liking, raters)
                found += simulated(f"first card taken for its place {liking:.0%}; {who}", n, trial, trials)
    for steady in (0.4, 0.8):
        for raters in (1, 3):
            who = "one rater" if raters == 1 else f"{raters} raters of the same"
            for n in (10, 30):
                trial = partial(repeat_trial, steady, raters)
                found += simulated(f"hidden repeats, {steady:.0%} firm; {who}", n, trial, trials)
    return found
