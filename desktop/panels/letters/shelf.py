"""The list of kept letters on the start page: one's own, the open project's, and drafts that were left behind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from biasprint.desktop import theme
from biasprint.desktop.widgets import Card, FlowLayout, Label, LinkButton, Notice, QuietButton, plural, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.layout import clear_column
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.letters.kept import KeptEntry
    from biasprint.desktop.operations.kept_letters import KeptHere

ROW_HEIGHT, MOST_ROWS = 36, 6  # pixels; rows that are seen at once
MOST_DRAFTS = 3  # offered at once: there is one for each window that ended without being asked
SIDE_ROLE = Qt.ItemDataRole.UserRole + 1
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class ShelfRow:
    """A letter of the list. `in_project`: it is a reading of the open project."""

    key: str
    title: str
    when: str
    in_project: bool


class _RowDelegate(QStyledItemDelegate):
    """A letter's title, and at the right where and when it was saved."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme.current()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(option.rect, QColor(tokens.accent_soft))
        room = option.rect.adjusted(tokens.px(8), 0, -tokens.px(8), 0)
        side = str(index.data(SIDE_ROLE))
        width = option.fontMetrics.horizontalAdvance(side)
        painter.setPen(QColor(tokens.ink if chosen else tokens.soft))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), side)
        left = room.adjusted(0, 0, -width - tokens.px(16), 0)
        title = option.fontMetrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, left.width())
        painter.setPen(QColor(tokens.ink))
        painter.drawText(left, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), title)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.current().px(ROW_HEIGHT))


class _List(QListView):
    """Enter and a double click open a letter, Delete removes one."""

    opened, removed = Signal(object), Signal(object)  # ShelfRow

    def row(self) -> ShelfRow | None:
        row = self.currentIndex().data(ENTRY_ROLE)
        return row if isinstance(row, ShelfRow) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.row()
        if row is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(row)
        elif row is not None and event.key() == Qt.Key.Key_Delete:
            if is_fresh(event):
                self.removed.emit(row)
        else:
            super().keyPressEvent(event)


class KeptCard(Card):
    """Hidden while nothing is kept; its drafts, `offers`, stand elsewhere.

    `show_here` and `show_project` fill it, `offer_project` waits to be asked.
    """

    opened, removed = Signal(object), Signal(object)  # ShelfRow
    draft_opened = Signal(str, str)  # its key, and the reading of a project that it is of
    draft_removed = Signal(str)
    project_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Kept letters"))
        self.list = _List()
        self.open = QuietButton(tr("Open"))
        self.remove = LinkButton(tr("Remove"))
        self.look = LinkButton(tr("Show the letters of this project"))
        self.damaged = Label("", "note", wrap=True)
        self.drafts: tuple[Notice, ...] = ()
        self.offers, self._offers = clear_column(8)  # the drafts, for the top of the page
        self._here: tuple[ShelfRow, ...] = ()
        self._in_project: tuple[ShelfRow, ...] = ()
        self._offers_project = False
        self._model = QStandardItemModel(self)
        self._lay_out()
        self._connect()
        self._show()
        self._dress()
        theme.signals.changed.connect(self._dress)

    def show_here(self, here: "KeptHere") -> None:
        """What is kept on this computer."""
        self._here = tuple(ShelfRow(one.key, one.title, one.when, False) for one in here.saved)
        words = plural(
            here.damaged,
            "1 file of the letters’ folder cannot be read.",
            "%n files of the letters’ folder cannot be read.",
        )
        self.damaged.setText(words if here.damaged else "")
        self._offer_drafts(here.drafts)
        self._show()

    def show_project(self, entries: "tuple[KeptEntry, ...]") -> None:
        """The letters of the open project; () without one."""
        self._offers_project = False
        self._in_project = tuple(ShelfRow(one.key, one.title, one.when, True) for one in entries)
        self._show()

    def offer_project(self) -> None:
        """Somebody is rating: the letters of the project are shown when they are asked for."""
        self._in_project, self._offers_project = (), True
        self._show()

    def rows(self) -> tuple[ShelfRow, ...]:
        """The letters that are listed, the newest first."""
        return tuple(sorted(self._here + self._in_project, key=lambda row: row.when, reverse=True))

    def _offer_drafts(self, drafts: "tuple[KeptEntry, ...]") -> None:
        for notice in self.drafts:
            notice.close()
        # A letter of a project is not named here: somebody may be rating it.
        self.drafts = tuple(self._draft_notice(one) for one in drafts[:MOST_DRAFTS])
        for place, notice in enumerate(self.drafts):
            self._offers.insertWidget(place, notice)
        self.offers.setVisible(bool(self.drafts))

    def _draft_notice(self, draft: "KeptEntry") -> Notice:
        title = tr("a letter of a project") if draft.reading else tr("“{title}”").format(title=safe_line(draft.title))
        words = tr("You edited {letter} and did not save it ({when}).")
        notice = Notice(words.format(letter=title, when=_spelled(draft.when)), tone="warn", closable=False, narrow=True)
        notice.add_action(tr("Go on with it"), lambda: self.draft_opened.emit(draft.key, draft.reading))
        notice.add_action(tr("Delete the draft"), lambda: self.draft_removed.emit(draft.key))
        return notice

    def _show(self) -> None:
        before = self.list.row()
        self._model.clear()
        rows = self.rows()
        for row in rows:
            item = QStandardItem(safe_line(row.title))
            where = tr("in the project") if row.in_project else tr("mine")
            side = f"{where} · {_spelled(row.when)}"
            item.setData(side, SIDE_ROLE)
            item.setData(row, ENTRY_ROLE)
            item.setData(f"{safe_line(row.title)}, {side}", Qt.ItemDataRole.AccessibleTextRole)
            self._model.appendRow(item)
        if rows:
            self.list.setCurrentIndex(self._model.index(rows.index(before) if before in rows else 0, 0))
        for widget in (self.list, self.open, self.remove):
            widget.setVisible(bool(rows))
        self.look.setVisible(self._offers_project)
        self.damaged.setVisible(bool(self.damaged.text()))
        self.setVisible(bool(rows or self._offers_project or self.damaged.text()))
        self._dress()

    def _enable(self) -> None:
        row = self.list.row()
        self.open.setEnabled(row is not None)
        self.remove.setEnabled(row is not None)

    def _with_row(self, act: Callable[[ShelfRow], object]) -> None:
        row = self.list.row()
        if row is not None:
            act(row)

    def _lay_out(self) -> None:
        self.list.setModel(self._model)
        self.list.setItemDelegate(_RowDelegate(self.list))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName(tr("Kept letters"))
        buttons = FlowLayout(spacing=8, centred=True)
        for button in (self.open, self.remove, self.look):
            buttons.addWidget(button)
        self.box.setSpacing(12)
        self.box.addWidget(self.list)
        self.box.addLayout(buttons)
        self.box.addWidget(self.damaged)

    def _connect(self) -> None:
        self.list.opened.connect(self.opened)
        self.list.removed.connect(self.removed)
        self.list.doubleClicked.connect(lambda _: self._with_row(self.opened.emit))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._enable())
        self.open.clicked.connect(lambda: self._with_row(self.opened.emit))
        self.remove.clicked.connect(lambda: self._with_row(self.removed.emit))
        self.look.clicked.connect(self.project_wanted)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.list.setFixedHeight(min(MOST_ROWS, max(1, self._model.rowCount())) * tokens.px(ROW_HEIGHT) + 4)


def _spelled(when: str) -> str:
    """A time of the store as the person's own clock and language say it."""
    at = QDateTime.fromString(when, Qt.DateFormat.ISODateWithMs)
    return QLocale().toString(at.toLocalTime(), QLocale.FormatType.ShortFormat)
