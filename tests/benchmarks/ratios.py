"""The table of docs/tables/benchmarks.md: figures as ratios to a peer or a bound, measured in one run."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

BEGIN, END = "<!-- table: begin, written by run.py bench -->", "<!-- table: end -->"
FEWEST = 5
WORSE = 0.2  # a ratio that fell by more than this share of the stored one is reported
HEAD = "| what | ours | peer or bound | ratio | machine |"
NOT_MEASURED = "not measured"
CELLS = re.compile(r"(?<!\\)\|")
# The rows of the table, in its order. What a benchmark reports under another name is printed and not kept.
ROWS = (
    "Bradley–Terry strengths of 100,000 comparisons",
    "mean over 10,000 clusters of 100,000 values, with p",
    "Holm's adjustment of 100,000 p values",
    "501 Wilson intervals, one at a time",
    "Fleiss κ of 100,000 comparisons, with its jackknife interval",
    "10,000 bootstrap resamples of 10,000 pairs",
    "words of 40 letters counted as published",
    "ROUGE-L of 20 pairs of letters",
    "BLEU of 20 pairs of letters",
    "co-occurrence bias of 40 letters",
    "stereotypical association of 40 letters",
    "growth: mean over clusters of ten, values, 10³ to 10⁶",
    "growth: strengths of 8 by Bradley and Terry, comparisons, 10³ to 10⁶",
    "growth: Fleiss κ and Krippendorff α, comparisons, 10³ to 10⁶",
    "growth: words of lists, texts of 12 words, 10³ to 10⁶",
    "word level of news, 8,629 pairs of articles, two axes",
    "all findings of 11,000 fill-in-the-blank replies",
    "600 sentences embedded, process crossing included, by the clock",
    "60 letters embedded, process crossing included, by the clock",
    "one letter with a CV, models loaded, processor time",
    "one letter with a CV on the command line, processor time of all processes",
    "words marked after a letter is opened, 8 s after the window",
    "writing with teaching.gguf, beside llama_cpp’s bare functions",
    "16 letters beside each other, Qwen 1.5B, by the clock",
    "64 requests at once, streamed, 100 ms of latency, by the clock",
    "64 requests at once, whole, 100 ms of latency, by the clock",
    "An endpoint of two addresses, 8 requests at once each, 200 ms a text, by the clock",
    "rate of creative texts while they are scored, beside that without scoring",
    "Scoring on two nodes of one processor, at work",
    "start from source to the first key answered",
    "100,000 rows imported, processor time, beside SQLite with a hash a row",
    "1,000,000 outputs in the window, a known file, to the first page",
    "outputs narrowed and sorted, 1,000,000, the longest of 36 ways",
    "choice to the next comparison painted, beside a busy job, p99 beyond one fsync",
    "live board, 10,000 letters: window's thread held in one turn, p99",
)


@dataclass(frozen=True)
class Ratio:
    """One row. `ratio` above 1: ours is ahead of the peer, or within the bound, by so many times.

    `ours`: a figure in words, with its unit. `against`: the peer or bound with its figure.
    """

    name: str
    ours: str
    against: str
    ratio: float
    machine: str = ""  # with the day and the load

    def line(self) -> str:
        """Return the row in Markdown."""
        cells = (self.name, self.ours, self.against, f"{self.ratio:.3g}", self.machine)
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    @classmethod
    def from_line(cls, line: str) -> "Ratio":
        """Parse a row in Markdown."""
        name, ours, against, ratio, machine = (cell.strip().replace("\\|", "|") for cell in CELLS.split(line)[1:-1])
        return cls(name, ours, against, float(ratio.replace(",", "")), machine)


def measured_in_turn(
    work: Callable[[], Any], peer: Callable[[], Any], clock: Callable[[], float], rounds: int = FEWEST
) -> tuple[list[float], list[float], Any, Any]:
    """Seconds of each round of both, who goes first changing from round to round; and what each returned last."""
    if rounds < FEWEST:
        raise ValueError(f"a median of {rounds} rounds is none")
    spent: dict[bool, list[float]] = {True: [], False: []}
    found: dict[bool, Any] = {}
    for number in range(rounds):
        for ours in (True, False) if number % 2 else (False, True):
            began = clock()
            found[ours] = (work if ours else peer)()
            spent[ours].append(clock() - began)
    return spent[True], spent[False], found[True], found[False]


def faster(name: str, ours: Sequence[float], peer: str, theirs: Sequence[float], same: str = "") -> Ratio:
    """Compare seconds: the median over rounds of theirs beside ours. `same`: how near the results had to be."""
    pairs = [other / own for own, other in zip(ours, theirs, strict=True)]
    return Ratio(name, seconds(median(ours)), _against(peer, seconds(median(theirs)), same), median(pairs))


def more(name: str, ours: Sequence[float], peer: str, theirs: Sequence[float], unit: str, same: str = "") -> Ratio:
    """Compare rates: the median over rounds of ours beside theirs. `same`: how near the results had to be."""
    pairs = [own / other for own, other in zip(ours, theirs, strict=True)]
    own, other = (f"{median(each):,.4g} {unit}" for each in (ours, theirs))
    return Ratio(name, own, _against(peer, other, same), median(pairs))


def _against(peer: str, figure: str, same: str) -> str:
    return f"{peer}: {figure}" + (f"; results {same}" if same else "")


def seconds(value: float) -> str:
    """Write seconds in words: "1.2 s", "340 ms"."""
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"


# ---- The page


def stored(page: str) -> dict[str, Ratio]:
    """Return the page's measured rows by name; none where it has no table."""
    if BEGIN not in page or END not in page:
        return {}
    lines = page[page.index(BEGIN) : page.index(END)].splitlines()
    measured = (line for line in lines if line.startswith("| ") and line != HEAD and f"| {NOT_MEASURED} |" not in line)
    return {row.name: row for row in map(Ratio.from_line, measured)}


def with_rows(page: str, rows: Iterable[Ratio], names: Sequence[str] = ROWS) -> str:
    """Return the page with its table of `names`; rows that were not measured this time stay as they were."""
    every = stored(page) | {row.name: row for row in rows}
    lines = [every[name].line() if name in every else f"| {name} | {NOT_MEASURED} | | | |" for name in names]
    table = "\n".join([BEGIN, "", HEAD, "|---|--:|---|--:|---|", *lines, "", END])
    if BEGIN in page and END in page:
        return page[: page.index(BEGIN)] + table + page[page.index(END) + len(END) :]
    return f"{page.rstrip()}\n\n{table}\n"


def regressions(before: Mapping[str, Ratio], now: Iterable[Ratio]) -> list[str]:
    """Return a sentence for each ratio that is more than 20 % below the stored one."""
    worse = [row for row in now if row.name in before and row.ratio < (1 - WORSE) * before[row.name].ratio]
    pairs = [(row, before[row.name]) for row in worse]
    return [
        f"{row.name}: {row.ratio:.3g} ({row.against}); it was {old.ratio:.3g} ({old.machine})" for row, old in pairs
    ]


def keep(path: Path, rows: Sequence[Ratio], names: Sequence[str] = ROWS) -> list[str]:
    """Write the rows into the page; return what is to be printed at the end."""
    page = path.read_text(encoding="utf-8")
    listed = [row for row in rows if row.name in names]
    path.write_text(with_rows(page, listed, names), encoding="utf-8", newline="\n")
    behind = [f"{row.name}: {row.ratio:.3g} ({row.against})" for row in listed if row.ratio < 1]
    parts = {
        f"Below 1: {len(behind)}.": behind,
        f"More than {WORSE:.0%} worse than stored:": regressions(stored(page), listed),
        "Measured, and no row of the table:": [row.name for row in rows if row.name not in names],
    }
    return [
        f"{len(listed)} of {len(names)} rows of {path.name} were measured.",
        *(line for title, lines in parts.items() if lines for line in (title, *(f"  {line}" for line in lines))),
    ]
