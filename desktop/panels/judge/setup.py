"""The page on which a researcher draws comparisons from texts. It names axes and models, so no rater comes here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from desktop import theme
from desktop.panels.judge.setup_power import Planned, PowerLine
from desktop.panels.judge.setup_what import WhatBox
from desktop.widgets import Card, Label, PrimaryButton, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.wheel import guard_wheel

if TYPE_CHECKING:
    from core.judging.plan import PlanKind
    from core.runs.compare.offers import StudyOffer

WIDTH, CONSENT_HEIGHT = 760, 88


class DrawRequest(NamedTuple):
    """What `core.runs.compare.compare` is asked for."""

    study_id: int
    kind: "PlanKind"
    axes: tuple[str, ...]
    models: tuple[str, ...]
    per_axis: int
    raters: int
    seed: int
    repeat_share: float
    consent_text: str
    criterion_ratings: bool
    ask_background: bool
    notes: bool


class SetupPage(QScrollArea):
    """What is compared, how many comparisons for how many raters, what that can show, and what raters are asked."""

    wanted = Signal(object)  # DrawRequest
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.what, self.power = WhatBox(), PowerLine()
        self.per_axis, self.raters = _spin(1, 10_000, 12), _spin(1, 200, 1)
        self.repeats, self.seed = _spin(0, 50, 0, suffix=" %"), _spin(0, 2_000_000_000, 1)
        self.per_axis_label = Label("", wrap=True)
        self.consent = QPlainTextEdit()
        self.consent.setTabChangesFocus(True)
        self.consent.setAccessibleName(tr("Consent text"))
        self.consent.setPlaceholderText(tr("Optional. Raters agree to this before the first comparison."))
        self.notes = _check(tr("Raters may write notes"), checked=True)
        self.ratings = _check(tr("Raters also rate each text by its criteria"))
        self.background = _check(tr("Raters may describe themselves"))
        self.background.setToolTip(tr("In their own words, and never required."))
        self.draw = PrimaryButton(tr("Draw comparisons"))
        self.cancel = QuietButton(tr("Cancel"))
        self.wanting = Label("", "note", wrap=True)
        self._busy = False
        self._lay_out()
        self.draw.clicked.connect(self._ask)
        self.cancel.clicked.connect(self.cancelled)
        self.what.changed.connect(self._changed)
        for spin in (self.per_axis, self.raters):
            spin.valueChanged.connect(lambda _: self._changed())

    @property
    def axes(self) -> dict[str, QCheckBox]:
        """The axes on offer, by key."""
        return self.what.axes

    def show_offers(self, offers: "Sequence[StudyOffer]", *, can_cancel: bool) -> None:
        """Offer what there are texts for."""
        self.what.show_offers(offers)
        self.cancel.setVisible(can_cancel)

    def forget(self) -> None:
        """Name no axis and no model any more: a rater is at work in this window."""
        self.what.forget()

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._changed()

    def _changed(self) -> None:
        wanting, offer = self.what.wanting(), self.what.offer
        self.draw.setEnabled(not wanting and not self._busy)
        self.wanting.setText(wanting)
        show_if(self.wanting, bool(wanting))
        # Only creative tasks come with criteria.
        show_if(self.ratings, offer is not None and offer.kind == "creativity")
        identity = self.what.chosen_kind == "identity"
        title = tr("Comparisons per axis") if identity else tr("Comparisons")
        self.per_axis_label.setText(title)
        self.per_axis.setAccessibleName(title)
        planned = Planned(self.what.sizes(), self.per_axis.value(), self.raters.value())
        self.power.plan(None if wanting else planned)

    def _ask(self) -> None:
        offer, kind = self.what.offer, self.what.chosen_kind
        if offer is None:
            return
        request = DrawRequest(
            study_id=offer.study_id,
            kind=kind,
            axes=self.what.axis_requests() if kind == "identity" else (),
            models=self.what.chosen_models() if kind == "model" else (),
            per_axis=self.per_axis.value(),
            raters=self.raters.value(),
            seed=self.seed.value(),
            repeat_share=self.repeats.value() / 100,
            consent_text=self.consent.toPlainText(),
            criterion_ratings=offer.kind == "creativity" and self.ratings.isChecked(),
            ask_background=self.background.isChecked(),
            notes=self.notes.isChecked(),
        )
        self.wanted.emit(request)

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet = QWidget()
        sheet.setProperty("role", "clear")
        outer = QHBoxLayout(sheet)
        outer.setContentsMargins(0, 0, 0, 0)
        self._card = card = Card(tr("Draw comparisons"))
        self._fit(tokens)
        theme.signals.changed.connect(self._fit)
        outer.addWidget(card, 1, Qt.AlignmentFlag.AlignTop)
        outer.addStretch(0)
        card.box.addWidget(self.what)
        card.box.addSpacing(tokens.grid)
        card.box.addLayout(self._numbers())
        card.box.addWidget(self.power)
        card.box.addSpacing(tokens.grid)
        card.box.addWidget(Label(tr("What raters are asked"), "strong"))
        for box in (self.notes, self.ratings, self.background):
            card.box.addWidget(box)
        card.box.addWidget(Label(tr("Consent text"), "strong"))
        card.box.addWidget(self.consent)
        card.box.addSpacing(tokens.grid)
        buttons = QHBoxLayout()
        buttons.addWidget(self.draw)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.wanting, 1)
        buttons.addStretch(0)
        card.box.addLayout(buttons)
        self.setWidget(sheet)

    def _fit(self, tokens: theme.Tokens) -> None:
        """The card and the consent text grow with the letters."""
        self._card.setMaximumWidth(tokens.px(WIDTH))
        self.consent.setFixedHeight(tokens.px(CONSENT_HEIGHT))

    def _numbers(self) -> QGridLayout:
        tokens = theme.current()
        form = QGridLayout()
        form.setHorizontalSpacing(tokens.gap)
        form.setVerticalSpacing(tokens.grid)
        form.setColumnStretch(2, 1)
        for row, (label, field, tip) in enumerate(
            (
                (self.per_axis_label, self.per_axis, _NUMBER_TIP),
                (Label(tr("Raters of each"), wrap=True), self.raters, _RATERS_TIP),
                (Label(tr("Hidden repeats"), wrap=True), self.repeats, _REPEATS_TIP),
                (Label(tr("Seed"), wrap=True), self.seed, _SEED_TIP),
            )
        ):
            field.setAccessibleName(label.text())
            field.setToolTip(tr(tip))
            label.setBuddy(field)
            form.addWidget(label, row, 0)
            form.addWidget(field, row, 1)
        return form


_NUMBER_TIP = "At most; there are fewer where the texts do not suffice."
_RATERS_TIP = "How many people each comparison is planned for. Others may rate it too."
_REPEATS_TIP = "So many of the comparisons come again, sides swapped: does a rater answer them the same way?"
_SEED_TIP = "The same seed draws the same comparisons."


def _spin(low: int, high: int, value: int, suffix: str = "") -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    spin.setSuffix(suffix)
    spin.setMinimumWidth(theme.current().px(110))
    guard_wheel(spin)
    return spin


def _check(text: str, *, checked: bool = False) -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(checked)
    return box
