"""The parameters of a generator as fields, made from `desktop.operations.generator_options`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from desktop import theme
from desktop.operations.generator_options import Option
from desktop.widgets import Label, tr
from desktop.widgets.wheel import guard_wheel

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

    from core.backends.protocol import Parameter

LABEL_WIDTH, SECOND_LABEL_WIDTH = 100, 68  # text pixels; the fields of a form stand under each other
LONGEST_SYSTEM = 20_000  # characters
FIELD_CHARACTERS = 7
FIELD_WIDTH = 84  # text pixels at least
INDENT = "\u2002"  # the style sheet gives it to whole numbers as a prefix; decimals and words in a field need it too


class OptionFields(QWidget):
    """Two fields a row; texts and switches have a row of their own. `changed` when the person set one."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, QWidget] = {}
        self._options: tuple[Option, ...] = ()
        self._touched: set[str] = set()  # set by the person, who wins over a paper's values
        self._grid = form_grid(self)

    def offer(self, options: Sequence[Option], preset: Mapping[str, float]) -> None:
        """Show these; what the person has set stays, everything else starts with the preset or its own value."""
        kept = {name: value for name, value in self.values().items() if name in self._touched}
        if tuple(options) != self._options:
            self._options = tuple(options)
            self._make()
        self.set_values({**_starts(self._options), **preset, **kept})

    def values(self) -> "dict[str, Parameter]":
        """What is set, by name; what is left open is not in it."""
        found = {option.name: _value(self.fields[option.name]) for option in self._options}
        return {name: value for name, value in found.items() if value is not None and value != ""}

    def set_values(self, values: "Mapping[str, Parameter | None]") -> None:
        """Put values into the fields; what is not among them is left open."""
        for option in self._options:
            field = self.fields[option.name]
            field.blockSignals(True)
            _put(field, values.get(option.name))
            field.blockSignals(False)

    def take(self, stored: "Mapping[str, Parameter]") -> "dict[str, Parameter]":
        """Put a stored generator's parameters into the fields; those that have no field are given back."""
        self.set_values(stored)
        self._touched = {option.name for option in self._options}
        return {name: value for name, value in stored.items() if name not in self.fields}

    def forget_touches(self) -> None:
        """Another generator: its values start anew."""
        self._touched = set()

    def _make(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        self.fields = {}
        row = column = 0
        for option in self._options:
            field = _field(option)
            self.fields[option.name] = field
            field.setAccessibleName(tr(option.title))
            field.setToolTip(tr(option.tip))
            field.setAccessibleDescription(tr(option.tip))
            as_wide_as_its_column(field)
            whole = option.wide or option.kind in ("text", "switch")
            if whole and column:
                row, column = row + 1, 0
            if option.kind == "switch":
                self._grid.addWidget(field, row, 1, 1, 3)
            else:
                label = Label(tr(option.title))
                label.setToolTip(tr(option.tip))
                label.setBuddy(field)
                self._grid.addWidget(label, row, column)
                self._grid.addWidget(field, row, column + 1, 1, 3 if whole else 1)
            row, column = (row, 2) if not whole and column == 0 else (row + 1, 0)
            _changed(field).connect(lambda *_, name=option.name: self._touch(name))

    def _touch(self, name: str) -> None:
        self._touched.add(name)
        self.changed.emit()


def form_grid(parent: QWidget | None = None) -> QGridLayout:
    """Label and field, twice in a row."""
    tokens = theme.current()
    grid = QGridLayout(parent)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(tokens.gap)
    grid.setVerticalSpacing(tokens.grid)
    for column, width in ((0, LABEL_WIDTH), (2, SECOND_LABEL_WIDTH)):
        grid.setColumnMinimumWidth(column, tokens.px(width))
        grid.setColumnStretch(column + 1, 1)
    return grid


def as_wide_as_its_column(field: QWidget) -> None:
    """Columns are as wide as each other, whatever is in them."""
    field.setSizePolicy(QSizePolicy.Policy.Ignored, field.sizePolicy().verticalPolicy())
    field.setMinimumWidth(theme.current().px(FIELD_WIDTH))


def narrow(box: QComboBox, characters: int = FIELD_CHARACTERS) -> None:
    """Let a box be narrower than its longest choice."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(characters)


def _starts(options: Sequence[Option]) -> "dict[str, Parameter | None]":
    return {option.name: option.start for option in options}


def _field(option: Option) -> QWidget:
    if option.kind == "switch":
        return QCheckBox(tr(option.title))
    if option.kind == "text":
        line = QLineEdit()
        line.setMaxLength(LONGEST_SYSTEM)
        line.setPlaceholderText(tr("none"))
        return line
    if option.kind == "choice":
        box = QComboBox()
        for value, words in option.choices:
            box.addItem(tr(words), value)
        narrow(box)
        guard_wheel(box)
        return box
    return _spin(option)


def _spin(option: Option) -> QWidget:
    """The least value stands for leaving it open, where that can be."""
    spin: QSpinBox | QDoubleSpinBox
    if option.kind == "count":
        spin = QSpinBox()
        spin.setRange(round(option.low) - bool(option.open_words), round(option.high))
        spin.setSingleStep(round(option.step))
        spin.setGroupSeparatorShown(True)
    else:
        spin = QDoubleSpinBox()
        spin.setDecimals(2)
        spin.setRange(option.low - (option.step if option.open_words else 0), option.high)
        spin.setSingleStep(option.step)
        spin.setPrefix(INDENT)
    spin.setSpecialValueText(INDENT + tr(option.open_words) if option.open_words else "")
    guard_wheel(spin)
    return spin


def _value(field: QWidget) -> "Parameter | None":
    if isinstance(field, QCheckBox):
        return field.isChecked()
    if isinstance(field, QLineEdit):
        return field.text().strip()
    if isinstance(field, QComboBox):
        return str(field.currentData() or "")
    assert isinstance(field, QSpinBox | QDoubleSpinBox)
    left_open = bool(field.specialValueText()) and field.value() == field.minimum()
    return None if left_open else field.value() if isinstance(field, QSpinBox) else round(field.value(), 4)


def _put(field: QWidget, value: "Parameter | None") -> None:
    if isinstance(field, QCheckBox):
        field.setChecked(bool(value))
    elif isinstance(field, QLineEdit):
        field.setText(str(value or ""))
    elif isinstance(field, QComboBox):
        field.setCurrentIndex(max(0, field.findData(value)))
    elif isinstance(field, QSpinBox):
        field.setValue(field.minimum() if value is None else round(float(value)))
    elif isinstance(field, QDoubleSpinBox):
        field.setValue(field.minimum() if value is None else float(value))


def _changed(field: QWidget) -> "SignalInstance":
    if isinstance(field, QCheckBox):
        return field.toggled
    if isinstance(field, QLineEdit):
        return field.textChanged
    if isinstance(field, QComboBox):
        return field.currentIndexChanged
    assert isinstance(field, QSpinBox | QDoubleSpinBox)
    return field.valueChanged
