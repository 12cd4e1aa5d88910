"""Drawing comparisons from the outputs, with the judge panel's own page for it."""

from collections.abc import Callable

from PySide6.QtWidgets import QStackedWidget

from desktop.panels.base import Shell
from desktop.panels.generate_contents import Contents
from desktop.panels.home_sheet import SCROLL_BAR
from desktop.panels.judge_drawing import Drawing
from desktop.panels.judge_setup import SetupPage
from desktop.widgets import EmptyState, tr


class DrawPage(QStackedWidget):
    """The choice of axes and numbers, or what lacks for it."""

    def __init__(self, shell: Shell, write_wanted: Callable[[], object]) -> None:
        super().__init__()
        self.setup = SetupPage()
        self.setup.setViewportMargins(0, 0, SCROLL_BAR, 0)
        self.nothing = EmptyState(
            tr("Nothing to compare yet"),
            tr("Comparisons show outputs for every identity of an axis, for the same creative task and theme."),
            tr("Write texts"),
            write_wanted,
            icon="judge",
        )
        for page in (self.nothing, self.setup):
            self.addWidget(page)
        self._drawing = Drawing(
            shell,
            self.setup,
            on_choices=lambda: self.setCurrentWidget(self.setup),
            on_drawn=lambda: shell.show_panel("judge"),
            on_nothing=lambda: self.setCurrentWidget(self.nothing),
        )

    def show_contents(self, contents: Contents) -> None:
        """Look anew at what can be compared."""
        self._drawing.offer(can_cancel=False)

    def allow(self, writable: bool) -> None:
        self.setup.setEnabled(writable)

    def let_go(self) -> None:
        self.setCurrentWidget(self.nothing)
