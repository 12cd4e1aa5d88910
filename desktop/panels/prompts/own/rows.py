"""A field that is a table: its rows in short, and the chosen one in a form below."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from biasprint.core.prompts.definition_kinds import KINDS
from biasprint.core.prompts.definitions import Draft, DraftProblem, Field, Place
from biasprint.desktop import theme
from biasprint.desktop.widgets import FlowLayout, Label, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import label_of, show_if
from biasprint.desktop.widgets.layout import SCROLL_BAR, STRETCH, Column, LowEdit, add_to, grid_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

# ---- A form made from a description of its fields

TEXT_HEIGHT, LINES_HEIGHT = 72, 104  # text pixels


class FieldWords(Label):
    """The problems or cautions of a field; empty at first."""

    def __init__(self) -> None:
        super().__init__("", "problem", wrap=True)
        self.hide()

    def tell(self, problems: Sequence[DraftProblem]) -> None:
        wrong = [problem for problem in problems if not problem.caution]
        shown = wrong or problems
        self.setText(safe_line(" ".join(tr(problem.words) for problem in shown)))
        self.setProperty("role", "problem" if wrong else "caution")
        self.style().unpolish(self)
        self.style().polish(self)
        show_if(self, bool(shown))


class Input(QWidget):
    """One field: its title, the typed value, and its problems. `changed` reports only a person's change."""

    changed = Signal()

    def __init__(self, field: Field, control: QWidget) -> None:
        super().__init__()
        self.field, self.control, self.said = field, control, FieldWords()
        self._wrong = False
        label = label_of(control, tr(field.title), "strong")
        control.setAccessibleDescription(tr(field.help))
        control.setToolTip(tr(field.help))
        in_column(label, control, self.said, STRETCH, inside=self, spacing=4, margins=0)

    def value(self) -> Any:
        """Return the present value in the form of a draft."""
        raise NotImplementedError

    def show_value(self, value: Any) -> None:
        """Show another value, without `changed`."""
        raise NotImplementedError

    def allow(self, allowed: bool) -> None:
        """Set whether it can be changed."""
        raise NotImplementedError

    def tell(self, problems: Sequence[DraftProblem], place: Place) -> None:
        """Show the problems of this field, which is at `place`, and in it."""
        own = [problem for problem in problems if problem.place[: len(place)] == place]
        self.said.tell(own)
        wrong = any(not problem.caution for problem in own)
        words = self.said.text()
        self.control.setAccessibleDescription(" ".join(part for part in (words, tr(self.field.help)) if part))
        if wrong != self._wrong:
            self._wrong = wrong
            self.control.setProperty("wrong", wrong)
            self.control.style().unpolish(self.control)
            self.control.style().polish(self.control)


class LineInput(Input):
    """A field of one line."""

    def __init__(self, field: Field) -> None:
        self.edit = QLineEdit()
        super().__init__(field, self.edit)
        self.edit.setPlaceholderText(tr(field.help))
        self.edit.textEdited.connect(lambda _: self.changed.emit())

    def value(self) -> str:
        return self.edit.text()

    def show_value(self, value: Any) -> None:
        self.edit.setText(str(value or ""))
        self.edit.setCursorPosition(0)

    def allow(self, allowed: bool) -> None:
        self.edit.setReadOnly(not allowed)


class TextInput(Input):
    """A field of some lines of one text."""

    high = TEXT_HEIGHT

    def __init__(self, field: Field) -> None:
        self.edit = LowEdit()
        self._showing = False
        super().__init__(field, self.edit)
        self.edit.setPlaceholderText(tr(field.help))
        self.edit.setTabChangesFocus(True)
        self.edit.textChanged.connect(self._typed)
        theme.follow(self._dress)

    def value(self) -> Any:
        return self.edit.toPlainText()

    def show_value(self, value: Any) -> None:
        self._showing = True
        self.edit.setPlainText(self._as_text(value))
        self._showing = False

    def allow(self, allowed: bool) -> None:
        self.edit.setReadOnly(not allowed)

    def _as_text(self, value: Any) -> str:
        return str(value or "")

    def _typed(self) -> None:
        if not self._showing:
            self.changed.emit()

    def _dress(self, _tokens: object = None) -> None:
        self.edit.setFixedHeight(theme.current().px(self.high))


class LinesInput(TextInput):
    """A list, an item to a line."""

    high = LINES_HEIGHT

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self.edit.setAccessibleName(tr("{list}, one to a line").format(list=tr(field.title)))

    def value(self) -> list[str]:
        return [line.strip() for line in self.edit.toPlainText().split("\n") if line.strip()]

    def _as_text(self, value: Any) -> str:
        return "\n".join(value or ())


class PairsInput(LinesInput):
    """A list by key, a line for each: “race: black, asian”."""

    def value(self) -> dict[str, list[str]]:
        items_by_key: dict[str, list[str]] = {}
        for line in super().value():
            key, _, rest = line.partition(":")
            items_by_key.setdefault(key.strip(), []).extend(item.strip() for item in rest.split(",") if item.strip())
        return items_by_key

    def _as_text(self, value: Any) -> str:
        return as_pairs(value or {}, "\n")


def as_pairs(value: Mapping[str, Sequence[str]], between: str) -> str:
    """Return a list by key in words."""
    return between.join(f"{key}: {', '.join(each)}" for key, each in value.items())


class ChoiceInput(Input):
    """A choice of a few."""

    def __init__(self, field: Field) -> None:
        self.box = ComboBox()
        super().__init__(field, self.box)
        guard_wheel(self.box)
        for key, words in field.options:
            self.box.addItem(tr(words), key)
        self.box.activated.connect(lambda _: self.changed.emit())

    def value(self) -> str:
        return str(self.box.currentData() or "")

    def show_value(self, value: Any) -> None:
        self.box.setCurrentIndex(max(0, self.box.findData(value or "")))

    def allow(self, allowed: bool) -> None:
        self.box.setEnabled(allowed)


SIMPLE: Mapping[str, Callable[[Field], Input]] = {
    "line": LineInput,
    "text": TextInput,
    "lines": LinesInput,
    "pairs": PairsInput,
    "choice": ChoiceInput,
}


class RowForm(QWidget):
    """The fields of one row, two beside each other. `changed` reports only a person's change."""

    changed = Signal()

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self.inputs = {field.name: SIMPLE[field.shape](field) for field in fields}
        grid = grid_of(self, stretch=None)
        for place, field_input in enumerate(self.inputs.values()):
            field_input.changed.connect(self.changed)
            grid.addWidget(field_input, place // 2, place % 2, Qt.AlignmentFlag.AlignTop)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)

    def values(self) -> dict[str, Any]:
        return {name: field_input.value() for name, field_input in self.inputs.items()}

    def show_values(self, values: Mapping[str, Any]) -> None:
        for name, field_input in self.inputs.items():
            field_input.show_value(values.get(name))

    def allow(self, allowed: bool) -> None:
        for field_input in self.inputs.values():
            field_input.allow(allowed)

    def tell(self, problems: Sequence[DraftProblem], place: Place) -> None:
        for name, field_input in self.inputs.items():
            field_input.tell(problems, (*place, name))


LONGEST_CELL = 60
NAME_WIDTH, STATE_WIDTH = 150, 76  # text pixels


class RowsInput(Input):
    """Rows, added, copied, moved and removed; the form below belongs to the chosen one.

    `went`: the keyboard is in this field now.
    """

    went = Signal(QWidget)

    def __init__(self, field: Field) -> None:
        keep = (0, len(field.fields), *range(1, len(field.fields)))
        self.table = TextTable(tr(field.title), _columns(field), keep=keep, tall=True)
        self._rows: list[dict[str, Any]] = []
        self._problems: tuple[DraftProblem, ...] = ()
        self._place: Place = (field.name,)
        self._allowed, self._fixed = True, False
        self.form = RowForm(field.fields)
        super().__init__(field, self.table)
        self.add = QuietButton(tr("Add an identity") if field.row == "identity" else tr("Add one"), icon="plus")
        self.copy, self.remove = QuietButton(tr("Duplicate")), QuietButton(tr("Remove"))
        self.up, self.down = QuietButton(tr("Up")), QuietButton(tr("Down"))
        self.buttons = QWidget()
        flow = FlowLayout(inside=self.buttons)
        for button, step in (
            (self.add, self._add),
            (self.copy, self._copy),
            (self.remove, self._remove),
            (self.up, lambda: self._move(-1)),
            (self.down, lambda: self._move(1)),
        ):
            button.clicked.connect(lambda _=False, step=step: step())
            flow.addWidget(button)
        box = self.layout()
        assert isinstance(box, QVBoxLayout)
        box.insertWidget(2, self.buttons)
        box.insertWidget(4, _indented(self.form))
        self.table.chosen.connect(lambda _: self._show_row())
        self.form.changed.connect(self._typed)

    # the value

    def value(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self._rows]

    def show_value(self, value: Any) -> None:
        self._rows = [dict(row) for row in value or ()]
        # A crossed axis has every identity of the one with every one of the other, no more and no fewer.
        self._fixed = any(row.get("of") for row in self._rows)
        self._show_rows()
        self.choose(0)

    def choose(self, number: int) -> None:
        """Make a row the chosen one, and show it below."""
        self.table.select(str(number))
        self._show_row()

    @property
    def chosen(self) -> int:
        """The number of the chosen row; -1 without one."""
        key = self.table.current_key
        return int(key) if key else -1

    def allow(self, allowed: bool) -> None:
        self._allowed = allowed
        self.form.allow(allowed)
        self._allow()

    def tell(self, problems: Sequence[DraftProblem], place: Place) -> None:
        self._problems, self._place = tuple(problems), place
        self._show_rows()
        # What is wrong in another row is told here, with the row's name; in the chosen one at its field.
        whole = [problem for problem in problems if problem.place == place]
        inside = [
            problem for problem in problems if problem.place[: len(place)] == place and len(problem.place) > len(place)
        ]
        elsewhere = [problem for problem in inside if problem.place[len(place)] != self.chosen and not problem.caution]
        self.said.tell(
            [
                *whole,
                *(DraftProblem(problem.place, f"{self._named(problem)}: {problem.words}") for problem in elsewhere[:1]),
            ]
        )
        self.form.tell(problems, (*place, self.chosen))

    # steps

    def _typed(self) -> None:
        if self.chosen >= 0:
            self._rows[self.chosen] |= self.form.values()
            self._show_rows()
            self.changed.emit()

    def _add(self) -> None:
        self._put(len(self._rows), {})

    def _copy(self) -> None:
        row = {name: value for name, value in self._rows[self.chosen].items() if name != "key"}
        fields = {field.name: field for field in self.field.fields}
        unique = [field.name for field in fields.values() if field.unique and field.shape == "lines"]
        if fields[self.field.named].unique:
            row[self.field.named] = tr("{name} (copy)").format(name=row.get(self.field.named, ""))
        self._put(self.chosen + 1, {**row, **dict.fromkeys(unique, ())})

    def _put(self, number: int, row: dict[str, Any]) -> None:
        self._rows.insert(number, row)
        self._show_rows()
        self.choose(number)
        self.changed.emit()
        first = self.form.inputs[self.field.named].control
        first.setFocus()
        # Once the form has its new height: until then nobody can tell where the field will stand.
        QTimer.singleShot(0, self, lambda: self.went.emit(first))

    def _remove(self) -> None:
        number = self.chosen
        del self._rows[number]
        self._show_rows()
        self.choose(min(number, len(self._rows) - 1))
        self.changed.emit()

    def _move(self, by: int) -> None:
        number = self.chosen
        self._rows.insert(number + by, self._rows.pop(number))
        self._show_rows()
        self.choose(number + by)
        self.changed.emit()

    # what is seen

    def _show_rows(self) -> None:
        wrong = {
            problem.place[len(self._place)]
            for problem in self._problems
            if len(problem.place) > len(self._place) and not problem.caution
        }
        self.table.show_rows(
            [
                TableRow(str(number), (*self._cells(row), tr("to mend") if number in wrong else ""))
                for number, row in enumerate(self._rows)
            ]
        )
        self._allow()

    def _cells(self, row: Draft) -> tuple[str, ...]:
        return tuple(_cell(field, row.get(field.name)) for field in self.field.fields)

    def _show_row(self) -> None:
        number = self.chosen
        show_if(self.form, number >= 0)
        if number >= 0:
            self.form.show_values(self._rows[number])
        self.tell(self._problems, self._place)
        self._allow()

    def _allow(self) -> None:
        free = self._allowed and not self._fixed
        self.buttons.setVisible(self._allowed and not self._fixed)
        for button, allowed in (
            (self.copy, self.chosen >= 0),
            (self.remove, self.chosen >= 0),
            (self.up, self.chosen > 0),
            (self.down, 0 <= self.chosen < len(self._rows) - 1),
        ):
            button.setEnabled(free and allowed)

    def _named(self, problem: DraftProblem) -> str:
        number = problem.place[len(self._place)]
        assert isinstance(number, int)
        name = str(self._rows[number].get(self.field.named, "")).strip() if number < len(self._rows) else ""
        return f"“{name}”" if name else f"{tr(self.field.row).capitalize()} {number + 1}"


def _columns(field: Field) -> list[TableColumn]:
    titles = [TableColumn(tr(column.title), NAME_WIDTH if column.name == field.named else 0) for column in field.fields]
    return [*titles, TableColumn(tr("State"), STATE_WIDTH)]


def _cell(field: Field, value: Any) -> str:
    if field.shape == "choice":
        return tr(dict(field.options).get(value or "", "")) if value else ""
    if field.shape == "pairs":
        text = as_pairs(value or {}, "; ")
    elif field.shape == "lines":
        text = f"{len(value)}: {', '.join(value)}" if value else ""
    else:
        text = str(value or "")
    line = safe_line(text)
    return as_given(line if len(line) <= LONGEST_CELL else f"{line[:LONGEST_CELL]}…")


def _indented(widget: QWidget) -> QWidget:
    """Return the chosen row's form, indented from the table."""
    holder = QWidget()
    in_row(widget, inside=holder, margins=(theme.current().gap, theme.current().grid, 0, 0))
    return holder


# ---- The form of a kind

BELOW = 120  # text pixels under a field that one goes to


class Form(Column):
    """The inputs of a kind. `changed` reports only a person's change."""

    changed = Signal()

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.inputs: dict[str, Input] = {field.name: input_for(field) for field in KINDS[kind].fields}
        for field_input in self.inputs.values():
            field_input.changed.connect(self.changed)
            self.box.addWidget(field_input)
            if isinstance(field_input, RowsInput):
                field_input.went.connect(self._look_at)
        add_to(self.box, STRETCH, spacing=theme.current().gap, margins=(0, 0, SCROLL_BAR, 0))
        self.setFrameShape(QFrame.Shape.NoFrame)

    def values(self) -> dict[str, Any]:
        return {name: field_input.value() for name, field_input in self.inputs.items()}

    def show_draft(self, draft: Draft, *, allowed: bool) -> None:
        for name, field_input in self.inputs.items():
            field_input.show_value(draft.get(name))
            field_input.allow(allowed)

    def tell(self, found: tuple[DraftProblem, ...]) -> None:
        for name, field_input in self.inputs.items():
            field_input.tell(found, (name,))

    def _look_at(self, widget: QWidget) -> None:
        self.ensureWidgetVisible(widget, 0, theme.current().px(BELOW))


def input_for(field: Field) -> Input:
    """Return the input of a field of any shape."""
    return RowsInput(field) if field.shape == "rows" else SIMPLE[field.shape](field)
