"""Drawing comparisons: whose texts, how they differ, on which axes, how many, and what that many can show.

It names axes and models, so no rater comes here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.jobs import JobContext
from desktop import theme
from desktop.panels.judge.teaching import Teaching, TeachingBox
from desktop.widgets import Card, FlowLayout, Label, PrimaryButton, QuietButton, tr
from desktop.widgets.events import guard_wheel
from desktop.widgets.labels import show_if
from desktop.widgets.layout import Scroller, clear_row
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.errors import AppError
    from core.judging.plan import PlanKind
    from core.runs.compare.planning import Outlook
    from core.runs.compare.pool import AxisOffer, StudyOffer
    from desktop.shell import Shell

MOST_CARDS = 3
INDENT = 26
KIND_TITLES: "dict[PlanKind, str]" = {
    "identity": "Identities of an axis",
    "model": "Models with each other",
    "origin": "Generated with original",
    "twin": "Letters with their swap twins",
}
KIND_WORDS: "dict[PlanKind, str]" = {
    "identity": (
        "A comparison shows one text per identity of an axis, for the same task and theme, "
        "without saying which is which."
    ),
    "model": "A comparison shows what two or three models wrote for the same prompt, without saying which is which.",
    "origin": (
        "A comparison shows a generated article beside the one that people wrote for the same headline. Each original "
        "is shown once."
    ),
    "twin": (
        "A comparison shows a letter beside the same letter with name and gender swapped. Letters that cannot be "
        "swapped safely are left out, and counted."
    ),
}


# How many texts a comparison shows (0: all that are compared), and whether the worst is asked for as well.
SHOWN: tuple[tuple[str, int, bool], ...] = (
    ("All that are compared", 0, False),
    ("Two at a time: a ranking", 2, False),
    ("Three at a time: a ranking", 3, False),
    ("Three at a time, the best and the worst", 3, True),
)
SHOWN_WORDS = (
    " Every two meet equally often, as nearly as the texts allow; any number can be compared, and what is found is a "
    "ranking."
)


class WhatBox(QWidget):
    """Two choosers, a sentence that says what a comparison will show, and check boxes for axes or models."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._offers: tuple[StudyOffer, ...] = ()
        self.axes: dict[str, QCheckBox] = {}
        self.models: dict[str, QCheckBox] = {}
        self.identities: dict[str, dict[str, QCheckBox]] = {}
        self.study, self.kind, self.shown = QComboBox(), QComboBox(), QComboBox()
        for words, *_ in SHOWN:
            self.shown.addItem(tr(words))
        self.words, self.heading = Label("", "soft", wrap=True), Label("", "strong")
        self.study_label, self.kind_label = Label(tr("Texts of")), Label(tr("Compare"))
        self.shown_label = Label(tr("A comparison shows"))
        self._boxes = QVBoxLayout()
        self._lay_out()
        self.study.currentIndexChanged.connect(lambda _: self._show_kinds())
        self.kind.currentIndexChanged.connect(lambda _: self._show_choices())
        self.shown.currentIndexChanged.connect(lambda _: self._say_shown())

    @property
    def offer(self) -> "StudyOffer | None":
        place = self.study.currentIndex()
        return self._offers[place] if 0 <= place < len(self._offers) else None

    @property
    def chosen_kind(self) -> "PlanKind":
        kind: PlanKind = self.kind.currentData() or "identity"
        return kind

    def show_offers(self, offers: "Sequence[StudyOffer]") -> None:
        """Offer these studies; the kind that was chosen stays chosen where it can."""
        self._offers = tuple(offers)
        self.study.blockSignals(True)
        self.study.clear()
        for offer in self._offers:
            self.study.addItem(safe_line(offer.title))
        self.study.blockSignals(False)
        for widget in (self.study_label, self.study):
            show_if(widget, len(self._offers) > 1)
        self._show_kinds()

    def forget(self) -> None:
        """Name no axis and no model any more."""
        self.show_offers(())

    # what is chosen

    def axis_requests(self) -> tuple[str, ...]:
        """The arguments of `compare`: axes, or axes with some of their identities."""
        return tuple(self._request(key) for key, box in self.axes.items() if box.isChecked())

    @property
    def cards(self) -> int:
        """How many texts a comparison shows where more are compared; 0: all of them."""
        return SHOWN[self.shown.currentIndex()][1] if self._can_rank else 0

    @property
    def worst(self) -> bool:
        return self._can_rank and SHOWN[self.shown.currentIndex()][2]

    @property
    def _can_rank(self) -> bool:
        return self.chosen_kind in ("identity", "model")

    def chosen_models(self) -> tuple[str, ...]:
        return tuple(label for label, box in self.models.items() if box.isChecked())

    def compared(self) -> tuple[tuple[str, str], ...]:
        """The identities or models that are chosen, by key and label; none of kinds that have no such choice."""
        if self.chosen_kind == "model":
            return tuple((label, label) for label in self.chosen_models())
        if self.chosen_kind != "identity" or self.offer is None:
            return ()
        chosen = [(axis, self._some(axis.key)) for axis in self.offer.axes if axis.key in self._checked_axes()]
        found = {
            key: label for axis, some in chosen for key, label in axis.identities.items() if not some or key in some
        }
        return tuple(found.items())

    def sizes(self) -> tuple[int, ...]:
        """How many texts a comparison shows, for each axis that is chosen."""
        if self.chosen_kind == "identity":
            offered = {axis.key: axis for axis in self.offer.axes} if self.offer else {}
            return tuple(len(self._some(key) or offered[key].identities) for key in self._checked_axes())
        return (len(self.chosen_models()),) if self.chosen_kind == "model" else (2,)

    def wanting(self) -> str:
        """The missing choice, in words; empty where comparisons can be drawn."""
        if self.offer is None:
            return tr("There is nothing to compare yet.")
        if self.chosen_kind == "model":
            many = len(self.chosen_models())
            if many < 2 or (many > MOST_CARDS and not self.cards):
                return tr("Choose two or three models, or let a comparison show two or three of them at a time.")
            return self._wanting_worst()
        if self.chosen_kind != "identity":
            return ""
        if not self._checked_axes():
            return tr("Choose an axis.")
        some = [len(self._some(key)) for key in self._checked_axes() if self._some_of(key)]
        if any(many < 2 or (many > MOST_CARDS and not self.cards) for many in some):
            return tr("Choose two or three identities of each axis, or let a comparison show some at a time.")
        return self._wanting_worst()

    def _wanting_worst(self) -> str:
        few = self.worst and max(self.sizes()) < 3
        return tr("Best and worst need three texts: choose three or more.") if few else ""

    def _checked_axes(self) -> list[str]:
        return [key for key, box in self.axes.items() if box.isChecked()]

    def _some_of(self, key: str) -> bool:
        return bool(self.identities.get(key))

    def _some(self, key: str) -> tuple[str, ...]:
        return tuple(name for name, box in self.identities.get(key, {}).items() if box.isChecked())

    def _request(self, key: str) -> str:
        return f"{key}:{','.join(self._some(key))}" if self._some_of(key) else key

    # what is shown

    def _show_kinds(self) -> None:
        before, offer = self.kind.currentData(), self.offer
        self.kind.blockSignals(True)
        self.kind.clear()
        for kind in offer.kinds if offer else ():
            self.kind.addItem(tr(KIND_TITLES[kind]), kind)
        self.kind.setCurrentIndex(max(0, self.kind.findData(before)) if self.kind.count() else -1)
        self.kind.blockSignals(False)
        self._show_choices()

    def _show_choices(self) -> None:
        self._clear()
        offer, kind = self.offer, self.chosen_kind
        self._say_shown()
        if offer is not None and kind == "identity":
            for axis in offer.axes:
                self._add_axis(axis)
        elif offer is not None and kind == "model":
            for number, label in enumerate(offer.models):
                self.models[label] = self._add_box(label, checked=number < MOST_CARDS)
        self.heading.setText(tr("Models") if kind == "model" else tr("Axes"))
        show_if(self.heading, bool(self.axes or self.models))
        self.changed.emit()

    def _say_shown(self) -> None:
        for widget in (self.shown, self.shown_label):
            show_if(widget, self._can_rank)
        self.words.setText(tr(KIND_WORDS[self.chosen_kind]) + (tr(SHOWN_WORDS) if self.cards else ""))
        self.changed.emit()

    def _add_axis(self, axis: "AxisOffer") -> None:
        many = len(axis.identities) > MOST_CARDS
        named = axis.title if many else f"{axis.title}: {', '.join(axis.identities.values())}"
        self.axes[axis.key] = box = self._add_box(named, checked=not many)
        if not many:
            return
        row, holder = {}, QWidget()
        flow = FlowLayout(holder, spacing=theme.current().grid)
        flow.setContentsMargins(theme.current().px(INDENT), 0, 0, 0)
        for number, (key, label) in enumerate(axis.identities.items()):
            row[key] = self._box(label, checked=number < 2)
            flow.addWidget(row[key])
        self.identities[axis.key] = row
        holder.setEnabled(False)
        box.toggled.connect(holder.setEnabled)
        self._boxes.addWidget(holder)

    def _add_box(self, text: str, *, checked: bool) -> QCheckBox:
        box = self._box(text, checked=checked)
        # A long list of identities must not make the page wider than the window.
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setToolTip(safe_line(text))
        self._boxes.addWidget(box)
        return box

    def _box(self, text: str, *, checked: bool) -> QCheckBox:
        box = QCheckBox(safe_line(text).replace("&", "&&"))
        box.setChecked(checked)
        box.toggled.connect(lambda _: self.changed.emit())
        return box

    def _clear(self) -> None:
        while (item := self._boxes.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.axes, self.models, self.identities = {}, {}, {}

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(tokens.grid)
        grid.setColumnStretch(1, 1)
        rows = ((self.study_label, self.study), (self.kind_label, self.kind), (self.shown_label, self.shown))
        for row, (label, combo) in enumerate(rows):
            label.setBuddy(combo)
            combo.setAccessibleName(label.text())
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(12)
            guard_wheel(combo)
            grid.addWidget(label, row, 0)
            grid.addWidget(combo, row, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(tokens.grid)
        outer.addLayout(grid)
        outer.addWidget(self.words)
        outer.addWidget(self.heading)
        outer.addLayout(self._boxes)
        outer.setAlignment(Qt.AlignmentFlag.AlignTop)


# ---- What the planned numbers can show

WAIT_MILLISECONDS = 250  # after the last change: whoever turns a number passes many


class Planned(NamedTuple):
    """`cards`: how many texts a comparison shows, for each axis; `comparisons` on each, judged by `raters` each."""

    cards: tuple[int, ...]
    comparisons: int
    raters: int
    shown: int = 0  # at a time, where there are more; 0: all
    worst: bool = False
    split: int = 0
    overlap: float = 0.0
    sway: float = 0.0


class PowerLine(QWidget):
    """One sentence for axes with two texts, one for axes with three, and below it what it would take.

    It is asked only while it can be seen, and answers that came too late are not shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shell: Shell | None = None
        self._planned: Planned | None = None
        self._asked: Planned | None = None
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        self.sees, self.needs = Label("", "", wrap=True), Label("", "note", wrap=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().grid // 2)
        box.addWidget(self.sees)
        box.addWidget(self.needs)

    def use(self, shell: "Shell") -> None:
        self._shell = shell

    def plan(self, planned: Planned | None) -> None:
        """These numbers were chosen; None where nothing can be planned yet."""
        if planned is None:
            self._timer.stop()
            self._planned = self._asked = None
            self._say((), ())
        elif planned != self._planned:
            self._planned = planned
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._planned is not None and self._planned != self._asked:
            self._timer.start()

    def _ask(self) -> None:
        planned = self._planned
        if planned is None or planned == self._asked or self._shell is None or not self.isVisible():
            return
        self._asked = planned
        self._shell.jobs.start(
            tr("Working out what comparisons can show"),
            lambda ctx: _outlooks(ctx, planned),
            on_done=lambda found: self._show(planned, found),
            on_error=self._failed,
            quiet=True,
        )

    def _show(self, planned: Planned, found: "Sequence[Outlook]") -> None:
        if planned == self._planned:
            self._say([one.sees for one in found], [needs_words(one, alone=len(found) == 1) for one in found])

    def _failed(self, error: "AppError") -> None:
        self._asked = None  # the next change asks again
        self._say((), (error.message,))

    def _say(self, sees: Sequence[str], needs: Sequence[str]) -> None:
        for label, sentences in ((self.sees, sees), (self.needs, needs)):
            label.setText("\n".join(sentences))
            label.setVisible(bool(sentences))


def needs_words(found: "Outlook", *, alone: bool = True) -> str:
    """The number needed; where the number is enough and only one kind of axis is spoken of, what it can detect."""
    enough = found.needed is not None and found.needed <= found.comparisons
    return found.detects if alone and enough else found.needs


def _outlooks(ctx: JobContext, planned: Planned) -> "Sequence[Outlook]":
    from core.compute import shared
    from core.judging.plan import PlanSettings
    from core.runs.compare.planning import Size, outlooks

    # Axes by number alone: a job's memory must not name what a rater in this window may not know.
    sizes = {
        str(number): Size.of_plan(planned.comparisons, cards, planned.shown, planned.worst)
        for number, cards in enumerate(planned.cards)
    }
    settings = PlanSettings(split=planned.split, overlap=planned.overlap, sway=planned.sway)
    return outlooks(ctx, shared(), sizes, raters=planned.raters, settings=settings)


# ---- The page

WIDTH, CONSENT_HEIGHT = 760, 88


class DrawRequest(NamedTuple):
    """The arguments of `core.runs.compare.compare`, what raters learn still as it was typed."""

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
    teaching: Teaching = Teaching()
    cards: int = 0
    worst: bool = False


class SetupPage(Scroller):
    """The form: texts, numbers of comparisons and raters, what they can show, and the questions to raters."""

    wanted = Signal(object)  # DrawRequest
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
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
        self.teaching = TeachingBox()
        self.draw = PrimaryButton(tr("Draw comparisons"))
        self.cancel = QuietButton(tr("Cancel"))
        self.wanting = Label("", "note", wrap=True)
        self._busy = False
        self._lay_out()
        self.draw.clicked.connect(self._ask)
        self.cancel.clicked.connect(self.cancelled)
        self.what.changed.connect(self._changed)
        taught = self.teaching
        for spin in (self.per_axis, self.raters, taught.split, taught.overlap, taught.sway):
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
        self.teaching.show_identities(self.what.compared())
        title = tr("Comparisons per axis") if identity else tr("Comparisons")
        self.per_axis_label.setText(title)
        self.per_axis.setAccessibleName(title)
        what, taught = self.what, self.teaching.values()
        dealt = {"split": taught.split, "overlap": taught.overlap, "sway": taught.sway}
        planned = Planned(what.sizes(), self.per_axis.value(), self.raters.value(), what.cards, what.worst, **dealt)
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
            teaching=self.teaching.values(),
            cards=self.what.cards,
            worst=self.what.worst,
        )
        self.wanted.emit(request)

    def _lay_out(self) -> None:
        tokens = theme.current()
        sheet, outer = clear_row()
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
        card.box.addWidget(self.teaching)
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
