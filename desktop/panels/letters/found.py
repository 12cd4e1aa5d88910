"""The side list “What to look at”: what was found, the gravest first. An entry leads to its place, or is dismissed."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView

from desktop import theme
from desktop.models.letter_delegate import LetterDelegate
from desktop.models.letter_items import LetterItem
from desktop.models.letter_list import LetterList
from desktop.models.letter_words import LIMITS
from desktop.widgets import Card, Label, LinkButton, plural, tr

LIST_HEIGHT = 84  # at least


class FoundView(QListView):
    """The list itself. Enter goes to the text, Delete dismisses, Ctrl+Z brings back."""

    entered_item = Signal(str)
    chosen_item = Signal(str)
    dismissed_item = Signal(str)
    undone = Signal()

    def __init__(self, model: LetterList) -> None:
        super().__init__()
        self.found = model
        self.setModel(model)
        self.setItemDelegate(LetterDelegate(self))
        self.setProperty("role", "clear")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(tr("What to look at"))
        self.clicked.connect(self._clicked)
        self.activated.connect(self._activated)

    def sizeHint(self) -> QSize:
        """What it would like does not count: it takes what is left, down to a few entries."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        row = self.found.row_at(current)
        if row is not None and row.item is not None:
            self.chosen_item.emit(row.item.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.found.row_at(self.currentIndex())
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and row is not None and row.item is not None:
            self.dismissed_item.emit(row.item.key)
        elif event.key() == Qt.Key.Key_Z and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.undone.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._activated(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def _clicked(self, index: QModelIndex) -> None:
        row = self.found.row_at(index)
        if row is None:
            return
        if row.item is None:
            self.found.toggle(row.section)
        else:
            self.chosen_item.emit(row.item.key)

    def _activated(self, index: QModelIndex) -> None:
        row = self.found.row_at(index)
        if row is None:
            return
        if row.item is not None:
            self.entered_item.emit(row.item.key)
            return
        self.found.toggle(row.section)
        self.setCurrentIndex(self.found.index(index.row()))


class FoundCard(Card):
    """`show_items` takes what is left; the foot says what was dismissed, and what one letter cannot show."""

    undone = Signal()
    all_restored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = LetterList()
        self.list = FoundView(self.model)
        self.heading = Label(tr("What to look at"), "heading")
        self.nothing = Label("", "soft", wrap=True)
        self.dismissed = Label("", "note")
        self.undo = LinkButton(tr("Undo"))
        self.undo.setToolTip(tr("Bring back what was dismissed last (Alt+Z)"))
        self.restore = LinkButton(tr("Show all again"))
        self.undo.clicked.connect(self.undone)
        self.restore.clicked.connect(self.all_restored)
        self.limits = Label(tr(LIMITS), "note", wrap=True)
        self.set_padding(16)
        self.box.setContentsMargins(8, 16, 8, 12)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 0, 8, 0)
        foot.setSpacing(10)
        for widget in (self.dismissed, self.undo, self.restore):
            foot.addWidget(widget)
        foot.addStretch(1)
        self.box.setSpacing(6)
        for label in (self.heading, self.nothing, self.limits):
            label.setContentsMargins(8, 0, 8, 0)
        for widget in (self.heading, self.nothing):
            self.box.addWidget(widget)
        self.box.addWidget(self.list, 1)
        self.box.addLayout(foot)
        self.box.addWidget(self.limits)
        self.list.setMinimumHeight(theme.current().px(LIST_HEIGHT))
        self.show_items((), 0)

    def show_items(self, items: Sequence[LetterItem], dismissed: int, nothing: str = "") -> None:
        """`nothing`: what stands here where there is no entry."""
        if tuple(items) != self.model.items:
            self.model.show(items)
        listed = sum(item.listed for item in items)
        title = plural(listed, "What to look at: 1 place", "What to look at: %n places") if listed else ""
        self.heading.setText(title or tr("What to look at"))
        self.nothing.setText(nothing)
        self.nothing.setVisible(bool(nothing))
        self.dismissed.setText(plural(dismissed, "1 dismissed", "%n dismissed"))
        for widget in (self.dismissed, self.undo, self.restore):
            widget.setVisible(dismissed > 0)
        self.restore.setVisible(dismissed > 1)

    def choose(self, key: str) -> None:
        """Select an entry without being asked by it."""
        place = self.model.place_of(key)
        blocked = self.list.blockSignals(True)
        self.list.setCurrentIndex(place)
        self.list.blockSignals(blocked)
        if place.isValid():
            self.list.scrollTo(place)
