"""The live board of a study: its results so far, with bands that narrow while texts are written and scored."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.board import Goal
from biasprint.desktop.operations.queue import only_scored
from biasprint.desktop.panels.charts.dashboard import Dashboard, Place, Wall, places_in
from biasprint.desktop.panels.charts.live_cards import (
    BoardCard,
    LengthsCard,
    LiveMeasureCard,
    PaceCard,
    RaterCountsCard,
    head_of,
)
from biasprint.desktop.plots.card import PlotHost
from biasprint.desktop.read.board import MOST_RUNS, BoardData, BoardMeasure, StudyBoard
from biasprint.desktop.widgets import EmptyState, Label, ProgressThin, QuietButton, number, plural, spelled_seconds, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import below
from biasprint.desktop.widgets.labels import named, show_if, show_words
from biasprint.desktop.widgets.layout import (
    STRETCH,
    FlowLayout,
    Scroller,
    add_to,
    clear_widget,
    column_of,
    in_column,
    in_row,
)

# ---- The head of the live board


class BoardHead(QWidget):
    """The head of the board with its choices; signals report a person's wishes. `cards_menu` makes the board's menu."""

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
        """Offer the studies and runs; cards and the wall where there is `something` to see."""
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
                self.study.addItem(tr(title), number)
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
        """Build the menu of runs to pick; several are drawn over each other."""
        menu = named(QMenu(self), tr("Runs on the board"))
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
        others = tuple(other for other in self.picked if other != run)
        self._pick_runs((*others, run) if on else others)

    def _pick_runs(self, runs: Sequence[int]) -> None:
        """Show these runs beside each other, each with its colour and dash; none: all texts of the study."""
        self.picked = tuple(runs)
        if self._board is not None:
            self.chosen.emit(self._board.study.id, self.picked)

    # going on

    def goals_menu(self, goals: Sequence[Goal], take: Callable[[Goal], object]) -> QMenu:
        """Build the menu of the ways to continue a run."""
        menu = named(QMenu(self), tr("Go on"))
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
        """Follow these running jobs."""
        for handle in jobs:
            if handle not in self.jobs:
                handle.changed.connect(self._show_jobs)
        self.jobs = tuple(jobs)
        self._show_jobs()

    def left(self) -> str:
        """Return the progress and remaining time of the first active job; empty without one."""
        handle = next((job for job in self.jobs if job.active), None)
        if handle is None:
            return ""
        progress = handle.progress
        if progress is None or progress.total is None:
            return tr("Getting ready.")
        done = tr("{done} of {total}").format(done=number(progress.done), total=number(progress.total))
        if handle.state is JobState.PAUSED:
            return tr("{told}, paused.").format(told=done)
        if only_scored(handle):
            return tr("{told}, being scored.").format(told=done)
        if progress.seconds_left is not None:
            return tr("{told}, {left} left.").format(told=done, left=spelled_seconds(progress.seconds_left))
        return f"{done}."

    def _show_jobs(self) -> None:
        active = [job for job in self.jobs if job.active]
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
        active = [job for job in self.jobs if job.active]
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
        self.pause = QuietButton(tr("Pause"), icon="pause", act=self._pause)
        self.go_on = QuietButton(tr("Go on to…"), icon="plus", act=self._ask_goals)
        self.wall = QuietButton(tr("Wall"), key="F11", act=self.wall_wanted)
        self.wall.setToolTip(tr("Fill the screen with the first cards, to be read from afar."))
        self.progress = ProgressThin(tr("Progress"))
        self.progress_words = Label("", "note")

    def _lay_out(self) -> None:
        top = clear_widget()
        row = FlowLayout(inside=top, spacing=theme.current().grid, centred=True)
        for widget in (self.study_label, self.study, self.runs, self.cards, self.go_on, self.wall, self.pause):
            row.addWidget(widget)
        along = in_row((self.progress, 1), self.progress_words, spacing=theme.current().gap)
        in_column(top, along, inside=self, spacing=theme.current().gap, margins=0)


def _menu_button(text: str, make: Callable[[], QMenu]) -> QuietButton:
    """Return a button that opens a menu built at that moment."""
    button = QuietButton(text, icon="chevron-down")

    def open_menu() -> None:
        menu = make()
        menu.exec(below(button, menu))
        menu.deleteLater()

    button.clicked.connect(open_menu)
    return button


PACE, LENGTHS, JUDGING, WALL = "pace", "lengths", "judging", "wall"  # keys beside those of measures
FIRST_MEASURES = 6  # that are on the board before anybody arranges it: every card takes its time to draw


class Kind(NamedTuple):
    """A possible card: its title, how it is made, and how it shows the present data."""

    title: str
    show: Callable[[Any], object]
    make: Callable[[], BoardCard]


class LiveBoard(QWidget):
    """The board. Signals report what a person wants. One card is drawn in each turn of the event loop."""

    key = "live"

    arranged = Signal(int, object)  # the study's id, the layout
    panel_wanted = Signal(str)

    def __init__(self, host: PlotHost) -> None:
        super().__init__()
        self.title = tr("Live")
        self._host = host
        self.data = BoardData()
        self.wall: Wall | None = None
        self._awaited = False
        self._layout_of: int | None = None  # the study whose layout is in force
        self._waiting: dict[str, Kind | None] = {}  # cards that are not up to date, by key; None for the wall
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next)
        self._make_widgets()
        # Cards keep clear of the scroll bar.
        self.scroller.setWidget(column_of(self.dashboard, STRETCH, margins=(0, 0, theme.current().grid, 0)))
        box = in_column(self.head, self.note, inside=self, spacing=theme.current().gap, margins=0)
        add_to(box, (self.scroller, 1), (self.waiting, 1), (self.nothing, 1))
        self.show_data(BoardData())

    # what there is

    @property
    def board(self) -> StudyBoard | None:
        return self.data.board

    def has_data(self) -> bool:
        """True once any text was written or scored."""
        board = self.board
        some = board is not None and (any(pace.rates.texts or pace.rates.failed for pace in board.paces))
        return some or (board is not None and any(not measure.reason for measure in board.measures))

    def show_data(self, data: BoardData) -> None:
        """Show the newest reading. An older one that comes late is ignored."""
        if data.reading and data.reading < self.data.reading:
            return
        self.data = data
        board = data.board
        something = board is not None and (self.has_data() or bool(board.judging))
        self._awaited = self._awaited and not data.reading
        self.head.offer(data, something=something)
        self.waiting.setVisible(self._awaited)
        show_if(self.nothing, not something and not self._awaited)
        self.scroller.setVisible(something)
        show_words(self.note, _note(board) if board is not None and something else "")
        if board is None:
            self._forget()
            return
        if self._layout_of != board.study.id:
            self._forget()
            self._layout_of = board.study.id
            self.dashboard.places = places_in(board.layout)
        self._show_cards(board)

    def follow(self, jobs: Sequence[JobHandle]) -> None:
        """Follow these running jobs."""
        self.head.follow(jobs)

    def expect(self) -> None:
        """Expect the first reading of a project: until then nothing is known, not even that there is nothing."""
        self._awaited = True
        self.show_data(BoardData())

    def forget(self) -> None:
        """Remove everything of the closed project, from the wall too."""
        self.data, self._awaited = BoardData(), False
        self.close_wall()
        self.follow(())
        self.show_data(self.data)

    # cards

    def _kinds(self, board: StudyBoard) -> dict[str, Kind]:
        """Return every possible card, by its key."""
        host, paces = self._host, board.paces
        kinds = {PACE: Kind(tr("Pace"), lambda card: card.show_paces(paces, self.head.left()), lambda: PaceCard(host))}
        if board.judging:
            kinds[JUDGING] = Kind(
                tr("Judging"), lambda card: card.show_judging(board.judging), lambda: RaterCountsCard(host)
            )
        for measure in board.measures:
            kinds[measure.key] = Kind(measure.title, _shower(measure), self._maker(measure, board.items))
        kinds[LENGTHS] = Kind(tr("Lengths"), lambda card: card.show_paces(paces), lambda: LengthsCard(host))
        return kinds

    def _maker(self, measure: BoardMeasure, items: str) -> Callable[[], BoardCard]:
        return lambda: LiveMeasureCard(measure, self._host, items)

    def _show_cards(self, board: StudyBoard) -> None:
        kinds = self._kinds(board)
        self._place_new(board, list(kinds))
        on_board = [place.key for place in self.dashboard.places if place.shown and place.key in kinds]
        gone = [key for key in self.dashboard.cards if key not in on_board]
        for key in gone:
            self.dashboard.remove_card(key)
        self.dashboard.set_places(self.dashboard.places)
        wanted = [*on_board, WALL] if self.wall is not None else on_board
        # Those that had no turn the last time come first: where all take longer than a reading, all have their turn.
        late = [key for key in self._waiting if key in wanted]
        self._waiting = {key: kinds.get(key) for key in (*late, *wanted)}
        if self.isVisible() or self.wall is not None:
            self._turn.start()

    def _next(self) -> None:
        """Make or update one card: all at once would hold the window for more than a frame."""
        if self._waiting:
            key = next(iter(self._waiting))
            kind = self._waiting.pop(key)
            card = self.dashboard.cards.get(key)
            if kind is None:
                self._show_wall()
            elif card is None:
                self._add_card(key, kind)
                self._waiting = {key: kind, **self._waiting}
            else:
                self.dashboard.actions_of[key].set_title(kind.title)
                kind.show(card)
        if not self._waiting:
            self._turn.stop()

    def _add_card(self, key: str, kind: Kind) -> None:
        card = kind.make()
        card.head.addWidget(self.dashboard.add_card(key, card, head_of(card), kind.title).button)
        self.dashboard.set_places(self.dashboard.places)

    def _place_new(self, board: StudyBoard, keys: Sequence[str]) -> None:
        """Put cards that the layout does not know last; of the measures, only a few on the board.

        First come the measures that combine most texts, then those of a part.
        """
        known = {place.key for place in self.dashboard.places}
        usual = {measure.key for measure in board.measures if measure.usual}
        room = FIRST_MEASURES - sum(place.shown and place.key in usual for place in self.dashboard.places)
        new = sorted(
            (measure for measure in board.measures if measure.usual and measure.key not in known),
            key=lambda measure: measure.parts,
        )
        on = {PACE, LENGTHS, JUDGING, *(measure.key for measure in new[: max(0, room)])}
        places = [Place(key, shown=key in on) for key in keys if key not in known]
        self.dashboard.places = (*self.dashboard.places, *places)

    def draw(self) -> None:
        """Bring every card up to date now."""
        while self._waiting:
            self._next()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._waiting:
            self._turn.start()

    def _forget(self) -> None:
        self._waiting, self._layout_of = {}, None
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
        """Show the first cards on the whole screen, to be read from afar; again: back."""
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
            words = self.head.left() or plural(
                board.paces[0].rates.texts if board.paces else 0, "1 text so far", "%n texts so far"
            )
            self.wall.show_measures(board.title, words, [by_key[key] for key in keys if key in by_key], board.items)

    # the widgets

    def _cards_menu(self) -> QMenu:
        """Build the menu of all cards; those that are checked are on the board."""
        menu = named(QMenu(self), tr("Cards on the board"))
        shown = {place.key for place in self.dashboard.places if place.shown}
        for key, kind in self._kinds(self.board).items() if self.board else ():
            action = menu.addAction(tr(kind.title))
            action.setCheckable(True)
            action.setChecked(key in shown)
            action.triggered.connect(lambda on, key=key: self.dashboard.show_card(key, on))
        return menu

    def _make_widgets(self) -> None:
        self.head = BoardHead(self._cards_menu)
        self.head.wall_wanted.connect(self.toggle_wall)
        self.note = Label("", "soft", wrap=True)
        self.dashboard = Dashboard()
        self.dashboard.arranged.connect(self._keep)
        self.scroller = Scroller()
        self.waiting = Label(tr("Reading the texts…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing = EmptyState(
            tr("Nothing to watch yet"),
            tr("Start a run: what its texts say appears here while they are written and scored."),
            tr("Generate"),
            lambda: self.panel_wanted.emit("generate"),
            icon="charts",
        )


def _note(board: StudyBoard) -> str:
    """Return what is missing on the board, and why."""
    rates = [pace.rates for pace in board.paces]
    if any(rate.failed for rate in rates) and not any(rate.texts for rate in rates):
        return tr("Every text failed so far: Generate tells why and asks for them again.")
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
