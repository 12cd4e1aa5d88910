"""The findings themselves: what narrows them, how they were measured, the table, and the card of the chosen one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QItemSelection, QModelIndex, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QSplitter, QStackedWidget

from desktop import theme
from desktop.models.finding_lines import FindingLine, FindingsData, Measurement
from desktop.models.findings_table import FindingsTable
from desktop.panels.findings.card import FindingCard
from desktop.panels.findings.filters import Filters
from desktop.panels.findings.studies import Studies
from desktop.panels.findings.view import FindingsView
from desktop.widgets import Card, EmptyState, Label, number, plural, tr
from desktop.widgets.column import Column

LEAST_HEIGHT = 200  # of the table: where there is less room, everything scrolls
BESIDE_FROM = 860  # text pixels: narrower, the card takes the table's place until it is closed


class Board(Column):
    """`texts_wanted` asks for the texts of the chosen finding, `counted` says how many findings are shown."""

    texts_wanted = Signal()
    counted = Signal(str)
    go_on = Signal()  # from the empty state: measure, or make something to measure

    def __init__(self) -> None:
        super().__init__()
        self._data: FindingsData | None = None  # None: not read yet
        self._chosen: FindingLine | None = None
        self.table = FindingsTable(self)
        self.filters = Filters()
        self.filters.changed.connect(self._narrow)
        self.studies = Studies()
        self.view = FindingsView(self.table, self._several_studies)
        self.view.opened.connect(self.texts_wanted)
        self.view.selectionModel().selectionChanged.connect(self._show_row)
        self.card = FindingCard()
        self.card.closed.connect(self._close_card)
        self.card.texts_wanted.connect(self.texts_wanted)
        self.nothing = EmptyState(tr("Nothing measured yet"), "", tr("Measure"), self.go_on.emit, icon="findings")
        self.no_match = EmptyState(
            tr("No finding matches"),
            tr("The filters leave nothing of what was measured."),
            tr("Clear the filters"),
            self.filters.clear,
            icon="search",
        )
        self.waiting = Label(tr("Reading the findings…"), "soft")
        self._lay_out()
        theme.signals.changed.connect(self._make_room)

    @property
    def chosen(self) -> FindingLine | None:
        """The finding whose card is open."""
        return self._chosen

    def show_data(self, data: FindingsData | None) -> None:
        """Other findings; the chosen one stays chosen where it is still there. None: they are being read."""
        self._data = data
        lines = () if data is None else data.lines
        titles = {line.study: line.shown.study for line in lines}
        self.filters.offer(list(titles.items()), () if data is None else data.axes)
        self._keep_chosen(lambda: self.table.set_lines(lines))
        self.view.fit()
        self._show_state()

    def show_measurements(self, measurements: Sequence[Measurement], open_sessions: int) -> None:
        self.studies.show_measurements(measurements, open_sessions)
        first = next(iter(measurements), None)
        self.nothing.text.setText(
            tr("Measuring turns texts and judgments into numbers, each with its interval, and keeps them here.")
            if first
            else tr("There are no texts yet. Generate some from your prompts, or import some; then measure them.")
        )
        self.nothing.button.set_text(tr("Measure: {study}").format(study=first.title) if first else tr("Generate"))

    def _several_studies(self) -> bool:
        return len({line.study for line in self.table.lines}) > 1 and self.table.where.study is None

    # narrowing and choosing

    def _narrow(self) -> None:
        where = self.filters.where()
        self._keep_chosen(lambda: self.table.show(where))
        self.studies.narrow_to(where.study)
        self.view.fit()
        self._show_state()

    def _keep_chosen(self, change: Callable[[], object]) -> None:
        """Rows come and go; the card stays with its finding, and closes when that is gone for good."""
        chosen = self._chosen
        change()
        if chosen is None:
            return
        row = self.table.row_of(chosen.same)
        if row is not None:
            self.view.keep_in_sight(row)
        elif not any(line.same == chosen.same for line in self.table.lines):
            self.card.close_card()

    def _show_row(self, now: QItemSelection, _before: QItemSelection) -> None:
        """The keyboard arriving makes a row the current one; only one that was chosen opens."""
        if not now.isEmpty():
            self._chosen = self.table.shown[now.indexes()[0].row()]
            self.card.show_line(self._chosen)
            self._make_room()

    def _close_card(self) -> None:
        was_open, self._chosen = self._chosen is not None, None
        self.view.clearSelection()
        self.view.setCurrentIndex(QModelIndex())
        self._make_room()
        if was_open:
            self.view.setFocus()

    # showing

    def _show_state(self) -> None:
        """The table, or what to do where it would be empty."""
        total, shown = len(self.table.lines), len(self.table.shown)
        nothing = self._data is not None and not total
        self.nothing.setVisible(nothing)
        self.split.setVisible(not nothing)
        page = self.waiting if self._data is None else self.view if shown else self.no_match
        self.pages.setCurrentWidget(page)
        counted = plural(total, "1 finding", "%n findings")
        if shown < total:
            counted = tr("{shown} of {findings}").format(shown=number(shown), findings=counted)
        self.counted.emit(counted if total else "")
        self._make_room()

    def _make_room(self, _tokens: object = None) -> None:
        """Table and card side by side; where that would squeeze them, the card alone, until it is closed."""
        alone = self._chosen is not None and self.width() < theme.current().px(BESIDE_FROM)
        self.frame.setVisible(not alone)
        for part in (self.filters, self.studies):
            part.setVisible(not alone and (part is self.studies or self.nothing.isHidden()))
        self.split.setMinimumHeight(theme.current().px(LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.pages = QStackedWidget()
        for page in (self.view, self.no_match, self.waiting):
            self.pages.addWidget(page)
        self.frame = Card()
        self.frame.set_padding(4, 8)
        self.frame.box.addWidget(self.pages)
        self.view.focused.connect(self.frame.set_chosen)
        self.split = QSplitter()
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(tokens.gap)
        # It takes what is left, down to its least height: what table and card would like to have does not count.
        self.split.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for part, share in ((self.frame, 5), (self.card, 3)):
            self.split.addWidget(part)
            self.split.setStretchFactor(self.split.indexOf(part), share)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.box.setSpacing(tokens.gap)
        self.box.addWidget(self.filters)
        self.box.addWidget(self.studies)
        self.box.addWidget(self.split, 1)
        self.box.addWidget(self.nothing, 1)
