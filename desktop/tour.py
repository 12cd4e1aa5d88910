"""The tour of three minutes: a bubble beside one real control after another, on a copy of the sample that goes with it.

While it lasts, keys and clicks reach the bubble alone. Whatever was open before is opened again at its end.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from biasprint.core.jobs import JobContext
from biasprint.desktop import theme
from biasprint.desktop.operations import Operation
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Label, PrimaryButton, QuietButton, announce, tr
from biasprint.desktop.widgets.frame import Rail
from biasprint.desktop.widgets.keys import is_fresh, key_as_read
from biasprint.desktop.widgets.layout import STRETCH, Gap, add_to, in_row

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.desktop.panels.base import Panel
    from biasprint.desktop.panels.charts import ChartsPanel
    from biasprint.desktop.panels.findings import FindingsPanel
    from biasprint.desktop.panels.fingerprint.panel import FingerprintPanel
    from biasprint.desktop.panels.home import HomePanel
    from biasprint.desktop.panels.judge.panel import JudgePanel
    from biasprint.desktop.panels.letters import LettersPanel


class TouringWindow(Shell, Protocol):
    """The parts of the window that the tour points at and hands back, besides what every panel may ask of it."""

    ground: QWidget
    rail: Rail
    panels: "Mapping[str, Panel]"
    tour: "Tour | None"


Spot = tuple[QWidget, QRect]  # a control, and the part of it that is meant

FOLLOW_MILLISECONDS = 50  # how often it is looked where the control is: panels fill themselves by and by
BUBBLE_WIDTH, ARROW, OUTSET, MARGIN = 380, 18, 6, 12
FIRST_LINES = 64  # pixels, of a question and its answer
SHADE = 88  # of 255, over everything but the control
KEYS_THAT_STAY = {"Ctrl++", "Ctrl+-", "Ctrl+Shift+0", "Ctrl+Q"}


@dataclass(frozen=True)
class Step:
    """One stop: the panel that is opened, what is said, and the control that is pointed at once it is there."""

    panel: str
    title: str
    text: str
    control: "Callable[[TouringWindow], Spot | None]"
    what: Mapping[str, str] = field(default_factory=dict)


def steps() -> tuple[Step, ...]:
    """Return the stops of the tour."""
    return (
        Step(
            "home",
            tr("Home: everything begins here"),
            tr(
                "Each door leads to one task and says what it still needs. This tour runs on the sample project, which "
                "has texts, judgments and findings already. Nothing you do here changes a project of yours."
            ),
            lambda window: _whole(cast("HomePanel", window.panels["home"]).rate.button),
        ),
        Step(
            "findings",
            tr("Findings: answers before numbers"),
            tr(
                "Every number stands under the question that it answers. The answer comes first, in words: how much, "
                "for whom, from how many texts, and how sure that is."
            ),
            _first_question,
        ),
        Step(
            "findings",
            tr("Behind every number are its texts"),
            tr(
                "A finding opens with its interval, the number of texts, and what chance alone would give. This button "
                "shows the very texts that were counted, so that you can read them yourself."
            ),
            _texts_button,
        ),
        Step(
            "charts",
            tr("Charts: watch while texts arrive"),
            tr(
                "The live board follows a run. Its bands narrow with every text, and they hold whenever you look. The "
                "other tabs show what was measured; a click on a mark leads to its texts."
            ),
            _live_tab,
            {"section": "live"},
        ),
        Step(
            "judge",
            tr("Judge: read without knowing for whom"),
            tr(
                "You compare texts by the keys 1, 2 and 3. For whom each was written stays hidden until the end, also "
                "from this window. Every answer is on the disk before the next comparison appears."
            ),
            lambda window: _whole(cast("JudgePanel", window.panels["judge"]).start.start),
        ),
        Step(
            "letters",
            tr("Letters: a second look at a reference"),
            tr(
                "Drop a letter here, or paste it. You see which words to look at again, and why; with a CV beside it, "
                "which claims it does not carry. The letter stays on this computer."
            ),
            lambda window: _whole(cast("LettersPanel", window.panels["letters"]).start.choose),
        ),
        Step(
            "fingerprint",
            tr("Fingerprint: what was chosen"),
            tr(
                "For whom were the texts that somebody chose, beside what chance gives? Here is a model that judged "
                "the sample. Yours appears once you have rated and revealed."
            ),
            _first_fingerprint,
        ),
        Step(
            "fingerprint",
            tr("Help: from wherever you are"),
            tr(
                "F1 explains the page you are on, Ctrl+K finds every command, and this menu has both, and this tour. "
                "That was all: what was open before is opened again."
            ),
            lambda window: _whole(window.rail.brand),
        ),
    )


def _whole(widget: QWidget) -> Spot:
    return widget, widget.rect()


def _first_question(window: "TouringWindow") -> Spot | None:
    board = cast("FindingsPanel", window.panels["findings"]).board
    if board.chosen is not None:  # of the step after this, from which somebody came back
        board.card.close_card()
        board.view.scrollToTop()
    if not board.table.rowCount():
        return None
    row = board.view.visualRect(board.table.index(0, 0))
    row.setHeight(min(row.height(), theme.current().px(FIRST_LINES)))
    return board.view.viewport(), row


def _texts_button(window: "TouringWindow") -> Spot | None:
    board = cast("FindingsPanel", window.panels["findings"]).board
    if board.chosen is None and board.table.shown:
        finding = board.table.shown[0].same
        board.table.open_question_of(finding)
        board.view.selectRow(board.table.row_of(finding) or 0)
    return _whole(board.card.open_texts) if board.chosen is not None else None


def _live_tab(window: "TouringWindow") -> Spot:
    panel = cast("ChartsPanel", window.panels["charts"])
    return panel.tabs, panel.tabs.tabRect(panel.tabs.currentIndex())


def _first_fingerprint(window: "TouringWindow") -> Spot | None:
    buttons = cast("FingerprintPanel", window.panels["fingerprint"]).choose.buttons
    return _whole(buttons[0]) if buttons else None


class Bubble(Card):
    """The words of a stop, with the buttons that lead on, back and out."""

    def __init__(self, layer: QWidget) -> None:
        super().__init__()
        self.setParent(layer)
        self.counter, self.title = Label("", "note"), Label("", "heading", wrap=True)
        self.text = Label("", "", wrap=True)
        self.leave = QuietButton(tr("Leave the tour"), key="Esc")
        self.back, self.on = QuietButton(tr("Back")), PrimaryButton(tr("Next"))
        add_to(self.box, self.counter, self.title, self.text, Gap(theme.current().grid))
        self.box.addLayout(in_row(self.leave, STRETCH, self.back, self.on, spacing=theme.current().grid))
        self.set_chosen(True)

    def show_step(self, step: Step, place: int, total: int) -> None:
        """Show a stop, and announce it to a screen reader."""
        self.counter.setText(tr("Tour, {place} of {total}").format(place=place + 1, total=total))
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.back.setEnabled(place > 0)
        self.on.set_text(tr("Done") if place == total - 1 else tr("Next"))
        self.setAccessibleName(f"{self.counter.text()}: {step.title}")
        self.setAccessibleDescription(step.text)
        self.on.setAccessibleDescription(f"{step.title}. {step.text}")
        self.on.setFocus(Qt.FocusReason.TabFocusReason)
        announce(self, f"{self.accessibleName()}. {step.text}")

    def fit(self, room: QSize) -> None:
        """Take the width of the theme, or what there is, and the height that the words then need."""
        width = min(theme.current().px(BUBBLE_WIDTH), room.width() - 2 * MARGIN)
        self.resize(width, self.heightForWidth(width))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep Tab among the buttons that can be pressed."""
        buttons = [button for button in (self.leave, self.back, self.on) if button.isEnabled()]
        here = next((place for place, button in enumerate(buttons) if button.hasFocus()), -1)
        buttons[(here + (1 if forward else -1)) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        return True


class TourLayer(QWidget):
    """The layer over the window: a shade with a hole at the control, the arrow, and the bubble."""

    def __init__(self, ground: QWidget) -> None:
        super().__init__(ground)
        self._ground = ground
        self.hole: QRect | None = None  # what is pointed at; None while the control is not there yet
        self._arrow = QPolygonF()
        self.bubble = Bubble(self)
        ground.installEventFilter(self)
        self.setGeometry(ground.rect())
        self.raise_()
        self.show()

    def point_at(self, spot: Spot | None) -> None:
        """Place the bubble beside the part of a control that shows; without one leave it where it is."""
        hole = self._seen(spot) if spot is not None else None
        self.bubble.fit(self.size())
        place, arrow = self._beside(hole) if hole is not None else (self._held_inside(self.bubble.pos()), QPolygonF())
        if hole != self.hole or place != self.bubble.pos():
            self.hole, self._arrow = hole, arrow
            self.bubble.move(place)
            self.update()

    def begin(self) -> None:
        """Place the bubble in the middle, where the first control is not known yet."""
        self.bubble.fit(self.size())
        self.bubble.move(self.rect().center() - self.bubble.rect().center())

    def _seen(self, spot: Spot) -> QRect | None:
        widget, part = spot
        if not widget.isVisible():
            return None
        seen = QRect(widget.mapTo(self._ground, part.topLeft()), part.size())
        around = widget.parentWidget()
        while around is not None and around is not self._ground:
            seen &= QRect(around.mapTo(self._ground, QPoint()), around.size())
            around = around.parentWidget()
        return seen.adjusted(-OUTSET, -OUTSET, OUTSET, OUTSET) & self.rect() if not seen.isEmpty() else None

    def _beside(self, hole: QRect) -> tuple[QPoint, QPolygonF]:
        """Return the bubble's place on the first side where it fits, and the arrow.

        Where it fits nowhere, it covers as little as it can, and there is no arrow.
        """
        box, middle, room = self.bubble.rect(), hole.center(), self.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        across, down = middle.x() - box.width() // 2, middle.y() - box.height() // 2
        right = QPoint(hole.right() + ARROW, down), QPoint(1, 0)
        left = QPoint(hole.left() - ARROW - box.width(), down), QPoint(-1, 0)
        below = QPoint(across, hole.bottom() + ARROW), QPoint(0, 1)
        above = QPoint(across, hole.top() - ARROW - box.height()), QPoint(0, -1)
        sideways = (left, right) if self.isRightToLeft() else (right, left)
        places = [(QRect(self._held_inside(corner), box.size()), away) for corner, away in (*sideways, below, above)]
        for place, away in places:
            if room.contains(place) and not place.intersects(hole):
                return place.topLeft(), _arrow(hole, place, away)
        covering = min((place for place, _ in places), key=lambda place: _area(place & hole))
        return covering.topLeft(), QPolygonF()

    def _held_inside(self, place: QPoint) -> QPoint:
        across, down = self.width() - self.bubble.width() - MARGIN, self.height() - self.bubble.height() - MARGIN
        return QPoint(max(MARGIN, min(place.x(), across)), max(MARGIN, min(place.y(), down)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, shade = theme.current(), QPainterPath()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shade.addRect(QRectF(self.rect()))
        if self.hole is not None:
            shade.addRoundedRect(QRectF(self.hole), tokens.radius_small, tokens.radius_small)
        painter.fillPath(shade, QColor(0, 0, 0, SHADE))  # odd-even: what was added twice stays clear
        if self.hole is not None:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(QRectF(self.hole), tokens.radius_small, tokens.radius_small)
            painter.setBrush(QColor(tokens.accent))
            painter.drawPolygon(self._arrow)
        painter.end()


def _area(part: QRect) -> int:
    return part.width() * part.height() if part.isValid() else 0


def _arrow(hole: QRect, box: QRect, away: QPoint) -> QPolygonF:
    """Return the triangle from the bubble's edge to the hole; `away`: the direction from the hole to the bubble."""
    half = ARROW / 2
    if away.x():
        edge = box.left() + 2 if away.x() > 0 else box.right() - 1
        along = min(max(hole.center().y(), box.top() + ARROW), box.bottom() - ARROW)
        tip = QPointF(hole.right() + 2 if away.x() > 0 else hole.left() - 1, along)
        return QPolygonF([tip, QPointF(edge, along - half), QPointF(edge, along + half)])
    edge = box.top() + 2 if away.y() > 0 else box.bottom() - 1
    along = min(max(hole.center().x(), box.left() + ARROW), box.right() - ARROW)
    tip = QPointF(along, hole.bottom() + 2 if away.y() > 0 else hole.top() - 1)
    return QPolygonF([tip, QPointF(along - half, edge), QPointF(along + half, edge)])


class Tour(QObject):
    """The tour from its first stop to its end: it opens a copy of the sample, and afterwards what was open before."""

    def __init__(self, window: "TouringWindow") -> None:
        super().__init__(window.ground)
        self._window = window
        self._before = window.project.path if window.project is not None else None
        self._read_only = window.project is not None and bool(window.project.read_only)
        self._panel = window.current
        self._file: Path | None = None
        self._steps = steps()
        self._shown: QWidget | None = None  # the control that was brought into sight
        self.place = 0
        self.layer: TourLayer | None = None
        self._timer = QTimer(self, interval=FOLLOW_MILLISECONDS)
        self._timer.timeout.connect(self._follow)

    def begin(self) -> None:
        """Open the copy of the sample, after a question where something is not saved; then show the first stop."""
        self._window.settle(self._open)

    def _open(self) -> None:
        self._window.tour = self
        self._window.session.opened.connect(self._opened)
        self._window.session.failed.connect(self._forget)
        self._window.session.take(self._sample(), Path())

    def go(self, by: int) -> None:
        """Go on, or back; after the last stop the tour ends."""
        if self.place + by >= len(self._steps):
            self.leave()
        elif self.place + by >= 0:
            self.place += by
            self._show()

    def leave(self) -> None:
        """End the tour at any stop."""
        if self.layer is not None:
            self._forget()
            self._window.session.close(then=self._return)

    def _sample(self) -> "Operation[Project]":
        def work(ctx: JobContext) -> "Project":
            from biasprint.core.machine.files import new_folder
            from biasprint.core.project.project import Project
            from biasprint.core.runs.sample import unpack_sample

            self._file = new_folder() / "Sample.biasprint"
            unpack_sample(self._file)
            return Project.open(self._file)

        return Operation(tr("Preparing the tour"), work)

    def _opened(self, project: "Project") -> None:
        if self.layer is not None or project.path != self._file:  # another project came instead, by whatever way
            self._forget()
            return
        self.layer = TourLayer(self._window.ground)
        bubble = self.layer.bubble
        bubble.on.clicked.connect(lambda: self.go(1))
        bubble.back.clicked.connect(lambda: self.go(-1))
        bubble.leave.clicked.connect(self.leave)
        for button in (bubble.leave, bubble.back, bubble.on):
            button.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._hold_keyboard)  # type: ignore[union-attr]
        self.layer.begin()
        self._show()
        self._timer.start()

    def _show(self) -> None:
        assert self.layer is not None
        step = self._steps[self.place]
        self._shown = None
        self._window.show_panel(step.panel, **step.what)
        self.layer.bubble.show_step(step, self.place, len(self._steps))
        self._follow()

    def _follow(self) -> None:
        """Point at the control as soon as it is there, and wherever it moves to."""
        step = self._steps[self.place]
        panel = self._window.panels.get(step.panel)
        spot = step.control(self._window) if panel is not None and panel.built else None
        if self.layer is None:
            return
        if spot is not None and spot[0] is not self._shown:
            self._shown = spot[0]
            around = spot[0].parentWidget()
            while around is not None:
                if isinstance(around, QScrollArea):
                    around.ensureWidgetVisible(spot[0])
                around = around.parentWidget()
        self.layer.point_at(spot)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Read the arrow keys and Escape at the buttons, and keep the window's own keys from working."""
        if not isinstance(event, QKeyEvent) or self.layer is None:
            return False
        name = QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText)
        if event.type() == QEvent.Type.ShortcutOverride and name not in KEYS_THAT_STAY:
            event.accept()
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        acts: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Right: lambda: self.go(1),
            Qt.Key.Key_Left: lambda: self.go(-1),
            Qt.Key.Key_Escape: self.leave,
        }
        act = acts.get(key_as_read(event))
        if act is not None and is_fresh(event):
            act()
        return act is not None

    def _hold_keyboard(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Keep the keyboard in the bubble: panels that fill themselves take it now and then."""
        layer = self.layer
        if layer is not None and now is not None and now.window() is layer.window() and not layer.isAncestorOf(now):
            QTimer.singleShot(0, layer.bubble.on, lambda: layer.bubble.on.setFocus(Qt.FocusReason.TabFocusReason))

    def _forget(self, *_: object) -> None:
        """Take the bubble away, and stop listening; what is open stays open."""
        self._timer.stop()
        self._window.session.opened.disconnect(self._opened)
        self._window.session.failed.disconnect(self._forget)
        if self.layer is not None:
            QApplication.instance().focusChanged.disconnect(self._hold_keyboard)  # type: ignore[union-attr]
            self.layer.hide()
            self.layer.deleteLater()
            self.layer = None
        self._window.tour = None

    def _return(self) -> None:
        """Remove the copy, and open what was open before, at the panel where it was."""
        window, panel = self._window, self._panel
        file = self._file

        def clear(ctx: JobContext) -> None:
            from biasprint.core.project.backup import backup_folder

            if file is not None:
                shutil.rmtree(backup_folder(file), ignore_errors=True)
                shutil.rmtree(file.parent, ignore_errors=True)

        window.jobs.start(tr("Leaving the tour"), clear, on_error=lambda _: None, quiet=True)

        def show() -> None:
            window.show_panel(panel if panel in window.rail.shown() else window.rail.shown()[0])

        if self._before is None:
            show()
            return
        window.session.opened.connect(show, Qt.ConnectionType.SingleShotConnection)
        window.session.open(self._before, read_only=self._read_only)
