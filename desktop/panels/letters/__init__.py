"""The letters panel: a letter is dropped, read, edited, compared with its swap twin and saved; or checked in a pile.

Of a letter that somebody worked on a draft is kept until it is saved or let go of; one of a pile is kept there.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from biasprint.core.errors import AppError
from biasprint.core.letters import Document, KeptLetter, LetterSource, TwinDifference
from biasprint.core.letters.kept import Draft
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.operations.session import data_endings
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.letters import export
from biasprint.desktop.panels.letters.board import LetterBoard
from biasprint.desktop.panels.letters.export import BACK, NEXT, PREVIOUS, LetterExport, LetterHeading, PileSteps
from biasprint.desktop.panels.letters.generator_dialog import ModelReadingDialog
from biasprint.desktop.panels.letters.house import HouseDialog
from biasprint.desktop.panels.letters.keeping import KeptList, LetterKeeping, Then, nothing_more
from biasprint.desktop.panels.letters.pile import PilePage
from biasprint.desktop.panels.letters.pile.keeper import PileLetter
from biasprint.desktop.panels.letters.references import ReferenceDialog
from biasprint.desktop.panels.letters.review import LetterReview
from biasprint.desktop.panels.letters.start import LetterStartPage, ask_letter
from biasprint.desktop.panels.letters.twin import TwinPage
from biasprint.desktop.panels.letters.twin_parts import AskedLine
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import tr
from biasprint.desktop.widgets.events import CardDrop, open_below
from biasprint.desktop.widgets.keys import shortcut
from biasprint.desktop.widgets.layout import stack_of

AFTER_PAINT = 30  # milliseconds
LARGER_READER = "larger_reader"  # the setting


class LettersPanel(Panel):
    """The panel of one letter. Its twin and a pile of letters have pages of their own, in the same place.

    `review` holds the letter; the panel leads from page to page, and letters and CVs come in here.

    `heading` is the bar above it, and `export` its exports.
    """

    key = "letters"
    title = "Letters"

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.review = LetterReview(shell, self._place_board, self)
        self.keeping = LetterKeeping(shell, self.review, self)
        self.export = LetterExport(shell, self.review, self, self._twin_of, lambda: self.keeping.folder)
        self._opening: JobHandle | None = None
        self._twin: TwinPage | None = None
        self._pile: PilePage | None = None
        self._told_trouble = ""  # of the house list: said once, and not at each key

    # the panel's life

    def build(self) -> None:
        self.start = LetterStartPage()
        self.pages = stack_of(self.start)
        self.steps = PileSteps()
        self.body.addWidget(self.steps)
        self.body.addWidget(self.pages, 1)
        self.heading = LetterHeading(self.header, self.title, self.review, self)
        self._connect()
        for keys, act in (
            ("Ctrl+S", lambda: self.keeping.save() if self._is_shown() else None),
            (NEXT, partial(self._step_in_pile, 1)),
            (PREVIOUS, partial(self._step_in_pile, -1)),
            (BACK, self._go_back),
        ):
            shortcut(keys, self, act, in_sight=True)  # a click beside every control leaves the keyboard nowhere
        self._go_to(self.start)
        letters.use_larger_reader(bool(self.shell.settings.get(LARGER_READER)))
        self.shell.settings.changed.connect(self._setting_changed)
        QTimer.singleShot(AFTER_PAINT, self, lambda: self._fit(self.review.board))  # both at once would take too long
        # One after the other, or marks would wait for scorers. What cannot be loaded is said when a letter is read.
        letters.warm_up_words().start(self.shell.jobs, on_done=self._load_scorers, on_error=self._load_scorers)

    def _setting_changed(self, key: str) -> None:
        if key == LARGER_READER:
            letters.use_larger_reader(bool(self.shell.settings.get(key)))
            self.review.check.read_now()

    def _load_scorers(self, _: object) -> None:
        letters.warm_up().start(self.shell.jobs, on_error=lambda _: None)

    def refresh(self) -> None:
        self.heading.enable_actions()
        self.start.show_promise(drafts=self.keeping.draft.keeps)
        self.list.refresh()

    def project_opened(self, project: Project) -> None:
        self._close_what_is_of_another_project()

    def project_closed(self) -> None:
        self._close_what_is_of_another_project()

    def before_it_goes(self, then: Then) -> None:
        pile = self._pile

        def and_the_pile() -> None:
            self.keeping.keep_in_pile()
            if pile is None:
                then()
            else:
                pile.if_it_may_go(then)

        self.keeping.if_it_may_go(and_the_pile, self._close)

    def let_go(self) -> None:
        self.keeping.leave()
        if self._pile is not None:
            self._pile.forget()

    def more_works(self) -> None:
        """Read the letter again when a scorer may have become available."""
        letters.forget_scorers()
        self.review.check.read_now()
        twin = self._twin
        if twin is not None and twin.isVisible() and twin.checked is not None:
            twin.show_check(twin.checked, self.review.check.dismissed)  # it could not be made before

    def _step_in_pile(self, by: int) -> None:
        if self._is_from_pile() and self._pile is not None:
            self._pile.step(by)

    def _is_from_pile(self) -> bool:
        """Return whether a letter of the open pile is shown."""
        return self._is_shown() and self.keeping.of_pile

    def _go_back(self) -> None:
        """Go back to the pile from one of its letters, and from the pile to where it was opened."""
        if self._is_from_pile():
            self.close_letter()
        elif self._pile is not None and self.pages.currentWidget() is self._pile:
            self._pile.closed.emit()

    def _show_steps(self) -> None:
        """Show the row above a letter of the pile, with its place there."""
        pile = self._pile
        self.steps.setVisible(pile is not None and self._is_from_pile())
        if pile is not None and self._is_from_pile():
            at, rows = pile.place()
            self.steps.show_place(at, len(rows), pile.opened)

    def opened_with(
        self,
        *,
        path: Path | None = None,
        kept: KeptLetter | None = None,
        of_pile: PileLetter | None = None,
        shown: Then = nothing_more,
        reading: str = "",
        **what: object,
    ) -> None:
        """Open with a letter: a file, one of a pile, or a reading of the project.

        `kept`, `of_pile`: the letter of a pile and its place there; `shown` is called when it is shown, which a
        question may prevent.
        """
        if path is not None:
            self.open_file(path)
        elif kept is not None:

            def open_it() -> None:
                self._show_kept(kept, None, of_pile)
                shown()
                self._show_steps()

            self.keeping.if_it_may_go(open_it)
        elif reading:
            self.list.open_reading(reading)

    def commands(self) -> list[Command]:
        review = self.review
        return [
            Command(tr("Check a letter…"), self.choose_file),
            Command(tr("Next mark in the letter"), lambda: review.step(1), enabled=self._is_shown),
            Command(tr("Previous mark in the letter"), lambda: review.step(-1), enabled=self._is_shown),
            Command(tr("Next letter of the pile"), partial(self._step_in_pile, 1), NEXT, enabled=self._is_from_pile),
            Command(
                tr("Previous letter of the pile"),
                partial(self._step_in_pile, -1),
                PREVIOUS,
                enabled=self._is_from_pile,
            ),
            Command(tr("Back to the pile"), self._go_back, BACK, enabled=self._is_from_pile),
            Command(tr("Dismiss this mark"), review.dismiss, enabled=lambda: bool(review.selected)),
            Command(tr("Undo the last dismissal"), review.undo_dismissal, enabled=lambda: bool(review.check.dismissed)),
            Command(tr("Save the letter"), self.keeping.save, "Ctrl+S", enabled=self._is_shown),
            Command(tr("Save the letter to the project…"), self.save, enabled=self._can_save),
            Command(tr("Write a note to the letter's writer…"), self.export.note, enabled=self._can_report),
            Command(tr("Write the letter's full report…"), self.export.report, enabled=self._can_report),
            Command(tr("Save as Word, with changes and comments…"), self.export.save_word, enabled=self._can_report),
            Command(tr("Save as Word, clean…"), lambda: self.export.save_word(tracked=False), enabled=self._can_report),
            Command(tr("Copy the letter’s text"), self.export.copy_text, enabled=self._is_shown),
            Command(tr("House list: words that are never marked, or always…"), self.open_house_list),
            Command(tr("Reference letters: what a letter is compared with…"), self.open_references),
            Command(tr("Close the letter"), self.close_letter, enabled=self._is_shown),
        ]

    # a letter comes and goes

    def choose_file(self) -> None:
        path = ask_letter(self, tr("Check a letter"), self.keeping.folder)
        if path is not None:
            self.open_file(path)

    def open_file(self, path: Path) -> None:
        """Read a file in a separate process, then show it."""
        self.keeping.if_it_may_go(lambda: self._read(export.read_letter(path=path), self._open))

    def open_pasted(self, text: str) -> None:
        self.keeping.if_it_may_go(lambda: self._read(letters.read_pasted(text=text), self.open_document))

    def open_document(self, document: Document) -> None:
        """Show a letter and read it."""
        self._open(LetterSource(document))

    def _open(self, source: LetterSource) -> None:
        self._forget_pages()
        self.keeping.forget()
        self.review.open(source)
        self._go_to(self.review.board)

    def open_kept(self, letter: KeptLetter) -> None:
        """Show a letter as it was left, and read it."""
        self._show_kept(letter, None)

    def _show_kept(self, letter: KeptLetter, draft: Draft | None, of_pile: PileLetter | None = None) -> None:
        self._forget_pages()
        self.keeping.forget()
        self.review.open_kept(letter, edited=draft is not None)
        self.keeping.took(letter, draft, of_pile)
        self._go_to(self.review.board)

    def _open_kept(self, operation: Operation[Any]) -> None:
        """Open a letter of the list, or a draft."""
        self.keeping.if_it_may_go(lambda: self._read(operation, self._take_kept))

    def _take_kept(self, found: KeptLetter | tuple[KeptLetter, Draft]) -> None:
        """Show a letter of the list after it was read, or a draft with its letter."""
        if isinstance(found, KeptLetter):
            self.open_kept(found)
        else:
            self._show_kept(*found)

    def close_letter(self) -> None:
        """Close the letter, after a question if edits would be lost."""
        self.keeping.if_it_may_go(self._close)

    def _close(self) -> None:
        self._forget_letter()
        if self._pile is not None and self._pile.paths:  # where it came from, or what is still to be looked at
            self._go_to(self._pile)
            self._pile.view.list.setFocus()
            return
        self._go_to(self.start)
        self.start.paste.setFocus()

    def _close_what_is_of_another_project(self) -> None:
        """Close a letter saved only in a project that is no longer open; a question about losses came before."""
        if not self.keeping.belongs_elsewhere():
            return
        if self.review.saved_as:
            self.review.reading = ""
            self.keeping.told.emit()
        else:
            self._close()

    def _forget_letter(self) -> None:
        self.keeping.forget()
        self.review.check.forget()
        self.review.forget()
        self._forget_pages()

    def _forget_pages(self) -> None:
        self.start.forget()
        if self._twin is not None:
            self._twin.forget()

    def _read(self, operation: Operation[Any], on_done: Callable[[Any], None]) -> None:
        self._stop_opening()
        self.start.show_waiting(tr("Reading…"))
        self.review.board.context.setEnabled(False)

        def fail(error: AppError) -> None:
            self._reading_over()
            self.shell.show_error(error)

        def show(result: Any) -> None:
            self._reading_over()
            on_done(result)

        self._opening = operation.start(self.shell.jobs, on_done=show, on_error=fail)

    def _stop_opening(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
        self._reading_over()

    def _reading_over(self) -> None:
        self._opening = None
        self.start.show_waiting("")
        self.review.board.context.setEnabled(True)

    # dropping

    def take_files(self, paths: list[Path], *, for_context: bool = False) -> None:
        """Open dropped files: one is a letter, or the CV if that is shown; several, a folder or a zip are a pile."""
        if len(paths) > 1 or any(path.is_dir() or path.suffix.lower() == ".zip" for path in paths):
            self.open_pile(paths)
        elif paths and for_context:
            self._read(letters.read_document(path=paths[0]), self.review.set_context)
        elif paths and paths[0].suffix.lower() in data_endings()[0]:
            self.shell.open_files(paths)  # a table of texts
        elif paths:
            self.open_file(paths[0])

    def _take_dropped(self, paths: list[Path], place: QPoint) -> None:
        self.take_files(paths, for_context=self._over_context(place))

    def _over_context(self, place: QPoint) -> bool:
        page = self.review.board.context
        return page.isVisible() and page.rect().contains(page.mapFrom(self, place))

    # the CV

    def _choose_context(self) -> None:
        path = ask_letter(self, tr("Add the CV"), self.keeping.folder)
        if path is not None:
            self._read(letters.read_document(path=path), self.review.set_context)

    def _paste_context(self, text: str) -> None:
        self._read(letters.read_pasted(text=text), self.review.set_context)

    def use_as_context(self) -> None:
        """Keep the document that was opened as a letter as the CV, and ask for the letter."""
        letter = self.review.kept()
        document = letter.document if letter is not None else None
        self._forget_letter()
        self._go_to(self.start)
        self.review.check.context = document
        self.start.show_context(document.name if document is not None else "")

    # going on from here

    def ask_model(self) -> None:
        """Have a language model read the letter as it is now, beside the program's reading."""
        checked = self.review.check.checked
        if checked is not None and self._is_shown() and self.review.check.is_current:
            ModelReadingDialog(self.shell, checked, self.window()).open()

    def open_house_list(self) -> None:
        """Open the list of what is never or always marked, with the words of the chosen mark filled in."""
        mark = self.review.chosen_mark
        text = self.review.board.letter.text.text() if mark is not None else ""
        words, category = (text[mark.start : mark.end], mark.kind) if mark is not None else ("", "")
        dialog = HouseDialog(self.window(), self.shell, words, category)
        dialog.changed.connect(self.review.check.read_now)
        dialog.open()

    def open_references(self) -> None:
        """Open the dialog of reference letters, to choose a set or make one."""
        dialog = ReferenceDialog(self.window(), self.shell)
        dialog.changed.connect(self.review.check.read_now)
        dialog.open()

    def open_twin(self) -> None:
        """Show the letter beside its swap twin."""
        checked = self.review.check.checked
        if checked is None:
            return
        if self._twin is None:
            self._twin = TwinPage(self.shell)
            self._twin.closed.connect(self._leave_twin)
            self._twin.letter_wanted.connect(self._go_to_sentence)
            self.pages.addWidget(self._twin)
        self._twin.show_check(checked, self.review.check.dismissed)
        self._go_to(self._twin)

    def open_pile(self, paths: list[Path] | None = None) -> None:
        """Show many letters at once; without paths, the current pile or the page to choose one."""
        if self.keeping.of_pile:
            self._forget_letter()  # what was done to it is kept with the pile
        pile = self._pile_page()
        self._go_to(pile)
        if paths:
            pile.if_it_may_go(lambda: pile.show_pile(paths))
        else:
            pile.show_pile()

    def open_kept_pile(self, key: str) -> None:
        """Show a pile as it was left."""
        pile = self._pile_page()
        pile.if_it_may_go(lambda: pile.show_kept(key))
        self._go_to(pile)

    def _pile_page(self) -> PilePage:
        if self._pile is None:
            self._pile = PilePage(self.shell)
            self._pile.closed.connect(self._show_letter_or_start)  # its table stays, to come back to
            self._pile.keeper.told.connect(self._say_where)
            self.pages.addWidget(self._pile)
        return self._pile

    def _leave_twin(self) -> None:
        if self.review.check.document is None and self._twin is not None:
            self._twin.forget()
        self._show_letter_or_start()

    def _go_to_sentence(self, line: AskedLine) -> None:
        """Go from the twin to the sentence that it asks about, to change it."""
        self._leave_twin()
        if self.review.check.document is not None:
            self.review.go_to_sentence(line.place[0], line.mark)

    def _show_letter_or_start(self) -> None:
        self._go_to(self.review.board if self.review.check.document is not None else self.start)

    def save(self) -> None:
        """Save the letter and its reading in the open project."""
        if self._can_save():
            self.keeping.save_to_project()

    def _twin_of(self, checked: Checked) -> TwinDifference | None:
        """Return the twin of this very reading, if the twin page made one."""
        return self._twin.swap if self._twin is not None and self._twin.checked is checked else None

    # the look

    def _connect(self) -> None:
        CardDrop(self, self.start.card.set_chosen, self._take_dropped)
        self.steps.left.connect(self._go_back)
        self.steps.stepped.connect(self._step_in_pile)
        self.start.file_wanted.connect(self.choose_file)
        self.start.pasted.connect(self.open_pasted)
        self.start.pile_wanted.connect(lambda: self.open_pile())
        self.start.cancel.clicked.connect(self._stop_opening)
        self.review.shown.connect(self._show_reading)
        self.keeping.told.connect(self._say_where)
        self.keeping.saved.connect(lambda: self.list.refresh())
        self.review.check.failed.connect(self.shell.show_error)
        self.review.check.reading_changed.connect(self.heading.show_busy)
        self.list = KeptList(self.shell, self.start.kept, self._open_kept, self)
        self.list.pile_wanted.connect(self.open_kept_pile)
        self.export.written.connect(self.keeping.note_written)
        self.heading.twin.clicked.connect(self.open_twin)
        self.heading.save.clicked.connect(lambda: self.keeping.save())
        self.heading.report.clicked.connect(self._open_reports)
        self.heading.menu.clicked.connect(self._open_menu)

    def _place_board(self, board: LetterBoard) -> None:
        """Add the new board as a page, and connect its requests for a CV."""
        self.pages.addWidget(board)
        board.letter.is_context.connect(self.use_as_context)
        board.context.file_wanted.connect(self._choose_context)
        board.context.pasted.connect(self._paste_context)
        board.context.removed.connect(lambda: self.review.set_context(None))
        self._fit(board)

    def _go_to(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        self.heading.show_for(on_letter=page is self.review.made_board)
        self._show_steps()
        if page is self.start:
            self.list.refresh()
        self._say_where()

    def _say_where(self) -> None:
        """Show in the status line where the letter is kept."""
        if not self.isVisible():
            return  # the status line is another panel's
        on_pile = self._pile is not None and self.pages.currentWidget() is self._pile and bool(self._pile.paths)
        said = self._pile.keeper.said() if self._pile is not None and on_pile else ""
        self.shell.set_status(self.keeping.said() if self._is_shown() else said)
        self.heading.show_saved()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._say_where()
        if self.pages.currentWidget() is self.start:
            self.list.refresh()

    def _show_reading(self, checked: Checked) -> None:
        if checked.house_trouble and checked.house_trouble != self._told_trouble:
            self.shell.notify(checked.house_trouble)
        self._told_trouble = checked.house_trouble
        self.heading.show_reading()

    def _open_reports(self) -> None:
        menu = QMenu(self.heading.report)
        for words, write in (
            (tr("Note to the writer, one page…"), self.export.note),
            (tr("Note, with versions and hashes…"), lambda: self.export.note(appendix=True)),
            (tr("Full report…"), self.export.report),
        ):
            menu.addAction(words, write).setEnabled(self._can_report())
        menu.setActiveAction(menu.actions()[0])
        self.menu = open_below(menu, self.heading.report)

    def _open_menu(self) -> None:
        menu = QMenu(self.heading.menu)
        menu.addAction(tr("Save among my letters"), lambda: self.keeping.save_mine())
        save = menu.addAction(tr("Save to project…"), self.save)
        save.setEnabled(self._can_save())
        if self.project is None:
            save.setText(tr("Save to project… (no project is open)"))
        menu.addSeparator()
        for words, tracked in (
            (tr("Save as Word, with changes and comments…"), True),
            (tr("Save as Word, clean…"), False),
        ):
            as_word = menu.addAction(words, lambda tracked=tracked: self.export.save_word(tracked=tracked))
            as_word.setEnabled(self._can_report())
        menu.addAction(tr("Copy the letter’s text"), self.export.copy_text)
        menu.addAction(tr("Ask a language model…"), self.ask_model).setEnabled(self.review.check.is_current)
        menu.addAction(tr("House list…"), self.open_house_list)
        menu.addAction(tr("Reference letters…"), self.open_references)
        menu.addSeparator()
        menu.addAction(tr("Check another letter…"), self.choose_file)
        menu.addAction(tr("A pile of letters…"), lambda: self.open_pile())
        menu.addAction(tr("Close the letter"), self.close_letter)
        self.menu = open_below(menu, self.heading.menu)

    def _is_shown(self) -> bool:
        board = self.review.made_board
        return self.built and board is not None and self.pages.currentWidget() is board

    def _can_save(self) -> bool:
        """Return whether a save is possible; it waits for the reading of recent edits."""
        return self._is_shown() and self.project is not None and not self.project.read_only

    def _can_report(self) -> bool:
        """Return whether a letter can be written; where somebody has just typed, its reading comes first."""
        return self._is_shown() and self.review.check.checked is not None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.review.made_board is not None:
            self._fit(self.review.made_board)

    def _fit(self, board: LetterBoard) -> None:
        board.set_narrow(self.width() < theme.current().px(LetterBoard.BESIDE_FROM))
