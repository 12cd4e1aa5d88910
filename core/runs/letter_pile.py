"""The pile's job: every file of a folder or zip is read, one at a time, and becomes a row. Nothing is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.compute import ComputeProcess
from core.documents.files import read_bytes
from core.documents.pile.files import PileFile, again, files_of, named_file
from core.documents.pile.values import Column, GroupTest, Pile, PileRow, ReadOne
from core.documents.values import Document
from core.errors import AppError
from core.findings import ScorerUse
from core.jobs import JobContext
from core.runs.letter import scorers_for_letters


def read_pile(
    ctx: JobContext,
    path: Path,
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    occupation: str = "",
    scorers: Mapping[str, str] | None = None,
) -> Pile:
    """The rows of a folder or zip. Every row is reported as `partial` when it is there.

    A file that cannot be read is a row with its reason; only the pile itself can fail. `context` and `occupation` hold
    for every letter. Pausing and cancelling take effect between and within files.
    """
    with files_of(path) as found:
        if not found.files:
            raise AppError(f"“{path.name}” holds no files.", hint="Choose the folder with the letters.")
        rows = _Rows(compute, dict(scorers) if scorers is not None else scorers_for_letters(), context, occupation)
        ctx.report(0, len(found.files))
        for place, file in enumerate(found.files, 1):
            ctx.check()
            row = rows.add(ctx, file)
            ctx.report(place, len(found.files), note=row.path_in_pile, partial=row)
    return rows.pile(path.name, found.passed_over)


def read_files(
    ctx: JobContext,
    paths: Sequence[Path],
    compute: ComputeProcess,
    *,
    context: Document | None = None,
    occupation: str = "",
    scorers: Mapping[str, str] | None = None,
) -> Pile:
    """The same for files that were named one by one."""
    rows = _Rows(compute, dict(scorers) if scorers is not None else scorers_for_letters(), context, occupation)
    for place, path in enumerate(paths, 1):
        ctx.check()
        row = rows.add(ctx, named_file(path))
        ctx.report(place, len(paths), note=row.path_in_pile, partial=row)
    return rows.pile(f"{len(paths)} files", 0)


def open_row(ctx: JobContext, path: Path, row: PileRow) -> Document:
    """The letter of a row, read again from its file: the pile keeps no text."""
    return read_bytes(again(path, row.path_in_pile)[1], row.name, ctx)


def compare_groups(
    ctx: JobContext, rows: Sequence[PileRow], columns: Sequence[Column], compute: ComputeProcess
) -> tuple[GroupTest, ...]:
    """The group tests of the rows as they stand, corrected by hand or not. Empty without two groups."""
    found: tuple[GroupTest, ...] = compute.call(
        "core.documents.pile.group_tests:group_tests", tuple(rows), tuple(columns), ctx=ctx
    )
    return found


class _Rows:
    """The rows so far, and what is the same for all of them."""

    def __init__(
        self, compute: ComputeProcess, scorers: Mapping[str, str], context: Document | None, occupation: str
    ) -> None:
        self._compute, self._scorers = compute, dict(scorers)
        self._context, self._occupation = context, occupation
        self._rows: list[PileRow] = []
        self._first: dict[str, str] = {}  # hash of a text → the first file with it
        self._columns: tuple[Column, ...] = ()
        self._uses: dict[str, ScorerUse] = {}
        self._versions: Mapping[str, str] = {}

    def add(self, ctx: JobContext, file: PileFile) -> PileRow:
        row = PileRow(file.name, file.path_in_pile, reason=f"{file.trouble}." if file.trouble else "")
        if not file.trouble:
            try:
                row = self._read(ctx, row, read_bytes(file.read(), file.name, ctx))
            except AppError as error:
                row = replace(row, reason=error.message, hint=error.hint)
        self._rows.append(row)
        return row

    def pile(self, name: str, passed_over: int) -> Pile:
        uses = tuple(self._uses.values())
        return Pile(name, tuple(self._rows), self._columns, uses, self._versions, passed_over)

    def _read(self, ctx: JobContext, row: PileRow, document: Document) -> PileRow:
        one: ReadOne = self._compute.call(
            "core.documents.pile.one:read_one", document, self._scorers, self._context, self._occupation, ctx=ctx
        )
        self._columns = self._columns or one.columns
        self._versions = self._versions or one.versions
        self._uses |= {use.role: use for use in one.scorers}
        first = self._first.setdefault(one.text, row.path_in_pile)
        return replace(
            row,
            person=one.person,
            occupation=one.occupation,
            group=one.group,
            figures=one.figures,
            reason=one.said,
            notes=(*document.notes, *one.notes),
            same_as="" if first == row.path_in_pile else first,
        )
