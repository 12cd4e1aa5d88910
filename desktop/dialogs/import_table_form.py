"""How a table is read: what its rows are, a known layout or a column for each field."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.importing import Choice, LookedAt, Reading
from desktop.widgets import Label, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.tables import FieldSpec

KIND_TITLES = {"letters": "Reference letters", "creativity": "Creative texts"}
ACROSS = 3  # fields side by side


class ReadingForm(QWidget):
    """`changed` tells that the table is to be read in another way. `repeats` is placed by the dialog."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._looked: LookedAt | None = None
        self.columns: dict[str, QComboBox] = {}
        self.kind = _box(tr("What the rows are"))
        self.layout_box = _box(tr("Layout"))
        self.layout_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layout_label = Label(tr("Layout"))
        self.repeats = QCheckBox(tr("Leave out rows that repeat another"))
        self.taken = Label("", "note", wrap=True)
        self._fields = QWidget()
        self._grid: QGridLayout | None = None
        self._lay_out()
        self.kind.activated.connect(lambda _: self._choose_kind())
        self.layout_box.activated.connect(lambda _: self._choose_layout())
        self.repeats.toggled.connect(lambda _: self.changed.emit())

    def show_table(self, looked: LookedAt) -> None:
        """Offer what this table can be, the likeliest first chosen."""
        self._looked = looked
        self.kind.clear()
        for kind, title in KIND_TITLES.items():
            self.kind.addItem(tr(title), kind)
        self.kind.setCurrentIndex(self.kind.findData(_likely_kind(looked)))
        self._choose_kind()

    def choice(self) -> Choice:
        """What is chosen now. A field without a column is asked for as such, and not guessed again."""
        assert self._looked is not None
        mapping = {name: box.currentData() for name, box in self.columns.items()}
        layout = self.layout_box.currentData()
        return Choice(
            self._looked.path, self.kind.currentData(), layout, None if layout else mapping, self.repeats.isChecked()
        )

    def missing(self) -> "FieldSpec | None":
        """The first field that is needed and has no column."""
        if self._looked is None or self.layout_box.currentData():
            return None
        fields = self._looked.fields[self.kind.currentData()]
        return next((field for field in fields if field.required and not self.columns[field.name].currentData()), None)

    def show_reading(self, reading: Reading | None) -> None:
        """With a layout, say where its fields come from."""
        pairs = reading.mapping.items() if reading is not None and self.layout_box.currentData() else ()
        told = "; ".join(tr("{field} from {column}").format(field=field, column=column) for field, column in pairs)
        self.taken.setText(safe_line(told))
        self.taken.setVisible(bool(told))

    def _choose_kind(self) -> None:
        assert self._looked is not None
        letters = self.kind.currentData() == "letters"
        self.layout_box.clear()
        self.layout_box.addItem(tr("A column for each field"), None)
        for name, title in self._looked.formats.items() if letters else ():
            self.layout_box.addItem(safe_line(title), name)
        self.layout_box.setCurrentIndex(self.layout_box.count() - 1)
        for widget in (self.layout_box, self.layout_label):
            widget.setVisible(self.layout_box.count() > 1)
        self._make_fields()
        self._choose_layout()

    def _choose_layout(self) -> None:
        self._fields.setVisible(not self.layout_box.currentData())
        self.show_reading(None)
        self.changed.emit()

    def _make_fields(self) -> None:
        """A box for each field of the kind, with the guess."""
        assert self._looked is not None
        old, self._fields = self._fields, QWidget()
        self.layout().replaceWidget(old, self._fields)
        old.deleteLater()
        grid = QGridLayout(self._fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.current().gap)
        grid.setVerticalSpacing(theme.current().grid)
        kind = self.kind.currentData()
        self.columns = {}
        for number, field in enumerate(self._looked.fields[kind]):
            box = self._column_box(field, self._looked.guesses[kind].get(field.name, ""))
            self.columns[field.name] = box
            cell = QVBoxLayout()
            cell.setSpacing(2)
            name = tr("{field} (needed)") if field.required else "{field}"
            cell.addWidget(Label(name.format(field=field.name.replace("_", " ").capitalize()), "strong"))
            cell.addWidget(Label(field.description, "note", wrap=True))
            cell.addStretch(1)
            cell.addWidget(box)
            grid.addLayout(cell, number // ACROSS, number % ACROSS)
        for column in range(ACROSS):
            grid.setColumnStretch(column, 1)

    def _column_box(self, field: "FieldSpec", guess: str) -> QComboBox:
        assert self._looked is not None
        box = _box(tr("Column for {field}").format(field=field.name))
        box.addItem(tr("— in no column —"), "")
        for column in self._looked.columns:
            box.addItem(safe_line(column) or tr("(no name)"), column)
        box.setCurrentIndex(max(0, box.findData(guess)))
        box.activated.connect(lambda _: self.changed.emit())
        return box

    def _lay_out(self) -> None:
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.gap)
        top = QHBoxLayout()
        top.setSpacing(tokens.grid)
        top.addWidget(Label(tr("The rows are")))
        top.addWidget(self.kind)
        top.addSpacing(tokens.gap)
        top.addWidget(self.layout_label)
        top.addWidget(self.layout_box)
        top.addStretch(1)
        box.addLayout(top)
        box.addWidget(self._fields)
        box.addWidget(self.taken)


def _box(name: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(14)
    return box


def _likely_kind(looked: LookedAt) -> str:
    """Creative texts where every field that they need is recognised; otherwise letters, which need less."""
    needed = {field.name for field in looked.fields["creativity"] if field.required}
    return "creativity" if needed <= looked.guesses["creativity"].keys() and not looked.formats else "letters"
