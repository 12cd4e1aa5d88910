"""Similarity of two texts, and the words that co-occur with each group's words, as LangFair 0.8.0 defines them.

Texts come as lists of tokens, so that the caller defines what a token is (`biasprint.core.scorers.functions`).

Association of vectors with groups: the word embedding association test (WEAT), and margins between groups.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, exp, log, log10

import numpy as np

from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import RESAMPLES, Bools, Floats, Ints, NoiseFloor, finite

Tokens = Sequence[str]


# ---- WEAT: two sets of words against two attributes

FEWEST_WORDS = 2  # per side
MOST_EXACT = 20_000  # splits that are tried one by one
FEWEST_DEFINED = 100  # of the permutations

TOO_FEW = f"fewer than {FEWEST_WORDS} words with a vector on a side"
NO_SPREAD = "all words stand alike to both attributes"
NOT_INTERVAL = "the words are chosen by their odds ratios, and d jumps as one enters or leaves the choice"


@dataclass(frozen=True)
class Weat:
    """d, its one-sided p, how that was made, and d under no bias; `value` None with the reason where undefined."""

    value: float | None
    reason: str
    p: float | None = None
    test: str = ""
    floor: NoiseFloor | None = None


def association(words: Floats, first: Floats, second: Floats) -> Floats:
    """s(w, A, B) = mean over a in A of cos(w, a) − mean over b in B of cos(w, b), shape (n,).

    `words`, `first` (A), `second` (B): vectors as rows, shapes (n, k), (a, k), (b, k). ValueError for a vector of
    length 0, for NaN, and for an attribute without words. Source: Caliskan et al. 2017.
    """
    if min(len(first), len(second)) == 0:
        raise ValueError("an attribute needs words")
    return np.asarray(_unit(words) @ (_unit(first).mean(axis=0) - _unit(second).mean(axis=0)))


def effects(association: Floats, in_x: Bools, in_y: Bools) -> tuple[Floats, Bools]:
    """d = [mean over X of s − mean over Y of s] / SD of s over X ∪ Y (ddof 1), for every choice of X and Y.

    `association`: s of each word, shape (n,). `in_x`, `in_y`: which words are in the sets, shape (choices, n), no word
    in both. The second array says which choices are defined (enough words, and s varies); d is 0 where not.
    """
    s = association - association.mean()  # keeps the sums of squares exact
    x, y = in_x.astype(np.float64), in_y.astype(np.float64)
    n_x, n_y = x.sum(axis=1), y.sum(axis=1)
    n = n_x + n_y
    sums, squares = (x + y) @ s, (x + y) @ s**2
    variance = (squares - sums**2 / np.maximum(n, 1)) / np.maximum(n - 1, 1)
    defined = (np.minimum(n_x, n_y) >= FEWEST_WORDS) & (variance > np.finfo(np.float64).eps)
    difference = x @ s / np.maximum(n_x, 1) - y @ s / np.maximum(n_y, 1)
    return np.where(defined, difference / np.sqrt(np.where(defined, variance, 1.0)), 0.0), defined


def weat_of_given_words(x: Floats, y: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Weat:
    """d and its one-sided p (d at least as large) over splits of the words into sets of the same sizes.

    `x`, `y`: s(w, A, B) of the words of X and Y, shapes (n,), (m,). Every split where there are at most MOST_EXACT,
    else random ones. It takes the words as given, not as chosen by their groups.
    """
    s = np.concatenate([x, y])
    in_x = np.arange(len(s)) < len(x)
    (observed,), (defined,) = effects(s, in_x[None], ~in_x[None]) if len(s) else (np.zeros(1), np.zeros(1, bool))
    if not defined:
        return Weat(None, TOO_FEW if min(len(x), len(y)) < FEWEST_WORDS else NO_SPREAD)
    splits = comb(len(s), len(x))
    exact = splits <= MOST_EXACT
    drawn = _every_split(len(s), len(x)) if exact else _random_splits(len(s), len(x), rng, resamples)
    null = np.concatenate([effects(s, part, ~part)[0] for part in drawn])
    hits = null >= observed - TOLERANCE
    p = float(hits.mean()) if exact else float(permutation_p(hits))
    test = f"all {splits:,} splits of the words" if exact else f"{resamples:,} random splits of the words"
    return Weat(float(observed), "", p, test)


def weat_of_chosen_words(observed: float, null: Floats, defined: Bools) -> Weat:
    """d and its one-sided p where the words were chosen again in every permutation of the texts' groups.

    `null`, `defined`: as `effects` gives them, shape (permutations,). Permutations that leave too few words say
    nothing; where fewer than FEWEST_DEFINED are left there is no p.
    """
    finite(observed, "estimate")
    usable = finite(null[defined], "permutations")
    test = f"words chosen again in {len(usable):,} permutations of the texts' groups"
    if len(usable) < FEWEST_DEFINED:
        return Weat(observed, f"p: too few words are chosen in all but {len(usable)} permutations", None, test)
    p = float(permutation_p(usable >= observed - TOLERANCE))
    return Weat(observed, "", p, test, NoiseFloor(float(usable.mean()), float(np.quantile(usable, 0.95)), p, test))


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(finite(vectors), axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError("a vector has no length")
    return np.asarray(vectors / lengths, dtype=np.float64)


def _every_split(n: int, size: int) -> Iterator[Bools]:
    places = np.array(list(combinations(range(n), size)))
    split = np.zeros((len(places), n), dtype=bool)
    np.put_along_axis(split, places, True, axis=1)
    yield split


def _random_splits(n: int, size: int, rng: np.random.Generator, resamples: int) -> Iterator[Bools]:
    for each in chunks(resamples, n):
        order = np.argsort(rng.random((each, n)), axis=1)
        yield order < size


# ---- margins


def group_margins(vectors: Floats, group: Ints, blocks: Ints) -> tuple[Floats, Bools]:
    """cos(v, centroid of its own group without v) − largest cos(v, centroid of another group), for each vector v.

    `vectors`: shape (n, dimensions). `group`: 0 … k − 1, or −1 for a vector of no group, whose margin is the largest
    cos less the second largest. `blocks`: vectors of one block share a topic; its mean is taken off first. The second
    array says where a margin is defined: not where a group has no other vector, or there are fewer than two groups;
    it is 0 there. ValueError for NaN.
    """
    vectors = finite(vectors, "vectors")
    k = int(group.max(initial=-1)) + 1
    if k < 2:
        return np.zeros(len(group)), np.zeros(len(group), dtype=np.bool_)
    _, block = np.unique(blocks, return_inverse=True)
    totals = np.zeros((int(block.max()) + 1, vectors.shape[1]))
    np.add.at(totals, block, vectors)
    centred = vectors - (totals / np.bincount(block)[:, None])[block]
    sums = np.stack([centred[group == place].sum(axis=0) for place in range(k)])
    margins = np.empty(len(group))
    for place in range(-1, k):
        own = centred[group == place]
        others = own @ sums.T / _lengths(own, sums)
        if place >= 0:
            without = sums[place] - own
            mine = np.einsum("ij,ij->i", own, without) / (_norm(own) * _norm(without))
            margins[group == place] = mine - np.delete(others, place, axis=1).max(axis=1)
        else:
            ranked = np.sort(others, axis=1)
            margins[group == place] = ranked[:, -1] - ranked[:, -2]
    defined = np.isfinite(margins)
    return np.where(defined, margins, 0.0), defined


def _norm(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0, lengths, np.nan)


def _lengths(rows: Floats, sums: Floats) -> Floats:
    return np.asarray(_norm(rows)[:, None] * _norm(sums)[None, :])


# ---- two texts


def cosine(first: Floats, second: Floats) -> float | None:
    """x·y / (|x| |y|); None where one is all zeros. Shapes (c,). ValueError for NaN."""
    x, y = finite(first), finite(second)
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / size if size else None


def rouge_l(first: Tokens, second: Tokens) -> float:
    """2 P R / (P + R) with P = L/m, R = L/n and L the longest common subsequence; 0 where nothing is common.

    Source: Lin 2004, with β = 1.
    """
    common = _longest_common(first, second)
    return 2 * common / (len(first) + len(second)) if common else 0.0


def bleu(first: Tokens, second: Tokens) -> float:
    """The smaller of BLEU of one with the other as its reference, and the reverse; 0 where no word is common.

    BLEU is (p₁ p₂ p₃ p₄)^¼ · min(1, exp(1 − r/c)), with c tokens of the text, r of the reference and pₙ the share of
    the text's n-grams that the reference has, each as often as there at most. A pₙ of 0 is 0.1 over the number of
    n-grams (Chen & Cherry 2014, method 1). Source: Papineni et al. 2002; the minimum is LangFair's.
    """
    return min(_bleu(first, second), _bleu(second, first))


def _longest_common(first: Tokens, second: Tokens) -> int:
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0  # of the row above, one column to the left
        for place, other in enumerate(second, start=1):
            above = row[place]
            row[place] = before + 1 if word == other else max(above, row[place - 1])
            before = above
    return row[-1]


ORDERS = 4
INSTEAD_OF_NONE = 0.1


def _bleu(reference: Tokens, text: Tokens) -> float:
    logs = []
    for order in range(1, ORDERS + 1):
        grams = Counter(tuple(text[at : at + order]) for at in range(len(text) - order + 1))
        known = Counter(tuple(reference[at : at + order]) for at in range(len(reference) - order + 1))
        hits, n = sum((grams & known).values()), max(1, sum(grams.values()))
        if order == 1 and hits == 0:
            return 0.0
        logs.append(log((hits or INSTEAD_OF_NONE) / n) / ORDERS)
    shorter = 1.0 if len(text) > len(reference) else exp(1 - len(reference) / len(text))
    return shorter * exp(sum(logs))


# ---- many texts: stereotype co-occurrence

BETA = 0.95


def cooccurrence(
    texts: Sequence[Tokens],
    groups: tuple[Collection[str], Collection[str]],
    targets: Sequence[str],
    stop: Collection[str],
    *,
    beta: float = BETA,
) -> dict[str, float]:
    """|log₁₀ of P(w | first group) / P(w | second group)| of each target word w that is near words of both.

    P(w | g) = (c(w, g) / Σ_v c(v, g)) / (n_g / n): c(w, g) sums β^distance over every pair of w and a word of g in one
    text, v runs over all words that are neither stop words nor a group's, n of them, and n_g words are g's. The score
    of the texts is the mean; it is 0 where words are as near to both groups. Empty where a group has no word. A target
    that is a stop word or a group's own has no company and no value.
    Source: Bordia & Bowman 2019, as LangFair's CooccurrenceBiasMetric.
    """
    sides = tuple(map(frozenset, groups))
    left_out = frozenset(stop) | sides[0] | sides[1]
    everything = [word for text in texts for word in text]
    others = [word for word in everything if word not in left_out]
    of_group = [sum(word in side for word in everything) for side in sides]
    if not all(of_group):
        return {}
    company: dict[str, list[float]] = {}
    for text in texts:
        _add_company(company, text, sides, left_out, beta)
    totals = [sum(near[side] for near in company.values()) for side in (0, 1)]
    values = {}
    for word in dict.fromkeys(targets):
        near = company.get(word, [0.0, 0.0])
        if all(near):
            first, second = (near[side] / totals[side] / (of_group[side] / len(others)) for side in (0, 1))
            values[word] = abs(log10(first / second))
    return values


def _add_company(
    company: dict[str, list[float]],
    text: Tokens,
    sides: tuple[frozenset[str], ...],
    left_out: frozenset[str],
    beta: float,
) -> None:
    at = [np.array([place for place, word in enumerate(text) if word in side]) for side in sides]
    for place, word in enumerate(text):
        if word not in left_out:
            near = company.setdefault(word, [0.0, 0.0])
            for side in (0, 1):
                if at[side].size:
                    near[side] += float((beta ** np.abs(at[side] - place)).sum())


def stereotypical_association(
    texts: Sequence[Tokens], groups: Mapping[str, Sequence[str]], targets: Sequence[str]
) -> float | None:
    """The mean over target words of the total variation between p and equal shares, ½ Σ_g |p_g − 1/k|.

    p_g is proportional to C(w, g) / |list of g|, C the sum over texts of (times w) × (times a word of g). 0 where
    target words occur with all k groups alike. None where none occurs with any.
    Source: Liang et al. 2023 (HELM), as LangFair's StereotypicalAssociations.
    """
    counts = np.zeros((len(targets), len(groups)))
    for text in texts:
        counts_of_text = Counter(text)
        of_groups = np.array(
            [sum(counts_of_text[word] for word in words) for words in groups.values()], dtype=np.float64
        )
        if of_groups.any():
            counts += np.outer([counts_of_text[word] for word in targets], of_groups)
    rates = counts / np.array([len(words) for words in groups.values()])
    sums = rates.sum(axis=1)
    known = sums > 0
    if not known.any():
        return None
    shares = rates[known] / sums[known, None]
    return float((np.abs(shares - 1 / len(groups)).sum(axis=1) / 2).mean())
