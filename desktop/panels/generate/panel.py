"""The generate panel: write the outputs of a prompt set, score and measure them, draw comparisons from them."""

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QTabBar

from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations.measuring import SCORING, MeasureJobs, ScorerLine, mark, running, score_texts
from biasprint.desktop.operations.studies import StudyFacts
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.generate.judging import DrawPage
from biasprint.desktop.panels.generate.runs import Contents, read_contents
from biasprint.desktop.panels.generate.write import WritePage
from biasprint.desktop.panels.measuring import GeneratorChoice, ScorerRow
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Button, Card, Chip, Label, LinkButton, PrimaryButton, hairline, tr
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, empty, grid_of, in_column
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.wording.generators import study_kinds, words_of


class MeasureCard(Card):
    """A line for each study that has texts."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Measure"))
        self._shell = shell
        self._writable = False
        self._jobs = MeasureJobs(shell, self)
        self._jobs.changed.connect(self._show)
        self.studies: tuple[StudyFacts, ...] = ()
        self.buttons: dict[str, Button] = {}
        self.said: dict[str, Label] = {}
        self.writers: dict[str, GeneratorChoice] = {}
        words = tr("Every measure of a study, from the texts that are there. What is not scored yet is scored first.")
        self.nothing = Label(tr("There is no text yet: write some, or bring in a table."), "soft", wrap=True)
        self.see = LinkButton(tr("See the findings"), act=lambda: shell.show_panel("findings"))
        self._grid = grid_of()
        add_to(self.box, Label(words, "soft", wrap=True), self.nothing, self._grid, self.see)

    def show_studies(self, studies: Sequence[StudyFacts]) -> None:
        """Show the studies that can be measured, and their state."""
        self.studies = tuple(study for study in studies if study.texts and study.kind in study_kinds())
        if [study.kind for study in self.studies] != list(self.buttons):
            self._make_lines()
        for study in self.studies:
            self.said[study.kind].setText(study.said)
            self.writers[study.kind].show_writers(study.writers)
        self.nothing.setVisible(not self.studies)
        self.see.setVisible(any(study.measured for study in self.studies))
        self._jobs.pick_up()
        self._show()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self._show()

    def _make_lines(self) -> None:
        empty(self._grid)
        self.buttons, self.said, self.writers = {}, {}, {}
        self._jobs.forget()
        for row, study in enumerate(self.studies):
            button = Button("")
            button.clicked.connect(lambda _=False, kind=study.kind: self._start(kind))
            self.buttons[study.kind], self.said[study.kind] = button, Label("", "soft", wrap=True)
            self.writers[study.kind] = GeneratorChoice()
            self._grid.addWidget(self.writers[study.kind], 2 * row + 1, 0, 1, 3)
            for column, widget in enumerate((Label(safe_line(study.title), "strong"), self.said[study.kind], button)):
                self._grid.addWidget(widget, 2 * row, column)

    def _start(self, kind: str) -> None:
        whose = self.writers[kind].whose
        self._jobs.start(kind, whose and whose.of)

    def _show(self) -> None:
        for study in self.studies:
            button, busy = self.buttons[study.kind], study.kind in self._jobs.busy()
            done = self._jobs.done(study.kind)
            words = words_of(study.kind).action if not study.measured and not done else tr("Measure again")
            button.set_text(tr("Measuring…") if busy else words)
            button.setAccessibleName(tr(f"{button.text()}: {safe_line(study.title)}"))
            button.set_role("primary" if study.pending and not done else "")
            button.setEnabled(self._writable and not busy)


class ScoringPage(Sheet):
    """A card with a row for each scorer, and one with a row for each study that can be measured."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.rows: dict[str, ScorerRow] = {}
        self._writable = False
        self._running: JobHandle | None = None
        self._list = in_column(spacing=4)
        self.score = PrimaryButton(tr("Score"), act=self._score)
        card = Card(tr("Score the texts"))
        words = tr(
            "A scorer turns a text into numbers that the measures read. Only texts that it has not scored yet are "
            "scored, and nothing is generated. A stand-in takes the place of the paper's own scorer."
        )
        add_to(card.box, Label(words, "soft", wrap=True), self._list, (self.score, Qt.AlignmentFlag.AlignLeft))
        self.measure = MeasureCard(shell)
        add_to(self.box, self.measure, card, STRETCH)

    def show_contents(self, contents: Contents) -> None:
        """List the scorers, the needed ones checked at first; later changes of checks stay."""
        self.measure.show_studies(contents.studies)
        if contents.studies and not self._busy:
            self._follow(running(self._shell.jobs, SCORING, self._shell.project))
        offered = [(line.info, line.needed) for line in contents.scorers]
        if offered == [(row.line.info, row.line.needed) for row in self.rows.values()]:
            for line in contents.scorers:
                self.rows[line.info.name].show_count(line)
        else:
            self._make_rows(contents.scorers)
        self._allow()

    def checked(self) -> list[str]:
        return [name for name, row in self.rows.items() if row.check.isChecked()]

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self.measure.allow(writable)
        self._allow()

    def let_go(self) -> None:
        self._running = None
        self.measure.show_studies(())
        self._make_rows(())

    def _score(self) -> None:
        project = self._shell.project
        if project is None:
            return
        handle = score_texts(project=project, names=self.checked()).start(self._shell.jobs)
        mark(handle, SCORING, project)
        self._follow(handle)

    def _follow(self, handle: JobHandle | None) -> None:
        self._running = handle
        if handle is not None:
            handle.changed.connect(self._allow)
        self._allow()

    @property
    def _busy(self) -> bool:
        return self._running is not None and self._running.active

    def _make_rows(self, lines: Sequence[ScorerLine]) -> None:
        """Make the rows; a check made or removed before stays if it could be changed."""
        chosen = {name: row.check.isChecked() for name, row in self.rows.items() if row.check.isEnabled()}
        empty(self._list)
        self.rows = {}
        for line in lines:
            row = ScorerRow(line)
            if row.check.isEnabled():
                row.check.setChecked(chosen.get(line.info.name, row.check.isChecked()))
            row.check.toggled.connect(lambda _: self._allow())
            self.rows[line.info.name] = row
            add_to(self._list, row, hairline())

    def _allow(self) -> None:
        texts = any(row.texts for row in self.rows.values())
        why = ""
        if not texts:
            why = tr("There is no text yet.")
        elif not self.checked():
            why = tr("Check a scorer first.")
        elif self._busy:
            why = tr("A scorer is at work: the jobs say how far it is.")
        self.score.setEnabled(self._writable and not why)
        self.score.setToolTip(safe_tip(tr(why)))
        self.score.setAccessibleDescription(tr(why))


READ_AGAIN_MILLISECONDS = 500
WRITE, SCORE, DRAW = range(3)
Page = WritePage | ScoringPage | DrawPage


class GeneratePanel(Panel):
    """Three pages as tabs, in the order in which they are needed. A page is made when it is first shown."""

    key = "generate"
    title = "Generate"
    concerns = frozenset({"prompt_set", "run", "output", "source", "score", "embedding", "axis_definition", "finding"})
    scrolls = True

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._contents = Contents()
        self._reads = self._newest = 0  # begun, and the latest that is shown

    def build(self) -> None:
        self.read_only = Chip(tr("read-only: nothing can be generated, scored or drawn"), "warn")
        self.header.add_chip(self.read_only)
        self.tabs, self.pages = QTabBar(drawBase=False, expanding=False), QStackedWidget()
        self.tabs.setAccessibleName(tr("What to do with the prompts"))
        for title in (tr("Write texts"), tr("Score and measure"), tr("Draw comparisons")):
            self.tabs.addTab(title)
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

    def project_opened(self, project: Project) -> None:
        self._let_go()

    def project_closed(self) -> None:
        self._let_go()

    def refresh(self) -> None:
        self._read()
        self._allow()

    def more_works(self) -> None:
        if self._page is self.write:
            self.write.look()  # the other pages read all that they show

    def changed(self, changes: Changes) -> None:
        """Count again at most twice a second, as a job writes many times a second."""
        if not self._again.isActive():
            self._again.start()

    def opened_with(self, *, prompt_set: int | None = None, **what: object) -> None:
        """Open the page to generate from a set."""
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
            """Show a reading, unless a later one was shown: on a busy computer readings can end out of order."""
            if project is self.project and mine > self._newest:
                self._newest = mine
                self._contents = contents
                self._page.show_contents(contents)

        self.shell.jobs.start(tr("Runs"), read, on_done=show, quiet=True)

    @property
    def _page(self) -> Page:
        """Return the page that is shown; the others are updated when they are shown."""
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
