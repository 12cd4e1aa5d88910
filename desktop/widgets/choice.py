"""Boxes whose words can be read where there is little room: Qt cuts them off, and a reader cannot tell."""

import sys
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from biasprint.core.language import tr
from biasprint.desktop import theme
from biasprint.desktop.widgets.layout import FlowLayout
from biasprint.desktop.widgets.safe_text import isolated, safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TextDelegate

# ---- A row to search in

SEARCH_WIDTH = 190  # at least


class SearchRow(QWidget):
    """A row of boxes and a search that takes the room they leave; where that is little, it has a row of its own."""

    def __init__(self, search: QLineEdit) -> None:
        super().__init__()
        self.search = search
        self._boxes: Sequence[QWidget] = ()

    def lay_out(self, boxes: Sequence[QWidget]) -> None:
        """Put these boxes behind the search, and fit them."""
        self._boxes = boxes
        FlowLayout(self.search, *boxes, inside=self, spacing=theme.current().grid)
        theme.follow(self.fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        """Return the widest box: the search has its full width, and must not keep the panel from growing narrower."""
        widest = max((box.sizeHint().width() for box in self._boxes), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def fit(self, _tokens: object = None) -> None:
        """Share out the width again, as boxes come and go."""
        tokens = theme.current()
        shown = [box for box in self._boxes if not box.isHidden()]
        taken = sum(min(box.sizeHint().width(), box.maximumWidth()) + tokens.grid for box in shown)
        room = self.width() - taken
        self.search.setFixedWidth(room if room >= tokens.px(SEARCH_WIDTH) else self.width())


SIDES = 6  # text pixels that the style keeps free beside the text
LONGEST_CHOICE = 200  # characters: Qt measures every choice in full, a thousand long ones for a second


class ComboBox(QComboBox):
    """A combo box with its whole text in the tooltip while a part is cut off, and always for screen readers."""

    def setAccessibleName(self, name: str) -> None:
        """Name the box. On Linux Qt tells the chosen text as its name: there the name is its description too."""
        super().setAccessibleName(name)
        if sys.platform == "linux" and not self.accessibleDescription():
            self.setAccessibleDescription(name)

    def addItem(self, text: str, data: object = None) -> None:  # type: ignore[override]
        """Add a choice; of a very long one its beginning. One without `data` stands for itself: it stays as it is."""
        text = text if data is None else tr(text)
        super().addItem(text if len(text) <= LONGEST_CHOICE else f"{text[: LONGEST_CHOICE - 1]}…", data)

    def shown_text(self) -> str:
        """Return the text as it is drawn."""
        text = self.currentText() if self.currentIndex() >= 0 or self.isEditable() else self.placeholderText()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, max(0, field.width() - theme.current().px(SIDES))
        )

    def sizeHint(self) -> QSize:
        # Else the longest text of a box as wide as its texts is cut; Qt rounds its width down.
        return super().sizeHint() + QSize(theme.current().px(SIDES) + 2, 0)

    def showPopup(self) -> None:
        # Qt decided whether the list has a bar to scroll by before the box was in the window, by another style.
        self.view().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        if not isinstance(self.itemDelegate(), TextDelegate):
            self.setItemDelegate(TextDelegate(self))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEditable():
            super().paintEvent(event)
            return
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
        option.currentText = isolated(self.shown_text())
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and not self.toolTip():
            text = self.currentText()
            QToolTip.showText(event.globalPos(), safe_tip(text) if self.shown_text() != text else "", self)
            return True
        return super().event(event)


def fill(box: ComboBox, words: Mapping[str, str], chosen: object) -> None:
    """Put other choices, key → words, into a box, with `chosen` selected, or else the first."""
    box.clear()
    for key, each in words.items():
        box.addItem(safe_line(each), key)
    box.setCurrentIndex(max(0, box.findData(chosen)))


LEAST_WORDS = 160  # text pixels beside a check box, at least
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.TextFlag.TextShowMnemonic | Qt.AlignmentFlag.AlignVCenter


class CheckBox(QCheckBox):
    """A check box whose words go on in further lines where one has no room for them."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(hint.width(), theme.current().px(LEAST_WORDS)), self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        line = self.sizeHint()
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text())
        room = QRect(0, 0, max(width - (line.width() - words.width()), 1), 10_000)
        more = self.fontMetrics().boundingRect(room, int(WRAPPED), isolated(self.text())).height() - words.height()
        return line.height() + (more if width < line.width() else 0)

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        super().initStyleOption(option)
        option.text = isolated(option.text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.width() >= self.sizeHint().width():
            super().paintEvent(event)
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        room = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter.setPen(option.palette.color(QPalette.ColorRole.WindowText))
        align = QStyle.visualAlignment(self.layoutDirection(), Qt.AlignmentFlag.AlignLeft)
        painter.drawText(room, int(WRAPPED | align), isolated(self.text()))
