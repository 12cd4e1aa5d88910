"""Generators compared on the prompts that both answered, for every study, by the study's own measure.

The measure is run on those prompts for each generator, and again with a group of prompts left out, the same on both
sides: the delete-a-group jackknife of the difference (`core.metrics.clusters.group_jackknife`). It is paired, since
both sides lose the same prompts, and clustered, since all texts of a prompt, of several seeds too, go together; what a
study keeps together (a matched block, a given term, a headline, a task and theme) does too.

What chance alone keeps above 0 (`Study.spreads`) is not tested: the noisier of two generators would be “more biased”
without any bias. Its signed contrasts are.
"""

import inspect
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import BETWEEN_GENERATORS, OF_GROUPS, Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.clusters import group_jackknife
from biasprint.core.metrics.result import Bounds, Difference, only_estimates
from biasprint.core.scorers.registry import remembered_scores
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm, with_scorer_error
from biasprint.core.studies.kit.plain_measuring import TEXTS, Prepared, Read, Take
from biasprint.core.studies.registry import studies
from biasprint.core.texts.generators import StudyGenerator

MOST = 4.0  # of two generators' differences of differences
GROUPS = 40  # at most; each costs the measure once more on both sides
SOURCE = "docs/explanation/generators.md"
RESTATED = ".equivalence"  # how ids end whose estimate is that of another finding
CONTRAST = ".contrast"  # how the id of a group's contrast with the mean of all groups ends
SPREAD = "chance alone keeps it above 0, the more the noisier the texts are; the signed differences are tested"
Key = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]
Estimates = dict[Key, tuple[float, int]]  # and how many items each is of


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


Columns = tuple[StudyGenerator, Prepared]


def paired(first: Columns, second: Columns, seed: int) -> ComparedPair | None:
    """Pair two generators on the prompts that both answered; None where there is none."""
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

    def side(generator: StudyGenerator, prepared: Prepared) -> ComparedSide:
        places = tuple(place for place, prompt in enumerate(prepared.prompts) if prompt in common)
        groups = tuple(group_of[unit_of[prepared.prompts[place]]] for place in places)
        return ComparedSide(generator.name, prepared, places, groups)

    return ComparedPair(side(*first), side(*second), len(common), sizes)


def between(ctx: JobContext, pairs: Sequence[ComparedPair], compute: ComputeProcess) -> list[Finding]:
    """Return the differences of every default finding that both generators of a pair have, adjusted within an id."""
    sides: dict[Same, ComparedSide] = {}
    for pair in pairs:
        for side in (pair.first, pair.second):
            sides.setdefault(_same(side), side)  # all generators on the same prompts: each is measured once
    asked = [AskedSide.of(side) for side in sides.values()]
    estimated = dict(zip(sides, compute.call(estimates_without, asked, ctx=ctx), strict=True))
    spreads = frozenset(spread for study in studies().values() for spread in study.spreads)
    findings: list[Finding] = []
    for pair in pairs:
        findings += _differences(pair, estimated[_same(pair.first)], estimated[_same(pair.second)], spreads)
    families: dict[str, list[Finding]] = {}
    for difference in findings:
        families.setdefault(difference.id, []).append(difference)
    return [
        each
        for key, own in families.items()
        for each in with_holm(_without_needless_groups(own), f"{key}, {len(own)} tests")
    ]


def _without_needless_groups(differences: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings of an id without their groups, unless two of them would then have the same key."""
    bare = [replace(difference, dims=_without_groups(difference.dims)) for difference in differences]
    return bare if len(set(map(key_of, bare))) == len(bare) else differences


def _without_groups(dims: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in dims.items() if name != OF_GROUPS}


Same = tuple[str, str, tuple[int, ...], tuple[int, ...]]


def _same(side: ComparedSide) -> Same:
    return side.name, side.prepared.what, side.places, side.groups


@dataclass(frozen=True)
class AskedSide:
    """A side as the compute process is asked for its estimates: without each of its `groups` of rows (`places`)."""

    call: Callable[..., StudyResult]
    read: Read | None
    take: Take
    args: tuple[Any, ...]
    places: tuple[int, ...]
    groups: tuple[int, ...]

    @classmethod
    def of(cls, side: ComparedSide) -> "AskedSide":
        own = side.prepared
        return cls(own.call, own.read, own.take, own.args, side.places, side.groups)


def estimates_without(sides: Sequence[AskedSide], ctx: JobContext) -> list[tuple[list[Finding], list[Estimates]]]:
    """Return the findings on each side's rows, and the estimates without each group of them. Runs in the compute
    process.

    Neither has anything beside its estimates.
    """
    total = sum(2 + max(side.groups) for side in sides)
    done, answers = 0, []
    compared = frozenset(contrast for study in studies().values() for contrast in study.contrasts)
    with remembered_scores(), only_estimates():
        for side in sides:
            measure = _quiet(side.call)
            args = side.read(side.args, ctx) if side.read else side.args
            measured: list[list[Finding]] = []
            for group in (None, *range(1 + max(side.groups))):
                ctx.check()
                places = [place for place, own in zip(side.places, side.groups, strict=True) if own != group]
                result = _measured(measure, side.take(args, places)) if places else None
                own = [finding for finding in result.findings if finding.variant == "default"] if result else []
                measured.append(_with_contrasts(own, compared))
                done += 1
                ctx.report(done, total, note="comparing generators")
            answers.append((measured[0], [estimates_of(findings) for findings in measured[1:]]))
    return answers


def _with_contrasts(findings: Sequence[Finding], ids: Collection[str]) -> list[Finding]:
    """Add what each group is above or below the mean of all groups, of the findings of which that is compared."""
    contrasts = [
        replace(
            finding,
            id=f"{finding.id}{CONTRAST}",
            title=f"{finding.title}, minus the mean of all groups",
            estimate=finding.contrast[finding.label],
        )
        for finding in findings
        if finding.id in ids and finding.contrast
    ]
    return [*findings, *contrasts]


def estimates_of(findings: Sequence[Finding]) -> Estimates:
    """Return the estimates that are defined."""
    return {key_of(finding): (finding.estimate, finding.n) for finding in findings if finding.estimate is not None}


def _quiet(measure: Any) -> Any:
    """Measure without reporting progress: the caller reports how many measures are done."""
    asks = "ctx" in inspect.signature(measure).parameters
    return partial(measure, ctx=JobContext()) if asks else measure


def _measured(measure: Any, args: tuple[Any, ...]) -> StudyResult | None:
    try:
        result: StudyResult = measure(*args)
    except AppError:  # such as: without these prompts no group is left to compare
        return None
    return result


def key_of(finding: Finding) -> Key:
    """Return the key that a finding shares across generators."""
    return finding.id, finding.label, finding.groups, tuple(sorted(finding.dims.items()))


def _differences(
    pair: ComparedPair,
    first: tuple[list[Finding], list[Estimates]],
    second: tuple[list[Finding], list[Estimates]],
    spreads: frozenset[str],
) -> list[Finding]:
    other = {key_of(key): key for key in second[0] if key.estimate is not None}
    return [
        _difference(
            pair,
            key,
            other[key_of(key)],
            SPREAD
            if spreads & {key.id, f"{key.id}[{key.label}]"}
            else _jackknifed(pair, key, other[key_of(key)], first[1], second[1]),
        )
        for key in first[0]
        if key.estimate is not None and key_of(key) in other and not key.id.endswith(RESTATED)
    ]


def _jackknifed(
    pair: ComparedPair,
    between_finding: Finding,
    other: Finding,
    first: Sequence[Estimates],
    second: Sequence[Estimates],
) -> Difference | str:
    """Return the difference, or why it has no interval."""
    key, whole = (
        key_of(between_finding),
        [(float(finding.estimate or 0), finding.n) for finding in (between_finding, other)],
    )
    missing = sum(key not in own for side in (first, second) for own in side)
    if missing:
        return f"it is not defined once some of the prompts are left out ({missing} times)"
    without = [(mine[key], theirs[key]) for mine, theirs in zip(first, second, strict=True)]
    scale = log if is_ratio(between_finding.unit) else float
    if scale is log and min(value for pairs in (whole, *without) for value, _ in pairs) <= 0:
        return "a ratio is 0 with some of the prompts left out"
    # Groups without any of its items do not show how it varies: a finding of one domain has fewer of them.
    own = [place for place, left in enumerate(without) if list(left) != whole]
    left_out = [scale(without[place][0][0]) - scale(without[place][1][0]) for place in own]
    sizes = [pair.sizes[place] for place in own]
    theta = scale(whole[0][0]) - scale(whole[1][0])
    return group_jackknife(theta, left_out, sizes, "prompts")


def _difference(pair: ComparedPair, finding: Finding, other: Finding, result: Difference | str) -> Finding:
    assert finding.estimate is not None
    assert other.estimate is not None
    ratio, names = is_ratio(finding.unit), (pair.first.name, pair.second.name)
    plain = (
        finding.estimate / other.estimate
        if ratio and other.estimate
        else None
        if ratio
        else finding.estimate - other.estimate
    )
    difference = Finding(
        id=f"{finding.id}{BETWEEN_GENERATORS}",
        label=finding.label,
        title=finding.title,
        groups=names,
        estimate=plain,
        unit=_unit(finding.unit),
        n=pair.prompts,
        dims={**finding.dims, **({OF_GROUPS: " : ".join(finding.groups)} if finding.groups else {})},
        reason="the ratio of the second generator is 0" if plain is None else None,
        n_by_group={names[0]: finding.n, names[1]: other.n},
        scorers=finding.scorers,
        source=SOURCE,
        note=_note(pair, finding, other, "" if isinstance(result, str) else result.test),
    )  # fmt: skip
    if isinstance(result, str):
        return replace(difference, reason=difference.reason or f"interval: {result}")
    bounds = result.interval.bounds
    if bounds is not None and ratio:
        bounds = Bounds(exp(bounds.low), exp(bounds.high), bounds.method, bounds.level)
    told = replace(
        difference, interval=interval(bounds), p=result.p, reason=difference.reason or missing_interval(result.interval)
    )
    # Both generators' texts were counted by the same scorer, so that its errors shrink their difference alike.
    return told if ratio else with_scorer_error(told, counted_by=next(iter(finding.scorers), None), most=MOST)


def is_ratio(unit: str) -> bool:
    """Return whether a difference of such values is one of their logarithms."""
    return unit in ("ratio", "odds ratio") or unit.startswith("ratio of ")


def _unit(unit: str) -> str:
    if is_ratio(unit):
        return f"ratio of {unit}s" if not unit.startswith("ratio of ") else unit
    return {"proportion": "difference of proportions", "share": "difference of shares"}.get(unit, unit)


def _note(pair: ComparedPair, finding: Finding, other: Finding, test: str) -> str:
    whose = f" ({' : '.join(finding.groups)})" if finding.groups else ""
    how = "quotient" if is_ratio(finding.unit) else "difference"
    answered = "both answered" if pair.first.prepared.what == TEXTS else "people judged of both; raters as they are"
    tested = f"; {test}, the same left out on both sides" if test else ""
    return (
        f"The {how} of {finding.estimate:.4g} and {other.estimate:.4g}{whose} on the {pair.prompts:,} prompts that "
        f"{answered}{tested}."
    )
