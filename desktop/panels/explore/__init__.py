"""Explore panel (`ExplorePanel`): a map of texts, distributions of scores, heat maps; each leads to the texts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QStackedWidget, QTabBar, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.runs.explore import TellingWord, TellingWords
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.explore.map import HeatView, MapView
from biasprint.desktop.panels.explore.scores import ScoresView
from biasprint.desktop.read.explore import MOST_READ, ExploredTexts, StoredTexts, draw
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import Card, Chip, EmptyState, IconButton, Label, PlainText, number, plural, tr
from biasprint.desktop.widgets.labels import named
from biasprint.desktop.widgets.layout import STRETCH, Column, RowOrColumn, add_to, clear_column, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TextDelegate

# ---- The selection

LIST_HEIGHT = 100
TEXT_HEIGHT = 64  # at least
SELECTION_BESIDE_FROM = 420  # text pixels: two texts side by side, else one above the other
WORDS_SHOWN = 20


@dataclass(frozen=True)
class SelectedText:
    """A text of a selection: its fields, and the text itself."""

    title: str
    text: str


class SelectionDrawer(Card):
    """The drawer. `begin` shows what was selected; texts and words follow once they are read. Escape closes it."""

    closed = Signal()
    words_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(padding=theme.current().gap)
        self.heading = Label("", "heading", wrap=True)
        self.note = Label("", "note", wrap=True)
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("Selection"))
        self.names = QStringListModel(self)
        self.list = QListView()
        self.list.setItemDelegate(TextDelegate(self.list))
        self.panes = tuple((Label("", "note", wrap=True), PlainText(name=tr("Selected text"))) for _ in range(2))
        self.more, self.less = Label("", "", wrap=True), Label("", "", wrap=True)
        self.compared = Label("", "note", wrap=True)
        self._texts: tuple[SelectedText, ...] = ()
        self._lay_out()
        theme.follow(self._dress)
        self.hide()

    def begin(self, count: int, total: int, how: str) -> None:
        """Show that so many of all texts were selected, and are still being read."""
        words = plural(count, "1 text selected", "%n texts selected")
        self.heading.setText(words)
        self.note.setText(tr("{how}; {share} of the {total} texts shown").format(
            how=safe_line(how), share=_share(count, total), total=number(total)
        ))  # fmt: skip
        self._show_list(())
        self.more.setText(tr("Reading…"))
        self.less.setText("")
        self.compared.setText("")
        self.show()
        if self.tabs.currentIndex() == 1:
            self.words_wanted.emit()

    def show_texts(self, texts: Sequence[SelectedText], total: int) -> None:
        """Show the first of the texts, which have been read."""
        self._show_list(tuple(texts))
        if len(texts) < total:
            drawn = tr("{drawn} of them, taken at random, are listed").format(drawn=number(len(texts)))
            self.note.setText(f"{self.note.text()}; {drawn}")
        picks = self.list.selectionModel()
        for row in range(min(2, len(texts))):
            picks.select(self.names.index(row), QItemSelectionModel.SelectionFlag.Select)
        if texts:
            picks.setCurrentIndex(self.names.index(0), QItemSelectionModel.SelectionFlag.NoUpdate)

    def show_words(self, words: TellingWords, read: int) -> None:
        """Show the words that distinguish the texts; `read`: the number of texts compared on each side, at most."""
        self.more.setText(_listed(words.more) or tr("No word stands out."))
        self.less.setText(_listed(words.less) or tr("No word stands out."))
        sentence = tr(
            "{inside} words against {outside}, of at most {read} texts a side. In brackets: times here, times in the "
            "others. Ranked by log-odds with an informative prior (Monroe et al. 2008). No test: the selection was "
            "made after looking."
        )
        inside, outside = words.words
        self.compared.setText(sentence.format(inside=number(inside), outside=number(outside), read=number(read)))

    def no_words(self, why: str) -> None:
        self.more.setText(why)

    def close_drawer(self) -> None:
        self._show_list(())
        self.hide()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_drawer()
        else:
            super().keyPressEvent(event)

    # making

    def _lay_out(self) -> None:
        close = IconButton("close", tr("Close the selection"), size=16, act=self.close_drawer)
        add_to(self.box, in_row((self.heading, 1), (close, Qt.AlignmentFlag.AlignTop)), self.note, self.tabs)
        self.pages = self._text_page(), self._word_page()
        for page, title in zip(self.pages, (tr("Texts"), tr("Words")), strict=True):
            self.box.addWidget(page, 1)
            self.tabs.addTab(title)
        self.tabs.currentChanged.connect(self._show_page)
        self._show_page(0)

    def _text_page(self) -> QWidget:
        self.list.setModel(self.names)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(tr("Selected texts"))
        self.list.setToolTip(tr("Two that are chosen are shown side by side: hold Shift or Ctrl for the second."))
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._show_panes())
        page, box = clear_column(self.list, spacing=theme.current().grid)
        beside = RowOrColumn(least=SELECTION_BESIDE_FROM)
        for label, text in self.panes:
            text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
            beside.addLayout(in_column(label, (text, 1)), 1)
        box.addLayout(beside, 1)
        return page

    def _word_page(self) -> QWidget:
        column = Column()
        for title, label in ((tr("More often here"), self.more), (tr("Less often here"), self.less)):
            add_to(column.box, Label(title, "strong"), label)
        add_to(column.box, self.compared, STRETCH)
        return column

    def _show_page(self, tab: int) -> None:
        for place, page in enumerate(self.pages):
            page.setVisible(place == tab)
        if tab == 1 and not self.isHidden():
            self.words_wanted.emit()

    def _show_list(self, texts: tuple[SelectedText, ...]) -> None:
        self._texts = texts
        self.names.setStringList([safe_line(text.title) for text in texts])
        self._show_panes()

    def _show_panes(self) -> None:
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        for place, (label, text) in enumerate(self.panes):
            shown = self._texts[rows[place]] if place < len(rows) and rows[place] < len(self._texts) else None
            label.setText("" if shown is None else safe_line(shown.title))
            text.set_text("" if shown is None else shown.text)
            for widget in (label, text):
                widget.setVisible(shown is not None)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setFixedHeight(theme.current().px(LIST_HEIGHT))
        for _, text in self.panes:
            text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))


def _share(count: int, total: int) -> str:
    percent = 100 * count / max(total, 1)
    return tr("{share} %").format(share=number(percent, 0 if percent >= 10 else 1))


def _listed(words: Sequence[TellingWord]) -> str:
    shown = (f"{safe_line(word.word)} ({number(word.inside)}, {number(word.outside)})" for word in words[:WORDS_SHOWN])
    return " · ".join(shown)


BESIDE_FROM = 900  # text pixels: narrower, the selection takes the place of the plots until it is closed
MOST_LISTED = 50  # texts of a selection

MakeTexts = Callable[["Project"], StoredTexts]


class ExplorePanel(Panel):
    """Views as tabs; a drawer for the selection in one of them. All reading and counting runs in jobs."""

    key = "explore"
    title = "Explore"
    concerns = frozenset({"output", "source", "score", "embedding", "prompt_set", "axis_definition", "session"})
    least_height = 560

    def __init__(self, shell: Shell, make_source: MakeTexts = StoredTexts) -> None:
        super().__init__(shell)
        self._make_source = make_source
        self._source: StoredTexts | None = None
        self.texts = ExploredTexts()
        self._loading: JobHandle | None = None
        self._again = False
        self._looked: frozenset[str] = frozenset()  # open sessions in spite of which somebody looked
        self._selected: tuple[ExploredTexts, np.ndarray, np.ndarray] | None = None

    # the panel's life

    def build(self) -> None:
        self.views: tuple[MapView, ScoresView, HeatView] = (
            MapView(self.shell), ScoresView(self.shell), HeatView(self.shell),
        )  # fmt: skip
        self.count = Chip("")
        self.header.add_chip(self.count)
        self.tabs = named(QTabBar(drawBase=False, expanding=False), tr("Views"))
        self.stack = QStackedWidget()
        for view in self.views:
            self.tabs.addTab(tr(view.title))
            self.stack.addWidget(view)
            view.chosen.connect(self._select)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.nothing = EmptyState(
            tr("No texts yet"),
            tr("Generate texts from your prompts, or import some: then look here for what sets groups apart."),
            tr("Generate"),
            lambda: self.shell.show_panel("generate"),
            icon="explore",
        )
        self.rating = EmptyState(
            tr("People are still rating"),
            tr(
                "A rating session of this project is open, and here each text is shown with the identity that it is "
                "about. Whoever rates should look after the reveal."
            ),
            tr("Look anyway"),
            self._look_anyway,
            icon="judge",
        )
        self.drawer = SelectionDrawer()
        self.drawer.closed.connect(self._forget_selection)
        self.drawer.words_wanted.connect(self._read_words)
        self.plots = QWidget()
        in_column(self.tabs, (self.stack, 1), inside=self.plots, spacing=theme.current().grid, margins=0)
        self.main = QWidget()
        in_row((self.plots, 5), (self.drawer, 3), inside=self.main, spacing=self.body.spacing(), margins=0)
        self.body.addWidget(self.main, 1)
        self.body.addWidget(self.nothing, 1)
        self.body.addWidget(self.rating, 1)
        self._show(ExploredTexts())

    def project_opened(self, project: Project) -> None:
        self.project_closed()
        self._source = self._make_source(project)

    def project_closed(self) -> None:
        self._source = None
        if self._loading is not None:
            self._loading.cancel()
        self._loading, self._again, self._looked = None, False, frozenset()
        self.drawer.close_drawer()
        self._show(ExploredTexts())

    def refresh(self) -> None:
        self._load()

    def changed(self, changes: Changes) -> None:
        """Read new texts or scores, one reading at a time."""
        self._load()

    def opened_with(self, *, view: str = "", **what: object) -> None:
        """Open a view by its key."""
        keys = [page.key for page in self.views]
        if view in keys:
            self.tabs.setCurrentIndex(keys.index(view))

    def commands(self) -> list[Command]:
        return [
            Command(
                tr("Explore: {view}").format(view=tr(view.title)),
                lambda place=place: self.tabs.setCurrentIndex(place),
            )
            for place, view in enumerate(self.views)
        ]

    # reading

    def _load(self) -> None:
        source = self._source
        if source is None:
            return
        if self._loading is not None:
            self._again = True
            return
        had = len(self.texts)

        def partly(parts: Sequence[Any]) -> None:
            # What is shown already stays until everything is read; what is being drawn is drawn first.
            if source is self._source and not had and not any(view.reading for view in self.views):
                self._show(parts[-1])

        def done(texts: ExploredTexts) -> None:
            if source is self._source:
                self._loading = None
                self._show(texts)
                self._load_again()

        def failed(error: AppError) -> None:
            if source is self._source:
                self._loading = None
                self.shell.show_error(error)

        self._loading = self.shell.jobs.start(
            tr("Reading the texts"), source.load, on_done=done, on_error=failed, on_partial=partly, shown_after=2_000
        )
        if not had:
            self._show(self.texts)  # not that there are none: nobody has looked yet

    def _load_again(self) -> None:
        if self._again:
            self._again = False
            self._load()

    def _show(self, texts: ExploredTexts) -> None:
        self.texts = texts
        closed = bool(texts.rating - self._looked)
        words = plural(len(texts), "1 text", "%n texts")
        reading = not len(texts) and self._loading is not None
        empty = not len(texts) and not reading
        self.count.setText("" if reading else words if texts.complete else tr("{found} so far").format(found=words))
        self.nothing.setVisible(empty)
        self.rating.setVisible(closed)
        self.main.setVisible(not empty and not reading and not closed)
        if closed:
            self.drawer.close_drawer()
        for view in self.views:
            view.set_texts(self._source, ExploredTexts() if closed else texts)
        self._make_room()

    def _look_anyway(self) -> None:
        self._looked = self.texts.rating
        self._show(self.texts)

    # a selection

    def _select(self, chosen: np.ndarray, among: np.ndarray, how: str) -> None:
        """Show a selection. `among`: the drawn texts, with which the chosen ones are compared."""
        source, texts = self._source, self.texts
        count = int(chosen.sum())
        if source is None or not count or len(chosen) != len(texts):
            self.drawer.close_drawer()
            return
        self._selected = texts, chosen, among & ~chosen
        self.drawer.begin(count, int(among.sum()), how)
        self._make_room()

        def work(ctx: JobContext) -> list[SelectedText]:
            selected = []
            for index in draw(np.flatnonzero(chosen), MOST_LISTED):
                ctx.check()
                selected.append(SelectedText(texts.title(int(index)), source.text(texts, int(index))))
            return selected

        def show(found: list[SelectedText]) -> None:
            if self._is_selected(chosen):
                self.drawer.show_texts(found, count)

        self.shell.jobs.start(tr("Selected texts"), work, quiet=True, on_done=show)

    def _read_words(self) -> None:
        source, selected = self._source, self._selected
        if source is None or selected is None:
            return
        texts, chosen, others = selected
        if not others.any():
            self.drawer.no_words(tr("All texts drawn are selected: there are none to compare with."))
            return

        def show(words: TellingWords) -> None:
            if self._is_selected(chosen):
                self.drawer.show_words(words, MOST_READ)

        self.shell.jobs.start(
            tr("Words of a selection"), lambda ctx: source.words(ctx, texts, chosen, others), quiet=True, on_done=show,
            on_error=lambda error: self.drawer.no_words(error.message),
        )  # fmt: skip

    def _is_selected(self, chosen: np.ndarray) -> bool:
        return self._selected is not None and self._selected[1] is chosen

    def _forget_selection(self) -> None:
        self._selected = None
        for view in self.views:
            view.clear_choice()
        self._make_room()

    def _make_room(self) -> None:
        """Show plots and selection side by side; without room for both, the selection alone, until it is closed."""
        beside = self.width() >= theme.current().px(BESIDE_FROM)
        self.plots.setVisible(beside or self.drawer.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.built:
            self._make_room()
