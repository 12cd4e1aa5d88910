"""The window around one panel, for tests: its jobs are real, and what the panel says to it is written down."""

from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import Vault
from biasprint.core.project.project import Project
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.settings import Settings


class FakeShell:
    """What panels use of `desktop.shell.Shell`. While blind it keeps the project in a vault, out of its own reach."""

    def __init__(self, project: Any = None, settings: Settings | None = None) -> None:
        self.jobs = JobRunner()
        self.settings = settings or Settings()
        self.packet = None
        self.project: Any = project
        self.panel: Any = None  # what a test shows in it
        self.errors: list[AppError] = []
        self.said: list[str] = []
        self.notices: list[Any] = []
        self.panels: list[str] = []  # where the person was sent
        self.about: dict[str, object] = {}  # and about what, the last time
        self.saved: list[str] = []
        self.status = ""
        self.is_blind = False
        self._vault: Vault[Project] | None = None
        self.jobs.failed.connect(self.errors.append)

    def show_error(self, error: AppError) -> None:
        self.errors.append(error)

    def notify(self, text: str) -> None:
        self.said.append(text)

    def show_notice(self, notice: Any, *, key: str = "") -> None:
        self.notices.append(notice)

    def show_panel(self, key: str, **what: object) -> None:
        self.panels.append(key)
        self.about = what

    def open_files(self, paths: Any) -> None:
        self.files = list(paths)

    def import_texts(self) -> None:
        self.panels.append("import texts")

    def show_parts(self) -> None:
        self.panels.append("parts")

    def set_saved(self, state: str, text: str = "") -> None:
        self.saved.append(state)

    def set_status(self, text: str) -> None:
        self.status = text

    def look(self, where: str, then: Any) -> None:
        then()

    may_look = True

    def settle(self, then: Any) -> None:
        then()

    def set_blind(self, blind: bool) -> None:
        if blind and self.project is not None:
            self._vault, self.project = Vault(self.project), None
        elif not blind and self._vault is not None:
            self.project, self._vault = self._vault.take(), None
        self.is_blind = blind
