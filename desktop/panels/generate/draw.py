"""Drawing comparisons from the outputs, with the judge panel's own page for it, and letting a model judge them."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QStackedWidget, QWidget

from desktop import theme
from desktop.panels.base import Shell
from desktop.panels.generate.contents import Contents
from desktop.panels.generate.judging import JudgingCard
from desktop.panels.judge.drawing import Drawing
from desktop.panels.judge.setup import SetupPage
from desktop.widgets import EmptyState, tr
from desktop.widgets.sheet import SCROLL_BAR

SIDE_BY_SIDE_FROM = 820  # text pixels


class DrawPage(QStackedWidget):
    """The choice of axes and numbers, and beside it of a model that judges; or what lacks for it."""

    def __init__(self, shell: Shell, write_wanted: Callable[[], object]) -> None:
        super().__init__()
        self.setup = SetupPage()
        self.setup.setViewportMargins(0, 0, SCROLL_BAR, 0)
        self.judging = JudgingCard(shell)
        self._put_beside()
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
        self.judging.look()

    def allow(self, writable: bool) -> None:
        self.setup.setEnabled(writable)
        self.judging.allow(writable)

    def let_go(self) -> None:
        self.judging.let_go()
        self.setCurrentWidget(self.nothing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _put_beside(self) -> None:
        """Both cards scroll together, in the setup page."""
        drawing, columns = self.setup.takeWidget(), QWidget()
        columns.setProperty("role", "clear")
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, columns)
        self._columns.setContentsMargins(0, 0, 0, 0)
        self._columns.setSpacing(theme.current().gap)
        for part in (drawing, self.judging):
            self._columns.addWidget(part, 1, Qt.AlignmentFlag.AlignTop)
        self.setup.setWidget(columns)
        theme.signals.changed.connect(self._fit)

    def _fit(self, _tokens: object = None) -> None:
        """Side by side where there is room, else under each other."""
        wide = self.width() >= theme.current().px(SIDE_BY_SIDE_FROM)
        self._columns.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
