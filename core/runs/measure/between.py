"""Generators compared on the prompts that both answered, for every study, by the study's own measure.

The measure is run on those prompts for each generator, and again with a group of prompts left out, the same on both
sides: the delete-a-group jackknife of the difference (`core.metrics.resampling.group_jackknife`). It is paired, since
both sides lose the same prompts, and clustered, since all texts of a prompt, of several seeds too, go together; what a
study keeps together (a matched block, a given term, a headline, a task and theme) does too.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

from core.compute import ComputeProcess, calls
from core.compute.messages import resolve
from core.findings import Finding, StudyResult
from core.jobs import JobContext
from core.metrics.resampling import group_jackknife
from core.metrics.result import Bounds, Difference
from core.runs.measure.prepared import Prepared
from core.scorers.registry import remembered_scores
from core.studies.findings import interval, missing_interval, with_holm

BETWEEN = ".between_generators"
GROUPS = 40  # at most; each costs the measure once more on both sides
SOURCE = "docs/generators.md"
Key = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]
Estimates = dict[Key, float]


@dataclass(frozen=True)
class ComparedSide:
    """One generator's columns, and the rows that answer prompts of both: `places`, each in a group of prompts."""

    name: str
    prepared: Prepared
    places: tuple[int, ...]
    groups: tuple[int, ...]


@dataclass(frozen=True)
class ComparedPair:
    """Two generators on `prompts` common prompts, in groups that are left out; `sizes`: units in each group."""

    first: ComparedSide
    second: ComparedSide
    prompts: int
    sizes: tuple[int, ...]


def paired(first: tuple[str, Prepared], second: tuple[str, Prepared], seed: int) -> ComparedPair | None:
    """Two generators on the prompts that both answered; None where there is none."""
    common = (set(first[1].prompts) & set(second[1].prompts)) - {""}
    if not common:
        return None
    # The unit of a prompt is the first one's: what a block is called may depend on who wrote it.
    unit_of: dict[str, str] = {}
    for _, prepared in (first, second):
        for prompt, unit in zip(prepared.prompts, prepared.units, strict=True):
            if prompt in common:
                unit_of.setdefault(prompt, unit)
    units = sorted(set(unit_of.values()))
    random.Random(seed).shuffle(units)
    number = min(len(units), GROUPS)
    group_of = {unit: place % number for place, unit in enumerate(units)}
    sizes = tuple(sum(group == each for group in group_of.values()) for each in range(number))

    def side(name: str, prepared: Prepared) -> ComparedSide:
        places = tuple(place for place, prompt in enumerate(prepared.prompts) if prompt in common)
        groups = tuple(group_of[unit_of[prepared.prompts[place]]] for place in places)
        return ComparedSide(name, prepared, places, groups)

    return ComparedPair(side(*first), side(*second), len(common), sizes)


def between(ctx: JobContext, pairs: Sequence[ComparedPair], compute: ComputeProcess) -> list[Finding]:
    """The differences of every default finding that both generators of a pair have, adjusted within an id."""
    sides: dict[tuple[str, tuple[int, ...], tuple[int, ...]], ComparedSide] = {}
    for pair in pairs:
        for one in (pair.first, pair.second):
            sides.setdefault(_same(one), one)  # all generators on the same prompts: each is measured once
    asked = [
        (one.prepared.call, one.prepared.take, one.prepared.args, one.places, one.groups) for one in sides.values()
    ]
    estimated = dict(zip(sides, compute.call(calls.estimates_without, asked, ctx=ctx), strict=True))
    found: list[Finding] = []
    for pair in pairs:
        found += _differences(pair, estimated[_same(pair.first)], estimated[_same(pair.second)])
    families: dict[str, list[Finding]] = {}
    for difference in found:
        families.setdefault(difference.id, []).append(difference)
    return [each for key, own in families.items() for each in with_holm(own, f"{key}, {len(own)} tests")]


def _same(side: ComparedSide) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    return side.name, side.places, side.groups


def in_compute(
    sides: Sequence[tuple[str, str, tuple[Any, ...], Sequence[int], Sequence[int]]], ctx: JobContext
) -> list[tuple[list[Finding], list[Estimates]]]:
    """In the compute process: of each side the findings on its rows, and the estimates without each group of them."""
    total = sum(1 + len(set(groups)) for *_, groups in sides)
    done, answers = 0, []
    with remembered_scores():
        for call, take, args, places, groups in sides:
            measure, take_rows = resolve(call, ("core",)), resolve(take, ("core",))
            whole: list[Finding] = []
            without: list[Estimates] = []
            for group in (None, *range(1 + max(groups))):
                ctx.check()
                kept = [place for place, own in zip(places, groups, strict=True) if own != group]
                result = _measured(measure, take_rows(args, kept)) if kept else None
                findings = [one for one in result.findings if one.variant == "default"] if result else []
                if group is None:
                    whole = findings
                else:
                    without.append({key_of(one): one.estimate for one in findings if one.estimate is not None})
                done += 1
                ctx.report(done, total, note="comparing generators")
            answers.append((whole, without))
    return answers


def _measured(measure: Any, args: tuple[Any, ...]) -> StudyResult | None:
    from core.errors import AppError

    try:
        result: StudyResult = measure(*args)
    except AppError:  # such as: without these prompts no group is left to compare
        return None
    return result


def key_of(finding: Finding) -> Key:
    """What is the same for a finding of every generator."""
    return finding.id, finding.label, finding.groups, tuple(sorted(finding.dims.items()))


def _differences(
    pair: ComparedPair, first: tuple[list[Finding], list[Estimates]], second: tuple[list[Finding], list[Estimates]]
) -> list[Finding]:
    other = {key_of(one): one for one in second[0] if one.estimate is not None}
    return [
        _difference(pair, one, other[key_of(one)], first[1], second[1])
        for one in first[0]
        if one.estimate is not None and key_of(one) in other
    ]


def _difference(
    pair: ComparedPair, one: Finding, other: Finding, first: Sequence[Estimates], second: Sequence[Estimates]
) -> Finding:
    assert one.estimate is not None
    assert other.estimate is not None
    ratio = is_ratio(one.unit)
    key, names = key_of(one), (pair.first.name, pair.second.name)
    missing = sum(key not in own for side in (first, second) for own in side)
    defined = [own[key] for side in (first, second) for own in side if key in own] + [one.estimate, other.estimate]
    scale = log if ratio else float
    if ratio and min(defined) <= 0:
        result: Difference | str = "a ratio is 0 with some of the prompts left out"
    elif missing:
        result = f"it is not defined once some of the prompts are left out ({missing} times)"
    else:
        left_out = [scale(mine[key]) - scale(theirs[key]) for mine, theirs in zip(first, second, strict=True)]
        result = group_jackknife(scale(one.estimate) - scale(other.estimate), left_out, pair.sizes, "prompts")
    plain = (
        one.estimate / other.estimate if ratio and other.estimate else None if ratio else one.estimate - other.estimate
    )
    found = Finding(
        id=f"{one.id}{BETWEEN}",
        label=one.label,
        title=one.title,
        groups=names,
        estimate=plain,
        unit=_unit(one.unit),
        n=pair.prompts,
        dims=one.dims,
        reason="the ratio of the second generator is 0" if plain is None else None,
        n_by_group={names[0]: one.n, names[1]: other.n},
        scorers=one.scorers,
        source=SOURCE,
        note=_note(pair, one, other),
    )  # fmt: skip
    if isinstance(result, str):
        return replace(found, reason=found.reason or f"interval: {result}")
    bounds = result.interval.bounds
    if bounds is not None and ratio:
        bounds = Bounds(exp(bounds.low), exp(bounds.high), bounds.method, bounds.level)
    return replace(
        found, interval=interval(bounds), p=result.p, reason=found.reason or missing_interval(result.interval)
    )


def is_ratio(unit: str) -> bool:
    """Whether a difference of such values is one of their logarithms."""
    return unit in ("ratio", "odds ratio") or unit.startswith("ratio of ")


def _unit(unit: str) -> str:
    if is_ratio(unit):
        return f"ratio of {unit}s" if not unit.startswith("ratio of ") else unit
    return {"proportion": "difference of proportions", "share": "difference of shares"}.get(unit, unit)


def _note(pair: ComparedPair, one: Finding, other: Finding) -> str:
    whose = f" ({' : '.join(one.groups)})" if one.groups else ""
    how = "quotient" if is_ratio(one.unit) else "difference"
    return (
        f"The {how} of {one.estimate:.4g} and {other.estimate:.4g}{whose} on the {pair.prompts:,} prompts that both "
        f"answered; delete-a-group jackknife over {len(pair.sizes)} groups of prompts, the same left out on both sides."
    )
