"""The table of a pile: its item model, and the view that opens rows by Enter and edits them by F2."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyleOptionViewItem, QTableView, QWidget

from biasprint.core.letters.pile import PileRow
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.pile.rows import (
    CHOSEN,
    COLUMNS,
    EDITABLE,
    GUESSED,
    NOT_CHOSEN,
    TEXTS,
    PileFilter,
    look_said,
    note,
    ordered,
    outcome_key,
    outcome_said,
    shown,
    sort_key,
    text_of,
    with_text,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.widgets.small_table import LEFT, RIGHT, TextDelegate, as_rows
from biasprint.desktop.widgets.words import plural, tr

# ---- The item model

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
Role = Qt.ItemDataRole
# Columns as wide as their longest text, up to this.
MOST_WIDTHS = {"file": 260, "look": 160, "person": 220, "cv": 200, "group": 140, "occupation": 160}
PATHS = ("file", "cv")  # columns that are cut in the middle where there is little room: a tooltip has the whole
NARROW = 1000  # text pixels of a table with little room
# The columns that stay where there is no room for all, the last first to go.
KEPT = (
    "file", "look", "person", "cv", "note", "outcome", "group", "occupation", "unsupported", "agentic", "communal",
    "words", "positivity", "formality",
)  # fmt: skip
LONGEST = 20  # names that are measured: the longest by letters
LEFT_ALIGNED = (*TEXTS, "cv", "outcome", "note")
KEYED = ("group", "outcome")  # chosen from a list
UNSORTED = -1  # the order of the pile
SORT_AGAIN_MILLISECONDS = 1000  # while rows come


class PileTable(QAbstractTableModel):
    """The model of a pile. `rows`: all rows in the pile's order; `shown`: the filtered rows in the table's order."""

    edited = Signal()  # a person set something right

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PileRow] = []
        self.shown: list[PileRow] = []
        self.labels: Mapping[str, str] = {}
        self.stand_ins: frozenset[str] = frozenset()
        self._place: dict[str, int] = {}  # path → place among all rows
        self._by_hand: dict[str, frozenset[str]] = {}
        # Column → its longest texts so far: 20,000 rows are not measured again whenever some come.
        self.longest: dict[str, list[str]] = {column: [] for column in MOST_WIDTHS}
        self.kinds: set[str] = set()  # of what there is to look at in any row so far
        self._where = PileFilter()
        self._sorted_by = (UNSORTED, Qt.SortOrder.AscendingOrder)
        self._again = QTimer(self, singleShot=True, interval=SORT_AGAIN_MILLISECONDS)
        self._again.timeout.connect(self._arrange)

    # the rows

    def start(self, labels: Mapping[str, str], stand_ins: frozenset[str]) -> None:
        """Begin a pile. `labels`: the label of each group key; `stand_ins`: figures of a stand-in scorer."""
        self.labels, self.stand_ins = labels, stand_ins
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def clear(self) -> None:
        """Drop every row."""
        self.beginResetModel()
        self.rows, self.shown = [], []
        self._place, self._by_hand = {}, {}
        self.longest, self.kinds = {column: [] for column in MOST_WIDTHS}, set()
        self._again.stop()
        self.endResetModel()

    def add(self, rows: Sequence[PileRow]) -> None:
        """Append rows; a sorted table is sorted again after a moment."""
        for row in rows:
            self._place[row.path_in_pile] = len(self.rows)
            self.rows.append(row)
        self._measure(rows)
        more = [row for row in rows if self._where.matches(row)]
        if more:
            self.beginInsertRows(_NOWHERE, len(self.shown), len(self.shown) + len(more) - 1)
            self.shown += more
            self.endInsertRows()
            if self._sorted_by[0] != UNSORTED and not self._again.isActive():
                self._again.start()

    def replace_rows(self, rows: Sequence[PileRow], by_hand: Collection[str] = ()) -> None:
        """Replace the values of existing rows. `by_hand`: columns whose new values a person set."""
        for row in rows:
            place = self._place.get(row.path_in_pile)
            if place is None:
                continue
            before = self.rows[place]
            corrected = {column for column in by_hand if getattr(row, column) != getattr(before, column)}
            if corrected:
                self._by_hand[row.path_in_pile] = self.by_hand(row) | corrected
            self.rows[place] = row
        self._measure(rows)
        self._label_groups(rows)
        self._arrange()
        self.edited.emit()

    def _label_groups(self, rows: Iterable[PileRow]) -> None:
        """Let groups of a person's own be chosen as well."""
        self.labels = {**self.labels, **{row.group: row.group for row in rows if row.group not in ("", *self.labels)}}

    def show(self, where: PileFilter) -> None:
        """Filter the rows."""
        if where != self._where:
            self._where = where
            self._arrange()

    def by_hand(self, row: PileRow) -> frozenset[str]:
        """Return the columns of a row that a person set."""
        return self._by_hand.get(row.path_in_pile, frozenset())

    @property
    def corrected(self) -> Mapping[str, frozenset[str]]:
        """Path of a row → its columns that a person set."""
        return self._by_hand

    def restore(self, by_hand: Mapping[str, Collection[str]]) -> None:
        """Take over which columns of which rows a person had set."""
        self._by_hand = {path: frozenset(columns) for path, columns in by_hand.items()}
        self._label_groups(self.rows)
        self._arrange()

    @property
    def count_by_hand(self) -> int:
        """The number of rows that a person corrected."""
        return len(self._by_hand)

    def occupations(self) -> list[str]:
        return sorted({row.occupation for row in self.rows if row.occupation})

    def set_text(self, paths: Iterable[str], column: str, value: str) -> None:
        """Set a name, an occupation or the key of a group for some rows; they are no longer guesses."""
        places = {row.path_in_pile: place for place, row in enumerate(self.shown)}
        for path in paths:
            place = self._place[path]
            row = with_text(self.rows[place], column, value)
            self.rows[place] = row
            self._by_hand[path] = self.by_hand(row) | {column}
            self._measure([row])
            if path in places:
                self.shown[places[path]] = row
        if self.shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.shown) - 1, len(COLUMNS) - 1))
        self.edited.emit()

    def _measure(self, rows: Sequence[PileRow]) -> None:
        self.kinds |= {kind for row in rows for kind in row.to_look_at}
        for column, longest in self.longest.items():
            texts = {*longest, *(shown(row, column, self.labels, self.by_hand(row)) for row in rows)}
            longest[:] = nlargest(LONGEST, texts, key=len)

    def _arrange(self) -> None:
        self._again.stop()
        self.layoutAboutToBeChanged.emit()
        before = [(index, self.shown[index.row()].path_in_pile) for index in self.persistentIndexList()]
        matching = [row for row in self.rows if self._where.matches(row)]
        column, order = self._sorted_by
        if column != UNSORTED:
            name, descending = COLUMNS[column], order == Qt.SortOrder.DescendingOrder
            matching = ordered(matching, lambda row: sort_key(row, name, self.labels), descending=descending)
        self.shown = matching
        places = {row.path_in_pile: place for place, row in enumerate(matching)}
        now = [self.index(places[path], old.column()) if path in places else _NOWHERE for old, path in before]
        self.changePersistentIndexList([old for old, _ in before], now)
        self.layoutChanged.emit()

    # what Qt asks

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order)
        self._arrange()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        column = COLUMNS[index.column()] if index.isValid() else ""
        if column == "outcome" or (column in EDITABLE and self.shown[index.row()].read):
            return flags | Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.shown[index.row()], COLUMNS[index.column()]
        by_hand = self.by_hand(row)
        if role == Role.DisplayRole:
            return tr(shown(row, column, self.labels, by_hand))
        if role == Role.EditRole:
            if column in KEYED:
                return row.group if column == "group" else outcome_key(row.outcome)
            return text_of(row, column, self.labels) if column in EDITABLE else None
        if role == Role.TextAlignmentRole:
            return LEFT if column in LEFT_ALIGNED else RIGHT
        if role == Role.AccessibleTextRole:
            return tr(self._aloud(row, column, by_hand))
        if role == Role.ToolTipRole:
            tip = self._tip(row, column, by_hand)
            return safe_tip(tr(tip)) if tip else None
        return self._dressed(row, column, by_hand, role)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole or not index.isValid():
            return False
        row, column = self.shown[index.row()], COLUMNS[index.column()]
        if value == self.data(index, Role.EditRole):
            return False
        self.set_text([row.path_in_pile], column, str(value))
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        name = COLUMNS[section]
        if role == Role.DisplayRole:
            return tr(f"{column_title(name)}\nstand-in" if name in self.stand_ins else column_title(name))
        if role == Role.ToolTipRole:
            stands_in = tr("A stand-in scorer, in place of the one that the study used.")
            return f"{column_help(name)} {stands_in if name in self.stand_ins else ''}".strip()
        if role == Role.ForegroundRole and name in self.stand_ins:
            return QColor(theme.current().warn)
        if role == Role.TextAlignmentRole:
            return LEFT if name in LEFT_ALIGNED else RIGHT
        return None

    def _aloud(self, row: PileRow, column: str, by_hand: frozenset[str]) -> str:
        text = shown(row, column, self.labels, by_hand)
        if column == "file":
            return text if row.read else tr("{file}, not read").format(file=text)
        guess = tr(", guessed") if column in GUESSED and text and column not in by_hand else ""
        return f"{column_title(column)}: {text.removesuffix(' ?')}{guess}" if text else ""

    def _tip(self, row: PileRow, column: str, by_hand: frozenset[str]) -> str:
        if column == "file":
            return row.path_in_pile
        if column == "cv" and row.cv is not None:
            return row.cv.name
        if column == "look":
            return look_said(row)
        if column in GUESSED and row.read:
            text = text_of(row, column, self.labels)
            guess = tr("Guessed from the letter: press F2 to set it right.") if column not in by_hand else ""
            return " · ".join(part for part in (text, guess) if part)
        return note(row) if column == "note" or not row.read else ""

    def _dressed(self, row: PileRow, column: str, by_hand: frozenset[str], role: int) -> Any:
        guess = column in GUESSED and column not in by_hand
        if role == Role.ForegroundRole and (guess or not row.read):
            return QColor(theme.current().danger if column == "note" else theme.current().soft)
        if role == Role.FontRole and guess:
            font = QFont(theme.current().family)
            font.setPixelSize(theme.current().control)
            font.setItalic(True)
            return font
        return None


def column_title(column: str) -> str:
    return {
        "file": tr("File"),
        "person": tr("Name"),
        "occupation": tr("Occupation"),
        "group": tr("Group"),
        "look": tr("To look at"),
        "agentic": tr("Agentic"),
        "communal": tr("Communal"),
        "formality": tr("Formal"),
        "positivity": tr("Positive"),
        "unsupported": tr("No support"),
        "words": tr("Words"),
        "cv": tr("CV"),
        "outcome": tr("Outcome"),
        "note": tr("Note"),
    }[column]


def column_help(column: str) -> str:
    return {
        "file": tr("Where the file is in the pile. Enter opens the letter."),
        "person": tr("Whom the letter is about: a guess until you set it. Letters about one person count once."),
        "occupation": tr("A guess until you set it."),
        "group": tr("By the pronouns of the letter: a guess until you set it, and you may leave it out."),
        "look": tr("Words that are no praise, and claims that the CV does not carry: how many places"),
        "agentic": tr("Share of sentences with agentic words"),
        "communal": tr("Share of sentences with communal words"),
        "formality": tr("Share of sentences that score as formal"),
        "positivity": tr("Share of sentences that score as positive"),
        "unsupported": tr("Share of claims that the CV does not support"),
        "words": tr("Words in the letter's body"),
        "cv": tr("The CV that the letter's claims were held against"),
        "outcome": tr("Whether the candidate was chosen, by your table of outcomes or as you set it"),
        "note": tr("Why a file was not read, or what looks wrong with the letter"),
    }[column]


ROW_HEIGHT = 34
LEAST_HEIGHT = 160  # header and a few rows; a page with less room scrolls
WIDTHS = {
    "file": 140, "person": 122, "occupation": 104, "group": 84, "look": 100, "agentic": 70, "communal": 86,
    "formality": 70, "positivity": 74, "unsupported": 92, "words": 62, "cv": 110, "outcome": 92,
    "note": 110,
}  # fmt: skip
NAME_SPACE = 28  # beside a name
EDITABLE_WORDS = 80


def choices_of(column: str, labels: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Return key and words of each choice in such a column, besides “not known”."""
    if column == "group":
        return tuple(labels.items())
    return ((CHOSEN, outcome_said(True)), (NOT_CHOSEN, outcome_said(False)))


class _Delegate(TextDelegate):
    """The editors: a group and an outcome are chosen from a list; a name and an occupation are typed."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if COLUMNS[index.column()] not in PATHS:  # a file's own name comes last in its path
            option.textElideMode = Qt.TextElideMode.ElideRight  # type: ignore[attr-defined]

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        table = index.model()
        assert isinstance(table, PileTable)
        column = COLUMNS[index.column()]
        if column in KEYED:
            box = ComboBox(parent)
            box.addItem(tr("not known"), "")
            for key, label in choices_of(column, table.labels):
                box.addItem(safe_line(tr(label)), key)
            return box
        editor = super().createEditor(parent, option, index)
        if hasattr(editor, "setMaxLength"):
            editor.setMaxLength(EDITABLE_WORDS)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, ComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(Qt.ItemDataRole.EditRole))))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, ComboBox):
            model.setData(index, editor.currentData() or "")
        else:
            super().setModelData(editor, model, index)


class PileList(QTableView):
    """The view of the table; `opened` carries the row that was double-clicked, or on which Enter was pressed."""

    opened = Signal(object)  # PileRow
    selected = Signal()  # other rows, or other values of theirs
    left_out_changed = Signal()
    cv_wanted = Signal(list)  # of PileRow
    cv_unwanted = Signal(list)

    def __init__(self, table: PileTable) -> None:
        super().__init__()
        self.table, self._wanted = table, KEPT
        self.left_out: tuple[str, ...] = ()  # columns that have no room
        self.setModel(table)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(tr("The letters of the pile"))
        as_rows(self)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(lambda index: self.opened.emit(self.table.shown[index.row()]))
        for change in (self.selectionModel().selectionChanged, table.layoutChanged, table.dataChanged):
            change.connect(lambda *_: self.selected.emit())
        self.customContextMenuRequested.connect(self.open_menu)
        theme.follow(self._dress)

    def chosen(self) -> list[PileRow]:
        """Return the selected rows."""
        return [self.table.shown[row] for row in sorted(index.row() for index in self.selectionModel().selectedRows())]

    def show_columns(self, without: Sequence[str]) -> None:
        """Show all columns but these, as far as there is room."""
        self._wanted = tuple(name for name in KEPT if name not in without)
        self.fit()

    def fit(self) -> None:
        """Show the columns that have room, none of them cut."""
        room, tokens = self.viewport().width(), theme.current()
        narrow = room < tokens.px(NARROW)
        widths: dict[str, int] = {}
        for name in self._wanted:
            wanted = tokens.px(WIDTHS[name]) if narrow and name in PATHS else self._width_of(name)
            if widths and wanted > room:
                break
            widths[name] = wanted
            room -= wanted
        widths["note" if "note" in widths else "file"] += max(0, room)
        for place, name in enumerate(COLUMNS):
            self.setColumnHidden(place, name not in widths)
            if name in widths:
                self.setColumnWidth(place, widths[name])
        left_out = tuple(name for name in COLUMNS if name in self._wanted and name not in widths)
        if left_out != self.left_out:
            self.left_out = left_out
            self.left_out_changed.emit()

    def _width_of(self, name: str) -> int:
        """The width that a column's longest text takes, within bounds."""
        tokens = theme.current()
        font = QFont(tokens.family)
        font.setPixelSize(tokens.control)
        font.setItalic(name in GUESSED)
        longest = max(map(QFontMetrics(font).horizontalAdvance, self.table.longest.get(name, ())), default=0)
        most = tokens.px(MOST_WIDTHS.get(name, WIDTHS[name]))
        return max(tokens.px(WIDTHS[name]), min(longest + tokens.px(NAME_SPACE), most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Highlight the row that the keyboard is at: Qt makes one current, and says so nowhere."""
        super().focusInEvent(event)
        if self.currentIndex().isValid() and not self.selectionModel().hasSelection():
            self._select(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not editing and self.currentIndex().isValid():
            self.opened.emit(self.table.shown[self.currentIndex().row()])
        else:
            super().keyPressEvent(event)

    def highlight(self, path: str) -> None:
        """Select the row of this file alone; none where the filter hides it."""
        place = next((place for place, row in enumerate(self.table.shown) if row.path_in_pile == path), None)
        if place is None:
            self.clearSelection()
        else:
            self._select(place)

    def _select(self, place: int) -> None:
        """Select one row, whichever keys are held: with Ctrl, Qt's own `selectRow` adds to what is selected."""
        select = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(self.table.index(place, 0), select)

    def open_menu(self, place: QPoint) -> None:
        """Offer the actions on the selected rows."""
        rows = self.chosen()
        if not rows:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Open the letter"), lambda: self.opened.emit(rows[0]))
        read = [row.path_in_pile for row in rows if row.read]
        menu.addSection(plural(len(read), "Group of this letter", "Group of these %n letters"))
        for key, label in (*choices_of("group", self.table.labels), ("", tr("not known"))):
            self._offer(menu, safe_line(label), "group", key, read)
        menu.addSection(plural(len(rows), "Outcome of this letter", "Outcome of these %n letters"))
        every = [row.path_in_pile for row in rows]
        for key, label in (*choices_of("outcome", {}), ("", tr("not known"))):
            self._offer(menu, label, "outcome", key, every)
        menu.addSection(tr("CV"))
        menu.addAction(tr("Choose the CV…"), lambda: self.cv_wanted.emit(rows)).setEnabled(bool(read))
        with_cv = any(row.cv is not None for row in rows)
        menu.addAction(tr("Without a CV"), lambda: self.cv_unwanted.emit(rows)).setEnabled(with_cv)
        menu.popup(self.viewport().mapToGlobal(place))
        self.menu = menu

    def _offer(self, menu: QMenu, words: str, column: str, key: str, paths: list[str]) -> None:
        action: Any = menu.addAction(words, lambda: self.table.set_text(paths, column, key))
        action.setEnabled(bool(paths))

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.verticalHeader().setDefaultSectionSize(tokens.px(ROW_HEIGHT))
        self.setMinimumHeight(tokens.px(LEAST_HEIGHT))
        self.fit()
