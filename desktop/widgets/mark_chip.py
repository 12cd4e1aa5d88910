"""A chip of the legend: how a kind of mark is drawn, its name and its count; pressed, it shows or hides them."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from desktop import theme
from desktop.widgets.mark_lines import draw_mark, look_of
from desktop.widgets.words import plural, tr

SWATCH = 20


class MarkChip(QAbstractButton):
    """Checked while its marks are shown. `kind` names the look; the name is plain text."""

    def __init__(self, kind: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind, self.name, self.count = kind, name, 0
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self._say)
        theme.signals.changed.connect(self._dress)
        self._dress()

    def set_count(self, count: int) -> None:
        self.count = count
        self._say()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        metrics = QFontMetrics(self.font())
        width = tokens.px(SWATCH) + 6 + metrics.horizontalAdvance(self._words()) + tokens.px(20)
        return QSize(width, metrics.height() + tokens.px(8))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        edge = tokens.focus if self.hasFocus() else tokens.quiet_edge if self.isChecked() else tokens.line
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        fill = tokens.hover if self.underMouse() else tokens.sunk if self.isChecked() else "transparent"
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        left, side = tokens.px(10), tokens.px(SWATCH)
        painter.setOpacity(1.0 if self.isChecked() else 0.35)
        draw_mark(painter, look_of(self.kind), left, left + side, box.center().y() + 2)
        painter.setOpacity(1.0)
        font = QFont(self.font())
        font.setStrikeOut(not self.isChecked())  # hidden marks are told by more than a paler chip
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink if self.isChecked() else tokens.soft))
        words = QRectF(left + side + 6, 0, self.width(), self.height())
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._words())

    def _words(self) -> str:
        return f"{self.name} {self.count}"

    def _say(self) -> None:
        state = tr("shown") if self.isChecked() else tr("hidden")
        self.setAccessibleName(f"{self.name}: {plural(self.count, '1 mark', '%n marks')}, {state}")
        self.setToolTip(tr("Press to hide these marks") if self.isChecked() else tr("Press to show these marks"))

    def _dress(self) -> None:
        font = self.font()
        font.setPixelSize(theme.current().note)
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)
        self.updateGeometry()
        self.update()
