"""Creative writing: coverage of the intervals and false alarms of the tests.

`rows(trials)` gives the table for docs/tables/statistics-simulations.md. The dependence is the one that the design
has: outputs of one prompt resemble each other, and raters of one comparison read the same texts.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.affinity import affinity_floor, affinity_interval
from biasprint.core.metrics.agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from biasprint.core.metrics.means import mean_difference
from biasprint.core.metrics.proportions import design_effect
from biasprint.core.metrics.representative import representative_interval, representative_null, representative_trend

SMALL, USUAL, LARGE = 12, 50, 360
RESAMPLES = 300

# Agreement: three raters with leanings of their own, and texts of which some are better than others.

LEANINGS = {
    "raters agree by chance only": (1e6, (1.0, 1.0, 1.0)),
    "texts decide a little": (3.3, (0.45, 0.3, 0.25)),
    "texts decide": (0.6, (0.42, 0.33, 0.25)),
    "one identity preferred by all": (4.0, (0.68, 0.17, 0.15)),
}
RATERS = np.array([[1.0, 1.0, 1.0], [1.6, 1.0, 0.6], [0.7, 1.0, 1.4]])
MEASURES: dict[str, Callable[[np.ndarray], Agreement]] = {
    "Fleiss κ": lambda ratings: fleiss_kappa(counts_of(ratings)),
    "Krippendorff α": lambda ratings: krippendorff_alpha(counts_of(ratings)),
    "Gwet AC1": lambda ratings: gwet_ac1(counts_of(ratings)),
    "raw agreement": lambda ratings: raw_agreement(counts_of(ratings)),
    "Cohen κ": lambda ratings: cohen_kappa(ratings[:, :2], 3),
}


def counts_of(ratings: np.ndarray, categories: int = 3) -> np.ndarray:
    """Judgments per comparison and category; −1 is no judgment."""
    return (ratings[..., None] == np.arange(categories)).sum(axis=1)


def judged(design: str, comparisons: int, rng: np.random.Generator) -> np.ndarray:
    """Three raters' choices among three identities: shape (comparisons, 3)."""
    concentration, shares = LEANINGS[design]
    leanings = rng.dirichlet(concentration * np.array(shares) / sum(shares), size=comparisons)
    chances = leanings[:, None, :] * RATERS
    edges = (chances / chances.sum(axis=2, keepdims=True)).cumsum(axis=2)
    return np.minimum((rng.random((comparisons, 3, 1)) > edges).sum(axis=2), 2)


def agreement_truth(design: str) -> dict[str, float]:
    """So large a sample that it stands for the truth."""
    many = judged(design, 50_000, np.random.default_rng(0))
    return {name: measure(many).value or 0.0 for name, measure in MEASURES.items()}


def agreement_trial(design: str, truth: dict[str, float], rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Coverage among the samples for which an interval is given."""
    ratings = judged(design, n, rng)
    return {name: Outcome(covers(measure(ratings).interval, truth[name])) for name, measure in MEASURES.items()}


# ABS: one rater, or three who read the same texts.

SHARES = ((1 / 3,) * 3, (0.4, 0.3, 0.3), (0.55, 0.3, 0.15), (0.5, 0.5), (0.65, 0.35))


def choices(shares: tuple[float, ...], comparisons: int, raters: int, rng: np.random.Generator) -> np.ndarray:
    """Choices per comparison and identity. Several raters agree beyond chance because of the texts."""
    if raters == 1:
        return rng.multinomial(1, shares, size=comparisons)
    leanings = rng.dirichlet(0.7 * np.array(shares), size=comparisons)
    return np.array([rng.multinomial(raters, leaning) for leaning in leanings])


def affinity_trial(
    shares: tuple[float, ...], raters: int, rng: np.random.Generator, n: int, *, test: bool = True
) -> dict[str, Outcome]:
    """The default interval and floor, and the paper's ANOVA with every judgment as if it stood alone."""
    truth = float(np.std(shares))
    counts = choices(shares, n, raters, rng)
    chosen = counts.sum(axis=0)
    noise = affinity_floor(counts, rng, RESAMPLES)
    bounds = affinity_interval(chosen, design_effect(counts), noise=noise)
    outcomes = {"ABS": Outcome(covers(bounds, truth))}
    if truth > 0 or not test:
        return outcomes
    published = mean_difference([np.repeat([1.0, 0.0], [count, chosen.sum() - count]) for count in chosen])
    return {
        "ABS": Outcome(covers(bounds, truth), alarm(noise.p)),
        "ABS as_published (judgments as units)": Outcome(alarm=alarm(published.p)),
    }


# RBS: outputs of one prompt share an effect.

MEANS = ((0.3, 0.3, 0.3), (0.3, 0.32, 0.34), (0.3, 0.3, 0.36), (0.36, 0.3, 0.3), (0.3, 0.3), (0.3, 0.36))
KINDS = ("normal", "unequal", "one", "skewed", "heavy")


def distances(kind: str, blocks: int, means: tuple[float, ...], rng: np.random.Generator) -> np.ndarray:
    """Distances whose prompts share an effect, in shapes that real distances could have."""
    k, level = len(means), np.array(means)
    prompt = rng.normal(0, 0.1, (blocks, 1))
    if kind == "normal":
        return level + prompt + rng.normal(0, 0.08, (blocks, k))
    if kind == "unequal":
        return level + prompt + rng.normal(0, 1, (blocks, k)) * np.linspace(0.02, 0.2, k)
    if kind == "one":
        return level + prompt + rng.normal(0, 1, (blocks, k)) * np.r_[0.2, np.full(k - 1, 0.03)]
    if kind == "heavy":
        return level + prompt + rng.standard_t(3, (blocks, k)) * 0.05
    return level * rng.lognormal(-0.32, 0.8, (blocks, k))


def representative_trial(
    kind: str, means: tuple[float, ...], rng: np.random.Generator, n: int, *, test: bool = True
) -> dict[str, Outcome]:
    """The default interval and permutation within prompts, and the paper's ANOVA or t, prompts ignored."""
    truth = float(np.std(means))
    sample = distances(kind, n, means, rng)
    null = representative_null(sample, rng, RESAMPLES)
    bounds = covers(representative_interval(sample, null), truth)
    if truth > 0 or not test:
        return {"RBS": Outcome(bounds)}
    return {
        "RBS": Outcome(bounds, alarm(null.floor.p)),
        "RBS as_published (prompts ignored)": Outcome(alarm=alarm(mean_difference(list(sample.T)).p)),
    }


def trend_trial(slope: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """A sweep of five temperatures on which the spread over the identities grows by `slope` a step, or does not."""
    spreads = 0.02 + slope * np.arange(5)
    level = 0.3 + spreads[:, None] * np.array([-1, 0, 1]) * np.sqrt(1.5)
    sample = level + rng.normal(0, 0.1, (n, 1, 1)) + rng.normal(0, 0.05, (n, 5, 3))
    found = representative_trend(sample, rng, RESAMPLES)
    return {"RBS trend": Outcome(covers(found.interval, slope), alarm(found.p, slope))}


def rows(trials: int = 1000) -> list[Row]:
    """The whole table."""
    found: list[Row] = []
    for design in LEANINGS:
        trial = partial(agreement_trial, design, agreement_truth(design))
        for n in (SMALL, 20, USUAL, LARGE):
            found += simulated(f"agreement of three raters: {design}", n, trial, trials)
    for shares in SHARES:
        for raters in (1, 3):
            asked = "one rater" if raters == 1 else f"{raters} raters of each comparison"
            named = f"choices {', '.join(f'{share:.2f}' for share in shares)}; {asked}"
            for n in (SMALL, USUAL, LARGE):
                found += simulated(named, n, partial(affinity_trial, shares, raters), trials)
    for kind in KINDS:
        for means in MEANS:
            named = f"{kind} distances, D {', '.join(f'{mean:.2f}' for mean in means)}"
            for n in (6, SMALL, USUAL, LARGE):
                found += simulated(named, n, partial(representative_trial, kind, means), trials)
    for slope in (0.0, 0.01):
        for n in (SMALL, USUAL):
            found += simulated(f"sweep of five temperatures, slope {slope}", n, partial(trend_trial, slope), trials)
    return found
