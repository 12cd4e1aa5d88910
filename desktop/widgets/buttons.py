"""Buttons. Clicking one never takes the keyboard away: they get focus by Tab only, so a ring always means keyboard."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from biasprint.core.language import tr
from biasprint.desktop import theme
from biasprint.desktop.widgets.keys import ENTER, is_fresh
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import mirrored
from biasprint.desktop.widgets.safe_text import isolated, safe_tip

Act = Callable[..., object] | SignalInstance
LEFT, RIGHT = 14, 12  # beside caption and keycap
ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
INNER_RING = 3  # pixels from a filled button's edge to its second ring


def pressed_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Click a button by Enter as by Space; return False for any other key. Holding the key clicks once."""
    if event.key() not in ENTER:
        return False
    if is_fresh(event):
        button.click()
    return True


class KeyHint(QLabel):
    """A small keycap. `sequence` is written portably ("Ctrl+Z") and shown as this system writes it."""

    def __init__(self, sequence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "key")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.set_sequence(sequence)

    def set_sequence(self, sequence: str) -> None:
        shown = QKeySequence(sequence, QKeySequence.SequenceFormat.PortableText)
        text = shown.toString(QKeySequence.SequenceFormat.NativeText) or sequence
        self.setText(f"⇧{text.removeprefix('Shift+')}" if text.startswith("Shift+") else text)
        show_if(self, bool(sequence))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        button = self.parent()
        if isinstance(button, Button):
            button.fit_keycap()  # in other letters it is larger or smaller


class Button(QPushButton):
    """A button with an optional icon and keycap.

    Roles: "" (quiet), "primary", "plain", "link", "aside", "danger", "choice". The caption beside a keycap is painted:
    a label would have to be styled, and everything around it laid out again, with each key that a rater presses.
    """

    def __init__(self, text: str, *, role: str = "", icon: str = "", key: str = "", act: Act | None = None) -> None:
        """`act`: called, or emitted, when it is clicked."""
        super().__init__()
        self.setProperty("role", role)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if act is not None:
            self.clicked.connect(act)
        self.setAutoDefault(False)
        self._icon_name = icon
        self._caption = ""  # beside a keycap
        self._inner = QRect()  # where both stand together
        self._cap: KeyHint | None = None
        self._least = 0  # wide enough for every caption that it has had: a shorter one moves nothing around it
        if key:
            self._cap = KeyHint(key, parent=self)
        self.set_text(text)
        theme.follow(self._dress)

    def set_text(self, text: str) -> None:
        """Change the caption; the keycap stays."""
        text = tr(text)
        self.setAccessibleName(text)
        if self._cap is None:
            self.setText(text.replace("&", "&&"))
        elif text != self._caption:
            self._caption = text
            self.place_keycap()

    def set_key(self, sequence: str) -> None:
        """Show another key on the keycap (the person remapped it)."""
        if self._cap is not None:
            self._cap.set_sequence(sequence)
            self.fit_keycap()

    def set_role(self, role: str) -> None:
        """Change the role, for a button that becomes the chosen one."""
        if role == self.property("role"):
            return  # dressing it again costs a millisecond
        self.setProperty("role", role)
        self.style().unpolish(self)
        self.style().polish(self)
        self._dress()

    def set_icon(self, name: str) -> None:
        self._icon_name = name
        self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        super().initStyleOption(option)
        option.text = isolated(option.text)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self._cap is None:
            return hint
        inner = self._inner_size()
        return QSize(max(self._least, inner.width() + _beside()), max(hint.height(), inner.height() + 4))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_keycap()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        rings = self.hasFocus() and self._is_filled()
        if self._cap is None and not rings:
            return
        painter = QPainter(self)
        if rings:
            self._paint_inner_ring(painter)
        if self._cap is not None:
            painter.setFont(_caption_font())
            painter.setPen(QColor(self._ink()))
            place = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(self._inner, place, isolated(self._caption))
        painter.end()

    def _paint_inner_ring(self, painter: QPainter) -> None:
        """Draw a second ring within a filled button: the outer one's colour is too near to the accent."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().accent_ink), 2))
        radius = theme.current().radius_small - INNER_RING
        painter.drawRoundedRect(self.rect().adjusted(*2 * (INNER_RING,), *2 * (-INNER_RING,)), radius, radius)

    def fit_keycap(self) -> None:
        """Ask for the room that caption and keycap need now, even if it is less."""
        self._least = 0
        self.place_keycap()

    def place_keycap(self) -> None:
        """Place the keycap behind the caption, both together in the middle."""
        if self._cap is None:
            return
        inner, cap = self._inner_size(), self._cap.sizeHint()
        if inner.width() + _beside() > self._least:
            self._least = inner.width() + _beside()
            self.updateGeometry()
        room = self.rect().adjusted(theme.current().px(LEFT), 2, -theme.current().px(RIGHT), -2)
        at = QPoint((room.width() - inner.width()) // 2, (room.height() - inner.height()) // 2)
        self._inner = QRect(room.topLeft() + at, inner)
        beside = QPoint(self._inner.right() + 1 - cap.width(), self._inner.y() + (inner.height() - cap.height()) // 2)
        self._cap.setGeometry(mirrored(self, QRect(beside, cap)))
        self._inner = mirrored(self, self._inner)
        self.update()

    def _inner_size(self) -> QSize:
        assert self._cap is not None
        caption = QFontMetrics(_caption_font()).size(0, self._caption)
        if self._cap.isHidden():
            return caption
        cap = self._cap.sizeHint()
        return QSize(caption.width() + theme.current().grid + cap.width(), max(caption.height(), cap.height()))

    def _ink(self) -> str:
        tokens = theme.current()
        if not self.isEnabled():
            return tokens.faint
        return tokens.accent_ink if self._is_filled() else tokens.ink

    def _is_filled(self) -> bool:
        role = self.property("role")
        return bool(role == "primary" or (role == "choice" and self.isChecked()))

    def _dress(self) -> None:
        tokens = theme.current()
        self.fit_keycap()
        if not self._icon_name:
            self.setIcon(QIcon())
            return
        color = {"primary": tokens.accent_ink, "link": tokens.accent, "aside": tokens.soft, "danger": tokens.danger}
        self.setIcon(theme.icon(self._icon_name, color.get(self.property("role"), tokens.ink), size=tokens.px(16)))
        self.setIconSize(QSize(tokens.px(16), tokens.px(16)))


def _beside() -> int:
    """Return the free room at the left and the right of caption and keycap."""
    return theme.current().px(LEFT) + theme.current().px(RIGHT)


def _caption_font() -> QFont:
    return theme.font(theme.current().control, QFont.Weight.DemiBold)


class PrimaryButton(Button):
    """The main action here: filled with the accent."""

    def __init__(self, text: str, *, icon: str = "", key: str = "", act: Act | None = None) -> None:
        super().__init__(text, role="primary", icon=icon, key=key, act=act)


class QuietButton(Button):
    """Any other action here."""


class ChoiceButton(Button):
    """One of several answers, filled where it was given. A click only asks for it.

    A screen reader calls it a radio button. Unlike one, no arrow key chooses it, and Tab stops at each.
    """

    def __init__(self, text: str, *, key: str) -> None:
        super().__init__(text, role="choice", key=key)
        self.setCheckable(True)
        self.setAutoExclusive(True)

    def setChecked(self, checked: bool) -> None:
        """Show it as given or not; Qt would not let the only given one be withdrawn."""
        self.setAutoExclusive(False)
        super().setChecked(checked)
        self.setAutoExclusive(True)

    def nextCheckState(self) -> None:
        """Leave the state to the listener of the click, who calls `setChecked`."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ARROWS:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        QWidget.focusInEvent(self, event)  # QAbstractButton's would take the others of a group from Tab's way


class LinkButton(Button):
    """An action that reads like a word of the sentence it is in."""

    def __init__(self, text: str, *, icon: str = "", act: Act | None = None) -> None:
        super().__init__(text, role="link", icon=icon, act=act)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class CountLink(LinkButton):
    """A link whose words change with each key of a rater: nothing is laid out again while they need the same room."""

    def set_text(self, text: str) -> None:
        super().set_text(text)
        self.setFixedSize(self.sizeHint())  # Qt asks for no layout where the size is fixed

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self.setFixedSize(self.sizeHint())  # in other letters


class IconButton(QToolButton):
    """A button that is only an icon; its `name` is the tooltip and the screen reader's name."""

    def __init__(
        self, icon: str, name: str, *, size: int = 18, act: Act | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        if act is not None:
            self.clicked.connect(act)
        self._icon_name = icon
        self._size = size
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_name(name)
        theme.follow(self._dress)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def set_name(self, name: str) -> None:
        name = tr(name)
        self.setToolTip(safe_tip(name))
        self.setAccessibleName(name)

    def set_icon(self, icon: str) -> None:
        self._icon_name = icon
        self._dress()

    def _dress(self) -> None:
        tokens = theme.current()
        side = tokens.px(self._size)
        self.setIcon(theme.icon(self._icon_name, tokens.soft, size=side))
        self.setIconSize(QSize(side, side))
