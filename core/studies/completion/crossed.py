"""`completion.crossed`: does the pronoun of a sentence change what is chosen, and what the given term does?

Two factors are crossed in every item: what is given of a person (something positive or negative, of age, beauty and so
on) and the pronoun that the sentence has. The effect of what is given is `completion.delta`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.clusters import Draws
from biasprint.core.metrics.likelihood import CHOSEN, DELTAS, delta_draws, delta_values, likelihood_draws
from biasprint.core.metrics.means import two_sided_t
from biasprint.core.metrics.resampling import TOLERANCE, permutation_p
from biasprint.core.metrics.result import Floats, estimates_alone
from biasprint.core.studies.completion.cells import FEWEST, ReplyCell, clustered_interval
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

MAIN_ID, INTERACTION_ID = "completion.crossed.main_effect", "completion.crossed.interaction"
SOURCE = "ours: counts of Kamruzzaman et al. 2024, Figure 3, by pronoun; two-way cluster bootstrap"
# The third kind of option follows from these two: shares sum to 1, and their differences to 0.
SHOWN = CHOSEN[:2]
BY_TERMS = "p by permuting polarity over terms."
BY_RESAMPLES = "p: the least level whose interval leaves 0 out."


@dataclass(frozen=True)
class _Pair:
    """The cells of two pronouns that are equal otherwise. `dims`: without the pronoun."""

    dims: Mapping[str, str]
    one: ReplyCell
    other: ReplyCell

    @property
    def units(self) -> int:
        return min(*self.one.terms, *self.other.terms, self.one.pairs, self.other.pairs)

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
    """Share of an option with the one pronoun less that with the other, mean of both polarities of what is given."""
    first, second = pair.pronouns
    drawn = [_even(cell.resampled) for cell in (pair.one, pair.other)]
    seen = [_even(cell.observed[:, :, None]) for cell in (pair.one, pair.other)]
    for place, chosen in enumerate(SHOWN):
        value = float(seen[0][place, 0] - seen[1][place, 0])
        draws = np.asarray(drawn[0][place] - drawn[1][place])
        p = _least_level(draws, value, pair.units)
        remark = f"Both polarities of what is given count alike. {BY_RESAMPLES if p is not None else ''}"
        title = f"{chosen.capitalize()} option: {first} against {second}, whatever is given"
        yield _finding(pair, MAIN_ID, chosen, title, value, draws, p, remark, "difference of proportions")


def _interactions(pair: _Pair) -> Iterator[Finding]:
    """Δ with the one pronoun less Δ with the other. A permuted term takes its replies for every pronoun along."""
    first, second = pair.pronouns
    drawn = [delta_draws(cell.resampled[:, : len(CHOSEN)]) for cell in (pair.one, pair.other)]
    permuted = [delta_draws(cell.permuted[:, : len(CHOSEN)]) for cell in (pair.one, pair.other)]
    seen = [delta_values(cell.chosen) for cell in (pair.one, pair.other)]
    for place, chosen in enumerate(SHOWN):
        first_value, second_value = seen[0][place], seen[1][place]
        value = None if first_value is None or second_value is None else first_value - second_value
        p = None if value is None else _permuted_p(pair, np.asarray(permuted[0][place] - permuted[1][place]), value)
        remark = f"At 0 what is given does the same for both pronouns. {BY_TERMS if p is not None else ''}"
        title = f"{chosen.capitalize()} option: how far the pull of what is given differs, {first} against {second}"
        draws = np.asarray(drawn[0][place] - drawn[1][place])
        yield _finding(
            pair,
            INTERACTION_ID,
            DELTAS[place],
            title,
            value,
            draws,
            p,
            remark,
            "difference of differences of proportions",
        )


def _even(counts: Draws | Floats) -> Floats:
    """Shares of the options, mean of both polarities, for counts of shape (2, 4, draws): shape (3, draws)."""
    shares = likelihood_draws(np.asarray(counts[:, : len(CHOSEN)], dtype=np.float64))[: 2 * len(CHOSEN)]
    return np.asarray(shares.reshape(2, len(CHOSEN), -1).mean(axis=0))


def _finding(
    pair: _Pair,
    finding_id: str,
    label: str,
    title: str,
    value: float | None,
    draws: Floats,
    p: float | None,
    note: str,
    unit: str,
) -> Finding:
    known = value is not None and np.isfinite(value)
    bounds = clustered_interval(draws, float(value), pair.units) if known and value is not None else None
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
        p=p if known else None,
        source=SOURCE,
        note=note.strip(),
    )


def _permuted_p(pair: _Pair, permuted: Floats, value: float) -> float | None:
    if estimates_alone() or min(*pair.one.terms, *pair.other.terms) < FEWEST:
        return None
    defined = permuted[np.isfinite(permuted)]
    return float(permutation_p(np.abs(defined) >= abs(value) - TOLERANCE))


def _least_level(draws: Floats, value: float, units: int) -> float | None:
    """The two-sided p that goes with `clustered_interval`: percentiles are widened there as t is wider than z."""
    defined = draws[np.isfinite(draws)]
    if units < FEWEST or not np.isfinite(value) or len(defined) == 0 or np.ptp(defined) == 0:
        return None
    beyond = int((defined <= 0).sum() if value > 0 else (defined >= 0).sum())
    tail = min(0.5, (1 + beyond) / (1 + len(defined)))
    statistic = -NormalDist().inv_cdf(tail) / sqrt(units / (units - 1))
    return two_sided_t(statistic, units - 1)
