"""What a workshop is held with: comparisons that were drawn for one, or what new ones are drawn from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.operations.workshop import AxisOffer, DrawWorkshop
from desktop.widgets import Label, plural, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.judging.planner import Design
    from core.judging.workshop import WorkshopPlan

MOST_COMPARISONS = 500
CONSENT_HEIGHT = 72


class PlanList(QWidget):
    """One of the plans, or None for drawing a new one."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.plans: tuple[WorkshopPlan, ...] = ()
        self._group = QButtonGroup(self)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(theme.current().grid)
        self._group.idToggled.connect(lambda: self.changed.emit())

    def show_plans(self, plans: "Sequence[WorkshopPlan]") -> None:
        """The latest first, and picked; a new one is offered where something can be drawn."""
        for old in self._group.buttons():
            self._group.removeButton(old)
            self._box.removeWidget(old)
            old.deleteLater()
        self.plans = tuple(plans)
        words = [_plan_words(plan) for plan in plans] + [tr("Draw new comparisons")]
        for index, each in enumerate(words):
            button = QRadioButton(each.replace("&", "&&"))
            self._group.addButton(button, index)
            self._box.addWidget(button)
        self._group.button(0).setChecked(True)
        self.setVisible(bool(plans))

    @property
    def chosen(self) -> "WorkshopPlan | None":
        index = self._group.checkedId()
        return self.plans[index] if 0 <= index < len(self.plans) else None

    def button(self, index: int) -> QRadioButton:
        found = self._group.button(index)
        assert isinstance(found, QRadioButton)
        return found


class DrawForm(QWidget):
    """One axis; several where there is an hour, because each is a test of its own and takes its own comparisons."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        from core.judging.workshop import USUAL_COMPARISONS

        self._offers: tuple[AxisOffer, ...] = ()
        self.axes: dict[str, QRadioButton | QCheckBox] = {}
        self.hour = QCheckBox(tr("We have an hour: several axes"))
        self.comparisons = _spin(1, MOST_COMPARISONS, USUAL_COMPARISONS, tr("Comparisons on each axis"))
        self.seed = _spin(0, 2_000_000_000, 1, tr("Seed"))
        self.consent = QPlainTextEdit()
        self.consent.setTabChangesFocus(True)
        self.consent.setAccessibleName(tr("Consent text"))
        self.consent.setPlaceholderText(tr("Optional. Everybody agrees to this before the first comparison."))
        self.consent.setFixedHeight(theme.current().px(CONSENT_HEIGHT))
        self._axis_box = QVBoxLayout()
        self._lay_out()
        self.hour.toggled.connect(lambda _: self._list_axes())
        self.comparisons.valueChanged.connect(lambda _: self.changed.emit())

    def show_axes(self, offers: Sequence[AxisOffer]) -> None:
        self._offers = tuple(offers)
        self._list_axes()

    @property
    def chosen(self) -> tuple[AxisOffer, ...]:
        return tuple(offer for offer in self._offers if offer.key in self.axes and self.axes[offer.key].isChecked())

    def wanted(self) -> DrawWorkshop:
        """What is to be drawn now."""
        axes = tuple(offer.key for offer in self.chosen)
        return DrawWorkshop(axes, self.comparisons.value(), self.seed.value(), self.consent.toPlainText().strip())

    def design(self) -> "Design | None":
        """What that asks of a participant; None without an axis."""
        from core.judging.planner import Design

        chosen = self.chosen
        if not chosen:
            return None
        return Design(self.comparisons.value(), max(len(offer.identities) for offer in chosen), len(chosen))

    # inside

    def _list_axes(self) -> None:
        before = {key for key, box in self.axes.items() if box.isChecked()}
        while (item := self._axis_box.takeAt(0)) is not None:
            old = item.widget()
            assert old is not None
            old.hide()
            old.deleteLater()
        self.axes = {}
        several = self.hour.isChecked()
        sheet = QWidget()  # radio buttons exclude each other within their parent
        box = QVBoxLayout(sheet)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().grid)
        checked = self._checked(before, several)
        for offer in self._offers:
            words = safe_line(f"{offer.title}: {', '.join(offer.identities)}").replace("&", "&&")
            button = QCheckBox(words) if several else QRadioButton(words)
            button.setChecked(offer.key in checked)
            button.toggled.connect(lambda _: self.changed.emit())
            self.axes[offer.key] = button
            box.addWidget(button)
        self._axis_box.addWidget(sheet)
        self.hour.setVisible(len(self._offers) > 1)
        self.changed.emit()

    def _checked(self, before: set[str], several: bool) -> list[str]:
        """What stays checked in another list; where nothing does, every axis if there is an hour."""
        there = [offer.key for offer in self._offers]
        kept = [key for key in there if key in before] or there
        return kept if several else kept[:1]

    def _lay_out(self) -> None:
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(tr("Axis"), "strong"))
        box.addLayout(self._axis_box)
        box.addWidget(self.hour)
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(tokens.grid)
        for row, field in enumerate((self.comparisons, self.seed)):
            grid.addWidget(Label(field.accessibleName()), row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)
        box.addLayout(grid)
        box.addWidget(Label(tr("Consent text"), "strong"))
        box.addWidget(self.consent)


def _plan_words(plan: "WorkshopPlan") -> str:
    count = plural(plan.comparisons, "%n comparison", "%n comparisons")
    minutes = plural(plan.minutes, "about %n minute", "about %n minutes")
    return safe_line(tr("{title} ({count}, {minutes})").format(title=plan.title, count=count, minutes=minutes))


def _spin(low: int, high: int, value: int, name: str) -> QSpinBox:
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    spin.setAccessibleName(name)
    spin.setMinimumWidth(theme.current().px(110))
    return spin
