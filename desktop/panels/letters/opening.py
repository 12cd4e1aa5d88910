"""Letters and CVs come into the letters panel here, and go from it: by file, by drop, by paste."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QWidget

from core.documents.values import Document
from core.errors import AppError
from desktop.dialogs.question import Question
from desktop.operations import letters
from desktop.panels.letters.bench import LetterBench
from desktop.panels.letters.board import LetterBoard
from desktop.panels.letters.paste import ask_letter
from desktop.panels.letters.start import StartPage
from desktop.widgets import tr
from desktop.widgets.drop import local_paths

TWIN, PILE = "desktop.panels.letters.twin", "desktop.panels.letters.pile"


class LetterOpening(LetterBench):
    """Opening and closing. What may be lost is asked about first."""

    start: StartPage

    def open_pile(self, paths: list[Path] | None = None) -> None:
        """Many letters at once."""
        raise NotImplementedError

    def _go_to(self, page: QWidget) -> None:
        """Show a page of the panel."""
        raise NotImplementedError

    def choose_file(self) -> None:
        path = ask_letter(self, tr("Check a letter"))
        if path is not None:
            self.open_file(path)

    def open_file(self, path: Path) -> None:
        """Read a file in a process of its own, then show it."""
        self._if_it_may_go(lambda: self._read(letters.read_document(path=path), self.open_document))

    def open_pasted(self, text: str) -> None:
        self._if_it_may_go(lambda: self._read(letters.read_pasted(text=text), self.open_document))

    def open_document(self, document: Document) -> None:
        """Show a letter and read it."""
        self._forget_what_is_shown()
        self.check.open(document)
        self._edited = False
        self.board.open_letter(document, self.check.context)
        self._go_to(self.board)

    def close_letter(self) -> None:
        """Let go of the letter, after a question where words of it would be lost."""
        self._if_it_may_go(self._close)

    def _close(self) -> None:
        self.check.forget()
        self._forget_what_is_shown()
        pile = self._others.get(PILE)
        if pile is not None and pile.paths:  # where the letter came from, or what is still to be looked at
            self._go_to(pile)
            return
        self._go_to(self.start)
        self.start.paste.setFocus()

    def _forget_what_is_shown(self) -> None:
        self._items, self.selected, self._edited = (), "", False
        self.start.forget()
        self.board.forget()
        if TWIN in self._others:
            self._others[TWIN].forget()

    def _if_it_may_go(self, then: Any) -> None:
        if not self._edited:
            then()
            return
        Question(
            self.window(),
            title=tr("Let go of the edited letter?"),
            text=tr("Your changes are not saved anywhere. You can copy the text first, from the menu above."),
            safe=tr("Keep it open"),
            risky=tr("Let go of it"),
            on_risky=then,
        ).open()

    def _read(self, operation: Any, on_done: Any) -> None:
        self._stop_opening()
        self.start.show_waiting(tr("Reading…"))
        self.board.context.setEnabled(False)

        def fail(error: AppError) -> None:
            self._reading_over()
            self.shell.show_error(error)

        def show(document: Document) -> None:
            self._reading_over()
            on_done(document)

        self._opening = operation.start(self.shell.jobs, on_done=show, on_error=fail)

    def _stop_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self._reading_over()

    def _reading_over(self) -> None:
        self._opening = None
        self.start.show_waiting("")
        self.board.context.setEnabled(True)

    # dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event.mimeData()):
            event.acceptProposedAction()
            self.start.card.set_chosen(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.start.card.set_chosen(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.start.card.set_chosen(False)
        paths = _dropped(event.mimeData())
        event.acceptProposedAction()
        self.take_files(paths, for_context=self._over_context(event.position().toPoint()))

    def take_files(self, paths: list[Path], *, for_context: bool = False) -> None:
        """Files were dropped: one is a letter, or the CV where that is shown; several, a folder or a zip are a pile."""
        if len(paths) > 1 or any(path.is_dir() or path.suffix.lower() == ".zip" for path in paths):
            self.open_pile(paths)
        elif paths and for_context:
            self._read(letters.read_document(path=paths[0]), self._set_context)
        elif paths:
            self.open_file(paths[0])

    def _over_context(self, place: QPoint) -> bool:
        page = self.board.context
        return page.isVisible() and page.rect().contains(page.mapFrom(self, place))

    # the CV

    def _choose_context(self) -> None:
        path = ask_letter(self, tr("Add the CV"))
        if path is not None:
            self._read(letters.read_document(path=path), self._set_context)

    def use_as_context(self) -> None:
        """What was opened as a letter is the CV: it is kept as that, and the letter is asked for."""
        document = self.check.document
        self.check.forget()
        self._forget_what_is_shown()
        self._go_to(self.start)
        self.check.context = document
        self.start.show_context(document.name if document is not None else "")

    def _set_context(self, document: Document | None) -> None:
        self.check.set_context(document)
        self.board.context.show_context(document)

    def _connect_board(self, board: LetterBoard) -> None:
        super()._connect_board(board)
        board.letter.is_context.connect(self.use_as_context)
        board.context.file_wanted.connect(self._choose_context)
        board.context.pasted.connect(lambda text: self._read(letters.read_pasted(text=text), self._set_context))
        board.context.removed.connect(lambda: self._set_context(None))


def _dropped(data: QMimeData) -> list[Path]:
    """The files and folders in what is dragged that are there."""
    return [path for path in local_paths(data) if path.exists()]
