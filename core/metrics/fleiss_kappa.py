"""Fleiss' κ: agreement of several raters beyond chance, where every comparison was judged equally often."""

import numpy as np

from core.metrics.agreement import Agreement, agreement_of, pairable, undefined, unless_lopsided
from core.metrics.result import Ints


def equally_judged(counts: Ints) -> Ints:
    """The comparisons with the most common number of judgments, two or more: κ needs one number for all.

    Of several equally common numbers the largest is taken.
    """
    pairs = pairable(counts)
    judged = pairs.sum(axis=1)
    if len(judged) == 0:
        return pairs
    numbers, times = np.unique(judged, return_counts=True)
    return np.asarray(pairs[judged == numbers[times == times.max()].max()])


def fleiss_kappa(counts: Ints) -> Agreement:
    """κ = (P̄ − P̄ₑ) / (1 − P̄ₑ), P̄ₑ = Σ p_k² over the shares of all judgments.

    `counts`: judgments per comparison and category, shape (C, k); see `equally_judged` for what is left out.
    Source: Fleiss 1971, computed by statsmodels.
    """
    rows = equally_judged(counts)
    if len(rows) == 0:
        return undefined("no comparison was judged by two raters")
    return unless_lopsided(agreement_of(rows, _kappa, len(rows)), rows.sum(axis=0))


def _kappa(rows: Ints) -> float | None:
    from statsmodels.stats.inter_rater import fleiss_kappa as library

    return float(library(rows)) if (rows.sum(axis=0) > 0).sum() > 1 else None
