"""The head of the live board: which study and runs it shows, how the work goes, and how to go on."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.board import Goal
from biasprint.desktop.operations.queue import only_scored
from biasprint.desktop.read.board_shown import MOST_RUNS, BoardData, StudyBoard
from biasprint.desktop.widgets import Label, ProgressThin, QuietButton, plural, spelled_seconds, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.layout import FlowLayout, clear_widget


class BoardHead(QWidget):
    """Shows the choices there are; what a person wants is told by signals. `cards_menu` makes the board's menu."""

    chosen = Signal(object, object)  # the study's id or None, ids of runs
    goals_wanted = Signal(str, object)  # the study's kind, a run's id or None
    wall_wanted = Signal()

    def __init__(self, cards_menu: Callable[[], QMenu]) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._board: StudyBoard | None = None
        self.picked: tuple[int, ...] = ()
        self.jobs: tuple[JobHandle, ...] = ()
        self._make_widgets(cards_menu)
        self._lay_out()
        self._show_jobs()

    def offer(self, data: BoardData, *, something: bool) -> None:
        """The studies and runs there are; cards and the wall where there is `something` to see."""
        board = self._board = data.board
        self.picked = board.picked if board is not None else ()
        self._offer_studies(data)
        self._offer_runs(board)
        for widget in (self.cards, self.wall):
            widget.setVisible(something)

    # which study, which runs

    def _offer_studies(self, data: BoardData) -> None:
        offered = [(self.study.itemText(at), self.study.itemData(at)) for at in range(self.study.count())]
        if offered != [(title, number) for number, title in data.studies]:
            self.study.clear()
            for number, title in data.studies:
                self.study.addItem(title, number)
        if data.board is not None:
            self.study.setCurrentIndex(self.study.findData(data.board.study.id))
        for widget in (self.study_label, self.study):
            widget.setVisible(len(data.studies) > 1)

    def _choose_study(self) -> None:
        self.picked = ()
        self.chosen.emit(self.study.currentData(), ())

    def _offer_runs(self, board: StudyBoard | None) -> None:
        runs = board.runs if board is not None else ()
        titles = [run.title for run in runs if run.id in self.picked]
        if len(titles) > 1:
            text = plural(len(titles), "1 run", "%n runs compared")
        else:
            text = titles[0] if titles else tr("All texts")
        self.runs.set_text(text)
        self.runs.setVisible(bool(runs))
        self.go_on.setVisible(any(run.can_go_on for run in runs))

    def runs_menu(self) -> QMenu:
        """The runs to pick; several are drawn over each other."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Runs on the board"))
        everything = menu.addAction(tr("All texts together"))
        everything.setCheckable(True)
        everything.setChecked(not self.picked)
        everything.triggered.connect(lambda: self._pick_runs(()))
        menu.addSeparator()
        for run in self._board.runs if self._board else ():
            action = menu.addAction(run.words)
            action.setCheckable(True)
            action.setChecked(run.id in self.picked)
            action.setEnabled(run.id in self.picked or len(self.picked) < MOST_RUNS)
            action.triggered.connect(lambda on, key=run.id: self._pick(key, on=on))
        return menu

    def _pick(self, run: int, *, on: bool) -> None:
        others = tuple(one for one in self.picked if one != run)
        self._pick_runs((*others, run) if on else others)

    def _pick_runs(self, runs: Sequence[int]) -> None:
        """Show these beside each other, each with its colour and dash; none: all texts of the study."""
        self.picked = tuple(runs)
        if self._board is not None:
            self.chosen.emit(self._board.study.id, self.picked)

    # going on

    def goals_menu(self, goals: Sequence[Goal], take: Callable[[Goal], object]) -> QMenu:
        """How one may go on."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Go on"))
        for goal in goals:
            menu.addAction(goal.words).triggered.connect(lambda _=False, goal=goal: take(goal))
        if not goals:
            menu.addAction(tr("There is no run to go on with.")).setEnabled(False)
        return menu

    def _ask_goals(self) -> None:
        if self._board is not None:
            self.goals_wanted.emit(self._board.study.kind, self.picked[0] if len(self.picked) == 1 else None)

    # the work

    def follow(self, jobs: Sequence[JobHandle]) -> None:
        """The jobs that go on."""
        for handle in jobs:
            if handle not in self.jobs:
                handle.changed.connect(self._show_jobs)
        self.jobs = tuple(jobs)
        self._show_jobs()

    def left(self) -> str:
        """How far the work is and how long it still takes, of what goes on first; empty where nothing does."""
        handle = next((one for one in self.jobs if one.active), None)
        if handle is None:
            return ""
        progress = handle.progress
        if progress is None or progress.total is None:
            return tr("Getting ready.")
        told = tr("{done} of {total}").format(done=f"{progress.done:,}", total=f"{progress.total:,}")
        if handle.state is JobState.PAUSED:
            return tr("{told}, paused.").format(told=told)
        if only_scored(handle):
            return tr("{told}, being scored.").format(told=told)
        if progress.seconds_left is not None:
            return tr("{told}, {left} left.").format(told=told, left=spelled_seconds(progress.seconds_left))
        return f"{told}."

    def _show_jobs(self) -> None:
        active = [one for one in self.jobs if one.active]
        for widget in (self.pause, self.progress, self.progress_words):
            widget.setVisible(bool(active))
        if not active:
            return
        paused = active[0].state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        self.pause.setEnabled(not active[0].cancelling)
        progress = active[0].progress
        self.progress.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.progress_words.setText(self.left())

    def _pause(self) -> None:
        active = [one for one in self.jobs if one.active]
        if not active:
            return
        resumes = active[0].state is JobState.PAUSED
        for handle in active:
            handle.resume() if resumes else handle.pause()

    # the widgets

    def _make_widgets(self, cards_menu: Callable[[], QMenu]) -> None:
        self.study_label, self.study = Label(tr("Study")), ComboBox()
        self.study_label.setBuddy(self.study)
        self.study.setAccessibleName(tr("Study"))
        self.study.activated.connect(lambda _: self._choose_study())
        self.runs = _menu_button(tr("All texts"), self.runs_menu)
        self.runs.setAccessibleDescription(tr("Which runs are shown"))
        self.cards = _menu_button(tr("Cards"), cards_menu)
        self.pause = QuietButton(tr("Pause"), icon="pause")
        self.pause.clicked.connect(self._pause)
        self.go_on = QuietButton(tr("Go on to…"), icon="plus")
        self.go_on.clicked.connect(self._ask_goals)
        self.wall = QuietButton(tr("Wall"), key="F11")
        self.wall.setToolTip(tr("Fill the screen with the first cards, to be read from afar."))
        self.wall.clicked.connect(self.wall_wanted)
        self.progress = ProgressThin(tr("Progress"))
        self.progress_words = Label("", "note")

    def _lay_out(self) -> None:
        top = clear_widget()
        row = FlowLayout(top, spacing=theme.current().grid, centred=True)
        for widget in (self.study_label, self.study, self.runs, self.cards, self.go_on, self.wall, self.pause):
            row.addWidget(widget)
        along = QHBoxLayout()
        along.setSpacing(theme.current().gap)
        along.addWidget(self.progress, 1)
        along.addWidget(self.progress_words)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().gap)
        box.addWidget(top)
        box.addLayout(along)


def _menu_button(text: str, make: Callable[[], QMenu]) -> QuietButton:
    """A button that opens a menu made for the moment."""
    button = QuietButton(text, icon="chevron-down")

    def open_menu() -> None:
        menu = make()
        menu.exec(button.mapToGlobal(QPoint(0, button.height())))
        menu.deleteLater()

    button.clicked.connect(open_menu)
    return button
