"""A rating packet in the judge panel: a fixed code, a window that is blind from the first moment on, and its end."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.judging.blind import SessionProgress
from desktop.panels.base import Shell
from desktop.panels.judge.end import EndPage
from desktop.panels.judge.finished import FinishedPage
from desktop.panels.judge.start import StartPage
from desktop.widgets import Chip, tr

if TYPE_CHECKING:
    from core.judging.packets.inside import PacketInfo
    from core.project.project import Project


class PacketPlace:
    """Tells the pages whether they stand in a packet. `info` is None in an ordinary project."""

    def __init__(self, shell: Shell, start: StartPage, end: EndPage, page: FinishedPage, chip: Chip) -> None:
        self.info: PacketInfo | None = None
        self._shell = shell
        self._start = start
        self._end = end
        self._page = page
        self._chip = chip

    @property
    def finished(self) -> bool:
        return self.info is not None and self.info.finished

    def enter(self, project: "Project") -> None:
        """Another file is open. A packet makes the window blind at once: nothing around it names anything."""
        self.info = packet = self._shell.packet
        why = tr("The project is open read-only: no choice could be saved.") if project.read_only else ""
        if why and packet is not None:
            why = tr("Nothing can be written where this packet is: ratings could not be saved.")
        self._start.set_place(packet_code=packet.code if packet is not None else "", read_only=why)
        self._end.set_packet(packet is not None)
        self._chip.setText(
            tr("identities hidden until the end") if packet is None else tr("who and what is compared stays hidden")
        )
        if self.finished:
            self._show_end(project, None)
        elif packet is not None:
            self._shell.set_blind(not project.read_only)

    def leave(self) -> None:
        """No file is open any more."""
        self.info = None
        self._start.set_place()
        self._page.forget()

    def set_blind(self, blind: bool) -> None:
        """In a packet the window stays blind until it is finished, also while its rater pauses."""
        self._shell.set_blind(blind or (self.info is not None and not self.info.finished))

    def finish(self, progress: SessionProgress) -> None:
        """It is locked and sealed: where it lies can be asked for now."""
        assert self.info is not None
        self.info = replace(self.info, finished=True)
        self._shell.set_blind(False)
        project = self._shell.project
        assert project is not None
        self._show_end(project, progress)

    def _show_end(self, project: "Project", progress: SessionProgress | None) -> None:
        assert self.info is not None
        self._page.show_finished(project.path, self.info.comparisons, progress)
