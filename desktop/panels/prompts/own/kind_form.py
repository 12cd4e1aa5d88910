"""The form of a kind of definition: an input for each of its fields."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from biasprint.core.prompts.definition_kinds import KINDS
from biasprint.core.prompts.definitions import Draft, DraftProblem, Field
from biasprint.desktop import theme
from biasprint.desktop.panels.prompts.own.form import SIMPLE, Input
from biasprint.desktop.panels.prompts.own.rows import RowsInput
from biasprint.desktop.widgets.layout import SCROLL_BAR, Column

BELOW = 120  # text pixels under a field that one goes to


class Form(Column):
    """The inputs of a kind. `changed` comes from a person alone."""

    changed = Signal()

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.inputs: dict[str, Input] = {field.name: input_for(field) for field in KINDS[kind].fields}
        for one in self.inputs.values():
            one.changed.connect(self.changed)
            self.box.addWidget(one)
            if isinstance(one, RowsInput):
                one.went.connect(self._look_at)
        self.box.addStretch(1)
        self.box.setSpacing(theme.current().gap)
        self.box.setContentsMargins(0, 0, SCROLL_BAR, 0)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def values(self) -> dict[str, Any]:
        return {name: one.value() for name, one in self.inputs.items()}

    def show_draft(self, draft: Draft, *, allowed: bool) -> None:
        for name, one in self.inputs.items():
            one.show_value(draft.get(name))
            one.allow(allowed)

    def tell(self, found: tuple[DraftProblem, ...]) -> None:
        for name, one in self.inputs.items():
            one.tell(found, (name,))

    def _look_at(self, widget: QWidget) -> None:
        self.ensureWidgetVisible(widget, 0, theme.current().px(BELOW))


def input_for(field: Field) -> Input:
    """The input of a field of any shape."""
    return RowsInput(field) if field.shape == "rows" else SIMPLE[field.shape](field)
