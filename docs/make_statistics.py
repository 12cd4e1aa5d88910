"""Makes docs/tables/statistics-simulations.md: how often intervals cover and tests raise false alarms, by simulation.

    python docs/make_statistics.py [TRIALS [MODULE …]]

Every module of tests/simulations with a function `rows(trials)` gives its rows, one with `found_rows(trials)` how often
a preference is found, and one with `watched_rows(trials)` how often bands held the truth at every look. Takes about an
hour with 2,000 trials. With modules named, only their parts are made again.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tables" / "statistics-simulations.md"
TRIALS = 2000
INTRODUCTION = """\
# Simulated coverage and false alarms

What these tables mean is in [Statistics](../explanation/statistics.md). Made by
`python docs/make_statistics.py {trials}`; the simulations are in `tests/simulations`.

- **Required**: coverage of at least 93 % and at most 5 % false alarms, within two standard errors of the simulation:
  ± {coverage:.1%} and ± {alarms:.1%} with {trials:,} trials. What falls short is marked ▾.
- n counts what was sampled: articles, prompts, letters, comparisons, terms.
- `as_published` is the paper's own method, for comparison. “Shown, not used” is something the program does not do.
- An empty cell: the method has no interval or no test, or there was a difference to find.
- At least 1,000 trials of each design (± 1.6 and ± 1.4 points): people who differ, length and place, careful raters,
  recommendations and fingerprints. Rankings: 300 studies, each with five intervals and ten pairs; 200 at equal style.
  Abilities: 300 studies.
- **Stated** is the chance that the planner gives beforehand.
"""


def modules() -> list[str]:
    found = sorted(path.stem for path in (ROOT / "tests" / "simulations").glob("*.py"))
    return [name for name in found if name not in ("rows", "__init__")]


def table_of(name: str, trials: int) -> str:
    """A module's rows as a table under its own first line; empty where it has none to give."""
    sys.path[:0] = [str(ROOT / "core" / "python"), str(ROOT / "tests")]
    module = import_module(f"simulations.{name}")
    title = (module.__doc__ or name).strip().splitlines()[0]
    make, found, watched = (getattr(module, each, None) for each in ("rows", "found_rows", "watched_rows"))
    if watched:
        return watched_table(title, watched(trials))
    if not make:
        return ""
    return table(title, make(trials), trials) + (found_table(found(trials)) if found else "")


def errors(trials: int) -> tuple[float, float]:
    """Two standard errors of a coverage of 93 % and of 5 % false alarms."""
    return 2 * (0.93 * 0.07 / trials) ** 0.5, 2 * (0.05 * 0.95 / trials) ** 0.5


def table(title: str, rows: Sequence[Any], trials: int) -> str:
    coverage, alarms = errors(trials)
    head = ["| design | n | method | coverage | false alarms |", "|---|--:|---|--:|--:|"]
    lines = [f"## {title.rstrip('.')}", "", *head]
    for row in rows:
        covered = _cell(row.coverage, row.coverage is not None and row.coverage < 0.93 - coverage)
        alarmed = _cell(row.false_positives, row.false_positives is not None and row.false_positives > 0.05 + alarms)
        lines.append(f"| {row.design} | {row.n:,} | {row.method} | {covered} | {alarmed} |")
    return "\n".join([*lines, ""])


def found_table(rows: Sequence[Any]) -> str:
    """Return how often a planted preference was found, beside the chance that the planner states."""
    head = ["How often a planted preference was found:", "", "| design | n | found | stated |", "|---|--:|--:|--:|"]
    return "\n".join(
        ["", *head, *(f"| {row.design} | {row.n:,} | {row.found:.1%} | {row.stated:.1%} |" for row in rows), ""]
    )


WATCHED = """\
A sequence of texts is drawn; band and ordinary 95 % interval are looked at after each text (each tenth or sixteenth in
slow designs), from the first n at which a band is shown. Each held if the truth was inside at every look. In brackets:
Wilson's 95 % interval. A band whose bracket ends below 95 % is marked ▾.
"""


def watched_table(title: str, rows: Sequence[Any]) -> str:
    """How often a band, and an ordinary interval, held the truth at every look."""
    head = [
        "| design | looked at from n to n | band | sequences | band held | interval held |",
        "|---|--:|---|--:|--:|--:|",
    ]
    lines = [f"## {title.rstrip('.')}", "", WATCHED, *head]
    for row in rows:
        ends = [_ends(share, row.trials) for share in (row.band, row.ordinary)]
        band, usual = (
            f"{share:.1%} ({low:.1%} to {high:.1%})"
            for share, (low, high) in zip((row.band, row.ordinary), ends, strict=True)
        )
        short = " ▾" if ends[0][1] < 0.95 else ""
        looks = f"{row.first:,} to {row.last:,}"
        lines.append(f"| {row.design} | {looks} | {row.method} | {row.trials:,} | {band}{short} | {usual} |")
    return "\n".join([*lines, ""])


def _ends(share: float, trials: int) -> tuple[float, float]:
    from biasprint.core.metrics.proportions import wilson

    bounds = wilson(round(share * trials), trials)
    assert bounds is not None
    return bounds.low, bounds.high


def _cell(share: float | None, short: bool) -> str:
    return "" if share is None else f"{share:.1%}{' ▾' if short else ''}"


def replaced(page: str, part: str) -> str:
    """The page with this part in place of the one of its title; at its end where there is none."""
    title = part.splitlines()[0]
    before, found, rest = page.partition(f"{title}\n")
    if not found:
        return f"{page}\n{part}"
    _, more, after = rest.partition("\n## ")
    return f"{before}{part}{more}{after}"


def main(arguments: Sequence[str]) -> None:
    trials = int(arguments[0]) if arguments else TRIALS
    if chosen := arguments[1:]:
        page = PAGE.read_text(encoding="utf-8")
        for name in chosen:
            page = replaced(page, table_of(name, trials))
        PAGE.write_text(page, encoding="utf-8")
        return
    coverage, alarms = errors(trials)
    parts = [INTRODUCTION.format(trials=trials, coverage=coverage, alarms=alarms)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for name, part in zip(modules(), pool.map(table_of, modules(), [trials] * len(modules())), strict=True):
            print(f"{name}: {part.count(chr(10))} lines", file=sys.stderr)
            parts += [part] if part else []
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
