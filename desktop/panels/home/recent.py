"""The projects that were opened last: name, folder and when each was changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QDate, QLocale, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from core.jobs import JobContext
from desktop import theme
from desktop.widgets import Card, Label, tr
from desktop.widgets.safe_text import safe_line

ROW_HEIGHT = 48
MOST_ROWS = 6
INSET = 12  # of a row's text, so that the tint under the pointer has room around it
PATH_ROLE, FOLDER_ROLE, DATE_ROLE = (Qt.ItemDataRole.UserRole + n for n in (1, 2, 3))


@dataclass(frozen=True)
class RecentProject:
    """`changed` is when the file was written last, None where it is not there now."""

    path: Path
    changed: datetime | None


def look_up(ctx: JobContext, paths: Sequence[Path]) -> tuple[RecentProject, ...]:
    """Ask the disk about each; a network folder may take its time, so this is a job."""
    found = []
    for path in paths:
        ctx.check()
        try:
            found.append(RecentProject(path, datetime.fromtimestamp(path.stat().st_mtime)))
        except (OSError, OverflowError, ValueError):
            found.append(RecentProject(path, None))
    return tuple(found)


class RecentModel(QAbstractListModel):
    """Rows for the list."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[RecentProject, ...] = ()

    def show(self, rows: Sequence[RecentProject]) -> None:
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role == PATH_ROLE:
            return row.path
        if role == Qt.ItemDataRole.DisplayRole:
            return safe_line(row.path.stem)
        if role == FOLDER_ROLE:
            return safe_line(short_folder(row.path.parent))
        if role == DATE_ROLE:
            return tr("not there now") if row.changed is None else day_words(row.changed)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(
                str(self.data(index, each)) for each in (Qt.ItemDataRole.DisplayRole, FOLDER_ROLE, DATE_ROLE)
            )
        return None


class RecentDelegate(QStyledItemDelegate):
    """Two lines: the name, and under it the folder; the day at the right."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        super().paint(painter, option, index)
        tokens = theme.current()
        inner = option.rect.adjusted(INSET, 0, -INSET, 0)
        upper = QRect(inner.left(), inner.top() + 4, inner.width(), inner.height() // 2 - 2)
        lower = QRect(inner.left(), upper.bottom(), inner.width(), inner.height() // 2 - 4)
        day = str(index.data(DATE_ROLE))
        painter.save()
        font = QFont(option.font)
        font.setPixelSize(tokens.note)
        painter.setFont(font)
        painter.setPen(tokens.soft)
        day_width = painter.fontMetrics().horizontalAdvance(day)
        painter.drawText(upper, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, day)
        folder = painter.fontMetrics().elidedText(index.data(FOLDER_ROLE), Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, folder)
        font.setPixelSize(tokens.control)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(tokens.ink)
        room = max(0, inner.width() - day_width - 12)
        name = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(upper, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(0, theme.current().px(ROW_HEIGHT))


class RecentCard(Card):
    """The list, or what will stand there."""

    chosen = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(theme.current().margin - INSET, theme.current().margin)
        self.setAccessibleName(tr("Recent projects"))
        self.model = RecentModel()
        self.list = QListView()
        self.list.setProperty("role", "clear")
        self.list.setAccessibleName(tr("Recent projects"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(RecentDelegate(self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.nothing = Label(tr("Projects that you open or make will be listed here."), "soft", wrap=True)
        drop = tr("A project or a table can also be dropped anywhere on this window.")
        for label in (Label(tr("Recent projects"), "heading"), self.nothing):
            label.setContentsMargins(INSET, 0, INSET, 0)
            self.box.addWidget(label)
        self.box.addWidget(self.list)
        self.box.addStretch(1)
        foot = Label(drop, "note", wrap=True)
        foot.setContentsMargins(INSET, 0, INSET, 0)
        self.box.addWidget(foot)
        theme.signals.changed.connect(self._fit)
        self._fit()

    def show_projects(self, rows: Sequence[RecentProject]) -> None:
        self.model.show(rows[:MOST_ROWS])
        self._fit()

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(PATH_ROLE))

    def _fit(self, _tokens: object = None) -> None:
        rows = self.model.rowCount()
        self.list.setFixedHeight(rows * theme.current().px(ROW_HEIGHT) + 4)
        self.list.setVisible(bool(rows))
        self.nothing.setVisible(not rows)


def day_words(moment: datetime) -> str:
    """A day as one speaks of it: the hour today, "yesterday", else the date."""
    days = (datetime.now().date() - moment.date()).days
    if days == 0:
        return moment.strftime("%H:%M")
    if days == 1:
        return tr("yesterday")
    day = QDate(moment.year, moment.month, moment.day)
    return QLocale().toString(day, QLocale.FormatType.ShortFormat)


def short_folder(folder: Path) -> str:
    """A folder with the home folder written as "~"."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(folder)
