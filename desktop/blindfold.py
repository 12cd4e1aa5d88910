"""The blindfold: while a rater is blind, the window leads to no identity, axis, model or file name.

Everything that does is put in a vault: the project, the recent files, what running jobs are about and bring. Panels
that show any of it are destroyed; they are built again when they are next shown. Names are hidden because they cannot
be reached, and do not depend on somebody remembering to mask them.
"""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from biasprint.core.errors import AppError
from biasprint.core.language import InLanguage
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets.safe_text import as_given
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.judging.blind import Vault
    from biasprint.core.project.project import Project
    from biasprint.desktop.jobs.drawer import JobsDrawer
    from biasprint.desktop.widgets import Banners
    from biasprint.desktop.widgets.frame import StatusLine


T = TypeVar("T")


class BlindableWindow(Shell, Protocol):
    """The parts of the window that the blindfold hides or renames, besides what every panel may ask of the window."""

    name: str
    drawer: "JobsDrawer"
    status: "StatusLine"
    banners: "Banners"

    def drop_panels(self) -> None:
        """Destroy the panels that a blind rater may not see."""

    def say_read_only(self, why: str, *, copy: bool = True) -> None:
        """Show the banner of a project that cannot be written to."""

    def setWindowTitle(self, title: str) -> None: ...


@dataclass
class Hidden:
    """The content of the vault: words that no message may hold, and the calls to make when names may be seen again."""

    names: tuple[str, ...]
    project: "Project | None"
    later: list[Callable[[], object]] = field(default_factory=list)


class Blindfold(QObject):
    """`put(True)` takes everything that names something out of reach; `put(False)` brings it back."""

    changed = Signal(bool)

    def __init__(self, window: BlindableWindow) -> None:
        super().__init__(window)
        self._window = window
        self._lock = threading.Lock()
        self._vault: Vault[Hidden] | None = None

    @property
    def on(self) -> bool:
        return self._vault is not None

    def put(self, on: bool) -> None:
        if on == self.on:
            return
        if on:
            self._hide()
        else:
            self._bring_back()
        self.changed.emit(on)

    def keep(self, later: Callable[[], object]) -> bool:
        """Store a call to make when names may be seen again, from any thread. Return False if they may be seen now."""
        with self._lock:
            if self._vault is None:
                return False
            self._vault.use(lambda hidden: hidden.later.append(later))
            return True

    def masked(self, text: str) -> str:
        """Return the sentence without the project's file name and folder, while blind."""
        vault = self._vault
        return text if vault is None else vault.use(lambda hidden: _without(text, hidden.names))

    def masked_error(self, error: AppError) -> AppError:
        """Return the same error without names and without its details, which nobody reads before sending them on."""
        if not self.on:
            return error
        return AppError(self.masked(error.message), kept=self.masked(error.kept), hint=self.masked(error.hint))

    def with_project(self, work: "Callable[[Project], T]") -> T:
        """Run work on the project, which stays out of reach while blind. Not on the window's thread: it waits."""
        with self._lock:
            vault, project = self._vault, self._window.project
        if vault is None:
            assert project is not None
            return work(project)

        def tried(hidden: Hidden) -> T | AppError:
            assert hidden.project is not None
            try:
                return work(hidden.project)
            except AppError as error:  # in words: the frames of the one that was raised would lead to the project
                return AppError(error.message, kept=error.kept, hint=error.hint)

        answer = vault.use(tried)
        if isinstance(answer, AppError):
            raise answer
        return answer

    def name_window(self) -> None:
        """Set the window's title and the status line: with the project's name, unless blind. A packet has no name."""
        project = self._window.project
        if self._window.packet is not None:
            self._window.setWindowTitle(f"{tr('Rating packet')} — {self._window.name}")
            self._window.status.set_project(tr("Rating packet"))
            return
        name = as_given(project.path.stem) if project is not None else ""
        self._window.setWindowTitle(tr(f"{name} — {self._window.name}" if name else self._window.name))
        self._window.status.set_project(InLanguage(name))

    def _hide(self) -> None:
        from biasprint.core.judging.blind import Vault  # not needed for the first paint

        window = self._window
        read_only = window.project is not None and bool(window.project.read_only)
        self._vault = Vault(Hidden(_names(window.project), window.project))
        window.drop_panels()
        for part in (window.session, window.settings, window.jobs, window.drawer, window.preparation):
            part.conceal(self.keep)
        self._say_anew()
        if read_only:
            window.say_read_only(tr("The project is open read-only."), copy=False)

    def _bring_back(self) -> None:
        with self._lock:
            vault, self._vault = self._vault, None
        assert vault is not None
        self._say_anew()
        for act in vault.take().later:
            act()
        self.name_window()
        if self._window.project is not None and self._window.project.read_only:
            self._window.say_read_only(self._window.project.read_only)

    def _say_anew(self) -> None:
        self._window.status.notify("")
        self._window.banners.clear()
        self.name_window()


def _names(project: "Project | None") -> tuple[str, ...]:
    if project is None:
        return ()
    return (str(project.path), str(project.path.parent), project.path.name, project.path.stem)


def _without(text: str, names: tuple[str, ...]) -> str:
    """Return the text with each of `names` replaced by "the project"; only whole words are replaced."""
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", tr("the project"), text)
    return text
