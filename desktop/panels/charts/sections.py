"""The sections of the charts panel. Each turns the data into its views, and only while it can be seen."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.findings import Variant
from desktop import theme
from desktop.charts.affinity import affinity_view, radar_view
from desktop.charts.card import ChartCard
from desktop.charts.data import ChartData, Voice
from desktop.charts.distance import distance_view, rbs_view
from desktop.charts.forest import forest_view, variant_name
from desktop.charts.preferences import preference_view
from desktop.charts.view import View
from desktop.widgets import EmptyState, Label, tr

SIDE_BY_SIDE_FROM = 860  # text pixels: narrower, two cards stand under each other

Views = Callable[[ChartData], Sequence[View]]


class Section(QScrollArea):
    """Cards over one part of the data; in their place, while there is nothing, what to do next."""

    opened = Signal(object, str, bool)  # as the charts'
    export_asked = Signal(object, str)
    panel_wanted = Signal(str)

    def __init__(self, title: str, go_to: str, action: str) -> None:
        super().__init__()
        self.title = title
        self.cards: list[ChartCard] = []
        self._data = ChartData()
        self._drawn: ChartData | None = None
        self._waiting: list[tuple[ChartCard, View]] = []  # cards that are not up to date yet
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._next_card)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        inside.setProperty("role", "clear")
        self._box = QVBoxLayout(inside)
        self._box.setContentsMargins(0, 0, theme.current().grid, 0)  # cards keep clear of the scroll bar
        self._box.setSpacing(theme.current().gap)
        self.tools = QHBoxLayout()
        self.tools.setSpacing(theme.current().grid)
        self._cards = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._cards.setSpacing(theme.current().gap)
        self.nothing = EmptyState(title, "", action, lambda: self.panel_wanted.emit(go_to), icon="charts")
        self._box.addLayout(self.tools)
        self._box.addLayout(self._cards)
        self._box.addWidget(self.nothing, 1)
        self._box.addStretch(0)
        self.setWidget(inside)

    def views(self, data: ChartData) -> Sequence[View]:
        """What the section shows of the data, a view per card."""
        raise NotImplementedError

    def set_data(self, data: ChartData) -> None:
        self._data = data
        if self.isVisible():
            self._catch_up()

    def has_data(self) -> bool:
        """Whether there is anything to show."""
        return not all(view.empty for view in self.views(self._data))

    def draw(self) -> None:
        """Bring the cards up to date."""
        self._draw(at_once=True)

    def _catch_up(self) -> None:
        """A card in each turn of the event loop: all at once would hold the window for more than a frame."""
        self._draw(at_once=self._drawn is None or not self.nothing.isHidden())

    def _draw(self, *, at_once: bool) -> None:
        self._drawn = self._data
        views = self.views(self._data)
        while len(self.cards) < len(views):
            self._add_card(views[len(self.cards)])
        empty = all(view.empty for view in views)
        self._waiting = list(zip(self.cards, views, strict=True))
        self._turn.start()
        while self._waiting and (at_once or empty):
            self._next_card()
        for card in self.cards:
            card.setVisible(not empty)
        self.nothing.text.setText(views[0].empty)
        self.nothing.setVisible(empty)

    def _next_card(self) -> None:
        """Bring one card up to date."""
        if self._waiting:
            card, view = self._waiting.pop(0)
            card.set_view(view)
        if not self._waiting:
            self._turn.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._drawn is not self._data:
            self._catch_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= theme.current().px(SIDE_BY_SIDE_FROM)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._cards.setDirection(across if wide and self.side_by_side else down)

    side_by_side = False

    def _add_card(self, view: View) -> None:
        card = ChartCard(view)
        card.opened.connect(self.opened)
        card.export_asked.connect(self.export_asked)
        self.cards.append(card)
        self._cards.addWidget(card, 1)


class Preferences(Section):
    """Bars of one voice; a box to choose it where there are several."""

    def __init__(self) -> None:
        super().__init__(tr("Preferences"), "judge", tr("Rate outputs"))
        self._label = Label(tr("Whose choices"))
        self.voice = QComboBox()
        self.voice.setAccessibleName(tr("Whose choices"))
        self._label.setBuddy(self.voice)
        self.voice.activated.connect(lambda _: self.draw())
        self.tools.addWidget(self._label)
        self.tools.addWidget(self.voice)
        self.tools.addStretch(1)

    def views(self, data: ChartData) -> Sequence[View]:
        self._offer(data.voices)
        chosen = next((voice for voice in data.voices if voice.key == self.voice.currentData()), None)
        return [preference_view(data, chosen or Voice("", "", "you", (), complete=True, judged=0))]

    def _offer(self, voices: Sequence[Voice]) -> None:
        """The voices there are; the one that was chosen stays chosen."""
        offered = [(self.voice.itemText(i), self.voice.itemData(i)) for i in range(self.voice.count())]
        if offered != [(voice.title, voice.key) for voice in voices]:
            before = self.voice.currentData()
            self.voice.clear()
            for voice in voices:
                self.voice.addItem(voice.title, voice.key)
            self.voice.setCurrentIndex(max(0, self.voice.findData(before)))
        for widget in (self._label, self.voice):
            widget.setVisible(len(voices) > 1)


class Affinity(Section):
    """The radar beside the scores."""

    side_by_side = True

    def __init__(self) -> None:
        super().__init__(tr("Affinity"), "judge", tr("Rate outputs"))

    def views(self, data: ChartData) -> Sequence[View]:
        return [radar_view(data), affinity_view(data)]


class Letters(Section):
    """The forest of odds ratios, in either variant or both."""

    _CHOICES: tuple[tuple[Variant, ...], ...] = (("default",), ("as_published",), ("default", "as_published"))

    def __init__(self) -> None:
        super().__init__(tr("Letters"), "generate", tr("Generate letters"))
        self.variants = QComboBox()
        self.variants.setAccessibleName(tr("Way of counting"))
        for choice in self._CHOICES:
            name = variant_name(choice[0]) if len(choice) == 1 else tr("both")
            self.variants.addItem(name, choice)
        self.variants.activated.connect(lambda _: self.draw())
        self._label = Label(tr("Way of counting"))
        self._label.setBuddy(self.variants)
        self.tools.addWidget(self._label)
        self.tools.addWidget(self.variants)
        self.tools.addStretch(1)

    def views(self, data: ChartData) -> Sequence[View]:
        for widget in (self._label, self.variants):
            widget.setVisible(bool(data.letters))
        return [forest_view(data, self._CHOICES[self.variants.currentIndex()])]


class Distance(Section):
    """Distances from the default text, and their spread."""

    side_by_side = True

    def __init__(self) -> None:
        super().__init__(tr("Distance"), "generate", tr("Generate texts"))

    def views(self, data: ChartData) -> Sequence[View]:
        return [distance_view(data), rbs_view(data)]
