"""The rail at the left: the program's name with its menu, one entry per panel, settings at the bottom."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets.words import tr

WIDTH = 208
PADDING = 12


class RailButton(QAbstractButton):
    """One entry: an icon and a name; the name alone in the tooltip when the rail is narrow."""

    def __init__(self, text: str, icon: str = "", *, brand: bool = False) -> None:
        super().__init__()
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(not brand)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._icon_name = icon
        self._brand = brand
        self._narrow = False

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.setToolTip(self.text() if narrow else "")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        text = 0 if self._narrow else QFontMetrics(self._font()).horizontalAdvance(self.text()) + PADDING
        height = max(tokens.icon + 16, tokens.px(38))
        return QSize(2 * PADDING + tokens.icon + text, height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.isChecked() or self.underMouse()
        self._paint_ground(painter)
        color = tokens.ink if lit or self._brand else tokens.soft
        x = float(PADDING)
        if self._icon_name and (self._narrow or not self._brand):
            picture = theme.pixmap(self._icon_name, color, tokens.icon, self.devicePixelRatioF())
            left = (self.width() - tokens.icon) / 2 if self._narrow else x
            painter.drawPixmap(QPointF(left, (self.height() - tokens.icon) / 2), picture)
            x += tokens.icon + PADDING - 2
        if not self._narrow:
            painter.setFont(self._font())
            painter.setPen(QColor(color))
            room = QRectF(x, 0, self.width() - x - PADDING, self.height())
            shown = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
            if self._brand:
                self._paint_chevron(painter, x + painter.fontMetrics().horizontalAdvance(shown) + 8, tokens)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        tokens = theme.current()
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.isChecked():
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.setBrush(QColor(tokens.surface))
        elif self.underMouse() or self.isDown():
            painter.setBrush(QColor(tokens.hover))
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
        painter.drawRoundedRect(frame, tokens.radius_small, tokens.radius_small)

    def _paint_chevron(self, painter: QPainter, x: float, tokens: theme.Tokens) -> None:
        side, middle = tokens.px(4), self.height() / 2
        painter.setPen(QPen(QColor(tokens.soft), 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(
            QPolygonF(
                [
                    QPointF(x, middle - side / 2),
                    QPointF(x + side, middle + side / 2),
                    QPointF(x + 2 * side, middle - side / 2),
                ]
            )
        )

    def _font(self) -> QFont:
        tokens = theme.current()
        font = QFont(tokens.family)
        font.setPixelSize(tokens.heading if self._brand else tokens.control)
        font.setWeight(QFont.Weight.Bold if self._brand else QFont.Weight.Medium)
        return font


class Rail(QFrame):
    """`chosen` carries the key of the panel that the person went to."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "rail")
        self.setAccessibleName(tr("Panels"))
        self.brand = RailButton(tr("Biasprint"), "menu", brand=True)
        self.brand.setAccessibleDescription(tr("Menu: new, open, recent projects"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        self._narrow = False
        self._top = QVBoxLayout()
        self._bottom = QVBoxLayout()
        for part in (self._top, self._bottom):
            part.setSpacing(2)
        self._box = QVBoxLayout(self)
        self._box.setSpacing(0)
        self._box.addWidget(self.brand)
        self._box.addSpacing(8)
        self._box.addLayout(self._top)
        self._box.addStretch(1)
        self._box.addLayout(self._bottom)
        self._fit()
        theme.signals.changed.connect(self._fit)

    def add(self, key: str, title: str, icon: str, *, at_bottom: bool = False) -> RailButton:
        """An entry; it can be hidden while its panel has nothing to work on."""
        button = RailButton(title, icon)
        button.set_narrow(self._narrow)
        button.clicked.connect(lambda: self.chosen.emit(key))
        self._group.addButton(button)
        self._buttons[key] = button
        (self._bottom if at_bottom else self._top).addWidget(button)
        self._fit()
        return button

    def set_current(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def set_shown(self, keys: Sequence[str]) -> None:
        """Show the entries of these panels alone."""
        for key, button in self._buttons.items():
            button.setVisible(key in keys)

    def shown(self) -> list[str]:
        return [key for key, button in self._buttons.items() if not button.isHidden()]

    def button(self, key: str) -> RailButton:
        return self._buttons[key]

    def set_narrow(self, narrow: bool) -> None:
        """Icons only, where names would take the room of the work."""
        if narrow == self._narrow:
            return
        self._narrow = narrow
        self.brand.set_narrow(narrow)
        for button in self._buttons.values():
            button.set_narrow(narrow)
        self._fit()

    def _fit(self) -> None:
        buttons = (self.brand, *self._buttons.values())
        widest = max(button.sizeHint().width() for button in buttons)
        for button in buttons:
            button.updateGeometry()
        self._box.setContentsMargins(8, 8, 8, 10)
        self.setFixedWidth(widest + 16 if self._narrow else max(WIDTH, widest + 24))
