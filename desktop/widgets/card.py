"""Cards and their parts: chips, badges, thin progress, and the empty state."""

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QRegion
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from biasprint.core.language import tr
from biasprint.desktop import theme
from biasprint.desktop.theme import current, reduced_motion
from biasprint.desktop.widgets.buttons import LinkButton, PrimaryButton
from biasprint.desktop.widgets.labels import Label, show_if
from biasprint.desktop.widgets.layout import STRETCH, Gap, Item, add_to, in_column, in_row


class TopBox(QVBoxLayout):
    """A column at the top of a room that is too high for it; a part of it that can grow takes the rest.

    Qt would give every label its share of the room, and centre each in it.
    """

    def setGeometry(self, rect: QRect) -> None:
        if not any(self._grows(index) for index in range(self.count())):
            wanted = self.heightForWidth(rect.width()) if self.hasHeightForWidth() else self.sizeHint().height()
            rect = QRect(rect.x(), rect.y(), rect.width(), min(rect.height(), wanted))
        super().setGeometry(rect)

    def _grows(self, index: int) -> bool:
        """Return whether a part takes remaining room; a hidden one does not, whatever its stretch."""
        item = self.itemAt(index)
        if item.isEmpty() and item.spacerItem() is None:
            return False
        return self.stretch(index) > 0 or bool(item.expandingDirections() & Qt.Orientation.Vertical)


class Card(QFrame):
    """A surface that groups related content. `box` is its vertical layout, to which `items` are added (`add_to`).

    `chosen` draws the accent border; with less `padding`, one for all sides or across and along, a card is dense.
    """

    def __init__(self, title: str = "", *items: Item, padding: int | tuple[int, int] | None = None) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._looks_chosen = False
        self.box = TopBox(self)
        self.box.setSpacing(current().grid)
        padding = current().margin if padding is None else padding
        self.set_padding(*(padding if isinstance(padding, tuple) else (padding,)))
        if title:
            self.box.addWidget(Label(title, "heading", wrap=True))
            self.setAccessibleName(tr(title))
        add_to(self.box, *items)

    def set_padding(self, horizontal: int, vertical: int | None = None) -> None:
        across, along = horizontal, horizontal if vertical is None else vertical
        self.box.setContentsMargins(across, along, across, along)

    def set_chosen(self, chosen: bool) -> None:
        if chosen == self._looks_chosen:
            return
        self._looks_chosen = chosen
        edge = current().radius
        # What is on it need not be painted again.
        self.update(QRegion(self.rect()) - QRegion(self.rect().adjusted(edge, edge, -edge, -edge)))

    @property
    def chosen(self) -> bool:
        return self._looks_chosen

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._looks_chosen and not self.hasFocus():
            # Over the hairline, not by the stylesheet: dressing a card again is felt with each key of a rater.
            tokens = current()
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), tokens.radius - 1, tokens.radius - 1)
            painter.end()


ICON_SIDE = 40


class EmptyState(QWidget):
    """The place of content that does not exist yet: a title, one sentence, a button to go on, and another way."""

    def __init__(
        self,
        title: str,
        text: str,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        *,
        icon: str = "",
        other: str = "",
        on_other: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__()
        tokens = theme.current()
        self._icon_name = icon
        self.picture = QLabel()
        self.title = Label(title, "title", wrap=True)
        self.text = Label(text, "soft", wrap=True)
        self.button = PrimaryButton(action)
        show_if(self.button, bool(action))
        if on_action is not None:
            self.button.clicked.connect(lambda: on_action())
        box = in_column(2, inside=self, spacing=tokens.grid, margins=tokens.margin)
        for widget in (self.picture, self.title, self.text):
            box.addLayout(_centred(widget))
        add_to(box, Gap(tokens.grid), _centred(self.button))
        if other:
            self.other = LinkButton(other, act=lambda: on_other())
            box.addLayout(_centred(self.other))
        box.addStretch(3)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        theme.follow(self._dress)

    def _dress(self) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        if self._icon_name:
            side = tokens.px(ICON_SIDE)
            self.picture.setPixmap(theme.pixmap(self._icon_name, tokens.soft, side, self.devicePixelRatioF()))
        show_if(self.picture, bool(self._icon_name))
        self.text.setMinimumWidth(min(tokens.px(420), 560))


def _centred(widget: QWidget) -> QHBoxLayout:
    return in_row(STRETCH, widget, STRETCH)


class Chip(QLabel):
    """A short plain text in a tint. Tones: "plain", "accent", "ok", "warn", "danger"."""

    def __init__(self, text: str = "", tone: str = "plain") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "chip")
        self.setProperty("tone", tone)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(tr(text))

    def set_tone(self, tone: str) -> None:
        if tone == self.property("tone"):
            return
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)


class StandInBadge(Chip):
    """The badge of every number made by a stand-in scorer instead of the paper's own."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "warn")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        if not text:
            self.hide()  # an empty one is a stain; who fills it shows it


STEPS = 10_000  # fine enough for a bar, and no count is too large for Qt's int


class ProgressThin(QProgressBar):
    """Six pixels high, without a text. `set_progress(done, None)` shows that the end is unknown."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximum(STEPS)
        if name:
            self.setAccessibleName(name)

    def set_progress(self, done: int, total: int | None) -> None:
        if total is None and not reduced_motion():
            self.setMaximum(0)  # Qt's bar that runs to and fro
            return
        self.setMaximum(STEPS)
        value = 0 if total is None else STEPS if total <= 0 else round(STEPS * min(1.0, done / total))
        if value != self.value():
            # Qt paints a bar at once, and with it all that waits in its window: a comparison of which half is set.
            self.setUpdatesEnabled(False)
            self.setValue(value)
            self.setUpdatesEnabled(True)
