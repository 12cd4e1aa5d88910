"""Sections of the charts panel on judgments and stored texts: figures on cards, drawn again as data comes."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Variant
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import ChartCard
from biasprint.desktop.charts.live import (
    ChartData,
    ChartVoice,
    affinity_figures,
    distance_figures,
    letters_figures,
    preference_figure,
    preferences_figure,
    variant_name,
)
from biasprint.desktop.widgets import EmptyState, Label, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import STRETCH, Scroller, add_to, clear_widget, grid_of, in_row, set_margins

SIDE_BY_SIDE_FROM = 860  # text pixels: narrower, two cards stand under each other


class Section(Scroller):
    """Cards over one part of the data; while there is no data, what to do next.

    A study names its sections in its declaration. `key`: the name by which other panels open it; `rank`: its place
    among the tabs.
    """

    key = ""
    rank = 100

    opened = Signal(object, str, bool)  # as the charts'
    export_asked = Signal(object, str)
    panel_wanted = Signal(str)

    def __init__(self, title: str, go_to: str, action: str) -> None:
        super().__init__()
        self.title = title
        self.cards: list[ChartCard] = []
        self._data = ChartData()
        self._drawn: ChartData | None = None
        self._waiting: list[tuple[ChartCard, Figure]] = []  # cards that are not up to date yet
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next_card)
        inside = clear_widget()
        self._box = QVBoxLayout(inside)
        set_margins(self._box, 0, 0, theme.current().grid, 0)  # cards keep clear of the scroll bar
        self._box.setSpacing(theme.current().gap)
        self.tools = in_row(spacing=theme.current().grid)
        self._cards = grid_of(along=theme.current().gap, stretch=None)
        self.nothing = EmptyState(title, "", action, lambda: self.panel_wanted.emit(go_to), icon="charts")
        add_to(self._box, self.tools, self._cards, (self.nothing, 1), 0)
        self.setWidget(inside)

    def figures(self, data: ChartData) -> Sequence[Figure]:
        """Return the section's figures of the data, one per card."""
        raise NotImplementedError

    def set_data(self, data: ChartData) -> None:
        self._data = data
        if self.isVisible():
            self._catch_up()

    def has_data(self) -> bool:
        """True if there is anything to draw in the section."""
        return any(figure.marks for figure in self.figures(self._data))

    def draw(self) -> None:
        """Bring the cards up to date."""
        self._draw(at_once=True)

    def _catch_up(self) -> None:
        """Update a card in each turn of the event loop: all at once would hold the window for more than a frame."""
        self._draw(at_once=self._drawn is None or not self.nothing.isHidden())

    def _draw(self, *, at_once: bool) -> None:
        self._drawn = self._data
        figures = self.figures(self._data)
        while len(self.cards) < len(figures):
            self._add_card(figures[len(self.cards)])
        empty = not any(figure.marks for figure in figures)
        self._waiting = list(zip(self.cards, figures, strict=False))
        self._turn.start()
        while self._waiting and (at_once or empty):
            self._next_card()
        for place, card in enumerate(self.cards):
            card.setVisible(not empty and place < len(figures))
        self.nothing.text.setText(figures[0].empty)
        self.nothing.setVisible(empty)

    def _next_card(self) -> None:
        """Bring one card up to date."""
        if self._waiting:
            card, figure = self._waiting.pop(0)
            card.set_figure(figure)
        if not self._waiting:
            self._turn.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._drawn is not self._data:
            self._catch_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.cards and self._has_room() != bool(self._cards.columnStretch(1)):
            self._arrange()

    def _has_room(self) -> bool:
        return self.side_by_side and len(self.cards) > 1 and self.width() >= theme.current().px(SIDE_BY_SIDE_FROM)

    def _arrange(self) -> None:
        """Lay the cards out in two columns where there is room for that, else in one."""
        wide = self._has_room()
        for place, card in enumerate(self.cards):
            self._cards.addWidget(card, *(divmod(place, 2) if wide else (place, 0)))
        for column in range(2):
            self._cards.setColumnStretch(column, 1 if wide or column == 0 else 0)

    side_by_side = False

    def _add_card(self, figure: Figure) -> None:
        card = ChartCard(figure)
        card.opened.connect(self.opened)
        card.export_asked.connect(self.export_asked)
        self.cards.append(card)
        self._arrange()


class Preferences(Section):
    """Bars of one voice; a box to choose it where there are several, or only a model's."""

    key, rank = "preferences", 1

    def __init__(self) -> None:
        super().__init__(tr("Preferences"), "judge", tr("Rate outputs"))
        self._label = Label(tr("Whose choices"))
        self.voice = named(ComboBox(), tr("Whose choices"))
        self._label.setBuddy(self.voice)
        self.voice.activated.connect(lambda _: self.draw())
        add_to(self.tools, self._label, self.voice, STRETCH)

    def figures(self, data: ChartData) -> Sequence[Figure]:
        self._offer(data.voices)
        chosen = next((voice for voice in data.voices if voice.key == self.voice.currentData()), None)
        return [preference_figure(data, chosen or ChartVoice("", "", "you", (), complete=True, judged=0))]

    def _offer(self, voices: Sequence[ChartVoice]) -> None:
        """Offer the present voices; the chosen one stays chosen."""
        offered = [(self.voice.itemText(i), self.voice.itemData(i)) for i in range(self.voice.count())]
        if offered != [(voice.title, voice.key) for voice in voices]:
            before = self.voice.currentData()
            self.voice.clear()
            for voice in voices:
                self.voice.addItem(voice.title, voice.key)
            self.voice.setCurrentIndex(max(0, self.voice.findData(before)))
        for widget in (self._label, self.voice):
            widget.setVisible(len(voices) > 1 or any(voice.kind == "model" for voice in voices))


class Affinity(Section):
    """The choices of all voices beside the scores."""

    key, rank = "affinity", 2

    side_by_side = True

    def __init__(self) -> None:
        super().__init__(tr("Affinity"), "judge", tr("Rate outputs"))

    def figures(self, data: ChartData) -> Sequence[Figure]:
        return [preferences_figure(data), *affinity_figures(data)]


class Letters(Section):
    """The forest of odds ratios, in either variant or both."""

    key, rank = "letters", 3

    _CHOICES: tuple[tuple[Variant, ...], ...] = (("default",), ("as_published",), ("default", "as_published"))

    def __init__(self) -> None:
        super().__init__(tr("Letters"), "generate", tr("Generate letters"))
        self.variants = named(ComboBox(), tr("Way of counting"))
        for choice in self._CHOICES:
            name = variant_name(choice[0]) if len(choice) == 1 else tr("both")
            self.variants.addItem(name, choice)
        self.variants.activated.connect(lambda _: self.draw())
        self._label = Label(tr("Way of counting"))
        self._label.setBuddy(self.variants)
        add_to(self.tools, self._label, self.variants, STRETCH)

    def figures(self, data: ChartData) -> Sequence[Figure]:
        for widget in (self._label, self.variants):
            widget.setVisible(bool(data.live.get("letters")))
        return letters_figures(data, self._CHOICES[self.variants.currentIndex()])


class Distance(Section):
    """Distances from the default text, and their spread."""

    key, rank = "distance", 4

    side_by_side = True

    def __init__(self) -> None:
        super().__init__(tr("Distance"), "generate", tr("Generate texts"))

    def figures(self, data: ChartData) -> Sequence[Figure]:
        return distance_figures(data)


# The study whose findings a section shows, and the section.
SECTIONS: tuple[tuple[str, type[Section]], ...] = (
    ("creativity", Preferences),
    ("creativity", Affinity),
    ("creativity", Distance),
    ("letters", Letters),
)
