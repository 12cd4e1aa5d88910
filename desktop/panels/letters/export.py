"""The exports of a letter: to the clipboard, as a note to its writer, as a report, as a Word file.

The heading of a letter: its title, badge and buttons, and the row above one of a pile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from biasprint.core import compute
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import LetterSource, TwinDifference, as_word, read_file, write_note, write_report
from biasprint.core.letters.kinds import GOES_BACK, KINDS, goes_back_into
from biasprint.core.machine.files import write_whole
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop.operations import operation, saved_as
from biasprint.desktop.operations.letters import Checked, house_in_use
from biasprint.desktop.panels.base import Header
from biasprint.desktop.panels.letters.compared import letter_title, stand_ins
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.panels.letters.start import in_folder
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Chip,
    ElidedLabel,
    IconButton,
    LinkButton,
    PrimaryButton,
    QuietButton,
    StandInBadge,
    number,
    tr,
)
from biasprint.desktop.widgets.layout import in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

SLOW_MILLISECONDS = 400  # a reading that takes longer is said to be under way


class LetterHeading(QObject):
    """The chips and buttons in the panel's header, visible while a letter is shown (`show_for`)."""

    def __init__(self, header: Header, title: str, review: LetterReview, panel: QWidget) -> None:
        super().__init__(panel)
        self._header, self._title, self._review = header, title, review
        self._on_letter = False
        self.badge = StandInBadge("")
        self.busy = Chip(tr("reading…"), "accent")
        self.twin = QuietButton(tr("Swap twin"))
        self.save = QuietButton(tr("Save"))
        self.report = PrimaryButton(tr("Report…"))
        self.menu = IconButton("menu", tr("More about this letter"))
        self.report.setToolTip(tr("A one-page note to the writer, or the full report, as PDF or Word document"))
        for chip in (self.badge, self.busy):
            header.add_chip(chip)
        for action in (self.twin, self.save, self.report, self.menu):
            header.add_action(action)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MILLISECONDS)
        self._slow.timeout.connect(self.busy.show)

    def show_for(self, *, on_letter: bool) -> None:
        """Show or hide the widgets, depending on whether the letter's page is shown."""
        self._on_letter = on_letter
        for widget in (self.twin, self.save, self.report, self.menu):
            widget.setVisible(on_letter)
        if not on_letter:
            self.badge.hide()
            self.busy.hide()
        self.show_reading()

    def show_reading(self) -> None:
        """Show the state of the reading, and its title and badge."""
        checked = self._review.check.latest
        follow = checked is not None and checked.first
        self.busy.setText(tr("checking marks, scores follow…") if follow else tr("reading…"))
        if self._on_letter and checked is not None and not follow:
            self._show_stand_ins(checked)
        self._show_title(checked)
        self.enable_actions()

    def enable_actions(self) -> None:
        checked = self._review.check.checked
        self.report.setEnabled(checked is not None)
        about_nobody = checked is not None and not KINDS[checked.reading.read_as.kind].of_person
        self.twin.setEnabled(checked is not None and not about_nobody)
        self.twin.setToolTip(
            tr("A job advert is about nobody: there is no twin of it")
            if about_nobody
            else tr("The same letter for another name and gender")
        )

    def show_saved(self) -> None:
        """Show where a save would put the letter, and whether there is anything to save."""
        review = self._review
        self.save.setEnabled(review.edited or not (review.saved_as or review.reading))
        self.save.setToolTip(
            tr("Save it in the project (Ctrl+S)")
            if review.reading
            else tr("Save it among my letters, on this computer (Ctrl+S)")
        )

    def show_busy(self, busy: bool) -> None:
        if busy and not self.busy.isVisible():
            self._slow.start()
        elif not busy:
            self._slow.stop()
            self.busy.hide()

    def _show_title(self, checked: Checked | None) -> None:
        document = self._review.check.document
        if document is None or not self._on_letter:
            self._header.set_title(tr(self._title))
            return
        reading = checked.reading if checked is not None else None
        self._header.set_title(letter_title(reading, document.name, checked.occupation if checked else ""))

    def _show_stand_ins(self, checked: Checked) -> None:
        uses = stand_ins(checked.reading)
        named = ", ".join(f"{use.role}: {scorer_title(use.name)}" for use in uses)
        self.badge.setText(
            tr("{role}: stand-in scorer").format(role=uses[0].role)
            if len(uses) == 1
            else tr("{n} stand-in scorers").format(n=len(uses))
        )
        self.badge.setToolTip(safe_tip(tr(named)))
        self.badge.setAccessibleName(safe_line(tr(f"{self.badge.text()}: {named}")))
        self.badge.setVisible(bool(uses) and not checked.reading.stopped)


NEXT, PREVIOUS, BACK = "Ctrl+PgDown", "Ctrl+PgUp", "Alt+Left"  # keys, in a letter of a pile


class PileSteps(QWidget):
    """The row above a letter of a pile: back to the table, the letters beside it, and its place among them."""

    left = Signal()
    stepped = Signal(int)  # 1 to the next letter, -1 to the one before

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.back = LinkButton(tr("Back to the pile"), icon="back", act=self.left)
        self.previous = QuietButton(tr("Previous"), icon="chevron-left", act=lambda: self.stepped.emit(-1))
        self.next = QuietButton(tr("Next"), icon="chevron-right", act=lambda: self.stepped.emit(1))
        self.place = ElidedLabel("", "note")
        for button, words, key in (
            (self.back, tr("Back to the table of letters"), BACK),
            (self.previous, tr("The letter before this one in the table"), PREVIOUS),
            (self.next, tr("The letter after this one in the table"), NEXT),
        ):
            button.setToolTip(safe_tip(tr(f"{words} ({key})")))
        in_row(self.back, self.previous, self.next, (self.place, 1), inside=self, spacing=8, margins=0)

    def show_place(self, at: int, count: int, file: str) -> None:
        """Show the place, counted from 0, of a letter among so many; −1 for one that the table's filter hides."""
        self.previous.setEnabled(at > 0)
        self.next.setEnabled(0 <= at < count - 1)
        words = tr("Letter {n} of {count}: {file}") if at >= 0 else tr("{file}, which the table's filter hides")
        self.place.set_text(safe_line(words.format(n=number(at + 1), count=number(count), file=file)))


# ---- The jobs that write files


@dataclass(frozen=True)
class WordSaved:
    path: Path
    notes: tuple[str, ...]


@operation("Reading a file")
def read_letter(ctx: JobContext, *, path: Path) -> LetterSource:
    """Read a letter's file in a separate process; the bytes of a docx or odt are kept for writing into them later."""
    document = read_file(path, ctx)
    return LetterSource(document, path.read_bytes() if document.kind in GOES_BACK else None, path)


def _said(saved: WordSaved) -> str:
    return " ".join((tr("Written to “{name}”.").format(name=saved.path.name), *saved.notes))


@operation("Writing a Word file", _said)
def save_word(
    ctx: JobContext, *, source: LetterSource, checked: "Checked", dismissed: tuple[str, ...], path: Path, tracked: bool
) -> WordSaved:
    """Write the letter as it is now. `tracked`: changes can be rejected and marks are comments; else neither is there.

    The file reflects the reading and the dismissals that are passed in.
    """
    data = source.data if goes_back_into(source.document.kind, path) else None
    written = as_word(ctx, data, source.document, checked.reading, dismissed=frozenset(dismissed), tracked=tracked)
    target = path if path.suffix.lower() == f".{written.ending}" else path.with_suffix(f".{written.ending}")
    if source.path is not None and source.path.exists() and target.exists() and target.samefile(source.path):
        raise UsageError(tr("The letter that was opened is not written over."), hint=tr("Give the file another name."))
    write_whole(target, written.data)
    return WordSaved(target, written.notes)


@operation("Writing the report", saved_as)
def save_report(
    ctx: JobContext,
    *,
    source: LetterSource,
    checked: "Checked",
    dismissed: tuple[str, ...],
    path: Path,
    twin: "TwinDifference | None" = None,
) -> Path:
    """Write the full report, PDF or docx by its ending, with the twin if there is one."""
    compute.shared().call(write_report, path, checked.reading, twin, dismissed, source.document, ctx=ctx)
    return path


@operation("Writing the note", saved_as)
def save_note(
    ctx: JobContext,
    *,
    source: LetterSource,
    checked: "Checked",
    dismissed: tuple[str, ...],
    path: Path,
    appendix: bool = False,
) -> Path:
    """Write the note to the writer, one page. `appendix`: versions and hashes on another."""
    house, _ = house_in_use()
    compute.shared().call(write_note, path, checked.reading, dismissed, source.document, house, appendix, ctx=ctx)
    return path


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
        self._shell.notify(tr("The letter’s text was copied."))

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
            write({"source": source, "checked": check.checked, "dismissed": tuple(check.dismissed)})
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
