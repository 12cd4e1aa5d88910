"""The roles of models: what each is filled by now, to choose the one whose models are shown."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QListView, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.models import RoleSeen
from desktop.panels.models.words import in_use_words
from desktop.widgets import Card, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import SCROLL_BAR

ROW_HEIGHT = 50
WIDTH = 250
INSET = 12
KEY_ROLE, IN_USE_ROLE, STAND_IN_ROLE = (Qt.ItemDataRole.UserRole + n for n in (1, 2, 3))


class RoleDelegate(QStyledItemDelegate):
    """Two lines: the role, with the badge of a stand-in at its right, and under it what fills it."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        tokens = theme.current()
        inner = option.rect.adjusted(INSET, 0, -INSET, 0)
        upper = QRect(inner.left(), inner.top() + 5, inner.width(), inner.height() // 2 - 3)
        lower = QRect(inner.left(), upper.bottom(), inner.width(), inner.height() // 2 - 4)
        painter.save()
        font = QFont(option.font)
        font.setPixelSize(tokens.note)
        painter.setFont(font)
        painter.setPen(QColor(tokens.soft))
        self._write(painter, lower, index.data(IN_USE_ROLE))
        badge = tr("stand-in") if index.data(STAND_IN_ROLE) else ""
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(tokens.warn))
        painter.drawText(upper, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), badge)
        taken = painter.fontMetrics().horizontalAdvance(badge) + INSET if badge else 0
        font.setPixelSize(tokens.control)
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink))
        self._write(painter, upper.adjusted(0, 0, -taken, 0), index.data())
        painter.restore()

    @staticmethod
    def _write(painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(0, theme.current().px(ROW_HEIGHT))


class Roles(QWidget):
    """A list at the side, or a box to choose from where there is no room for it. `chosen` carries the role's key."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.key = ""
        self.model = QStandardItemModel(self)
        self.box, self.list = QComboBox(), QListView()
        for view in (self.box, self.list):
            view.setModel(self.model)
            view.setAccessibleName(tr("What models are for"))
        self.list.setProperty("role", "clear")
        self.list.setItemDelegate(RoleDelegate(self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.card = Card()
        self.card.set_padding(8, 8)
        self.card.box.addWidget(self.list, 1)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.box)
        self._column.addWidget(self.card, 1)
        self.list.selectionModel().currentChanged.connect(lambda now, _: self._choose(now.row()))
        self.box.activated.connect(self._choose)
        self.set_beside(True)
        theme.signals.changed.connect(self._dress)

    def show_roles(self, roles: Sequence[RoleSeen]) -> None:
        """Bring the roles up to date; the chosen one stays chosen."""
        if self.model.rowCount() != len(roles):
            self.model.clear()
            for _ in roles:
                self.model.appendRow(QStandardItem())
        for number, seen in enumerate(roles):
            item = self.model.item(number)
            stand_in = seen.choice is not None and seen.choice.stand_in
            item.setText(safe_line(seen.role.title))
            item.setData(seen.role.key, KEY_ROLE)
            item.setData(safe_line(in_use_words(seen)), IN_USE_ROLE)
            item.setData(stand_in, STAND_IN_ROLE)
            parts = (seen.role.title, in_use_words(seen), tr("stand-in") if stand_in else "")
            item.setData(safe_line(", ".join(part for part in parts if part)), Qt.ItemDataRole.AccessibleTextRole)
        self.choose(self.key or (roles[0].role.key if roles else ""))

    def choose(self, key: str) -> None:
        """Choose a role; before the roles are there it is kept in mind."""
        self.key = key
        for number in range(self.model.rowCount()):
            if self.model.item(number).data(KEY_ROLE) == key:
                self.list.setCurrentIndex(self.model.index(number, 0))
                self.box.setCurrentIndex(number)

    def set_beside(self, beside: bool) -> None:
        """Whether there is room for the list."""
        self.card.setVisible(beside)
        self.box.setVisible(not beside)
        self._column.setContentsMargins(0, 0, 0 if beside else SCROLL_BAR, 0)  # flush with the cards below it
        self._beside = beside
        self._dress()

    def _choose(self, number: int) -> None:
        item = self.model.item(number)
        key = item.data(KEY_ROLE) if item is not None else None
        if key and key != self.key:
            self.choose(key)
            self.chosen.emit(key)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.setMaximumWidth(tokens.px(WIDTH) if self._beside else 16_777_215)
        self.setMinimumWidth(tokens.px(WIDTH) if self._beside else 0)
        self.list.doItemsLayout()
