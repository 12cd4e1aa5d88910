"""What shall be written, with what: the choice of a prompt set, a generator, a seed and how many samples."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QSpinBox, QVBoxLayout

from desktop import theme
from desktop.operations.generating import RunLine, WriteRequest
from desktop.operations.prompts import StoredSet
from desktop.widgets import Button, Card, Chip, Label, LinkButton, Notice, PrimaryButton, QuietButton, plural, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.backends.protocol import BackendInfo

MOST_SAMPLES = 100


class GenerateForm(Card):
    """Says how much of the choice is there already; the same choice again goes on where it stopped."""

    started = Signal(object, bool)  # WriteRequest, ask again for what failed
    prompts_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._sets: dict[int, StoredSet] = {}
        self._refused: Mapping[tuple[int, str], str] = {}
        self._runs: Sequence[RunLine] = ()
        self._backends: dict[str, BackendInfo] = {}
        self._allowed = False
        self.prompt_set, self.backend, self.model = QComboBox(), QComboBox(), QComboBox()
        self.prompt_set.setPlaceholderText(tr("none yet"))
        self.seed, self.samples = _spin(0, 2_000_000_000, 1), _spin(1, MOST_SAMPLES, 1)
        self.not_a_model = Chip(tr("not a language model"), "warn")
        self.about = Label("", "note", wrap=True)
        self.state = Label("", "", wrap=True)
        self.refused = Notice("", tone="warn", closable=False)
        self.refused.hide()
        self.start: Button = PrimaryButton(tr("Start"))
        self.retry = LinkButton("")
        self.no_prompts = QuietButton(tr("Choose prompts…"))
        self._lay_out()
        for box in (self.prompt_set, self.model):
            box.currentIndexChanged.connect(lambda _: self._show_state())
        self.backend.currentIndexChanged.connect(lambda _: self._show_backend())
        for spin in (self.seed, self.samples):
            spin.valueChanged.connect(lambda _: self._show_state())
        self.start.clicked.connect(lambda: self.started.emit(self.request(), False))
        self.retry.clicked.connect(lambda: self.started.emit(self.request(), True))
        self.no_prompts.clicked.connect(self.prompts_wanted)

    # what there is

    def show_backends(self, backends: "Sequence[BackendInfo]") -> None:
        """Offer the generators that can be used here."""
        self._backends = {info.name: info for info in backends if not info.unavailable}
        self.backend.clear()
        for info in self._backends.values():
            self.backend.addItem(safe_line(info.title), info.name)
        self._show_backend()

    def show_sets(self, sets: Sequence[StoredSet], refused: Mapping[tuple[int, str], str]) -> None:
        """Offer the project's prompt sets; what was chosen stays chosen. `refused`: by set and generator, why not."""
        self._refused = refused
        before = self.prompt_set.currentData()
        self._sets = {one.id: one for one in sets}
        self.prompt_set.blockSignals(True)
        self.prompt_set.clear()
        for one in sets:
            count = plural(one.prompts, "1 prompt", "%n prompts")
            self.prompt_set.addItem(safe_line(f"{one.name}, version {one.version} ({count})"), one.id)
        self.prompt_set.setCurrentIndex(max(0, self.prompt_set.findData(before)))
        self.prompt_set.blockSignals(False)
        self.no_prompts.setVisible(not sets)
        self._show_state()

    def show_runs(self, runs: Sequence[RunLine]) -> None:
        self._runs = runs
        self._show_state()

    def allow(self, allowed: bool) -> None:
        """Whether anything may be started now; what is chosen can be changed only then."""
        self._allowed = allowed
        for field in (self.prompt_set, self.backend, self.model, self.seed, self.samples):
            field.setEnabled(allowed)
        self._show_state()

    # what is chosen

    def choose_set(self, set_id: int) -> None:
        self.prompt_set.setCurrentIndex(max(0, self.prompt_set.findData(set_id)))

    def choose(self, request: WriteRequest) -> None:
        """Choose what a run was asked for, to go on with it."""
        self.choose_set(request.prompt_set_id)
        self.backend.setCurrentIndex(max(0, self.backend.findData(request.backend)))
        self.model.setCurrentIndex(max(0, self.model.findData(request.model)))
        self.seed.setValue(request.seed)
        self.samples.setValue(request.samples)

    def request(self) -> WriteRequest:
        return WriteRequest(
            self.prompt_set.currentData(),
            self.backend.currentData(),
            self.model.currentData() or "",
            self.seed.value(),
            self.samples.value(),
        )

    def run(self) -> RunLine | None:
        """The run that this choice goes on with."""
        wanted = self.request()
        same = (wanted.prompt_set_id, wanted.backend, wanted.model, wanted.seed)
        return next(
            (
                line
                for line in self._runs
                if (line.request.prompt_set_id, line.request.backend, line.request.model, line.request.seed) == same
            ),
            None,
        )

    # showing

    def _show_backend(self) -> None:
        info = self._backends.get(self.backend.currentData())
        self.model.blockSignals(True)
        self.model.clear()
        for name in info.models if info is not None else ():
            self.model.addItem(safe_line(name), name)
        self.model.setCurrentIndex(min(2, self.model.count() - 1))
        self.model.blockSignals(False)
        self.about.setText(safe_line(info.description) if info is not None else "")
        language_model = info is None or info.capabilities.is_language_model
        self.not_a_model.setVisible(not language_model)
        self.model_label.setText(tr("Model") if language_model else tr("Planted bias"))
        self.model.setAccessibleName(self.model_label.text())
        self._show_state()

    def _show_state(self) -> None:
        """How much of what is chosen is there, and so what the button does."""
        chosen, line = self._sets.get(self.prompt_set.currentData()), self.run()
        done, failed = (line.done, line.failed) if line is not None else (0, 0)
        wanted = chosen.prompts * max(self.samples.value(), line.request.samples if line else 1) if chosen else 0
        missing = wanted - done - failed
        if chosen is None:
            self.state.setText(tr("The project has no prompts yet."))
        else:
            self.state.setText(_counts(done, missing, failed))
        refusal = self._refused.get((self.prompt_set.currentData(), self.backend.currentData()), "")
        self.refused.text.setText(safe_line(refusal))
        self.refused.setVisible(bool(refusal))
        self.start.set_text(tr("Go on") if done or failed else tr("Start"))
        ready = chosen is not None and bool(self._backends) and not refusal
        self.start.setEnabled(self._allowed and ready and missing > 0)
        self.start.setVisible(chosen is not None)
        self.retry.set_text(plural(failed, "Ask again for the one that failed", "Ask again for the %n that failed"))
        self.retry.setVisible(failed > 0)
        self.retry.setEnabled(self._allowed and ready)

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.model_label = Label(tr("Model"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(tokens.grid)
        grid.setColumnStretch(1, 1)
        rows = (
            (Label(tr("Prompts")), self.prompt_set),
            (Label(tr("Generator")), self.backend),
            (self.model_label, self.model),
            (Label(tr("Samples of each")), self.samples),
            (Label(tr("Seed")), self.seed),
        )
        for row, (label, field) in enumerate(rows):
            label.setBuddy(field)
            field.setAccessibleName(label.text())
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        for box in (self.prompt_set, self.backend, self.model):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(12)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.gap)
        for button in (self.start, self.no_prompts, self.retry):
            buttons.addWidget(button)
        buttons.addStretch(1)
        about = QVBoxLayout()
        about.setSpacing(4)
        about.addWidget(self.not_a_model)
        about.addWidget(self.about)
        self.box.addLayout(grid)
        self.box.addSpacing(tokens.grid)
        self.box.addLayout(about)
        self.box.addSpacing(tokens.grid)
        self.box.addWidget(self.refused)
        self.box.addWidget(self.state)
        self.box.addLayout(buttons)
        self.box.addStretch(1)


def _counts(done: int, missing: int, failed: int) -> str:
    """How much is there, in words; nothing is said of what is none."""
    if not done and not failed:
        return plural(missing, "1 output to write.", "%n outputs to write.")
    parts = [plural(done, "1 output is there", "%n outputs are there")]
    parts += [plural(missing, "1 is missing", "%n are missing")] if missing else []
    parts += [plural(failed, "1 failed", "%n failed")] if failed else []
    return ", ".join(parts) + "."


def _spin(low: int, high: int, value: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    return spin
