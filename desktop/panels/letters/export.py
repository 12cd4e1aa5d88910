"""Ways a letter leaves the panel: to the clipboard, as a note to its writer, as a report, as a Word file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from biasprint.desktop.operations import letter_word
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr

if TYPE_CHECKING:
    from biasprint.core.letters.values import TwinDifference


class LetterExport(QObject):
    """`twin_of`: the twin of a reading, if one was made. Nothing is written of a text that is not read yet."""

    def __init__(
        self,
        shell: Shell,
        review: LetterReview,
        panel: QWidget,
        twin_of: "Callable[[Checked], TwinDifference | None]",
    ) -> None:
        super().__init__(panel)
        self._shell, self._review, self._panel, self._twin_of = shell, review, panel, twin_of

    def copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._review.board.letter.text.text())
        self._shell.notify(tr("The letter's text was copied."))

    def note(self, *, appendix: bool = False) -> None:
        """A page for the writer. `appendix`: with versions and hashes on another."""
        checked, source = self._review.check.checked, self._review.source
        path = self._ask(tr("Write the note"), tr("{name} (note).pdf"))
        if checked is not None and path is not None:
            letter_word.save_note(
                source=source, checked=checked, dismissed=self._review.check.dismissed, path=path, appendix=appendix
            ).start(self._shell.jobs)  # fmt: skip

    def report(self) -> None:
        checked, source = self._review.check.checked, self._review.source
        path = self._ask(tr("Write the report"), tr("{name} (report).pdf"))
        if checked is not None and path is not None:
            dismissed, twin = self._review.check.dismissed, self._twin_of(checked)
            letter_word.save_report(source=source, checked=checked, dismissed=dismissed, path=path, twin=twin).start(
                self._shell.jobs
            )

    def _ask(self, title: str, name: str) -> Path | None:
        """Where to? None where there is nothing to write, or the person changed their mind."""
        source = self._review.source
        if source is None or not self._review.check.is_current:
            return None
        kinds = f"{tr('PDF')} (*.pdf);;{tr('Word document')} (*.docx)"
        usual = name.format(name=Path(source.document.name).stem)
        chosen, _ = QFileDialog.getSaveFileName(self._panel, title, usual, kinds)
        if not chosen:
            return None
        return Path(chosen) if Path(chosen).suffix else Path(f"{chosen}.pdf")

    def save_word(self, *, tracked: bool = True) -> None:
        """The letter as a Word file: with changes and comments, or clean."""
        checked, source = self._review.check.checked, self._review.source
        if checked is None or source is None or not self._review.check.is_current:
            return
        endings = (".docx", ".docm")
        kinds = f"{tr('Word document')} (*.docx *.docm)"
        if source.document.kind == "odt" and source.data is not None:  # its own file, or a plain docx
            endings = (".odt", *endings)
            kinds = f"{tr('OpenDocument text')} (*.odt);;{kinds}"
        usual = tr("{name} (checked)").format(name=Path(source.document.name).stem) + endings[0]
        name, _ = QFileDialog.getSaveFileName(self._panel, tr("Save as a Word file"), usual, kinds)
        if name:
            path = Path(name) if Path(name).suffix.lower() in endings else Path(f"{name}{endings[0]}")
            dismissed = self._review.check.dismissed
            letter_word.save_word(
                source=source, checked=checked, dismissed=dismissed, path=path, tracked=tracked
            ).start(self._shell.jobs)  # fmt: skip
