"""Labels. All of them show plain text only: what a model or a file wrote is never rendered as rich text."""

from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QStyle, QWidget

from biasprint.core.language import tr, unbroken
from biasprint.desktop.theme import Tokens, current, follow
from biasprint.desktop.widgets.layout import grid_of, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

Named = TypeVar("Named", bound=QWidget)
CAPTION_WIDTH = 84


class Label(QLabel):
    """A plain-text label with one of the stylesheet's roles.

    Roles: "display", "title", "heading", "strong", "reading", "soft", "note", "figure", or "" for ordinary text.
    """

    def __init__(self, text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setWordWrap(wrap)
        self.setAlignment(self.alignment())
        self.setText(text)

    def setAlignment(self, alignment: Qt.AlignmentFlag) -> None:
        """Align as the layout runs. Qt itself aligns by the letters, so that Latin words would stay at the left."""
        shown = QStyle.visualAlignment(QGuiApplication.layoutDirection(), alignment)
        super().setAlignment(shown | Qt.AlignmentFlag.AlignAbsolute)

    def setText(self, text: str) -> None:
        """Show a text; where it is wrapped, no line ends between a number and its sign."""
        self._said = tr(text)
        super().setText(unbroken(self._said) if self.wordWrap() else self._said)

    def text(self) -> str:
        shown = super().text()
        return self._said if shown == unbroken(self._said) else shown

    def minimumSizeHint(self) -> QSize:
        """Return the height of wrapped words at their width; Qt's own answer is one line."""
        hint = super().minimumSizeHint()
        return QSize(hint.width(), self.heightForWidth(self.width())) if self.wordWrap() else hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.wordWrap() and event.size().width() != event.oldSize().width():
            self.updateGeometry()


def named(widget: Named, words: str) -> Named:
    """Return a widget that screen readers call by these words."""
    widget.setAccessibleName(words)
    return widget


def tipped(widget: Named, words: str) -> Named:
    """Return a widget that shows these words under the pointer."""
    widget.setToolTip(safe_tip(words))
    return widget


def hidden(widget: Named) -> Named:
    """Return a widget that is hidden until something shows it."""
    widget.hide()
    return widget


def label_of(field: QWidget, words: str, role: str = "") -> Label:
    """Return the label of a field, which screen readers call by the same words."""
    label = Label(words, role)
    label.setBuddy(field)
    field.setAccessibleName(label.text())
    return label


def form_of(*fields: tuple[str, QWidget]) -> QGridLayout:
    """Return a form: the label of each field, and beside it the field, which takes the room that is left."""
    grid = grid_of()
    for row, (words, field) in enumerate(fields):
        grid.addWidget(label_of(field, words), row, 0)
        grid.addWidget(field, row, 1)
    return grid


class ElidedLabel(Label):
    """One line that ends in "…" where it does not fit; the whole text is in the tooltip and for screen readers."""

    def __init__(
        self,
        text: str = "",
        role: str = "",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        least: int = 6,
    ) -> None:
        """`least`: letters that always show."""
        self._whole, self._least = "", least
        self._fitted: tuple[str, int, Tokens] | None = None
        self._mode = mode
        super().__init__("", role)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show a text of any length and content on one line."""
        whole = safe_line(tr(text))
        if whole != self._whole:  # else the whole window would be laid out again for nothing
            self._whole = whole
            self.setAccessibleName(whole)
            self.updateGeometry()
        self._elide()

    def whole_text(self) -> str:
        return self._whole

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self._whole) + 2
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            min(self.sizeHint().width(), self.fontMetrics().averageCharWidth() * self._least), self.sizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        fitted = (self._whole, self.width(), current())
        if fitted == self._fitted:
            return
        self._fitted = fitted
        shown = self.fontMetrics().elidedText(self._whole, self._mode, max(0, self.width()))
        self.setToolTip(safe_tip(self._whole if shown != self._whole else ""))
        QLabel.setText(self, shown)


def hairline(*, vertical: bool = False) -> QFrame:
    """Return a separator one pixel thin."""
    line = QFrame()
    line.setProperty("role", "line")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say a text, wherever the keyboard is."""
    if text and widget.isVisible():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def show_if(widget: QWidget, wanted: bool) -> None:
    """Show or hide a part that may not be in a window yet.

    Showing it then would make it a window of its own for a moment, which takes the keyboard; it is enough not to hide
    it: it appears with its parent.
    """
    if widget.parent() is not None or not wanted:
        widget.setVisible(wanted)
    else:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)


def show_words(label: QLabel, words: str) -> None:
    """Show words in a label, which is hidden where there are none."""
    label.setText(words)
    show_if(label, bool(words))


class Fact(QWidget):
    """A label at the left, and its value."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.caption = Label(caption, "note", wrap=True)
        self.text = Label("", "", wrap=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        in_row(
            (self.caption, Qt.AlignmentFlag.AlignTop), (self.text, 1), inside=self, spacing=current().grid, margins=0
        )
        follow(self._dress)

    def say(self, text: str) -> None:
        self.text.setText("\n".join(map(safe_line, text.splitlines())))
        self.text.setAccessibleName(tr(f"{self.caption.text()}: {safe_line(text)}"))
        self.setVisible(bool(text))

    def _dress(self, _tokens: object = None) -> None:
        self.caption.setFixedWidth(current().px(CAPTION_WIDTH))
