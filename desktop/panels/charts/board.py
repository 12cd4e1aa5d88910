"""The live board of a study: what its texts say so far, with bands that narrow while they are written and scored."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.panels.charts.board_head import BoardHead
from biasprint.desktop.panels.charts.dashboard import Dashboard, Place, places_in
from biasprint.desktop.panels.charts.live_cards import BoardCard, LengthsCard, LiveMeasureCard, PaceCard, head_of
from biasprint.desktop.panels.charts.rater_counts import RaterCountsCard
from biasprint.desktop.panels.charts.wall import Wall
from biasprint.desktop.plots.export import PlotHost
from biasprint.desktop.read.board_shown import BoardData, BoardMeasure, StudyBoard
from biasprint.desktop.widgets import EmptyState, Label, plural, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import Scroller, clear_widget

PACE, LENGTHS, JUDGING, WALL = "pace", "lengths", "judging", "wall"  # keys beside those of measures
FIRST_MEASURES = 6  # that are on the board before anybody arranges it: every card takes its time to draw


class Kind(NamedTuple):
    """A card that there can be: its title, how it shows what there is now, how it is made."""

    title: str
    show: Callable[[Any], object]
    make: Callable[[], BoardCard]


class LiveBoard(QWidget):
    """Shows what it is given; what a person wants is told by signals. A card is drawn in each turn of the loop."""

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
        something = board is not None and (self.has_data() or bool(board.judging))
        self._awaited = self._awaited and not data.reading
        self.head.offer(data, something=something)
        self.waiting.setVisible(self._awaited)
        show_if(self.nothing, not something and not self._awaited)
        self.scroll.setVisible(something)
        self.note.setText(_note(board) if board is not None and something else "")
        self.note.setVisible(bool(self.note.text()))
        if board is None:
            self._forget()
            return
        if self._layout_of != board.study.id:
            self._forget()
            self._layout_of = board.study.id
            self.dashboard.places = places_in(board.layout)
        self._show_cards(board)

    def follow(self, jobs: Sequence[JobHandle]) -> None:
        """The jobs that go on."""
        self.head.follow(jobs)

    def expect(self) -> None:
        """A project is being read: until its first reading nothing is known, not even that there is nothing."""
        self._awaited = True
        self.show_data(BoardData())

    def forget(self) -> None:
        """The project is gone: nothing of it stays, on the wall neither."""
        self.data, self._awaited = BoardData(), False
        self.close_wall()
        self.follow(())
        self.show_data(self.data)

    # cards

    def _kinds(self, board: StudyBoard) -> dict[str, Kind]:
        """Every card there can be, by its key."""
        host, paces = self._host, board.paces
        found = {PACE: Kind(tr("Pace"), lambda card: card.show_paces(paces, self.head.left()), lambda: PaceCard(host))}
        if board.judging:
            found[JUDGING] = Kind(
                tr("Judging"), lambda card: card.show_judging(board.judging), lambda: RaterCountsCard(host)
            )
        for measure in board.measures:
            found[measure.key] = Kind(measure.title, _shower(measure), self._maker(measure, board.items))
        found[LENGTHS] = Kind(tr("Lengths"), lambda card: card.show_paces(paces), lambda: LengthsCard(host))
        return found

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
        """Make one card, or bring one up to date: all at once would hold the window for more than a frame."""
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
        """Cards that the layout does not know come last; of the measures, a few are on the board.

        Of these there are first the ones that show most texts together, then those of a part.
        """
        known = {place.key for place in self.dashboard.places}
        usual = {measure.key for measure in board.measures if measure.usual}
        room = FIRST_MEASURES - sum(place.shown and place.key in usual for place in self.dashboard.places)
        new = sorted((one for one in board.measures if one.usual and one.key not in known), key=lambda one: one.parts)
        on = {PACE, LENGTHS, JUDGING, *(one.key for one in new[: max(0, room)])}
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
            words = self.head.left() or plural(
                board.paces[0].rates.texts if board.paces else 0, "1 text so far", "%n texts so far"
            )
            self.wall.show_measures(board.title, words, [by_key[key] for key in keys if key in by_key], board.items)

    # the widgets

    def _cards_menu(self) -> QMenu:
        """Every card there is; those that are checked are on the board."""
        menu = QMenu(self)
        menu.setAccessibleName(tr("Cards on the board"))
        shown = {place.key for place in self.dashboard.places if place.shown}
        for key, kind in self._kinds(self.board).items() if self.board else ():
            action = menu.addAction(kind.title)
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
        self.scroll = Scroller()
        self.waiting = Label(tr("Reading the texts…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing = EmptyState(
            tr("Nothing to watch yet"),
            tr("Start a run: what its texts say appears here while they are written and scored."),
            tr("Generate"),
            lambda: self.panel_wanted.emit("generate"),
            icon="charts",
        )

    def _lay_out(self) -> None:
        gap = theme.current().grid
        inside = clear_widget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, gap, 0)  # cards keep clear of the scroll bar
        column.addWidget(self.dashboard)
        column.addStretch(1)
        self.scroll.setWidget(inside)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().gap)
        box.addWidget(self.head)
        box.addWidget(self.note)
        box.addWidget(self.scroll, 1)
        for instead in (self.waiting, self.nothing):
            box.addWidget(instead, 1)


def _note(board: StudyBoard) -> str:
    """What is missing on the board, and why."""
    rates = [pace.rates for pace in board.paces]
    if any(one.failed for one in rates) and not any(one.texts for one in rates):
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
