"""Importing a table: look at it, try how it would be read, import it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.core.tables import (
    FieldSpec,
    OpenTable,
    TableRead,
    guess_mapping,
    known_formats,
    look_at,
    with_line_breaks,
)
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import number, tr
from biasprint.desktop.wording.generators import study_kinds

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.studies.kit.study import StudyDeclaration

PREVIEW_ROWS = 12
FEWEST_TEXTS = 3  # to tell by their words which study they are of
MOST_PROBLEMS = 1_000  # listed; a table with more is read with the wrong columns


@dataclass(frozen=True)
class Layout:
    """A known outside layout that a table has; `kind`: the kind of study it belongs to."""

    name: str
    title: str
    kind: str


@dataclass(frozen=True)
class LookedAt:
    """A table before its import: its columns, and how each kind of study would probably read it."""

    path: Path
    columns: tuple[str, ...]
    encoding: str
    notice: str
    fields: "Mapping[str, tuple[FieldSpec, ...]]"  # by kind, those that need a column first
    needed: Mapping[str, frozenset[str]]  # by kind: the fields that need a column
    guesses: Mapping[str, Mapping[str, str]]  # by kind: field → column
    layouts: tuple[Layout, ...]  # known ones whose columns are all there
    new_project: Path  # a name beside the table that no file has yet
    place: HeaderPlace | None = None  # of the header; None where records name their fields themselves
    sheets: tuple[str, ...] = ()  # of a workbook
    placed: bool = False  # a person chose the place
    unlike: frozenset[str] = frozenset()  # kinds whose texts look otherwise than the first ones of the table

    def likely_kind(self) -> str:
        """Return the kind of a known layout, else the one of whose needed fields most are recognised."""
        if self.layouts:
            return self.layouts[0].kind
        return max(self.fields, key=self._recognised)

    def _recognised(self, kind: str) -> tuple[float, bool, int, int]:
        """Return the share of needed fields, whether texts look right, the number of needed fields, and of all fields.

        Ties go to the first kind.
        """
        guessed = self.guesses[kind].keys()
        needed = len(self.needed[kind] & guessed)
        return needed / len(self.needed[kind]), kind not in self.unlike, needed, len(guessed)


@dataclass(frozen=True)
class TableChoice:
    """The choice of how to read a table. With a `layout` the mapping is the layout's own; an empty column: none."""

    path: Path
    kind: str
    layout: str | None = None
    mapping: Mapping[str, str] | None = None
    drop_repeats: bool = False
    place: HeaderPlace = ANYWHERE


@dataclass(frozen=True)
class TableReading:
    """The result of reading the whole table: its first rows, and the problems of rows that are not valid."""

    mapping: Mapping[str, str]  # field → column, or several columns in words
    first: tuple[tuple[str, ...], ...]  # the fields of the first rows, in the order of `mapping`
    usable: int
    total: int
    problems: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class Imported:
    """The result of an import; `path` is the project it went into."""

    path: Path
    kind: str
    added: int
    present: int
    reading: TableReading


def look_at_table(*, path: Path, place: HeaderPlace = ANYWHERE) -> Operation[LookedAt]:
    """Return the table's columns, encoding, and a guess for each kind of study. `place`: where a person sees its
    header.
    """

    def work(ctx: JobContext) -> LookedAt:
        from biasprint.core.studies.registry import study, table_fields

        table = look_at(path, place=place)
        known = {kind: table_fields(kind) for kind in study_kinds()}
        needed = {kind: frozenset(declared.required if (declared := study(kind).imported) else ()) for kind in known}
        guesses = {kind: guess_mapping(table.columns, table.sample_rows, known[kind]) for kind in known}
        return LookedAt(
            path=path,
            columns=table.columns,
            encoding=table.encoding.name,
            notice=table.encoding.notice,
            fields={
                kind: tuple(sorted(known[kind], key=lambda field, kind=kind: field.name not in needed[kind]))
                for kind in known
            },
            needed=needed,
            guesses=guesses,
            layouts=_layouts(table) if place == ANYWHERE else (),
            place=table.place,
            sheets=table.sheets,
            placed=place != ANYWHERE,
            new_project=free_name(path),
            unlike=frozenset(kind for kind in known if _looks_otherwise(table, study(kind), guesses[kind])),
        )

    return Operation(tr("Looking at “{name}”").format(name=path.name), work, quiet=True)


def try_reading(*, choice: TableChoice) -> Operation[TableReading]:
    """Read the whole table as it would be imported, and store nothing."""
    return Operation(
        tr("Reading “{name}”").format(name=choice.path.name), lambda ctx: _reading(_read(ctx, choice)), quiet=True
    )


def import_table(
    *, choice: TableChoice, project: "Project | None", new_path: Path | None = None
) -> Operation[Imported]:
    """Read the table and store it in `project`, or in a project that is made at `new_path`."""

    def work(ctx: JobContext) -> Imported:
        from biasprint.core.runs.setup import import_table as store

        table = _read(ctx, choice)
        with _target(project, new_path) as target:
            _prepare(target, choice.kind)
            result = store(ctx, target, None, choice.kind, choice.path, table)
            return Imported(target.path, choice.kind, result.added, result.present, _reading(table))

    return Operation(tr("Importing “{name}”").format(name=choice.path.name), work)


def free_name(table: Path) -> Path:
    """Return a project file beside a table, of the table's name, with a number where that file exists."""
    names = (f"{table.stem}{f' {number}' if number > 1 else ''}.biasprint" for number in count(1))
    return next(table.with_name(name) for name in names if not table.with_name(name).exists())


def _looks_otherwise(table: "OpenTable", study: "StudyDeclaration", guess: "Mapping[str, str]") -> bool:
    """Return whether the table is probably another study's: no column is this study's alone, no first text matches.

    One or two texts without a match prove nothing.
    """
    if not study.telltale or any(column.strip().casefold() in study.telltale_columns for column in guess.values()):
        return False
    column = guess.get("text", "")
    texts = [text for row in table.sample_rows if (text := row.get(column, "").strip())]
    return len(texts) >= FEWEST_TEXTS and not any(re.search(study.telltale, text) for text in texts)


def _layouts(table: "OpenTable") -> tuple[Layout, ...]:
    known, kinds = known_formats().values(), study_kinds()
    return tuple(
        Layout(layout.name, layout.title, layout.kind)
        for layout in known
        if layout.kind in kinds and layout.fits(table.columns)
    )


def _read(ctx: JobContext, choice: TableChoice) -> "TableRead":
    from biasprint.core.studies.registry import table_fields
    from biasprint.core.texts.exporting import read_table

    mapping = None if choice.layout else choice.mapping
    return read_table(
        ctx,
        choice.path,
        choice.kind,
        fields=table_fields(choice.kind),
        layout=choice.layout,
        mapping=mapping,
        place=choice.place,
        duplicates="drop" if choice.drop_repeats else "report",
    )


def _reading(table: "TableRead") -> TableReading:
    first = tuple(
        tuple(with_line_breaks(record.values.get(name, ""), table.line_break) for name in table.mapping)
        for record in table.rows[:PREVIEW_ROWS]
    )
    problems = [
        tr("{problem} (kept)" if problem.kept else "{problem} (left out)").format(problem=problem)
        for problem in table.problems[:MOST_PROBLEMS]
    ]
    more = len(table.problems) - len(problems)
    if more:
        problems.append(tr("… and {n} more.").format(n=number(more)))
    return TableReading(dict(table.mapping), first, len(table.rows), table.total, tuple(problems), table.notices)


@contextmanager
def _target(project: "Project | None", new_path: Path | None) -> "Iterator[Project]":
    from biasprint.core.project.project import Project

    if project is not None:
        yield project
        return
    assert new_path is not None
    made = Project.create(new_path)
    try:
        yield made
    except BaseException:
        made.close()
        new_path.unlink(missing_ok=True)  # made a moment ago for this table alone, and nothing came of it
        raise
    made.close()


def _prepare(project: "Project", kind: str) -> None:
    """Give a project without axes the paper's: identities of creative texts are looked up on the project's axes."""
    from biasprint.core.prompts import load_axis
    from biasprint.core.prompts.cogs import PAPER_AXES
    from biasprint.core.studies.kit.importing import store_axis

    if kind == "creativity" and not project.axes.all():
        for key in PAPER_AXES:
            store_axis(project, load_axis(key))
