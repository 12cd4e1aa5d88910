"""What a checked letter becomes: a note to its writer, a report, or a Word file with changes and comments."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.core.letters.formats import GOES_BACK, goes_back_into
from biasprint.core.letters.values import LetterSource
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.letters.values import TwinDifference
    from biasprint.desktop.operations.letters import Checked


@dataclass(frozen=True)
class WordSaved:
    path: Path
    notes: tuple[str, ...]


def read_letter(*, path: Path) -> Operation[LetterSource]:
    """The text of a letter's file, read in a process of its own; a docx or odt is remembered, to write into later."""

    def work(ctx: JobContext) -> LetterSource:
        from biasprint.core.letters.files import read_file

        document = read_file(path, ctx)
        return LetterSource(document, path.read_bytes() if document.kind in GOES_BACK else None, path)

    return Operation(tr("Reading a file"), work)


def save_word(
    *, source: LetterSource, checked: "Checked", dismissed: Sequence[str], path: Path, tracked: bool
) -> Operation[WordSaved]:
    """Write the letter as it is now. `tracked`: changes can be rejected and marks are comments; else neither is there.

    What it holds is of this moment: the reading and the dismissals that are handed over.
    """
    put_aside = frozenset(dismissed)

    def work(ctx: JobContext) -> WordSaved:
        from biasprint.core.errors import UsageError
        from biasprint.core.letters.files import written_as_word
        from biasprint.core.letters.word import comments_on
        from biasprint.core.report.whole_file import write_whole

        after = checked.reading.document.text
        comments = comments_on(checked.reading, put_aside) if tracked else ()
        data = source.data if goes_back_into(source.document.kind, path) else None
        found = written_as_word(data, source.document, after, comments, tracked=tracked, ctx=ctx)
        target = path if path.suffix.lower() == f".{found.ending}" else path.with_suffix(f".{found.ending}")
        # Only now is the ending known: a letter that may hold macros is a docm, whatever it was to be called.
        if source.path is not None and source.path.exists() and target.exists() and target.samefile(source.path):
            raise UsageError(
                tr("The letter that was opened is not written over."), hint=tr("Give the file another name.")
            )
        write_whole(target, found.data)
        return WordSaved(target, found.notes)

    return Operation(tr("Writing a Word file"), work, _said)


def _said(saved: WordSaved) -> str:
    return " ".join((tr("Saved as “{name}”.").format(name=saved.path.name), *saved.notes))


def save_report(
    *,
    source: LetterSource | None,
    checked: "Checked",
    dismissed: Sequence[str],
    path: Path,
    twin: "TwinDifference | None" = None,
) -> Operation[Path]:
    """Write the full report, PDF or docx by its ending, with the twin where one was looked at."""
    put_aside, original = tuple(dismissed), source.document if source is not None else None

    def work(ctx: JobContext) -> Path:
        from biasprint.core.compute import shared
        from biasprint.core.letters.report import write_report

        shared().call(write_report, path, checked.reading, twin, put_aside, original, ctx=ctx)
        return path

    return Operation(tr("Writing the report"), work, _saved_as)


def save_note(
    *, source: LetterSource | None, checked: "Checked", dismissed: Sequence[str], path: Path, appendix: bool = False
) -> Operation[Path]:
    """Write the note to the writer, one page. `appendix`: versions and hashes on another."""
    put_aside, original = tuple(dismissed), source.document if source is not None else None

    def work(ctx: JobContext) -> Path:
        from biasprint.core.compute import shared
        from biasprint.core.letters.report import write_note
        from biasprint.desktop.operations.letters import house_in_use

        house, _ = house_in_use()
        shared().call(
            write_note,
            path,
            checked.reading,
            put_aside,
            original,
            house,
            appendix,
            ctx=ctx,
        )
        return path

    return Operation(tr("Writing the note"), work, _saved_as)


def _saved_as(path: Path) -> str:
    return tr("Saved as “{name}”").format(name=path.name)
