"""Generate: write the outputs of a prompt set, score them, and draw comparisons from them."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedWidget, QTabBar

from core.jobs import JobContext
from desktop import theme
from desktop.panels.base import Panel
from desktop.panels.generate.judging import DrawPage
from desktop.panels.generate.runs import Contents, read_contents
from desktop.panels.generate.scorers import ScoringPage
from desktop.panels.generate.write import WritePage
from desktop.shell import Shell
from desktop.widgets import Chip, tr
from desktop.widgets.layout import SCROLL_BAR

if TYPE_CHECKING:
    from core.project.changes import Changes
    from core.project.project import Project

READ_AGAIN_MILLISECONDS = 500
WRITE, SCORE, DRAW = range(3)
Page = WritePage | ScoringPage | DrawPage


class GeneratePanel(Panel):
    """Three pages as tabs, in the order in which they are needed. A page is made when it is first seen."""

    key = "generate"
    title = "Generate"
    concerns = frozenset({"prompt_set", "run", "output", "source", "score", "embedding", "axis_definition", "finding"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._contents = Contents()
        self._reads = self._newest = 0  # begun, and the latest that is shown

    def build(self) -> None:
        tokens = theme.current()
        self.read_only = Chip(tr("read-only: nothing can be generated, scored or drawn"), "warn")
        self.header.add_chip(self.read_only)
        self.tabs, self.pages = QTabBar(), QStackedWidget()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("What to do with the prompts"))
        for title in (tr("Write texts"), tr("Score and measure"), tr("Draw comparisons")):
            self.tabs.addTab(title)
        self.body.setContentsMargins(tokens.margin, 20, tokens.margin - SCROLL_BAR, 20)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.pages, 1)
        self._again = QTimer(self, singleShot=True, interval=READ_AGAIN_MILLISECONDS)
        self._again.timeout.connect(self._read)
        self.tabs.currentChanged.connect(self._show_tab)
        self._show_tab(WRITE)

    @cached_property
    def write(self) -> WritePage:
        return WritePage(self.shell)

    @cached_property
    def score(self) -> ScoringPage:
        return ScoringPage(self.shell)

    @cached_property
    def draw(self) -> DrawPage:
        return DrawPage(self.shell, lambda: self.tabs.setCurrentIndex(WRITE))

    # the panel's life

    def project_opened(self, project: "Project") -> None:
        self._let_go()

    def project_closed(self) -> None:
        self._let_go()

    def refresh(self) -> None:
        self._read()
        self._allow()

    def changed(self, changes: "Changes") -> None:
        """A job writes many times a second; counting twice a second is enough."""
        if not self._again.isActive():
            self._again.start()

    def opened_with(self, *, prompt_set: int | None = None, **what: object) -> None:
        """Sent here to generate from a set."""
        self.tabs.setCurrentIndex(WRITE)
        self.write.choose_set(prompt_set)

    # inside

    def _show_tab(self, tab: int) -> None:
        page: Page = (lambda: self.write, lambda: self.score, lambda: self.draw)[tab]()
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.show_contents(self._contents)
        self._allow()

    def _read(self) -> None:
        project = self.project
        if project is None:
            return

        def read(ctx: JobContext) -> Contents:
            return read_contents(ctx, project)

        self._reads += 1
        mine = self._reads

        def show(contents: Contents) -> None:
            """On a busy computer an earlier reading may be through after a later one: it is out of date."""
            if project is self.project and mine > self._newest:
                self._newest = mine
                self._contents = contents
                self._page.show_contents(contents)

        self.shell.jobs.start(tr("Runs"), read, on_done=show, quiet=True)

    @property
    def _page(self) -> Page:
        """The page that is seen; the others learn what there is when they are."""
        page = self.pages.currentWidget()
        assert isinstance(page, Page)
        return page

    def _let_go(self) -> None:
        self._contents = Contents()
        self.tabs.setCurrentIndex(WRITE)
        for number in range(self.pages.count()):
            page = self.pages.widget(number)
            assert isinstance(page, Page)
            page.let_go()

    def _allow(self) -> None:
        project = self.project
        read_only = project is not None and bool(project.read_only)
        self.read_only.setVisible(read_only)
        self._page.allow(project is not None and not read_only)
