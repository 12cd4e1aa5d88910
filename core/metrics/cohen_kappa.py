"""Cohen's κ of two raters, and its mean over the pairs of several."""

from itertools import combinations

import numpy as np

from core.metrics.agreement import Agreement, agreement_of, undefined, unless_lopsided
from core.metrics.result import Ints

MISSING = -1


def cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """κ = (p_o − p_e) / (1 − p_e), p_e from each rater's own shares.

    `ratings`: category numbers, shape (C, 2), MISSING where a rater did not judge; only what both judged counts.
    Source: Cohen 1960, computed by statsmodels.
    """
    both = ratings[(ratings != MISSING).all(axis=1)]
    if len(both) == 0:
        return undefined("the two raters judged no comparison in common")
    found = agreement_of(both, lambda rows: _kappa(rows, categories), len(both))
    return unless_lopsided(found, np.bincount(both.ravel(), minlength=categories))


def mean_cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """The mean κ of all pairs of raters for whom it is defined (Light 1971). `ratings`: shape (C, raters).

    Comparisons are left out as wholes, with all their judgments, so the interval knows that pairs share raters.
    """
    usable = ratings[(ratings != MISSING).sum(axis=1) >= 2]
    if len(usable) == 0:
        return undefined("no comparison was judged by two raters")
    found = agreement_of(usable, lambda rows: _mean(rows, categories), len(usable))
    return unless_lopsided(found, np.bincount(usable[usable != MISSING], minlength=categories))


def _mean(ratings: Ints, categories: int) -> float | None:
    pairs = (ratings[:, pair] for pair in combinations(range(ratings.shape[1]), 2))
    kappas = [_kappa(pair[(pair != MISSING).all(axis=1)], categories) for pair in pairs]
    defined = [kappa for kappa in kappas if kappa is not None]
    return float(np.mean(defined)) if defined else None


def _kappa(both: Ints, categories: int) -> float | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    # Both raters always chose the same one: chance alone explains all, and κ is 0/0.
    if len(both) == 0 or (both == both[0, 0]).all():
        return None
    table = np.bincount(both[:, 0] * categories + both[:, 1], minlength=categories**2).reshape(categories, categories)
    return float(cohens_kappa(table, return_results=False))
