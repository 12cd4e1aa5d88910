"""Calibration as output: rows for a script, a table (csv), a page (Markdown) and a figure (SVG) for each study."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import NormalDist
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.frame import svg
from biasprint.core.errors import AppError
from biasprint.core.findings import JSON_VERSION, Finding, Interval
from biasprint.core.report.whole_file import not_written, write_whole
from biasprint.core.runs.calibrate.tally import Calibrated, Rate
from biasprint.core.studies.kit.planting import NONE, Planting, Required, planting_of, required

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
