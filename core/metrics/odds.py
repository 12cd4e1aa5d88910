"""Odds ratios of counted words: as published, of rare words, of texts that were made together, and their change."""

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from biasprint.core.metrics.clusters import Clusters, SkewedT
from biasprint.core.metrics.power import ALPHA, POWER
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    Bools,
    Bounds,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    estimates_alone,
    finite,
    same_length,
)

# ---- the formula, and as published

HALDANE = 0.5
FEWEST_EXPECTED = 5.0


@dataclass(frozen=True)
class OddsRatio:
    """`p`, `detectable` (the smallest ratio above 1 that would be seen at power 0.8) are None where not computed."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None = None
    detectable: float | None = None


def published_odds_ratio(
    count_first: float, tokens_first: float, count_second: float, tokens_second: float
) -> OddsRatio:
    """[(a + ε) / (n_a − a + ε)] / [(b + ε) / (n_b − b + ε)] with ε = 0.001, the authors' program.

    Log-normal interval exp(ln OR ± z √(1/a + 1/(n_a − a) + 1/b + 1/(n_b − b))), as if tokens were independent.
    Source: Wan et al. 2023, Table 2; ε is in their released code, not in the paper.
    """
    epsilon = 0.001
    cells = (count_first, tokens_first - count_first, count_second, tokens_second - count_second)
    finite(cells, "counts")
    if min(cells) < 0:
        # One token can add several counts, so a short text can hold more counts than tokens.
        return OddsRatio(None, "more matches than words", MaybeBounds(None, "no estimate"))
    a, not_a, b, not_b = (cell + epsilon for cell in cells)
    value = (a / not_a) / (b / not_b)
    if min(cells) == 0:
        return OddsRatio(value, "", MaybeBounds(None, "a count of 0 has no log-normal interval"))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(sum(1 / cell for cell in cells))
    bounds = Bounds(exp(log(value) - half), exp(log(value) + half), "log-normal")
    return OddsRatio(value, "", MaybeBounds(bounds))


def log_odds_ratio(count_first: Floats, tokens_first: Floats, count_second: Floats, tokens_second: Floats) -> Floats:
    """ln of the odds ratio with Haldane's ½ in every cell; any shapes that broadcast, counts never above tokens."""
    return np.asarray(
        np.log((count_first + HALDANE) / (tokens_first - count_first + HALDANE))
        - np.log((count_second + HALDANE) / (tokens_second - count_second + HALDANE))
    )


def telling_log_odds(first: Numbers, second: Numbers, prior_words: float = 500.0) -> tuple[Floats, Floats]:
    """δ_w = ln[(a_w + α_w) / (n_a + α₀ − a_w − α_w)] − the same of b, and z_w = δ_w / √(1/(a_w + α_w) + 1/(b_w + α_w)).

    `first` (a), `second` (b): counts per word, shape (w,). The prior is informative: α_w is the word's share of both
    sides together, times `prior_words` (α₀), so that rare words need more than a chance run to stand out. Both are 0
    for a word that is on neither side. ValueError for NaN, or where there is no word at all.
    Source: Monroe, Colaresi & Quinn 2008, equations 15, 16 and 22.
    """
    same_length(first, second)
    finite(first, "counts"), finite(second, "counts")
    both = first + second
    if both.sum() <= 0:
        raise ValueError("there are no words to compare")
    prior = prior_words * both / both.sum()
    sides = []
    for counts in (first, second):
        with_prior = counts + prior
        rest = counts.sum() + prior_words - with_prior
        sides.append((with_prior, rest))
    seen = (both > 0) & np.all([rest > 0 for _, rest in sides], axis=0)
    delta, z = np.zeros(len(first)), np.zeros(len(first))
    (a, not_a), (b, not_b) = ((counts[seen], rest[seen]) for counts, rest in sides)
    delta[seen] = np.log(a / not_a) - np.log(b / not_b)
    z[seen] = delta[seen] / np.sqrt(1 / a + 1 / b)
    return delta, z


def smallest_expected(count: float, tokens_first: float, tokens_second: float) -> float:
    """The smaller of the two counts expected if the words fell on both groups alike, in proportion to their tokens."""
    return count * min(tokens_first, tokens_second) / (tokens_first + tokens_second)


def sample_odds_ratio(count_first: int, total_first: int, count_second: int, total_second: int) -> OddsRatio:
    """[a / (n_a − a)] / [b / (n_b − b)], with scipy's log-normal interval, as if items were independent.

    Undefined where any of the four cells is 0. ValueError for a count above its total.
    """
    from scipy.stats.contingency import odds_ratio

    cells = (count_first, total_first - count_first, count_second, total_second - count_second)
    if min(cells) < 0:
        raise ValueError("a count is above its total")
    if min(cells) == 0:
        return OddsRatio(None, "one of the four counts is 0", MaybeBounds(None, "no estimate"))
    result = odds_ratio([[cells[0], cells[1]], [cells[2], cells[3]]], kind="sample")
    low, high = result.confidence_interval(LEVEL)
    return OddsRatio(
        float(result.statistic), "", MaybeBounds(Bounds(float(low), float(high), "log-normal, words as independent"))
    )


# ---- texts, not words, as what was sampled

AT_LEAST = "at least log-normal with ½"
FEWEST_CLUSTERS = 5
MOST_OF_RARE = 0.5
NO_DIFFERENCE = "no text or block has it more often than another"
UNBOUNDED = "texts of one group alone have it, too few to exclude any odds ratio"


def clustered_odds_ratios(
    counts: Numbers, tokens: Numbers, clusters: Clusters, *, level: float = LEVEL
) -> list[OddsRatio]:
    """Return one odds ratio (first group over second, Haldane's ½) per column of `counts`.

    `counts`: matches per text and category, shape (n, c); `tokens`: words per text, shape (n,). What is rare, because
    at most MOST_OF_RARE of a group's texts or blocks have it, is tested by its score (`ScoreOdds`). Otherwise interval
    at `level` and p: t of ln OR, with the jackknife's influence of each text (of matched blocks, of each block),
    corrected for their skewness (`SkewedT`): groups may differ in size and in how much their texts vary. The error is
    at least that of the log-normal interval with ½ in every cell (Gart 1966). A higher `level` makes up for words that
    are chosen by their ratios, so that no more than 5 % of the intervals shown miss (Benjamini & Yekutieli 2005).
    Undefined where a group has no words, an expected count is below FEWEST_EXPECTED, or a text has more matches than
    words.
    """
    finite(counts, "counts")
    finite(tokens, "tokens")
    overfull = np.any(counts > tokens[:, None], axis=0, keepdims=True)[0]
    values = np.column_stack([np.where(overfull, 0, counts), tokens]).astype(np.float64)
    first, second = (clusters.totals(values, of_first=side) for side in (True, False))
    in_first, in_second = first.sum(axis=0), second.sum(axis=0)
    if in_first[-1] == 0 or in_second[-1] == 0:
        nothing = OddsRatio(None, "a group has no words", MaybeBounds(None, "no estimate"))
        return [nothing] * counts.shape[1]
    observed = _log_ratio(in_first, in_second)
    tested = None if estimates_alone() else _tested(observed, (first, second), clusters, counts > 0, level)
    results = []
    for column, log_value in enumerate(observed.tolist()):
        expected = smallest_expected(in_first[column] + in_second[column], in_first[-1], in_second[-1])
        if overfull[column]:
            results.append(OddsRatio(None, "more matches than words", MaybeBounds(None, "no estimate")))
        elif expected < FEWEST_EXPECTED:
            reason = f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}"
            results.append(OddsRatio(None, reason, MaybeBounds(None, "no estimate")))
        elif tested is None:
            results.append(OddsRatio(exp(log_value), "", NO_BOUNDS))
        else:
            results.append(tested[column])
    return results


def _log_ratio(first: Floats, second: Floats) -> Floats:
    """`first`, `second`: sums per category and, in the last column, of tokens; shape (…, c + 1)."""
    return log_odds_ratio(first[..., :-1], first[..., -1:], second[..., :-1], second[..., -1:])


Sides: TypeAlias = tuple[Floats, Floats]  # sums per cluster of each group, shape (clusters, c + 1), the last of tokens


def _tested(observed: Floats, sides: Sides, clusters: Clusters, has: Bools, level: float) -> list[OddsRatio]:
    """Return the ratios with interval and p. `has`: does a text have it? shape (n, c)."""
    alone = np.min([side[:, :-1].sum(axis=0) for side in sides], axis=0) == 0
    exact = {place: clusters.chance_on_one_side(has[:, place]) for place in np.flatnonzero(alone).tolist()}
    if min(clusters.on_both_sides) < FEWEST_CLUSTERS:
        none = MaybeBounds(None, f"fewer than {FEWEST_CLUSTERS} texts or matched blocks on a side")
        return [OddsRatio(exp(each), "", none, exact.get(place)) for place, each in enumerate(observed.tolist())]
    shares = [
        (side[:, :-1] > 0).sum(axis=0) / number for side, number in zip(sides, clusters.on_both_sides, strict=True)
    ]
    rare = np.min(shares, axis=0) <= MOST_OF_RARE
    results: dict[int, OddsRatio] = {}
    for ratios, asked in ((_scored, rare), (_jackknifed, ~rare)):
        places = np.flatnonzero(asked)
        columns = [*places, -1]
        chances = np.array([exact.get(place, np.nan) for place in places.tolist()])
        found = ratios(observed[places], (sides[0][:, columns], sides[1][:, columns]), clusters, chances, level)
        results |= dict(zip(places.tolist(), found, strict=True))
    return [results[place] for place in range(len(observed))]


def _method(model: str, clusters: Clusters, note: str, level: float) -> str:
    unit = "matched blocks" if clusters.matched.all() else "texts and blocks" if clusters.matched.any() else "texts"
    chosen = f"; at {100 * level:.4g} %, for words chosen by their ratios" if level > LEVEL else ""
    return f"{model} over {clusters.number} {unit}{note}{chosen}"


def _seen_at(error: Floats) -> Floats:
    """Return the smallest ratio above 1 that is found with power POWER. `error`: standard errors of ln OR."""
    return np.exp((NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)) * error)


def _jackknifed(observed: Floats, sides: Sides, clusters: Clusters, _: Floats, level: float) -> list[OddsRatio]:
    first, second = sides
    in_first, in_second = first.sum(axis=0), second.sum(axis=0)
    without = _log_ratio(in_first - first, in_second - second)
    of_cells = [cells + HALDANE for side in (in_first, in_second) for cells in (side[:-1], side[-1] - side[:-1])]
    least = np.sqrt(sum(1 / cells for cells in of_cells))
    skewed = SkewedT.of(without, clusters.strata(), least)
    low, high = np.exp(skewed.bounds(observed, level))
    p, seen_at = skewed.p(observed), _seen_at(skewed.error)
    ratios = []
    for column, value in enumerate(observed.tolist()):
        model, note = "jackknife t", ", corrected for skewness"
        if skewed.error[column] == least[column]:
            model, note = f"{AT_LEAST},", ""
        method = _method(model, clusters, note, level)
        bounds = Bounds(float(low[column]), float(high[column]), method, level)
        ratios.append(OddsRatio(exp(value), "", MaybeBounds(bounds), float(p[column]), float(seen_at[column])))
    return ratios


# ---- what few texts have

LARGEST_LOG_RATIO = 40.0
HALVINGS = 45  # of 80: to 2e-12
ROUNDING = 1e-20  # of a share of squares
WORDS_IN_COMMON = 5.0


@dataclass(frozen=True)
class ScoreOdds:
    """Scores of odds ratios ψ, with the variance that texts or blocks show: T(ψ) = (A − N p₁) / √(d I(ψ)).

    A of the first group's N words, B of the second's M; p₁ and p₂ have the odds ratio ψ and N p₁ + M p₂ = A + B.
    I = v₁ v₂ / (v₁ + v₂) with v₁ = N p₁ (1 − p₁) and v₂ likewise is the variance if words were independent. `design`
    is how many times as much texts or blocks vary where ψ = 1 and p = (A + B) / (N + M): d = (e d_u + 5 d_r) / (e + 5)
    with the smaller expected count e. d_u = Σ u_i² / I(1), where u_i = [M x_i − N y_i] / (N + M), x_i = a_i − n_i p,
    y_i = b_i − m_i p, is what text or block i adds to the score, so that T(1) with d_u is the robust score of
    generalised estimating equations (Rotnitzky & Jewell 1990). d_r = Σ (x_i − y_i)² / (v₁ + v₂) is the same if both
    groups vary alike: of a small group alone few words do not tell how they vary. All T within ± z are Miettinen and
    Nurminen's interval (1985), widened by d. With u_i of every ψ instead T would be the same for all where B = 0.
    `a`, `b`, `design`: shape (c,); `n`, `m`: words of the groups.
    """

    a: Floats
    b: Floats
    n: float
    m: float
    design: Floats

    @classmethod
    def of(cls, first: Floats, second: Floats, chances: Floats) -> "ScoreOdds":
        """`first`, `second`: sums per cluster, in the last column of words, shape (clusters, c + 1).

        `chances`: the exact p of what one group has alone, which replaces the normal p of T(1) by scaling d; else NaN.
        """
        from scipy.special import ndtri

        (*a, n), (*b, m) = first.sum(axis=0), second.sum(axis=0)
        score = cls(np.array(a), np.array(b), float(n), float(m), np.ones(len(a)))
        p = (score.a + score.b) / (n + m)
        above, beyond = first[:, :-1] - first[:, -1:] * p, second[:, :-1] - second[:, -1:] * p
        difference, information = score._fitted(np.ones(len(a)))
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = difference**2 / (information * ndtri(chances / 2) ** 2)
            own = (((m * above - n * beyond) / (n + m)) ** 2).sum(axis=0) / information
            common = ((above - beyond) ** 2).sum(axis=0) / ((n + m) * p * (1 - p))
            smaller = min(n, m) * p
            shown = (smaller * own + WORDS_IN_COMMON * common) / (smaller + WORDS_IN_COMMON)
            shown = np.where(shown > ROUNDING, shown, 0.0)
        return replace(score, design=np.where(np.isnan(chances), shown, exact))

    @property
    def error(self) -> Floats:
        """The standard error of ln OR where ψ = 1."""
        return np.asarray(np.sqrt(self.design / self._fitted(np.ones(len(self.a)))[1]))

    def statistic(self, ratios: Floats) -> Floats:
        """Return T of an odds ratio of each column, shape (c,); not a number where nothing varies."""
        difference, information = self._fitted(ratios)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(difference / np.sqrt(self.design * information))

    def p(self) -> Floats:
        """Return the two-sided p of ψ = 1; 1 where nothing varies."""
        from scipy.special import ndtr

        return np.asarray(np.nan_to_num(2 * ndtr(-np.abs(self.statistic(np.ones(len(self.a))))), nan=1.0))

    def bounds(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the lowest and highest ψ with |T| at most z of the level; 0 where A = 0, infinite where B = 0."""
        z = NormalDist().inv_cdf((1 + level) / 2)
        wanted = np.array([[z], [-z]])
        start = np.full((2, len(self.a)), LARGEST_LOG_RATIO)
        low, high = -start, start
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = self.statistic(np.exp(middle)) > wanted  # T falls as ψ grows
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        lowest, highest = np.exp((low + high) / 2)
        return np.where(self.a == 0, 0.0, lowest), np.where(self.b == 0, np.inf, highest)

    def _fitted(self, ratios: Floats) -> tuple[Floats, Floats]:
        """A − N p₁ and I(ψ)."""
        total = self.a + self.b
        square = self.m * (ratios - 1)  # of square p₂² + middle p₂ − total = 0
        middle = self.n * ratios + self.m - total * (ratios - 1)
        in_second = 2 * total / (middle + np.sqrt(middle**2 + 4 * square * total))
        in_first = ratios * in_second / (1 + (ratios - 1) * in_second)
        of_first = self.n * in_first * (1 - in_first)
        of_second = self.m * in_second * (1 - in_second)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.a - self.n * in_first, of_first * of_second / (of_first + of_second)


def _scored(observed: Floats, sides: Sides, clusters: Clusters, chances: Floats, level: float) -> list[OddsRatio]:
    score = ScoreOdds.of(*sides, chances)
    low, high = score.bounds(level)
    p, seen_at = score.p(), _seen_at(score.error)
    ratios = []
    for column, value in enumerate(observed.tolist()):
        note = "" if np.isnan(chances[column]) else ", scaled to the exact chance of words of one group alone"
        method = _method("score", clusters, note, level)
        bounds = MaybeBounds(Bounds(float(low[column]), float(high[column]), method, level))
        if not np.isfinite(score.design[column]):
            bounds = MaybeBounds(None, UNBOUNDED)
        elif low[column] == high[column]:
            bounds = MaybeBounds(None, NO_DIFFERENCE)
        seen = float(seen_at[column]) if 0 < score.design[column] < np.inf else None
        ratios.append(OddsRatio(exp(value), "", bounds, float(p[column]), seen))
    return ratios


# ---- the same texts asked for twice, with and without an instruction


@dataclass(frozen=True)
class OddsRatioChange:
    """`value`: odds ratio with the instruction over that without. None where undefined; `reason` says why."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None = None


def odds_ratio_changes(
    plain: Numbers, plain_tokens: Numbers, treated: Numbers, treated_tokens: Numbers, first: Bools, cluster: Ints
) -> list[OddsRatioChange]:
    """OR with the instruction / OR without it, per column; both first group over second, Haldane's ½ in each cell.

    Row i of `plain` (n, c) and of `treated` are the two texts of one prompt; `…_tokens` (n,): their words; `first`
    (n,): is it of the first group; `cluster` (n,): numbers from 0, what was sampled together. Interval and p: t by the
    jackknife over clusters, corrected for skewness (`SkewedT`). ValueError for unequal lengths or NaN.
    """
    before = finite(np.column_stack([plain, plain_tokens]))
    after = finite(np.column_stack([treated, treated_tokens]))
    if not len(before) == len(after) == len(first) == len(cluster):
        raise ValueError("every text needs its twin, a group and a cluster")
    cells = np.hstack([side[:, None] * part for part in (before, after) for side in (first, ~first)])
    totals = cells.sum(axis=0)
    if min(_parts(totals)[place][..., -1].min() for place in range(4)) == 0:
        return [OddsRatioChange(None, "a group has no words", MaybeBounds(None, "no estimate"))] * plain.shape[1]
    observed = _log_change(totals)
    if estimates_alone():
        return [_change(at, float(value), None, NO_BOUNDS, totals) for at, value in enumerate(observed)]
    of_groups = [np.unique(cluster[side]) for side in (first, ~first)]
    per_cluster = np.zeros((int(cluster.max()) + 1, cells.shape[1]))
    np.add.at(per_cluster, cluster, cells)
    if min(map(len, of_groups)) < FEWEST_CLUSTERS:
        none = MaybeBounds(None, f"fewer than {FEWEST_CLUSTERS} matched blocks or texts of a group")
        return [_change(at, float(value), None, none, totals) for at, value in enumerate(observed)]
    together = [np.arange(len(per_cluster))] if len(np.intersect1d(of_groups[0], of_groups[1])) else of_groups
    skewed = SkewedT.of(_log_change(totals - per_cluster), together, _least(totals))
    low, high = np.exp(skewed.bounds(observed))
    p = skewed.p(observed)
    method = f"jackknife t over {len(per_cluster)} blocks or texts, corrected for skewness"
    return [
        _change(at, float(value), float(p[at]), MaybeBounds(Bounds(float(low[at]), float(high[at]), method)), totals)
        if skewed.error[at]
        else _change(at, float(value), None, MaybeBounds(None, "no text changed the words of a group"), totals)
        for at, value in enumerate(observed)
    ]


def _least(totals: Floats) -> Floats:
    """The least error of a change where a count is 0, which the jackknife takes for certain; else 0, shape (c,)."""
    sides = _parts(totals)
    variance = sum(1 / (side[:-1] + HALDANE) + 1 / (side[-1] - side[:-1] + HALDANE) for side in sides)
    return np.where(np.min([side[:-1] for side in sides], axis=0) == 0, np.sqrt(variance), 0.0)


def _change(column: int, log_change: float, p: float | None, interval: MaybeBounds, totals: Floats) -> OddsRatioChange:
    in_plain, out_plain, in_treated, out_treated = _parts(totals)
    expected = min(
        smallest_expected(inside[column] + outside[column], inside[-1], outside[-1])
        for inside, outside in ((in_plain, out_plain), (in_treated, out_treated))
    )
    if expected < FEWEST_EXPECTED:
        reason = f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}"
        return OddsRatioChange(None, reason, MaybeBounds(None, "no estimate"))
    return OddsRatioChange(exp(log_change), "", interval, p)


def _parts(sums: Floats) -> list[Floats]:
    """First group and second group without the instruction, then with it; columns and, last, tokens."""
    return np.split(sums, 4, axis=-1)


def _log_change(sums: Floats) -> Floats:
    in_plain, out_plain, in_treated, out_treated = _parts(sums)

    def ratio(inside: Floats, outside: Floats) -> Floats:
        return log_odds_ratio(inside[..., :-1], inside[..., -1:], outside[..., :-1], outside[..., -1:])

    return ratio(in_treated, out_treated) - ratio(in_plain, out_plain)
