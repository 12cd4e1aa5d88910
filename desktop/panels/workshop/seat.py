"""One participant's place in a workshop: judging, the end, the picture.

It is destroyed as a whole: no answer, note or fingerprint is held anywhere else, and the next person gets a new one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import SessionProgress, SessionView, StartInfo
from biasprint.core.judging.session import JudgingSession, offer_plans
from biasprint.core.judging.workshop import participant_code
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.panels.base import Header
from biasprint.desktop.panels.judge.control import JudgeControl
from biasprint.desktop.panels.judge.views import UnreadWord
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.panels.workshop.participant import Copied, PicturePage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Chip, Label, PrimaryButton, ProgressThin, QuietButton, number, plural, tr
from biasprint.desktop.widgets.keys import ENTER, is_fresh
from biasprint.desktop.widgets.layout import STRETCH, in_column, in_row
from biasprint.desktop.widgets.notice import error_notice

if TYPE_CHECKING:
    from biasprint.desktop.jobs import JobHandle
    from biasprint.desktop.operations import Operation
    from biasprint.desktop.operations.fingerprint import Keeper

WIDTH = 560
BACK_KEYS = (Qt.Key.Key_B, Qt.Key.Key_Backspace)


class FinishPage(QWidget):
    """The page after the last question; `wanted` asks to lock the answers."""

    wanted = Signal()
    back = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        tokens = theme.current()
        self.counts = Label("", "reading", wrap=True)
        self.see = PrimaryButton(tr("See my picture"))
        self.go_back = QuietButton(tr("Back to the last one"), key="B")
        card = Card(tr("That was the last one"))
        card.setMaximumWidth(tokens.px(WIDTH))
        card.set_padding(tokens.px(32))
        card.box.addWidget(self.counts)
        card.box.addWidget(
            Label(
                tr("Your picture is drawn now. From then on the answers can no longer be changed."), "soft", wrap=True
            )
        )
        card.box.addSpacing(tokens.grid)
        row = in_row(self.see, self.go_back, STRETCH)
        card.box.addLayout(row)
        across = QHBoxLayout()
        across.addWidget(card, 1)
        box = in_column(STRETCH, across, inside=self, margins=0)
        box.addStretch(2)
        self.see.clicked.connect(self._want)
        self.go_back.clicked.connect(self.back)

    def show_progress(self, progress: SessionProgress) -> None:
        words = plural(progress.done, "You answered %n comparison.", "You answered %n comparisons.")
        if progress.skipped:
            words += " " + plural(progress.skipped, "You skipped %n.", "You skipped %n.")
        self.counts.setText(words)
        self.see.setEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        acts = {**dict.fromkeys(ENTER, self._want), **dict.fromkeys(BACK_KEYS, self.back.emit)}
        act = acts.get(Qt.Key(event.key()))
        if act is None:
            super().keyPressEvent(event)
        elif is_fresh(event):
            act()

    def _want(self) -> None:
        if self.see.isEnabled():
            self.see.setEnabled(False)
            self.wanted.emit()


ROOMY_HEADER = 860  # pixels of text room from which the header has place for all of it


class Seat(QWidget):
    """One person's pages. `left`: the next person can start; `refused` (an AppError): the seat could not be opened."""

    left = Signal()
    refused = Signal(object)
    opened = Signal()

    def __init__(self, shell: Shell, keeper: "Keeper") -> None:
        super().__init__()

        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._shell, self._keeper = shell, keeper
        self._code = participant_code()
        self._consent = False
        self._jobs: list[JobHandle] = []
        self._copied = Copied(self)
        self.work = WorkPage(shell.settings.keys())
        self.control = JudgeControl(self.work, self)
        self.finish = FinishPage()
        self.picture = PicturePage(shell)
        self.pages = QStackedWidget()
        for page in (self.work, self.finish, self.picture):
            self.pages.addWidget(page)
        self._lay_out()
        self._connect()
        self._show_page(self.work)

    # its life

    def begin(self, *, consent: bool) -> None:
        """Open the comparisons for a new person."""
        self._consent = consent
        self._ask(self._keeper.seat(self._code), self._sit_down, self.refused.emit)

    def close_up(self) -> None:
        """Drop every answer after the person has left, and end the judging thread."""
        for handle in self._jobs:
            handle.cancel()
        self.work.flush_note()
        self.control.close()
        self.work.forget()
        self.picture.forget()
        self._copied.clear()
        self._shell.set_saved("")
        self._shell.set_status("")

    @property
    def judging(self) -> bool:
        """True if answers would be left uncounted if the person left now."""
        return self.control.in_session

    def ask_to_start_over(self) -> None:
        Question(
            self.window(),
            title=tr("Start over for the next person?"),
            text=tr("The answers so far are left uncounted, and nobody can go on from here."),
            safe=tr("Keep rating"),
            risky=tr("Start over"),
            on_risky=self.left.emit,
        ).open()

    # what the judging thread says

    def _sit_down(self, session: JudgingSession) -> None:
        self.control.take(session)
        self.control.ask_offers(offer_plans, self._code)

    def _show_start(self, info: StartInfo) -> None:
        if self.control.in_session or not info.offers:
            return
        self.control.open(info.offers[0], self._code, self._consent)

    def _show(self, view: SessionView) -> None:
        first = not self.isVisible()
        if view.comparison is None:
            self.finish.show_progress(view.progress)
            self._show_page(self.finish)
        else:
            self.work.show_view(view)
            self.header.set_title(view.comparison.title)
            self._show_page(self.work)
        if first:
            self._shell.set_saved("saved")
            self.opened.emit()
            (self.work if view.comparison is not None else self.finish).setFocus()

    def _show_progress(self, progress: SessionProgress) -> None:
        answered = progress.done + progress.skipped
        self.count.setText(tr("{done} of {total}").format(done=number(answered), total=number(progress.total)))
        self.bar.set_progress(answered, progress.total)

    def _draw_picture(self, _revelation: object) -> None:
        """Show the picture of the locked session. It contains the reveal, which is not kept separately."""
        self._show_page(self.picture)
        self.picture.show_waiting()
        self._ask(self._keeper.fingerprint(self._code), self.picture.show_fingerprint, self.picture.show_failure)

    def _fail(self, error: AppError) -> None:
        if not self.control.in_session:
            self.refused.emit(error)
            return
        self.work.set_answer(self.control.view.answer if self.control.view else None)
        self.finish.see.setEnabled(True)
        self._body.insertWidget(0, error_notice(error))

    # inside

    def _ask(
        self, operation: "Operation[Any]", then: Callable[[Any], object], otherwise: Callable[[AppError], object]
    ) -> None:
        self._jobs.append(operation.start(self._shell.jobs, on_done=then, on_error=otherwise))

    def _show_page(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        if page is not self.work:
            self.header.set_title(tr("The end") if page is self.finish else tr("Your fingerprint"))
        self._fit_header()
        self.setFocusProxy(page)  # a click in the header leaves the keys where they are
        if not self.work.note.hasFocus():
            page.setFocus()

    def _fit_header(self) -> None:
        """Keep the title of the comparison readable; the rest of the header gives way."""
        judging = self.pages.currentWidget() is not self.picture
        roomy = self.width() / theme.current().scale > ROOMY_HEADER
        for widget in (self.hidden, self.bar):
            widget.setVisible(judging and roomy)
        self.count.setVisible(judging)
        self.start_over.setVisible(judging)
        self.start_over.set_text(tr("Start over for the next person") if roomy else tr("Start over…"))
        if judging:
            self.picture.view.chip.hide()  # later the view shows it, where there is room
        for button in (self.picture.save, self.picture.paper, self.picture.done):
            button.setVisible(not judging)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_header()

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.header = Header("")
        self.hidden = Chip(tr("identities hidden until the end"))
        self.count = Label("", "note")
        self.bar = ProgressThin(tr("Answered or skipped"))
        self.bar.setFixedWidth(tokens.px(160))
        self.start_over = QuietButton("")
        self.start_over.setToolTip(tr("The answers so far are left uncounted, and the next person starts"))
        for chip in (self.hidden, self.picture.view.chip):
            self.header.add_chip(chip)
        for widget in (self.count, self.bar, self.start_over, self.picture.save, self.picture.paper, self.picture.done):
            self.header.add_action(widget)
        self._body = QVBoxLayout()
        self._body.setContentsMargins(tokens.margin, 20, tokens.margin, 20)
        self._body.setSpacing(tokens.gap)
        self._body.addWidget(self.pages, 1)
        box = in_column(self.header, inside=self, spacing=0, margins=0)
        box.addLayout(self._body, 1)

    def _connect(self) -> None:
        self.work.markdown.setChecked(bool(self._shell.settings.get("markdown")))
        self.control.started_with.connect(self._show_start)
        self.control.shown.connect(self._show)
        self.control.shown.connect(UnreadWord(self._body, self._shell.settings, self).show_view)
        self.control.progressed.connect(self._show_progress)
        self.control.revealed.connect(self._draw_picture)
        self.control.saved.connect(lambda state: self._shell.set_saved(state))
        self.control.failed.connect(self._fail)
        self.finish.wanted.connect(lambda: self.control.reveal(False))
        self.finish.back.connect(self.control.back)
        self.picture.left.connect(self.left)
        self.start_over.clicked.connect(self.ask_to_start_over)
