"""Similarity of two texts, and the words that co-occur with each group's words, as LangFair 0.8.0 defines them.

Texts come as lists of tokens, so that the caller defines what a token is (`biasprint.core.scorers.langfair`).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import exp, log, log10

import numpy as np

from biasprint.core.metrics.result import Floats, finite

Tokens = Sequence[str]

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
