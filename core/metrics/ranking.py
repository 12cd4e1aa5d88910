"""Rankings from comparisons of some at a time: Bradley–Terry with ties (Davidson), Plackett–Luce for three.

Of the identities S on the cards, b is the best with a probability proportional to π_b, and all are equally good with
one proportional to δ_|S| (∏ π_i)^(1/|S|), i in S. Where the worst was named too, the one in between beats it by
Bradley–Terry: together that is Plackett–Luce's chance of the order. Two cards make it Davidson's model.

With a style the log odds of a card are ln π_i + Σ β_s x_is (`biasprint.core.metrics.preference`): strengths are those
of texts of equal style, β what each style does to the odds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from biasprint.core.metrics.anytime import log_odds_anytime_p, log_odds_band, share_anytime_p, share_band
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.preference import CardStyle, typical_difference
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import LEVEL, Bounds, Floats, Ints, MaybeBounds, finite, holm, same_length

NOBODY = -1
# Each identity meets a text of average strength so often, half won and half lost: who won every time has an estimate.
IMAGINARY = 1.0
BOOTSTRAP = 400
STEPS, CLOSE, LONGEST_STEP = 60, 1e-8, 2.0
SEPARATE = 0.05
LARGEST_LOG = 27.6  # ln 10¹²: an odds ratio whose interval reaches farther is not bounded
NOT_LINKED = "not every identity was compared with the others, directly or through others"

SEPARATED_AT = 15.0  # log odds of a typical difference of style, without its imaginary comparison
AT_ONCE = 20_000_000  # numbers of an array while draws are fitted


class _Kind(NamedTuple):
    """The identities on the cards, whether “all equally good” can be said, and the style of each card."""

    shown: tuple[int, ...]
    can_tie: bool
    style: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Ballots:
    """Judgments of each comparison. `shown`: identities on the cards, by number, shape (n, 2 or 3), NOBODY where
    there is no third card. `best`, `worst`: one of them, shape (n,); NOBODY as best: they are equally good; as worst:
    it was not named. `weight`: 1, or less where several replies are one. `rater`, `block`: how they belong together.
    `style`: what else is on the cards, in the columns of `shown`, to be held equal; None: nothing is.
    """

    shown: Ints
    best: Ints
    worst: Ints
    weight: Floats
    rater: Ints
    block: Ints
    style: CardStyle | None = None

    def __post_init__(self) -> None:
        finite(self.weight, "weights")
        for column in (self.best, self.worst, self.weight, self.rater, self.block):
            same_length(self.shown, column)
        if self.style is not None:
            same_length(self.shown, self.style.columns)


@dataclass(frozen=True)
class RankedPair:
    """`chance`: that a text of the first is preferred to one of the second. `p` adjusted by Holm over all pairs."""

    first: int
    second: int
    chance: float
    interval: Bounds | None
    p: float | None
    adjusted: float | None


@dataclass(frozen=True)
class RankedIdentity:
    """`strength`: the chance to be preferred to a text of another identity, averaged over the others; ½ is average.

    `place`: 1 is the strongest. `places`: from the best to the worst that the distinguishable pairs allow.
    """

    strength: float
    interval: Bounds | None
    p: float | None
    place: int
    places: tuple[int, int] | None


@dataclass(frozen=True)
class Ranking:
    """By the number of the identity; pairs in order. `ties`: the chance of “equally good” among equal texts, by the
    number of cards. `units`: what the intervals rest on, in words. `contrasts`: exp Σ w_i ln π_i of each that was asked
    for. `styles`: the odds ratio of each style. None with a `reason`, as in every result."""

    identities: tuple[RankedIdentity, ...] | None
    pairs: tuple[RankedPair, ...] = ()
    ties: tuple[tuple[int, float], ...] = ()
    units: str = ""
    reason: str = ""
    contrasts: tuple[OddsRatio, ...] = ()
    styles: tuple[OddsRatio, ...] = ()


def ranking(
    ballots: Ballots,
    identities: int,
    *,
    by_rater: bool,
    contrasts: Floats | None = None,
    seed: int = 0,
    resamples: int = BOOTSTRAP,
    watched: bool = False,
) -> Ranking:
    """Strengths and places of so many identities, all pairs of them, with intervals; and `contrasts` of their log π,
    shape (m, identities), as odds ratios.

    Raters are drawn with replacement, blocks (comparisons that share texts) apart from them, and their crossings; the
    variance is that of raters plus that of blocks less that of the crossings, and at least either. The interval is
    Student's t on the logit, with Satterthwaite's degrees of freedom. `by_rater` False: there are too few raters to
    tell how much raters differ, and it is for these raters.
    Source: Davidson 1970; Luce 1959, Plackett 1975; Firth, Kosmidis & Turner 2019 (ties of three); Cameron, Gelbach &
    Miller 2011 (two ways of belonging together).

    `watched`: comparisons were chosen by the answers before them, and one looks after every round. Then the variance is
    the sandwich of the scores instead of a bootstrap, and intervals and p are anytime-valid
    (`biasprint.core.metrics.anytime.log_odds_band`): with probability 95 % no pair is ever told apart the wrong way
    round, at all looks together, because Holm's first false rejection needs a p that is ever so small.

    Every interval of a pair is at 1 − α / number of pairs, so that all hold together; so are those of strengths.

    Where all comparisons between two identities, directly or through others, went one way, no strength is too large for
    them and draws of them hardly differ: `_one_way`. At equal style such a strength has no interval.
    Each style has an imaginary comparison too: of equal texts that differ by as much as two cards usually do, half won
    and half lost. Where a style alone decides, there is no ranking at equal style.
    """
    if not len(ballots.best):
        return Ranking(None, reason="no comparison with an answer")
    if identities < 2 or not _linked(ballots.shown, identities):
        return Ranking(None, reason=NOT_LINKED)
    model = _Model.of(ballots, identities)
    theta = model.fitted(model.counted())[0]
    if decides := model.decides(theta):
        return Ranking(None, reason=f"{decides} decides every comparison: nothing is left that tells who is preferred")
    pairs = list(combinations(range(identities), 2))
    steps = np.zeros((len(pairs), identities))
    for at, (first, second) in enumerate(pairs):
        steps[at, [first, second]] = 1.0, -1.0
    weights = steps if contrasts is None else np.concatenate([steps, contrasts])
    every = model.logits(theta[None], weights)[0]
    if watched:
        spread = _spread(ballots, by_rater, _Sandwich(model, theta, weights).variance)
        spread = _watched_spread(spread, ballots, pairs, by_rater, identities)
    else:
        rng = generator(seed, "ranking")
        spread = _spread(ballots, by_rater, lambda way: _variance(model, way, weights, rng, resamples))
    value = every[: identities + len(pairs)]
    exact = _one_way(ballots, identities, pairs, by_rater)
    styled = ballots.style is not None
    tested = [
        _tested(each, at, spread, exact.get(at, 0), styled, identities if at < identities else len(pairs))
        for at, each in enumerate(value)
    ]
    adjusted = holm([p for _, _, p in tested[identities:]])
    tested_pairs = tuple(
        RankedPair(first, second, *tested[identities + at], adjusted[at]) for at, (first, second) in enumerate(pairs)
    )
    strengths = value[:identities]
    ranked = tuple(
        RankedIdentity(
            *tested[place], 1 + int((strengths > strengths[place]).sum()), _places(place, tested_pairs, identities)
        )
        for place in range(identities)
    )
    ratios = tuple(_ratio(float(each), at, spread) for at, each in enumerate(every) if at >= len(value))
    asked = len(ratios) - model.styles
    return Ranking(
        ranked, tested_pairs, model.tie_chances(theta), spread.units, contrasts=ratios[:asked], styles=ratios[asked:]
    )


def fitted_strengths(ballots: Ballots, identities: int, imaginary: float = IMAGINARY) -> Floats:
    """log π of largest likelihood, mean 0, then log δ by number of cards where there are ties, then β by style.

    `imaginary` 0 is the plain likelihood, which has no maximum where somebody won, or lost, every time.
    """
    model = replace(_Model.of(ballots, identities), imaginary=imaginary)
    return np.asarray(model.fitted(model.counted())[0])


# ---- The model: comparisons of one kind are counted together, and many tables of counts are fitted at once


@dataclass(frozen=True)
class _Model:
    """`answers`: of each, the ballot, its place among kinds × 4, and its weight. `features`: of each place, shape
    (kinds, 4, parameters); `offset`: −∞ where a kind has fewer answers. The parameters: log π, then log δ of each
    number of cards with ties, then β of each style, two cards differing in it by `typical` (styles,).
    """

    answers: tuple[Ints, Ints, Floats]
    identities: int
    tied: tuple[int, ...]
    tie_shares: tuple[float, ...]
    features: Floats
    offset: Floats
    imaginary: float = IMAGINARY
    names: tuple[str, ...] = ()
    typical: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def styles(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, ballots: Ballots, identities: int) -> "_Model":
        cards = (ballots.shown != NOBODY).sum(axis=1)
        sizes = [int(size) for size in np.unique(cards)]
        share = {
            size: float(np.average(ballots.best[cards == size] == NOBODY, weights=ballots.weight[cards == size]))
            for size in sizes
        }
        tied = tuple(size for size in sizes if share[size] > 0)
        kinds: dict[_Kind, int] = {}
        style = ballots.style
        distinct, number = _distinct(ballots, identities)
        coded = np.full((len(distinct.best), 2), -1)
        for row, stages in enumerate(_stages(distinct, tied)):
            for stage, (kind, answer) in enumerate(stages):
                coded[row, stage] = kinds.setdefault(kind, len(kinds)) * 4 + answer
        every = coded[number]
        rows, places = np.nonzero(every >= 0)[0], every[every >= 0]
        of_style = identities + len(tied)
        parameters = of_style + (0 if style is None else len(style.names))
        features = np.zeros((len(kinds), 4, parameters))
        offset = np.full((len(kinds), 4), -np.inf)
        for (shown, can_tie, styles), at in kinds.items():
            for answer, identity in enumerate(shown):
                features[at, answer, identity] = 1.0
            if styles:
                features[at, : len(shown), of_style:] = styles
            offset[at, : len(shown)] = 0.0
            if can_tie:
                features[at, 3] = features[at, : len(shown)].mean(axis=0)
                features[at, 3, identities + tied.index(len(shown))] = 1.0
                offset[at, 3] = 0.0
        answers = (rows, places, ballots.weight[rows])
        shares = tuple(min(share[size], 0.99) for size in tied)
        if style is None:
            return cls(answers, identities, tied, shares, features, offset)
        typical = typical_difference(style, ballots.shown != NOBODY)
        return cls(answers, identities, tied, shares, features, offset, names=style.names, typical=typical)

    def decides(self, theta: Floats) -> str:
        """Return the styles that alone decide every comparison: without imaginary ones they have no largest β."""
        if not self.styles:
            return ""
        free = replace(self, typical=np.zeros(self.styles)).fitted(self.counted(), theta)[0, -self.styles :]
        endless = np.abs(free) * self.typical > SEPARATED_AT
        return ", ".join(name for name, without_end in zip(self.names, endless, strict=True) if without_end)

    def logits(self, theta: Floats, weights: Floats) -> Floats:
        """Logits of the mean chance of each identity, then Σ w_i ln π_i, then β; `theta` (r, p), `weights` (m, k)."""
        found = _logits(theta[:, : self.identities], weights)
        return np.concatenate([found, theta[:, theta.shape[1] - self.styles :]], axis=1)

    def counted(self) -> Floats:
        """Count how often each answer was given: shape (1, kinds × 4)."""
        _, places, weights = self.answers
        return np.bincount(places, weights, minlength=self.offset.size).astype(np.float64)[None]

    def drawn(self, clusters: Ints, rng: np.random.Generator, resamples: int) -> Floats:
        """Count the answers in draws of clusters, by number of each ballot, with replacement: shape (r, kinds × 4)."""
        from scipy.sparse import csr_array

        rows, places, weights = self.answers
        many = int(clusters.max()) + 1
        of_clusters = csr_array((weights, (places, clusters[rows])), shape=(self.offset.size, many))
        times = rng.multinomial(many, np.full(many, 1 / many), size=resamples)
        return np.asarray((of_clusters @ times.T.astype(np.float64)).T)

    def fitted(self, tables: Floats, start: Floats | None = None) -> Floats:
        """The parameters of largest likelihood of each table of counts (r, kinds × 4), by Newton's steps: (r, p).

        The likelihood does not tell the sum of log π: −(Σ log π)² / 2 beside it keeps that near 0. `start`: where the
        steps begin, shape (p,); else at 0.
        """
        size = max(1, AT_ONCE // self.features.size)
        parts = [self._fitted(tables[first : first + size], start) for first in range(0, len(tables), size)]
        return np.concatenate(parts)

    def _fitted(self, tables: Floats, start: Floats | None) -> Floats:
        replicates, parameters = len(tables), self.features.shape[2]
        counts = tables.reshape(replicates, -1, 4)
        totals = counts.sum(axis=2)
        flat = self.features.reshape(-1, parameters)
        crossed = np.einsum("fa,fb->fab", flat, flat).reshape(len(flat), -1)
        level = np.zeros((parameters, parameters))
        level[: self.identities, : self.identities] = 1.0
        theta = np.zeros((replicates, parameters)) if start is None else np.tile(start, (replicates, 1))
        for _ in range(STEPS):
            utility = (theta @ flat.T).reshape(counts.shape) + self.offset
            odds = np.exp(utility - utility.max(axis=2, keepdims=True))
            expected = odds / odds.sum(axis=2, keepdims=True) * totals[:, :, None]
            scores = (counts - expected).reshape(replicates, -1) @ flat
            means = np.einsum("rga,gap->rgp", expected, self.features)
            information = (expected.reshape(replicates, -1) @ crossed).reshape(replicates, parameters, parameters)
            weighted = means / np.maximum(totals, 1e-300)[:, :, None]
            information -= np.swapaxes(weighted, 1, 2) @ means
            self._imagine(theta, scores, information)
            scores -= theta @ level
            step = np.linalg.solve(information + level, scores[:, :, None])[:, :, 0]
            largest = np.abs(step).max(axis=1, keepdims=True)
            theta += step * np.minimum(1.0, LONGEST_STEP / np.maximum(largest, CLOSE))
            if largest.max() < CLOSE:
                break
        theta[:, : self.identities] -= theta[:, : self.identities].mean(axis=1, keepdims=True)
        return theta

    def _imagine(self, theta: Floats, scores: Floats, information: Floats) -> None:
        """Add the imaginary comparisons: each identity with an average text, each style, as many ties as there were."""
        own = theta[:, : self.identities]
        chance = 1 / (1 + np.exp(-np.clip(own, -500, 500)))
        places = np.arange(self.identities)
        scores[:, places] += self.imaginary * (0.5 - chance)
        information[:, places, places] += self.imaginary * chance * (1 - chance)
        for at, (size, share) in enumerate(zip(self.tied, self.tie_shares, strict=True), start=self.identities):
            tie = 1 / (1 + size * np.exp(-np.clip(theta[:, at], -500, 500)))
            scores[:, at] += self.imaginary * (share - tie)
            information[:, at, at] += self.imaginary * tie * (1 - tie)
        for at, typical in enumerate(self.typical, start=theta.shape[1] - self.styles):
            won = 1 / (1 + np.exp(-np.clip(typical * theta[:, at], -500, 500)))
            scores[:, at] += self.imaginary * typical * (0.5 - won)
            information[:, at, at] += self.imaginary * typical**2 * won * (1 - won)

    def tie_chances(self, theta: Floats) -> tuple[tuple[int, float], ...]:
        log_ties = zip(self.tied, theta[self.identities : self.identities + len(self.tied)], strict=True)
        return tuple((size, float(1 / (1 + size * np.exp(-log_tie)))) for size, log_tie in log_ties)


def _distinct(ballots: Ballots, identities: int) -> tuple[Ballots, Ints]:
    """The different ballots in the order in which they come first, and which of them each is: int64[n].

    With a style every ballot is one of its own.
    """
    if ballots.style is not None:
        return ballots, np.arange(len(ballots.best))
    columns, base = [*ballots.shown.T, ballots.best, ballots.worst], identities + 1
    if base ** len(columns) < 2**62:
        code = np.zeros(len(ballots.best), dtype=np.int64)
        for column in columns:
            code = code * base + (column.astype(np.int64) - NOBODY)
        _, first, number = np.unique(code, return_index=True, return_inverse=True)
    else:
        _, first, number = np.unique(np.column_stack(columns), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    chosen = first[order]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    distinct = Ballots(
        ballots.shown[chosen], ballots.best[chosen], ballots.worst[chosen], ballots.weight[chosen],
        ballots.rater[chosen], ballots.block[chosen],
    )  # fmt: skip
    return distinct, place[number.reshape(-1)]


def _stages(ballots: Ballots, tied: tuple[int, ...]) -> list[list[tuple[_Kind, int]]]:
    """Return each ballot's answers in turn: the best of all, then, if the worst is named, the better of the other two.

    An answer is a place on the cards in the order of their identities; 3 is “equally good”.
    """
    all_stages = []
    style = None if ballots.style is None else ballots.style.columns.tolist()
    for at, (row, best, worst) in enumerate(zip(ballots.shown, ballots.best, ballots.worst, strict=True)):
        of_card = {int(identity): card for card, identity in enumerate(row) if identity != NOBODY}
        shown = tuple(sorted(of_card))
        styles = {name: () if style is None else tuple(style[at][card]) for name, card in of_card.items()}
        kind = _kind(shown, len(shown) in tied, styles)
        stages = [(kind, 3 if best == NOBODY else shown.index(int(best)))]
        if len(shown) == 3 and best != NOBODY and worst != NOBODY:
            rest = tuple(identity for identity in shown if identity != best)
            stages.append((_kind(rest, False, styles), 1 - rest.index(int(worst))))
        all_stages.append(stages)
    return all_stages


def _kind(shown: tuple[int, ...], can_tie: bool, styles: Mapping[int, tuple[float, ...]]) -> _Kind:
    return _Kind(shown, can_tie, tuple(styles[identity] for identity in shown if styles[identity]))


def _linked(shown: Ints, identities: int) -> bool:
    reached = {int(shown[0, 0])}
    sets = {tuple(int(identity) for identity in row if identity != NOBODY) for row in shown}
    while more := {identity for each in sets if reached & set(each) for identity in each} - reached:
        reached |= more
    return len(reached) == identities


# ---- How much the estimates scatter


@dataclass(frozen=True)
class _Spread:
    """Standard error and degrees of freedom of every logit; `units` in words, `fewest` of the kind of which there are
    fewest. None: nothing tells them."""

    error: Floats | None
    freedom: Floats | None
    units: str
    fewest: int = 0
    watched: bool = False


def _logits(strengths: Floats, weights: Floats) -> Floats:
    """Logits of the mean chance of each identity, then Σ w_i ln π_i. `strengths`: shape (r, k), `weights` (m, k)."""
    k = strengths.shape[1]
    chance = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))  # [r, i, j]: i preferred to j
    mean = (chance.sum(axis=2) - 0.5) / (k - 1)
    return np.concatenate([np.log(mean / (1 - mean)), strengths @ weights.T], axis=1)


def _spread(ballots: Ballots, by_rater: bool, variance: Callable[[Ints], Floats]) -> _Spread:
    """`variance`: of every logit where units of this number belong together."""
    raters, blocks = (np.unique(each, return_inverse=True)[1] for each in (ballots.rater, ballots.block))
    many_raters, many_blocks = int(raters.max()) + 1, int(blocks.max()) + 1
    ways = []
    if by_rater and many_raters > 1:
        ways.append((raters, f"{many_raters} raters"))
    if many_blocks > 1:
        ways.append((blocks, f"{many_blocks} sets of texts"))
    if not ways:
        return _Spread(None, None, "")
    variances = [variance(way) for way, _ in ways]
    total = sum(variances)
    if len(ways) == 2:
        crossing = raters * many_blocks + blocks
        both = total - variance(crossing)
        total = np.maximum(both, np.maximum(*variances))
    uncertain = sum(each**2 / int(way.max()) for each, (way, _) in zip(variances, ways, strict=True))
    words = " and ".join(words for _, words in ways)
    fewest = min(int(way.max()) + 1 for way, _ in ways)
    return _Spread(np.sqrt(total), total**2 / np.maximum(uncertain, 1e-300), words, fewest)


def _watched_spread(
    spread: _Spread, ballots: Ballots, pairs: Sequence[tuple[int, int]], by_rater: bool, identities: int
) -> _Spread:
    """Return the spread for looks after every round: no logit has more degrees of freedom than half the sets of texts
    (or raters) that an identity of it was in, less one. Without that the first rounds of many close ones cover too
    rarely (docs/tables/rounds.md).
    """
    if spread.freedom is None:
        return spread
    most = np.zeros(identities)
    for identity in range(identities):
        own = (ballots.shown == identity).any(axis=1)
        units = [len(np.unique(ballots.block[own]))] + ([len(np.unique(ballots.rater[own]))] if by_rater else [])
        most[identity] = max(1, min(units) / 2 - 1)
    known = [*most, *(min(most[first], most[second]) for first, second in pairs)]
    every = np.concatenate([known, np.full(len(spread.freedom) - len(known), most.min())])
    return replace(spread, freedom=np.minimum(spread.freedom, every), watched=True)


def _variance(model: _Model, way: Ints, weights: Floats, rng: np.random.Generator, resamples: int) -> Floats:
    """Return the variance of every logit over draws of clusters with replacement, times g / (g − 1) for g of them."""
    clusters = np.unique(way, return_inverse=True)[1]
    many = int(clusters.max()) + 1
    start = model.fitted(model.counted())[0] if model.styles else None
    fitted = model.fitted(model.drawn(clusters, rng, resamples), start)
    return np.asarray(model.logits(fitted, weights).var(axis=0, ddof=1) * many / max(1, many - 1))


class _Sandwich:
    """J H⁻¹ (Σ_g S_g S_gᵀ) H⁻¹ Jᵀ · g / (g − 1), and at least J H⁻¹ Jᵀ: S_g the sum of a unit's scores, H the
    information, J the derivative of the logits by the parameters."""

    def __init__(self, model: _Model, theta: Floats, weights: Floats) -> None:
        rows, places, weight = model.answers
        parameters = model.features.shape[2]
        flat, counts = model.features.reshape(-1, parameters), model.counted().reshape(-1, 4)
        utility = (flat @ theta).reshape(counts.shape) + model.offset
        chance = np.exp(utility - utility.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        means = np.einsum("ga,gap->gp", chance, model.features)
        expected = chance * counts.sum(axis=1, keepdims=True)
        information = (flat * expected.reshape(-1, 1)).T @ flat - (means * counts.sum(axis=1, keepdims=True)).T @ means
        model._imagine(theta[None], np.zeros((1, parameters)), information[None])
        information[: model.identities, : model.identities] += 1.0
        step = np.eye(parameters) * 1e-4
        ends = model.logits(np.concatenate([theta + step, theta - step]), weights)
        slopes = (ends[:parameters] - ends[parameters:]).T / 2e-4
        self._of_model = slopes @ np.linalg.inv(information)
        self._least = np.einsum("mp,mp->m", self._of_model, slopes)
        self._rows, self._influence = rows, (flat[places] - means[places // 4]) * weight[:, None] @ self._of_model.T

    def variance(self, way: Ints) -> Floats:
        """Return the variance of every logit over units, by number of each ballot."""
        clusters = np.unique(way, return_inverse=True)[1]
        many = int(clusters.max()) + 1
        sums = np.zeros((many, self._influence.shape[1]))
        np.add.at(sums, clusters[self._rows], self._influence)
        return np.asarray(np.maximum((sums**2).sum(axis=0) * many / max(1, many - 1), self._least))


def _one_way(ballots: Ballots, identities: int, pairs: Sequence[tuple[int, int]], by_rater: bool) -> dict[int, int]:
    """The logits whose likelihood has no maximum, with the number of independent units that say so, all the same.

    Of two identities that is so where the first beat the second, directly or through others, and never the other way
    round, with “equally good” as one win for each. Units are sets of texts, or raters where these are fewer: of a chain
    through others the fewest of its links, and of the chains the one where that is most. Of an identity's mean it is so
    where it is so against every other, with the fewest units of them.
    """
    won = _units_won(ballots, identities, by_rater)
    for through in range(identities):  # of all chains the one whose weakest link is the strongest
        won = np.maximum(won, np.minimum(won[:, through, None], won[None, through, :]))
    apart = np.where((won > 0) & (won.T == 0), won, 0)
    exact: dict[int, int] = {}
    for identity in range(identities):
        others = np.arange(identities) != identity
        for side in (apart[identity, others], apart[others, identity]):
            if side.min() > 0:
                exact[identity] = int(side.min())
    for at, (first, second) in enumerate(pairs, start=identities):
        if units := max(int(apart[first, second]), int(apart[second, first])):
            exact[at] = units
    return exact


def _units_won(ballots: Ballots, identities: int, by_rater: bool) -> Ints:
    """In how many units the one, by row, beat the other, by column, or was called equally good: shape (k, k)."""
    of_blocks: dict[tuple[int, int], set[int]] = {}
    of_raters: dict[tuple[int, int], set[int]] = {}
    columns = (ballots.shown, ballots.best, ballots.worst, ballots.rater, ballots.block)
    for shown, best, worst, rater, block in zip(*columns, strict=True):
        cards = [int(identity) for identity in shown if identity != NOBODY]
        links = [(one, other) for one in cards for other in cards if one != other]
        if best != NOBODY:
            links = [(int(best), other) for other in cards if other != best]
            links += [(one, int(worst)) for one in cards if worst not in (NOBODY, one) and one != best]
        for link in links:
            of_blocks.setdefault(link, set()).add(int(block))
            of_raters.setdefault(link, set()).add(int(rater))
    won = np.zeros((identities, identities), dtype=np.int64)
    for link, blocks in of_blocks.items():
        won[link] = min(len(blocks), len(of_raters[link])) if by_rater else len(blocks)
    return won


ALIKE = 1e-6  # a standard error below: the draws differ by the fit's own rounding


def _tested(
    logit: float, at: int, spread: _Spread, one_way: int, styled: bool, together: int
) -> tuple[float, Bounds | None, float | None]:
    """Chance, interval, and p against ½.

    Where so many units, `one_way`, went one way and none the other, p is 2 / 2ⁿ and the interval Clopper and Pearson's
    of n of n. Elsewhere, where every set of texts (every rater) says the same, no draw of them differs: then p is that
    of their sign flips, 2 / 2ⁿ, and the interval Wilson's with one comparison for each. Counts do not tell texts of
    equal style: `styled`, there is neither.
    """
    chance = float(1 / (1 + np.exp(-logit)))
    if spread.error is None or spread.freedom is None or (styled and (one_way or spread.error[at] < ALIKE)):
        return chance, None, None
    if spread.watched:
        return _watched(logit, at, spread, one_way, together)
    if one_way:
        least = ((1 - LEVEL) / 2) ** (1 / one_way)
        low, high = (least, 1.0) if logit > 0 else (0.0, 1 - least)
        method = f"Clopper–Pearson, {one_way} of {one_way} units that say the same"
        return chance, Bounds(low, high, method), min(1.0, 2 * 0.5**one_way)
    if spread.error[at] < ALIKE:
        bounds = wilson(chance * spread.fewest, spread.fewest)
        method = f"Wilson, one comparison for each of {spread.units}, which all say the same"
        p = 1.0 if abs(logit) < ALIKE else min(1.0, 2 * 0.5**spread.fewest)
        return chance, None if bounds is None else Bounds(bounds.low, bounds.high, method), p
    low, high, freedom, p = _by_t(logit, at, spread.error, spread.freedom)
    method = f"bootstrap of {spread.units}, t of the logit, df {freedom:.1f}"
    return chance, Bounds(float(1 / (1 + np.exp(-low))), float(1 / (1 + np.exp(-high))), method), p


def _watched(
    logit: float, at: int, spread: _Spread, one_way: int, together: int
) -> tuple[float, Bounds | None, float | None]:
    """`_tested` where one may look after every round; what went one way alone is a share of independent units."""
    assert spread.error is not None
    assert spread.freedom is not None
    chance, level = float(1 / (1 + np.exp(-logit))), 1 - (1 - LEVEL) / together
    if one_way:
        won = float(one_way if logit > 0 else 0)
        band = share_band(won, one_way, level)
        method = f"{band.method}, all {together} together, {one_way} of {one_way} units that say the same"
        return chance, Bounds(band.low, band.high, method), share_anytime_p(won, one_way, 0.5)
    error, freedom = float(spread.error[at]), float(spread.freedom[at])
    band = log_odds_band(logit, error, freedom, level)
    low, high = (float(1 / (1 + np.exp(-end))) for end in (band.low, band.high))
    method = f"{band.method}, all {together} together, {spread.units}, df {freedom:.1f}"
    return chance, Bounds(low, high, method), log_odds_anytime_p(logit, error, freedom)


def _by_t(logit: float, at: int, errors: Floats, freedoms: Floats) -> tuple[float, float, float, float]:
    """Return both ends on the logit, the degrees of freedom, and p against 0."""
    error, freedom = float(errors[at]), float(freedoms[at])
    half = t_quantile((1 + LEVEL) / 2, freedom) * error
    return logit - half, logit + half, freedom, two_sided_t(abs(logit) / error, freedom)


def _ratio(logit: float, at: int, spread: _Spread) -> OddsRatio:
    """A contrast of log π as an odds ratio. No p where no draw differs: of a contrast there are no sign flips."""
    value = float(np.exp(logit))
    if spread.error is None or spread.freedom is None:
        return OddsRatio(value, "", MaybeBounds(None, "one set of texts and too few raters say nothing about others"))
    if spread.error[at] < ALIKE:
        return OddsRatio(value, "", MaybeBounds(None, "no variation between the units"))
    low, high, freedom, p = _by_t(logit, at, spread.error, spread.freedom)
    method = f"bootstrap of {spread.units}, t of the log odds, df {freedom:.1f}"
    if spread.watched:
        error = float(spread.error[at])
        band, p = log_odds_band(logit, error, freedom), log_odds_anytime_p(logit, error, freedom)
        low, high, method = band.low, band.high, f"{band.method}, {spread.units}, df {freedom:.1f}"
    if max(-low, high) > LARGEST_LOG:  # as of two raters who say the opposite
        return OddsRatio(value, "", MaybeBounds(None, f"{spread.units}: so few bound nothing"), p)
    return OddsRatio(value, "", MaybeBounds(Bounds(float(np.exp(low)), float(np.exp(high)), method)), p)


def _places(identity: int, pairs: tuple[RankedPair, ...], identities: int) -> tuple[int, int] | None:
    above = below = 0
    for pair in pairs:
        if identity not in (pair.first, pair.second):
            continue
        if pair.adjusted is None:
            return None
        if pair.adjusted <= SEPARATE:
            won = (pair.chance > 0.5) == (pair.first == identity)
            above, below = above + (not won), below + won
    return 1 + above, identities - below
