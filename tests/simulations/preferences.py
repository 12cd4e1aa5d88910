"""Length and place: how often a preference among identities is found, as chosen and adjusted.

Texts of the first identity are 28 % longer, and raters like length (each to another degree) and the first card; or all
lengths are alike. n counts comparisons, which all raters read; of 1,000 studies each at least.
"""

from functools import partial

import numpy as np
from simulations.rows import ALARM, Found, Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.affinity import affinity_floor, affinity_interval, worth_floor
from biasprint.core.metrics.preference import AdjustedShares, Placed, adjusted_shares
from biasprint.core.metrics.resampling import worth_of_choices

TRIALS = 1000
RESAMPLES = 199
LONGER = 0.28
LIKED, DIFFERING = 1.5, 0.5  # logit for a length e times as long, and how much raters differ in it
FIRST_CARD = 0.3
SPREAD = 0.25  # of log lengths within an identity
DESIGNS = ((1, 60), (1, 180), (3, 60), (8, 30))  # raters and comparisons
NONE, PLANTED = (0.0, 0.0, 0.0), tuple(np.log((0.55, 0.30, 0.15)))
ENOUGH_RATERS = 5


def studied(
    leaning: tuple[float, ...], longer: float, raters: int, comparisons: int, rng: np.random.Generator
) -> Placed:
    k = len(leaning)
    lengths = np.round(np.exp(rng.normal(5.0, SPREAD, (comparisons, k))) * (1 + longer * (np.arange(k) == 0)))
    log_words = np.repeat(np.log(lengths), raters, axis=0)
    unit, rater = np.divmod(np.arange(comparisons * raters), raters)
    place = np.argsort(rng.random(log_words.shape), axis=1)
    liking = rng.normal(LIKED, DIFFERING if raters > 1 else 0.0, raters)[rater][:, None]
    utility = np.array(leaning) + liking * log_words + FIRST_CARD * (place == 0)
    chosen = np.argmax(utility + rng.gumbel(size=utility.shape), axis=1)
    return Placed(log_words, place, chosen, (rater, unit) if raters >= ENOUGH_RATERS else (unit,))


def raw_p(given: Placed, k: int, rng: np.random.Generator) -> float:
    """As `creativity.abs` tests."""
    counts = np.eye(k, dtype=np.int64)[given.chosen]
    if len(given.groupings) > 1:
        return worth_floor(counts.mean(axis=0), len(counts), worth_of_choices(counts, *given.groupings)).p
    by_unit = np.zeros((int(given.groupings[0].max()) + 1, k), dtype=np.int64)
    np.add.at(by_unit, given.groupings[0], counts)
    return affinity_floor(by_unit, rng, RESAMPLES).p


def adjusted_p(found: AdjustedShares, n: int) -> float | None:
    return None if found.shares is None or found.worth is None else worth_floor(found.shares, n, found.worth).p


def false_trial(k: int, raters: int, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """No preference among identities: ABS and the first share, as chosen and adjusted."""
    given = studied(NONE[:k], LONGER, raters, n, rng)
    found = adjusted_shares(given)
    p, held, n = adjusted_p(found, len(given.chosen)), None, len(given.chosen)
    if found.shares is not None and found.worth is not None:
        noise = worth_floor(found.shares, n, found.worth)
        bounds = affinity_interval(found.shares * n, found.worth.effect, freedom=found.worth.freedom, noise=noise)
        held = covers(bounds, 0.0)
    return {
        "ABS, adjusted for length and place": Outcome(held, alarm(p)),
        "ABS, as chosen (shown: length is what it finds)": Outcome(alarm=alarm(raw_p(given, k, rng))),
    }


def found_rows(trials: int = TRIALS) -> list[Found]:
    """A preference of .55/.30/.15 (of two identities .65/.35), lengths alike: adjusted, beside as chosen."""
    many, found = max(trials, TRIALS), []
    for k in (2, 3):
        for raters, comparisons in DESIGNS:
            rng = np.random.default_rng([k, raters, comparisons])
            hits = [power_trial(k, raters, comparisons, rng) for _ in range(many)]
            adjusted, raw = (float(np.mean(side)) for side in zip(*hits, strict=True))
            named = f"{_named(k, raters)}, lengths alike (last column: as chosen)"
            found.append(Found(named, comparisons, adjusted, raw))
    return found


def power_trial(k: int, raters: int, comparisons: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether the preference is found adjusted, and as chosen."""
    leaning = PLANTED if k == 3 else tuple(np.log((0.65, 0.35)))
    given = studied(leaning, 0.0, raters, comparisons, rng)
    p = adjusted_p(adjusted_shares(given), len(given.chosen))
    return p is not None and p <= ALARM, raw_p(given, k, rng) <= ALARM


def _named(k: int, raters: int) -> str:
    return f"{k} identities, {'one rater' if raters == 1 else f'{raters} raters'}"


def rows(trials: int = TRIALS) -> list[Row]:
    """The whole table, of TRIALS at least."""
    return [
        row
        for k in (2, 3)
        for raters, n in DESIGNS
        for row in simulated(
            f"{_named(k, raters)}, no preference, one writes {LONGER:.0%} longer", n, partial(false_trial, k, raters),
            max(trials, TRIALS),
        )
    ]  # fmt: skip
