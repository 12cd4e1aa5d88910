"""How much less several raters of the same comparisons tell than as many independent choices."""

from core.metrics.result import Ints


def design_effect(counts: Ints) -> float:
    """Variance of the shares with comparisons as the unit, over their variance were every choice independent.

    δ = C/(C−1) · Σ_c |x_c − m_c p̂|² / (N (1 − Σ p̂²)); x_c: choices in comparison c, m_c their number, N all choices.
    `counts`: shape (C, k). 1 where every comparison has one choice; never below 1. N/δ is the effective number.
    Source: the ratio of traces of the cluster and multinomial covariance (Rao & Scott 1981).
    """
    counts = counts[counts.sum(axis=1) > 0]
    sizes = counts.sum(axis=1)
    if (sizes == 1).all():
        return 1.0
    comparisons, n = len(counts), int(sizes.sum())
    shares = counts.sum(axis=0) / n
    independent = n * (1 - float(shares @ shares))
    if comparisons == 1 or independent <= 0:
        # Nothing to estimate agreement from: a comparison counts once, however many rated it.
        return n / comparisons
    between = float(((counts - sizes[:, None] * shares) ** 2).sum())
    return max(1.0, comparisons / (comparisons - 1) * between / independent)
