"""The replies by direction, domain and pronoun: counted, resampled and permuted once, then added up where pooled.

Terms and option pairs are resampled, and polarities permuted, within a direction and domain: the design fixes how many
of each there are. A pooled cell adds what its parts gave, so that every cell comes from the same resamples.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.metrics.clusters import CrossedCounts, Singles
from core.metrics.likelihood import Omnibus, likelihood_deltas, omnibus
from core.metrics.resampling import generator
from core.metrics.result import Bools, Difference, Floats
from core.prompts.completion_design import DIRECTIONS, DOMAINS, PRONOUNS
from core.studies.completion.table import IRRELEVANT, Coded

PURPOSE = "completion"
OUTCOMES = IRRELEVANT + 1  # positive, negative, neutral, irrelevant


@dataclass(frozen=True)
class Cell:
    """Replies that are looked at together; counts are (given, chosen), chosen with the irrelevant last: (2, 4, …).

    `resampled`, `permuted`: counts of each resample, shape (2, 4, resamples). `terms`: how many terms were given,
    positive and negative; `pairs`: how many pairs of options were offered.
    """

    dims: Mapping[str, str]
    observed: Floats
    resampled: Singles
    permuted: Singles
    terms: tuple[int, int]
    pairs: int

    @property
    def direction(self) -> str:
        return self.dims["direction"]

    @property
    def chosen(self) -> Floats:
        """The counts without the irrelevant replies, shape (2, 3)."""
        return self.observed[:, :IRRELEVANT]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """ΔPL, ΔNL and ΔNuL, as if replies were independent."""
        return likelihood_deltas(self.chosen)

    @cached_property
    def omnibus(self) -> Omnibus:
        return omnibus(self.chosen)

    @property
    def n(self) -> int:
        return int(self.chosen.sum())

    @property
    def n_by_group(self) -> dict[str, int]:
        positive, negative = (int(count) for count in self.chosen.sum(axis=1))
        return {"positive": positive, "negative": negative}

    @property
    def dropped(self) -> dict[str, int]:
        irrelevant = int(self.observed[:, IRRELEVANT].sum())
        return {"irrelevant": irrelevant} if irrelevant else {}


@dataclass(frozen=True)
class _Stratum:
    """One domain in one direction, with a row for each pronoun: counts of shape (2, pronouns, 4, …)."""

    observed: Floats
    resampled: Singles
    permuted: Singles
    positive: Bools
    used_terms: Bools  # (terms, pronouns)
    used_pairs: Bools  # (pairs, pronouns)


def cells(replies: Coded, seed: int, resamples: int) -> Iterator[Cell]:
    """For each model and direction: all domains together where there are several, then each; whole, then by pronoun."""
    for model, name in enumerate(replies.models):
        dims = {"model": name or "(no name)"} if len(replies.models) > 1 else {}
        for direction, direction_name in enumerate(DIRECTIONS):
            inside = (replies.model == model) & (replies.direction == direction)
            strata = {
                place: _stratum(replies, inside & (replies.domain == place), (name, direction_name, DOMAINS[place]),
                                seed, resamples)
                for place in np.unique(replies.domain[inside])
            }  # fmt: skip
            if not strata:
                continue
            pronouns = [int(each) for each in np.unique(replies.pronoun[inside])]
            here = {**dims, "direction": direction_name}
            groups = [(here, list(strata.values()))] if len(strata) > 1 else []
            groups += [({**here, "domain": DOMAINS[place]}, [stratum]) for place, stratum in strata.items()]
            for group_dims, parts in groups:
                yield _cell(group_dims, parts, None)
                # A pronoun may have replies in the one domain and none in the other.
                for pronoun in pronouns if len(pronouns) > 1 else []:
                    cell = _cell({**group_dims, "pronoun": PRONOUNS[pronoun]}, parts, pronoun)
                    if cell.observed.any():
                        yield cell


def _stratum(replies: Coded, inside: Bools, key: tuple[str, ...], seed: int, resamples: int) -> _Stratum:
    pronouns = len(PRONOUNS)
    outcome = replies.pronoun[inside] * OUTCOMES + replies.chosen[inside]
    counts = CrossedCounts.of(
        replies.term[inside], replies.pair[inside], outcome, replies.positive[inside], pronouns * OUTCOMES
    )
    by_pronoun = counts.entries.reshape(-1, pronouns, OUTCOMES).sum(axis=2)
    used_terms, used_pairs = (_used(place, by_pronoun) for place in (counts.term, counts.pair))
    shape = (2, pronouns, OUTCOMES)
    return _Stratum(
        observed=counts.observed.reshape(shape),
        resampled=counts.resampled(generator(seed, PURPOSE, "intervals", *key), resamples).reshape(*shape, -1),
        permuted=counts.permuted(generator(seed, PURPOSE, "p", *key), resamples).reshape(*shape, -1),
        positive=counts.positive,
        used_terms=used_terms,
        used_pairs=used_pairs,
    )


def _used(place: np.ndarray, counts: Floats) -> Bools:
    sums = np.zeros((int(place.max()) + 1, counts.shape[1]))
    np.add.at(sums, place, counts)
    return sums > 0


def _cell(dims: Mapping[str, str], strata: list[_Stratum], pronoun: int | None) -> Cell:
    which = slice(None) if pronoun is None else slice(pronoun, pronoun + 1)

    def added(arrays: list[Floats] | list[Singles]) -> np.ndarray:
        first, *rest = (array[:, which].sum(axis=1) for array in arrays)
        return np.asarray(sum(rest, start=first))

    positive = sum(int(each.used_terms[each.positive, which].any(axis=1).sum()) for each in strata)
    negative = sum(int(each.used_terms[~each.positive, which].any(axis=1).sum()) for each in strata)
    return Cell(
        dims=dims,
        observed=added([each.observed for each in strata]),
        resampled=added([each.resampled for each in strata]),
        permuted=added([each.permuted for each in strata]),
        terms=(positive, negative),
        pairs=sum(int(each.used_pairs[:, which].any(axis=1).sum()) for each in strata),
    )
