"""The letters panel: a letter is dropped, read, shown with what was found in it, and edited in place.

Nothing of a letter is kept: no recent list, no setting, no file. Closing it, or the program, lets go of it.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QFileDialog, QMenu, QStackedWidget, QWidget

from core.documents.values import Document
from core.errors import AppError
from desktop.dialogs.commands import Command
from desktop.dialogs.question import Question
from desktop.operations import letters
from desktop.operations.letters import Checked
from desktop.panels.letters.board import LetterBoard
from desktop.panels.letters.review import SLOW_MILLISECONDS, LetterBench
from desktop.panels.letters.start import LetterStartPage, ask_letter
from desktop.widgets import Chip, IconButton, PrimaryButton, QuietButton, StandInBadge, tr
from desktop.widgets.drop import local_paths

# ---- Letters and CVs come into the letters panel here, and go from it: by file, by drop, by paste

TWIN, PILE = "desktop.panels.letters.twin", "desktop.panels.letters.pile"


class LetterOpening(LetterBench):
    """Opening and closing. What may be lost is asked about first."""

    start: LetterStartPage

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


AFTER_PAINT = 30  # milliseconds


class LettersPanel(LetterOpening):
    """One letter at a time. Its twin and a pile of letters have pages of their own, in the same place."""

    key = "letters"
    title = "Letters"

    # the panel's life

    def build(self) -> None:
        self.start = LetterStartPage()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.start)
        self.body.addWidget(self.pages, 1)
        self.badge = StandInBadge("")
        self.busy = Chip(tr("reading…"), "accent")
        self.twin_button = QuietButton(tr("Swap twin"))
        self.report_button = PrimaryButton(tr("Report…"))
        self.menu_button = IconButton("menu", tr("More about this letter"))
        for chip in (self.badge, self.busy):
            self.header.add_chip(chip)
        for action in (self.twin_button, self.report_button, self.menu_button):
            self.header.add_action(action)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MILLISECONDS)
        self._slow.timeout.connect(self.busy.show)
        self._connect()
        self._go_to(self.start)
        QTimer.singleShot(AFTER_PAINT, self, lambda: self._fit(self.board))  # both at once would take too long
        # What cannot be loaded is said when a letter is read.
        letters.warm_up().start(self.shell.jobs, on_error=lambda _: None)

    def refresh(self) -> None:
        self._show_what_works()

    def opened_with(self, *, path: Path | None = None, document: Document | None = None, **what: object) -> None:
        """Sent here with a letter: a file, or a document that was read already."""
        if path is not None:
            self.open_file(path)
        elif document is not None:
            self.open_document(document)

    def commands(self) -> list[Command]:
        return [
            Command(tr("Check a letter…"), self.choose_file),
            Command(tr("Next mark in the letter"), lambda: self.step(1), enabled=self._is_shown),
            Command(tr("Previous mark in the letter"), lambda: self.step(-1), enabled=self._is_shown),
            Command(tr("Dismiss this mark"), self.dismiss, enabled=lambda: bool(self.selected)),
            Command(tr("Undo the last dismissal"), self.undo_dismissal, enabled=lambda: bool(self.check.dismissed)),
            Command(tr("Save the letter to the project…"), self.save, enabled=self._can_save),
            Command(tr("Write the letter's report…"), self.report, enabled=self._can_report),
            Command(tr("Copy the letter's text"), self.copy_text, enabled=self._is_shown),
            Command(tr("Close the letter"), self.close_letter, enabled=self._is_shown),
        ]

    # going on from here

    def copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.board.letter.text.text())
        self.shell.notify(tr("The letter's text was copied."))

    def open_twin(self) -> None:
        """The letter beside its swap twin, where that page is here: `TwinPage` with `show_check`."""
        if self.check.checked is None or find_spec(TWIN) is None:
            return
        page = self._other(TWIN, "TwinPage")
        page.show_check(self.check.checked)
        self._go_to(page)

    def open_pile(self, paths: list[Path] | None = None) -> None:
        """Many letters at once, where that page is here: `PilePage` with `show_pile`."""
        if find_spec(PILE) is None:
            self.shell.show_error(AppError(tr("One letter is checked at a time here."), hint=tr("Drop a single file.")))
            return
        page = self._other(PILE, "PilePage")
        page.show_pile(paths or [])
        self._go_to(page)

    def _other(self, module: str, name: str) -> Any:
        """A page of its own in the same place, made at its first use; its `closed` leads back."""
        if module not in self._others:
            page = getattr(import_module(module), name)(self.shell)
            page.closed.connect(lambda: self._leave(page))
            self.pages.addWidget(page)
            self._others[module] = page
        return self._others[module]

    def _leave(self, page: Any) -> None:
        """Back from the twin or the pile: to the letter, if there is one; without one, nothing is kept."""
        if self.check.document is not None:
            self._go_to(self.board)
            return
        if page is not self._others.get(PILE):  # a pile's table stays, to come back to
            page.forget()
        self._go_to(self.start)

    def save(self) -> None:
        """Keep the letter and its reading in the open project."""
        project, checked = self.project, self.check.checked
        if project is not None and checked is not None and self._can_save():
            keep = letters.save_to_project(project=project, checked=checked, dismissed=tuple(self.check.dismissed))
            keep.start(self.shell.jobs, on_done=lambda _: self._saved())

    def _saved(self) -> None:
        self._edited = False
        self.shell.set_status(tr("This letter is saved in the project"))

    def report(self) -> None:
        checked = self.check.checked
        if checked is None or not self._can_report():
            return
        kinds = f"{tr('PDF')} (*.pdf);;{tr('Word document')} (*.docx)"
        name, _ = QFileDialog.getSaveFileName(self, tr("Write the report"), tr("Letter check.pdf"), kinds)
        if name:
            path = Path(name) if Path(name).suffix else Path(f"{name}.pdf")
            letters.save_report(checked=checked, path=path, twin=self._twin_of(checked)).start(self.shell.jobs)

    def _twin_of(self, checked: Checked) -> Any:
        """What the twin page found for this very reading, if it was opened."""
        page = self._others.get(TWIN)
        return page.swap if page is not None and page.checked is checked else None

    # the look

    def _connect(self) -> None:
        self.start.file_wanted.connect(self.choose_file)
        self.start.pasted.connect(self.open_pasted)
        self.start.pile_wanted.connect(lambda: self.open_pile())
        self.start.cancel.clicked.connect(self._stop_opening)
        self.check.seen.connect(self._show)
        self.check.failed.connect(self.shell.show_error)
        self.check.reading_changed.connect(self._show_busy)
        self.check.dismissed_changed.connect(self._show_dismissals)
        self.twin_button.clicked.connect(self.open_twin)
        self.report_button.clicked.connect(self.report)
        self.menu_button.clicked.connect(self._open_menu)

    def _go_to(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        on_letter = page is self._board
        for widget in (self.twin_button, self.report_button, self.menu_button):
            widget.setVisible(on_letter)
        if not on_letter:
            self.badge.hide()
            self.busy.hide()
        self._show_title()
        self._show_what_works()
        self.shell.set_status(tr("This letter is not saved anywhere") if on_letter else "")

    def _show_busy(self, busy: bool) -> None:
        if busy and not self.busy.isVisible():
            self._slow.start()
        elif not busy:
            self._slow.stop()
            self.busy.hide()

    def _show_what_works(self) -> None:
        checked = self.check.checked is not None
        twin, report = find_spec(TWIN) is not None, letters.report_is_here()
        self.twin_button.setEnabled(checked and twin)
        self.report_button.setEnabled(checked and report)
        not_here = tr("This version cannot do that yet.")
        self.twin_button.setToolTip(tr("The same letter for another name and gender") if twin else not_here)
        self.report_button.setToolTip(tr("A PDF or Word document in plain language") if report else not_here)
        self.start.pile.setVisible(find_spec(PILE) is not None)

    def _open_menu(self) -> None:
        menu = QMenu(self.menu_button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        save = menu.addAction(tr("Save to project…"), self.save)
        save.setEnabled(self._can_save())
        if self.project is None:
            save.setText(tr("Save to project… (no project is open)"))
        menu.addAction(tr("Copy the letter's text"), self.copy_text)
        menu.addSeparator()
        menu.addAction(tr("Check another letter…"), self.choose_file)
        if find_spec(PILE) is not None:
            menu.addAction(tr("A pile of letters…"), lambda: self.open_pile())
        menu.addAction(tr("Close the letter"), self.close_letter)
        menu.popup(self.menu_button.mapToGlobal(self.menu_button.rect().bottomLeft()))
        self.menu = menu

    def _can_save(self) -> bool:
        project = self.project
        return self._is_shown() and self.check.is_current and project is not None and not project.read_only

    def _can_report(self) -> bool:
        return self._is_shown() and self.check.is_current and letters.report_is_here()
