"""Definitions that people make, as data: the fields of each kind, and the problems of a draft, field by field.

A draft is plain data as in the kind's file. Keys, which findings and prompts are named by, are made from titles and
labels once, and stay when those are changed.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biasprint.core.errors import AppError
from biasprint.core.prompts.template import Template, TemplateError

Draft = Mapping[str, Any]
Place = tuple[str | int, ...]  # ("title",), or ("identities", 0, "label")
LONGEST = 2000  # characters of a value
LONGEST_KEY = 60
# No file can have these names on Windows; “default” is the prompt without an identity.
RESERVED = {"default", "con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


@dataclass(frozen=True)
class Field:
    """One field of a form. `title` and `help` are what a person reads.

    `shape`: “pairs” is a list by key, such as “race: black, asian” on a line. `needed`: what to say where it is empty;
    a field that may be empty has none. `unique`: no value comes twice, in all rows. `partly`: what to keep in
    mind where some rows have it and “{row}” has not. `placeholders`: those of a template, of which it must have the
    `needed_placeholders`. `options`: key and words of each. Of rows: their `fields`, what one is called (`row`), the
    field that names it (`named`), how many are needed (`least`), and whether each has a key (`keyed`).
    """

    name: str
    title: str
    help: str = ""
    shape: Literal["line", "text", "lines", "pairs", "choice", "rows"] = "line"
    needed: str = ""
    unique: bool = False
    partly: str = ""
    placeholders: tuple[str, ...] = ()
    needed_placeholders: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    fields: tuple["Field", ...] = ()
    row: str = ""
    named: str = ""
    least: int = 0
    keyed: bool = True


@dataclass(frozen=True)
class DraftProblem:
    """A problem at a place of a draft, in a sentence; a `caution` does not keep it from being saved."""

    place: Place
    words: str
    caution: bool = False


@dataclass(frozen=True)
class DefinitionKind:
    """A kind of definition. `folder` also names it; `one` is what a single one is called.

    `load` makes the engine's value of a whole draft, or raises `AppError`; `shipped` are those of the program; `tidy`
    takes away what no longer fits; `taken` are the keys that no row of its own may have; `mind` finds what is to be
    kept in mind of a whole draft. `read` makes a draft of a file of another form; `suffixes` are those of files that
    are read, the first that of files that others are given.
    """

    folder: str
    title: str
    one: str
    about: str
    fields: tuple[Field, ...]
    load: Callable[[Draft], Any]
    shipped: Callable[[], Sequence[Draft]]
    tidy: Callable[[dict[str, Any]], dict[str, Any]] = lambda draft: draft
    taken: Callable[[], Collection[str]] = lambda: ()
    mind: Callable[[Draft], Iterable["DraftProblem"]] = lambda draft: ()
    read: Callable[[Path], dict[str, Any]] | None = None
    suffixes: tuple[str, ...] = ("toml",)

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    @property
    def mark(self) -> str:
        """The field that identifies a file of this kind."""
        return self.fields[1].name

    def blank(self) -> dict[str, Any]:
        """Return an empty draft, with as many rows as are needed."""
        return {each.name: [{} for _ in range(each.least)] for each in self.fields if each.shape == "rows"}


# ---- Problems of a draft


def problems(kind: DefinitionKind, draft: Draft, titles: Collection[str] = ()) -> tuple[DraftProblem, ...]:
    """Return the problems that keep a draft from being saved, and the cautions. `titles`: of the others of its kind."""
    result = [problem for field in kind.fields for problem in _of_field(field, draft, ())]
    title = str(draft.get("title", "")).strip()
    if title and title.casefold() in {other.strip().casefold() for other in titles}:
        result.append(DraftProblem(("title",), f"Another {kind.one} has this title: give this one its own."))
    if not any(not problem.caution for problem in result):
        result += kind.mind(draft)
        try:
            kind.load(completed(kind, draft, ()))
        except AppError as error:
            result.append(DraftProblem((), " ".join(part for part in (error.message, error.hint) if part)))
    return tuple(result)


def _of_field(field: Field, values: Draft, where: Place) -> Iterator[DraftProblem]:
    place = (*where, field.name)
    value = values.get(field.name)
    if field.shape == "rows":
        yield from _of_rows(field, list(value or ()), place)
    elif not value or (isinstance(value, str) and not value.strip()):
        if field.needed:
            yield DraftProblem(place, field.needed)
    elif field.shape == "pairs":
        if lone := next((key for key, each in value.items() if not each), ""):
            yield DraftProblem(place, f"“{lone}” says no identity: write both with a colon, such as “race: black”.")
    else:
        yield from _of_texts(field, [value] if isinstance(value, str) else list(value), place)


def _of_texts(field: Field, texts: Sequence[str], place: Place) -> Iterator[DraftProblem]:
    if any(len(text) > LONGEST for text in texts):
        yield DraftProblem(place, f"This is too long: {LONGEST:,} characters at most.")
    if field.shape == "lines" and (twice := _twice(texts)):
        yield DraftProblem(place, f"“{twice}” is there twice: leave one out.")
    if field.name == "names" and any("/" in text for text in texts):
        yield DraftProblem(place, "A name has no slash.")
    if field.placeholders:
        try:
            Template(texts[0]).require(field.placeholders, field.needed_placeholders)
        except TemplateError as error:
            yield DraftProblem(place, " ".join(part for part in (error.message, error.hint) if part))


def _of_rows(field: Field, rows: Sequence[Draft], place: Place) -> Iterator[DraftProblem]:
    if len(rows) < field.least:
        count = f"there is {len(rows)}" if len(rows) == 1 else f"there are {len(rows)}"
        yield DraftProblem(place, f"At least {field.least} are needed, and {count}: add one.")
    for number, row in enumerate(rows):
        for inner in field.fields:
            yield from _of_field(inner, row, (*place, number))
    for inner in field.fields:
        if inner.unique:
            yield from _shared(inner, rows, field, place)
        having = [bool(row.get(inner.name)) for row in rows]
        if inner.partly and any(having):
            for number, row in enumerate(rows):
                if not having[number] and str(row.get(field.named, "")).strip():
                    words = inner.partly.format(row=row[field.named])
                    yield DraftProblem((*place, number, inner.name), words, caution=True)


def _shared(inner: Field, rows: Sequence[Draft], field: Field, place: Place) -> Iterator[DraftProblem]:
    """Yield values that two rows share, where they must differ."""
    seen: dict[str, int] = {}
    for number, row in enumerate(rows):
        value = row.get(inner.name) or ()
        for text in [value] if isinstance(value, str) else value:
            first = seen.setdefault(text.strip().casefold(), number)
            if text.strip() and first != number:
                other = str(rows[first].get(field.named, "")).strip() or f"{field.row} {first + 1}"
                words = f"“{text.strip()}” is there twice, also at “{other}”: what stands for two groups tells neither."
                if inner.name == field.named:
                    words = f"Another {field.row} is called “{text.strip()}” too: give each its own name."
                yield DraftProblem((*place, number, inner.name), words)


def _twice(texts: Sequence[str]) -> str:
    seen: set[str] = set()
    for text in texts:
        if text.strip().casefold() in seen:
            return text.strip()
        seen.add(text.strip().casefold())
    return ""


# ---- Keys


def completed(kind: DefinitionKind, draft: Draft, taken: Collection[str]) -> dict[str, Any]:
    """Return a draft as its file has it: with keys where they are missing, and without what is empty."""
    draft = _plain(draft)
    made: dict[str, Any] = {"key": draft.get("key") or key_of(str(draft.get("title", "")), taken, kind.one)}
    made |= {"title": draft.get("title", ""), "version": draft.get("version", 1)}
    made |= {name: value for name, value in draft.items() if name not in made and value != [] and value != ""}
    for field in kind.fields:
        rows = draft.get(field.name, ())
        if field.shape == "rows" and not _are_tables(rows):
            return made  # as it stands: `load` says what is wrong with it
        if field.shape == "rows":
            made[field.name] = _with_keys(field, rows, kind.taken())
    return kind.tidy(made)


def _are_tables(rows: Any) -> bool:
    return isinstance(rows, list | tuple) and all(isinstance(row, Mapping) for row in rows)


def _plain(value: Any) -> Any:
    """Return a value as TOML gives it back, without blanks around a text, and without empty lines in a list."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [each for each in map(_plain, value) if each != ""]
    return value.strip() if isinstance(value, str) else value


def _with_keys(field: Field, rows: Sequence[Draft], reserved: Collection[str]) -> list[dict[str, Any]]:
    taken = {*reserved, *(row["key"] for row in rows if isinstance(row.get("key"), str))}
    made: list[dict[str, Any]] = []
    for row in rows:
        if not field.keyed:
            made.append({name: value for name, value in row.items() if value})
            continue
        key = row.get("key") or key_of(str(row.get(field.named, "")), taken, field.row)
        if isinstance(key, str):  # of anything else `load` says that it is no key
            taken.add(key)
        made.append({"key": key, **{name: value for name, value in row.items() if name != "key" and value}})
    return made


def copied(draft: Draft, titles: Collection[str]) -> dict[str, Any]:
    """Return a copy to begin another definition with: the same content without a key, and with a title that no other
    has, if with any.
    """
    fields = {name: value for name, value in draft.items() if name not in ("key", "version", "reported_as")}
    first = str(draft.get("title", "")).strip()
    if not first:
        return {**fields, "title": ""}
    taken = {title.strip().casefold() for title in titles}
    title, number = f"{first} (copy)", 2
    while title.casefold() in taken:
        title, number = f"{first} (copy {number})", number + 1
    return {**fields, "title": title}


def key_of(words: str, taken: Collection[str], otherwise: str) -> str:
    """Return a key made of words, other than those that are `taken`; `otherwise` where none of their letters carries
    over.
    """
    plain = unicodedata.normalize("NFKD", words.casefold()).encode("ascii", "ignore").decode()
    start = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[: LONGEST_KEY - 4].strip("-") or otherwise.replace(" ", "-")
    key, number = start, 2
    while key in taken or key in RESERVED:
        key, number = f"{start}-{number}", number + 1
    return key
