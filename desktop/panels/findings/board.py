"""The board of findings: the filters, the measurements, the table, and the card of the chosen finding."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHeaderView, QLineEdit, QSizePolicy, QSplitter, QTableView

from biasprint.desktop import theme
from biasprint.desktop.panels.findings.card import FindingCard
from biasprint.desktop.panels.findings.studies import StudyLines
from biasprint.desktop.tables.findings import FindingDelegate, FindingsTable, head_height
from biasprint.desktop.widgets import Card, EmptyState, Label, LinkButton, number, plural, tr
from biasprint.desktop.widgets.choice import ComboBox, SearchRow
from biasprint.desktop.widgets.keys import key_as_read
from biasprint.desktop.widgets.labels import named, show_if
from biasprint.desktop.widgets.layout import Column, add_to, stack_of
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import as_rows
from biasprint.desktop.wording.findings import COLUMNS, POOLED, FindingFilter, FindingLine, FindingsData, Measurement

ROW_HEIGHT = 46  # two lines: what it is, and on what part of the data
TITLE_WIDTH = 285  # what the first column has at least, before a column is left out
# In the order in which they are given room: the last are left out first.
WIDTHS = {
    "estimate": 190,
    "n": 64,
    "p_adjusted": 90,
    "groups": 150,
    "p": 64,
    "floor": 72,
    "variant": 104,
    "study": 130,
}


# What a key makes of the question that it meets: open, closed, or (None) the other of what it is.
FOLDING = {
    Qt.Key.Key_Return: None,
    Qt.Key.Key_Enter: None,
    Qt.Key.Key_Space: None,
    Qt.Key.Key_Right: True,
    Qt.Key.Key_Left: False,
}


class FindingsView(QTableView):
    """The table's view: `opened` asks for the texts of the current row; `focused`: the keyboard came or went."""

    opened = Signal()
    focused = Signal(bool)

    def __init__(self, table: FindingsTable, several_studies: Callable[[], bool]) -> None:
        super().__init__()
        self._table, self._several_studies = table, several_studies
        self._tall: set[int] = set()  # the rows that are as high as a question
        self.setModel(table)
        self.setItemDelegate(FindingDelegate(self))
        self.setAccessibleName(tr("Findings"))
        as_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        columns.setSortIndicatorClearable(True)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(self._open_texts_of)
        self.clicked.connect(lambda index: self._fold(index.row()))
        table.modelReset.connect(self._fit_heads)
        theme.follow(self.fit)

    def order_by(self, column: str) -> None:
        """Sort by a column, visible or not; a second call reverses the order."""
        header, place = self.horizontalHeader(), COLUMNS.index(column)
        again = header.sortIndicatorSection() == place
        up = not again or header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        self.sortByColumn(place, Qt.SortOrder.AscendingOrder if up else Qt.SortOrder.DescendingOrder)

    def keep_in_sight(self, row: int) -> None:
        """Make a row the current one again after the rows around it changed."""
        self.setCurrentIndex(self.model().index(row, 0))
        self.scrollTo(self.model().index(row, 0), QAbstractItemView.ScrollHint.EnsureVisible)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if row >= 0 and (is_open := FOLDING.get(key_as_read(event), "")) != "" and self._fold(row, is_open):
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        elif not self._begin():
            super().keyPressEvent(event)

    def _open_texts_of(self, index: QModelIndex) -> None:
        if isinstance(self._table.at(index.row()), FindingLine):
            self.opened.emit()

    def _fold(self, row: int, opened: bool | None = None) -> bool:
        """Open or close a question (None: toggle it); return False if the row does not fold."""
        head = self._table.at(row)
        if isinstance(head, FindingLine) or not self._table.folds:
            return False
        wanted = not self._table.is_open(head) if opened is None else opened
        if wanted != self._table.is_open(head):
            self._table.set_open([head], wanted)
            place = next(at for at, question in self._table.heads_at().items() if question.key == head.key)
            self.keep_in_sight(place)
        return True

    def _begin(self) -> bool:
        """Make the first finding the current row if there is none: Qt would take the question above it, and fail."""
        first = self._table.row_of(self._table.shown[0].same) if self._table.shown else None
        first = 0 if first is None and self._table.folds else first
        if self.currentIndex().isValid() or first is None:
            return False
        self.selectionModel().setCurrentIndex(self.model().index(first, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._begin()
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self, _tokens: object = None) -> None:
        """Show as many columns as there is room for; the card shows the others."""
        tokens = theme.current()
        self.verticalHeader().setDefaultSectionSize(tokens.px(ROW_HEIGHT))
        room = self.viewport().width() - tokens.px(TITLE_WIDTH)
        for name, least in WIDTHS.items():
            place = COLUMNS.index(name)
            width = max(tokens.px(least), self.horizontalHeader().sectionSizeHint(place))
            empty = name in self._table.without or (name == "study" and not self._several_studies())
            room -= 0 if empty else width
            self.setColumnHidden(place, empty or room < 0)
            self.setColumnWidth(place, width)
        self._fit_heads()

    def _fit_heads(self) -> None:
        """Span each question over all columns, as tall as its answer needs, and keep the current row in view."""
        seen = self.viewport().rect().intersects(self.visualRect(self.currentIndex()))
        self.clearSpans()
        heads, room = self._table.heads_at(), self.viewport().width()
        for row in self._tall - heads.keys():  # a question stood there before the others were opened or closed
            self.setRowHeight(row, self.verticalHeader().defaultSectionSize())
        self._tall = set(heads)
        for row, head in heads.items():
            self.setSpan(row, 0, 1, len(COLUMNS))
            self.setRowHeight(row, head_height(head, self.font(), room, self._table.folds))
        if seen:
            self.updateGeometries()  # the scroll bar still ends where the table did before its heads grew
            self.scrollTo(self.currentIndex())


SEARCH_AFTER_MILLISECONDS = 200  # of silence: not at every key

Choices = Sequence[tuple[str | None, str]]


class Filters(SearchRow):
    """The filter boxes; `changed`: `where` is another filter."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(QLineEdit())
        self.search.setPlaceholderText(tr("Search in the findings"))
        self.search.setAccessibleName(tr("Search in the findings"))
        self.search.setClearButtonEnabled(True)
        self.pause = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MILLISECONDS)
        self.pause.timeout.connect(self.changed)
        self.search.textChanged.connect(lambda _: self.pause.start())
        self.search.returnPressed.connect(self._tell)
        self.study = self._box(tr("Study"), [(None, tr("All studies"))])
        self.axis = self._box(tr("Axis"), [(None, tr("All axes")), (POOLED, tr("Pooled"))])
        self.generator = self._box(tr("Generator"), [(None, tr("All generators"))])
        self.significance = self._box(
            tr("Significance"),
            [
                (None, tr("Any p")),
                ("significant", tr("Adjusted p ≤ 0.05")),
                ("not", tr("Adjusted p > 0.05")),
                ("untested", tr("No adjusted p")),
            ],
        )
        self.variant = self._box(
            tr("Variant"),
            [(None, tr("Both variants")), ("default", tr("Default")), ("as_published", tr("As published"))],
        )
        self.undefined = QCheckBox(tr("Undefined"))
        self.undefined.setToolTip(tr("Show findings whose number is not defined, with the reason"))
        self.undefined.setChecked(True)
        self.undefined.clicked.connect(lambda _: self._tell())
        self.unfold = LinkButton("")  # every finding, or the questions alone
        self.unfold.hide()
        self.lay_out(
            (self.study, self.axis, self.generator, self.significance, self.variant, self.undefined, self.unfold)
        )

    def where(self) -> FindingFilter:
        """Return the filter set in the boxes."""
        return FindingFilter(
            study=self.study.currentData(),
            axis=self.axis.currentData(),
            generator=self.generator.currentData(),
            significance=self.significance.currentData(),
            variant=self.variant.currentData(),
            undefined=self.undefined.isChecked(),
            text=self.search.text().strip(),
        )

    def offer(
        self, studies: Sequence[tuple[str, str]], axes: Sequence[tuple[str, str]], generators: Sequence[str] = ()
    ) -> None:
        """Offer these studies and axes as (key, title), and generators; current choices are kept if still offered."""
        _offer(self.study, 1, studies)
        _offer(self.axis, 2, axes)
        _offer(self.generator, 1, [(name, name or tr("Differences between them")) for name in generators])
        self.generator.setVisible(len(generators) > 1)
        self.study.setVisible(len(studies) > 1)
        self.axis.setVisible(bool(axes))
        self.fit()

    def clear(self) -> None:
        """Clear all filters."""
        for box in (self.study, self.axis, self.generator, self.significance, self.variant):
            box.setCurrentIndex(0)
        self.undefined.setChecked(True)
        self.search.clear()
        self._tell()

    def _tell(self) -> None:
        self.pause.stop()
        self.changed.emit()

    def _box(self, name: str, choices: Choices) -> ComboBox:
        box = named(ComboBox(), tr(name))
        box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, title in choices:
            box.addItem(title, key)
        box.activated.connect(lambda _: self._tell())
        return box

    def fit(self, _tokens: object = None) -> None:
        for widget in (self.undefined, self.unfold):  # on one line with the boxes
            widget.setFixedHeight(self.search.sizeHint().height())
        super().fit()


def _offer(box: ComboBox, fixed: int, choices: Sequence[tuple[str, str]]) -> None:
    before = box.currentData()
    while box.count() > fixed:
        box.removeItem(fixed)
    for key, title in choices:
        box.addItem(safe_line(tr(title)), key)
    box.setCurrentIndex(max(0, box.findData(before)))


LOW = 540  # text pixels: lower, how studies were measured stands behind one line
LEAST_HEIGHT = 200  # of the table: where there is less room, everything scrolls
BESIDE_FROM = 860  # text pixels: narrower, the card takes the table's place until it is closed


class Board(Column):
    """The board. `texts_wanted` asks for the texts of the chosen finding, `counted` carries the number shown."""

    texts_wanted = Signal()
    counted = Signal(str)
    go_on = Signal()  # from the empty state: measure, or make something to measure

    def __init__(self) -> None:
        super().__init__()
        self._data: FindingsData | None = None  # None: not read yet
        self.chosen: FindingLine | None = None  # the finding whose card is open
        self.table = FindingsTable(self)
        self.filters = Filters()
        self.filters.changed.connect(self._narrow)
        self.filters.unfold.clicked.connect(self.unfold)
        self.studies = StudyLines()
        self.view = FindingsView(self.table, self._several_studies)
        self.view.opened.connect(self.texts_wanted)
        self.view.selectionModel().selectionChanged.connect(self._show_row)
        self.table.modelReset.connect(self._say_unfold)
        self.card = FindingCard()
        self.card.closed.connect(self._close_card)
        self.card.texts_wanted.connect(self.texts_wanted)
        self.nothing = EmptyState(tr("Nothing measured yet"), "", tr("Measure"), self.go_on.emit, icon="findings")
        self.no_match = EmptyState(
            tr("No finding matches"),
            tr("The filters hide everything that was measured."),
            tr("Clear the filters"),
            self.filters.clear,
            icon="search",
        )
        self.waiting = Label(tr("Reading the findings…"), "soft")
        self._lay_out()
        theme.signals.changed.connect(self._make_room)

    def show_data(self, data: FindingsData | None) -> None:
        """Show these findings, and keep the chosen one if it is still there. None: they are being read."""
        self._data = data
        lines = () if data is None else data.lines
        titles = {line.study: line.shown.study for line in lines}
        axes, generators = ((), ()) if data is None else (data.axes, data.generators)
        self.filters.offer(list(titles.items()), axes, generators)
        heads = () if data is None else data.heads
        self._keep_chosen(lambda: self.table.set_lines(lines, heads))
        self.studies.show_replies({} if data is None else data.replies)
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

    # opening and closing questions

    def unfold(self) -> None:
        """Show every finding under its question, or the questions alone."""
        opened = not self.table.all_open
        self._keep_chosen(lambda: self.table.set_open(self.table.heads, opened))

    def _say_unfold(self) -> None:
        show_if(self.filters.unfold, self.table.folds)
        total = number(len(self.table.lines))
        every = tr("Show all {n} findings").format(n=total)
        self.filters.unfold.set_text(tr("Show the questions alone") if self.table.all_open else every)
        self.filters.fit()

    # narrowing and choosing

    def _narrow(self) -> None:
        where = self.filters.where()
        self._keep_chosen(lambda: self.table.show(where))
        self.studies.narrow_to(where.study)
        self.view.fit()
        self._show_state()

    def _keep_chosen(self, change: Callable[[], object]) -> None:
        """Change the rows and keep the card on its finding; close it if the finding is gone."""
        chosen = self.chosen
        change()
        if chosen is None:
            return
        row = self.table.row_of(chosen.same)
        if row is not None:
            self.view.keep_in_sight(row)
        elif not any(line.same == chosen.same for line in self.table.lines):
            self.card.close_card()

    def _show_row(self, now: QItemSelection, _before: QItemSelection) -> None:
        """Show the card of a row that was chosen; a row that only became current by focus stays closed."""
        if not now.isEmpty():
            line = self.table.at(now.indexes()[0].row())
            if isinstance(line, FindingLine):  # a question above them cannot be chosen
                self.chosen = line
                self.card.show_line(line)
                self._make_room()

    def _close_card(self) -> None:
        was_open, self.chosen = self.chosen is not None, None
        self.view.clearSelection()
        self.view.setCurrentIndex(QModelIndex())
        self._make_room()
        if was_open:
            self.view.setFocus()

    # showing

    def _show_state(self) -> None:
        """Show the table, or what to do if it would be empty."""
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
        """Show table and card side by side, or only the card in a narrow window until it is closed."""
        alone = self.chosen is not None and self.width() < theme.current().px(BESIDE_FROM)
        self.frame.setVisible(not alone)
        for part in (self.filters, self.studies):
            part.setVisible(not alone and (part is self.studies or self.nothing.isHidden()))
        self.studies.set_low(self.height() < theme.current().px(LOW))
        self.split.setMinimumHeight(theme.current().px(LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.pages = stack_of(self.view, self.no_match, self.waiting)
        self.frame = Card("", self.pages, padding=(4, 8))
        self.view.focused.connect(self.frame.set_chosen)
        self.split = QSplitter(childrenCollapsible=False, handleWidth=tokens.gap)
        # It takes what is left, down to its least height: what table and card would like to have does not count.
        self.split.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for part, share in ((self.frame, 5), (self.card, 3)):
            self.split.addWidget(part)
            self.split.setStretchFactor(self.split.indexOf(part), share)
        add_to(self.box, self.filters, self.studies, (self.split, 1), (self.nothing, 1), spacing=tokens.gap, margins=0)
