"""The fields of the card that lets a model judge, and where they stand; what they mean is in `generate_judging`."""

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QSpinBox, QWidget

from desktop import theme
from desktop.operations.judging_by_model import PastJudge
from desktop.panels.generate.options import OptionFields, as_wide_as_its_column, form_grid, narrow
from desktop.panels.generate.picker import GeneratorPicker
from desktop.widgets import Card, Label, LinkButton, Notice, PrimaryButton, ProgressThin, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line
from desktop.widgets.wheel import guard_wheel

MOST_PAST = 6  # sessions of models that are listed; every one is in the findings and in the export


class JudgingFields(Card):
    """Plans, generator, its parameters and a seed; the buttons; and what models judged before."""

    def __init__(self) -> None:
        super().__init__(tr("Let a model judge"))
        self.plans = QComboBox()
        self.plans.setPlaceholderText(tr("none yet"))
        narrow(self.plans, 12)
        guard_wheel(self.plans)
        self.picker, self.options = GeneratorPicker(), OptionFields()
        self.seed = QSpinBox()
        self.seed.setRange(0, 2_000_000_000)
        self.seed.setToolTip(tr("Another seed is another rater."))
        as_wide_as_its_column(self.seed)
        guard_wheel(self.seed)
        self.refused = Notice("", tone="warn", closable=False)
        self.refused.hide()
        self.to_models = LinkButton(tr("Models…"))
        self.start = PrimaryButton(tr("Start"))
        self.pause, self.cancel = QuietButton(tr("Pause")), QuietButton(tr("Cancel"))
        self.progress = ProgressThin(tr("Replies"))
        self.state = Label("", "note", wrap=True)
        self.past_title, self.past = Label(tr("Models that judged"), "strong"), QGridLayout()
        self._lay_out()
        self.show_past(())
        for part in (self.to_models, self.pause, self.cancel, self.progress):
            part.hide()

    def picker_fields(self) -> tuple[QWidget, ...]:
        return self.picker.backend, self.picker.model, self.picker.endpoint, self.picker.name

    def show_past(self, past: Sequence[PastJudge]) -> None:
        """How models' sessions stand, the latest first."""
        while (item := self.past.takeAt(0)) is not None:
            item.widget().hide()
            item.widget().deleteLater()
        for row, one in enumerate(past[:MOST_PAST]):
            self.past.addWidget(Label(safe_line(f"{one.result.rater} · {one.plan}"), "", wrap=True), 2 * row, 0)
            self.past.addWidget(Label(_stands(one), "note", wrap=True), 2 * row + 1, 0)
        show_if(self.past_title, bool(past))

    def _lay_out(self) -> None:
        tokens = theme.current()
        words = tr(
            "Every comparison is put to the model in each order of its cards, which shows how often the order decides. "
            "It is a rater of its own: what people judge stays as it is."
        )
        grid = form_grid()
        label = Label(tr("Comparisons"))
        label.setBuddy(self.plans)
        self.plans.setAccessibleName(label.text())
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.plans, 0, 1, 1, 3)
        row = self.picker.place(grid, 1)
        label = Label(tr("Seed"))
        label.setBuddy(self.seed)
        self.seed.setAccessibleName(label.text())
        grid.addWidget(label, row, 0)
        grid.addWidget(self.seed, row, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        for button in (self.start, self.pause, self.cancel, self.to_models):
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.past.setVerticalSpacing(2)
        self.box.addWidget(Label(words, "soft", wrap=True))
        self.box.addLayout(grid)
        for widget in (self.options, self.refused):
            self.box.addWidget(widget)
        self.box.addSpacing(tokens.grid)
        self.box.addLayout(buttons)
        for widget in (self.progress, self.state, self.past_title):
            self.box.addWidget(widget)
        self.box.addLayout(self.past)


def _stands(one: PastJudge) -> str:
    result = one.result
    said = tr("{given} of {wanted} replies").format(given=f"{sum(result.read.values()):,}", wanted=f"{result.wanted:,}")
    if result.flip_rate is None:
        said += tr("; no choice in every order of the cards")
    else:
        said += tr("; the order decided {flips} of {compared} comparisons ({rate})").format(
            flips=f"{result.flips:,}", compared=f"{result.compared:,}", rate=f"{result.flip_rate:.0%}"
        )
    return said + ("." if result.closed else tr("; not finished: the same choice goes on."))
