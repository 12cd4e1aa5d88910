"""The choice of what is compared: whose texts, how they differ, how many at a time, on which axes or models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets import FlowLayout, Label, tr
from biasprint.desktop.widgets.choice import CheckBox, ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import empty, grid_of, in_column, set_margins
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.core.judging.plan import PlanKind
    from biasprint.core.runs.compare.pool import AxisOffer, StudyOffer

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
    """Two lists, a sentence that describes a comparison, and check boxes for axes or models."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._offers: tuple[StudyOffer, ...] = ()
        self.axes: dict[str, QCheckBox] = {}
        self.models: dict[str, QCheckBox] = {}
        self.identities: dict[str, dict[str, QCheckBox]] = {}
        self.study, self.kind, self.shown = ComboBox(), ComboBox(), ComboBox()
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
        """Offer these studies; the chosen kind is kept if it is still offered."""
        self._offers = tuple(offers)
        with QSignalBlocker(self.study):
            self.study.clear()
            for offer in self._offers:
                self.study.addItem(safe_line(tr(offer.title)))
        for widget in (self.study_label, self.study):
            show_if(widget, len(self._offers) > 1)
        self._show_kinds()

    def forget(self) -> None:
        """Remove the names of all axes and models."""
        self.show_offers(())

    # what is chosen

    def axis_requests(self) -> tuple[str, ...]:
        """Return the `axes` argument of `compare`: axes, or axes with some of their identities."""
        return tuple(self._request(key) for key, box in self.axes.items() if box.isChecked())

    @property
    def cards(self) -> int:
        """The number of texts in a comparison if more are compared; 0 for all of them."""
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
        """Return the chosen identities or models, by key and label; empty for kinds without such a choice."""
        if self.chosen_kind == "model":
            return tuple((label, label) for label in self.chosen_models())
        if self.chosen_kind != "identity" or self.offer is None:
            return ()
        chosen = [(axis, self._some(axis.key)) for axis in self.offer.axes if axis.key in self._checked_axes()]
        identities = {
            key: label for axis, some in chosen for key, label in axis.identities.items() if not some or key in some
        }
        return tuple(identities.items())

    def sizes(self) -> tuple[int, ...]:
        """Return the number of texts in a comparison, for each chosen axis."""
        if self.chosen_kind == "identity":
            offered = {axis.key: axis for axis in self.offer.axes} if self.offer else {}
            return tuple(len(self._some(key) or offered[key].identities) for key in self._checked_axes())
        return (len(self.chosen_models()),) if self.chosen_kind == "model" else (2,)

    def wanting(self) -> str:
        """Return the missing choice in words; empty if comparisons can be drawn."""
        if self.offer is None:
            return tr("There is nothing to compare yet.")
        if self.chosen_kind == "model":
            many = len(self.chosen_models())
            if many < 2 or (many > MOST_CARDS and not self.cards):
                return tr("Choose two or three generators, or let a comparison show two or three of them at a time.")
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
        with QSignalBlocker(self.kind):
            self.kind.clear()
            for kind in offer.kinds if offer else ():
                self.kind.addItem(tr(KIND_TITLES[kind]), kind)
            self.kind.setCurrentIndex(max(0, self.kind.findData(before)) if self.kind.count() else -1)
        self._show_choices()

    def _show_choices(self) -> None:
        empty(self._boxes)
        self.axes, self.models, self.identities = {}, {}, {}
        offer, kind = self.offer, self.chosen_kind
        self._say_shown()
        if offer is not None and kind == "identity":
            for axis in offer.axes:
                self._add_axis(axis)
        elif offer is not None and kind == "model":
            for number, label in enumerate(offer.models):
                self.models[label] = self._add_box(label, checked=number < MOST_CARDS)
        self.heading.setText(tr("Generators") if kind == "model" else tr("Axes"))
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
        flow = FlowLayout(inside=holder, spacing=theme.current().grid)
        set_margins(flow, theme.current().px(INDENT), 0, 0, 0)
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
        box.setToolTip(safe_tip(tr(text)))
        self._boxes.addWidget(box)
        return box

    def _box(self, text: str, *, checked: bool) -> QCheckBox:
        box = CheckBox(safe_line(tr(text)).replace("&", "&&"))
        box.setChecked(checked)
        box.toggled.connect(lambda _: self.changed.emit())
        return box

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid = grid_of()
        rows = ((self.study_label, self.study), (self.kind_label, self.kind), (self.shown_label, self.shown))
        for row, (label, combo) in enumerate(rows):
            label.setBuddy(combo)
            combo.setAccessibleName(label.text())
            combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(12)
            guard_wheel(combo)
            grid.addWidget(label, row, 0)
            grid.addWidget(combo, row, 1)
        outer = in_column(grid, self.words, self.heading, self._boxes, inside=self, spacing=tokens.grid, margins=0)
        outer.setAlignment(Qt.AlignmentFlag.AlignTop)
