"""Buttons. Clicking one never takes the keyboard away: they get focus by Tab only, so a ring always means keyboard."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from desktop import theme
from desktop.widgets.labels import Label, show_if


def pressed_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Click a button by Enter as by Space; False for any other key. Holding the key clicks once."""
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return False
    if not event.isAutoRepeat():
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
        self.setText(shown.toString(QKeySequence.SequenceFormat.NativeText) or sequence)
        show_if(self, bool(sequence))


class Button(QPushButton):
    """A button with an optional icon and keycap. Roles: "" (quiet), "primary", "plain", "link", "aside", "danger"."""

    def __init__(
        self, text: str, *, role: str = "", icon: str = "", key: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self._icon_name = icon
        self._caption: Label | None = None
        self._cap: KeyHint | None = None
        if key:
            self._lay_out_with_keycap(key)
        self.set_text(text)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def set_text(self, text: str) -> None:
        """Change the caption; the keycap stays."""
        self.setAccessibleName(text)
        if self._caption is None:
            self.setText(text.replace("&", "&&"))
        else:
            self._caption.setText(text)
            self.updateGeometry()

    def set_key(self, sequence: str) -> None:
        """Show another key on the keycap (the person remapped it)."""
        if self._cap is not None:
            self._cap.set_sequence(sequence)
            self.updateGeometry()

    def set_role(self, role: str) -> None:
        """Change the role, for a button that becomes the chosen one."""
        if role == self.property("role"):
            return  # dressing it anew costs a millisecond
        self.setProperty("role", role)
        for widget in (self, self._caption, self._cap):
            if widget is not None:
                widget.style().unpolish(widget)
                widget.style().polish(widget)
        self._dress()

    def set_icon(self, name: str) -> None:
        self._icon_name = name
        self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self._caption is None:
            return hint
        inner = self._around.sizeHint()
        return QSize(inner.width(), max(hint.height(), inner.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _lay_out_with_keycap(self, key: str) -> None:
        tokens = theme.current()
        # One widget in the middle: stretches at its sides would make the whole button want to grow.
        middle = QWidget()
        middle.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(tokens.grid)
        self._caption = Label()
        self._cap = KeyHint(key)
        row.addWidget(self._caption)
        row.addWidget(self._cap)
        self._around = QHBoxLayout(self)
        self._around.setContentsMargins(tokens.px(14), 2, tokens.px(12), 2)
        self._around.addWidget(middle, 0, Qt.AlignmentFlag.AlignCenter)

    def _dress(self) -> None:
        tokens = theme.current()
        if not self._icon_name:
            self.setIcon(QIcon())
            return
        color = {"primary": tokens.accent_ink, "link": tokens.accent, "aside": tokens.soft, "danger": tokens.danger}
        self.setIcon(theme.icon(self._icon_name, color.get(self.property("role"), tokens.ink), size=tokens.px(16)))
        self.setIconSize(QSize(tokens.px(16), tokens.px(16)))


class PrimaryButton(Button):
    """The one thing to do here: filled with the accent."""

    def __init__(self, text: str, *, icon: str = "", key: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, role="primary", icon=icon, key=key, parent=parent)


class QuietButton(Button):
    """Everything else one can do here."""

    def __init__(self, text: str, *, icon: str = "", key: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, icon=icon, key=key, parent=parent)


class LinkButton(Button):
    """An action that reads like a word of the sentence it stands in."""

    def __init__(self, text: str, *, icon: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, role="link", icon=icon, parent=parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class IconButton(QToolButton):
    """A button that is only an icon; its `name` is the tooltip and what a screen reader says."""

    def __init__(self, icon: str, name: str, *, size: int = 18, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._size = size
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_name(name)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def set_name(self, name: str) -> None:
        self.setToolTip(name)
        self.setAccessibleName(name)

    def set_icon(self, icon: str) -> None:
        self._icon_name = icon
        self._dress()

    def _dress(self) -> None:
        tokens = theme.current()
        side = tokens.px(self._size)
        self.setIcon(theme.icon(self._icon_name, tokens.soft, size=side))
        self.setIconSize(QSize(side, side))
