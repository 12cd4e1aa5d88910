"""The measured figures of the charts panel: those of the papers, from the stored findings."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QListView, QSizePolicy, QStyleOptionViewItem, QWidget

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import ChartCard
from biasprint.desktop.charts.live import TextsBehind
from biasprint.desktop.panels.findings.studies import StudyLine
from biasprint.desktop.read.charts import StudyFigures
from biasprint.desktop.widgets import Card, EmptyState, IconButton, Label, PlainText, StandInBadge, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import STRETCH, Column, FlowLayout, Scroller, add_to, column_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, isolated, safe_line
from biasprint.desktop.widgets.small_table import TextDelegate
from biasprint.desktop.wording.generators import study_kinds

# ---- A card with a figure

LIST_HEIGHT = 116
TEXT_HEIGHT = 200  # at least


class FigureCard(Card):
    """A card on one figure. `show_finding`, then `show_items` when they have been read. Escape closes it."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.finding: Finding | None = None
        self._items = TextsBehind(0, ())
        self.heading = Label("", "heading", wrap=True)
        self.badge = StandInBadge("")
        self.facts = Label("", "", wrap=True)
        self.more = Label("", "note", wrap=True)
        self.behind = Label("", "strong", wrap=True)
        self.names = QStringListModel(self)
        self.list = QListView()
        self.list.setItemDelegate(TextDelegate(self.list))
        self.note = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("Text behind the figure"))
        self._lay_out()
        self.hide()

    def show_finding(self, finding: Finding, tip: str, *, with_tests: bool) -> None:
        """Show the figure's whole tooltip (`tip`), and facts that did not fit there; the texts are still being read.

        Without `with_tests` the study's note is omitted: it is about tests, and the planned n is not reached.
        """
        self.finding = finding
        first, *rest = tip.splitlines() or [finding.title]
        self.heading.setText(safe_line(first))
        stand_ins = [scorer_title(use.name) for use in finding.scorers if use.stand_in]
        self.badge.setText(tr("stand-in scorer: {names}").format(names=", ".join(stand_ins)))
        self.badge.setVisible(bool(stand_ins))
        self.facts.setText("\n".join(safe_line(line) for line in rest))
        self.more.setText("\n".join(safe_line(line) for line in _facts(finding, with_tests)))
        self._show_list(TextsBehind(0, ()))
        self.behind.setText(tr("Reading the texts behind it…"))
        self.show()

    def show_items(self, items: TextsBehind) -> None:
        """Show the texts behind the figure, which have been read."""
        self._show_list(items)
        shown = len(items.items)
        if not items.total:
            self.behind.setText(tr("No texts are stored behind this figure."))
        elif shown < items.total:
            words = plural(items.total, "{shown} of 1 text behind it", "The first {shown} of %n texts behind it")
            self.behind.setText(words.format(shown=shown))
        else:
            self.behind.setText(plural(shown, "1 text behind it", "%n texts behind it"))
        if items.items:
            self.list.setCurrentIndex(self.names.index(0))

    def close_card(self) -> None:
        self.finding = None
        self._show_list(TextsBehind(0, ()))
        self.hide()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.list.setModel(self.names)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Texts behind the figure"))
        self.list.selectionModel().currentChanged.connect(self._show_text)
        close = IconButton("close", tr("Close this figure"), size=16, act=self.close_card)
        self.box.addLayout(in_row((self.heading, 1), (close, Qt.AlignmentFlag.AlignTop)))
        column = Column()
        add_to(column.box, self.badge, self.facts, self.more, self.behind, self.list, self.note, (self.text, 1))
        column.box.addStretch(0)  # without texts, the words stay together at the top
        # The text takes what is left, down to its least height: what it would like to have does not count.
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.box.addWidget(column, 1)
        theme.follow(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setFixedHeight(theme.current().px(LIST_HEIGHT))
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))

    def _show_list(self, items: TextsBehind) -> None:
        self._items = items
        self.names.setStringList([safe_line(tr(item.title)) for item in items.items])
        for widget in (self.list, self.note, self.text):
            widget.setVisible(bool(items.items))
        self.note.clear()
        self.text.set_text("")

    def _show_text(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if 0 <= current.row() < len(self._items.items):
            item = self._items.items[current.row()]
            self.note.setText("\n".join(safe_line(part) for part in item.note.splitlines()))
            self.text.set_text(item.text)


def _facts(finding: Finding, with_tests: bool) -> list[str]:
    """Return facts that the tooltip omits."""
    facts = [f"{use.role.replace('_', ' ')}: {scorer_title(use.name)} {use.version}" for use in finding.scorers]
    if finding.harm:
        facts.append(tr("Harmful direction: {harm}").format(harm=finding.harm))
    facts.append(finding.source)
    if with_tests:
        facts.append(finding.note)
    return [fact for fact in facts if fact]


LIST_WIDTH, LIST_SHARE = 230, 0.3  # text pixels, and of the width at most
LIST_FROM = 760  # text pixels: narrower, a box takes the list's place
NOTHING = Figure("", "", "", "", "intervals", ())


class TitleDelegate(TextDelegate):
    """Gives every title as many lines as it needs: Qt's own measure ignores the padding, and cuts the last one."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        tokens, view = theme.current(), self.parent()
        assert isinstance(view, QListView)
        width = max(view.viewport().width() - 2 * tokens.px(8) - 12, 1)  # the stylesheet's padding, and Qt's own
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
        box = option.fontMetrics.boundingRect(QRect(0, 0, width, 10_000), int(flags), isolated(index.data()))
        return QSize(width, box.height() + 2 * tokens.px(6) + 2)


class MeasuredFigures(QWidget):
    """One study's figures: a list, and the chosen one. `compare_wanted` carries the study and two models."""

    key = "measured"

    opened = Signal(object, str, bool)  # as the charts'
    export_asked = Signal(object, str)
    panel_wanted = Signal(str)
    measure = Signal(str, object)  # and whose texts (WantedTexts), or None
    compare_wanted = Signal(object, str, str)

    def __init__(self) -> None:
        super().__init__()
        self.title = tr("Measured")
        self._studies: Sequence[StudyFigures] = ()
        self._compared: tuple[Figure, ...] | None = None
        self._lines: dict[str, StudyLine] = {}
        self._allowed: tuple[bool, frozenset[str]] = (False, frozenset())
        self._make_widgets()
        self._lay_out()
        theme.follow(self._dress)
        self.show_studies(())

    # what there is

    @property
    def study(self) -> StudyFigures | None:
        """The chosen study."""
        place = self.chooser.currentIndex()
        return self._studies[place] if 0 <= place < len(self._studies) else None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures on offer: of the study, or of the two compared models."""
        if self._compared is not None:
            return self._compared
        return self.study.figures if self.study else ()

    def has_data(self) -> bool:
        return any(study.figures for study in self._studies)

    def show_studies(self, studies: Sequence[StudyFigures]) -> None:
        """Show the present studies; the chosen study, models and figure stay chosen."""
        before = self.study
        order = list(study_kinds())
        known = {kind: place for place, kind in enumerate(order)}
        studies = sorted(studies, key=lambda study: known.get(study.measurement.study, len(order)))
        self._studies = studies
        kinds = [study.measurement.study for study in studies]
        if kinds != [self.chooser.itemData(place) for place in range(self.chooser.count())]:
            self.chooser.clear()
            for study in studies:
                self.chooser.addItem(safe_line(tr(study.measurement.title)), study.measurement.study)
        place_before = self.chooser.findData(before.measurement.study) if before else -1
        full = next((place for place, study in enumerate(studies) if study.figures), 0)
        self.chooser.setCurrentIndex(place_before if place_before >= 0 else full if studies else -1)
        self._show_study(again=place_before >= 0)

    def choose_study(self, kind: str) -> None:
        """Go to a study's figures."""
        place = self.chooser.findData(kind)
        if place >= 0 and place != self.chooser.currentIndex():
            self.chooser.setCurrentIndex(place)
            self._show_study()

    def choose_figure(self, place: int) -> None:
        """Show one of `figures`."""
        self.list.setCurrentIndex(self.titles.index(place))

    def show_compared(self, figures: tuple[Figure, ...]) -> None:
        """Show the figures of the two models, which are ready."""
        self._compared = figures
        self._show_titles()

    def allow(self, writable: bool, busy: frozenset[str]) -> None:
        """Set whether studies can be measured now."""
        self._allowed = (writable, busy)
        for kind, line in self._lines.items():
            line.allow(writable, kind in busy)
        study = self.study
        self.nothing.button.setEnabled(study is None or (writable and study.measurement.study not in busy))

    # showing

    def _show_study(self, *, again: bool = False) -> None:
        study = self.study
        self._show_line(study)
        for widget in (self._study_label, self.chooser):
            widget.setVisible(len(self._studies) > 1)
        self._offer_models(study.models if study else ())
        if not (again and self._ask_to_compare()):
            self._compared = None
        self._show_titles()
        self.allow(*self._allowed)

    def _show_line(self, study: StudyFigures | None) -> None:
        """Show when the study was measured, and the button that measures it again."""
        if study is not None:
            kind = study.measurement.study
            if kind not in self._lines:
                self._lines[kind] = line = StudyLine(study.measurement)
                line.measure.connect(self.measure)
                self._head.addWidget(line, 1)
            self._lines[kind].show_measurement(study.measurement)
        for kind, line in self._lines.items():
            line.setVisible(study is not None and kind == study.measurement.study)
            line.title.setVisible(len(self._studies) == 1)

    def _offer_models(self, models: Sequence[str]) -> None:
        """Offer these models in the two boxes; the chosen ones stay chosen."""
        for box, first in zip(self.models, (tr("a generator"), tr("another generator")), strict=True):
            offered = [box.itemData(place) for place in range(1, box.count())]
            if offered != list(models):
                before = box.currentData()
                box.clear()
                box.addItem(first, "")
                for model in models:
                    box.addItem(as_given(model), model)
                box.setCurrentIndex(max(0, box.findData(before)))
        for widget in (self._compare_label, self._with_label, *self.models):
            widget.setVisible(len(models) > 1)

    def _ask_to_compare(self) -> bool:
        first, second = (box.currentData() or "" for box in self.models)
        wanted = bool(first and second and first != second) and self.study is not None
        if wanted:
            self.compare_wanted.emit(self.study, first, second)
        return wanted

    def _models_chosen(self) -> None:
        if not self._ask_to_compare() and self._compared is not None:
            self._compared = None
            self._show_titles()

    def _show_titles(self) -> None:
        before = self.titles.stringList()
        now = [safe_line(tr(figure.title)) for figure in self.figures]
        place = self.list.currentIndex().row()
        if now != before:
            chosen = before[place] if 0 <= place < len(before) else ""
            self.titles.setStringList(now)
            place = now.index(chosen) if chosen in now else 0
            self.list.setCurrentIndex(self.titles.index(place))
        self._show_figure()
        self._make_room()

    def _show_figure(self) -> None:
        place, figures = self.list.currentIndex().row(), self.figures
        some = 0 <= place < len(figures)
        if some:
            if self.card.figure.title != figures[place].title:
                self.scroller.verticalScrollBar().setValue(0)
            self.card.set_figure(figures[place])
            self.box.setCurrentIndex(place)
        self.scroller.setVisible(some)
        self.nothing.setVisible(not some)
        self._say_nothing()

    def _say_nothing(self) -> None:
        """Show why there is no figure, and what to do next."""
        study = self.study
        if study is None:
            text, action = (
                tr("Generate texts or import a table; what is measured of them appears here."),
                tr("Generate"),
            )
        elif self._compared is not None:
            text, action = tr("These two generators have no figure in common."), ""
        elif study.measurement.measured_at:
            text, action = (
                tr("Nothing that was measured can be drawn; the findings panel lists it."),
                tr("See the findings"),
            )
        else:
            text, action = tr("Measure the study: its figures appear here."), tr("Measure")
        self.nothing.text.setText(text)
        self.nothing.button.set_text(action)
        self.nothing.button.setVisible(bool(action))

    def _go_on(self) -> None:
        study = self.study
        if study is None:
            self.panel_wanted.emit("generate")
        elif study.measurement.measured_at:
            self.panel_wanted.emit("findings")
        else:
            self._lines[study.measurement.study].ask()

    # the widgets

    def _make_widgets(self) -> None:
        self._study_label, self.chooser = Label(tr("Study")), ComboBox()
        self._study_label.setBuddy(self.chooser)
        self.chooser.setAccessibleName(tr("Study"))
        self.chooser.activated.connect(lambda _: self._show_study())
        self._compare_label, self._with_label = Label(tr("Compare")), Label(tr("with"))
        self.models = (ComboBox(), ComboBox())
        for box, name in zip(self.models, (tr("First generator"), tr("Second generator")), strict=True):
            box.setAccessibleName(tr(name))
            box.activated.connect(lambda _: self._models_chosen())
        self.titles = QStringListModel(self)
        self.list = named(QListView(wordWrap=True, resizeMode=QListView.ResizeMode.Adjust), tr("Figures"))
        self.list.setModel(self.titles)
        self.list.setItemDelegate(TitleDelegate(self.list))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_figure())
        self.box = named(ComboBox(), tr("Figure"))
        self.box.setModel(self.titles)
        self.box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.activated.connect(self.choose_figure)
        self.card = ChartCard(NOTHING)
        self.card.opened.connect(self.opened)
        self.card.export_asked.connect(self.export_asked)
        self.scroller = Scroller()
        self.nothing = EmptyState(tr("No figures yet"), "", tr("Measure"), self._go_on, icon="charts")

    def _lay_out(self) -> None:
        gap = theme.current().grid
        study = in_row(self._study_label, self.chooser, STRETCH, spacing=theme.current().gap)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(theme.current().gap)
        self._head.addLayout(study)
        pair = FlowLayout(spacing=gap, centred=True)
        for widget in (self._compare_label, self.models[0], self._with_label, self.models[1]):
            pair.addWidget(widget)
        # The card keeps clear of the scroll bar.
        self.scroller.setWidget(column_of(self.card, STRETCH, margins=(0, 0, gap, 0)))
        row = in_row(self.list, (self.scroller, 1), (self.nothing, 1), spacing=theme.current().gap)
        in_column(self._head, pair, self.box, (row, 1), inside=self, spacing=theme.current().gap, margins=0)

    def _dress(self, _tokens: object = None) -> None:
        self._make_room()

    def _make_room(self) -> None:
        """Place a list beside the figure where both have room, else a box above it."""
        tokens, some = theme.current(), len(self.figures) > 1
        wide = self.width() >= tokens.px(LIST_FROM)
        self.list.setFixedWidth(round(min(tokens.px(LIST_WIDTH), LIST_SHARE * max(self.width(), 1))))
        self.list.setVisible(some and wide)
        self.box.setVisible(some and not wide)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._head.setDirection(across if wide else down)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()
