"""The charts panel: live while rating, generating and scoring; every figure opens the texts behind it."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from biasprint.core.draw.figure import Figure
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.runs.live import NotKept
from biasprint.core.studies.registry import studies
from biasprint.desktop import theme
from biasprint.desktop.charts.export import export_chart
from biasprint.desktop.charts.live import ChartData, ChartSource, TextsBehind
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.operations.board import Goal, at_work, go_on, keep_layout, read_goals
from biasprint.desktop.operations.measuring import MeasureJobs
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.charts.board import LiveBoard
from biasprint.desktop.panels.charts.measured import FigureCard, MeasuredFigures
from biasprint.desktop.panels.charts.sections import SECTIONS, Section
from biasprint.desktop.plots.card import ask_path
from biasprint.desktop.read.board import BoardData, StoredBoard
from biasprint.desktop.read.charts import StoredCharts, StoredFigures, StudyFigures
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Label, Notice, plural, tr
from biasprint.desktop.widgets.events import below
from biasprint.desktop.widgets.labels import hidden, named
from biasprint.desktop.widgets.layout import add_to, in_column, in_row
from biasprint.desktop.wording.generators import WantedTexts

BESIDE_FROM = 960  # text pixels

MakeSource = Callable[["Project"], ChartSource]
MakeFigures = Callable[["Project"], StoredFigures]
MakeBoard = Callable[["Project"], StoredBoard]
SELDOM = ("judgment", "session", "finding", "axis_definition")  # tables that no run writes to
SETTLED_MILLISECONDS = 11_000  # after the last change: then the present rate is that of nobody writing


class ChartsPanel(Panel):
    """Live and measured sections as tabs, and a card for the clicked figure. All work runs in threads."""

    key = "charts"
    title = "Charts"
    least_height = 380
    concerns = frozenset(
        {"judgment", "session", "run", "output", "score", "source", "study", "embedding", "finding", "axis_definition"}
    )

    def __init__(
        self,
        shell: Shell,
        make_source: MakeSource = StoredCharts,
        make_figures: MakeFigures = StoredFigures,
        make_board: MakeBoard = StoredBoard,
    ) -> None:
        super().__init__(shell)
        self._make_source, self._make_figures, self._make_board = make_source, make_figures, make_board
        self._source: ChartSource | None = None
        self._followed: StoredBoard | None = None
        self._stored: StoredFigures | None = None
        self._jobs = MeasureJobs(shell, self)
        self.data = ChartData()
        self.studies: tuple[StudyFigures, ...] = ()
        self._placed = False  # on a section: by what there is to see, or by who came to see one
        self._refresher = Refresher(shell.jobs, tr("Charts"), self._show, self._fail, self)
        self._figures = Refresher(shell.jobs, tr("Charts"), self._show_figures, self.shell.show_error, self)
        self._live = Refresher(shell.jobs, tr("Live board"), self._show_board, self._fail_board, self)
        self._board_stopped = False
        self._comparing = Refresher(shell.jobs, tr("Charts"), self._show_compared, self.shell.show_error, self)

    # the panel's life

    def build(self) -> None:
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("Sections"))
        self.stack = QStackedWidget()
        declared: list[tuple[str, type[Section]]] = list(SECTIONS)
        declared += ((study.kind, made) for study in studies().values() for made in study.chart_sections())
        declared.sort(key=lambda one: one[1].rank)
        self._study_of = tuple(kind for kind, _ in declared)
        self.sections: tuple[Section, ...] = tuple(make() for _, make in declared)  # type: ignore[call-arg]  # a subclass takes none
        self.live = LiveBoard(self.shell)
        self.live.head.chosen.connect(self._choose)
        self.live.arranged.connect(self._keep_layout)
        self.live.head.goals_wanted.connect(self._offer_goals)
        self.live.panel_wanted.connect(lambda key: self.shell.show_panel(key))
        self.tabs.addTab(self.live.title)
        self.stack.addWidget(self.live)
        self._settled = QTimer(self, singleShot=True, interval=SETTLED_MILLISECONDS)
        self._settled.timeout.connect(self._live.ask)
        self.measured = MeasuredFigures()
        self.measured.measure.connect(self.measure)
        self._jobs.changed.connect(self._allow)
        self.measured.compare_wanted.connect(self._compare)
        section: Section | MeasuredFigures
        for section in (*self.sections, self.measured):
            self.tabs.addTab(section.title)
            self.stack.addWidget(section)
            section.opened.connect(self._open_figure)
            section.export_asked.connect(self._ask_export)
            section.panel_wanted.connect(lambda key: self.shell.show_panel(key))
        self.tabs.currentChanged.connect(self._show_section)
        self.waiting = Label(tr("Measuring…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hidden_note = hidden(Notice("", closable=False))
        self.figure = FigureCard()
        self.figure.closed.connect(self._make_room)
        self.charts = QWidget()
        left = in_column(inside=self.charts, spacing=self.body.spacing(), margins=0)
        add_to(left, self.hidden_note, self.tabs, (self.waiting, 1), (self.stack, 1))
        self._wait(False)
        self.body.addLayout(in_row((self.charts, 5), (self.figure, 3), spacing=self.body.spacing()), 1)

    def project_opened(self, project: Project) -> None:
        self.project_closed()
        self._source, self._stored = self._make_source(project), self._make_figures(project)
        self._followed = self._make_board(project)
        self.live.expect()
        self._placed = False
        self._live.read_with(self._followed.load)
        self._refresher.read_with(self._source.load)
        self._figures.read_with(self._stored.load)
        self._wait(True)

    def project_closed(self) -> None:
        self._source = self._stored = self._followed = None
        self._board_stopped = False
        self._jobs.forget()
        for refresher in (self._live, self._refresher, self._figures, self._comparing):
            refresher.read_with(None)
        self._settled.stop()
        self.live.forget()
        self._show(ChartData())
        self._show_figures(())
        self.figure.close_card()

    def showEvent(self, event: QShowEvent) -> None:
        if self._board_stopped and self._followed is not None:
            self._board_stopped = False
            self._live.read_with(self._followed.load)
            self._live.ask()
        super().showEvent(event)

    def refresh(self) -> None:
        self._jobs.pick_up()
        self._ask()
        self._ask_figures()

    def deliver(self, changes: Changes) -> None:
        if self._followed is not None:
            self._followed.note(changes)  # also while the panel is hidden
        super().deliver(changes)

    def changed(self, changes: Changes) -> None:
        """Ask for new data; while the live board is watched, new texts and scores do not update every figure."""
        self._jobs.pick_up()
        self._ask()
        if self.stack.currentWidget() is not self.live or self._waiting or changes.touches(*SELDOM):
            self._ask_figures()

    def _ask(self) -> None:
        self._follow_jobs()
        self._live.ask()
        self._settled.start()

    def _ask_figures(self) -> None:
        self._refresher.ask()
        self._figures.ask()

    def opened_with(self, *, section: str = "", study: str = "", **what: object) -> None:
        """Open a section by its key, perhaps of a study."""
        keys = [page.key for page in self._pages()]
        if section in keys:
            self.tabs.setCurrentIndex(keys.index(section))
            self._placed = True
        self.measured.choose_study(study)

    def commands(self) -> list[Command]:
        measuring = [
            Command(
                tr("Measure: {study}").format(study=tr(study.measurement.title)),
                partial(self.measure, study.measurement.study),
                enabled=partial(self._jobs.may, study.measurement.study),
            )
            for study in self.studies
        ]
        going = [
            Command(tr("Figure: {title}").format(title=tr(drawn.title)), partial(self._go_to_figure, place))
            for place, drawn in enumerate(self.measured.figures)
        ]
        wall = Command(tr("Live board on the whole screen"), self._open_wall, "F11")
        return [wall, *measuring, *going]

    # showing

    def _show(self, data: ChartData) -> None:
        self._wait(False)
        self.data = data
        self.hidden_note.text.setText(_hidden_text(data))
        self.hidden_note.setVisible(bool(data.open_sessions))
        for section in self.sections:
            section.set_data(data)
        self._go_where_something_is()

    def _wait(self, waiting: bool) -> None:
        """Wait for the first reading: until then nothing is known, not even that there is nothing."""
        self._waiting = waiting
        self._show_or_wait()

    def _show_or_wait(self) -> None:
        """Show the sections, or that they are being read. The live board is read separately, and can be ready first."""
        waiting = self._waiting and not (self.stack.currentWidget() is self.live and self._placed)
        self.waiting.setVisible(waiting)
        self.stack.setVisible(not waiting)

    def _fail(self, error: AppError) -> None:
        self._wait(False)
        self.shell.show_error(error)

    def _fail_board(self, error: AppError) -> None:
        """Show an error. A board without room for its sums stops until the panel is opened again.

        Otherwise it would fail with each text.
        """
        self._board_stopped = isinstance(error, NotKept)
        if self._board_stopped:
            self._live.read_with(None)
        self._fail(error)

    def _go_where_something_is(self) -> None:
        """Go to the live board if jobs run, else to the first section with data, else to the first section."""
        placed = self._placed
        self._offer_tabs()  # which may move on from a tab that goes: that is nobody's choice
        self._placed = placed
        working = any(handle.active for handle in self.live.head.jobs)
        if placed or (self._waiting and not working):
            return
        pages = list(enumerate(self._pages()))
        if not working:
            pages = [*pages[1:], pages[0]]
        full = next((index for index, section in pages if section.has_data()), None)
        first = next(index for index, _ in pages if self.tabs.isTabVisible(index))
        self.tabs.setCurrentIndex(first if full is None else full)
        self._placed = full is not None

    def _pages(self) -> tuple[LiveBoard | Section | MeasuredFigures, ...]:
        return (self.live, *self.sections, self.measured)

    def _offer_tabs(self) -> None:
        """Hide live sections of studies that the project does not have, once it has any study."""
        kinds = {figures.measurement.study for figures in self.studies}
        for index, (section, study) in enumerate(zip(self.sections, self._study_of, strict=True), start=1):
            wanted = not kinds or study in kinds or section.has_data()
            if wanted != self.tabs.isTabVisible(index):
                self.tabs.setTabVisible(index, wanted)
                self.tabs.setTabText(index, section.title)  # lays the tabs out again: else Qt leaves a gap
        self.tabs.setVisible(sum(map(self.tabs.isTabVisible, range(self.tabs.count()))) > 1)

    # the live board

    def _show_board(self, data: BoardData) -> None:
        self.live.show_data(data)
        self._follow_jobs()
        if self.live.has_data():
            if not self._placed:  # it asks every section for its figures
                self._go_where_something_is()
            self._show_or_wait()

    def _follow_jobs(self) -> None:
        self.live.follow(at_work(self.shell.jobs, self.project))

    def _choose(self, study: int | None, runs: Sequence[int]) -> None:
        if self._followed is not None:
            self._followed.choose(study, runs)
            self._live.ask()

    def _keep_layout(self, study: int, layout: dict[str, object]) -> None:
        """Store the layout, unless the project is read-only: then the layout holds until it is closed."""
        if self.project is not None and not self.project.read_only:
            operation = keep_layout(project=self.project, study_id=study, layout=layout)
            operation.start(self.shell.jobs, on_error=self.shell.show_error)

    def _offer_goals(self, study: str, run: int | None) -> None:
        project = self.project
        if project is None:
            return

        def show(goals: tuple[Goal, ...]) -> None:
            if project is self.project:
                head = self.live.head
                self.goals = head.goals_menu(goals, self._go_on)
                self.goals.aboutToHide.connect(self.goals.deleteLater)
                self.goals.popup(below(head.go_on, self.goals))

        self.shell.jobs.start(
            tr("Live board"),
            lambda ctx: read_goals(ctx, project, study, run),
            quiet=True,
            on_done=show,
            on_error=self.shell.show_error,
        )

    def _go_on(self, goal: Goal) -> None:
        if self.project is not None and not self.project.read_only:
            scores = bool(self.shell.settings.get("score_at_once"))
            go_on(self.shell.jobs, self.project, goal, scores=scores, on_error=self.shell.show_error)
            self._follow_jobs()

    def _open_wall(self) -> None:
        self.tabs.setCurrentIndex(0)
        self.live.toggle_wall()

    # what was measured

    def measure(self, study: str, whose: WantedTexts | None = None) -> None:
        """Score missing texts, measure, and store the findings; then the figures are made again.

        `whose`: None for the generators of the last time.
        """
        self._jobs.start(study, whose and whose.of)

    def _allow(self) -> None:
        self.measured.allow(self.project is not None and not self.project.read_only, self._jobs.busy())

    def _show_figures(self, studies: tuple[StudyFigures, ...]) -> None:
        if studies != self.studies or not studies:
            self.studies = studies
            self.measured.show_studies(studies)
        self._allow()
        self._go_where_something_is()

    def _compare(self, study: StudyFigures, first: str, second: str) -> None:
        stored = self._stored
        if stored is not None:
            self._comparing.read_with(lambda ctx: stored.compare(ctx, study, first, second))
            self._comparing.ask()

    def _show_compared(self, figures: tuple[Figure, ...]) -> None:
        self.measured.show_compared(figures)

    def _go_to_figure(self, place: int) -> None:
        self.tabs.setCurrentIndex(len(self.sections) + 1)
        self.measured.choose_figure(place)

    def _show_section(self, index: int) -> None:
        self._placed = True
        if self.stack.currentWidget() is self.live and self.project is not None:
            self._ask_figures()
        self.stack.setCurrentIndex(index)
        self._show_or_wait()

    # one figure

    def _make_room(self) -> None:
        """Show charts and figure side by side; without room for both, the figure alone, until it is closed."""
        beside = self.width() >= theme.current().px(BESIDE_FROM)
        self.charts.setVisible(beside or self.figure.finding is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._make_room()

    def _open_figure(self, finding: Finding, tip: str, with_tests: bool) -> None:
        source = self._source
        if source is None:
            return
        self.figure.show_finding(finding, tip, with_tests=with_tests)
        self._make_room()

        def read(ctx: JobContext) -> TextsBehind:
            return source.items(ctx, finding)

        def show(items: TextsBehind) -> None:
            if self.figure.finding is finding:
                self.figure.show_items(items)

        self.shell.jobs.start(
            tr("Texts behind a figure"), read, quiet=True, on_done=show, on_error=self.shell.show_error
        )

    # saving

    def _ask_export(self, figure: Figure, ending: str) -> None:
        path = self.ask_path(figure.title, ending)
        if path is not None:
            self.save_chart(figure, path)

    def ask_path(self, title: str, ending: str) -> Path | None:
        """Ask where to save; None if the person cancels."""
        return ask_path(self, title, ending)

    def save_chart(self, figure: Figure, path: Path) -> None:
        """Write the chart in a thread. It is light and of one size, since it goes on a page, not on this screen."""
        tokens = theme.tokens_for("light")
        self.shell.jobs.start(
            tr("Save chart"),
            lambda ctx: export_chart(figure, tokens, path),
            quiet=True,
            on_done=lambda saved: self.shell.notify(tr("Saved as “{name}”").format(name=saved.name)),
            on_error=self.shell.show_error,
        )


def _hidden_text(data: ChartData) -> str:
    """Return that open sessions are excluded, and how many judgments they hold."""
    sessions = plural(data.open_sessions, "1 rating session is open", "%n rating sessions are open")
    judgments = plural(
        data.hidden_judgments, "1 judgment hidden until the reveal", "%n judgments hidden until the reveal"
    )
    return f"{sessions}: {judgments}"
