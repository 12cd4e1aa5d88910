"""The fields of the form for a run, and where they stand; what they mean together is in `generate_form`."""

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QVBoxLayout

from desktop import theme
from desktop.panels.base import Shell
from desktop.panels.generate.estimate import EstimateLine
from desktop.panels.generate.options import OptionFields, as_wide_as_its_column, form_grid, narrow
from desktop.panels.generate.picker import GeneratorPicker
from desktop.widgets import Button, Card, Chip, Label, LinkButton, Notice, PrimaryButton, QuietButton, tr
from desktop.widgets.wheel import guard_wheel

MOST_SAMPLES = 100


class FormFields(Card):
    """Prompts, generator, its parameters, samples and seed; then what is said of the choice, and the buttons."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.set_padding(20)
        self._shell = shell
        self._make()
        self._lay_out()

    def _make(self) -> None:
        self.prompt_set = QComboBox()
        self.prompt_set.setPlaceholderText(tr("none yet"))
        self.picker, self.options = GeneratorPicker(), OptionFields()
        self.backend, self.model, self.model_label = self.picker.backend, self.picker.model, self.picker.model_label
        self.seed, self.samples = _spin(0, 2_000_000_000, 1), _spin(1, MOST_SAMPLES, 1)
        self.not_a_model = Chip(tr("not a language model"), "warn")
        self.about, self.preset = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self.estimate = EstimateLine(self._shell)
        self.state = Label("", "", wrap=True)
        self.refused = Notice("", tone="warn", closable=False)
        self.refused.hide()
        self.start: Button = PrimaryButton(tr("Start"))
        self.retry = LinkButton("")
        self.no_prompts = QuietButton(tr("Choose prompts…"))

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid, numbers = form_grid(), form_grid()
        label = Label(tr("Prompts"))
        label.setBuddy(self.prompt_set)
        self.prompt_set.setAccessibleName(label.text())
        narrow(self.prompt_set, 12)
        guard_wheel(self.prompt_set)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.prompt_set, 0, 1, 1, 3)
        self.picker.place(grid, 1)
        for column, words, spin, tip in (
            (0, tr("Samples"), self.samples, tr("How many outputs of each prompt.")),
            (2, tr("Seed"), self.seed, tr("Another seed is another run.")),
        ):
            label = Label(words)
            label.setBuddy(spin)
            spin.setAccessibleName(words)
            spin.setToolTip(tip)
            numbers.addWidget(label, 0, column)
            numbers.addWidget(spin, 0, column + 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.gap)
        for button in (self.start, self.no_prompts):
            buttons.addWidget(button)
        buttons.addWidget(self.state, 1)
        about = QVBoxLayout()
        about.setSpacing(4)
        about.addWidget(self.not_a_model)
        about.addWidget(self.about)
        self.box.addLayout(grid)
        self.box.addLayout(about)
        self.box.addLayout(numbers)
        self.box.addWidget(self.options)
        for widget in (self.preset, self.refused, self.estimate):
            self.box.addWidget(widget)
        self.box.addLayout(buttons)
        self.box.addWidget(self.retry)
        self.box.addStretch(1)


def _spin(low: int, high: int, value: int) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    as_wide_as_its_column(spin)
    guard_wheel(spin)
    return spin
