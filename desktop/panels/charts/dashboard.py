"""Cards on a grid that people arrange: dragged or moved by keys, pinned to the front, of three sizes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QLayout, QMenu, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.panels.charts.live_cards import MeasureDrawing
from biasprint.desktop.plots.axis import Legend
from biasprint.desktop.read.board import BoardMeasure
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import Card, IconButton, Label, StandInBadge, tr
from biasprint.desktop.widgets.events import below
from biasprint.desktop.widgets.keys import key_as_read, shortcut
from biasprint.desktop.widgets.layout import STRETCH, add_to, in_column, in_row, mirrored
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.live import value_words

# ---- The wall of charts

MOST = 4  # cards at a time
USUAL_HEIGHT = 720  # pixels: on a screen so high, texts are as large as in a window
SMALLEST, LARGEST = 1.2, 4.0


class WallCard(QFrame):
    """A measure: title, a single curve's value, curves, legend, and the present value in a sentence."""

    def __init__(self, measure: BoardMeasure, items: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.drawing = MeasureDrawing(measure, items)
        self.drawing.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys are the wall's
        self.heading, self.value = Label("", "heading", wrap=True), Label("", "heading")
        self.sentence = Label("", "note", wrap=True)
        self.badge = StandInBadge("")
        self.legend = Legend()
        top = in_row((self.heading, 1), self.badge, self.value)
        in_column(top, (self.drawing.plot, 1), self.legend, self.sentence, inside=self)
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
        self.setAccessibleName(tr(measure.title))

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
    """The wall, a window of its own above the board. Esc or F11 closes it; the arrows turn to the next cards.

    It shows only measures that everybody may see, and closes with the board when a rater is blind.
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
        head = in_row(self.heading, STRETCH, self.words)
        self._grid = QGridLayout()
        self._box = QVBoxLayout(self)
        self._box.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the screen says how large it is
        add_to(self._box, head, (self._grid, 1), (self.nothing, 1), (self.hint, Qt.AlignmentFlag.AlignRight))
        theme.signals.changed.connect(self._dress_again)

    def show_measures(self, title: str, words: str, measures: Sequence[BoardMeasure], items: str) -> None:
        """Show these measures; cards on the wall stay and are updated."""
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
        """Return the theme's tokens, enlarged as the screen is higher than a usual window."""
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
        step = {Qt.Key.Key_Right: MOST, Qt.Key.Key_Left: -MOST}.get(key_as_read(event))
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


SIZES: Mapping[str, tuple[int, int]] = {"small": (1, 1), "wide": (2, 1), "tall": (1, 2)}  # columns, rows
COLUMN, ROW = 400, 372  # text pixels
MOST_KEPT = 500  # cards of a layout: a file from elsewhere may hold anything


@dataclass(frozen=True)
class Place:
    """The place of a card: its size, whether it is pinned to the front, whether it is on the board at all."""

    key: str
    size: str = "small"
    pinned: bool = False
    shown: bool = True

    def stored(self) -> dict[str, Any]:
        return {"key": self.key, "size": self.size, "pinned": self.pinned, "shown": self.shown}


def places_in(layout: Mapping[str, Any]) -> tuple[Place, ...]:
    """Return the places stored in a project, without invalid ones."""
    cards = layout.get("cards")
    places: dict[str, Place] = {}
    for card in cards[:MOST_KEPT] if isinstance(cards, list) else ():
        if isinstance(card, dict) and isinstance(card.get("key"), str) and card.get("size") in SIZES:
            place = Place(card["key"], card["size"], card.get("pinned") is True, card.get("shown") is not False)
            places.setdefault(place.key, place)
    return tuple(places.values())


def packed(sizes: Sequence[str], columns: int) -> list[QRect]:
    """Return each card's place in cells: the first free one from the top, from left to right."""
    taken: set[tuple[int, int]] = set()
    areas = []
    for size in sizes:
        wide, high = SIZES[size]
        wide = min(wide, columns)
        row = column = 0
        while True:
            cells = {(column + x, row + y) for x in range(wide) for y in range(high)}
            if column + wide <= columns and not cells & taken:
                break
            column += 1
            if column + wide > columns:
                column, row = 0, row + 1
        taken |= cells
        areas.append(QRect(column, row, wide, high))
    return areas


@dataclass(frozen=True)
class Arrow:
    """A key with an arrow: its name, and the sign on it."""

    key: str
    sign: str


LEFT, RIGHT = Arrow("Left", "←"), Arrow("Right", "→")


class CardActions(QObject):
    """The menu of a card on a board, its keys, and dragging it by its heading."""

    def __init__(self, board: "Dashboard", key: str, card: Card, handle: QWidget, title: str) -> None:
        super().__init__(card)
        self._board, self.key, self._card = board, key, card
        self._pressed: QPoint | None = None
        self.button = IconButton("menu", "", parent=card, act=self._open)
        self.title = ""
        self.set_title(title)
        handle.setCursor(Qt.CursorShape.OpenHandCursor)
        handle.setToolTip(tr("Drag to move the card. Ctrl+Shift+arrows do the same."))
        handle.installEventFilter(self)
        self._forward, self._back = (RIGHT, LEFT) if card.isRightToLeft() else (LEFT, RIGHT)
        shortcut(f"Ctrl+Shift+{self._forward.key}", card, lambda: board.move(key, -1), repeats=True)
        shortcut(f"Ctrl+Shift+{self._back.key}", card, lambda: board.move(key, 1), repeats=True)
        shortcut("Ctrl+Shift+Up", card, lambda: board.pin(key))
        shortcut("Ctrl+Shift+Down", card, lambda: board.resize_card(key))

    def set_title(self, title: str) -> None:
        if title != self.title:
            self.title = title
            self.button.set_name(tr("Arrange “{title}”").format(title=safe_line(tr(title))))

    def menu(self) -> QMenu:
        """Build the menu of everything that can be done with the card, with its keys."""
        board, key = self._board, self.key
        place = board.place(key)
        menu = QMenu(self._card)
        menu.setAccessibleName(self.button.accessibleName())
        pin = menu.addAction(f"{tr('Pin to the front')}\tCtrl+Shift+↑")
        pin.setCheckable(True)
        pin.setChecked(place.pinned)
        pin.triggered.connect(lambda: board.pin(key))
        menu.addSeparator()
        for size, title in (("small", tr("Small")), ("wide", tr("Wide")), ("tall", tr("Tall"))):
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setChecked(place.size == size)
            action.triggered.connect(lambda _=False, size=size: board.resize_card(key, size))
        menu.addAction(f"{tr('Next size')}\tCtrl+Shift+↓").triggered.connect(lambda: board.resize_card(key))
        menu.addSeparator()
        forward, back = self._forward.sign, self._back.sign
        menu.addAction(f"{tr('Move forward')}\tCtrl+Shift+{forward}").triggered.connect(lambda: board.move(key, -1))
        menu.addAction(f"{tr('Move back')}\tCtrl+Shift+{back}").triggered.connect(lambda: board.move(key, 1))
        menu.addSeparator()
        menu.addAction(tr("Take off the board")).triggered.connect(lambda: board.show_card(key, False))
        return menu

    def _open(self) -> None:
        menu = self.menu()
        menu.exec(below(self.button, menu))
        menu.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or not isinstance(watched, QWidget):
            return False
        at = self._board.mapFromGlobal(event.globalPosition().toPoint())
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = at
        elif event.type() == QEvent.Type.MouseMove and self._pressed is not None:
            if (at - self._pressed).manhattanLength() >= QApplication.startDragDistance():
                self._board.drag(self.key, at)
        elif event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            moved = (at - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            self._pressed = None
            self._board.drop(self.key, at if moved else None)
        else:
            return False
        return True


class Dashboard(QWidget):
    """The cards. `arrange` puts them where `places` say. `arranged` reports a person's change, to be stored."""

    arranged = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.cards: dict[str, Card] = {}
        self.actions_of: dict[str, CardActions] = {}
        self.places: tuple[Place, ...] = ()
        self._target = QFrame(self)
        self._target.setProperty("role", "drop")
        self._target.hide()
        theme.signals.changed.connect(self._dress)

    def set_places(self, places: Iterable[Place]) -> None:
        """Set the stored places; the pinned ones come first."""
        self.places = tuple(sorted(places, key=lambda one: not one.pinned))
        self.arrange()

    def place(self, key: str) -> Place:
        return next((place for place in self.places if place.key == key), Place(key))

    def add_card(self, key: str, card: Card, handle: QWidget, title: str) -> CardActions:
        """Add a card that can be moved by its `handle`; `places` give its place."""
        card.setParent(self)
        self.cards[key] = card
        self.actions_of[key] = CardActions(self, key, card, handle, title)
        return self.actions_of[key]

    def remove_card(self, key: str) -> None:
        card = self.cards.pop(key)
        del self.actions_of[key]
        card.hide()
        card.close()
        card.deleteLater()

    def on_board(self) -> list[str]:
        """Return the visible cards, in their order."""
        return [place.key for place in self.places if place.shown and place.key in self.cards]

    # what a person does

    def move(self, key: str, by: int) -> None:
        """Move a card back by so many cards, or forward; pinned ones stay in front of the others."""
        order = self.on_board()
        if key in order:
            self._put(key, max(0, min(len(order) - 1, order.index(key) + by)))

    def pin(self, key: str) -> None:
        self._change(replace(self.place(key), pinned=not self.place(key).pinned))

    def resize_card(self, key: str, size: str = "") -> None:
        """Resize a card to a size, or to the next one."""
        sizes = list(SIZES)
        following = sizes[(sizes.index(self.place(key).size) + 1) % len(sizes)]
        self._change(replace(self.place(key), size=size or following))

    def show_card(self, key: str, shown: bool) -> None:
        self._change(replace(self.place(key), shown=shown))

    def _change(self, place: Place) -> None:
        known = place.key in {other.key for other in self.places}
        places = [place if other.key == place.key else other for other in self.places]
        self.set_places(places if known else [*places, place])
        self.arranged.emit()

    def _put(self, key: str, index: int) -> None:
        order = self.on_board()
        before = order[index]
        if before == key:
            return
        moving = self.place(key)
        places = [place for place in self.places if place.key != key]
        at = [place.key for place in places].index(before)
        places.insert(at + (order.index(key) < index), moving)
        self.set_places(places)
        self.arranged.emit()

    def drag(self, key: str, at: QPoint) -> None:
        """Show where the card would go."""
        over = self._card_at(at)
        self._target.setVisible(over is not None and over != key)
        if over is not None:
            self._target.setGeometry(self.cards[over].geometry())
            self._target.raise_()

    def drop(self, key: str, at: QPoint | None) -> None:
        """Drop the card there; None: it was only clicked."""
        self._target.hide()
        over = self._card_at(at) if at is not None else None
        if over is not None:
            self._put(key, self.on_board().index(over))

    def _card_at(self, at: QPoint) -> str | None:
        return next((key for key in self.on_board() if self.cards[key].geometry().contains(at)), None)

    # laying out

    @property
    def columns(self) -> int:
        tokens = theme.current()
        return max(1, (self.width() + tokens.gap) // (tokens.px(COLUMN) + tokens.gap))

    def arrange(self) -> None:
        """Put every card at its place; the board is as high as they need."""
        tokens, keys, columns = theme.current(), self.on_board(), self.columns
        gap, high = tokens.gap, tokens.px(ROW)
        wide = (max(1, self.width()) - gap * (columns - 1)) / columns
        bottom = 0
        for key, cell in zip(keys, packed([self.place(key).size for key in keys], columns), strict=True):
            left, right = round(cell.x() * (wide + gap)), round((cell.x() + cell.width()) * (wide + gap)) - gap
            top = cell.y() * (high + gap)
            height = cell.height() * (high + gap) - gap
            self.cards[key].setGeometry(mirrored(self, QRect(left, top, right - left, height)))
            bottom = max(bottom, top + height)
        for key, card in self.cards.items():
            card.setVisible(key in keys)
            self._tell(key, keys)
        self.setFixedHeight(max(1, bottom))

    def _tell(self, key: str, order: Sequence[str]) -> None:
        """Describe the card's place to a screen reader."""
        if key not in order:
            return
        place = self.place(key)
        words = tr("Card {number} of {all}, {size}").format(
            number=order.index(key) + 1, all=len(order), size=tr(place.size)
        )
        self.actions_of[key].button.setAccessibleDescription(f"{words}, {tr('pinned')}" if place.pinned else words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.arrange()

    def _dress(self, _tokens: object = None) -> None:
        self.arrange()
