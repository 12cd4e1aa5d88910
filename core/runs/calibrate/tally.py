"""From many simulated studies to what a finding is worth: power, false alarms, coverage, mean floor.

Truth is known where nothing is planted (no difference, ratio 1). Elsewhere it is the mean of the estimates of all
simulated studies of that planted size, of every n: a study many times as large as any of them. Of ratios it is the
geometric mean, of measures of spread the population standard deviation of the mean signed contrasts, since the
estimates of a spread lie above it.

Calibration as output: rows for a script, a table (csv), a page (Markdown) and a figure (SVG) for each study.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.frame import svg
from biasprint.core.errors import AppError
from biasprint.core.findings import JSON_VERSION, Finding, Interval
from biasprint.core.machine.files import not_written, write_whole
from biasprint.core.metrics.proportions import wilson
from biasprint.core.studies.kit.planting import NONE, Planting, Required, planting_of, required

ALARM = 0.05
UNTESTED = "it has no test"
SPREADS = ("creativity.rbs", "creativity.abs", "compare.spread")
PAGE = "calibration.md"
TABLE = "calibration.csv"
MISSED = " ▾"
BEYOND_TWO_ERRORS = NormalDist().cdf(-2)
COLUMNS = (
    "study", "finding", "label", "dims", "planted", "n", "repeats", "undefined", "why_undefined", "truth", "truth_how",
    "mean", "power", "power_low", "power_high", "power_of", "false_alarms", "false_alarms_low", "false_alarms_high",
    "false_alarms_of", "found_adjusted", "found_adjusted_of", "coverage", "coverage_low", "coverage_high",
    "coverage_of", "mean_floor", "missed",
)  # fmt: skip
INTRODUCTION = """\
# Calibration: what each finding detects, and how often it raises a false alarm

What these figures mean is in [Calibration](../explanation/calibration.md).
`biasprint calibrate STUDY --out docs/tables` writes this page, the table [{table}]({table}) and the figures. Each part
begins with its command. Tests and intervals take {resamples} resamples; what is planted: `resources/calibration.toml`.

- **Found** is how often a finding's own test gives p ≤ .05: a false alarm where nothing is planted, power elsewhere.
  For words and topics it is how often any of them is reported after adjusting.
- **Held** is how often the 95 % interval contains the truth.
- In brackets: Wilson's 95 % interval. A dash: there is no test or no interval, or nothing is planted for the finding.
- **Required**, and marked ▾ where it is missed: power {power:.0%} at {power_at} and the recommended n; false alarms
  {false_alarms:.0%} and coverage {coverage:.0%}, both within two standard errors of the simulation.
"""


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


def to_json(rows: Sequence[Calibrated], repeats: int, seed: int) -> dict[str, Any]:
    return {
        "version": JSON_VERSION, "repeats": repeats, "seed": seed, "bounds": asdict(required()),
        "rows": [asdict(row) | {"missed": list(row.missed)} for row in rows],
    }  # fmt: skip


# ---- The table


def table(rows: Iterable[Calibrated], earlier: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return the rows, after lines that are `earlier`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows([*earlier, *map(_line, rows)])
    return text.getvalue()


def _line(row: Calibrated) -> dict[str, Any]:
    rates = {"power": row.power, "false_alarms": row.false_alarms, "coverage": row.coverage}
    shares = {
        f"{name}{ending}": value
        for name, rate in rates.items()
        for ending, value in (("", rate.share), ("_low", rate.low), ("_high", rate.high), ("_of", rate.of))
    }
    return shares | {
        "study": row.study, "finding": row.id, "label": row.label, "dims": row.dims, "planted": row.planted, "n": row.n,
        "repeats": row.repeats, "undefined": row.undefined, "why_undefined": row.why_undefined,
        "truth": row.truth.value, "truth_how": row.truth.how, "mean": row.mean, "mean_floor": row.floor,
        "found_adjusted": row.told.share, "found_adjusted_of": row.told.of, "missed": ", ".join(row.missed),
    }  # fmt: skip


# ---- The page


def section(study: str, rows: Sequence[Calibrated], repeats: int, seed: int, command: str) -> str:
    """Return the part of the page about one study: what is missed, what is found, what intervals hold."""
    asked = planting_of(study)
    planted = list(dict.fromkeys(row.planted for row in rows))
    sizes = ", ".join(f"{n:,}" for n in dict.fromkeys(row.n for row in rows))
    head = [
        f"## {study.capitalize()}", "", f"    {command}", "",
        f"{repeats:,} studies of each planted size and n, seed {seed}; n counts {asked.unit}: {sizes}.", "",
        *_missed(rows), "", *_conditions(study, rows), f"![What is found]({figure_name(study)})", "",
    ]  # fmt: skip
    tested = [row for row in rows if row.power.share is not None or row.false_alarms.share is not None]
    held = [row for row in rows if row.coverage.share is not None or row.floor is not None]
    return "\n".join([
        *head,
        *_grid("found", tested, planted, lambda row: row.false_alarms if row.planted == NONE else row.power), "",
        *_grid("held", held, planted, lambda row: row.coverage, floors=True), "",
        *_undefined(rows),
    ])  # fmt: skip


def _missed(rows: Sequence[Calibrated]) -> list[str]:
    if not (missed := [row for row in rows if row.missed]):
        return ["Nothing is missed."]
    lines = [
        f"- {row.name}, {row.planted}, n = {row.n:,}: {what} {share_text(getattr(row, what.replace(' ', '_')))}"
        for row in missed
        for what in row.missed
    ]
    conditional = [row for row in rows if planting_of(row.study).condition(row.id)]
    checks = sum(rate.share is not None for row in rows for rate in (row.false_alarms, row.coverage))
    checks -= sum(row.coverage.share is not None for row in conditional)
    chance = f"Of {checks:,} checks within two standard errors up to {checks * BEYOND_TWO_ERRORS:.0f} miss by chance."
    return [f"Missed. {chance}", "", *lines]


def _conditions(study: str, rows: Sequence[Calibrated]) -> list[str]:
    """List whose intervals are exempt from the required coverage, why, and how low it is; and what needs a larger n."""
    asked, sentences = planting_of(study), list[str]()
    for start, why in asked.given.items():
        shares = [row.coverage.share for row in rows if row.id.startswith(start) and row.coverage.share is not None]
        if shares:
            sentences += [
                f"- {start}: the interval holds {why}. Of the mean of all studies it holds {min(shares):.0%} at least."
            ]
    own = [f"- {key}: {n} {asked.unit}." for key, n in asked.own_n.items() if key in {row.id for row in rows}]
    parts = {
        "Not required of intervals, as they leave out what learning again would change:": sentences,
        f"Recommended n where {asked.recommended()} are too few:": own,
    }
    return [line for title, lines in parts.items() if lines for line in (title, "", *lines, "")]


def _grid(
    title: str, rows: Sequence[Calibrated], planted: Sequence[str], rate: Any, *, floors: bool = False
) -> list[str]:
    ends = ["mean floor at none"] if floors and NONE in planted else []
    columns = ["finding", "n", *(f"{title} at {size}" for size in planted), *ends]
    lines = [f"| {' | '.join(columns)} |", f"|---|{'--:|' * (len(columns) - 1)}"]
    of: dict[tuple[str, int], dict[str, Calibrated]] = {}
    for row in rows:
        of.setdefault((row.name, row.n), {})[row.planted] = row
    for (name, n), by_size in of.items():
        cells = [share_text(rate(by_size[size])) if size in by_size else "–" for size in planted]
        if ends:
            quiet = by_size.get(NONE)
            cells.append("–" if quiet is None or quiet.floor is None else digits.number(quiet.floor))
        lines.append(f"| {name} | {n:,} | {' | '.join(cells)} |")
    return lines


def share_text(rate: Rate) -> str:
    if rate.share is None or rate.low is None or rate.high is None:
        return "–"
    return f"{rate.share:.1%} ({100 * rate.low:.0f}–{100 * rate.high:.0f}){MISSED if rate.missed else ''}"


def _undefined(rows: Sequence[Calibrated]) -> list[str]:
    """List the findings that have no estimate in some of the studies, with a reason."""
    often: dict[str, tuple[float, str]] = {}
    for row in rows:
        share = row.undefined / row.repeats
        if share > often.get(row.name, (0.0, ""))[0]:
            often[row.name] = share, row.why_undefined
    if not often:
        return []
    lines = (f"- {name}: in up to {share:.0%} of the studies; {why}" for name, (share, why) in often.items())
    return ["Not defined in every study:", "", *lines, ""]


def page(before: str, sections: Mapping[str, str]) -> str:
    """Return the page with these parts, studies by name; parts of other studies are kept from the page that
    was there.
    """
    _, *old_sections = before.split("\n## ") if before.startswith("# Calibration") else [""]
    parts = {part.partition("\n")[0].strip().lower(): f"## {part.strip()}\n" for part in old_sections}
    parts |= {study: f"{text.strip()}\n" for study, text in sections.items()}
    held: Required = required()
    study = next(iter(sections))
    head = INTRODUCTION.format(
        table=TABLE, resamples=planting_of(study).resamples, **asdict(held)
    )  # fmt: skip
    return "\n".join([head, *parts.values()])


# ---- The figure


def figure_name(study: str) -> str:
    return f"calibration-{study}.svg"


def figure(study: str, rows: Sequence[Calibrated]) -> Figure:
    """Return how often what is planted is found at the recommended n, by planted size; none are the false alarms."""
    asked = planting_of(study)
    sizes = {row.n for row in rows}
    wanted = {row.id: n if (n := asked.recommended(row.id)) in sizes else max(sizes) for row in rows}
    marks = []
    for row in rows:
        rate = row.false_alarms if row.planted == NONE else row.power
        if row.n == wanted[row.id] and rate.share is not None and asked.plants(row.id, row.label):
            marks.append(_mark(row, rate))
    return Figure(
        key=f"calibration.{study}", study=study, title=f"What is found of a planted bias: {study}",
        subtitle=f"The share of simulated studies with p ≤ .05, n = {_sizes(asked, wanted)}.",
        kind="grouped", marks=tuple(marks), unit="proportion", axis="found", null=0.05,
        null_words="as many false alarms as may be", series_title="planted", n_title="studies",
    )  # fmt: skip


def _sizes(asked: Planting, wanted: Mapping[str, int]) -> str:
    """Return the usual n, and whose is another: "60 (letters.word.odds_ratio: 160)"."""
    others = [f"{study}: {n:,}" for study, n in wanted.items() if study in asked.own_n]
    usual = next((n for study, n in wanted.items() if study not in asked.own_n), 0)
    return f"{usual:,} ({', '.join(others)})" if others and usual else f"{max(wanted.values()):,}"


def _mark(row: Calibrated, rate: Rate) -> FigureMark:
    assert rate.low is not None
    assert rate.high is not None
    finding = Finding(
        id="calibration.found", label=row.name, title=row.name, groups=(), estimate=rate.share, unit="proportion",
        n=rate.of, interval=Interval(rate.low, rate.high, 0.95, "Wilson"),
    )  # fmt: skip
    return FigureMark(
        finding, row.name, row.planted, value=rate.share, low=rate.low, high=rate.high, n=rate.of, unit="proportion"
    )


# ---- Files


def write(folder: Path, rows: Sequence[Calibrated], repeats: int, seed: int, command: str) -> list[Path]:
    """Write table, page and a figure for each study in the folder; what it says of other studies stays."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error) from error
    studies = list(dict.fromkeys(row.study for row in rows))
    of = {study: [row for row in rows if row.study == study] for study in studies}
    sections = {study: section(study, of[study], repeats, seed, command) for study in studies}
    files = {
        PAGE: page(_existing_text(folder / PAGE), sections),
        TABLE: _table_beside(_existing_text(folder / TABLE), studies, rows),
        **{figure_name(study): svg(figure(study, of[study])) for study in studies},
    }
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in files]


def _table_beside(before: str, studies: Sequence[str], rows: Sequence[Calibrated]) -> str:
    if before.partition("\n")[0] != ",".join(COLUMNS):
        return table(rows)
    return table(rows, [line for line in csv.DictReader(io.StringIO(before)) if line["study"] not in studies])


def _existing_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        hint = "Choose another folder, or move it away."
        raise AppError(f"“{path.name}” cannot be read.", hint=hint, details=str(error)) from error
