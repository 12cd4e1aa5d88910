"""The choice of a model that writes or judges, and of its options."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QGridLayout, QLineEdit, QSizePolicy, QSpinBox, QWidget

from biasprint.desktop import theme
from biasprint.desktop.operations.writers import LocalModel, Option, Source, WriterChoices, source_of, usual_writer
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import Label, LinkButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import show_if, tipped
from biasprint.desktop.widgets.layout import empty, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.core.backends.protocol import BackendInfo, Parameter
    from biasprint.core.machine.endpoints import Endpoint
    from biasprint.desktop.shell import Shell

LABEL_WIDTH, SECOND_LABEL_WIDTH = 100, 68  # text pixels; the fields of a form stand under each other
LONGEST_SYSTEM = 20_000  # characters
FIELD_CHARACTERS = 7
FIELD_WIDTH = 112  # text pixels at least: “64 tokens” and the arrows beside it
INDENT = "\u2002"  # the style sheet gives it to whole numbers as a prefix; decimals and words in a field need it too


class OptionFields(QWidget):
    """Fields of options, two in a row; texts and switches have a row each. `changed` after a person's change."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, QWidget] = {}
        self._options: tuple[Option, ...] = ()
        self._touched: set[str] = set()  # set by the person, who wins over a paper's values
        self._grid = FormGrid(self)

    def offer(self, options: Sequence[Option], preset: Mapping[str, float]) -> None:
        """Show these options; fields a person has set stay, others start with the preset or their own value."""
        touched = {name: value for name, value in self.values().items() if name in self._touched}
        if tuple(options) != self._options:
            self._options = tuple(options)
            self._make()
        self.set_values({**_starts(self._options), **preset, **touched})

    def values(self) -> "dict[str, Parameter]":
        """Return the set values by name, without those left open."""
        values = {option.name: _value(self.fields[option.name]) for option in self._options}
        return {name: value for name, value in values.items() if value is not None and value != ""}

    def set_values(self, values: "Mapping[str, Parameter | None]") -> None:
        """Put values into the fields; options not among them are left open."""
        for option in self._options:
            field = self.fields[option.name]
            with QSignalBlocker(field):
                _put(field, values.get(option.name))

    def take(self, stored: "Mapping[str, Parameter]") -> "dict[str, Parameter]":
        """Put a stored generator's parameters into the fields; return those that have no field."""
        self.set_values(stored)
        self._touched = {option.name for option in self._options}
        return {name: value for name, value in stored.items() if name not in self.fields}

    def forget_touches(self) -> None:
        """Forget which fields a person has set: another generator starts with its own values."""
        self._touched = set()

    def _make(self) -> None:
        empty(self._grid)
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
                label = tipped(Label(tr(option.title)), tr(option.tip))
                label.setBuddy(field)
                self._grid.addWidget(label, row, column)
                self._grid.addWidget(field, row, column + 1, 1, 3 if whole else 1)
            row, column = (row, 2) if not whole and column == 0 else (row + 1, 0)
            _changed(field).connect(lambda *_, name=option.name: self._touch(name))

    def _touch(self, name: str) -> None:
        self._touched.add(name)
        self.changed.emit()


class FormGrid(QGridLayout):
    """A form of label and field, twice in a row; fields are equally wide, whatever is in them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        for column in (1, 3):
            self.setColumnStretch(column, 1)
        self._dress(theme.current())
        theme.signals.changed.connect(self._dress)

    def _dress(self, tokens: Tokens) -> None:
        """Set widths that follow the size of the text, also where it becomes smaller."""
        self.setHorizontalSpacing(tokens.gap)
        self.setVerticalSpacing(tokens.grid)
        for column, width in enumerate((LABEL_WIDTH, FIELD_WIDTH, SECOND_LABEL_WIDTH, FIELD_WIDTH)):
            self.setColumnMinimumWidth(column, tokens.px(width))


def as_wide_as_its_column(field: QWidget) -> None:
    field.setSizePolicy(QSizePolicy.Policy.Ignored, field.sizePolicy().verticalPolicy())


def narrow(box: ComboBox, characters: int = FIELD_CHARACTERS) -> None:
    """Let a box be narrower than its longest choice."""
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
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
        box = ComboBox()
        for value, words in option.choices:
            box.addItem(tr(words), value)
        narrow(box)
        guard_wheel(box)
        return box
    return _spin(option)


def _spin(option: Option) -> QWidget:
    """Return a number field; its least value means leaving the option open, where that can be."""
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
    if isinstance(field, ComboBox):
        return str(field.currentData() or "")
    assert isinstance(field, QSpinBox | QDoubleSpinBox)
    left_open = bool(field.specialValueText()) and field.value() == field.minimum()
    return None if left_open else field.value() if isinstance(field, QSpinBox) else round(field.value(), 4)


def _put(field: QWidget, value: "Parameter | None") -> None:
    if isinstance(field, QCheckBox):
        field.setChecked(bool(value))
    elif isinstance(field, QLineEdit):
        field.setText(str(value or ""))
    elif isinstance(field, ComboBox):
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
    if isinstance(field, ComboBox):
        return field.currentIndexChanged
    assert isinstance(field, QSpinBox | QDoubleSpinBox)
    return field.valueChanged


LONGEST_NAME = 300
ENDPOINTS = "endpoints"


def show_models(shell: "Shell", page: str) -> None:
    """Show the panel that manages `page` (a role, or the endpoints). It is missing in a window of fewer panels."""
    try:
        if page == ENDPOINTS:
            shell.show_panel("models", page=page)
        else:
            shell.show_panel("models", role=page)
    except KeyError:
        shell.notify(tr("Models are got and added with: biasprint models"))


class GeneratorPicker(QObject):
    """The fields of a generator. `why_not` says why the chosen one cannot write.

    `judges`: it is chosen to judge, and models that cannot are not offered.
    """

    changed = Signal()
    chosen_anew = Signal()  # another backend: other parameters
    models_wanted = Signal(str)  # "generator" or "endpoints"

    def __init__(self, *, judges: bool = False) -> None:
        super().__init__()
        self._writers = WriterChoices()
        self._judges = judges
        self._wanted = ("", "", "")  # backend, endpoint and model to choose as soon as they are there
        self._chosen = False  # by a person, or to go on with a run
        self.backend, self.model, self.endpoint, self.name = (ComboBox() for _ in range(4))
        self.name.setEditable(True)
        self.name.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        edit = self.name.lineEdit()
        assert edit is not None
        edit.setMaxLength(LONGEST_NAME)
        edit.setPlaceholderText(tr("the model's name there"))
        self.models, self.endpoints = LinkButton(tr("Models…")), LinkButton(tr("Endpoints…"))
        self.model_label, self.endpoint_label, self.name_label = Label(""), Label(tr("Endpoint")), Label(tr("Model"))
        for box in (self.backend, self.model, self.endpoint, self.name):
            narrow(box, 8)
            guard_wheel(box)
        for box in (self.backend, self.model):
            box.activated.connect(lambda _: self._note_choice())
        self.backend.currentIndexChanged.connect(lambda _: self._show_backend(reset=True))
        self.model.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.endpoint.currentIndexChanged.connect(lambda _: self._show_endpoint())
        self.name.editTextChanged.connect(lambda _: self.changed.emit())
        self.models.clicked.connect(lambda: self.models_wanted.emit("generator"))
        self.endpoints.clicked.connect(lambda: self.models_wanted.emit(ENDPOINTS))

    def fields(self) -> tuple[QWidget, ...]:
        return self.backend, self.model, self.endpoint, self.name

    def place(self, grid: QGridLayout, row: int) -> int:
        """Put the fields into a form's grid from this row on; return the next free row."""
        self._model_line, self._endpoint_line = _line(self.model, self.models), _line(self.endpoint, self.endpoints)
        rows = (
            (Label(tr("Generator")), self.backend, self.backend),
            (self.model_label, self._model_line, self.model),
            (self.endpoint_label, self._endpoint_line, self.endpoint),
            (self.name_label, self.name, self.name),
        )
        for label, widget, field in rows:
            label.setBuddy(field)
            field.setAccessibleName(label.text())
            grid.addWidget(label, row, 0)
            grid.addWidget(widget, row, 1, 1, 3)
            row += 1
        return row

    # what there is

    def show_writers(self, writers: WriterChoices) -> None:
        """Offer the generators; the chosen one stays chosen. Without a choice, a real model if there is one."""
        if writers == self._writers:
            return
        before = self._wanted if self._wanted[0] else (self._backend_name, self._endpoint_name, self.model_name)
        if not self._chosen and (usual := usual_writer(writers))[0]:
            before = (usual[0], "", usual[1])
        self._writers = writers
        with QSignalBlocker(self.backend):
            self.backend.clear()
            for info in writers.backends:
                words = tr("{title}: not installed here") if info.unavailable else "{title}"
                self.backend.addItem(words.format(title=safe_line(info.title)), info.name)
            self.backend.setCurrentIndex(max(0, self.backend.findData(before[0])))
        self._show_backend(reset=before[0] != self._backend_name)
        self._choose(*before)

    def choose(self, backend: str, endpoint: str, model: str) -> None:
        """Choose a generator, now or as soon as it can be."""
        if backend:
            self._note_choice()
            self._choose(backend, endpoint, model)

    def _note_choice(self) -> None:
        self._chosen = True

    def _choose(self, backend: str, endpoint: str, model: str) -> None:
        if not backend:
            return
        if self.backend.findData(backend) < 0:
            self._wanted = (backend, endpoint, model)
            return
        self._wanted = ("", "", "")
        self.backend.setCurrentIndex(self.backend.findData(backend))
        if self.source == "endpoint" and endpoint:
            self.endpoint.setCurrentIndex(self.endpoint.findData(endpoint))
        if self.source in ("endpoint", "typed"):
            self.name.setEditText(model)
        elif model:
            self.model.setCurrentIndex(self.model.findData(model))

    # what is chosen

    @property
    def info(self) -> "BackendInfo | None":
        return next((info for info in self._writers.backends if info.name == self._backend_name), None)

    @property
    def local(self) -> LocalModel | None:
        """The chosen model on this computer; None where it is elsewhere or none is chosen."""
        return next((model for model in self._local() if model.name == self.model_name), None)

    @property
    def source(self) -> Source:
        return source_of(self.info) if self.info is not None else "listed"

    @property
    def model_name(self) -> str:
        if self.source in ("endpoint", "typed"):
            return self.name.currentText().strip()
        return str(self.model.currentData() or "")

    @property
    def chosen_endpoint(self) -> "Endpoint | None":
        if self.source != "endpoint":
            return None
        return next((endpoint for endpoint in self._writers.endpoints if endpoint.name == self._endpoint_name), None)

    def why_not(self, offline: str) -> str:
        """Return why the choice cannot write now, and what to do; or "". `offline`: the reason of the switch."""
        info = self.info
        if info is None:
            return ""
        if info.unavailable:
            return info.unavailable
        if offline and not info.capabilities.offline:
            return offline
        if self.source in ("gguf", "folder"):
            return self._why_not_local()
        if self.source == "endpoint":
            return self._why_not_there()
        return ""

    def _why_not_local(self) -> str:
        local = self._local()
        if not local:
            kind = tr("GGUF file") if self.source == "gguf" else tr("model folder")
            none = (
                tr("No {kind} on this computer can judge yet: get or add one under Models.")
                if self._judges
                else tr("There is no {kind} on this computer yet: get or add one under Models.")
            )
            return none.format(kind=kind)
        if self.model.currentIndex() < 0:
            return tr("The model of that run is not here under its name: choose another, or add it under Models.")
        return next((model.trouble for model in local if model.name == self.model.currentData()), "")

    def _why_not_there(self) -> str:
        if not self._writers.endpoints:
            return tr("No endpoint is known yet: add one under Models.")
        if self.chosen_endpoint is None:
            return tr("The endpoint of that run is not known here: choose another, or add it under Models.")
        return ""

    @property
    def trouble(self) -> str:
        """The error in reading models and endpoints, or ""."""
        return self._writers.trouble

    # inside

    @property
    def _backend_name(self) -> str:
        return str(self.backend.currentData() or "")

    @property
    def _endpoint_name(self) -> str:
        return str(self.endpoint.currentData() or "")

    def _local(self) -> list[LocalModel]:
        return [model for model in self._writers.models if model.format == self.source]

    def _show_backend(self, *, reset: bool) -> None:
        source, info = self.source, self.info
        for fields, shown in (
            ((self.model_label, self._model_line), source in ("listed", "gguf", "folder")),
            ((self.endpoint_label, self._endpoint_line), source == "endpoint"),
            ((self.name_label, self.name), source in ("endpoint", "typed")),
        ):
            for field in fields:
                show_if(field, shown)
        with QSignalBlocker(self.model):
            self.model.clear()
            if info is not None and source == "listed":
                self._offer([(name, name, "") for name in info.models], first=min(2, len(info.models) - 1))
            elif source in ("gguf", "folder"):
                self._offer(
                    [(model.name, model.title or model.name, model.trouble) for model in self._local()], first=0
                )
        language_model = info is None or info.capabilities.is_language_model
        self.model_label.setText(tr("Model") if language_model else tr("Planted bias"))
        self.model.setAccessibleName(self.model_label.text())
        show_if(self.models, source in ("gguf", "folder"))
        with QSignalBlocker(self.endpoint):
            name_before = self._endpoint_name
            self.endpoint.clear()
            for endpoint in self._writers.endpoints:
                self.endpoint.addItem(as_given(endpoint.name), endpoint.name)
            self.endpoint.setCurrentIndex(max(0, self.endpoint.findData(name_before)) if self.endpoint.count() else -1)
            why_empty = "" if self.endpoint.count() else self._why_not_there()
            self.endpoint.setPlaceholderText(tr("none known here yet") if why_empty else "")
            self.endpoint.setToolTip(safe_tip(tr(why_empty)))
            self.endpoint.setAccessibleDescription(tr(why_empty))
        if reset:
            self.chosen_anew.emit()
        self._show_endpoint()

    def _offer(self, items: Sequence[tuple[str, str, str]], *, first: int) -> None:
        none = tr("none here that can judge") if self._judges else tr("none here yet")
        self.model.setPlaceholderText("" if items else none)
        for name, title, trouble in items:
            self.model.addItem(safe_line(title), name)
            self.model.setItemData(self.model.count() - 1, safe_tip(trouble or name), Qt.ItemDataRole.ToolTipRole)
        self.model.setCurrentIndex(first if items else -1)

    def _show_endpoint(self) -> None:
        """Show an endpoint's models: those that have a price are known by name; any other is typed."""
        typed = self.name.currentText()
        chosen = self.chosen_endpoint
        with QSignalBlocker(self.name):
            self.name.clear()
            self.name.addItems([safe_line(name) for name in sorted(chosen.prices)] if chosen is not None else [])
            self.name.setEditText(typed or self.name.itemText(0))
        self.changed.emit()


def _line(field: ComboBox, button: LinkButton) -> QWidget:
    """Return a field with a button to more of its choices."""
    line = QWidget()
    in_row((field, 1), button, inside=line, spacing=theme.current().grid, margins=0)
    return line
