"""Krippendorff's α: agreement beyond chance for any number of raters, with gaps."""

from core.metrics.agreement import Agreement, agreement_of, pairable, undefined, unless_lopsided
from core.metrics.result import Ints


def krippendorff_alpha(counts: Ints) -> Agreement:
    """α = 1 − D_o / D_e for nominal data.

    `counts`: judgments per comparison and category, shape (C, k); comparisons with one judgment do not count.
    Source: Krippendorff 2011, computed by the package krippendorff.
    """
    pairs = pairable(counts)
    if len(pairs) == 0:
        return undefined("no comparison was judged by two raters")
    return unless_lopsided(agreement_of(pairs, _alpha, len(pairs)), pairs.sum(axis=0))


def _alpha(pairs: Ints) -> float | None:
    import krippendorff

    if (pairs.sum(axis=0) > 0).sum() < 2:
        return None
    return float(krippendorff.alpha(value_counts=pairs, level_of_measurement="nominal"))
