"""The two pages of a workshop's room: a participant's seat, and the group as the leader projects it."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.frame import draw_figure
from biasprint.core.errors import AppError
from biasprint.core.judging.blind import SessionProgress, SessionView, StartInfo
from biasprint.core.judging.fingerprint import OtherVoice
from biasprint.core.judging.session import JudgingSession, offer_plans
from biasprint.core.judging.workshop import participant_code
from biasprint.core.runs.fingerprint import GroupPicture
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import below
from biasprint.desktop.charts.live import chance_range, few_people
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.fingerprint import Keeper
from biasprint.desktop.panels.base import Header
from biasprint.desktop.panels.judge.control import JudgeControl
from biasprint.desktop.panels.judge.question import UnreadWord
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.panels.workshop.participant import Copied, PicturePage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Chip, Label, PrimaryButton, ProgressThin, QuietButton, number, plural, tr
from biasprint.desktop.widgets.keys import ENTER, is_fresh, key_as_read
from biasprint.desktop.widgets.layout import STRETCH, Gap, add_to, in_column, in_row, scaled, stack_of
from biasprint.desktop.widgets.notice import error_notice

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
        self.see = PrimaryButton(tr("See my picture"), act=self._want)
        self.go_back = QuietButton(tr("Back to the last one"), key="B", act=self.back)
        card = Card(tr("That was the last one"))
        scaled(card, card.setMaximumWidth, WIDTH)
        card.set_padding(tokens.px(32))
        add_to(
            card.box,
            self.counts,
            Label(
                tr("Your picture is drawn now. From then on the answers can no longer be changed."), "soft", wrap=True
            ),
            Gap(tokens.grid),
        )
        card.box.addLayout(in_row(self.see, self.go_back, STRETCH))
        in_column(STRETCH, in_row((card, 1)), 2, inside=self, margins=0)

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

    def __init__(self, shell: Shell, keeper: Keeper) -> None:
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
        self.pages = stack_of(self.work, self.finish, self.picture)
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
        self, operation: Operation[Any], then: Callable[[Any], object], otherwise: Callable[[AppError], object]
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
        scaled(self.bar, self.bar.setFixedWidth, 160)
        self.start_over = QuietButton("", act=self.ask_to_start_over)
        self.start_over.setToolTip(tr("The answers so far are left uncounted, and the next person starts"))
        for chip in (self.hidden, self.picture.view.chip):
            self.header.add_chip(chip)
        for widget in (self.count, self.bar, self.start_over, self.picture.save, self.picture.paper, self.picture.done):
            self.header.add_action(widget)
        self._body = in_column((self.pages, 1), spacing=tokens.gap, margins=(tokens.margin, 20, tokens.margin, 20))
        in_column(self.header, (self._body, 1), inside=self, spacing=0, margins=0)

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


# ---- The group on a projector, step by step: chance, what all chose, models beside them; never one person

CHANCE, GROUP, MODELS = range(3)
LAID_OUT = (900, 700, 560)  # widths to lay the figure out in; the screen shows the one that makes it largest
LARGEST = 2.0  # times its usual size: the words above it stay the larger ones
# The words give way to the figure: the least height of the page, in text pixels, for a size of theirs.
WORDS_BY_HEIGHT = ((600, "display"), (440, "title"), (0, "strong"))
FORWARD = {Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_PageDown}
BACK = {Qt.Key.Key_Left, Qt.Key.Key_Backspace, Qt.Key.Key_PageUp}


def steps_of(picture: GroupPicture) -> tuple[int, ...]:
    """Return the steps that have data."""
    return (CHANCE, GROUP, MODELS) if picture.models else (CHANCE, GROUP)


def figure_at(picture: GroupPicture, step: int) -> Figure:
    """Return the bars of a step, for each axis its own: no line joins axes that have nothing to do with each other."""
    group = picture.group
    assert group is not None
    if step == CHANCE:
        marks = _marks(group, tr("chance"), chance=True)
    else:
        marks = _marks(group, plural(group.people, "group of 1", "group of %n"))
        if step == MODELS:
            marks += [mark for model in picture.models for mark in _marks(model, model.title)]
    return Figure(
        key="workshop.group",
        study="creativity",
        title=tr("What all chose together"),
        subtitle="",
        kind="intervals" if step == CHANCE else "bars",
        marks=tuple(marks),
        unit=tr("times as often"),
        axis=tr("1: as often as by choosing blindly; 2: twice as often"),
        null=1.0,
        null_words=tr("choosing blindly"),
        n_title=tr("choices"),
        band_words=tr("where luck alone ends in 19 of 20 workshops"),
    )


def words_at(picture: GroupPicture, step: int) -> str:
    """Explain the step in a sentence or two, for everybody in the room."""
    group = picture.group
    assert group is not None
    if step == CHANCE:
        return tr(
            "Suppose nobody cared whom a text was written for. In 19 of 20 workshops the bars would still end "
            "somewhere on these lines. How long do you expect yours to be?"
        )
    if step == GROUP:
        words = plural(
            group.people,
            "What 1 person chose. The dashed line is what choosing blindly gives; a longer bar means more often.",
            "What %n people chose, added up. The dashed line is what choosing blindly gives; a longer bar means more "
            "often.",
        )
        others = tr(
            "Another group would get other bars: the black line shows how far a bar might move. If it crosses the "
            "dashed line, that bar may be luck."
        )
        return " ".join(filter(None, [words, others, few_people(group.people)]))
    return tr("What language models chose among the same texts, beside your group.")


def _marks(voice: OtherVoice, series: str, *, chance: bool = False) -> list[FigureMark]:
    shares = {
        (share.dims["axis"], share.label): share
        for share in voice.findings
        if (share.id, share.variant) == ("creativity.share", "default")
    }
    several = len(voice.axes) > 1
    marks = []
    for axis in voice.axes:
        for identity in axis.identities:
            finding = shares.get((axis.axis, identity.identity))
            if finding is None or identity.relative is None:
                continue
            k = len(axis.identities)
            low, high = None, None
            if chance:
                low, high = (k * share for share in chance_range(axis.n, 1 / k))
            elif identity.interval is not None:
                low, high = identity.interval.low, identity.interval.high
            section = axis.title if several else ""
            value = 1.0 if chance else identity.relative
            marks.append(FigureMark(finding, identity.label, series, section, value, low, high, n=axis.n, band=chance))
    return marks


class Poster(QWidget):
    """One figure, as large as the room allows."""

    def __init__(self) -> None:
        super().__init__()
        self.figure: Figure | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_figure(self, figure: Figure | None) -> None:
        self.figure = figure
        self.setAccessibleName(tr(figure.title if figure is not None else ""))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        figure = self.figure
        if figure is None:
            return
        tokens = theme.current()

        def draw(painter: QPainter | None, width: float) -> float:
            return below(painter, tokens, 0, width, lambda canvas: draw_figure(canvas, figure, titled=False))[0]

        scales = {
            width: min(LARGEST, self.width() / width, self.height() / max(1.0, draw(None, width))) for width in LAID_OUT
        }
        width = max(LAID_OUT, key=scales.__getitem__)
        scale = scales[width]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spare = self.height() - scale * draw(None, width)
        painter.translate((self.width() - scale * width) / 2, max(0.0, spare) / 3)
        painter.scale(scale, scale)
        draw(painter, width)
        painter.end()


class ProjectorPage(QWidget):
    """The full-screen pages of the group. Keys go forward and back; `left` is emitted at the end of the show."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("The group, for everybody"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._picture: GroupPicture | None = None
        self._steps: Sequence[int] = ()
        self._at = 0
        tokens = theme.current()
        self.poster = Poster()
        self.words = Label("", "display", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.back = QuietButton(tr("Back"), key="←", act=lambda: self._go(-1))
        self.forward = PrimaryButton(tr("Next"), key="→", act=lambda: self._go(1))
        self.close_button = QuietButton(tr("Done showing"), key="Esc", act=self.left)
        row = in_row(STRETCH, spacing=tokens.grid)
        for button in (self.back, self.forward, self.close_button):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are the page's
            row.addWidget(button)
        row.addStretch(1)
        in_column(self.words, (self.poster, 1), row, inside=self, spacing=tokens.gap, margins=tokens.margin)

    def show_picture(self, picture: GroupPicture) -> None:
        """Begin at the first step."""
        self._picture, self._steps, self._at = picture, steps_of(picture), 0
        self._show()

    def forget(self) -> None:
        self._picture, self._steps = None, ()
        self.words.setText("")
        self.poster.show_figure(None)

    @property
    def step(self) -> int:
        return self._steps[self._at]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        role = next(role for least, role in WORDS_BY_HEIGHT if self.height() >= theme.current().px(least))
        if role != self.words.property("role"):
            self.words.setProperty("role", role)
            self.words.style().unpolish(self.words)
            self.words.style().polish(self.words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif (key := key_as_read(event)) in (*FORWARD, *BACK):
            if is_fresh(event):
                self._go(1 if key in FORWARD else -1)
        else:
            super().keyPressEvent(event)

    def _go(self, way: int) -> None:
        self._at = min(max(self._at + way, 0), len(self._steps) - 1)
        self._show()

    def _show(self) -> None:
        if self._picture is None:
            return
        self.words.setText(words_at(self._picture, self.step))
        self.poster.show_figure(figure_at(self._picture, self.step))
        self.back.setEnabled(self._at > 0)
        self.forward.setEnabled(self._at < len(self._steps) - 1)
