"""Rows of a table that answer the same headline: under a biased and the unbiased prompt, or by two models."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from core.metrics.result import Ints
from core.studies.news.table import UNBIASED, NewsTable

Key = tuple[str, int]  # story, and which of its generations


def matched_rows(table: NewsTable) -> Iterator[tuple[str, str, Ints, Ints]]:
    """For each biased prompt and model: the kind, the model (empty where there is one only), and the rows of headlines
    asked both ways, biased and unbiased, in the same order. Generation i pairs with generation i."""
    found = _rows_by_key(table)
    kinds = dict.fromkeys(kind for _, kind in found)
    models = dict.fromkeys(model for model, _ in found)
    for kind in kinds:
        for model in models:
            biased, unbiased = found.get((model, kind)), found.get((model, UNBIASED))
            if kind != UNBIASED and biased and unbiased:
                yield kind, model if len(models) > 1 else "", *_shared(biased, unbiased)


def shared_rows(table: NewsTable) -> Iterator[tuple[str, str, Ints, Ints]]:
    """For each two models: their names, and the rows of the headlines that both wrote for under the unbiased prompt."""
    found = _rows_by_key(table)
    models = [model for model in dict.fromkeys(model for model, _ in found) if model and (model, UNBIASED) in found]
    for one, other in combinations(models, 2):
        yield one, other, *_shared(found[one, UNBIASED], found[other, UNBIASED])


def _rows_by_key(table: NewsTable) -> dict[tuple[str, str], dict[Key, int]]:
    """By model and prompt kind: the row of each headline's generations."""
    found: dict[tuple[str, str], dict[Key, int]] = {}
    seen: Counter[tuple[str, str, str]] = Counter()
    for row, pair in enumerate(table.pairs):
        place = seen[pair.model, pair.prompt_kind, pair.story]
        seen[pair.model, pair.prompt_kind, pair.story] += 1
        found.setdefault((pair.model, pair.prompt_kind), {})[pair.story, place] = row
    return found


def _shared(first: dict[Key, int], second: dict[Key, int]) -> tuple[Ints, Ints]:
    keys = [key for key in first if key in second]
    return tuple(np.array([rows[key] for key in keys], dtype=np.int64) for rows in (first, second))  # type: ignore[return-value]
