"""The form of how a table is read: what its rows are, a known layout or a column for each field."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QStackedWidget,
    QTabBar,
    QTableView,
    QWidget,
)

from biasprint.core.tables import FieldSpec
from biasprint.core.tables.fields import JOIN
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace
from biasprint.desktop import theme
from biasprint.desktop.operations.importing import LookedAt, TableChoice, TableReading
from biasprint.desktop.widgets import ElidedLabel, Label, LinkButton, PlainText, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import CheckBox, ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import named, show_words
from biasprint.desktop.widgets.layout import STRETCH, Dialog, Gap, add_to, fitting, grid_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TextDelegate
from biasprint.desktop.wording.generators import words_of

SEVERAL, BEFORE = "\n", "before"  # the data of the entry that asks for several; a property: the entry before it
FIELD_WIDTH = 220  # text pixels
MOST_HEADER_ROWS = 10_000
ACROSS = 3  # fields side by side
ACROSS_MANY = 4  # where there are more than six, so that the rows below can be seen


class ReadingForm(QWidget):
    """The form. `changed` reports that the table is to be read differently. `repeats` is placed by the dialog."""

    changed = Signal()
    place_changed = Signal(object)  # HeaderPlace

    def __init__(self) -> None:
        super().__init__()
        self._looked: LookedAt | None = None
        self.sheet = _box(tr("Sheet"))
        self.header = named(QSpinBox(minimum=1, maximum=MOST_HEADER_ROWS), tr("Row that names the columns"))
        self.header.setKeyboardTracking(False)
        guard_wheel(self.header)
        self.sheet_label, self.header_label = Label(tr("Sheet")), Label(tr("Columns named in row"))
        self.columns: dict[str, ComboBox] = {}
        self.kind = _box(tr("What the rows are"))
        self.layout_box = _box(tr("Layout"))
        for box in (self.kind, self.layout_box, self.sheet):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layout_label = Label(tr("Layout"))
        self.repeats = CheckBox(tr("Leave out rows that repeat another"))
        self.taken = Label("", "note", wrap=True)
        self.more = LinkButton("")
        self.more.setCheckable(True)
        self.recognised = ElidedLabel("", "note")
        self._fields, self._optional = QWidget(), QWidget()
        self._lay_out()
        self.more.toggled.connect(self._show_more)
        self.kind.activated.connect(lambda _: self._choose_kind())
        self.sheet.activated.connect(lambda _: self.place_changed.emit(HeaderPlace(self.sheet.currentData())))
        self.header.valueChanged.connect(self._choose_header)
        self.layout_box.activated.connect(lambda _: self._choose_layout())
        self.repeats.toggled.connect(lambda _: self.changed.emit())

    def show_table(self, looked: LookedAt) -> None:
        """Offer what this table can be, the likeliest first chosen."""
        self._looked = looked
        self._show_place(looked)
        self.kind.clear()
        for kind in looked.fields:
            self.kind.addItem(tr(words_of(kind).rows), kind)
        self.kind.setCurrentIndex(self.kind.findData(looked.likely_kind()))
        self._choose_kind()

    def _show_place(self, looked: LookedAt) -> None:
        place = looked.place
        self.sheet.clear()
        for title in looked.sheets:
            self.sheet.addItem(safe_line(title), title)
        if place is not None:
            self.sheet.setCurrentIndex(self.sheet.findData(place.sheet))
            self.header.setValue(place.row or 1)
        for widget in (self.sheet_label, self.sheet):
            widget.setVisible(len(looked.sheets) > 1)
        for widget in (self.header_label, self.header):
            widget.setVisible(place is not None)

    def _choose_header(self, row: int) -> None:
        place = self._looked.place if self._looked is not None else None
        if place is not None and row != place.row:
            self.place_changed.emit(HeaderPlace(place.sheet, row))

    def choice(self) -> TableChoice:
        """The choice made now. A field without a column is requested without one, and not guessed again."""
        assert self._looked is not None
        mapping = {name: box.currentData() for name, box in self.columns.items()}
        layout = self.layout_box.currentData()
        chosen = self._looked.place if self._looked.placed else None
        return TableChoice(
            self._looked.path,
            self.kind.currentData(),
            layout,
            None if layout else mapping,
            self.repeats.isChecked(),
            chosen or ANYWHERE,
        )

    def missing(self) -> FieldSpec | None:
        """Return the first needed field that has no column."""
        if self._looked is None or self.layout_box.currentData():
            return None
        kind = self.kind.currentData()
        needed = self._looked.needed[kind]
        return next(
            (
                field
                for field in self._looked.fields[kind]
                if field.name in needed and not self.columns[field.name].currentData()
            ),
            None,
        )

    def show_reading(self, reading: TableReading | None) -> None:
        """Show where the fields of a layout come from."""
        pairs = reading.mapping.items() if reading is not None and self.layout_box.currentData() else ()
        sources = "; ".join(_from(field, column) for field, column in pairs)
        show_words(self.taken, safe_line(sources))

    def _choose_kind(self) -> None:
        assert self._looked is not None
        self.layout_box.clear()
        self.layout_box.addItem(tr("A column for each field"), None)
        for layout in self._looked.layouts:
            if layout.kind == self.kind.currentData():
                self.layout_box.addItem(safe_line(layout.title), layout.name)
        self.layout_box.setCurrentIndex(self.layout_box.count() - 1)
        for widget in (self.layout_box, self.layout_label):
            widget.setVisible(self.layout_box.count() > 1)
        self._make_fields()
        self._choose_layout()

    def _choose_layout(self) -> None:
        self._show_more(self.more.isChecked())
        self.show_reading(None)
        self.changed.emit()

    def _show_more(self, more: bool) -> None:
        """Show the fields that need a column, the others on request; none for a layout, which has its own columns."""
        own = not self.layout_box.currentData()
        optional = len(self.columns) - len(self._needed())
        self._fields.setVisible(own)
        self._optional.setVisible(own and more)
        self.more.setVisible(own and bool(optional))
        self.recognised.setVisible(own and not more)
        self.more.set_text(tr("Fewer fields") if more else plural(optional, "1 more field…", "%n more fields…"))
        self._say_recognised()

    def _say_recognised(self) -> None:
        """Show the columns recognised for the folded fields."""
        chosen = {name: box.currentData() for name, box in self.columns.items() if name not in self._needed()}
        sources = [_from(name, column) for name, column in chosen.items() if column]
        self.recognised.set_text("; ".join(sources) or tr("none of them recognised"))

    def _needed(self) -> frozenset[str]:
        return self._looked.needed[self.kind.currentData()] if self._looked is not None else frozenset()

    def _make_fields(self) -> None:
        """Make a box for each field of the kind, with the guess."""
        assert self._looked is not None
        kind = self.kind.currentData()
        self.columns = {}
        needed, other = QWidget(), QWidget()
        for parent, wanted in ((needed, True), (other, False)):
            fields = [field for field in self._looked.fields[kind] if (field.name in self._needed()) == wanted]
            self._fill(parent, fields)
        for old, new in ((self._fields, needed), (self._optional, other)):
            self.layout().replaceWidget(old, new)
            old.hide()  # it is deleted later, and would be seen through the new ones until then
            old.deleteLater()
        self._fields, self._optional = needed, other
        boxes = list(self.columns.values())
        split = len(self._needed())
        for before, after in pairwise([self.layout_box, *boxes[:split], self.more, *boxes[split:]]):
            QWidget.setTabOrder(before, after)

    def _fill(self, parent: QWidget, fields: Sequence[FieldSpec]) -> None:
        assert self._looked is not None
        grid = grid_of(parent, stretch=None)
        guesses = self._looked.guesses[self.kind.currentData()]
        fit = max(1, self.window().width() // theme.current().px(FIELD_WIDTH))
        across = min(fit, ACROSS if len(self._needed()) <= 2 * ACROSS else ACROSS_MANY)
        for number, field in enumerate(fields):
            self.columns[field.name] = box = self._column_box(field, guesses.get(field.name, ""))
            name = tr("{field} (needed)") if field.name in self._needed() else "{field}"
            cell = in_column(Label(name.format(field=_spelled(field.name)), "strong"), spacing=2)
            add_to(cell, Label(field.description, "note", wrap=True), STRETCH, box)
            grid.addLayout(cell, number // across, number % across)
        for column in range(across):
            grid.setColumnStretch(column, 1)

    def _column_box(self, field: FieldSpec, guess: str) -> ComboBox:
        assert self._looked is not None
        box = _box(tr("Column for {field}").format(field=tr(field.name.replace("_", " "))))
        box.addItem(tr("— in no column —"), "")
        for column in self._looked.columns:
            box.addItem(as_given(column) or tr("(no name)"), column)
        if guess and guess not in self._looked.columns:
            box.addItem(safe_line(tr(" and ").join(guess.split(JOIN))), guess)
        if field.long_text and len(self._looked.columns) > 1:
            box.addItem(tr("Several columns, one for each model…"), SEVERAL)
        box.setCurrentIndex(max(0, box.findData(guess)))
        box.setProperty(BEFORE, box.currentIndex())
        box.setAccessibleDescription(tr(field.description))
        box.activated.connect(lambda _: self._choose_column(field, box))
        return box

    def _choose_column(self, field: FieldSpec, box: ComboBox) -> None:
        if box.currentData() != SEVERAL:
            box.setProperty(BEFORE, box.currentIndex())
            self.changed.emit()
            return
        assert self._looked is not None
        dialog = SeveralColumns(self, self._looked.columns, str(box.itemData(box.property(BEFORE))))
        dialog.accepted.connect(lambda: self._join(field, dialog.chosen()))
        dialog.rejected.connect(lambda: box.setCurrentIndex(box.property(BEFORE)))
        dialog.open()

    def _join(self, field: FieldSpec, columns: Sequence[str]) -> None:
        """Take several columns for a field, and their names for the group where that is open, else for the model."""
        assert self._looked is not None
        kind, joined = self.kind.currentData(), JOIN.join(columns)
        chosen = {name: box.currentData() for name, box in self.columns.items()} | {field.name: joined}
        before = [name for name, column in chosen.items() if JOIN in column and column not in self._looked.columns]
        open_groups = [each.name for each in self._looked.fields[kind] if each.otherwise and not chosen[each.name]]
        for name in before if len(before) > 1 else [*open_groups, "model"][:1]:
            if name in chosen:
                chosen[name] = joined
        self._looked = replace(self._looked, guesses={**self._looked.guesses, kind: chosen})
        self._make_fields()
        self._choose_layout()

    def _lay_out(self) -> None:
        tokens = theme.current()
        box = in_column(inside=self, spacing=tokens.gap, margins=0)
        top = in_row(Label(tr("The rows are")), self.kind, Gap(tokens.gap), self.layout_label, spacing=tokens.grid)
        add_to(top, self.layout_box, STRETCH, self.sheet_label, self.sheet, self.header_label, self.header)
        box.addLayout(top)
        fold = in_row(self.more, (self.recognised, 1), 0, spacing=tokens.grid)
        add_to(box, self._fields, fold, self._optional, self.taken)


class SeveralColumns(Dialog):
    """The columns of a table, of which each chosen one holds the texts of one model."""

    def __init__(self, parent: QWidget, columns: Sequence[str], chosen: str) -> None:
        super().__init__(parent, tr("Several columns"), modal=False)
        tokens = theme.current()
        self.list = named(QListWidget(), tr("Columns, each with the texts of one model"))
        self.list.setItemDelegate(TextDelegate(self.list))
        for column in columns:
            item = QListWidgetItem(as_given(column) or tr("(no name)"), self.list)
            item.setData(Qt.ItemDataRole.UserRole, column)
            item.setCheckState(Qt.CheckState.Checked if column in chosen.split(JOIN) else Qt.CheckState.Unchecked)
        self.take, cancel = PrimaryButton(tr("Take these"), act=self.accept), QuietButton(tr("Cancel"), act=self.reject)
        self.take.setDefault(True)
        self.list.itemChanged.connect(lambda _: self._allow())
        buttons = in_row(STRETCH, cancel, self.take)
        words = tr("Tick each column that holds the texts of one model. Its name becomes the model.")
        in_column(
            Label(words, "soft", wrap=True), self.list, buttons, inside=self, spacing=tokens.gap, margins=tokens.margin
        )
        self.resize(fitting(parent, 420, 380))
        self._allow()

    def chosen(self) -> list[str]:
        items = [self.list.item(row) for row in range(self.list.count())]
        return [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _allow(self) -> None:
        self.take.setEnabled(len(self.chosen()) > 1)


def _box(name: str) -> ComboBox:
    box = named(ComboBox(), tr(name))
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(14)
    return box


def _spelled(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _from(field: str, column: str) -> str:
    return tr("{field} from {column}").format(
        field=tr(field.replace("_", " ")), column=as_given(column.replace(JOIN, ", "))
    )


ROW_HEIGHT = 30
TEXT_SHARE = 3  # a text column is so many times as wide as others
LONG = 60  # characters


class PreviewModel(QAbstractTableModel):
    """A model of a few rows of plain text."""

    def __init__(self) -> None:
        super().__init__()
        self._fields: Sequence[str] = ()
        self._rows: Sequence[Sequence[str]] = ()

    def show(self, fields: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.beginResetModel()
        self._fields, self._rows = tuple(fields), [[as_given(cell) for cell in row] for row in rows]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._fields)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self._rows[index.row()][index.column()] if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(_spelled(self._fields[section]))
        return None

    def long_columns(self) -> list[int]:
        """Return the columns that hold long texts."""
        return [n for n in range(len(self._fields)) if any(len(row[n]) > LONG for row in self._rows)]


class Preview(QWidget):
    """First rows and problems, as two tabs; `head` is the row of the tabs."""

    def __init__(self) -> None:
        super().__init__()
        self.model = PreviewModel()
        self.table = named(QTableView(showGrid=False, wordWrap=False), tr("First rows, as they would be read"))
        self.table.setModel(self.model)
        self.table.setItemDelegate(TextDelegate(self.table))
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(theme.current().px(ROW_HEIGHT))
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.problems = PlainText(name=tr("Rows that are not as they should be"))
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("What reading gives"))
        self.stack = QStackedWidget()
        for widget in (self.table, self.problems):
            self.tabs.addTab("")
            self.stack.addWidget(widget)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.head = in_row((self.tabs, 1))
        in_column(self.head, (self.stack, 1), inside=self, spacing=theme.current().grid, margins=0)
        self.show_reading(None)

    def show_reading(self, reading: TableReading | None) -> None:
        """Show what was read; None: nothing yet."""
        problems = reading.problems if reading is not None else ()
        self.model.show(tuple(reading.mapping) if reading else (), reading.first if reading else ())
        self.problems.set_text("\n".join(problems))
        self.tabs.setTabText(0, tr("First rows"))
        self.tabs.setTabText(1, plural(len(problems), "1 row to look at", "%n rows to look at"))
        self.tabs.setTabVisible(1, bool(problems))
        if not problems:
            self.tabs.setCurrentIndex(0)
        self._share_width()

    def _share_width(self) -> None:
        header, long = self.table.horizontalHeader(), self.model.long_columns()
        for column in range(self.model.columnCount()):
            mode = QHeaderView.ResizeMode.Stretch if column in long else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
        header.setStretchLastSection(not long)
