"""A workshop's full-screen pages: the welcome, one participant's seat after another, and the page of who leads it."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.errors import AppError
from core.judging.workshop import Pin
from desktop.operations.workshop import Keeper
from desktop.panels.base import Shell
from desktop.panels.workshop.facilitator import FacilitatorPage
from desktop.panels.workshop.leave import LeaveDialog
from desktop.panels.workshop.seat import Seat
from desktop.panels.workshop.start import WelcomePage
from desktop.widgets import Notice
from desktop.widgets.notice import error_notice

if TYPE_CHECKING:
    from core.judging.planner import Chance
    from core.judging.workshop import WorkshopPlan
    from core.project.project import Project


class WorkshopRoom(QWidget):
    """What fills the screen while a workshop is on. Only a `Keeper` holds the project, and the window is blind."""

    def __init__(
        self, shell: Shell, project: "Project", plan: "WorkshopPlan", chance: "Chance | None", pin: Pin
    ) -> None:
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
        self.pages = QStackedWidget()
        for page in (self.welcome, self.facilitator):
            self.pages.addWidget(page)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self.pages, 1)
        self.welcome.started.connect(self._seat_somebody)
        self.welcome.leave_wanted.connect(self.ask_to_leave)
        self.facilitator.next_wanted.connect(self.next_person)
        self.facilitator.ended.connect(self.end)
        shell.session.leaving.connect(self.close_up)

    # one person after another

    def next_person(self) -> None:
        """Let go of everything that was somebody's, and welcome the next."""
        self._empty_seat()
        self._shell.set_saved("")
        self.facilitator.forget()
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
        """For whoever leads the workshop: the counts, and the way out."""
        if self.pages.currentWidget() is self.facilitator:
            return
        if self.findChild(LeaveDialog) is None:
            unfinished = self.seat is not None and self.seat.judging
            LeaveDialog(self, self._pin, unfinished=unfinished, on_leave=self._show_facilitator).open()

    def _show_facilitator(self) -> None:
        self._empty_seat()
        self.facilitator.show_waiting()
        self.pages.setCurrentWidget(self.facilitator)
        self._keeper.facilitator().start(
            self._shell.jobs, on_done=self.facilitator.show_view, on_error=self.facilitator.show_failure
        )

    def end(self) -> None:
        """Back to the ordinary window."""
        self._shell.set_blind(False)  # first: the panel that comes back names things
        self.close_up()
        self._shell.set_saved("saved")

    def close_up(self) -> None:
        """The workshop is over: nothing of it stays."""
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


def open_workshop(shell: Shell, plan: "WorkshopPlan", chance: "Chance | None", pin: Pin) -> WorkshopRoom | None:
    """Hold a workshop with this plan of the open project, in the window around `shell`."""
    project = shell.project
    if project is None:
        return None
    room = WorkshopRoom(shell, project, plan, chance, pin)
    shell.set_blind(True)
    shell.set_kiosk(room)
    room.next_person()
    return room
