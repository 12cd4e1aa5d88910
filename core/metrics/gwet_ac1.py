"""Gwet's AC1: agreement beyond chance that does not collapse where most judgments fall on one category."""

from core.metrics.agreement import Agreement, agreement_of, pairable, undefined
from core.metrics.raw_agreement import observed_agreement
from core.metrics.result import Ints


def gwet_ac1(counts: Ints) -> Agreement:
    """AC1 = (p_a − p_e) / (1 − p_e), p_e = Σ π_k (1 − π_k) / (k − 1), π_k the mean share of category k.

    `counts`: judgments per comparison and category, shape (C, k), k the categories that could be chosen. p_a rests on
    comparisons with two judgments and more, π on all that were judged. Source: Gwet 2008, equations 8 and 9; with
    gaps as in Gwet 2014, chapter 2.
    """
    pairs = len(pairable(counts))
    judged = counts[counts.sum(axis=1) > 0]
    if counts.shape[1] < 2:
        return undefined("an axis needs at least two identities")
    if pairs == 0:
        return undefined("no comparison was judged by two raters")
    return agreement_of(judged, _ac1, pairs)


def _ac1(judged: Ints) -> float | None:
    pairs = pairable(judged)
    if len(pairs) == 0:
        return None
    shares = (judged / judged.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float((shares * (1 - shares)).sum()) / (judged.shape[1] - 1)
    return float((observed_agreement(pairs) - chance) / (1 - chance))
