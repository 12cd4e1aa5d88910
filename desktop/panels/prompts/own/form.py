"""A form made from a description of its fields, with what is wrong told beside each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from biasprint.core.prompts.definitions import DraftProblem, Field, Place
from biasprint.desktop import theme
from biasprint.desktop.widgets import Label, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import LowEdit
from biasprint.desktop.widgets.safe_text import safe_line

TEXT_HEIGHT, LINES_HEIGHT = 72, 104  # text pixels


class FieldWords(Label):
    """What is wrong with a field, or to be kept in mind; nothing at first."""

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
    """One field: its title, what is typed, and what is wrong with it. `changed` comes from a person alone."""

    changed = Signal()

    def __init__(self, field: Field, control: QWidget) -> None:
        super().__init__()
        self.field, self.control, self.said = field, control, FieldWords()
        self._wrong = False
        label = Label(tr(field.title), "strong")
        label.setBuddy(control)
        control.setAccessibleName(tr(field.title))
        control.setAccessibleDescription(tr(field.help))
        control.setToolTip(tr(field.help))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        for widget in (label, control, self.said):
            box.addWidget(widget)
        box.addStretch(1)

    def value(self) -> Any:
        """What is there now, as a draft has it."""
        raise NotImplementedError

    def show_value(self, value: Any) -> None:
        """Show another value; nothing is told of it."""
        raise NotImplementedError

    def allow(self, allowed: bool) -> None:
        """Whether it can be changed."""
        raise NotImplementedError

    def tell(self, problems: Sequence[DraftProblem], place: Place) -> None:
        """Say what is wrong at this field, which stands at `place`, and in it."""
        own = [problem for problem in problems if problem.place[: len(place)] == place]
        self.said.tell(own)
        wrong = any(not problem.caution for problem in own)
        said = self.said.text()
        self.control.setAccessibleDescription(" ".join(part for part in (said, tr(self.field.help)) if part))
        if wrong != self._wrong:
            self._wrong = wrong
            self.control.setProperty("wrong", wrong)
            self.control.style().unpolish(self.control)
            self.control.style().polish(self.control)


class LineInput(Input):
    """One line."""

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
    """Some lines of one text."""

    high = TEXT_HEIGHT

    def __init__(self, field: Field) -> None:
        self.edit = LowEdit()
        self._showing = False
        super().__init__(field, self.edit)
        self.edit.setPlaceholderText(tr(field.help))
        self.edit.setTabChangesFocus(True)
        self.edit.textChanged.connect(self._typed)
        self._dress()
        theme.signals.changed.connect(self._dress)

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
        found: dict[str, list[str]] = {}
        for line in super().value():
            key, _, rest = line.partition(":")
            found.setdefault(key.strip(), []).extend(one.strip() for one in rest.split(",") if one.strip())
        return found

    def _as_text(self, value: Any) -> str:
        return as_pairs(value or {}, "\n")


def as_pairs(value: Mapping[str, Sequence[str]], between: str) -> str:
    """A list by key in words."""
    return between.join(f"{key}: {', '.join(each)}" for key, each in value.items())


class ChoiceInput(Input):
    """One of a few."""

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
    """The fields of one row, two beside each other. `changed` comes from a person alone."""

    changed = Signal()

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self.inputs = {field.name: SIMPLE[field.shape](field) for field in fields}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(theme.current().gap)
        grid.setVerticalSpacing(theme.current().grid)
        for place, one in enumerate(self.inputs.values()):
            one.changed.connect(self.changed)
            grid.addWidget(one, place // 2, place % 2, Qt.AlignmentFlag.AlignTop)
        for column in (0, 1):
            grid.setColumnStretch(column, 1)

    def values(self) -> dict[str, Any]:
        return {name: one.value() for name, one in self.inputs.items()}

    def show_values(self, values: Mapping[str, Any]) -> None:
        for name, one in self.inputs.items():
            one.show_value(values.get(name))

    def allow(self, allowed: bool) -> None:
        for one in self.inputs.values():
            one.allow(allowed)

    def tell(self, problems: Sequence[DraftProblem], place: Place) -> None:
        for name, one in self.inputs.items():
            one.tell(problems, (*place, name))
