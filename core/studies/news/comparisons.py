"""The measures of a level set against each other on the same headlines: biased against unbiased prompts, two models."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, Variant
from biasprint.core.metrics.means import paired_difference, two_sample_difference
from biasprint.core.metrics.proportions import paired_proportions, two_proportions
from biasprint.core.metrics.result import Bools, Difference, Floats, Ints, untested
from biasprint.core.studies.kit.findings import interval, missing_interval
from biasprint.core.studies.news.groups import GroupAxis
from biasprint.core.studies.news.level import Level, MeasuredLevel, PairValues
from biasprint.core.studies.news.prompts import UNBIASED
from biasprint.core.studies.news.table import NewsTable, matched_rows, shared_rows

PROMPTS, MODELS = "prompts", "models"

# One measure of one group: its name, the group's place (None for all), its values, and which pairs have one.
Column = tuple[str, int | None, Floats | Bools, Bools]


def prompt_findings(measured: MeasuredLevel, table: NewsTable) -> list[Finding]:
    """Each biased prompt minus the unbiased one, by model: paired on headlines that have the measure both ways.

    As published: two-proportion z and Welch, each prompt on all of its own articles.
    """
    found: list[Finding] = []
    level = measured.level
    for kind, model, first, second in matched_rows(table):
        dims = {"axis": measured.axis.id, "prompt_kind": kind, **({"model": model} if model else {})}
        for column in _columns(measured.values, level):
            result = _of_group(measured, column, first, second)
            found.append(_finding(level, measured.axis, column, result, PROMPTS, (kind, UNBIASED), dims, "default"))
        if measured.published is None or measured.published_axis is None:
            continue
        own = [_rows_of(table, name, model) for name in (kind, UNBIASED)]
        for column in _columns(measured.published, level):
            if column[0] != "difference":  # the paper compares no signed difference
                result, axis = _apart(column, *own), measured.published_axis
                found.append(_finding(level, axis, column, result, PROMPTS, (kind, UNBIASED), dims, "as_published"))
    return found


def model_findings(measured: MeasuredLevel, table: NewsTable) -> list[Finding]:
    """Each model minus each later one, on the headlines that both wrote for: spread and signed difference, paired."""
    found: list[Finding] = []
    for one, other, first, second in shared_rows(table):
        dims = {"axis": measured.axis.id, "model": one, "against": other}
        for column in _columns(measured.values, measured.level):
            if column[0] in ("distance", "difference"):
                result = _of_group(measured, column, first, second)
                found.append(
                    _finding(measured.level, measured.axis, column, result, MODELS, (one, other), dims, "default")
                )
    return found


def _columns(values: PairValues, level: Level) -> Iterator[Column]:
    yield "distance", None, values.distance, values.defined
    worse = values.worse(level.sign)
    for place in range(values.signed.shape[1]):
        yield "prejudice_share", place, worse[:, place], values.among[:, place]
        yield "prejudice_drop", place, -level.sign * values.signed[:, place], worse[:, place]
        yield "difference", place, values.signed[:, place], values.present[:, place]


def _of_group(measured: MeasuredLevel, column: Column, first: Ints, second: Ints) -> Difference:
    """Paired; undefined for a group that none of these articles mentions: its difference is no 0."""
    result = _paired(column, first, second)
    measure, place, _, counted = column
    if measure != "difference" or place is None or result.value is None:
        return result
    values, rows = measured.values, np.concatenate([first, second])
    rows = rows[counted[rows]]
    if (values.among | (values.signed != 0))[rows, place].any():
        return result
    reason = f"no article mentions “{measured.axis.groups[place]}”"
    return untested(None, reason, result.test, result.effect_name, result.n, result.n_by_group)


def _paired(column: Column, first: Ints, second: Ints) -> Difference:
    """On the rows that have the measure on both sides."""
    measure, _, values, counted = column
    both = counted[first] & counted[second]
    test: Callable[[Any, Any], Difference] = paired_proportions if measure == "prejudice_share" else paired_difference
    return test(values[first[both]], values[second[both]])


def _apart(column: Column, first: Bools, second: Bools) -> Difference:
    """Each side on all of its own articles."""
    measure, _, values, counted = column
    one, other = values[first & counted], values[second & counted]
    if measure == "prejudice_share":
        return two_proportions(int(one.sum()), len(one), int(other.sum()), len(other))
    return two_sample_difference(np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64))


def _rows_of(table: NewsTable, kind: str, model: str) -> Bools:
    of_kind = table.column("prompt_kind") == kind
    return np.asarray(of_kind & (table.column("model") == model) if model else of_kind, dtype=bool)


def _finding(
    level: Level,
    axis: GroupAxis,
    column: Column,
    result: Difference,
    what: str,
    groups: tuple[str, str],
    dims: dict[str, str],
    variant: Variant,
) -> Finding:
    measure, place, _, _ = column
    name = level.distance if measure == "distance" else measure
    about = axis.title if place is None else axis.labels[place]
    reason = f"no headline has it on both sides: {result.reason}" if not result.n else result.reason
    return Finding(
        id=f"{level.id}.{name}.{what}",
        label=axis.id if place is None else axis.groups[place],
        title=f"{level.titles[measure]}, {about}: {groups[0]} against {groups[1]}",
        groups=groups,
        estimate=result.value,
        reason=reason if result.value is None else missing_interval(result.interval),
        unit="proportion" if measure == "prejudice_share" else level.unit,
        n=result.n,
        dims=dims,
        variant=variant,
        interval=interval(result.interval.bounds),
        n_by_group=dict(zip(groups, result.n_by_group, strict=True)),
        p=result.p,
        effect=None if result.effect is None else Effect(result.effect_name, result.effect),
        scorers=level.scorers,
        source="Fang et al. 2024, Figures 8 to 10" if what == PROMPTS else "Fang et al. 2024, discussion; paired here",
        note=f"{result.test}." + (f" No p: {result.reason}." if result.p is None and result.value is not None else ""),
    )
