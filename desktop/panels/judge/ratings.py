"""Ratings of each card by each criterion, from 1 to 5, beneath its text: for the mouse and for the keyboard."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.judging.blind import RatingCriterion, Ratings
from biasprint.desktop import theme
from biasprint.desktop.widgets import Label, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.layout import Scroller, clear_widget, grid_of
from biasprint.desktop.widgets.safe_text import as_given, safe_tip

STEPS = (1, 2, 3, 4, 5)
SIDE = 24  # of one step
BETWEEN = 4
ROOM_FOR_REST = 345  # of the page's height, for all but the ratings: the texts come first
RATINGS_LEAST = 72  # two rows, to scroll in
NAME_LEAST = 96  # of a criterion's name beside its scale; where there is less it stands above
TAKES_BACK = (Qt.Key.Key_0, Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
ARROWS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
DIGITS = {Qt.Key(Qt.Key.Key_0 + digit): digit for digit in range(1, 10)}
RATES = (*TAKES_BACK, *ARROWS, *DIGITS)


class RatingScale(QWidget):
    """Five steps. Digits rate, arrows go up and down a step, 0 or Delete clears the rating."""

    rated = Signal(object)  # 1 to 5, or None
    went_on = Signal(int)  # to the scale this many rows further; 0: to the next one
    left = Signal()
    focused = Signal()

    def __init__(self, criterion: str, letter: str) -> None:
        super().__init__()
        self.rating: int | None = None
        self._about = tr("{criterion}, text {letter}").format(criterion=criterion, letter=letter)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the digits still choose a card
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleDescription(tr("1 to 5 rate, 0 takes it back, Escape goes back to the cards"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_rating(None)

    def set_rating(self, rating: int | None) -> None:
        """Show a rating without emitting a signal."""
        self.rating = rating
        words = tr("not rated") if rating is None else tr("{rating} of 5").format(rating=rating)
        self.setAccessibleName(tr(f"{self._about}: {words}"))
        self.update()

    def sizeHint(self) -> QSize:
        side, between = _side(), theme.current().px(BETWEEN)
        return QSize(len(STEPS) * side + (len(STEPS) - 1) * between + 6, side + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for step, place in zip(STEPS, self._places(), strict=True):
            if place.adjusted(-2, -3, 2, 3).contains(event.position()):
                self._rate(None if step == self.rating else step)  # the same step again takes it back
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        if not plain:
            super().keyPressEvent(event)
        elif key in RATES:
            if is_fresh(event):
                self._rate_by_key(key)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.went_on.emit(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(tokens.family)
        font.setPixelSize(tokens.note)
        painter.setFont(font)
        for step, place in zip(STEPS, self._places(), strict=True):
            chosen = step == self.rating
            painter.setPen(QPen(QColor(tokens.accent if chosen else tokens.edge), 1))
            painter.setBrush(QColor(tokens.accent) if chosen else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place)
            painter.setPen(QColor(tokens.accent_ink if chosen else tokens.soft))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(step))
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(frame, frame.height() / 2, frame.height() / 2)
        painter.end()

    def _places(self) -> list[QRectF]:
        side, between = _side(), theme.current().px(BETWEEN)
        top = (self.height() - side) / 2
        return [QRectF(QPointF(3 + index * (side + between), top), QSize(side, side)) for index in range(len(STEPS))]

    def _rate_by_key(self, key: Qt.Key) -> None:
        if key in TAKES_BACK:
            self._rate(None)
        elif key in ARROWS:
            self._rate(min(max((self.rating or 0) + ARROWS[key], STEPS[0]), STEPS[-1]))
        elif DIGITS[key] in STEPS:
            self._rate(DIGITS[key])
            self.went_on.emit(0)

    def _rate(self, rating: int | None) -> None:
        if rating != self.rating:
            self.set_rating(rating)
            self.rated.emit(rating)


def _side() -> int:
    # Steps grow more slowly than text, as icons do, so that three scales at 200 % fit beside the criteria.
    return round(SIDE * (1 + (theme.current().scale - 1) * 0.6))


class RatingColumn(Scroller):
    """The criteria of one card, each with its scale beside it, or below it where the column is narrow.

    The column is as tall as it needs, up to `most`.
    """

    def __init__(self, letter: str) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Ratings of text {letter}").format(letter=letter))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._letter = letter
        self._most = 200
        self._names: list[Label] = []
        self._stacked: bool | None = None
        self.scales: list[RatingScale] = []
        self.hide()

    def set_criteria(self, criteria: Sequence[RatingCriterion]) -> None:
        sheet = clear_widget()
        self._grid = grid_of(sheet, across=theme.current().grid, along=BETWEEN, stretch=0)
        self._names, self.scales, self._stacked = [], [], None
        for criterion in criteria:
            name = Label(as_given(criterion.name), "note", wrap=True)
            name.setToolTip(safe_tip(criterion.explanation))
            self._names.append(name)
            self.scales.append(RatingScale(name.text(), self._letter))
        self.setWidget(sheet)
        self.fit(self._most)

    def fit(self, most: int) -> None:
        """Arrange for this width, and take the height that it needs, up to `most`."""
        self._most = most
        if not self.scales:
            return
        width = self.viewport().width()
        self._arrange(stacked=width - self.scales[0].sizeHint().width() < theme.current().px(NAME_LEAST))
        wanted = self._grid.heightForWidth(width)
        self.setFixedHeight(min(wanted, most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit(self._most)

    def bring_into_sight(self, row: int) -> None:
        """Scroll to a criterion's scale, and to its name where both fit."""
        for part in (self._names[row], self.scales[row]):
            self.ensureWidgetVisible(part, 0, BETWEEN)

    def _arrange(self, *, stacked: bool) -> None:
        if stacked == self._stacked:
            return
        self._stacked = stacked
        for row, (name, scale) in enumerate(zip(self._names, self.scales, strict=True)):
            for part in (name, scale):
                self._grid.removeWidget(part)
            place = Qt.AlignmentFlag.AlignVCenter
            if stacked:
                self._grid.addWidget(name, 2 * row, 0, 1, 2)
                self._grid.addWidget(scale, 2 * row + 1, 0, 1, 2, Qt.AlignmentFlag.AlignLeft)
            else:
                self._grid.addWidget(name, row, 0, place)
                self._grid.addWidget(scale, row, 1, place)


class CardRatings(QObject):
    """The ratings of all cards. Their columns scroll together; the keyboard goes from card to card, then a row down."""

    rated = Signal(int, int, object)  # card as shown, criterion, rating or None
    left = Signal()

    def __init__(self, letters: Sequence[str]) -> None:
        super().__init__()
        self.columns = [RatingColumn(letter) for letter in letters]
        self.scales: list[list[RatingScale]] = []  # by criterion, then card
        self.shown = False
        self._made_for: tuple[tuple[str, ...], int] = ((), 0)
        for column in self.columns:
            column.verticalScrollBar().valueChanged.connect(self._follow)

    def set_shown(self, shown: bool) -> None:
        self.shown = shown
        for card, column in enumerate(self.columns):
            column.setVisible(shown and card < self._made_for[1])

    def show_ratings(self, criteria: Sequence[RatingCriterion], ratings: Ratings) -> None:
        """Show a comparison's ratings, by card and criterion; the widgets are rebuilt only if the criteria differ."""
        wanted = (tuple(criterion.name for criterion in criteria), len(ratings))
        if wanted != self._made_for:
            self._made_for = wanted
            self._make(criteria, len(ratings))
        for row, scales in enumerate(self.scales):
            for card, scale in enumerate(scales):
                if scale.rating != ratings[card][row]:
                    scale.set_rating(ratings[card][row])

    def take_keyboard(self) -> None:
        """Give the keyboard to the first card that lacks a rating, or to the first card."""
        all_scales = [scale for row in self.scales for scale in row]
        wanted = next((scale for scale in all_scales if scale.rating is None), all_scales[0] if all_scales else None)
        if wanted is not None:
            wanted.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def has_keyboard(self) -> bool:
        return any(scale.hasFocus() for row in self.scales for scale in row)

    @property
    def height(self) -> int:
        """The height in pixels that the ratings take of the page, with the space around them."""
        return self.columns[0].height() + theme.current().gap if self.shown else 0

    def set_page_height(self, height: int) -> None:
        tokens = theme.current()
        most = max(tokens.px(RATINGS_LEAST), height - tokens.px(ROOM_FOR_REST))
        for column in self.columns:
            column.fit(most)

    # inside

    def _make(self, criteria: Sequence[RatingCriterion], cards: int) -> None:
        for column in self.columns[:cards]:
            column.set_criteria(criteria)
        self.scales = [[column.scales[row] for column in self.columns[:cards]] for row in range(len(criteria))]
        one_by_one = [scale for row in self.scales for scale in row]
        for before, after in pairwise(one_by_one):
            QWidget.setTabOrder(before, after)
        for row, scales in enumerate(self.scales):
            for card, scale in enumerate(scales):
                self._connect(scale, row, card)
        self.set_shown(self.shown)

    def _connect(self, scale: RatingScale, row: int, card: int) -> None:
        scale.rated.connect(lambda rating: self.rated.emit(card, row, rating))
        scale.went_on.connect(lambda by: self._go_on(row, card, by))
        scale.left.connect(self.left)
        scale.focused.connect(lambda: self.columns[card].bring_into_sight(row))

    def _go_on(self, row: int, card: int, by: int) -> None:
        """Move to another row of the same card; with 0 to the next card, then the next row."""
        if by:
            row = min(max(row + by, 0), len(self.scales) - 1)
        elif card + 1 < len(self.scales[row]):
            card += 1
        elif row + 1 < len(self.scales):
            row, card = row + 1, 0
        self.scales[row][card].setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow(self, value: int) -> None:
        for column in self.columns:
            column.verticalScrollBar().setValue(value)
