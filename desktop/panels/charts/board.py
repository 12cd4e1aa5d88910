"""The live board of a study: what its texts say so far, with bands that narrow while they are written and scored."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from desktop import theme
from desktop.jobs import JobHandle, JobState
from desktop.operations.board import Goal
from desktop.panels.charts.dashboard import Dashboard, Place, places_in
from desktop.panels.charts.live_cards import BoardCard, LengthsCard, LiveMeasureCard, PaceCard, RaterCountsCard, head_of
from desktop.panels.charts.wall import Wall
from desktop.plots.export import PlotHost
from desktop.read.board import MOST_RUNS, BoardData, BoardMeasure, StudyBoard
from desktop.widgets import EmptyState, Label, ProgressThin, QuietButton, plural, spelled_seconds, tr
from desktop.widgets.labels import show_if
from desktop.widgets.layout import FlowLayout, Scroller, clear_widget

PACE, LENGTHS, JUDGING = "pace", "lengths", "judging"
FIRST_MEASURES = 6  # that are on the board before anybody arranges it: every card takes its time to draw


class LiveBoard(QWidget):
    """Shows what it is given; what a person wants is told by signals. A card is drawn in each turn of the loop."""

    key = "live"

    chosen = Signal(object, object)  # the study's id or None, ids of runs
    arranged = Signal(int, object)  # the study's id, the layout
    goals_wanted = Signal(str, object)  # the study's kind, a run's id or None
    panel_wanted = Signal(str)

    def __init__(self, host: PlotHost) -> None:
        super().__init__()
        self.title = tr("Live")
        self._host = host
        self.data = BoardData()
        self.picked: tuple[int, ...] = ()
        self.jobs: tuple[JobHandle, ...] = ()
        self.wall: Wall | None = None
        self._layout_of: int | None = None  # the study whose layout is in force
        self._waiting: list[Callable[[], object]] = []
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next)
        self._make_widgets()
        self._lay_out()
        self.show_data(BoardData())

    # what there is

    @property
    def board(self) -> StudyBoard | None:
        return self.data.board

    def has_data(self) -> bool:
        """Whether any text was written or scored."""
        board = self.board
        some = board is not None and (any(pace.rates.texts or pace.rates.failed for pace in board.paces))
        return some or (board is not None and any(not measure.reason for measure in board.measures))

    def show_data(self, data: BoardData) -> None:
        """The newest reading. An older one that comes late is let go."""
        if data.reading and data.reading < self.data.reading:
            return
        self.data = data
        board = data.board
        self._offer_studies(data)
        for widget in (self.runs, self.cards_button, self.wall_button):
            widget.setVisible(board is not None)
        show_if(self.nothing, board is None or not (self.has_data() or board.judging))
        self.scroll.setVisible(self.nothing.isHidden())
        if board is None:
            self.note.hide()
            self._forget()
            self._show_jobs()
            return
        if self._layout_of != board.study.id:
            self._forget()
            self._layout_of = board.study.id
            self.dashboard.places = places_in(board.layout)
        self._offer_runs(board)
        self.note.setText(_note(board))
        self.note.setVisible(bool(self.note.text()) and self.nothing.isHidden())
        self._show_cards(board)
        self._show_jobs()

    def follow(self, jobs: Sequence[JobHandle]) -> None:
        """The jobs that go on."""
        for handle in jobs:
            if handle not in self.jobs:
                handle.changed.connect(self._show_jobs)
        self.jobs = tuple(jobs)
        self._show_jobs()

    def forget(self) -> None:
        """The project is gone: nothing of it stays, on the wall neither."""
        self.data, self.picked, self.jobs = BoardData(), (), ()
        self.close_wall()
        self.show_data(BoardData())

    # cards

    def _wanted(
        self, board: StudyBoard
    ) -> dict[str, tuple[str, Callable[[BoardCard], object], Callable[[], BoardCard]]]:
        """Every card there is: its title, how to show it, how to make it."""
        found: dict[str, Any] = {
            PACE: (tr("Pace"), lambda card: card.show_paces(board.paces, self.left()), lambda: PaceCard(self._host))
        }
        if board.judging:
            found[JUDGING] = (
                tr("Judging"), lambda card: card.show_judging(board.judging), lambda: RaterCountsCard(self._host)
            )  # fmt: skip
        for measure in board.measures:
            found[measure.key] = (measure.title, _shower(measure), self._maker(measure, board.items))
        found[LENGTHS] = (tr("Lengths"), lambda card: card.show_paces(board.paces), lambda: LengthsCard(self._host))
        return found

    def _maker(self, measure: BoardMeasure, items: str) -> Callable[[], BoardCard]:
        return lambda: LiveMeasureCard(measure, self._host, items)

    def _show_cards(self, board: StudyBoard) -> None:
        wanted = self._wanted(board)
        self._place_new(board, list(wanted))
        on_board = {place.key for place in self.dashboard.places if place.shown and place.key in wanted}
        changed = False
        for key in [key for key in self.dashboard.cards if key not in on_board]:
            self.dashboard.remove_card(key)
            changed = True
        self._waiting = []
        for key in [place.key for place in self.dashboard.places if place.key in on_board]:
            title, show, make = wanted[key]
            card = self.dashboard.cards.get(key)
            if card is None:
                card = make()
                card.head.addWidget(self.dashboard.add_card(key, card, head_of(card), title).button)  # type: ignore[arg-type]
                changed = True
            self.dashboard.actions_of[key].set_title(title)
            self._waiting.append(_once(show, card))
        if changed:
            self.dashboard.set_places(self.dashboard.places)
        if self.wall is not None:
            self._waiting.append(self._show_wall)
        if self.isVisible():
            self._turn.start()

    def _place_new(self, board: StudyBoard, keys: Sequence[str]) -> None:
        """Cards that the layout does not know come last; of the measures, the first few are on the board."""
        known = {place.key for place in self.dashboard.places}
        usual = {measure.key for measure in board.measures if measure.usual}
        shown = sum(place.shown and place.key in usual for place in self.dashboard.places)
        new = []
        for key in keys:
            if key in known:
                continue
            is_measure = key not in (PACE, LENGTHS, JUDGING)
            on = not is_measure or (key in usual and shown < FIRST_MEASURES)
            shown += is_measure and on
            new.append(Place(key, shown=on))
        self.dashboard.places = (*self.dashboard.places, *new)

    def _next(self) -> None:
        """Bring one card up to date: all at once would hold the window for more than a frame."""
        if self._waiting:
            self._waiting.pop(0)()
        if not self._waiting:
            self._turn.stop()

    def draw(self) -> None:
        """Bring every card up to date now."""
        while self._waiting:
            self._next()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._waiting:
            self._turn.start()

    def _forget(self) -> None:
        self._waiting, self._layout_of = [], None
        for key in list(self.dashboard.cards):
            self.dashboard.remove_card(key)
        self.dashboard.set_places(())

    def _keep(self) -> None:
        board = self.board
        if board is not None:
            self._show_cards(board)
            self.arranged.emit(board.study.id, {"cards": [place.stored() for place in self.dashboard.places]})

    # the wall

    def toggle_wall(self) -> None:
        """The whole screen for the first cards, to be read from afar; again: back."""
        if self.wall is not None:
            self.close_wall()
        elif self.board is not None:
            self.wall = Wall(self)
            self.wall.closed.connect(self.close_wall)
            self._show_wall()
            self.wall.showFullScreen()
            self.wall.activateWindow()

    def close_wall(self) -> None:
        wall, self.wall = self.wall, None
        if wall is not None:
            wall.let_go()

    def _show_wall(self) -> None:
        board = self.board
        if self.wall is not None and board is not None:
            keys = self.dashboard.on_board()
            by_key = {measure.key: measure for measure in board.measures}
            words = self.left() or plural(
                board.paces[0].rates.texts if board.paces else 0, "1 text so far", "%n texts so far"
            )
            self.wall.show_measures(board.title, words, [by_key[key] for key in keys if key in by_key], board.items)

    # choosing

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

    def _offer_runs(self, board: StudyBoard) -> None:
        self.picked = board.picked
        titles = [run.title for run in board.runs if run.id in board.picked]
        if len(titles) > 1:
            text = plural(len(titles), "1 run", "%n runs compared")
        else:
            text = titles[0] if titles else tr("All texts")
        self.runs.set_text(text)
        self.runs.setVisible(bool(board.runs))
        self.go_on.setVisible(any(run.can_go_on for run in board.runs))

    def runs_menu(self) -> QMenu:
        """The runs to pick; several are drawn over each other."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Runs on the board"))
        everything = menu.addAction(tr("All texts together"))
        everything.setCheckable(True)
        everything.setChecked(not self.picked)
        everything.triggered.connect(lambda: self.pick_runs(()))
        menu.addSeparator()
        for run in self.board.runs if self.board else ():
            action = menu.addAction(run.words)
            action.setCheckable(True)
            action.setChecked(run.id in self.picked)
            action.setEnabled(run.id in self.picked or len(self.picked) < MOST_RUNS)
            action.triggered.connect(lambda on, key=run.id: self._pick(key, on=on))
        return menu

    def _pick(self, run: int, *, on: bool) -> None:
        others = tuple(one for one in self.picked if one != run)
        self.pick_runs((*others, run) if on else others)

    def pick_runs(self, runs: Sequence[int]) -> None:
        """Show these beside each other, each with its colour and dash; none: all texts of the study."""
        self.picked = tuple(runs)
        if self.board is not None:
            self.chosen.emit(self.board.study.id, self.picked)

    def cards_menu(self) -> QMenu:
        """Every card there is; those that are checked are on the board."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Cards on the board"))
        shown = {place.key for place in self.dashboard.places if place.shown}
        for key, (title, _, _) in self._wanted(self.board).items() if self.board else ():
            action = menu.addAction(title)
            action.setCheckable(True)
            action.setChecked(key in shown)
            action.triggered.connect(lambda on, key=key: self.dashboard.show_card(key, on))
        return menu

    def offer_goals(self, goals: Sequence[Goal], take: Callable[[Goal], object]) -> QMenu:
        """The menu of how to go on."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Go on"))
        for goal in goals:
            menu.addAction(goal.words).triggered.connect(lambda _=False, goal=goal: take(goal))
        if not goals:
            menu.addAction(tr("There is no run to go on with.")).setEnabled(False)
        return menu

    def _ask_goals(self) -> None:
        if self.board is not None:
            self.goals_wanted.emit(self.board.study.kind, self.picked[0] if len(self.picked) == 1 else None)

    # jobs

    def left(self) -> str:
        """How far the work is and how long it still takes, of what goes on first; empty where nothing does."""
        handle = next((one for one in self.jobs if one.active), None)
        if handle is None:
            return ""
        progress = handle.progress
        if progress is None or progress.total is None:
            return tr("The model is being opened.")
        told = tr("{done} of {total}").format(done=f"{progress.done:,}", total=f"{progress.total:,}")
        if handle.state is JobState.PAUSED:
            return tr("{told}, paused.").format(told=told)
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

    def _make_widgets(self) -> None:
        self.study_label, self.study = Label(tr("Study")), QComboBox()
        self.study_label.setBuddy(self.study)
        self.study.setAccessibleName(tr("Study"))
        self.study.activated.connect(lambda _: self._choose_study())
        self.runs = _menu_button(tr("All texts"), self, lambda: self.runs_menu())
        self.runs.setAccessibleDescription(tr("Which runs are shown"))
        self.cards_button = _menu_button(tr("Cards"), self, lambda: self.cards_menu())
        self.pause = QuietButton(tr("Pause"), icon="pause")
        self.pause.clicked.connect(self._pause)
        self.go_on = QuietButton(tr("Go on to…"), icon="plus")
        self.go_on.clicked.connect(self._ask_goals)
        self.wall_button = QuietButton(tr("Wall"), key="F11")
        self.wall_button.setToolTip(tr("Fill the screen with the first cards, to be read from afar."))
        self.wall_button.clicked.connect(self.toggle_wall)
        self.progress = ProgressThin(tr("Progress"))
        self.progress_words = Label("", "note")
        self.note = Label("", "soft", wrap=True)
        self.dashboard = Dashboard()
        self.dashboard.arranged.connect(self._keep)
        self.scroll = Scroller()
        self.nothing = EmptyState(
            tr("Nothing to watch yet"),
            tr("Start a run: what its texts say appears here while they are written and scored."),
            tr("Generate"),
            lambda: self.panel_wanted.emit("generate"),
            icon="charts",
        )

    def _lay_out(self) -> None:
        gap = theme.current().grid
        head = clear_widget()
        row = FlowLayout(head, spacing=gap, centred=True)
        for widget in (
            self.study_label, self.study, self.runs, self.cards_button, self.go_on, self.wall_button, self.pause,
        ):  # fmt: skip
            row.addWidget(widget)
        along = QHBoxLayout()
        along.setSpacing(theme.current().gap)
        along.addWidget(self.progress, 1)
        along.addWidget(self.progress_words)
        inside = clear_widget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, gap, 0)  # cards keep clear of the scroll bar
        column.addWidget(self.dashboard)
        column.addStretch(1)
        self.scroll.setWidget(inside)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().gap)
        box.addWidget(head)
        box.addLayout(along)
        box.addWidget(self.note)
        box.addWidget(self.scroll, 1)
        box.addWidget(self.nothing, 1)


def _menu_button(text: str, parent: QWidget, make: Callable[[], QMenu]) -> QuietButton:
    """A button that opens a menu made for the moment."""
    button = QuietButton(text, icon="chevron-down")

    def open_menu() -> None:
        menu = make()
        menu.exec(button.mapToGlobal(QPoint(0, button.height())))
        menu.deleteLater()

    button.clicked.connect(open_menu)
    return button


def _note(board: StudyBoard) -> str:
    """What is missing on the board, and why."""
    if not board.measures:
        return tr("No text is scored yet: the figures appear with the first scores.")
    if board.left_out:
        return plural(
            board.left_out,
            "1 measure has no room among the cards; the findings list all of them.",
            "%n measures have no room among the cards; the findings list all of them.",
        )
    return ""


def _shower(measure: BoardMeasure) -> Callable[[Any], object]:
    return lambda card: card.show_measure(measure)


def _once(show: Callable[[Any], object], card: object) -> Callable[[], object]:
    return lambda: show(card)
