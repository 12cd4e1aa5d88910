"""Crossed axes (gender × race): the effect of each axis and their interaction, as findings of any study.

A study says how one contrast of cells is estimated; which contrasts there are, what they are called and how p is
adjusted is the same for all. Ids: the study's own beginning with `.main_effect` or `.interaction` behind.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, ScorerUse
from biasprint.core.metrics.interactions import CrossedContrast, crossed_contrasts, crossed_means, crossed_odds
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.result import Difference, Floats, Ints, Numbers
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

SOURCE = "ours: contrasts of cells with errors by cluster, as a regression with both factors and their product"
MAIN, INTERACTION = ".main_effect", ".interaction"
Estimate = Callable[[Ints, Ints, Sequence[float]], Difference | OddsRatio]


@dataclass(frozen=True)
class Crossing:
    """A crossed axis as it is in some texts. `axes`: the ids of both; `levels`: the identities of each that occur.

    `cells`: the crossed identity of each pair of levels, row by row; "" where the axis has none.
    """

    axis: str
    axes: tuple[str, str]
    levels: tuple[tuple[str, ...], tuple[str, ...]]
    cells: tuple[str, ...]

    def cell_of(self, groups: Sequence[str]) -> Ints:
        """The cell of each text; −1 for one of no cell."""
        places = {group: place for place, group in enumerate(self.cells) if group}
        return np.array([places.get(group, -1) for group in groups], dtype=np.int64)


def crossing_of(groups: Collection[str], definitions: Iterable[Mapping[str, Any]]) -> Crossing | None:
    """The first crossed axis whose identities these groups are; None where there is none, or nothing is crossed.

    `definitions`: axes as plain data, see `biasprint.core.prompts.axes.Axis.definition`.
    """
    own_groups = set(groups) - {""}
    for definition in definitions:
        of = {identity["key"]: tuple(identity.get("of", ())) for identity in definition["identities"]}
        if len(definition.get("crosses", ())) != 2 or not own_groups or not own_groups <= set(of):
            continue
        used = {pair: group for group, pair in of.items() if group in own_groups}
        first, second = (tuple(dict.fromkeys(pair[side] for pair in of.values() if pair in used)) for side in (0, 1))
        if min(len(first), len(second)) < 2:
            continue
        cells = tuple(used.get((first_level, second_level), "") for first_level in first for second_level in second)
        crosses = definition["crosses"]
        return Crossing(
            definition.get("reported_as") or definition["key"], (crosses[0], crosses[1]), (first, second), cells
        )
    return None


@dataclass(frozen=True)
class CrossedMeasure:
    """Quantity that is estimated for one label. `id`: without `.main_effect`; `title`: “Agentic words”.

    `units`: of a main effect and of an interaction. `estimate`: of the cell of each text, its cluster and the weights.
    """

    id: str
    label: str
    title: str
    units: tuple[str, str]
    estimate: Estimate
    scorers: tuple[ScorerUse, ...]
    source: str = SOURCE
    note: str = ""


def odds_of(counts: Numbers, totals: Numbers) -> Estimate:
    """Odds ratios of `counts` out of `totals`, one of each per text."""

    def estimate(cell: Ints, cluster: Ints, weights: Sequence[float]) -> OddsRatio:
        in_cell = cell >= 0
        return crossed_odds(counts[in_cell], totals[in_cell], cell[in_cell], cluster[in_cell], weights)

    return estimate


def means_of(values: Floats) -> Estimate:
    """Differences of means of `values`, one per text; NaN where it has none."""

    def estimate(cell: Ints, cluster: Ints, weights: Sequence[float]) -> Difference:
        in_cell = (cell >= 0) & np.isfinite(values)
        return crossed_means(values[in_cell], cell[in_cell], cluster[in_cell], weights)

    return estimate


def crossed_findings(
    crossing: Crossing,
    groups: Sequence[str],
    blocks: Sequence[str],
    measured: Sequence[CrossedMeasure],
    dropped: Mapping[str, int],
    dims: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Main effects, then interactions, of everything measured; p by Holm within each of the two.

    `groups`, `blocks`: of each text; texts of one block are one cluster, a text without a block is its own.
    `dims`: what the texts were narrowed to, besides the axis.
    """
    cell, cluster = crossing.cell_of(groups), _clusters(blocks, len(groups))
    contrasts = crossed_contrasts(len(crossing.levels[0]), len(crossing.levels[1]))
    findings: list[Finding] = []
    for interaction in (False, True):
        own = [
            replace(finding, dims={**finding.dims, **(dims or {})})
            for contrast in contrasts
            if (contrast.of == "interaction") == interaction
            for measure in measured
            for finding in [_finding(crossing, contrast, measure, cell, cluster, dropped)]
        ]
        family = f"{measured[0].id}{INTERACTION if interaction else MAIN}, {len(own)} tests" if measured else ""
        findings += with_holm(own, family)
    return findings


def _clusters(blocks: Sequence[str], texts: int) -> Ints:
    numbers: dict[tuple[int, str], int] = {}
    keys = [(1, block) if block else (0, str(place)) for place, block in enumerate(blocks or [""] * texts)]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _finding(
    crossing: Crossing,
    contrast: CrossedContrast,
    measure: CrossedMeasure,
    cell: Ints,
    cluster: Ints,
    dropped: Mapping[str, int],
) -> Finding:
    interaction = contrast.of == "interaction"
    used = [place for place, weight in enumerate(contrast.weights) if weight]
    inside = np.isin(cell, used)
    empty = [crossing.cells[place] or _missing(crossing, place) for place in used if not (cell == place).any()]
    result = None if empty else measure.estimate(cell, cluster, contrast.weights)
    value = result.value if result else None
    reason = (result.reason or missing_interval(result.interval)) if result else f"no texts of {', '.join(empty)}"
    by_cell = {crossing.cells[place]: int((cell == place).sum()) for place in used if crossing.cells[place]}
    return Finding(
        id=measure.id + (INTERACTION if interaction else MAIN),
        label=measure.label,
        title=f"{measure.title}: {_title(crossing, contrast)}",
        groups=_groups(crossing, contrast),
        dims={"axis": crossing.axis if interaction else crossing.axes[contrast.of == "columns"]},
        estimate=value,
        reason=reason or None,
        unit=measure.units[interaction],
        interval=interval(result.interval.bounds) if result else None,
        n=int(inside.sum()),
        n_by_group=by_cell,
        dropped=dict(dropped),
        p=result.p if result else None,
        effect=_effect(result),
        scorers=measure.scorers,
        source=measure.source,
        note=" ".join(filter(None, (_told(crossing, contrast, isinstance(result, OddsRatio)), measure.note))),
    )


def _missing(crossing: Crossing, place: int) -> str:
    columns = len(crossing.levels[1])
    return f"{crossing.levels[0][place // columns]} × {crossing.levels[1][place % columns]}"


def _effect(result: Difference | OddsRatio | None) -> Effect | None:
    if isinstance(result, OddsRatio):
        return Effect("log odds ratio", log(result.value)) if result.value else None
    return Effect(result.effect_name, result.effect) if result and result.effect is not None else None


def _levels(crossing: Crossing, contrast: CrossedContrast) -> Iterator[tuple[str, str]]:
    for levels, chosen in zip(crossing.levels, (contrast.rows, contrast.columns), strict=True):
        if chosen:
            yield levels[chosen[0]], levels[chosen[1]]


def _groups(crossing: Crossing, contrast: CrossedContrast) -> tuple[str, ...]:
    """The two levels of a main effect; of an interaction the four crossed identities, signs +, −, −, +."""
    if contrast.of != "interaction":
        return next(_levels(crossing, contrast))
    columns = len(crossing.levels[1])
    return tuple(
        crossing.cells[row * columns + column] or _missing(crossing, row * columns + column)
        for row in contrast.rows
        for column in contrast.columns
    )


def _title(crossing: Crossing, contrast: CrossedContrast) -> str:
    pairs = [f"{first} against {second}" for first, second in _levels(crossing, contrast)]
    if len(pairs) == 1:
        axis, beside = crossing.axes if contrast.of == "rows" else crossing.axes[::-1]
        return f"{pairs[0]} ({axis}, each {beside} counting alike)"
    return f"{pairs[0]}, how far it differs between {' and '.join(list(_levels(crossing, contrast))[1])}"


def _told(crossing: Crossing, contrast: CrossedContrast, ratio: bool) -> str:
    neutral = "1" if ratio else "0"
    if contrast.of != "interaction":
        beside = crossing.axes[contrast.of == "rows"]
        what = "The geometric mean of the odds ratios" if ratio else "The mean"
        return f"{what} over the identities of {beside}, each counting alike."
    (first, second), (this, that) = _levels(crossing, contrast)
    how = "divided by" if ratio else "minus"
    return (
        f"{first} against {second} ({this}), {how} the same ({that}): at {neutral} the two axes add up, "
        "and no crossed identity is treated otherwise than its parts say."
    )
