"""A pile of letters for the window. Nothing is stored: the table goes to a file only when somebody exports it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.documents.pile.values import Column, GroupTest, Pile, PileRow
    from core.documents.values import Document
    from core.report.export import ExportReport

SCORED = {"formality": "formality", "positivity": "positivity", "agency": "agency", "entailment": "unsupported"}


@dataclass(frozen=True)
class PileStart:
    """What is known before the first row. `groups`: key and label; `stand_ins`: figures a stand-in scorer makes."""

    groups: tuple[tuple[str, str], ...]
    stand_ins: frozenset[str]


def read_pile(*, paths: Sequence[Path]) -> "Operation[Pile]":
    """Every file of a folder or zip, or of several files, as rows. Brings a `PileStart` and then each row early."""

    def work(ctx: JobContext) -> "Pile":
        from core.compute import shared
        from core.documents.pile.files import is_pile
        from core.documents.pile.groups import groups
        from core.runs import letter_pile
        from core.runs.letter import ROLES, scorers_for_letters
        from core.runs.values import best_scorer

        scorers = scorers_for_letters()
        infos = {role: best_scorer(role) for role in ROLES}
        stand_ins = frozenset(SCORED[role] for role, info in infos.items() if info is not None and info.stand_in)
        ctx.report(0, None, partial=PileStart(groups(), stand_ins))
        if len(paths) == 1 and (is_pile(paths[0]) or paths[0].suffix.lower() == ".zip"):
            return letter_pile.read_pile(ctx, paths[0], shared(), scorers=scorers)
        return letter_pile.read_files(ctx, paths, shared(), scorers=scorers)

    return Operation(tr("Reading a pile of letters"), work, _said)


def _said(pile: "Pile") -> str:
    read = sum(row.read for row in pile.rows)
    return plural(read, "1 letter of the pile was read.", "%n letters of the pile were read.")


def open_letter(*, paths: Sequence[Path], row: "PileRow") -> "Operation[Document]":
    """The letter of a row, read again from its file."""

    def work(ctx: JobContext) -> "Document":
        from core.documents.files import read_file
        from core.documents.pile.files import is_pile
        from core.runs.letter_pile import open_row

        if len(paths) == 1 and is_pile(paths[0]):
            return open_row(ctx, paths[0], row)
        return read_file(Path(row.path_in_pile), ctx)

    return Operation(tr("Opening a letter"), work)


def compare_groups(*, rows: Sequence["PileRow"], columns: Sequence["Column"]) -> "Operation[tuple[GroupTest, ...]]":
    """Does a figure differ between the groups, of the rows as they stand?"""

    def work(ctx: JobContext) -> "tuple[GroupTest, ...]":
        from core.compute import shared
        from core.runs import letter_pile

        return letter_pile.compare_groups(ctx, rows, columns, shared())

    return Operation(tr("Comparing the groups of a pile"), work, quiet=True)


def export_table(*, path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> "Operation[ExportReport]":
    """The table as csv or xlsx by the file's ending; no cell of it is read as a formula."""

    def work(ctx: JobContext) -> "ExportReport":
        from core.report.export import export_rows

        return export_rows(rows, path, columns, ctx=ctx, total=len(rows))

    return Operation(tr("Exporting the table"), work, _exported)


def _exported(report: "ExportReport") -> str:
    saved = tr("Saved as “{name}”.").format(name=report.path.name)
    return " ".join([saved, *report.notices()])
