"""Exploring in the compute process: a map of embeddings, words of a selection, ranks, replacement scorers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.associations import SpearmanRho, spearman_rho
from biasprint.core.metrics.odds import telling_log_odds
from biasprint.core.scorers.group_words import tokens_of
from biasprint.core.scorers.registry import describe

Method = Literal["pca", "tsne"]
Points = NDArray[np.float32]

MOST_TSNE = 5_000  # texts: about a minute on two cores; beyond, people would wait for what PCA shows at once
MOST_FITTED = 10_000  # texts that PCA's directions are found from: of more, so many at random; all are placed
FIRST_DIRECTIONS = 50  # that t-SNE starts from, as van der Maaten & Hinton 2008 did
PERPLEXITY = 30.0
FEWEST_MAPPED = 3
MOST_WORDS = 40  # of each side
FEWEST_TIMES = 5  # a word is written on both sides together, or it is left out


@dataclass(frozen=True)
class TextMap:
    """A map of texts. `points`: a place per vector, shape (n, 2). `explained`: of the two directions, where the method
    has them.
    """

    points: Points
    explained: tuple[float, float] | None


@dataclass(frozen=True)
class Directions:
    """The directions in which vectors differ most: `loadings` of shape (d, n), from the `mean`; the share of variance
    along each.
    """

    mean: NDArray[np.float64]
    loadings: NDArray[np.float64]
    shares: NDArray[np.float64]

    def place(self, vectors: NDArray[np.float32]) -> Points:
        """Return the coordinates of vectors along the directions, shape (len(vectors), n)."""
        places = np.empty((len(vectors), self.loadings.shape[1]), dtype=np.float32)
        for start in range(0, len(vectors), MOST_FITTED):  # in parts: in float64 all of them take twice their memory
            part = slice(start, start + MOST_FITTED)
            places[part] = (vectors[part] - self.mean) @ self.loadings
        return places


@dataclass(frozen=True)
class TellingWord:
    """A word that is written more in a selection than beside it (`z` above 0), or less."""

    word: str
    z: float
    inside: int
    outside: int


@dataclass(frozen=True)
class TellingWords:
    """The words that distinguish a selection from the rest, the most distinctive first; `words`: how many each side
    has.
    """

    more: tuple[TellingWord, ...]
    less: tuple[TellingWord, ...]
    words: tuple[int, int]


def map_texts(vectors: NDArray[np.float32], method: Method, seed: int, ctx: JobContext) -> TextMap:
    """Place texts in the plane, so that those with similar vectors are near each other. Runs in the compute process.

    PCA: the two directions in which the vectors differ most. t-SNE: scikit-learn's, from the first 50 directions.
    """
    if len(vectors) < FEWEST_MAPPED:
        raise AppError(
            f"A map needs at least {FEWEST_MAPPED} texts with embeddings.", hint="Write or import more, and score them."
        )
    steps = 1 if method == "pca" else 2
    ctx.report(0, steps, note="Finding the directions in which the texts differ most")
    principal = principal_directions(vectors, 2 if method == "pca" else FIRST_DIRECTIONS)
    directions = principal.place(vectors)
    if method == "pca":
        return TextMap(directions, (float(principal.shares[0]), float(principal.shares[1])))
    ctx.report(1, steps, note="Placing similar texts beside each other")
    return TextMap(_neighbours(directions, seed), None)


def principal_directions(vectors: NDArray[np.float32], count: int = 2) -> Directions:
    """Return the first `count` directions, and the share of the variance along each.

    By the eigenvectors of the covariance. Signs are fixed, so that the same texts give the same map: each direction's
    largest loading is positive. Missing directions are 0.
    """
    mean = np.asarray(np.mean(vectors, axis=0, dtype=np.float64))
    centred = np.asarray(vectors, dtype=np.float64) - mean
    values, loadings = np.linalg.eigh(centred.T @ centred)
    order = np.argsort(values)[::-1][:count]
    loadings = loadings[:, order]
    largest = np.abs(loadings).argmax(axis=0)
    loadings = loadings * np.sign(loadings[largest, np.arange(len(order))])
    total = values.clip(min=0).sum()
    shares = values[order].clip(min=0) / total if total > 0 else np.zeros(len(order))
    missing = count - len(order)
    return Directions(mean, np.pad(loadings, ((0, 0), (0, missing))), np.pad(shares, (0, missing)))


def _neighbours(directions: Points, seed: int) -> Points:
    from sklearn.manifold import TSNE

    if len(directions) > MOST_TSNE:
        raise AppError(f"t-SNE is offered for up to {MOST_TSNE:,} texts.", hint="Take PCA, or fewer texts.")
    perplexity = min(PERPLEXITY, (len(directions) - 1) / 3)
    places = TSNE(n_components=2, init="pca", perplexity=perplexity, random_state=seed).fit_transform(directions)
    return np.asarray(places, dtype=np.float32)


def telling_words(inside: Sequence[str], outside: Sequence[str]) -> TellingWords:
    """Return the words that distinguish a selection's texts from others, by log-odds with a prior. Runs in the compute
    process.
    """
    counts = [_counted(texts) for texts in (inside, outside)]
    words = sorted(word for word, times in (counts[0] + counts[1]).items() if times >= FEWEST_TIMES)
    totals = counts[0].total(), counts[1].total()
    if not words or not all(totals):
        return TellingWords((), (), totals)
    tables = [np.array([side[word] for word in words], dtype=np.float64) for side in counts]
    _, z = telling_log_odds(tables[0], tables[1])
    telling = [TellingWord(word, float(z[place]), counts[0][word], counts[1][word]) for place, word in enumerate(words)]
    telling.sort(key=lambda entry: (-entry.z, entry.word))
    more = tuple(entry for entry in telling[:MOST_WORDS] if entry.z > 0)
    less = tuple(entry for entry in reversed(telling[-MOST_WORDS:]) if entry.z < 0)
    return TellingWords(more, less, totals)


def _counted(texts: Sequence[str]) -> Counter[str]:
    return Counter(word.casefold() for text in texts for word in tokens_of(text) if any(map(str.isalpha, word)))


def stand_in_scorers() -> frozenset[str]:
    """Return the names of the scorers that replace those that the papers used. Runs in the compute process."""
    return frozenset(info.name for info in describe() if info.stand_in)


def rank_correlation(first: NDArray[Any], second: NDArray[Any]) -> SpearmanRho:
    """Return Spearman's ρ over the items where both are numbers. Runs in the compute process."""
    both = np.isfinite(first) & np.isfinite(second)
    return spearman_rho(np.asarray(first[both], dtype=np.float64), np.asarray(second[both], dtype=np.float64))
