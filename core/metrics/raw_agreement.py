"""Raw agreement: how often two raters of a comparison choose alike."""

from core.metrics.agreement import Agreement, agreement_of, pairable, undefined
from core.metrics.result import Ints


def observed_agreement(counts: Ints) -> float:
    """Mean over comparisons of Σ_k c_k (c_k − 1) / (m (m − 1)), m the judgments; each comparison has two or more."""
    judged = counts.sum(axis=1)
    return float(((counts * (counts - 1)).sum(axis=1) / (judged * (judged - 1))).mean())


def raw_agreement(counts: Ints) -> Agreement:
    """The chance that two raters of one comparison, drawn at random, agree; not corrected for chance.

    `counts`: judgments per comparison and category, shape (C, k). Comparisons with one judgment are left out.
    """
    pairs = pairable(counts)
    if len(pairs) == 0:
        return undefined("no comparison was judged by two raters")
    return agreement_of(pairs, observed_agreement, len(pairs), least=0.0)
