"""Permutation of labels that belong to terms, where each term is used in many items."""

from collections.abc import Iterator

import numpy as np

from core.metrics.block_permutation import shuffled_within
from core.metrics.checks import same_length, truths
from core.metrics.resampling import chunks
from core.metrics.result import RESAMPLES, Bools, Ints


def permute_over_terms(
    term: Ints,
    label: Bools,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    *,
    stratum: Ints | None = None,
) -> Iterator[Bools]:
    """Each item's label with the labels shuffled among terms: chunks of shape (chunk, n), `resamples` rows in all.

    `term`: each item's term; `label`: the same for all items of a term; shapes (n,). `stratum`: a term's labels are
    shuffled only among the terms of its stratum, such as a domain. ValueError where a term has two labels or strata.
    Before a matrix product make one side numbers: NumPy's product of truth values is a truth value.
    """
    same_length(term, label)
    terms, place, item = np.unique(term, return_index=True, return_inverse=True)
    marks = truths(label)
    strata = np.zeros(len(term), dtype=np.int64) if stratum is None else np.unique(stratum, return_inverse=True)[1]
    for each, name in ((marks, "label"), (strata, "stratum")):
        if (each[place][item] != each).any():
            raise ValueError(f"a term has more than one {name}")
    for size in chunks(resamples, max(len(term), len(terms))):
        yield shuffled_within(marks[place], strata[place], rng, size)[:, item]
