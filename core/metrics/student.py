"""Student's t: quantiles and tails, by the functions behind `scipy.stats.t`.

The same numbers to the last bit; `scipy.stats.t` takes a hundred times as long for one, and a second to import.
"""

from math import isinf


def t_quantile(probability: float, freedom: float) -> float:
    """The value that t with `freedom` degrees of freedom stays below with this probability; normal for infinitely
    many."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if isinf(freedom) else stdtrit(freedom, probability))


def two_sided_t(statistic: float, freedom: float) -> float:
    """The probability of |t| at least as large as |`statistic`|."""
    from scipy.special import ndtr, stdtr

    below = -abs(statistic)
    return float(2 * (ndtr(below) if isinf(freedom) else stdtr(freedom, below)))
