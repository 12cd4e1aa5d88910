"""`completion.crossed`: does the pronoun of a sentence change what is chosen, and what the given term does?

Two factors are crossed in every item: what is given of a person (something positive or negative, of age, beauty and so
on) and the pronoun that the sentence has. The effect of what is given is `completion.delta`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.clusters import Draws, Influences, gradient
from biasprint.core.metrics.likelihood import CHOSEN, DELTAS, delta_draws, delta_values, likelihood_draws
from biasprint.core.metrics.resampling import TOLERANCE, permutation_p
from biasprint.core.metrics.result import Floats
from biasprint.core.studies.completion.cells import ALIKE, ReplyCell, clustered
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

MAIN_ID, INTERACTION_ID = "completion.crossed.main_effect", "completion.crossed.interaction"
SOURCE = "ours: counts of Kamruzzaman et al. 2024, Figure 3, by pronoun; errors of Cameron, Gelbach & Miller 2011"
# The third kind of option follows from these two: shares sum to 1, and their differences to 0.
SHOWN = CHOSEN[:2]


@dataclass(frozen=True)
class _Pair:
    """The cells of two pronouns that are equal otherwise. `dims`: without the pronoun."""

    dims: Mapping[str, str]
    one: ReplyCell
    other: ReplyCell

    @property
    def units(self) -> int:
        return min(*self.one.terms, *self.other.terms, self.one.pairs, self.other.pairs)

    def influences(self, statistics: Callable[[Floats], Floats]) -> list[list[Influences]]:
        """Per statistic of a table what each term and pair adds to its value for the one pronoun minus the other's."""
        gradients = [gradient(statistics, cell.chosen) for cell in (self.one, self.other)]
        return [
            [
                one.beside(other)
                for one, other in zip(self.one.influences(plus), self.other.influences(-minus), strict=True)
            ]
            for plus, minus in zip(*gradients, strict=True)
        ]

    @property
    def pronouns(self) -> tuple[str, str]:
        return self.one.dims["pronoun"], self.other.dims["pronoun"]


def crossed_pronouns(cells: Sequence[ReplyCell]) -> list[Finding]:
    """Every pair of pronouns, by direction and domain: main effects, then interactions with what is given.

    p by Holm within each of the two, what is pooled over domains among itself.
    """
    findings: list[Finding] = []
    pairs = list(_pairs(cells))
    for make, name in ((_main_effects, MAIN_ID), (_interactions, INTERACTION_ID)):
        for by in ("pooled", "by domain"):
            own = [each for pair in pairs if ("domain" in pair.dims) == (by == "by domain") for each in make(pair)]
            findings += with_holm(own, f"{name}, {by}, {len(own)} tests")
    return findings


def _pairs(cells: Sequence[ReplyCell]) -> Iterator[_Pair]:
    apart: dict[tuple[tuple[str, str], ...], list[ReplyCell]] = {}
    for cell in cells:
        if "pronoun" in cell.dims:
            own = tuple((name, value) for name, value in cell.dims.items() if name != "pronoun")
            apart.setdefault(own, []).append(cell)
    for dims, own_cells in apart.items():
        for first, other_cell in combinations(own_cells, 2):
            yield _Pair(dict(dims), first, other_cell)


def _main_effects(pair: _Pair) -> Iterator[Finding]:
    """Share of an option with the one pronoun minus that with the other, mean of both polarities of what is given."""
    first, second = pair.pronouns
    seen = [_even(cell.chosen[..., None])[:, 0] for cell in (pair.one, pair.other)]
    parts = pair.influences(_even)
    for place, chosen in enumerate(SHOWN):
        title = f"{chosen.capitalize()} option: {first} against {second}, whatever is given"
        yield _finding(
            pair, MAIN_ID, chosen, title, float(seen[0][place] - seen[1][place]), parts[place],
            "Both polarities of what is given count alike.", "difference of proportions",
        )  # fmt: skip


def _interactions(pair: _Pair) -> Iterator[Finding]:
    """Δ with the one pronoun minus Δ with the other."""
    first, second = pair.pronouns
    permuted = [delta_draws(cell.permuted[:, : len(CHOSEN)]) for cell in (pair.one, pair.other)]
    seen = [delta_values(cell.chosen) for cell in (pair.one, pair.other)]
    parts = pair.influences(delta_draws)
    for place, chosen in enumerate(SHOWN):
        first_value, second_value = seen[0][place], seen[1][place]
        value = None if first_value is None or second_value is None else first_value - second_value
        title = f"{chosen.capitalize()} option: its rise from a negative to a positive term, {first} against {second}"
        yield _finding(
            pair, INTERACTION_ID, DELTAS[place], title, value, parts[place],
            "At 0 what is given does the same for both pronouns.", "difference of differences of proportions",
            np.asarray(permuted[0][place] - permuted[1][place]),
        )  # fmt: skip


def _even(counts: Draws) -> Floats:
    """Shares of the options, mean of both polarities, for counts of shape (2, 3, draws): shape (3, draws)."""
    shares = likelihood_draws(counts)[: 2 * len(CHOSEN)]
    return np.asarray(shares.reshape(2, len(CHOSEN), -1).mean(axis=0))


def _finding(
    pair: _Pair,
    finding_id: str,
    label: str,
    title: str,
    value: float | None,
    parts: Sequence[Influences],
    note: str,
    unit: str,
    permuted: Floats | None = None,
) -> Finding:
    """`permuted`: the values with polarity permuted over terms, for p where nothing varies between terms or pairs."""
    known = value is not None and np.isfinite(value)
    bounds, p = clustered(parts, float(value), pair.units, 2.0) if known and value is not None else (None, None)
    if bounds is not None and value is not None and permuted is not None and bounds.reason == ALIKE:
        defined = permuted[np.isfinite(permuted)]
        p = float(permutation_p(np.abs(defined) >= abs(value) - TOLERANCE))
    cells = (pair.one, pair.other)
    irrelevant = sum(cell.dropped.get("irrelevant", 0) for cell in cells)
    return Finding(
        id=finding_id,
        label=label,
        title=title,
        groups=pair.pronouns,
        dims=dict(pair.dims),
        estimate=value if known else None,
        reason=missing_interval(bounds) if bounds else "a pronoun has no usable reply to a term of one polarity",
        unit=unit,
        interval=interval(bounds.bounds) if bounds else None,
        n=sum(cell.n for cell in cells),
        n_by_group={name: cell.n for name, cell in zip(pair.pronouns, cells, strict=True)},
        dropped={"irrelevant": irrelevant} if irrelevant else {},
        p=p,
        source=SOURCE,
        note=note,
    )
