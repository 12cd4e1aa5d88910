"""Finds what does not fit in a window: words that are cut off, and parts that stand outside or over others."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import ElidedLabel

SLACK = 1  # pixels: rounding
BUTTONS = (QPushButton, QCheckBox, QRadioButton, QToolButton)
CONTROLS = (*BUTTONS, QComboBox, QLineEdit, QAbstractSpinBox)


def misfits(root: QWidget) -> list[str]:
    """Return in words what of a shown widget is cut off, outside its surroundings or over another control."""
    shown = [part for part in root.findChildren(QWidget) if part.isVisible() and part.window() is root.window()]
    found = [f"{why}: {_what(part)}" for part in shown if (why := _cut(part))]
    worked_with = [part for part in shown if isinstance(part, (*CONTROLS, QLabel))]
    found += [f"{why}: {_what(part)}" for part in worked_with if (why := _outside(part))]
    return found + list(_overlaps(worked_with))


def _what(part: QWidget) -> str:
    words = part.text() if isinstance(part, QLabel | QAbstractButton | QLineEdit) else part.accessibleName()
    around, above = [], part.parentWidget()
    while above is not None and len(around) < 6:
        around.append(type(above).__name__)
        above = above.parentWidget()
    return f"{type(part).__name__} “{words[:70]}” {part.width()}×{part.height()} in {' < '.join(around)}"


def _cut(part: QWidget) -> str:
    """Return why a part's words cannot be read whole, or “”."""
    if isinstance(part, QLabel):
        return "" if isinstance(part, ElidedLabel) else _label_cut(part)
    if isinstance(part, BUTTONS):
        least = part.sizeHint()
        if part.hasHeightForWidth():  # its words go on in further lines
            least = QSize(0, part.heightForWidth(part.width()))
        if part.width() + SLACK < least.width() and part.text() and not part.toolTip():
            return f"words cut off, {least.width()} wide"
        return f"words cut off, {least.height()} high" if part.height() + SLACK < least.height() else ""
    if isinstance(part, QComboBox) and not (part.isEditable() or isinstance(part, ComboBox)):
        words = part.fontMetrics().horizontalAdvance(part.currentText())
        return f"choice cut off, {words} wide" if words > part.width() - 12 and not part.toolTip() else ""
    if isinstance(part, QLineEdit) and not part.text() and part.placeholderText():
        words = part.fontMetrics().horizontalAdvance(part.placeholderText())
        return f"hint cut off, {words} wide" if words > part.width() - 8 and not part.toolTip() else ""
    if isinstance(part, QTabBar) and part.elideMode() != Qt.TextElideMode.ElideNone:
        return "tabs elided" if part.sizeHint().width() > part.width() + SLACK and not part.usesScrollButtons() else ""
    return ""


def _label_cut(label: QLabel) -> str:
    if not label.text():
        return ""
    room = label.contentsRect().size()
    if label.wordWrap():
        high = label.heightForWidth(label.width())
        return f"words cut off, {high} high" if high > label.height() + SLACK else ""
    wide = label.sizeHint().width() - (label.width() - room.width()) if label.pixmap().isNull() else 0
    words = max(label.fontMetrics().horizontalAdvance(line) for line in label.text().splitlines() or [""])
    if min(wide, words) > room.width() + SLACK and not label.toolTip():
        return f"words cut off, {words} wide"
    return f"words cut off, {label.sizeHint().height()} high" if label.sizeHint().height() > label.height() + 3 else ""


def _outside(part: QWidget) -> str:
    """Return where a part stands outside what surrounds it and cannot be scrolled to, or “”."""
    box, above = QRect(QPoint(0, 0), part.size()), part
    while (parent := above.parentWidget()) is not None and not above.isWindow():
        box = QRect(above.mapToParent(box.topLeft()), box.size())
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            if not isinstance(area, QScrollArea):
                return ""  # a part of a view, which scrolls it itself
            off = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            wide = box.left() < -SLACK or box.right() > parent.width() + SLACK
            if wide and area.horizontalScrollBarPolicy() == off:
                return f"outside a page that does not scroll sideways, by {box.right() + 1 - parent.width()}"
            return ""
        if not parent.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(box):
            return f"outside {type(parent).__name__} {parent.width()}×{parent.height()}, at {box.getRect()}"
        above = parent
    return ""


def _overlaps(parts: list[QWidget]) -> Iterator[str]:
    """Give the pairs of neighbours that cover each other."""
    by_parent: dict[int, list[QWidget]] = {}
    for part in parts:
        by_parent.setdefault(id(part.parentWidget()), []).append(part)
    for neighbours in by_parent.values():
        for place, one in enumerate(neighbours):
            for other in neighbours[place + 1 :]:
                shared = one.geometry().intersected(other.geometry())
                if shared.width() > 2 * SLACK and shared.height() > 2 * SLACK:
                    yield f"over each other: {_what(one)} and {_what(other)}"
