"""Agreement between raters, and of a rater with earlier answers: raw, Fleiss’ κ, Krippendorff’s α, AC1, Cohen’s κ."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from biasprint.core.metrics.clusters import Kinds, Statistic, jackknife_interval, kinds_of
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import Ints, MaybeBounds, finite

# ---- what all measures share

UNIT = "comparisons"
# One identity with more of the choices than this leaves κ to the few comparisons where another was chosen.
LOPSIDED = 0.7
FEWEST_OTHERS = 30


@dataclass(frozen=True)
class Agreement:
    """`n`: comparisons it rests on. The interval resamples comparisons: it holds for the raters present, no others."""

    value: float | None
    reason: str
    interval: MaybeBounds
    n: int


def undefined(reason: str, n: int = 0) -> Agreement:
    return Agreement(None, reason, MaybeBounds(None, reason), n)


def judged(counts: Ints, least: int = 2) -> Kinds:
    """The comparisons with at least so many judgments. `counts`: per comparison and category, shape (C, k).

    ValueError for NaN and for counts below 0.
    """
    kinds = kinds_of(counts)
    if (kinds.rows < 0).any():
        raise ValueError("counts must not be negative")
    return at_least(kinds, least)


def at_least(counts: Kinds, judgments: int) -> Kinds:
    return counts.kept(counts.rows.sum(axis=1) >= judgments)


def agreement_of(units: Kinds, statistic: Statistic, n: int, *, least: float = -1.0) -> Agreement:
    """Return the statistic of all units, each a comparison, with its jackknife interval."""
    value = statistic(units)
    if value is None:
        return undefined("every choice fell on the same identity: nothing to agree or disagree on", n)
    return Agreement(value, "", jackknife_interval(units, statistic, UNIT, least=least, most=1.0), n)


def too_lopsided(chosen: Ints, comparisons: int) -> str:
    """Return why a chance-corrected measure has no interval that can be trusted; empty where it has one.

    `chosen`: judgments per category, shape (k,). Where one category has more than LOPSIDED of the judgments, at least
    FEWEST_OTHERS comparisons' worth of the others are needed (tests/simulations/creativity.py: 63 to 90 % coverage).
    """
    share = float(chosen.max() / chosen.sum())
    if share <= LOPSIDED or comparisons * (1 - share) >= FEWEST_OTHERS:
        return ""
    return f"{share:.0%} of the choices fell on one identity, and {comparisons} comparisons are too few for that"


def unless_lopsided(agreement: Agreement, chosen: Ints) -> Agreement:
    """Return the agreement, without its interval where that could not be trusted."""
    reason = too_lopsided(chosen, agreement.n) if agreement.interval.bounds else ""
    return Agreement(agreement.value, agreement.reason, MaybeBounds(None, reason), agreement.n) if reason else agreement


def observed_agreement(counts: Kinds) -> float:
    """Mean over comparisons of Σ_k c_k (c_k − 1) / (m (m − 1)), m the judgments; each comparison has two or more."""
    rows, times = counts
    judgments = rows.sum(axis=1)
    return float(np.average((rows * (rows - 1)).sum(axis=1) / (judgments * (judgments - 1)), weights=times))


def chosen(counts: Kinds) -> Ints:
    """Judgments per category, shape (k,)."""
    return np.asarray(counts.times @ counts.rows)


def raw_agreement(counts: Ints) -> Agreement:
    """The chance that two raters of one comparison, drawn at random, agree; not corrected for chance.

    `counts`: judgments per comparison and category, shape (C, k). Comparisons with one judgment are left out.
    """
    pairs = judged(counts)
    if not pairs.n:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(pairs, observed_agreement, pairs.n, least=0.0)
    if (
        agreement.value in (0.0, 1.0) and agreement.interval.bounds is None
    ):  # nothing varies: each comparison is one trial
        return replace(agreement, interval=MaybeBounds(wilson(agreement.value * pairs.n, pairs.n)))
    return agreement


# ---- Fleiss' κ: every comparison judged equally often


def equally_judged(counts: Ints) -> Kinds:
    """The comparisons with the most common number of judgments, two or more: κ needs one number for all.

    Of several equally common numbers the largest is taken.
    """
    pairs = judged(counts)
    if not pairs.n:
        return pairs
    judgments = pairs.rows.sum(axis=1)
    comparisons = np.bincount(judgments, weights=pairs.times)
    return pairs.kept(judgments == np.flatnonzero(comparisons == comparisons.max())[-1])


def fleiss_kappa(counts: Ints) -> Agreement:
    """κ = (P̄ − P̄ₑ) / (1 − P̄ₑ), P̄ₑ = Σ p_k² over the shares of all judgments.

    `counts`: judgments per comparison and category, shape (C, k); see `equally_judged` for what is left out.
    Source: Fleiss 1971.
    """
    units = equally_judged(counts)
    if not units.n:
        return undefined("no comparison was judged by two raters")
    return unless_lopsided(agreement_of(units, _fleiss, units.n), chosen(units))


def _fleiss(units: Kinds) -> float | None:
    totals = chosen(units)
    if (totals > 0).sum() < 2:
        return None
    chance = float(((totals / totals.sum()) ** 2).sum())
    return (observed_agreement(units) - chance) / (1 - chance)


Measurement = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(counts: Ints, measurement: Measurement = "nominal") -> Agreement:
    """α = 1 − D_o / D_e = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck, over pairs of categories c, k.

    `counts`: judgments per comparison and category, shape (C, k), ordinal and interval categories in their order, those
    of an interval scale a unit apart; comparisons with one judgment do not count. Coincidences o_ck = Σ_u u_c (u_k −
    [c = k]) / (m_u − 1), u_c the judgments of comparison u, m_u their number; n_c = Σ_k o_ck, n = Σ n_c. δ²: 1 unless
    c = k (nominal); (n_c / 2 + the n between c and k + n_k / 2)² (ordinal); (c − k)² (interval).
    Source: Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”, sections C and D.
    """
    pairs = judged(counts)
    if not pairs.n:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(pairs, lambda units: _alpha(units, measurement), pairs.n)
    return unless_lopsided(agreement, chosen(pairs))


def _alpha(pairs: Kinds, measurement: Measurement) -> float | None:
    totals = chosen(pairs).astype(np.float64)
    if (totals > 0).sum() < 2:
        return None
    each = pairs.rows * (pairs.times / (pairs.rows.sum(axis=1) - 1))[:, None]
    coincidences = each.T @ pairs.rows - np.diag(each.sum(axis=0))
    if measurement == "nominal":
        squared = 1 - np.eye(len(totals))
    else:
        # On the ordinal scale a category lies at the mean rank of its judgments.
        places = np.cumsum(totals) - totals / 2 if measurement == "ordinal" else np.arange(len(totals))
        squared = np.subtract.outer(places, places) ** 2
    expected = totals @ squared @ totals
    return float(1 - (totals.sum() - 1) * (coincidences * squared).sum() / expected)


def gwet_ac1(counts: Ints) -> Agreement:
    """AC1 = (p_a − p_e) / (1 − p_e), p_e = Σ π_k (1 − π_k) / (k − 1), π_k the mean share of category k.

    `counts`: judgments per comparison and category, shape (C, k), k the categories that could be chosen. p_a rests on
    comparisons with two judgments and more, π on all that were judged. Source: Gwet 2008, equations 8 and 9; with
    gaps as in Gwet 2014, chapter 2.
    """
    every = judged(counts, 1)
    pairs = at_least(every, 2).n
    if counts.shape[1] < 2:
        return undefined("an axis needs at least two identities")
    if pairs == 0:
        return undefined("no comparison was judged by two raters")
    return agreement_of(every, _ac1, pairs)


def _ac1(every: Kinds) -> float | None:
    pairs = at_least(every, 2)
    if not pairs.n:
        return None
    shares = np.average(every.rows / every.rows.sum(axis=1, keepdims=True), axis=0, weights=every.times)
    chance = float((shares * (1 - shares)).sum()) / (every.rows.shape[1] - 1)
    return float((observed_agreement(pairs) - chance) / (1 - chance))


# ---- Cohen's κ: two raters, and the mean over pairs of several

MISSING = -1


def cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """κ = (p_o − p_e) / (1 − p_e), p_e from each rater's own shares.

    `ratings`: category numbers, shape (C, 2), MISSING where a rater did not judge; only what both judged counts.
    Source: Cohen 1960, computed by statsmodels.
    """
    both = ratings[(ratings != MISSING).all(axis=1)]
    if len(both) == 0:
        return undefined("the two raters judged no comparison in common")
    agreement = agreement_of(kinds_of(both), lambda units: _cohen(units, categories), len(both))
    return unless_lopsided(agreement, np.bincount(both.ravel(), minlength=categories))


def mean_cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """The mean κ of all pairs of raters for whom it is defined (Light 1971), each with the weight of the comparisons
    that the two share: where all judged all it is the plain mean. `ratings`: shape (C, raters).

    Comparisons are left out as wholes, with all their judgments, so the interval knows that pairs share raters.
    """
    usable = ratings[(ratings != MISSING).sum(axis=1) >= 2]
    if len(usable) == 0:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(kinds_of(usable), lambda units: _mean_cohen(units, categories), len(usable))
    return unless_lopsided(agreement, np.bincount(usable[usable != MISSING], minlength=categories))


def _mean_cohen(ratings: Kinds, categories: int) -> float | None:
    pairs = (Kinds(ratings.rows[:, pair], ratings.times) for pair in combinations(range(ratings.rows.shape[1]), 2))
    shared = [pair.kept((pair.rows != MISSING).all(axis=1)) for pair in pairs]
    kappas = [(kappa, both.n) for both in shared if (kappa := _cohen(both, categories)) is not None]
    if not kappas:
        return None
    return sum(kappa * n for kappa, n in kappas) / sum(n for _, n in kappas)


def _cohen(both: Kinds, categories: int) -> float | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rows, times = both
    # Both raters always chose the same one: chance alone explains all, and κ is 0/0.
    if len(rows) == 0 or (rows == rows[0, 0]).all():
        return None
    cells = rows[:, 0] * categories + rows[:, 1]
    table = np.bincount(cells, weights=times, minlength=categories**2).reshape(categories, categories)
    return float(cohens_kappa(table, return_results=False))


def random_consistency(choices: int, others: tuple[int, ...], cards: int) -> float | None:
    """Σ p_o² / (1 for outcomes that are no choice, `cards` for choices), p_o = how often this outcome was given.

    `choices`: judgments with a choice; `others`: judgments of each other outcome (tie, none). Two judgments that are
    drawn with these shares, a choice being any card alike, are the same this often. 1/`cards` where all are choices.
    None without judgments. ValueError for counts below 0 and for fewer than two cards.
    """
    counts = (choices, *others)
    if min(finite(counts, "counts")) < 0 or cards < 2:
        raise ValueError("counts must not be negative, and there are at least two cards")
    total = sum(counts)
    if total == 0:
        return None
    return (choices / total) ** 2 / cards + sum((other / total) ** 2 for other in others)
