"""The page for many letters at once: their table, and what is done with all of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from biasprint.core.errors import AppError
from biasprint.core.letters import KeptLetter
from biasprint.core.letters.kinds import ENDINGS
from biasprint.core.letters.pile import FilePlace, Pile, PileRow, groups
from biasprint.core.letters.pile.kept import KeptPile, PileEntry, PileFolder, PileWork
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import drop_result
from biasprint.desktop.panels.letters.pile.keeper import (
    KEEP_DRAFTS,
    PileKeeper,
    PileLetter,
    PileStartPage,
    find_kept,
    open_kept_pile,
)
from biasprint.desktop.panels.letters.pile.view import PileView
from biasprint.desktop.panels.letters.references import LettersProgress, ReferenceDialog
from biasprint.desktop.panels.letters.start import ask_letter, in_folder, spelled
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import ElidedLabel, IconButton, LinkButton, QuietButton, StandInBadge, plural, tr
from biasprint.desktop.widgets.events import CardDrop, open_below
from biasprint.desktop.widgets.layout import STRETCH, Room, add_to, column_of, in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip

LEAST_HEIGHT = 320  # text pixels
BUTTONS_FROM = 900  # text pixels of width; with less, what can be done is in the menu


class PilePage(QWidget):
    """The page of a pile: `show_pile` takes a folder, a zip or several files; `closed` goes back to the letter."""

    closed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.shell = shell
        self.paths: tuple[Path, ...] = ()
        self._reading: JobHandle | None = None
        self._comparing: JobHandle | None = None
        self._opening: JobHandle | None = None
        self._adding: JobHandle | None = None  # CVs or outcomes to rows that are there
        self._narrow = False
        self.opened = ""  # the path in the pile of the letter that was opened last
        self.keeper = PileKeeper(shell, self._work, self)
        self.start, self.view = PileStartPage(), PileView()
        self.progress = LettersProgress(tr("How much of the pile is read"))
        self.back = LinkButton(tr("Back"), icon="back", act=self.closed)
        self.name, self.badge = ElidedLabel("", "heading"), StandInBadge("")
        self.other = QuietButton(tr("Another pile…"), act=self._choose_other)
        self.menu_button = IconButton("menu", tr("More about this pile"), act=self._open_menu)
        self.report_button = QuietButton(tr("Report for all…"), icon="export", act=self.report)
        self.cvs = QuietButton(tr("CVs…"), act=self.choose_cvs)
        self.cvs.setToolTip(tr("A folder of CVs: each goes with the letters whose file names fit"))
        self.export_button = QuietButton(tr("Export the table…"), icon="export", act=self.export)
        self._lay_out()
        self._connect()
        self._show_state()

    # the pile

    def show_pile(self, paths: Sequence[Path] = ()) -> None:
        """Read these paths, or go on with what was done to them; without any, show the current pile or ask for one."""
        if not paths:
            self._show_state()
            return
        wanted = tuple(path.absolute() for path in paths)
        find_kept(paths=wanted).start(
            self.shell.jobs, on_done=partial(self._ask_to_go_on, wanted), on_error=lambda _: self.read_pile(wanted)
        )

    def _ask_to_go_on(self, paths: tuple[Path, ...], entry: PileEntry | None) -> None:
        """Ask whether to go on with a pile that was worked on before."""
        if entry is None:
            self.read_pile(paths)
            return
        worked = plural(entry.letters, "You worked on 1 letter of it", "You worked on %n letters of it")
        text = tr("{worked}, the last time on {day}. That work stays, whichever you choose.")
        self.question = Question(
            self.window(),
            title=tr("Go on with “{name}”?").format(name=safe_line(entry.name)),
            text=text.format(worked=worked, day=spelled(entry.when)),
            safe=tr("Go on with it"),
            risky=tr("Read it again"),
            on_risky=partial(self.read_pile, paths),
        )
        self.question.rejected.connect(partial(self.show_kept, entry.key))
        self.question.open()

    def show_kept(self, key: str) -> None:
        """Show a pile as it was left."""
        if key == self.keeper.key:
            self._show_state()
            return

        def take(found: tuple[PileFolder, KeptPile]) -> None:
            folder, kept = found
            self._let_go()
            work = kept.work
            self.paths, pile = work.paths, work.pile
            self.view.start(dict(groups()), frozenset(work.stand_ins))
            self.view.resume(pile, work.by_hand)
            self.keeper.resume(folder, kept.letters)
            self._say_left_out(kept)
            self._show_badge()
            self._show_state()

        open_kept_pile(key=key).start(self.shell.jobs, on_done=take)

    def _say_left_out(self, kept: KeptPile) -> None:
        if kept.damaged:
            words = plural(kept.damaged, "1 kept letter of it cannot be read.", "%n kept letters of it cannot be read.")
            self.shell.notify(words)
        if not kept.work.whole:
            self.shell.notify(tr("Not every letter had been read: read the pile again for the others."))

    def read_pile(self, paths: Sequence[Path]) -> None:
        """Read these paths from the beginning."""
        self._let_go()
        self.paths = tuple(paths)
        paths_now = self.paths
        self._reading = letters.read_pile(paths=self.paths).start(
            self.shell.jobs,
            on_partial=partial(self._add, paths_now),
            on_done=partial(self._finish, paths_now),
            on_error=partial(self._fail, paths_now),
        )
        self._reading.changed.connect(self._ended)
        self.progress.follow(self._reading)
        self._show_state()

    def forget(self) -> None:
        """Drop the pile."""
        self._let_go()
        self._show_state()

    def _let_go(self) -> None:
        for handle in (self._reading, self._comparing, self._opening, self._adding):
            if handle is not None:
                handle.cancel()
        self._reading = self._comparing = self._opening = self._adding = None
        self.keeper.leave()
        self.paths, self.opened = (), ""
        self.progress.follow(None)
        self.view.forget()
        self.start.show_trouble("")
        self.badge.hide()

    def _add(self, paths: tuple[Path, ...], found: Sequence[Any]) -> None:
        if paths is not self.paths:
            return  # another pile meanwhile
        for item in found:
            if isinstance(item, letters.PileStart):
                self.view.start(dict(item.groups), item.stand_ins)
        self.view.add_rows([item for item in found if isinstance(item, PileRow)])
        self._show_badge()

    def _finish(self, paths: tuple[Path, ...], pile: Pile) -> None:
        if paths is self.paths:
            drop_result(self._reading)
            self._reading = None
            self.progress.follow(None)
            self.view.finish(pile)
            if self.keeper.has_work:
                self.keeper.note_table()  # now it is whole
            self._show_state()

    def _fail(self, paths: tuple[Path, ...], error: AppError) -> None:
        if paths is self.paths:
            self._let_go()
            self.start.show_trouble(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
            self._show_state()

    def _ended(self) -> None:
        """Keep the rows of a cancelled pile, or drop it if it has none."""
        if not self._is_cancelled(self._reading):
            return
        self._reading = None
        self.progress.follow(None)
        if self.view.rows:
            self.view.finish(None)
        else:
            self._let_go()
        self._show_state()

    # its groups, its letters, its table

    def _compare(self) -> None:
        if self._comparing is not None:
            self._comparing.cancel()
        rows, paths = self.view.rows, self.paths

        def show(result: Any) -> None:
            if paths is self.paths and rows == self.view.rows:
                self.view.show_tests(*result)

        compare = letters.compare_groups(rows=rows, columns=self.view.columns)
        self._comparing = compare.start(self.shell.jobs, on_done=show)

    def open_letter(self, row: PileRow) -> None:
        """Show one letter of the pile; for a file that could not be read, show why."""
        if not row.read and not row.figures:
            self.shell.show_error(AppError(row.reason, hint=row.hint))
            return
        if self._opening is not None:
            self._opening.cancel()
        opening = letters.open_letter(paths=self.paths, row=row, kept=self.keeper.letters.get(row.path_in_pile))
        self._opening = opening.start(self.shell.jobs, on_done=partial(self._hand_over, self.paths, row))

    def place(self) -> tuple[int, list[PileRow]]:
        """Return the place of the letter opened last among those that the table shows, and these; −1 for none."""
        rows = [row for row in self.view.table.shown if row.read]
        return next((at for at, row in enumerate(rows) if row.path_in_pile == self.opened), -1), rows

    def step(self, by: int) -> None:
        """Open the next letter of the table, or the previous one."""
        at, rows = self.place()
        if at < 0 or not 0 <= at + by < len(rows):
            self.shell.notify(tr("There is no further letter in the pile."))
            return
        self.open_letter(rows[at + by])

    def _hand_over(self, paths: tuple[Path, ...], row: PileRow, found: tuple[KeptLetter, str]) -> None:
        """Hand the letter to the panel, which may ask first; the place in the pile moves once it is shown."""
        drop_result(self._opening)
        self._opening = None
        letter, remark = found
        by_hand = self.view.table.by_hand(row)  # what was set right in the table holds for the letter
        letter = replace(
            letter,
            person=row.person if "person" in by_hand else letter.person,
            occupation=row.occupation if "occupation" in by_hand else letter.occupation,
        )
        if remark:
            self.shell.notify(safe_line(remark))
        shown = partial(self._move_to, paths, row.path_in_pile)
        place = PileLetter(self.keeper, row.path_in_pile, self.folder)
        self.shell.show_panel("letters", kept=letter, of_pile=place, shown=shown)

    def _read_row_again(self, path: str) -> None:
        """Read the row of a letter that was worked on and is left."""
        row = next((row for row in self.view.rows if row.path_in_pile == path), None)
        letter, paths = self.keeper.letters.get(path), self.paths
        if row is None or letter is None:
            return
        set_by_hand = ("person", "group") * (letter.person is not None) + ("occupation",) * (
            letter.occupation is not None
        )

        def take(again: PileRow) -> None:
            if paths is self.paths:
                self.view.table.replace_rows([again], by_hand=(*set_by_hand, "cv"))

        letters.read_row(row=row, letter=letter).start(self.shell.jobs, on_done=take)

    def _work(self) -> PileWork | None:
        if not self.paths:
            return None
        table = self.view.table
        by_hand = {path: tuple(sorted(columns)) for path, columns in table.corrected.items()}
        pile = self.view.pile(self.name_of_pile)
        return PileWork(pile, self.paths, by_hand, tuple(sorted(table.stand_ins)), self._reading is None)

    def _move_to(self, paths: tuple[Path, ...], path: str) -> None:
        """Note the letter as the opened one, and highlight its row in the table."""
        if paths is not self.paths:
            return  # another pile meanwhile
        self.opened = path
        self.view.list.highlight(path)

    # what is added to it: CVs, and who was chosen

    def choose_cvs(self) -> None:
        """Ask for a folder of CVs, which are matched by file name."""
        title = tr("A folder of CVs, named as the letters are")
        name = QFileDialog.getExistingDirectory(self, title, in_folder(self.folder))
        if name:
            kept = dict(self.keeper.letters)
            self._read_with(letters.read_with_cvs(paths=self.paths, rows=self.view.rows, cvs=Path(name), kept=kept))

    def choose_cv(self, rows: Sequence[PileRow]) -> None:
        """Ask for one CV for these letters."""
        path = ask_letter(self, tr("Choose the CV"), self.folder)
        if path is not None:
            self._hold_against(rows, FilePlace(path))

    def take_cv_away(self, rows: Sequence[PileRow]) -> None:
        self._hold_against(rows, None)

    def _hold_against(self, rows: Sequence[PileRow], cv: FilePlace | None) -> None:
        chosen = {row.path_in_pile: cv for row in rows if row.read}
        kept = dict(self.keeper.letters)
        self._read_with(letters.read_with_cvs(paths=self.paths, rows=rows, chosen=chosen, kept=kept))

    def _read_with(self, operation: Operation[Pile]) -> None:
        paths = self.paths

        def take(pile: Pile) -> None:
            if paths is self.paths:
                drop_result(self._adding)
                self.view.take_cvs(pile)
                for row in pile.rows:  # the CV of the table is the letter's from now on
                    letter = self.keeper.letters.get(row.path_in_pile)
                    if letter is not None:
                        self.keeper.take_letter(row.path_in_pile, replace(letter, context=None))

        self._add_by(operation, take)

    def choose_outcomes(self) -> None:
        """Ask for a table of who was chosen."""
        kinds = " ".join(f"*.{ending}" for ending in ("csv", "tsv", "xlsx", "jsonl", "parquet"))
        start = in_folder(self.folder)
        name, _ = QFileDialog.getOpenFileName(self, tr("Who was chosen"), start, f"{tr('Tables')} ({kinds})")
        paths, rows = self.paths, self.view.rows

        def take(outcomes: tuple[tuple[PileRow, ...], tuple[str, ...]]) -> None:
            if paths is self.paths:
                self.view.take_outcomes(*outcomes)

        if name:
            self._add_by(letters.join_outcomes(path=Path(name), rows=rows), take)

    def _add_by(self, operation: Operation[Any], take: Callable[[Any], None]) -> None:
        """Run one operation at a time, because each starts from the current rows."""

        def over() -> None:
            self._adding = None
            self.progress.follow(None)
            self._show_state()

        def done(result: Any) -> None:
            take(result)
            over()

        def fail(error: AppError) -> None:
            over()
            self.shell.show_error(error)

        self._adding = operation.start(self.shell.jobs, on_done=done, on_error=fail)
        self._adding.changed.connect(lambda: over() if self._is_cancelled(self._adding) else None)
        self.progress.follow(self._adding)
        self._show_state()

    @staticmethod
    def _is_cancelled(handle: JobHandle | None) -> bool:
        return handle is not None and handle.state is JobState.CANCELLED

    def export(self) -> None:
        """Write the rows that are shown to a file that a person names."""
        kinds = f"{tr('Excel workbook')} (*.xlsx);;{tr('Comma-separated values')} (*.csv)"
        start = in_folder(self.folder, tr("Letters.xlsx"))
        name, kind = QFileDialog.getSaveFileName(self, tr("Export the table"), start, kinds)
        if name:
            ending = ".csv" if "csv" in kind else ".xlsx"
            path = Path(name) if Path(name).suffix else Path(f"{name}{ending}")
            rows, columns = self.view.export()
            letters.export_table(path=path, rows=rows, columns=columns).start(self.shell.jobs)

    def report(self) -> None:
        """Write the report of all letters with their current rows."""
        if self.view.compared is None:
            self.shell.notify(tr("The groups are still being compared: ask again in a moment."))
            return
        kinds = f"{tr('PDF')} (*.pdf);;{tr('Word document')} (*.docx)"
        start = in_folder(self.folder, tr("{name} (report).pdf").format(name=self.paths[0].stem))
        name, _ = QFileDialog.getSaveFileName(self, tr("Write the report for all letters"), start, kinds)
        if name:
            tests, rates = self.view.compared
            letters.report_pile(
                path=Path(name) if Path(name).suffix else Path(f"{name}.pdf"),
                paths=self.paths,
                pile=self.view.pile(self.name_of_pile),
                tests=tests,
                rates=rates,
                by_hand=self.view.table.count_by_hand,
                kept=dict(self.keeper.letters),
            ).start(self.shell.jobs)

    @property
    def folder(self) -> Path | None:
        """The folder beside the pile: nothing that is written there becomes one of its letters."""
        return self.paths[0].parent if self.paths else None

    @property
    def name_of_pile(self) -> str:
        """The name of the pile: its folder or zip, or how many files it has."""
        return self.paths[0].name if len(self.paths) == 1 else plural(len(self.paths), "", "%n files")

    def if_it_may_go(self, then: Callable[[], object]) -> None:
        """Go on, after a question if something that was done to the pile is not on disk."""
        if not self.keeper.at_risk:
            then()
            return
        self.question = Question(
            self.window(),
            title=tr("Let go of “{name}”?").format(name=as_given(self.name_of_pile)),
            text=tr("What you did to this pile is not saved. Save it, or let go of it for good."),
            safe=tr("Keep it open"),
            risky=tr("Let go of it"),
            on_risky=then,
            other=tr("Save the pile"),
            on_other=lambda: (self.save(), then()),
        )
        self.question.open()

    def save(self) -> None:
        """Keep the pile on this computer, whatever was done to it."""
        if self.paths:
            self.keeper.save()
            self.shell.notify(tr("“{name}” is kept on this computer.").format(name=as_given(self.name_of_pile)))

    # choosing a pile

    def choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("A folder of letters"))
        if name:
            self.if_it_may_go(lambda: self.show_pile([Path(name)]))

    def choose_files(self) -> None:
        endings = " ".join(f"*.{ending}" for ending in ("zip", *ENDINGS))
        names, _ = QFileDialog.getOpenFileNames(self, tr("A zip, or letters"), "", f"{tr('Letters')} ({endings})")
        if names:
            self.if_it_may_go(lambda: self.show_pile([Path(name) for name in names]))

    def _choose_other(self) -> None:
        """Offer to choose another pile; the current one stays until then."""
        menu = QMenu(self.other)
        menu.addAction(self.start.folder.text(), self.choose_folder)
        menu.addAction(self.start.files.text(), self.choose_files)
        self.menu = open_below(menu, self.other)

    def _open_menu(self) -> None:
        """Open the menu of actions without a button; in a narrow page, of all actions."""
        menu = QMenu(self.menu_button)
        if self._narrow:
            menu.addAction(self.start.folder.text(), self.choose_folder)
            menu.addAction(self.start.files.text(), self.choose_files)
            menu.addSeparator()
            for button in (self.cvs, self.report_button, self.export_button):
                menu.addAction(button.accessibleName(), button.click).setEnabled(button.isEnabled())
        menu.addAction(tr("Save the pile"), self.save)
        for words, step in (
            (tr("Outcomes from a table…"), self.choose_outcomes),
            (tr("Use as reference letters…"), self.use_as_reference),
        ):
            menu.addAction(words, step).setEnabled(self._ready)
        self.menu = open_below(menu, self.menu_button)

    def use_as_reference(self) -> None:
        """Save the figures of these letters as a reference set."""
        ReferenceDialog(self.window(), self.shell, self.view.pile(self.name_of_pile)).open()

    # the look

    def _show_badge(self) -> None:
        stand_ins = self.view.table.stand_ins & {name for row in self.view.table.rows[:50] for name in row.figures}
        self.badge.setText(plural(len(stand_ins), "1 stand-in scorer", "%n stand-in scorers"))
        self.badge.setToolTip(safe_tip(tr(", ".join(sorted(stand_ins)))))
        self.badge.setVisible(bool(stand_ins))

    def _show_state(self) -> None:
        has_pile = bool(self.paths)
        self.start.show_promise(keeps=bool(self.shell.settings.get(KEEP_DRAFTS)))
        self.pages.setCurrentIndex(int(has_pile))
        self._narrow = self.width() < theme.current().px(BUTTONS_FROM)
        self.name.set_text(self.name_of_pile if has_pile else "")
        for widget in (self.name, self.menu_button):
            widget.setVisible(has_pile)
        for button in (self.other, self.cvs, self.report_button, self.export_button):
            button.setVisible(has_pile and not self._narrow)
        ready = self._ready
        for button in (self.cvs, self.export_button, self.report_button, self.view.rates.add):
            button.setEnabled(ready)
        self.export_button.setToolTip("" if self._reading is None else tr("When every letter has been read"))

    @property
    def _ready(self) -> bool:
        """True if every letter was read, and nothing is being added to them."""
        return bool(self.paths) and self._reading is None and self._adding is None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._narrow != (self.width() < theme.current().px(BUTTONS_FROM)):
            self._show_state()

    def _lay_out(self) -> None:
        tokens = theme.current()
        head = in_row(self.back, self.name, self.badge, spacing=tokens.grid)
        add_to(head, STRETCH, self.other, self.cvs, self.report_button, self.export_button, self.menu_button)
        shown = column_of(self.progress, (Room(self.view, LEAST_HEIGHT), 1), spacing=tokens.grid)
        self.pages = stack_of(self.start, shown)
        in_column(head, (self.pages, 1), inside=self, spacing=tokens.grid, margins=0)

    def _connect(self) -> None:
        self.keeper.left.connect(self._read_row_again)
        self.view.table.edited.connect(self.keeper.note_table)
        self.start.folder_wanted.connect(self.choose_folder)
        self.start.files_wanted.connect(self.choose_files)
        self.view.opened.connect(self.open_letter)
        self.view.tests_wanted.connect(self._compare)
        self.view.rates.table_wanted.connect(self.choose_outcomes)
        self.view.list.cv_wanted.connect(self.choose_cv)
        self.view.list.cv_unwanted.connect(self.take_cv_away)
        CardDrop(self, self.start.card.set_chosen, lambda paths, _: self.if_it_may_go(lambda: self.show_pile(paths)))
