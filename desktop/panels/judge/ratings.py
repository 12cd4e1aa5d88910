"""Each card rated by each criterion, 1 to 5: a table under the cards, for the mouse and for the keyboard."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QSizePolicy, QWidget

from core.judging.blind import RatingCriterion, Ratings
from desktop import theme
from desktop.widgets import Label, tr
from desktop.widgets.cards import LETTERS
from desktop.widgets.layout import clear_widget
from desktop.widgets.safe_text import safe_line, safe_tip

STEPS = (1, 2, 3, 4, 5)
SIDE = 24  # of one step
BETWEEN = 4
RATINGS_SHARE = 0.34  # of the page's height at most: the texts come first
RATINGS_LEAST = 96  # a heading and two rows, to scroll in
ROOM_FOR_CARDS = 300
TAKES_BACK = (Qt.Key.Key_0, Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class RatingScale(QWidget):
    """Five steps. Digits rate, arrows go up and down a step, 0 or Delete takes the rating back."""

    rated = Signal(object)  # 1 to 5, or None
    went_on = Signal(int)  # to the scale this many rows further; 0: to the next one
    left = Signal()

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
        """Show a rating; telling nobody."""
        self.rating = rating
        words = tr("not rated") if rating is None else tr("{rating} of 5").format(rating=rating)
        self.setAccessibleName(f"{self._about}: {words}")
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
        elif key in TAKES_BACK:
            self._rate(None)
        elif Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
            self._rate_by_digit(key - Qt.Key.Key_0, repeated=event.isAutoRepeat())
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if key == Qt.Key.Key_Right else -1
            self._rate(min(max((self.rating or 0) + step, STEPS[0]), STEPS[-1]))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.went_on.emit(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

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

    def _rate_by_digit(self, digit: int, *, repeated: bool) -> None:
        if digit in STEPS and not repeated:
            self._rate(digit)
            self.went_on.emit(0)

    def _rate(self, rating: int | None) -> None:
        if rating != self.rating:
            self.set_rating(rating)
            self.rated.emit(rating)


def _side() -> int:
    # Steps grow more slowly than text, as icons do, so that three scales at 200 % fit beside the criteria.
    return round(SIDE * (1 + (theme.current().scale - 1) * 0.6))


class RatingTable(QScrollArea):
    """A row for each criterion, a scale for each card. As high as it needs, up to a share of the page."""

    rated = Signal(int, int, object)  # card as shown, criterion, rating or None
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Ratings by criterion"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.most = 200
        self._made_for: tuple[tuple[str, ...], int] = ((), 0)
        self.scales: list[list[RatingScale]] = []  # by criterion, then card

    def show_ratings(self, criteria: Sequence[RatingCriterion], ratings: Ratings) -> None:
        """Show a comparison's ratings, by card and criterion; the widgets are made anew only for other criteria."""
        wanted = (tuple(one.name for one in criteria), len(ratings))
        if wanted != self._made_for:
            self._made_for = wanted
            self._make(criteria, len(ratings))
        for row, scales in enumerate(self.scales):
            for card, scale in enumerate(scales):
                if scale.rating != ratings[card][row]:
                    scale.set_rating(ratings[card][row])

    def take_keyboard(self) -> None:
        """To the first card that lacks a rating, or to the first one."""
        all_scales = [scale for row in self.scales for scale in row]
        wanted = next((scale for scale in all_scales if scale.rating is None), all_scales[0] if all_scales else None)
        if wanted is not None:
            self._go_to(wanted)

    @property
    def has_keyboard(self) -> bool:
        return any(scale.hasFocus() for row in self.scales for scale in row)

    def set_page_height(self, height: int) -> None:
        tokens = theme.current()
        most = min(round(RATINGS_SHARE * height), height - tokens.px(ROOM_FOR_CARDS))
        self.most = max(tokens.px(RATINGS_LEAST), most)
        self.fit()

    def fit(self) -> None:
        layout = self.widget().layout() if self.widget() is not None else None
        if layout is not None:
            width = self.viewport().width()
            wanted = layout.heightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height()
            self.setFixedHeight(min(wanted, self.most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    # inside

    def _make(self, criteria: Sequence[RatingCriterion], cards: int) -> None:
        tokens = theme.current()
        sheet = clear_widget()
        grid = QGridLayout(sheet)
        grid.setContentsMargins(0, 0, tokens.gap, 0)
        grid.setHorizontalSpacing(tokens.margin)
        grid.setVerticalSpacing(0)
        grid.addWidget(Label(tr("1 is low, 5 is high. Esc goes back to the cards."), "note", wrap=True), 0, 0)
        for card in range(cards):
            grid.addWidget(Label(LETTERS[card], "strong"), 0, card + 1, Qt.AlignmentFlag.AlignCenter)
        self.scales = []
        for row, criterion in enumerate(criteria):
            name = Label(safe_line(criterion.name), wrap=True)
            name.setToolTip(safe_tip(criterion.explanation))
            grid.addWidget(name, row + 1, 0, Qt.AlignmentFlag.AlignVCenter)
            self.scales.append([self._scale(row, card, safe_line(criterion.name)) for card in range(cards)])
            for card, scale in enumerate(self.scales[row]):
                grid.addWidget(scale, row + 1, card + 1)
        grid.setColumnStretch(0, 1)
        self.setWidget(sheet)
        self.fit()

    def _scale(self, row: int, card: int, criterion: str) -> RatingScale:
        scale = RatingScale(criterion, LETTERS[card])
        scale.rated.connect(lambda rating: self.rated.emit(card, row, rating))
        scale.went_on.connect(lambda by: self._go_on(row, card, by))
        scale.left.connect(self.left)
        return scale

    def _go_on(self, row: int, card: int, by: int) -> None:
        """To another row of the same card; with 0 to the next card, then the next row."""
        if by:
            row = min(max(row + by, 0), len(self.scales) - 1)
        elif card + 1 < len(self.scales[row]):
            card += 1
        elif row + 1 < len(self.scales):
            row, card = row + 1, 0
        self._go_to(self.scales[row][card])

    def _go_to(self, scale: RatingScale) -> None:
        scale.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ensureWidgetVisible(scale, 0, theme.current().px(10))
