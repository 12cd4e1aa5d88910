"""The heading of a letter: its title, badge and buttons, and the row above one of a pile."""

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from biasprint.core.letters.kinds import KINDS
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop.operations.letters import Checked
from biasprint.desktop.panels.base import Header
from biasprint.desktop.panels.letters.compared import letter_title, stand_ins
from biasprint.desktop.panels.letters.review import LetterReview
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
        self.badge.setToolTip(safe_tip(named))
        self.badge.setAccessibleName(safe_line(f"{self.badge.text()}: {named}"))
        self.badge.setVisible(bool(uses) and not checked.reading.stopped)


NEXT, PREVIOUS, BACK = "Ctrl+PgDown", "Ctrl+PgUp", "Alt+Left"  # keys, in a letter of a pile


class PileSteps(QWidget):
    """The row above a letter of a pile: back to the table, the letters beside it, and its place among them."""

    left = Signal()
    stepped = Signal(int)  # 1 to the next letter, -1 to the one before

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.back = LinkButton(tr("Back to the pile"), icon="back")
        self.previous = QuietButton(tr("Previous"), icon="chevron-left")
        self.next = QuietButton(tr("Next"), icon="chevron-right")
        self.place = ElidedLabel("", "note")
        for button, words, key in (
            (self.back, tr("Back to the table of letters"), BACK),
            (self.previous, tr("The letter before this one in the table"), PREVIOUS),
            (self.next, tr("The letter after this one in the table"), NEXT),
        ):
            button.setToolTip(safe_tip(f"{words} ({key})"))
        row = in_row(inside=self, spacing=8, margins=0)
        for widget in (self.back, self.previous, self.next):
            row.addWidget(widget)
        row.addWidget(self.place, 1)
        self.back.clicked.connect(self.left)
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))

    def show_place(self, at: int, count: int, file: str) -> None:
        """Show the place, counted from 0, of a letter among so many; −1 for one that the table's filter hides."""
        self.previous.setEnabled(at > 0)
        self.next.setEnabled(0 <= at < count - 1)
        words = tr("Letter {n} of {count}: {file}") if at >= 0 else tr("{file}, which the table's filter hides")
        self.place.set_text(safe_line(words.format(n=number(at + 1), count=number(count), file=file)))
