"""The rows of a pile as the table shows them, filters them, and exports them. No Qt."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from biasprint.core.letters import UNLAWFUL
from biasprint.core.letters.pile import LOOK_KINDS, PileColumn, PileRow, kind_written, kinds_written, look_written
from biasprint.core.swap import Person
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.words import number, tr

SHARE = "share of sentences"
# What the table shows of the figures; an export has all of them.
FIGURES = (
    PileColumn("agentic", "Agentic", SHARE),
    PileColumn("communal", "Communal", SHARE),
    PileColumn("formality", "Formal", SHARE),
    PileColumn("positivity", "Positive", SHARE),
    PileColumn("unsupported", "Claims without support", "share of claims"),
    PileColumn("words", "Length", "words"),
)
TEXTS = ("file", "person", "occupation", "group")
COLUMNS = (*TEXTS, "look", *(figure.name for figure in FIGURES), "cv", "outcome", "note")
GUESSED = ("person", "occupation", "group")
EDITABLE = (*GUESSED, "outcome")
ANYTHING = "anything"  # the filter's word for rows with something to look at
NO_GROUP = "–"  # the filter's word for rows without a group


@dataclass(frozen=True)
class PileFilter:
    """A filter of rows; "" lets all through. `group`: a key, or `NO_GROUP`; `look`: a kind, or `ANYTHING`."""

    text: str = ""
    occupation: str = ""
    group: str = ""
    only_bad: bool = False
    look: str = ""

    def matches(self, row: PileRow) -> bool:
        """Return whether a row is shown."""
        if self.only_bad and row.read:
            return False
        if self.occupation and row.occupation != self.occupation:
            return False
        if self.group and row.group != ("" if self.group == NO_GROUP else self.group):
            return False
        if self.look and not (row.to_look_at if self.look == ANYTHING else row.to_look_at.get(self.look)):
            return False
        words = self.text.casefold().split()
        if not words:
            return True
        among = f"{row.path_in_pile}\n{row.person.full_name}\n{row.occupation}\n{note(row)}".casefold()
        return all(word in among for word in words)


def note(row: PileRow) -> str:
    """Return why a file has no figures, or what looks wrong with the letter although it was read."""
    if row.reason:
        return " ".join(part for part in (row.reason, row.hint) if part)
    copy = tr("The same text as “{file}”: not compared.").format(file=row.same_as) if row.same_as else ""
    return " ".join(part for part in (copy, *row.notes) if part)


def shown(row: PileRow, column: str, labels: Mapping[str, str], by_hand: frozenset[str]) -> str:
    """Return the text of a cell. A guess ends in a question mark, so that colour is not the only sign."""
    if column == "file":
        return as_given(row.path_in_pile)
    if column == "note":
        return safe_line(note(row).removeprefix(f"“{row.name}” "))  # which stands at the row's beginning
    if column in EDITABLE:
        words = safe_line(text_of(row, column, labels))
        return f"{words} ?" if words and column in GUESSED and column not in by_hand else words
    if column == "cv":
        return as_given(row.cv.name) if row.cv is not None else ""
    if column == "look":
        return look_written(row)
    value = row.figures.get(column)
    if value is None:
        return "–" if row.read else ""
    return number(value) if column == "words" else f"{round(100 * value)} %"


def text_of(row: PileRow, column: str, labels: Mapping[str, str]) -> str:
    """Return the value of an editable column, as it is edited."""
    if column == "group":
        return labels.get(row.group, row.group)
    if column == "outcome":
        return outcome_said(row.outcome)
    return row.person.full_name if column == "person" else row.occupation


CHOSEN, NOT_CHOSEN = "yes", "no"


def outcome_said(outcome: bool | None) -> str:
    return "" if outcome is None else tr("chosen") if outcome else tr("not chosen")


def outcome_key(outcome: bool | None) -> str:
    return "" if outcome is None else CHOSEN if outcome else NOT_CHOSEN


def with_text(row: PileRow, column: str, value: str) -> PileRow:
    """Return the row with the value that a person set; a group and an outcome are set by their keys."""
    words = " ".join(value.split())
    if column == "outcome":
        return replace(row, outcome=None if not words else words == CHOSEN)
    if column == "group":
        return replace(row, group=words)
    if column == "occupation":
        return replace(row, occupation=words)
    first, _, last = words.rpartition(" ")
    first, last = (first, last) if first else (last, "")
    return replace(row, person=Person(first, last, row.person.title, row.person.pronoun))


def sort_key(row: PileRow, column: str, labels: Mapping[str, str]) -> Any:
    """Return the sort key of a column; None comes last in both directions."""
    if column in ("file", "note"):
        words = row.path_in_pile if column == "file" else note(row)
        return words.casefold() or None
    if column in EDITABLE:
        return text_of(row, column, labels).casefold() or None
    if column == "cv":
        return row.cv.name.casefold() if row.cv is not None else None
    if column == "look":
        return (row.to_look_at.get(UNLAWFUL, 0), sum(row.counted.values()), looked_at(row)) if row.read else None
    return row.figures.get(column)


def looked_at(row: PileRow) -> int:
    """Count the places of a letter to look at."""
    return sum(row.to_look_at.values())


def kind_title(kind: str) -> str:
    """Return the name of a kind of thing to look at."""
    return {
        UNLAWFUL: tr("what no applicant should be asked"),
        "doubt": tr("doubt"),
        "personal_life": tr("personal life"),
        "gender": tr("gender"),
        "age": tr("age"),
        "family": tr("family"),
        "appearance": tr("appearance"),
        "health": tr("health"),
        "origin": tr("origin"),
        "personality": tr("criticism of personality"),
        "unsupported": tr("claims without support"),
        "contradicted": tr("claims contradicted"),
        "balance": tr("balance of praise"),
    }[kind]


def look_said(row: PileRow) -> str:
    """Return “To look at: family 1; may be worth a look: doubt”; "" if there is nothing."""
    kinds = kinds_written(row, kind_title)
    return tr("To look at: {kinds}").format(kinds=kinds) if kinds else ""


def ordered(rows: Sequence[PileRow], key: Callable[[PileRow], Any], *, descending: bool) -> list[PileRow]:
    """Sort the rows, keeping the order of equal ones; rows without a value come last."""
    with_key, without = [], []
    for row in rows:
        value = key(row)
        if value is None:
            without.append(row)
        else:
            with_key.append((value, row))
    with_key.sort(key=itemgetter(0), reverse=descending)
    return [row for _, row in with_key] + without


def summary(rows: Sequence[PileRow], passed_over: int) -> str:
    """Say how many files were read, failed, repeated another, or were passed over."""
    bad = sum(not row.read for row in rows)
    copies = sum(bool(row.same_as) for row in rows)
    parts = [tr("{read} of {all} files read").format(read=number(len(rows) - bad), all=number(len(rows)))]
    if bad:
        parts.append(tr("{n} could not be").format(n=number(bad)))
    if copies:
        parts.append(tr("{n} say the same as an earlier one").format(n=number(copies)))
    if passed_over:
        parts.append(tr("{n} left aside that a system put there").format(n=number(passed_over)))
    return " · ".join(parts)


def export_columns(columns: "Iterable[PileColumn]", stand_ins: frozenset[str]) -> list[str]:
    """Return the column names of an exported table; those of a stand-in scorer say so."""
    figures = [export_name(column, stand_ins) for column in columns]
    return [
        "file", "name", "name_is", "pronoun", "occupation", "occupation_is", "group", "group_is",
        "to_look_at", *map(kind_written, LOOK_KINDS), *figures, "cv", "outcome",
        "not_read_because", "notes", "same_as",
    ]  # fmt: skip


def export_name(column: PileColumn, stand_ins: frozenset[str]) -> str:
    return f"{column.name} ({column.unit}{', stand-in scorer' if column.name in stand_ins else ''})"


def export_row(
    row: PileRow, columns: "Iterable[PileColumn]", stand_ins: frozenset[str], by_hand: frozenset[str]
) -> dict[str, Any]:
    """Return a row as exported; figures are unrounded."""

    def source(column: str, value: str) -> str:
        return "" if not value else "set by hand" if column in by_hand else "guess"

    return {
        "file": row.path_in_pile,
        "name": row.person.full_name,
        "name_is": source("person", row.person.full_name),
        "pronoun": row.person.pronoun,
        "occupation": row.occupation,
        "occupation_is": source("occupation", row.occupation),
        "group": row.group,
        "group_is": source("group", row.group),
        "to_look_at": looked_at(row) if row.read else None,
        **{kind_written(kind): row.to_look_at.get(kind, 0) if row.read else None for kind in LOOK_KINDS},
        **{export_name(column, stand_ins): row.figures.get(column.name) for column in columns},
        "cv": row.cv.name if row.cv is not None else "",
        "outcome": outcome_key(row.outcome),
        "not_read_because": row.reason,
        "notes": " ".join(row.notes),
        "same_as": row.same_as,
    }
