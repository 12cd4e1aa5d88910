"""Impact ratios by category, as the rules of New York City's Local Law 144 define them (6 RCNY § 5-301).

A rate is the share of a category's rows that were selected, or whose score lies above the median of all rows. Its
impact ratio is the rate over the highest rate of a category.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biasprint.core.metrics.proportions import RateRatio, rate_ratio, ratio_to_highest_level
from biasprint.core.metrics.result import Bools, Floats, MaybeBounds, finite, same_length, truths

SMALL_SHARE = 0.02  # of the rows: below it a category may be left out of the ratios


@dataclass(frozen=True)
class CategoryRate:
    """Rate of one category. `category`: one value for each column that is crossed, "" where it is not known.

    `share`: of all rows. `ratio`: to the highest rate, 1 without an interval for the highest itself; its value is None
    where no category has a rate above 0, and its reason says so. `small`: is its share below the bound? `unknown`: is a
    value of it not known? Neither kind is ever the highest.
    """

    category: tuple[str, ...]
    n: int
    selected: int
    rate: float
    share: float
    ratio: RateRatio
    small: bool
    unknown: bool


@dataclass(frozen=True)
class ImpactRatios:
    """`rates`: of each category, in alphabetical order, those with an unknown value last. `highest`: the category whose
    rate is highest, None where none can be. `n`: all rows; `unknown`: those with a value that is not known.
    """

    rates: tuple[CategoryRate, ...]
    highest: tuple[str, ...] | None
    n: int
    unknown: int
    reason: str = ""


def impact_ratios(
    selected: Bools, categories: Sequence[Sequence[str]], *, small_share: float = SMALL_SHARE
) -> ImpactRatios:
    """r_c = s_c / n_c for each category c, and r_c / max r over the categories that count.

    A category counts where it has at least `small_share` of the rows and each of its values is known; of equal rates
    the larger category is the highest, then the first by name. Small and unknown categories keep their rate and ratio,
    marked as such. Intervals of ratios are those of `rate_ratio`, at the level that makes up for the choice of the
    highest (`ratio_to_highest_level`); rows are taken to be independent. `selected`: of each row, shape (n,);
    `categories`: of each row its value in each column that is crossed. ValueError for unequal lengths.
    Source: 6 RCNY § 5-301, definitions of impact ratio, selection rate and scoring rate; § 5-301(d) for 2 %.
    """
    same_length(selected, categories)
    yes = truths(selected)
    counts: dict[tuple[str, ...], list[int]] = {}
    for own, chosen in zip(categories, yes.tolist(), strict=True):
        count = counts.setdefault(tuple(map(str, own)), [0, 0])
        count[0] += 1
        count[1] += chosen
    n = len(yes)
    counting = [name for name, (rows, _) in counts.items() if all(name) and rows / n >= small_share]
    highest = min(counting, key=lambda name: (-counts[name][1] / counts[name][0], -counts[name][0], name), default=None)
    level = ratio_to_highest_level(len(counting))
    rates = []
    for name in sorted(counts, key=lambda name: (not all(name), name)):
        rows, chosen = counts[name]
        total, most = (0, 0) if highest is None else counts[highest]
        ratio = rate_ratio(chosen, rows, most, total, level=level)
        if name == highest and most:
            ratio = RateRatio(1.0, "", MaybeBounds(None, "it is the highest rate"), (rows, rows))
        rates.append(
            CategoryRate(name, rows, chosen, chosen / rows, rows / n, ratio, rows / n < small_share, not all(name))
        )
    reason = "" if highest is not None else "no category has enough rows" if n else "there are no rows"
    unknown = sum(rows for name, (rows, _) in counts.items() if not all(name))
    return ImpactRatios(tuple(rates), highest, n, unknown, reason)


def above_median(scores: Floats) -> Bools:
    """Return for each score whether it lies above the median of all, which makes a rate a scoring rate.

    x_i > median(x); a score that equals the median does not lie above it. `scores`: shape (n,). ValueError for NaN.
    Source: 6 RCNY § 5-301, definition of scoring rate.
    """
    values = finite(scores)
    return values > np.median(values) if len(values) else np.zeros(0, dtype=bool)


# ---- Items given to two groups


def association_score(a_x: int, a_y: int, b_x: int, b_y: int) -> float | None:
    """N(A,X) / (N(A,X) + N(A,Y)) + N(B,Y) / (N(B,X) + N(B,Y)) − 1, from −1 to 1; None where a group got nothing.

    `a_x`: how many items of X were given to A, and so on. 1: all of A's are X and all of B's are Y, as the stereotype
    has it; −1: the reverse. A and B exchanged, the score has the other sign. ValueError for a negative number. Source:
    Bai, Wang, Sucholutsky & Griffiths 2025, PNAS 122(8), e2416228122.
    """
    if min(a_x, a_y, b_x, b_y) < 0:
        raise ValueError("counts cannot be negative")
    if a_x + a_y == 0 or b_x + b_y == 0:
        return None
    return a_x / (a_x + a_y) + b_y / (b_x + b_y) - 1
