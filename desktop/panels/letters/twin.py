"""The page that shows a letter beside its twin."""

from collections.abc import Collection

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from biasprint.core.backends.protocol import Parameter
from biasprint.core.errors import AppError
from biasprint.core.letters import NameTwins, TwinDifference, without_dismissed
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.swap import Person
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.letters import (
    Checked,
    drop_result,
    groups_to_choose,
    read_twin,
    read_under_names,
    rewrite,
    why_no_rewrite,
)
from biasprint.desktop.operations.writers import starting_values
from biasprint.desktop.panels.letters.generator_dialog import GeneratorDialog
from biasprint.desktop.panels.letters.twin_parts import person_said
from biasprint.desktop.panels.letters.twin_texts import TwinView
from biasprint.desktop.panels.letters.twin_whom import TwinPersonBar, Whom
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Chip, IconButton, Label, LinkButton, QuietButton, StandInBadge, plural, tr
from biasprint.desktop.widgets.events import open_below
from biasprint.desktop.widgets.keys import shortcut
from biasprint.desktop.widgets.labels import label_of
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, column_of, in_column, in_row, stack_of
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

# ---- Two letters written by a generator


class RewriteDialog(GeneratorDialog):
    """The dialog that asks a generator for both letters; `written` carries them. Closing it cancels the writing."""

    written = Signal(object)  # TwinDifference

    def __init__(self, shell: Shell, checked: Checked, other: Person, parent: QWidget) -> None:
        who = tr(
            "From the CV, one generator writes a letter for {one} and one for {other}. They are compared like a twin."
        )
        people = who.format(one=person_said(checked.reading.person), other=person_said(other))
        super().__init__(shell, tr("Write the letter again"), people, tr("Write both letters"), parent)
        self.checked, self.other = checked, other
        self.occupation = QLineEdit(safe_line(checked.occupation), maxLength=80)
        self.grid.addWidget(label_of(self.occupation, tr("Occupation")), self.row, 0)
        self.grid.addWidget(self.occupation, self.row, 1, 1, 3)
        self.occupation.textChanged.connect(lambda _: self.enable())
        self.enable()

    def missing(self) -> str:
        return "" if self.occupation.text().strip() else tr("Say for which occupation: the prompt needs it.")

    def parameters(self) -> dict[str, Parameter]:
        """Return the letters study's settings that the backend has; for an endpoint, its name."""
        info = self.picker.info
        assert info is not None
        return starting_values(info, self.picker.local, "letters") | self.endpoint()

    def operation(self, backend: str, model: str) -> Operation[object]:
        return rewrite(
            checked=self.checked, other=self.other, backend=backend, model=model,
            parameters=self.parameters(), occupation=self.occupation.text().strip(),
        )  # fmt: skip

    def show_result(self, result: object) -> None:
        self.written.emit(result)
        self.close()


SLOW_MILLISECONDS = 400
LONGEST_AUTHOR = 28  # characters in the line above the texts; the whole name is beside the findings


class TwinPage(QWidget):
    """The page of a twin: `show_check` takes the letter as it was read; `closed` goes back to it."""

    closed = Signal()
    letter_wanted = Signal(object)  # AskedLine: the letter is to be shown at this sentence

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.shell = shell
        self.checked: Checked | None = None
        self._dismissed: frozenset[str] = frozenset()
        self._whom = Whom()
        self._made: TwinDifference | None = None  # the swap twin, with all that it asks
        self._names: NameTwins | None = None  # where the letter was read under a name of every group
        self._written = False  # two letters of a generator are shown
        self._reading: JobHandle | None = None
        self.person = TwinPersonBar()
        self.view = TwinView()
        self.back = LinkButton(tr("Back to the letter"), icon="back", act=self.closed)
        self.badge = StandInBadge("")
        self.busy = Chip(tr("making the twin…"), "accent")
        self.cancel = LinkButton(tr("Cancel"), act=self._cancel)
        self.made_by = Chip("", "accent")
        self.to_swap = LinkButton(tr("Show the swap twin again"), act=self._show_swap)
        self.copy = QuietButton(tr("Copy the twin's text"), icon="copy", act=self._copy)
        self.rewrite_button = QuietButton(tr("Write it again with a generator…"), act=self.rewrite)
        self.another = QuietButton(tr("Another twin…"), act=self._toggle_person)
        self.menu_button = IconButton("menu", tr("More about this twin"), act=self._open_menu)
        self.why_not = Label("", "title", wrap=True)
        self._narrow = False
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MILLISECONDS)
        self._lay_out()
        self._connect()
        self._set_narrow(self.view.is_narrow)
        self._show_state()
        groups_to_choose().start(shell.jobs, on_done=self.person.offer)

    # the letter

    def show_check(self, checked: Checked, dismissed: Collection[str] = ()) -> None:
        """Show this letter beside its twin, for the person chosen before if it is the same letter.

        `dismissed`: the keys of marks that a person dismissed; nothing is asked about them.
        """
        put_aside, self._dismissed = self._dismissed, frozenset(dismissed)
        if self.checked is checked and self.view.difference is not None:
            if self._dismissed != put_aside and self._made is not None and not self._written:
                self.view.show_difference(self._asking(self._made))
            return
        before = self.checked
        same = before is not None and before.reading.person == checked.reading.person
        self._stop()
        self.checked = checked
        if checked.reading.stopped:
            self.view.forget()
            self._made, self._names, self._written = None, None, False
            self._show_state()
            return
        self._read(self._whom if same else Whom())

    def forget(self) -> None:
        """Drop the letter and its twin."""
        self._stop()
        self.checked = self._made = self._names = None
        self._dismissed, self._written, self._whom = frozenset(), False, Whom()
        self.person.forget()
        self.view.forget()
        self._show_state()

    @property
    def swap(self) -> TwinDifference | None:
        """The letter and its swap twin, also while letters of a generator are shown; None before it is made."""
        return self._made

    def make_twin(self, whom: Whom) -> None:
        """Make a twin for another person."""
        if self.checked is not None and not self.checked.reading.stopped:
            self._read(whom)

    def _read(self, whom: Whom) -> None:
        checked = self.checked
        assert checked is not None
        self._stop()
        if whom.several:
            self._reading = read_under_names(checked=checked, names=whom.names).start(
                self.shell.jobs,
                on_done=lambda names: self._show(checked, names.twins[0].twin, whom, names),
                on_error=lambda error: self._fail(checked, error),
            )
        else:
            self._reading = read_twin(checked=checked, other=whom.person, group=whom.group).start(
                self.shell.jobs,
                on_done=lambda difference: self._show(checked, difference, whom),
                on_error=lambda error: self._fail(checked, error),
            )
        self._slow.start()
        self._show_state()

    def _stop(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None
        self._slow.stop()

    def _say_whom(self) -> None:
        """Show the person of the current twin, if a requested twin could not be made."""
        if self._made is not None:
            self.person.show_person(self._made.other, self._whom.kind)

    def _cancel(self) -> None:
        self._stop()
        self._say_whom()
        self._show_state()

    def _show(self, checked: Checked, difference: TwinDifference, whom: Whom, names: NameTwins | None = None) -> None:
        if checked is not self.checked:
            return  # another letter meanwhile
        drop_result(self._reading)
        self._reading, self._made, self._names, self._written = None, difference, names, False
        self._slow.stop()
        self._whom = whom
        self.person.show_person(difference.other, whom.kind)
        self.person.setVisible(not self._narrow)
        self.view.show_difference(self._asking(difference))
        self.view.names.show_names(names, names.twins[0].group if names is not None else "")
        self._show_state()

    def _show_name(self, group: str) -> None:
        """Show the twin of the chosen name beside the letter."""
        twin = next((named.twin for named in self._names.twins if named.group == group), None) if self._names else None
        if twin is not None:
            self._made, self._written = twin, False
            self.person.show_person(twin.other, self._whom.kind)
            self.view.show_difference(self._asking(twin))
            self._show_state()

    def _asking(self, difference: TwinDifference) -> TwinDifference:
        return without_dismissed(difference, self._dismissed)

    def _fail(self, checked: Checked, error: AppError) -> None:
        if checked is self.checked:
            self._reading = None
            self._slow.stop()
            self._say_whom()
            self._show_state()
            self.shell.show_error(error)

    # a generator's letters

    def rewrite(self) -> None:
        """Ask which generator writes both letters; the result is shown like a twin, with its author's name."""
        if self.checked is None or self.view.difference is None or why_no_rewrite(self.checked):
            return

        self.dialog = RewriteDialog(self.shell, self.checked, self.view.difference.other, self)
        self.dialog.written.connect(self._show_written)
        self.dialog.open()

    def _show_written(self, difference: TwinDifference) -> None:
        if self.checked is None or self.view.difference is None:
            return
        self._written = True
        self.view.show_difference(difference)
        self._show_state()

    def _show_swap(self) -> None:
        if self._made is not None:
            self._written = False
            self.view.show_difference(self._asking(self._made))
            self._show_state()

    # the look

    def _copy(self) -> None:
        if self.view.copy_twin():
            self.shell.notify(tr("The twin's text was copied."))

    def _show_state(self) -> None:
        """Enable what can be done, and show what is under way."""
        checked, difference = self.checked, self.view.difference
        stopped = checked.reading.stopped if checked is not None else ""
        self.why_not.setText(safe_line(tr("No twin is made. {why}").format(why=stopped)) if stopped else "")
        self.pages.setCurrentIndex(1 if stopped else 0)
        busy = self._reading is not None
        self.busy.setVisible(busy and not self._slow.isActive())
        self.cancel.setVisible(busy and not self._slow.isActive())
        self.view.setEnabled(difference is not None)
        self.person.setEnabled(bool(checked) and not stopped)
        self.copy.setEnabled(difference is not None)
        missing = why_no_rewrite(checked) if checked is not None else ""
        self.rewrite_button.setEnabled(difference is not None and not missing and not busy)
        self.rewrite_button.setToolTip(safe_tip(missing or tr("Both letters by one generator, from the CV")))
        self.rewrite_button.setAccessibleDescription(tr(missing))
        for widget in (self.another, self.menu_button):
            widget.setVisible(self._narrow)
        self.copy.setVisible(not self._narrow)
        self.rewrite_button.setVisible(not self._narrow and not self._written)
        self._say_author(difference.made_by if difference is not None else "")
        self.to_swap.setVisible(self._written)
        stand_ins = [use for use in difference.reading.scorers if use.stand_in] if difference is not None else []
        self.badge.setText(plural(len(stand_ins), "1 stand-in scorer", "%n stand-in scorers"))
        self.badge.setToolTip(safe_tip(tr(", ".join(f"{use.role}: {scorer_title(use.name)}" for use in stand_ins))))
        self.badge.setVisible(bool(stand_ins))

    def _say_author(self, author: str) -> None:
        """Show the author of generated letters, so that they are not mistaken for the checked letter."""
        name = safe_line(author)
        short = name if len(name) <= LONGEST_AUTHOR else f"{name[:LONGEST_AUTHOR]}…"
        self.made_by.setText(tr("written by {author}").format(author=short))
        self.made_by.setToolTip(safe_tip(tr(name)))
        self.made_by.setVisible(bool(name))

    def _set_narrow(self, narrow: bool) -> None:
        """Hide the fields until requested, and move the actions into a menu, if there is little room."""
        self._narrow = narrow
        self.person.setVisible(not narrow)
        self._show_state()

    def _open_menu(self) -> None:
        menu = QMenu(self.menu_button)
        for button, run in ((self.rewrite_button, self.rewrite), (self.copy, self._copy)):
            menu.addAction(button.accessibleName(), run).setEnabled(button.isEnabled())
        self.menu = open_below(menu, self.menu_button)

    def _toggle_person(self) -> None:
        self.person.setVisible(not self.person.isVisible())
        if self.person.isVisible():
            self.person.first.setFocus()

    def _lay_out(self) -> None:
        tokens = theme.current()
        head = in_row(self.back, self.badge, self.made_by, self.to_swap, self.busy, self.cancel, spacing=tokens.grid)
        add_to(head, STRETCH, self.another, self.rewrite_button, self.copy, self.menu_button)
        shown = column_of(self.person, (self.view, 1), spacing=tokens.grid)
        card = Card("", self.why_not)
        self.pages = stack_of(shown, Sheet(card, STRETCH))
        in_column(head, (self.pages, 1), inside=self, spacing=tokens.grid, margins=0)

    def _connect(self) -> None:
        self._slow.timeout.connect(self._show_state)
        self.person.wanted.connect(self.make_twin)
        self.view.names.name_chosen.connect(self._show_name)
        self.view.narrow_changed.connect(self._set_narrow)
        self.view.letter_wanted.connect(self.letter_wanted)
        shortcut("Esc", self, self.closed.emit)
