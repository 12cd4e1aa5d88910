"""The live board for a wall: the first cards on the whole screen, in large letters, with nothing to press."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.panels.charts.live_cards import MeasureDrawing
from biasprint.desktop.plots.legend import Legend
from biasprint.desktop.read.board_shown import BoardMeasure
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import Label, StandInBadge, tr
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.live import value_words

MOST = 4  # cards at a time
USUAL_HEIGHT = 720  # pixels: on a screen so high, texts are as large as in a window
SMALLEST, LARGEST = 1.2, 4.0


class WallCard(QFrame):
    """A measure: title, of one curve its value, curves, legend, and what is seen now."""

    def __init__(self, measure: BoardMeasure, items: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.drawing = MeasureDrawing(measure, items)
        self.drawing.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are the wall's
        self.heading, self.value = Label("", "heading", wrap=True), Label("", "heading")
        self.sentence = Label("", "note", wrap=True)
        self.badge = StandInBadge("")
        self.legend = Legend()
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.badge)
        top.addWidget(self.value)
        box = QVBoxLayout(self)
        box.addLayout(top)
        box.addWidget(self.drawing.plot, 1)
        box.addWidget(self.legend)
        box.addWidget(self.sentence)
        self.show_measure(measure)

    def show_measure(self, measure: BoardMeasure) -> None:
        self.heading.setText(measure.title)
        self.value.setText(value_words(measure.curves[0].value) if len(measure.curves) == 1 else "")
        stand_ins = ", ".join(map(safe_line, measure.stand_ins))
        self.badge.setText(tr("stand-in: {figures}").format(figures=stand_ins))
        self.badge.setVisible(bool(measure.stand_ins))
        self.sentence.setText(measure.sentence if not measure.reason else "")
        self.legend.show_entries(self.drawing.show(measure))
        self.drawing.plot.describe(measure.title, measure.sentence)
        self.setAccessibleName(measure.title)

    def enlarge(self, tokens: Tokens) -> None:
        self.drawing.plot.dress(tokens)
        self.legend.set_tokens(tokens)
        for label in (self.heading, self.value):
            label.setStyleSheet(f"font-size: {tokens.heading}px;")
        for label in (self.sentence, self.badge):
            label.setStyleSheet(f"font-size: {tokens.note}px;")
        self.drawing.plot.nothing.setStyleSheet(f"font-size: {tokens.control}px;")
        margin = tokens.px(12)
        self.layout().setContentsMargins(margin, margin, margin, margin)


class Wall(QWidget):
    """A window of its own above the board. Esc or F11 closes it; the arrows turn to the next cards.

    It shows measures of what may be shown to everybody, and goes with the board when a rater is blind.
    """

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setProperty("role", "ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(tr("Live board"))
        self.cards: dict[str, WallCard] = {}
        self.first = 0
        self._measures: tuple[BoardMeasure, ...] = ()
        self._items = ""
        self._told: tuple[str, str] = ("", "")
        self.heading, self.words = Label("", "title"), Label("", "soft")
        self.nothing = Label(tr("There is no measure on the board."), "soft", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint = Label(tr("Esc closes, ← → other cards"), "note")
        head = QHBoxLayout()
        head.addWidget(self.heading)
        head.addStretch(1)
        head.addWidget(self.words)
        self._grid = QGridLayout()
        self._box = QVBoxLayout(self)
        self._box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the screen says how large it is
        self._box.addLayout(head)
        self._box.addLayout(self._grid, 1)
        self._box.addWidget(self.nothing, 1)
        self._box.addWidget(self.hint, 0, Qt.AlignmentFlag.AlignRight)
        theme.signals.changed.connect(self._dress_again)

    def show_measures(self, title: str, words: str, measures: Sequence[BoardMeasure], items: str) -> None:
        """These now; the cards that are seen already go on."""
        self._measures, self._items = tuple(measures), items
        self.heading.setText(safe_line(title))
        self.words.setText(safe_line(words))
        self.setAccessibleName(tr("Live board: {title}").format(title=safe_line(title)))
        self.first = min(self.first, max(0, MOST * (ceil(len(measures) / MOST) - 1)))
        self._show()

    def _show(self) -> None:
        shown = self._measures[self.first : self.first + MOST]
        if list(self.cards) != [measure.key for measure in shown]:
            self._remove_cards()
            across = 1 if len(shown) < 2 else 2
            for place, measure in enumerate(shown):
                card = self.cards[measure.key] = WallCard(measure, self._items)
                self._grid.addWidget(card, place // across, place % across)
            self._dress()
        for measure in shown:
            self.cards[measure.key].show_measure(measure)
        self.nothing.setVisible(not shown)

    def _remove_cards(self) -> None:
        for card in self.cards.values():
            self._grid.removeWidget(card)
            card.hide()
            card.drawing.plot.close()
            card.deleteLater()
        self.cards = {}

    def let_go(self) -> None:
        self._remove_cards()
        self.hide()
        self.deleteLater()

    @property
    def tokens(self) -> Tokens:
        """The theme's, as much larger as the screen is higher than a usual window."""
        scale = min(LARGEST, max(SMALLEST, 1.2 * self.height() / USUAL_HEIGHT))
        return replace(theme.current(), scale=scale)

    def _dress(self) -> None:
        tokens = self.tokens
        for label, size in ((self.heading, tokens.title), (self.words, tokens.title), (self.hint, tokens.note)):
            label.setStyleSheet(f"font-size: {size}px;")
        self.nothing.setStyleSheet(f"font-size: {tokens.title}px;")
        margin = tokens.px(20)
        self._box.setContentsMargins(margin, margin, margin, tokens.px(8))
        self._grid.setSpacing(tokens.px(12))
        for card in self.cards.values():
            card.enlarge(tokens)

    def _dress_again(self, _tokens: object = None) -> None:
        QTimer.singleShot(0, self, self._dress)  # after the plots, which take the theme's usual sizes

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: MOST, Qt.Key.Key_Left: -MOST}.get(Qt.Key(event.key()))
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_F11):
            self.closed.emit()
        elif step is not None and 0 <= self.first + step < len(self._measures):
            self.first += step
            self._show()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
