"""From many simulated studies to what a finding is worth: power, false alarms, coverage, mean floor.

Truth is known where nothing is planted (no difference, ratio 1). Elsewhere it is the mean of the estimates of all
simulated studies of that planted size, of every n: a study many times as large as any of them. Of ratios it is the
geometric mean, of measures of spread the population standard deviation of the mean signed contrasts, since the
estimates of a spread lie above it.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.proportions import wilson
from biasprint.core.studies.kit.planting import NONE, Planting, Required

ALARM = 0.05
UNTESTED = "it has no test"
SPREADS = ("creativity.rbs", "creativity.abs", "compare.spread")


@dataclass(frozen=True)
class Seen:
    """A default finding in one simulated study, reduced to what is counted. `dims`: in words, without the axis
    alone.
    """

    id: str
    label: str
    dims: str
    groups: tuple[str, ...]
    ratio: bool
    estimate: float | None
    reason: str
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    floor: float | None
    contrast: tuple[float, ...]

    @property
    def rejected(self) -> bool | None:
        return None if self.p is None else self.p <= ALARM

    @property
    def told(self) -> bool | None:
        """Return whether it is significant after adjusting for many tests, as reports have it."""
        p = self.p if self.p_adjusted is None else self.p_adjusted
        return None if p is None else p <= ALARM


def seen(findings: Iterable[Finding]) -> list[Seen]:
    return [_seen(finding) for finding in findings if finding.variant == "default"]


def _seen(finding: Finding) -> Seen:
    bounds = finding.interval
    return Seen(
        id=finding.id,
        label=finding.label,
        dims=", ".join(value for value in finding.dims.values() if value != finding.label),
        groups=finding.groups,
        ratio="ratio" in finding.unit,
        estimate=finding.estimate,
        reason=finding.reason or "",
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        p=finding.p,
        p_adjusted=finding.p_adjusted,
        floor=finding.floor.mean if finding.floor else None,
        contrast=tuple((finding.contrast or {}).values()),
    )


@dataclass(frozen=True)
class Rate:
    """A share of simulated studies, with Wilson's 95 % interval for that many; None with the reason."""

    share: float | None
    low: float | None = None
    high: float | None = None
    of: int = 0
    reason: str = ""
    missed: bool = False

    @classmethod
    def counted(cls, answers: Sequence[bool | None], reason: str) -> "Rate":
        given = [answer for answer in answers if answer is not None]
        if not given:
            return cls(None, reason=reason)
        bounds = wilson(sum(given), len(given))
        assert bounds is not None  # there are some
        return cls(sum(given) / len(given), bounds.low, bounds.high, len(given))


@dataclass(frozen=True)
class Truth:
    value: float | None
    how: str


@dataclass(frozen=True)
class Calibrated:
    """One finding at one planted size and n. `power`, `false_alarms`: of its own test at 5 %; `told`: how often it is
    significant after adjusting for many tests. `undefined`: in how many of the `repeats` it had no estimate.
    """

    study: str
    id: str
    label: str
    dims: str
    planted: str
    n: int
    repeats: int
    undefined: int
    why_undefined: str
    truth: Truth
    mean: float | None
    power: Rate
    false_alarms: Rate
    told: Rate
    coverage: Rate
    floor: float | None

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.id, self.label, f"({self.dims})" if self.dims else "")))

    @property
    def missed(self) -> tuple[str, ...]:
        named = {"power": self.power, "false alarms": self.false_alarms, "coverage": self.coverage}
        return tuple(name for name, rate in named.items() if rate.missed)


Cell = tuple[str, int]  # planted size, n
Key = tuple[str, str, str]  # id, label, dims


def calibrated(
    study: str, asked: Planting, results: Mapping[Cell, Sequence[Sequence[Seen]]], bounds: Required
) -> list[Calibrated]:
    """Return a row for each finding, planted size and n. `results`: the findings of each simulated study."""
    rows = []
    by_key: dict[Key, dict[Cell, list[list[Seen]]]] = {}
    shared = _shared_names(asked, (simulated for studies in results.values() for simulated in studies))
    for cell, studies in results.items():
        for simulated in studies:
            grouped: dict[Key, list[Seen]] = {}
            for each in simulated:
                grouped.setdefault(_key(asked, each, shared), []).append(each)
            for key, of_key in grouped.items():
                by_key.setdefault(key, {}).setdefault(cell, []).append(of_key)
    for key, cells in by_key.items():
        for cell, studies in cells.items():
            pooled = [
                each
                for (planted, _), of in cells.items()
                if planted == cell[0]
                for simulated in of
                for each in simulated
            ]
            row = _row(study, asked, key, cell, (studies, pooled))
            rows.append(_judged(replace(row, repeats=len(results[cell])), asked, bounds))
    return rows


def _key(asked: Planting, each: Seen, shared: Collection[Key] = ()) -> Key:
    key = (each.id, "any" if each.id in asked.any_of else each.label, each.dims)
    if key not in shared:
        return key
    return (*key[:2], ", ".join(filter(None, (each.dims, " and ".join(each.groups)))))


def _shared_names(asked: Planting, studies: Iterable[Sequence[Seen]]) -> set[Key]:
    """Return the names that several findings of a study share, which only their groups distinguish."""
    return {
        key
        for simulated in studies
        for key, times in Counter(_key(asked, each) for each in simulated if each.id not in asked.any_of).items()
        if times > 1
    }


def _row(
    study: str, asked: Planting, key: Key, cell: Cell, of: tuple[Sequence[Sequence[Seen]], Sequence[Seen]]
) -> Calibrated:
    studies, pooled = of
    finding, label, dims = key
    planted, n = cell
    every = [each for simulated in studies for each in simulated]
    estimates = [each.estimate for each in every if each.estimate is not None]
    floors = [each.floor for each in every if each.floor is not None]
    truth = truth_of(asked, finding, planted, pooled)
    rejected = Rate.counted([_any(each.rejected for each in simulated) for simulated in studies], UNTESTED)
    significant = Rate.counted([_any(each.told for each in simulated) for simulated in studies], UNTESTED)
    if finding in asked.any_of:  # one of many: only what is adjusted for how many there are is a claim
        rejected = significant
    nothing = planted == NONE and finding not in asked.not_null
    asked_of = asked.plants(finding, label)
    return Calibrated(
        study=study, id=finding, label=label, dims=dims, planted=planted, n=n, repeats=0,
        undefined=sum(all(each.estimate is None for each in simulated) for simulated in studies),
        why_undefined=next((each.reason for each in every if each.estimate is None), ""),
        truth=truth,
        mean=_mean(estimates, every[0].ratio),
        power=rejected if planted != NONE and asked_of else Rate(None, reason=_no_power(planted)),
        false_alarms=rejected if nothing else Rate(None, reason=asked.not_null.get(finding, "a bias is planted")),
        told=significant,
        coverage=_coverage(every, truth),
        floor=float(np.mean(floors)) if floors else None,
    )  # fmt: skip


def _no_power(planted: str) -> str:
    return "nothing is planted" if planted == NONE else "what is planted is not what it measures"


def _any(answers: Iterable[bool | None]) -> bool | None:
    given = [answer for answer in answers if answer is not None]
    return any(given) if given else None


def truth_of(asked: Planting, finding: str, planted: str, pooled: Sequence[Seen]) -> Truth:
    """Return the true value of a finding. `pooled`: its estimates in all simulated studies of this planted size."""
    known = asked.known.get(finding, asked.known.get(f"{finding} {pooled[0].label}"))
    if planted == NONE and known is not None:
        return Truth(known, "known")
    if finding in asked.any_of:
        return Truth(None, "which labels are told depends on their estimates, whose mean is then no truth")
    if finding.startswith(SPREADS):
        contrasts = [each.contrast for each in pooled if each.contrast]
        if not contrasts or len({len(each) for each in contrasts}) > 1:
            return Truth(None, "it has no contrast to average")
        return Truth(float(np.std(np.mean(contrasts, axis=0))), "spread of mean contrasts")
    estimates = [each.estimate for each in pooled if each.estimate is not None]
    mean = _mean(estimates, pooled[0].ratio)
    return Truth(mean, "mean of all" if mean is not None else "it has no estimate")


def _mean(estimates: Sequence[float], ratio: bool) -> float | None:
    if not estimates or (ratio and min(estimates) <= 0):
        return None
    return float(np.exp(np.mean(np.log(estimates)))) if ratio else float(np.mean(estimates))


def _coverage(every: Sequence[Seen], truth: Truth) -> Rate:
    if truth.value is None:
        return Rate(None, reason=truth.how)
    held = [
        each.low - 1e-12 <= truth.value <= each.high + 1e-12
        for each in every
        if each.low is not None and each.high is not None
    ]
    return Rate.counted(held, "it has no interval")


def _judged(row: Calibrated, asked: Planting, bounds: Required) -> Calibrated:
    """Return the row with what misses its bound by more than two standard errors (power: by any) marked.

    Of an interval that holds given what each study learnt, no coverage of what all of them mean can be required.
    """
    power, alarms, coverage = row.power, row.false_alarms, row.coverage
    if (row.planted, row.n) == (bounds.power_at, asked.recommended(row.id)) and power.share is not None:
        power = replace(power, missed=power.share < bounds.power)
    if alarms.share is not None:
        alarms = replace(alarms, missed=alarms.share > bounds.false_alarms + two_errors(bounds.false_alarms, alarms.of))
    if coverage.share is not None and not asked.condition(row.id):
        short = coverage.share < bounds.coverage - two_errors(bounds.coverage, coverage.of)
        coverage = replace(coverage, missed=short)
    return replace(row, power=power, false_alarms=alarms, coverage=coverage)


def two_errors(share: float, of: int) -> float:
    """Return two standard errors of a share that so many studies estimate."""
    return 2 * math.sqrt(share * (1 - share) / of)
