"""The setup of a workshop: its plan or a new draw, its power, its PIN. A page of the fingerprint panel."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from biasprint.core.errors import AppError
from biasprint.core.judging.planner import Chance, JudgingDesign
from biasprint.core.judging.workshop import LONGEST_NAME, MIXED_COMPARISONS, USUAL_COMPARISONS, Pin, WorkshopPlan
from biasprint.desktop import theme
from biasprint.desktop.operations.fingerprint import (
    DrawWorkshop,
    Offers,
    WorkshopAxis,
    draw_workshop,
    workshop_chance,
    workshop_offers,
)
from biasprint.desktop.panels.workshop.participant import power_words
from biasprint.desktop.panels.workshop.room import open_workshop
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Label, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import CheckBox
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import STRETCH, Gap, Sheet, add_to, empty, grid_of, in_column, in_row, scaled
from biasprint.desktop.widgets.safe_text import safe_line

# ---- Comparisons to hold it with, or a new draw

MOST_COMPARISONS = 500
CONSENT_HEIGHT = 72


class PlanList(QWidget):
    """A list to choose a plan from, or None for a new draw."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.plans: tuple[WorkshopPlan, ...] = ()
        self._group = QButtonGroup(self)
        self._box = in_column(inside=self, spacing=theme.current().grid, margins=0)
        self._group.idToggled.connect(lambda: self.changed.emit())

    def show_plans(self, plans: "Sequence[WorkshopPlan]") -> None:
        """Show the plans, the latest first and chosen if nobody began; and a new one if something can be drawn."""
        for old in self._group.buttons():
            self._group.removeButton(old)
            self._box.removeWidget(old)
            old.deleteLater()
        self.plans = tuple(plans)
        words = [_plan_words(plan) for plan in plans] + [tr("A new workshop")]
        for index, each in enumerate(words):
            button = QRadioButton(tr(each).replace("&", "&&"))
            self._group.addButton(button, index)
            self._box.addWidget(button)
        self._group.button(len(plans) if plans and plans[0].begun else 0).setChecked(True)
        self.setVisible(bool(plans))

    @property
    def chosen(self) -> "WorkshopPlan | None":
        index = self._group.checkedId()
        return self.plans[index] if 0 <= index < len(self.plans) else None

    def button(self, index: int) -> QRadioButton:
        button = self._group.button(index)
        assert isinstance(button, QRadioButton)
        return button


class DrawForm(QWidget):
    """The form of a draw: one axis, or several mixed, of which each is a separate test with less power."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()

        self._usual = {False: USUAL_COMPARISONS, True: MIXED_COMPARISONS}
        self._offers: tuple[WorkshopAxis, ...] = ()
        self.axes: dict[str, QRadioButton | QCheckBox] = {}
        self.name = named(QLineEdit(maxLength=LONGEST_NAME), tr("Name"))
        self.hour = CheckBox(tr("Mix several axes: less is seen on each"))
        self.drawn = Label("", "note", wrap=True)
        self.comparisons = _spin(1, MOST_COMPARISONS, USUAL_COMPARISONS, tr("Comparisons on each axis"))
        self.seed = _spin(0, 2_000_000_000, 1, tr("Seed"))
        self.consent = named(QPlainTextEdit(tabChangesFocus=True), tr("Consent text"))
        self.consent.setPlaceholderText(tr("Optional. Everybody agrees to this before the first comparison."))
        scaled(self.consent, self.consent.setFixedHeight, CONSENT_HEIGHT)
        self._axis_box = QVBoxLayout()
        self._lay_out()
        self.hour.toggled.connect(self._mix)
        self.comparisons.valueChanged.connect(lambda _: self._changed())

    def show_axes(self, offers: Sequence[WorkshopAxis], name: str = "") -> None:
        """Offer these axes, of which one is chosen: several see less of each."""
        self.name.setText(name)
        self._offers = tuple(offers)
        if not offers:
            self.hour.setChecked(False)  # of another project
        self._list_axes()

    @property
    def chosen(self) -> tuple[WorkshopAxis, ...]:
        return tuple(offer for offer in self._offers if offer.key in self.axes and self.axes[offer.key].isChecked())

    def wanted(self) -> DrawWorkshop:
        """Return the draw as set in the form."""
        axes = tuple(offer.key for offer in self.chosen)
        consent_text = self.consent.toPlainText().strip()
        return DrawWorkshop(axes, self.comparisons.value(), self.seed.value(), consent_text, self.name.text())

    def design(self) -> "JudgingDesign | None":
        """Return the design for one participant, within what can be drawn; None without an axis."""
        chosen = self.chosen
        drawn = min((self._drawn(offer) for offer in chosen), default=0)
        if not drawn:
            return None
        return JudgingDesign(drawn, max(len(offer.identities) for offer in chosen), len(chosen))

    # inside

    def _drawn(self, offer: WorkshopAxis) -> int:
        return min(self.comparisons.value(), offer.comparisons)

    def _mix(self, several: bool) -> None:
        if self.comparisons.value() == self._usual[not several]:
            self.comparisons.setValue(self._usual[several])
        self._list_axes()

    def _changed(self) -> None:
        """Show how many comparisons there will be, which may be fewer than requested."""
        numbers = [self._drawn(offer) for offer in self.chosen]
        words = plural(sum(numbers), "%n comparison for each person.", "%n comparisons for each person.")
        if any(number < self.comparisons.value() for number in numbers):
            words += " " + tr("There are no more texts for an axis.")
        self.drawn.setText(words if numbers else "")
        self.changed.emit()

    def _list_axes(self) -> None:
        before = {key for key, box in self.axes.items() if box.isChecked()}
        empty(self._axis_box)
        self.axes = {}
        several = self.hour.isChecked()
        sheet = QWidget()  # radio buttons exclude each other within their parent
        box = in_column(inside=sheet, spacing=theme.current().grid, margins=0)
        checked = self._checked(before, several)
        for offer in self._offers:
            words = safe_line(f"{offer.title}: {', '.join(offer.identities)}").replace("&", "&&")
            button = QCheckBox(tr(words)) if several else QRadioButton(tr(words))
            button.setChecked(offer.key in checked)
            button.toggled.connect(lambda _: self._changed())
            self.axes[offer.key] = button
            box.addWidget(button)
        self._axis_box.addWidget(sheet)
        self.hour.setVisible(len(self._offers) > 1)
        self._changed()

    def _checked(self, before: set[str], several: bool) -> list[str]:
        """Return the axes that stay checked in another list; if none does, every axis when mixed, else the first."""
        offered = [offer.key for offer in self._offers]
        still_checked = [key for key in offered if key in before]
        return (still_checked if len(still_checked) > 1 else offered) if several else (still_checked or offered)[:1]

    def _lay_out(self) -> None:
        tokens = theme.current()
        box = in_column(Label(tr("Name"), "strong"), self.name, inside=self, spacing=tokens.grid, margins=0)
        words = tr("Whom it is for. The people of one name are one group, and no other workshop is added to them.")
        add_to(box, Label(words, "note", wrap=True), Label(tr("Axis"), "strong"), self._axis_box, self.hour)
        grid = grid_of()
        for row, field in enumerate((self.comparisons, self.seed)):
            grid.addWidget(Label(field.accessibleName()), row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft)
        add_to(box, grid, self.drawn, Label(tr("Consent text"), "strong"), self.consent)


def _plan_words(plan: "WorkshopPlan") -> str:
    count = plural(plan.comparisons, "%n comparison", "%n comparisons")
    minutes = plural(plan.minutes, "about %n minute", "about %n minutes")
    words = safe_line(tr("{title} ({count}, {minutes})").format(title=plan.title, count=count, minutes=minutes))
    if plan.begun:
        words += ":\n" + plural(plan.begun, "go on; %n person has begun", "go on; %n people have begun")
    return words


def _spin(low: int, high: int, value: int, name: str) -> QSpinBox:
    spin = named(QSpinBox(minimum=low, maximum=high, value=value), tr(name))
    scaled(spin, spin.setMinimumWidth, 110)
    return spin


WIDTH = 760
ASK_AFTER_MILLISECONDS = 150


class WorkshopSetup(QWidget):
    """The setup page: `offer()` looks up plans and axes; `closed` cancels. Starting takes over the window."""

    closed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._chance: Chance | None = None
        self._asked: JudgingDesign | None = None
        self.plans = PlanList()
        self.form = DrawForm()
        self.nothing = Label("", "soft", wrap=True)
        self.power = Label("", "", wrap=True)
        self.pin = QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=tr("Optional"), maxLength=40)
        self.pin.setAccessibleName(tr("PIN"))
        self.start = PrimaryButton(tr("Start the workshop"), act=lambda: self._start())
        self.start_seats = QuietButton(tr("Start with seats elsewhere"), act=lambda: self._start(seats=True))
        self.cancel = QuietButton(tr("Cancel"), act=self.closed)
        self._wait = QTimer(self, interval=ASK_AFTER_MILLISECONDS, singleShot=True)
        self._lay_out()
        self.plans.changed.connect(self._follow)
        self.form.changed.connect(self._follow)
        self._wait.timeout.connect(self._ask_chance)
        self._show_offers(Offers((), ()), looked=False)

    def offer(self) -> None:
        """Look up the plans and axes of the open project."""
        project = self._shell.project
        if project is None:
            return
        workshop_offers(project=project).start(
            self._shell.jobs, on_done=self._show_offers, on_error=self._shell.show_error
        )

    def forget(self) -> None:
        """Clear the offers and the PIN when the project changes."""
        self._show_offers(Offers((), ()), looked=False)
        self.pin.clear()

    # inside

    def _show_offers(self, offers: Offers, *, looked: bool = True) -> None:
        self.plans.show_plans(offers.plans)
        self.form.show_axes(offers.axes, offers.name)
        available = bool(offers.plans or offers.axes)
        words = tr("A workshop shows outputs of one prompt, written for each identity of an axis. Generate some first.")
        self.nothing.setText("" if available else words if looked else tr("Looking…"))
        self.nothing.setVisible(not available)
        self._follow()

    def _follow(self) -> None:
        """Show the fields of the chosen plan, and ask for its power."""
        plan = self.plans.chosen
        self.form.setVisible(plan is None and bool(self.form.axes))
        design = self._design()
        self._allow(plan is not None or design is not None)
        if design != self._asked:
            self._asked, self._chance = design, None
            self.power.setText(tr("Working it out…") if design is not None else _nothing_shown(plan))
            self._wait.start()

    def _design(self) -> "JudgingDesign | None":
        plan = self.plans.chosen
        return self.form.design() if plan is None else plan.design

    def _ask_chance(self) -> None:
        design = self._asked
        if design is None:
            return

        def show(chance: "Chance") -> None:
            if design == self._asked:
                self._chance = chance
                self.power.setText(f"{_how_many(chance.design)} {power_words(chance)}")

        workshop_chance(design=design).start(self._shell.jobs, on_done=show, on_error=self._shell.show_error)

    def _start(self, *, seats: bool = False) -> None:
        project = self._shell.project
        if project is None:
            return
        if project.read_only:
            self._shell.show_error(
                AppError(
                    tr("A workshop cannot be held: the project is open read-only."),
                    hint=tr("Save a copy and open that."),
                )
            )
            return
        try:
            pin = Pin(self.pin.text())
        except AppError as error:
            self._shell.show_error(error)
            self.pin.setFocus()
            return
        plan = self.plans.chosen
        if plan is not None:
            self._open(plan, pin, seats)
            return
        self._allow(False)
        draw_workshop(project=project, wanted=self.form.wanted()).start(
            self._shell.jobs, on_done=lambda drawn: self._open(drawn, pin, seats), on_error=self._fail
        )

    def _open(self, plan: "WorkshopPlan", pin: "Pin", seats: bool) -> None:
        """Open the workshop with the power of what was drawn, which may be less than what was asked for."""
        if plan.design is None or (self._chance is not None and self._chance.design == plan.design):
            self._enter(plan, self._chance if plan.design is not None else None, pin, seats)
            return
        workshop_chance(design=plan.design).start(
            self._shell.jobs, on_done=lambda chance: self._enter(plan, chance, pin, seats), on_error=self._fail
        )

    def _enter(self, plan: "WorkshopPlan", chance: "Chance | None", pin: "Pin", seats: bool) -> None:
        self._allow(True)
        self._shell.settle(lambda: open_workshop(self._shell, plan, chance, pin, seats_first=seats))

    def _fail(self, error: AppError) -> None:
        self._allow(True)
        self._shell.show_error(error)

    def _allow(self, there: bool) -> None:
        for button in (self.start, self.start_seats):
            button.setEnabled(there)

    def _lay_out(self) -> None:
        tokens = theme.current()
        words = tr(
            "People take turns at this computer. Each judges the same comparisons, sees their own fingerprint and "
            "leaves; the next one starts clean. You see how many took part and, from five people on, what all chose "
            "together. Others can judge at their own computers, or in the browser of a phone: “Start with seats "
            "elsewhere” begins at the page that makes their seats."
        )
        about = Card(tr("A workshop"), Label(words, "soft", wrap=True))
        add_to(about.box, Gap(tokens.grid), Label(tr("Comparisons"), "strong"), self.nothing, self.plans, self.form)
        shows = Card(tr("What it can show"), self.power)
        shows.box.addWidget(
            Label(tr("More comparisons on one axis see more; more axes see less of each."), "note", wrap=True)
        )
        scaled(self.pin, self.pin.setMaximumWidth, 240)
        leaving = Card(
            tr("A PIN for leaving"),
            self.pin,
            Label(
                tr("At least 4 characters. Without one, anybody can leave the workshop after a question."),
                "note",
                wrap=True,
            ),
        )
        column = QWidget(maximumWidth=tokens.px(WIDTH))
        in_column(about, shows, leaving, inside=column, spacing=tokens.gap, margins=0)
        across = QHBoxLayout()  # a row asks for the height at the width that is had, a column at the one that is there
        add_to(across, (column, 1), 0)
        sheet = Sheet(across, STRETCH)
        row = in_row(self.start, self.start_seats, self.cancel, STRETCH, spacing=tokens.grid)
        box = in_column((sheet, 1), inside=self, spacing=tokens.gap, margins=0)
        box.addLayout(row)  # in sight, however far one has scrolled


def _how_many(design: "JudgingDesign") -> str:
    each = plural(design.comparisons, "%n comparison", "%n comparisons")
    if design.axes == 1:
        return tr("{each} on one axis.").format(each=each)
    return tr("{each} on each of {axes} axes.").format(each=each, axes=design.axes)


def _nothing_shown(plan: "WorkshopPlan | None") -> str:
    if plan is not None:
        return tr("These comparisons are on no axis, so they give no fingerprint.")
    return tr("Choose an axis.")
