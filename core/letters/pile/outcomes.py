"""Outcomes of candidates from a table (who was chosen), and the rates of the groups with their ratios.

The unit is a candidate, as in the group tests. Nothing here says whether a procedure is lawful.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from biasprint.core.draw import digits
from biasprint.core.errors import AppError
from biasprint.core.findings import Interval
from biasprint.core.letters.pile import PileRow, groups
from biasprint.core.metrics.proportions import rate_ratio, ratio_to_highest_level, wilson
from biasprint.core.metrics.result import Bounds
from biasprint.core.tables.fields import FieldSpec
from biasprint.core.tables.read import read_records
from biasprint.core.tables.rows import Record, visible
from biasprint.core.text import for_matching

# ---- The table

FIELDS = (
    FieldSpec("file", aliases=("letter", "filename", "path"), description="the letter's file"),
    FieldSpec("name", aliases=("candidate", "applicant", "person", "fullname"), description="whom the letter is about"),
    FieldSpec(
        "outcome",
        required=True,
        aliases=("invited", "chosen", "selected", "hired", "interviewed", "offered", "decision", "result"),
        description="whether the candidate was chosen, yes or no",
    ),
    FieldSpec("group", aliases=("gender", "sex", "ethnicity", "race"), description="the candidate's group"),
)
YES = frozenset(("yes", "y", "true", "1", "x", "invited", "chosen", "selected", "hired", "interviewed", "offered"))
NO = frozenset(
    ("no", "n", "false", "0", "not invited", "not chosen", "not selected", "not hired", "rejected", "declined")
)
NAMED = 3  # of what is left out


@dataclass(frozen=True)
class ToldOutcome:
    """One line of the table. `file` or `name` may be empty, not both; `group`: "" where the table has none."""

    line: int
    file: str
    name: str
    chosen: bool
    group: str


@dataclass(frozen=True)
class Outcomes:
    """`left_out`: one sentence for each line that was."""

    table: str
    found: tuple[ToldOutcome, ...]
    left_out: tuple[str, ...] = ()


def read_outcomes(path: Path) -> Outcomes:
    """The outcomes in a csv, tsv, xlsx, jsonl or parquet file. Raises `AppError` where none can be used."""
    read = read_records(path, FIELDS, duplicates="drop")
    if "file" not in read.mapping and "name" not in read.mapping:
        raise AppError(
            f"“{path.name}” does not say of which letter an outcome is.",
            hint="Add a column “file” with the letters' file names, or “name” with the candidates'.",
        )
    outcomes: list[ToldOutcome] = []
    left_out = [f"{problem}." for problem in read.problems]
    for record in read.rows:
        outcome = _told(record)
        if isinstance(outcome, str):
            left_out.append(f"Row {record.number} (line {record.line}): {outcome}.")
        else:
            outcomes.append(outcome)
    if not outcomes:
        raise AppError(
            f"No outcome of “{path.name}” can be used.", hint="Write yes or no.", details="\n".join(left_out[:100])
        )
    return Outcomes(path.name, tuple(outcomes), tuple(left_out))


def _told(record: Record) -> ToldOutcome | str:
    """The outcome in a row, or why it has none."""
    file, name, group = (" ".join(record.values.get(field, "").split()) for field in ("file", "name", "group"))
    answer = " ".join(for_matching(record.values["outcome"]).split())
    if not file and not name:
        return "it names no file and no candidate"
    if answer not in YES | NO:
        return f"“{visible(answer, 40)}” is neither yes nor no"
    return ToldOutcome(record.line, file, name, answer in YES, _group_key(group))


def _group_key(answer: str) -> str:
    """The axis's key where it has this group; other groups keep the name that the table gives them."""
    by_name = {for_matching(name): key for key, label in groups() for name in (key, label)}
    return by_name.get(for_matching(answer), answer)


def with_outcomes(rows: Sequence[PileRow], outcomes: Outcomes) -> tuple[tuple[PileRow, ...], tuple[str, ...]]:
    """Return the rows with the table's outcomes, and remarks on those that the table does not fit.

    A file is found by its path in the pile, its name, or its name without the ending; a candidate by the full name.
    """
    by_file, by_name = _places_by_file(rows), _places_by_name(rows)
    updated = list(rows)
    said_of: defaultdict[int, set[bool]] = defaultdict(set)
    lost: list[str] = []
    unclear: list[str] = []
    for outcome in outcomes.found:
        places = (
            by_file.get(for_matching(outcome.file), ()) if outcome.file else by_name.get(for_matching(outcome.name), ())
        )
        if not places:
            lost.append(outcome.file or outcome.name)
        if outcome.file and len(places) > 1:
            unclear.append(outcome.file)
            continue
        for place in places:
            said_of[place].add(outcome.chosen)
            updated[place] = replace(
                updated[place], outcome=outcome.chosen, group=outcome.group or updated[place].group
            )
    for place in (place for place, outcomes_said in said_of.items() if len(outcomes_said) > 1):
        updated[place] = replace(updated[place], outcome=None)
        unclear.append(updated[place].path_in_pile)
    remarks = list(outcomes.left_out)
    if lost:
        lines = f"{len(lost):,} lines of" if len(lost) > 1 else "1 line of"
        remarks.append(f"{lines} “{outcomes.table}” belong{'s' * (len(lost) == 1)} to no letter here: {_some(lost)}.")
    if unclear:
        remarks.append(f"“{outcomes.table}” contradicts itself, or fits several letters: {_some(unclear)}.")
    return tuple(updated), tuple(remarks)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(f"“{visible(name, 60)}”" for name in names[:NAMED]) + more


def _places_by_file(rows: Sequence[PileRow]) -> Mapping[str, Sequence[int]]:
    """Matched name → places of the rows. A path goes before a name, and a name before one without ending."""
    ways: tuple[Callable[[PurePosixPath], str], ...] = (
        PurePosixPath.as_posix,
        lambda row: row.name,
        lambda row: row.stem,
    )
    by_name: dict[str, list[int]] = {}
    for spelled in ways:
        these: defaultdict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            these[for_matching(spelled(PurePosixPath(row.path_in_pile)))].append(place)
        by_name = {**these, **by_name}
    return by_name


def _places_by_name(rows: Sequence[PileRow]) -> Mapping[str, Sequence[int]]:
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row.person.full_name:
            by_name[for_matching(row.person.full_name)].append(place)
    return by_name


# ---- The rates


@dataclass(frozen=True)
class GroupRate:
    """`ratio`: this rate over the highest one, None for that one itself and where nobody was chosen."""

    group: str
    chosen: int
    n: int
    interval: Interval
    ratio: float | None
    ratio_interval: Interval | None

    @property
    def rate(self) -> float:
        return self.chosen / self.n


@dataclass(frozen=True)
class SelectionRates:
    """`rates`: from the highest on. `without`: reason → letters that do not count."""

    rates: tuple[GroupRate, ...]
    without: Mapping[str, int]


def selection_rates(rows: Sequence[PileRow]) -> SelectionRates | None:
    """Chosen candidates of each group, over those with an outcome; None where no letter has one.

    Rates have Wilson's interval, ratios the score interval of Miettinen and Nurminen. A candidate counts once; one of
    whom two letters say different things does not count, nor do copies.
    """
    if all(row.outcome is None for row in rows):
        return None
    without: Counter[str] = Counter()
    candidates: defaultdict[str, list[PileRow]] = defaultdict(list)
    for row in rows:
        why = _why_not(row)
        if why:
            without[why] += 1
        else:
            candidates[row.candidate].append(row)
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for letters in candidates.values():
        outcomes_of_groups = {(row.group, row.outcome) for row in letters}
        if len(outcomes_of_groups) > 1:
            without["contradicts another letter about the candidate"] += len(letters)
        else:
            ((group, chosen),) = outcomes_of_groups
            counts[group][bool(chosen)] += 1
    order = {key: place for place, (key, _) in enumerate(groups())}
    ordered = sorted(counts, key=lambda group: (-_rate(counts[group]), order.get(group, len(order)), group))
    highest = counts[ordered[0]] if ordered else Counter()
    return SelectionRates(
        tuple(
            _group_rate(group, counts[group], None if group == ordered[0] else highest, len(ordered))
            for group in ordered
        ),
        dict(without),
    )


def _why_not(row: PileRow) -> str:
    if row.outcome is None:
        return "no outcome"
    return "a copy" if row.same_as else "" if row.group else "no group"


def _rate(counts: Mapping[bool, int]) -> float:
    return counts[True] / (counts[True] + counts[False])


def _group_rate(group: str, counts: Counter[bool], highest: Counter[bool] | None, groups: int) -> GroupRate:
    chosen, n = counts[True], counts.total()
    bounds = wilson(chosen, n)
    assert bounds is not None  # a group is there because it has candidates
    if highest is None:
        return GroupRate(group, chosen, n, _interval(bounds), None, None)
    ratio = rate_ratio(chosen, n, highest[True], highest.total(), level=ratio_to_highest_level(groups))
    edges = ratio.interval.bounds
    return GroupRate(group, chosen, n, _interval(bounds), ratio.value, _interval(edges) if edges is not None else None)


def _interval(bounds: Bounds) -> Interval:
    return Interval(bounds.low, bounds.high, bounds.level, bounds.method)


# ---- In words

LIMITS_OF_RATES = (
    "A ratio says how rates compare, not why: candidates and posts differ too, the highest rate is the highest of "
    "these letters, and a group is a guess unless somebody said it. Agencies of the United States generally regard "
    "less than four fifths (0.8) as evidence of adverse impact, which it may not be where numbers are small and the "
    "difference is not significant (29 CFR 1607.4 D); the interval says how far chance alone may move the ratio."
)


def rates_said(rates: SelectionRates, labels: Mapping[str, str]) -> str:
    """Return one sentence for each group but the highest, and whether so many candidates can show a difference."""
    if not rates.rates:
        return "No letter with an outcome has a group: set it first."
    first, others = rates.rates[0], rates.rates[1:]
    if not others:
        return f"{_counted(first, labels)}. There is no second group to compare it with."
    if not first.chosen:
        return "Nobody was chosen, so that there are no rates to compare."
    sentences = [
        f"{_counted(rate, labels)}: {_ratio_said(rate)} of the rate of “{labels.get(first.group, first.group)}” "
        f"({_share(first)})."
        for rate in others
    ]
    lower = [rate for rate in others if rate.ratio_interval is not None and rate.ratio_interval.high < 1]
    if not lower:
        sentences.append("So many candidates do not tell whether the rates differ by more than chance.")
    return " ".join(sentences)


def _counted(rate: GroupRate, labels: Mapping[str, str]) -> str:
    return f"Of “{labels.get(rate.group, rate.group)}” {_share(rate)}"


def _share(rate: GroupRate) -> str:
    return f"{rate_written(rate)[0]} were chosen, {rate.chosen:,} of {rate.n:,}"


def _ratio_said(rate: GroupRate) -> str:
    value, interval = ratio_written(rate)
    return f"{value} (95 % interval {interval})"


def rate_written(group_rate: GroupRate) -> tuple[str, str]:
    """“30 %” and “18–45”."""
    return digits.written(group_rate.rate, group_rate.interval.low, group_rate.interval.high, "proportion")


def ratio_written(group_rate: GroupRate) -> tuple[str, str]:
    """“0.57” and “0.32–0.98”; two empty texts where there is none."""
    if group_rate.ratio is None or group_rate.ratio_interval is None:
        return "", ""
    return digits.written(group_rate.ratio, group_rate.ratio_interval.low, group_rate.ratio_interval.high, "ratio")


def without_said(rates: SelectionRates) -> str:
    """“Not counted: 3 letters (no outcome), 1 letter (a copy).”; "" where all count."""
    reasons = [f"{count:,} letter{'s' * (count != 1)} ({reason})" for reason, count in rates.without.items()]
    return f"Not counted: {', '.join(reasons)}." if reasons else ""
