"""The window as a panel or a dialog sees it (a protocol), and the commands that these offer to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from biasprint.desktop.wording.generators import words_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from biasprint.core.errors import AppError
    from biasprint.core.judging.packets.packet import PacketInfo
    from biasprint.core.project.project import Project
    from biasprint.desktop.jobs import JobRunner
    from biasprint.desktop.operations.preparing import Preparation
    from biasprint.desktop.operations.session import ProjectSession
    from biasprint.desktop.operations.writers import Connections
    from biasprint.desktop.settings import Settings
    from biasprint.desktop.widgets import Notice


@dataclass(frozen=True)
class Command:
    """A command. `keys` is a portable key sequence or empty; a held key runs it again if the command `repeats`.

    `enabled` is asked when the command is shown.
    """

    title: str
    run: Callable[[], object]
    keys: str = ""
    enabled: Callable[[], bool] = lambda: True
    repeats: bool = False


class Shell(Protocol):
    """The window as a panel sees it: everything that a panel may ask of it."""

    jobs: "JobRunner"
    settings: "Settings"
    session: "ProjectSession"
    connections: "Connections"  # the offline switch
    preparation: "Preparation"  # parts of the program that are still being installed
    current: str  # the panel that is shown

    @property
    def project(self) -> "Project | None":
        """The open project; None without one, and for everybody while a rater is blind."""

    @property
    def packet(self) -> "PacketInfo | None":
        """The description of the open file where it is a packet; None for an ordinary project."""

    def show_panel(self, key: str, **what: Any) -> None:
        """Go to a panel; `what` is handed to its `opened_with`."""

    def open_project(self, path: Path) -> None:
        """Open another project file in place of the open one."""

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open what was dropped or chosen: a project or packets, else letters, else a table to import."""

    def import_texts(self) -> None:
        """Ask for a table of texts, and show how it would be read."""

    def notify(self, text: str) -> None:
        """Show one quiet notice in the status line."""

    def show_error(self, error: "AppError") -> None:
        """Show an error in the banner: what happened, what was kept, what to do."""

    def show_notice(self, notice: "Notice", *, key: str = "") -> None:
        """Show a banner with actions of its own; it replaces one with the same key."""

    def set_saved(self, state: str, text: str = "") -> None:
        """Set the saved dot to "saved", "saving", "failed", or "" for none; with other words if wanted."""

    def set_status(self, text: str) -> None:
        """Show the panel's own words in the status line, for instance the active time. Empty: none."""

    def show_parts(self) -> None:
        """Show which parts of the program are installed, and how far the others are."""

    def look(self, where: str, then: Callable[[], object]) -> None:
        """Do what names identities; in the middle of a rating only after the question, and the look is written down."""

    @property
    def may_look(self) -> bool:
        """Return whether content that names identities may be shown without a question."""

    def start_again(self) -> None:
        """Leave the program as ever, with everything saved, and start it again with the open project."""

    def settle(self, then: Callable[[], object]) -> None:
        """Run an action that destroys panels, after a question where one of them would lose unsaved work."""

    def set_blind(self, blind: bool) -> None:
        """Set blindness: while blind, nothing in the window names a project, file, model or axis, or leads to one.

        Panels that are not `blind_safe` are destroyed at once, and made again when they are next shown.
        """

    def set_kiosk(self, page: "QWidget | None") -> None:
        """Fill the screen with one page alone, such as a workshop's; None restores the window."""


def see_findings(shell: Shell, studies: Sequence[str]) -> None:
    """Show the findings of a study in the panel made for it; of several studies, in the one that has all."""
    place = words_of(studies[0] if len(studies) == 1 else "")
    shell.show_panel(place.panel, **({"section": place.section} if place.section else {}))
