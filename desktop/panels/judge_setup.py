"""The page on which a researcher draws comparisons from the outputs. It names axes, so no rater comes here."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets import Card, Label, PrimaryButton, QuietButton, tr
from desktop.widgets.safe_text import safe_line

WIDTH = 760


class AxisChoice(NamedTuple):
    """An axis that outputs exist for."""

    key: str
    title: str
    identities: tuple[str, ...]


class DrawRequest(NamedTuple):
    """What `core.runs.compare.compare` is asked for."""

    axes: tuple[str, ...]
    per_axis: int
    seed: int
    repeat_share: float
    consent_text: str


class SetupPage(QScrollArea):
    """Axes, how many comparisons, how many of them come again, and a consent text."""

    wanted = Signal(object)  # DrawRequest
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.axes: dict[str, QCheckBox] = {}
        self.axis_box = QVBoxLayout()
        self.per_axis = _spin(1, 10_000, 12)
        self.repeats = _spin(0, 50, 0, suffix=" %")
        self.seed = _spin(0, 2_000_000_000, 1)
        self.consent = QPlainTextEdit()
        self.consent.setTabChangesFocus(True)
        self.consent.setAccessibleName(tr("Consent text"))
        self.consent.setPlaceholderText(tr("Optional. Raters agree to this before the first comparison."))
        self.consent.setFixedHeight(theme.current().px(88))
        self.draw = PrimaryButton(tr("Draw comparisons"))
        self.cancel = QuietButton(tr("Cancel"))
        self._lay_out()
        self.draw.clicked.connect(self._ask)
        self.cancel.clicked.connect(self.cancelled)

    def show_axes(self, choices: Sequence[AxisChoice], *, can_cancel: bool) -> None:
        """Offer the axes that there are outputs for."""
        self.forget()
        for choice in choices:
            names = ", ".join(choice.identities)
            box = QCheckBox(safe_line(f"{choice.title}: {names}").replace("&", "&&"))
            box.setChecked(True)
            box.toggled.connect(lambda _: self._allow())
            self.axes[choice.key] = box
            self.axis_box.addWidget(box)
        self.cancel.setVisible(can_cancel)
        self._allow()

    def forget(self) -> None:
        """Name no axis any more: a rater is at work in this window."""
        while (item := self.axis_box.takeAt(0)) is not None:
            item.widget().deleteLater()
        self.axes = {}

    def set_busy(self, busy: bool) -> None:
        self.draw.setEnabled(not busy)

    def _allow(self) -> None:
        self.draw.setEnabled(any(box.isChecked() for box in self.axes.values()))

    def _ask(self) -> None:
        axes = tuple(key for key, box in self.axes.items() if box.isChecked())
        share = self.repeats.value() / 100
        text = self.consent.toPlainText()
        self.wanted.emit(DrawRequest(axes, self.per_axis.value(), self.seed.value(), share, text))

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        outer = QHBoxLayout(sheet)
        outer.setContentsMargins(0, 0, 0, 0)
        card = Card(tr("Draw comparisons"))
        card.setMaximumWidth(tokens.px(WIDTH))
        outer.addWidget(card, 1, Qt.AlignmentFlag.AlignTop)
        outer.addStretch(0)
        words = tr(
            "A comparison shows one output per identity of an axis, for the same task and theme, "
            "without saying which is which."
        )
        card.box.addWidget(Label(words, "soft", wrap=True))
        card.box.addSpacing(tokens.grid)
        card.box.addWidget(Label(tr("Axes"), "strong"))
        card.box.addLayout(self.axis_box)
        card.box.addSpacing(tokens.grid)
        form = QGridLayout()
        form.setHorizontalSpacing(tokens.gap)
        form.setVerticalSpacing(tokens.grid)
        form.setColumnStretch(2, 1)
        for row, (title, field) in enumerate(
            (
                (tr("Comparisons per axis, at most"), self.per_axis),
                (tr("Hidden repeats, sides swapped"), self.repeats),
                (tr("Seed"), self.seed),
            )
        ):
            field.setAccessibleName(title)
            form.addWidget(Label(title, wrap=True), row, 0)
            form.addWidget(field, row, 1)
        card.box.addLayout(form)
        card.box.addWidget(Label(tr("Consent text"), "strong"))
        card.box.addWidget(self.consent)
        card.box.addSpacing(tokens.grid)
        buttons = QHBoxLayout()
        buttons.addWidget(self.draw)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        card.box.addLayout(buttons)
        self.setWidget(sheet)


def _spin(low: int, high: int, value: int, suffix: str = "") -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    spin.setSuffix(suffix)
    spin.setMinimumWidth(theme.current().px(110))
    return spin
