"""A workshop's full-screen pages: the welcome, one seat after another, the facilitator's page, and the way out."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit, QSpinBox, QWidget

from biasprint.core.errors import AppError
from biasprint.core.judging.fingerprint import AxisChoice, ShareOfChoices
from biasprint.core.judging.packets.hand_out import MOST_SEATS, Collected
from biasprint.core.judging.packets.outside import Tool
from biasprint.core.judging.planner import Chance
from biasprint.core.judging.workshop import Pin, WorkshopPlan
from biasprint.core.project.project import Project
from biasprint.core.runs.fingerprint import GroupPicture
from biasprint.desktop import theme
from biasprint.desktop.charts.live import few_people
from biasprint.desktop.operations.fingerprint import FacilitatorView, Keeper
from biasprint.desktop.panels.judge.end import ShareBar
from biasprint.desktop.panels.workshop.participant import WelcomePage
from biasprint.desktop.panels.workshop.seat import ProjectorPage, Seat
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import (
    Button,
    Card,
    FlowLayout,
    Label,
    Notice,
    PrimaryButton,
    QuietButton,
    number,
    plural,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import (
    STRETCH,
    Dialog,
    Gap,
    Sheet,
    add_to,
    grid_of,
    in_column,
    in_row,
    scaled,
    stack_of,
)
from biasprint.desktop.widgets.notice import error_notice
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.wording.raters import SEATS_KEPT, TOOLS

# ---- Seats

USUAL_SEATS = 5
SAID = {
    "": (
        "One packet for each, in a shared folder or on a stick. It is opened with Biasprint at another computer, rated "
        "to the end and finished."
    ),
    "potato": (
        "A folder for a Potato server of your own, which people open in the browser of a phone or computer. Its README "
        "says how to start it; slips with the codes that people log in with are there to be printed. Whoever runs that "
        "server could read answers under these codes: let people draw their slips."
    ),
    "label-studio": (
        "A file of tasks for each person, and the labelling interface, for a Label Studio of your own; the README says "
        "where they go. Collect the folder that you put the projects’ exports (JSON) into. Whoever runs that server "
        "could read answers under these codes."
    ),
}
# Of every seat elsewhere.
NO_PICTURE = (
    "Seats elsewhere show no picture, because they are not told for whom the texts were written. Their answers join "
    "the group here once they are collected."
)

LEFT_OUT = (
    "1 answer was left out: its texts, or the question, were changed in the other tool.",
    "%n answers were left out: their texts, or the questions, were changed in the other tool.",
)
TO_DECIDE = (
    "1 seat came back in copies that differ: the five people it is shown with wait until you decide, after the "
    "workshop, under Raters, Decisions.",
    "%n seats came back in copies that differ: the five people each is shown with wait until you decide, after the "
    "workshop, under Raters, Decisions.",
)


class SeatsBox(QWidget):
    """The box of remote seats: `made` and `collected` carry the request; `show_…` methods show the result."""

    made = Signal(int, object, object)  # how many, Path, Tool or None
    collected = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__()

        tokens = theme.current()
        self.seats = QSpinBox(minimum=1, maximum=MOST_SEATS, value=USUAL_SEATS)
        self.seats.setAccessibleName(tr("Seats at other computers, browsers and phones"))
        self.tool = named(ComboBox(), tr("Judged in"))
        for key, title in TOOLS.items():
            self.tool.addItem(tr(title), key)
        self.make = Button(tr("Make seats…"), icon="folder", act=lambda: self._ask(self._want))
        self.collect = Button(tr("Collect…"), icon="folder", act=lambda: self._ask(self.collected.emit))
        self.about = Label("", "note", wrap=True)
        self.said = Label("", "note", wrap=True)
        row = FlowLayout(self.seats, self.tool, self.make, self.collect, spacing=tokens.grid, centred=True)
        in_column(
            Label(self.seats.accessibleName(), "strong", wrap=True),
            self.about,
            row,
            self.said,
            inside=self,
            spacing=tokens.grid,
            margins=0,
        )
        self.tool.currentIndexChanged.connect(lambda _: self._tell_about())
        self._tell_about()

    def show_made(self, number: int, tool: Tool | None = None) -> None:
        if tool is None:
            words = plural(number, "1 packet is in the folder.", "%n packets are in the folder.")
        else:
            words = plural(number, "1 seat is in", "%n seats are in")
            words = tr("{seats} the folder “{name}” there. Read its README.").format(seats=words, name=tool)
        self.said.setText(words)

    def show_collected(self, found: Collected) -> None:
        words = [
            plural(found.finished, "1 seat is finished.", "%n seats are finished."),
            plural(found.unfinished, "1 is not.", "%n are not.") if found.unfinished else "",
            plural(found.left_out, *LEFT_OUT) if found.left_out else "",
            plural(found.to_decide, *TO_DECIDE) if found.to_decide else "",
            plural(found.kept, *SEATS_KEPT) if found.kept else "",
            *map(safe_line, found.refused),
        ]
        self.said.setText(" ".join(filter(None, words)))

    def show_failure(self, error: AppError) -> None:
        self.said.setText(str(error))

    # inside

    def _tell_about(self) -> None:
        self.about.setText(f"{tr(SAID[self.tool.currentData()])} {tr(NO_PICTURE)}")

    def _want(self, folder: Path) -> None:
        self.made.emit(self.seats.value(), folder, self.tool.currentData() or None)

    def _ask(self, then: Callable[[Path], object]) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Where the seats are"))
        if chosen:
            then(Path(chosen))


class LeaveDialog(Dialog):
    """The dialog that asks for the PIN. Escape stays. `unfinished`: somebody's answers would be left uncounted."""

    def __init__(self, parent: QWidget, pin: Pin, *, unfinished: bool, on_leave: Callable[[], object]) -> None:
        super().__init__(parent, tr("Leave the workshop?"))
        tokens = theme.current()
        self._pin, self._on_leave = pin, on_leave
        self.stay = PrimaryButton(tr("Go on with the workshop"), act=self.reject)
        self.leave = QuietButton(tr("Leave"), act=self.try_to_leave)
        self.pin = named(QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=tr("PIN")), tr("PIN"))
        self.said = Label("", "note", wrap=True)
        words = tr("This is for whoever leads the workshop: it shows how many took part.")
        if unfinished:
            words += " " + tr("Somebody has not finished: their answers are left uncounted.")
        text = Label(words, wrap=True)
        scaled(text, text.setMinimumWidth, 400)
        box = in_column(
            Label(tr("Leave the workshop?"), "title", wrap=True),
            text,
            inside=self,
            spacing=tokens.gap,
            margins=tokens.margin,
        )
        if pin.wanted:
            add_to(box, self.pin, self.said)
        box.addLayout(in_row(STRETCH, self.leave, self.stay, spacing=tokens.grid))
        self.setTabOrder(self.stay, self.leave)
        (self.pin if pin.wanted else self.stay).setFocus()
        self.pin.returnPressed.connect(self.try_to_leave)

    def try_to_leave(self) -> None:
        """Leave if the PIN is right."""
        if self._pin.fits(self.pin.text()):
            self.accept()
            self._on_leave()
            return
        self.pin.clear()
        self.said.setText(tr("That is not the PIN."))
        self.pin.setFocus()


# ---- The facilitator: how many took part, and from five people on what all chose together

WIDTH = 760


class FacilitatorPage(Sheet):
    """The page of whoever leads the workshop. It never shows a row, a code or a time of any person."""

    ended = Signal()
    next_wanted = Signal()
    show_wanted = Signal(object)  # GroupPicture

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("For whoever leads the workshop"))
        self.counts = Label("", "reading", wrap=True)
        self.next_person = PrimaryButton(tr("Next person"), act=self.next_wanted)
        self.show_all = QuietButton(tr("Show the group to everybody"), act=lambda: self.show_wanted.emit(self._picture))
        self.end = QuietButton(tr("End the workshop"), act=self.ended)
        self.seats = SeatsBox()
        self._picture: GroupPicture | None = None
        self.group: QWidget = QWidget()
        self._lay_out()

    def show_waiting(self) -> None:
        self.forget()
        self.counts.setText(tr("Counting…"))

    def show_view(self, view: FacilitatorView) -> None:
        people = view.attendance
        self.counts.setText(
            tr("{began} {finished}").format(
                began=plural(people.started, "%n session was begun.", "%n sessions were begun."),
                finished=plural(people.finished, "%n was finished.", "%n were finished."),
            )
        )
        self._keep(view.picture)
        self._put(_group_card(view.picture))

    def show_failure(self, error: AppError) -> None:
        self.counts.setText("")
        self._put(error_notice(error))

    def forget(self) -> None:
        self.counts.setText("")
        self._keep(None)
        self._put(QWidget())

    # inside

    def _keep(self, picture: GroupPicture | None) -> None:
        self._picture = picture
        self.show_all.setVisible(picture is not None and picture.group is not None)

    def _put(self, widget: QWidget) -> None:
        self._column.box.replaceWidget(self.group, widget)
        self.group.hide()
        self.group.deleteLater()
        self.group = widget
        widget.show()

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        self._column = Card(tr("The workshop so far"))
        scaled(self._column, self._column.setMaximumWidth, WIDTH)
        self._column.set_padding(tokens.px(32))
        add_to(self._column.box, self.counts, self.group, spacing=tokens.gap)
        words = tr(
            "A session that was begun and not finished counts for nothing else. The group grows by five people at a "
            "time, so that nobody’s answers are the difference."
        )
        self._column.box.addWidget(Label(words, "note", wrap=True))
        row = in_row(self.next_person, self.show_all, self.end, STRETCH, spacing=tokens.grid)
        add_to(self._column.box, row, Gap(tokens.grid), self.seats)
        add_to(self.box, STRETCH, in_row((self._column, 1)), 2)


def _group_card(picture: GroupPicture) -> QWidget:
    """Return the shares of each axis with their intervals, or the reason why there are none."""
    if picture.group is None:
        return Label(tr(picture.reason), "soft", wrap=True)
    sheet = QWidget()
    grid = grid_of(sheet)
    row = 0
    for axis in picture.group.axes:
        heading = tr("{axis}: what all chose together, {n}").format(
            axis=axis.title, n=plural(axis.n, "%n choice", "%n choices")
        )
        grid.addWidget(Label(safe_line(heading), "strong", wrap=True), row, 0, 1, 3)
        for place, identity in enumerate(axis.identities, start=1):
            _share_row(grid, row + place, axis, identity, place - 1)
        row += len(axis.identities) + 1
    words = [
        tr("The tick marks chance; in brackets the 95 % interval, with each person as one unit, whatever each chose."),
        few_people(picture.group.people),
        tr("Texts differ in quality, so this is no verdict."),
    ]
    grid.addWidget(Label(" ".join(filter(None, words)), "note", wrap=True), row, 0, 1, 3)
    return sheet


def _share_row(grid: QGridLayout, row: int, axis: AxisChoice, one: ShareOfChoices, series: int) -> None:
    k = len(axis.identities)
    grid.addWidget(Label(safe_line(one.label)), row, 0, Qt.AlignmentFlag.AlignVCenter)
    if one.share is None:
        grid.addWidget(Label(tr("no choice"), "soft"), row, 1, 1, 2)
        return
    grid.addWidget(ShareBar(one.share, 1 / k, series), row, 1)
    figure = tr("{share} %").format(share=number(100 * one.share))
    if one.interval is not None:
        low, high = (number(100 * end / k) for end in (one.interval.low, one.interval.high))
        figure = tr("{share} % ({low}–{high})").format(share=number(100 * one.share), low=low, high=high)
    grid.addWidget(Label(figure), row, 2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class WorkshopRoom(QWidget):
    """The full screen of a workshop, with a blind window. Only a `Keeper` holds the project."""

    def __init__(self, shell: Shell, project: Project, plan: WorkshopPlan, chance: Chance | None, pin: Pin) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self._shell = shell
        self._keeper = Keeper(project, plan.plan_id)
        self._pin = pin
        self._over = False
        self._told: Notice | None = None
        self.seat: Seat | None = None
        self.welcome = WelcomePage()
        self.welcome.show_plan(plan, chance)
        self.facilitator = FacilitatorPage()
        self.projector = ProjectorPage()
        self.pages = stack_of(self.welcome, self.facilitator, self.projector)
        self._box = in_column((self.pages, 1), inside=self, margins=0)
        self.welcome.started.connect(self._seat_somebody)
        self.welcome.leave_wanted.connect(self.ask_to_leave)
        self.facilitator.next_wanted.connect(self.next_person)
        self.facilitator.ended.connect(self.end)
        self.facilitator.show_wanted.connect(self._show_group)
        self.facilitator.seats.made.connect(self._make_seats)
        self.facilitator.seats.collected.connect(self._collect_seats)
        self.projector.left.connect(self.show_facilitator)
        shell.session.leaving.connect(self.close_up)

    def get_ready(self) -> None:
        """Load what the pictures need while the first people judge; if that fails, the picture will say why."""
        self._keeper.warm().start(self._shell.jobs, on_error=lambda _: None)

    # one person after another

    def next_person(self) -> None:
        """Clear everything that belonged to the last person, and welcome the next."""
        self._empty_seat()
        self._shell.set_saved("")
        self.facilitator.forget()
        self.projector.forget()
        self.welcome.forget()
        self.pages.setCurrentWidget(self.welcome)
        self.welcome.setFocus()

    def _seat_somebody(self, consent: bool) -> None:
        if self.seat is not None:
            return
        self._tell(None)
        self.welcome.set_opening()
        seat = Seat(self._shell, self._keeper)
        self.seat = seat
        seat.opened.connect(self._show_seat)
        seat.refused.connect(self._refuse)
        seat.left.connect(self.next_person)
        seat.begin(consent=consent)

    def _show_seat(self) -> None:
        if self.seat is not None:
            self.pages.addWidget(self.seat)
            self.pages.setCurrentWidget(self.seat)

    def _refuse(self, error: AppError) -> None:
        self.next_person()
        self._tell(error_notice(error))

    def _empty_seat(self) -> None:
        seat, self.seat = self.seat, None
        if seat is None:
            return
        seat.close_up()
        self.pages.removeWidget(seat)
        seat.hide()
        seat.deleteLater()
        self._tell(None)

    # whoever leads it

    def ask_to_leave(self) -> None:
        """Ask for the PIN, which leads to the counts and to the exit."""
        if self.pages.currentWidget() in (self.facilitator, self.projector):
            return
        if self.findChild(LeaveDialog) is None:
            unfinished = self.seat is not None and self.seat.judging
            LeaveDialog(self, self._pin, unfinished=unfinished, on_leave=self.show_facilitator).open()

    def _make_seats(self, seats: int, folder: Path, tool: Tool | None) -> None:
        box = self.facilitator.seats
        self._keeper.make_seats(seats, folder, tool).start(
            self._shell.jobs, on_done=lambda made: box.show_made(made, tool), on_error=box.show_failure
        )

    def _collect_seats(self, folder: Path) -> None:
        box = self.facilitator.seats

        def show(collected: Collected) -> None:
            box.show_collected(collected)
            self._count()

        self._keeper.collect_seats(folder).start(self._shell.jobs, on_done=show, on_error=box.show_failure)

    def _show_group(self, picture: GroupPicture) -> None:
        self.projector.show_picture(picture)
        self.pages.setCurrentWidget(self.projector)
        self.projector.setFocus()

    def show_facilitator(self) -> None:
        """Show the facilitator's page, with current counts."""
        self._empty_seat()
        self.projector.forget()
        self.facilitator.show_waiting()
        self.pages.setCurrentWidget(self.facilitator)
        self._count()

    def _count(self) -> None:
        self._keeper.facilitator().start(
            self._shell.jobs, on_done=self.facilitator.show_view, on_error=self.facilitator.show_failure
        )

    def end(self) -> None:
        """End the workshop, and return to the ordinary window."""
        self._shell.set_blind(False)  # first: the panel that comes back names things
        self.close_up()
        self._shell.set_saved("saved")

    def close_up(self) -> None:
        """Clear everything of the workshop when it is over."""
        if self._over:
            return
        self._over = True
        self._empty_seat()
        self._keeper.close().start(self._shell.jobs)
        self._shell.set_kiosk(None)

    def _tell(self, notice: Notice | None) -> None:
        if self._told is not None:
            self._told.close()
        self._told = notice
        if notice is not None:
            notice.closed.connect(self._untold)
            self._box.insertWidget(0, notice)

    def _untold(self) -> None:
        self._told = None


def open_workshop(
    shell: Shell, plan: WorkshopPlan, chance: Chance | None, pin: Pin, *, seats_first: bool = False
) -> WorkshopRoom | None:
    """Start a workshop with this plan of the open project, in the window around `shell`.

    `seats_first`: begin at the facilitator's page, which makes seats elsewhere, instead of with the first person here.
    """
    project = shell.project
    if project is None:
        return None
    room = WorkshopRoom(shell, project, plan, chance, pin)
    shell.set_blind(True)
    shell.set_kiosk(room)
    room.next_person()
    if seats_first:
        room.show_facilitator()
    room.get_ready()
    return room
