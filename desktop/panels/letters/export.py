"""The exports of a letter: to the clipboard, as a note to its writer, as a report, as a Word file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from biasprint.core import compute
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import LetterSource, as_word, read_file, write_note, write_report
from biasprint.core.letters.formats import GOES_BACK, goes_back_into
from biasprint.core.report.whole_file import write_whole
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.letters import Checked, house_in_use
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.panels.letters.start import in_folder
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr

if TYPE_CHECKING:
    from biasprint.core.letters import TwinDifference
    from biasprint.desktop.operations.letters import Checked


# ---- The jobs that write files


@dataclass(frozen=True)
class WordSaved:
    path: Path
    notes: tuple[str, ...]


def read_letter(*, path: Path) -> Operation[LetterSource]:
    """Read a letter's file in a separate process; the bytes of a docx or odt are kept for writing into them later."""

    def work(ctx: JobContext) -> LetterSource:
        document = read_file(path, ctx)
        return LetterSource(document, path.read_bytes() if document.kind in GOES_BACK else None, path)

    return Operation(tr("Reading a file"), work)


def save_word(
    *, source: LetterSource, checked: "Checked", dismissed: Sequence[str], path: Path, tracked: bool
) -> Operation[WordSaved]:
    """Write the letter as it is now. `tracked`: changes can be rejected and marks are comments; else neither is there.

    The file reflects the reading and the dismissals that are passed in.
    """
    put_aside = frozenset(dismissed)

    def work(ctx: JobContext) -> WordSaved:
        data = source.data if goes_back_into(source.document.kind, path) else None
        written = as_word(ctx, data, source.document, checked.reading, dismissed=put_aside, tracked=tracked)
        target = path if path.suffix.lower() == f".{written.ending}" else path.with_suffix(f".{written.ending}")
        if source.path is not None and source.path.exists() and target.exists() and target.samefile(source.path):
            raise UsageError(
                tr("The letter that was opened is not written over."), hint=tr("Give the file another name.")
            )
        write_whole(target, written.data)
        return WordSaved(target, written.notes)

    return Operation(tr("Writing a Word file"), work, _said)


def _said(saved: WordSaved) -> str:
    return " ".join((tr("Written to “{name}”.").format(name=saved.path.name), *saved.notes))


def save_report(
    *,
    source: LetterSource | None,
    checked: "Checked",
    dismissed: Sequence[str],
    path: Path,
    twin: "TwinDifference | None" = None,
) -> Operation[Path]:
    """Write the full report, PDF or docx by its ending, with the twin if there is one."""
    put_aside, original = tuple(dismissed), source.document if source is not None else None

    def work(ctx: JobContext) -> Path:
        compute.shared().call(write_report, path, checked.reading, twin, put_aside, original, ctx=ctx)
        return path

    return Operation(tr("Writing the report"), work, _saved_as)


def save_note(
    *, source: LetterSource | None, checked: "Checked", dismissed: Sequence[str], path: Path, appendix: bool = False
) -> Operation[Path]:
    """Write the note to the writer, one page. `appendix`: versions and hashes on another."""
    put_aside, original = tuple(dismissed), source.document if source is not None else None

    def work(ctx: JobContext) -> Path:
        house, _ = house_in_use()
        compute.shared().call(
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


class LetterExport(QObject):
    """The exports as commands. `twin_of`: the twin of a reading, if one was made. It is read before it is written.

    `folder` returns the letter's folder, where the file dialogs start. `written`: the letter as it was at that moment
    is in a Word file: its path, and the letter's text.
    """

    written = Signal(object, str)

    def __init__(
        self,
        shell: Shell,
        review: LetterReview,
        panel: QWidget,
        twin_of: "Callable[[Checked], TwinDifference | None]",
        folder: "Callable[[], Path | None]",
    ) -> None:
        super().__init__(panel)
        self._shell, self._review, self._panel = shell, review, panel
        self._twin_of, self._folder = twin_of, folder
        self._waiting: tuple[LetterSource, Callable[[dict[str, Any]], object]] | None = None
        review.seen.connect(lambda _: self._go_on())

    def copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._review.board.letter.text.text())
        self._shell.notify(tr("The letter's text was copied."))

    def note(self, *, appendix: bool = False) -> None:
        """Write a page for the writer. `appendix`: versions and hashes on another."""
        path = self._ask(tr("Write the note"), tr("{name} (note).pdf"))
        if path is not None:
            self._write(lambda letter: save_note(**letter, path=path, appendix=appendix).start(self._shell.jobs))

    def report(self) -> None:
        path = self._ask(tr("Write the report"), tr("{name} (report).pdf"))
        if path is not None:
            self._write(
                lambda letter: save_report(**letter, path=path, twin=self._twin_of(letter["checked"])).start(
                    self._shell.jobs
                )
            )

    def _write(self, write: "Callable[[dict[str, Any]], object]") -> None:
        """Write the letter as it is now: once it was read, where somebody has just typed."""
        check, source = self._review.check, self._review.source
        if check.is_current:
            self._waiting = None
            write({"source": source, "checked": check.checked, "dismissed": check.dismissed})
        elif source is not None:
            self._waiting = source, write
            check.read_now()

    def _go_on(self) -> None:
        """Write what waited for a reading of this letter; for another one nothing waits."""
        if self._waiting is not None:
            source, write = self._waiting
            self._waiting = None
            if source is self._review.source:
                self._write(write)

    def _ask(self, title: str, name: str) -> Path | None:
        """Ask for the path; None if there is nothing to write, or the person cancels."""
        source = self._review.source
        if source is None:
            return None
        kinds = f"{tr('PDF')} (*.pdf);;{tr('Word document')} (*.docx)"
        usual = name.format(name=Path(source.document.name).stem)
        chosen, _ = QFileDialog.getSaveFileName(self._panel, title, in_folder(self._folder(), usual), kinds)
        if not chosen:
            return None
        return Path(chosen) if Path(chosen).suffix else Path(f"{chosen}.pdf")

    def save_word(self, *, tracked: bool = True) -> None:
        """Save the letter as a Word file: with changes and comments, or clean."""
        source = self._review.source
        if source is None:
            return
        endings = (".docx",)
        kinds = f"{tr('Word document')} (*.docx)"
        if source.document.kind == "odt" and source.data is not None:  # its own file, or a plain docx
            endings = (".odt", *endings)
            kinds = f"{tr('OpenDocument text')} (*.odt);;{kinds}"
        usual = tr("{name} (checked)").format(name=Path(source.document.name).stem) + endings[0]
        start = in_folder(self._folder(), usual)
        name, _ = QFileDialog.getSaveFileName(self._panel, tr("Save as a Word file"), start, kinds)
        if name:
            path = Path(name) if Path(name).suffix.lower() in endings else Path(f"{name}{endings[0]}")
            self._write(lambda letter: self._save_word(letter, path, tracked))

    def _save_word(self, letter: "dict[str, Any]", path: Path, tracked: bool) -> None:
        text = letter["checked"].reading.document.text
        save_word(**letter, path=path, tracked=tracked).start(
            self._shell.jobs, on_done=lambda saved: self.written.emit(saved.path, text)
        )
