"""The command palette: type a few letters of what you want to do."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QKeySequence, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.shell import Command, found
from desktop.widgets import Label, hairline, tr
from desktop.widgets.safe_text import safe_line

KEYS_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
WIDTH = 560
MOST_ROWS = 8


class _CommandDelegate(QStyledItemDelegate):
    """A command's title, and its key at the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        keys = QKeySequence(index.data(KEYS_ROLE)).toString(QKeySequence.SequenceFormat.NativeText)
        painter.save()
        painter.setPen(theme.current().soft)
        painter.drawText(
            option.rect.adjusted(0, 0, -12, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, keys
        )
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.current().px(36))


class CommandPalette(QFrame):
    """Shown over the window with Ctrl+K. Escape, or a click elsewhere, closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "palette")
        self.setAccessibleName(tr("Command palette"))
        self._window = parent
        self._commands: list[Command] = []
        self._hits: list[Command] = []
        self.field = QLineEdit()
        self.field.setProperty("role", "palette")
        self.field.setPlaceholderText(tr("What do you want to do?"))
        self.field.setAccessibleName(tr("Search commands"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self._model = QStandardItemModel(self)
        self.list = QListView()
        self.list.setProperty("role", "palette")
        self.list.setAccessibleName(tr("Commands"))
        self.list.setModel(self._model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.clicked.connect(lambda index: self._run(index.row()))
        self._none = Label(tr("No such command."), "soft")
        self._none.setContentsMargins(12, 4, 12, 8)
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        box.setSpacing(4)
        for widget in (self.field, hairline(), self.list, self._none):
            box.addWidget(widget)
        self.hide()

    def offer(self, commands: list[Command]) -> None:
        """Show the palette with what can be done now."""
        self._commands = [command for command in commands if command.enabled()]
        self.field.clear()
        self._search("")
        self.raise_()
        self.show()
        self.field.setFocus()

    def titles(self) -> list[str]:
        """What is offered now."""
        return [command.title for command in self._hits]

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is kept of what was offered: it names recent projects."""
        super().hideEvent(event)
        self._commands, self._hits = [], []
        self._model.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key_pressed(Qt.Key(event.key()))
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _key_pressed(self, key: Qt.Key) -> bool:
        row = self.list.currentIndex().row()
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if key in steps and self._hits:
            self.list.setCurrentIndex(self._model.index((row + steps[key]) % len(self._hits), 0))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run(row)
        elif key == Qt.Key.Key_Escape:
            self._close()
        else:
            return key in steps
        return True

    def _search(self, query: str) -> None:
        self._hits = found(self._commands, query)
        self._model.clear()
        for command in self._hits:
            item = QStandardItem(safe_line(command.title))
            item.setData(command.keys, KEYS_ROLE)
            self._model.appendRow(item)
        self.list.setCurrentIndex(self._model.index(0, 0))
        self.list.setVisible(bool(self._hits))
        self._none.setVisible(not self._hits)
        self._fit()

    def _run(self, row: int) -> None:
        if 0 <= row < len(self._hits):
            command = self._hits[row]
            self._close()
            command.run()

    def _close(self) -> None:
        self.hide()
        self._window.setFocus()

    def _fit(self) -> None:
        tokens, room = theme.current(), self._window.size()
        rows = min(MOST_ROWS, len(self._hits))
        self.list.setFixedHeight(rows * tokens.px(36) + 8)
        width = min(tokens.px(WIDTH), room.width() - 64)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((room.width() - width) // 2, min(96, max(16, (room.height() - self.height()) // 2)))
