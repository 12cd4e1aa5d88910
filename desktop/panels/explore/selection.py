"""The drawer of a selection: its texts side by side, and the words that tell them from the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QItemSelectionModel, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QListView,
    QSizePolicy,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from biasprint.core.runs.explore import TellingWord, TellingWords
from biasprint.desktop import theme
from biasprint.desktop.widgets import Card, IconButton, Label, PlainText, number, plural, tr
from biasprint.desktop.widgets.layout import Column, clear_column
from biasprint.desktop.widgets.safe_text import safe_line

LIST_HEIGHT = 100
TEXT_HEIGHT = 64  # at least
BESIDE_FROM = 420  # text pixels: two texts side by side, else one above the other
WORDS_SHOWN = 20


@dataclass(frozen=True)
class SelectedText:
    """A text of a selection: what it is, and the text."""

    title: str
    text: str


class SelectionDrawer(Card):
    """`begin` says what was selected; the texts and the words follow when they have been read. Escape closes it."""

    closed = Signal()
    words_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(theme.current().gap)
        self.heading = Label("", "heading", wrap=True)
        self.note = Label("", "note", wrap=True)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Selection"))
        self.names = QStringListModel(self)
        self.list = QListView()
        self.panes = tuple((Label("", "note", wrap=True), PlainText(name=tr("Selected text"))) for _ in range(2))
        self.more, self.less = Label("", "", wrap=True), Label("", "", wrap=True)
        self.compared = Label("", "note", wrap=True)
        self._texts: tuple[SelectedText, ...] = ()
        self._lay_out()
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.hide()

    def begin(self, count: int, total: int, how: str) -> None:
        """So many of all texts were selected; they are still being read."""
        said = plural(count, "1 text selected", "%n texts selected")
        self.heading.setText(said)
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
        """The first of the texts have been read."""
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
        """The words that tell the texts from the others; `read`: at most so many of each side were compared."""
        self.more.setText(_listed(words.more) or tr("No word stands out."))
        self.less.setText(_listed(words.less) or tr("No word stands out."))
        said = tr(
            "{inside} words against {outside}, of at most {read} texts a side. In brackets: times here, times in the "
            "others. Ranked by log-odds with an informative prior (Monroe et al. 2008). No test: the selection was "
            "made after looking."
        )
        inside, outside = words.words
        self.compared.setText(said.format(inside=number(inside), outside=number(outside), read=number(read)))

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
        close = IconButton("close", tr("Close the selection"), size=16)
        close.clicked.connect(self.close_drawer)
        head = QHBoxLayout()
        head.addWidget(self.heading, 1)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.box.addLayout(head)
        self.box.addWidget(self.note)
        self.box.addWidget(self.tabs)
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
        page, box = clear_column(theme.current().grid)
        box.addWidget(self.list)
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._beside.setSpacing(theme.current().gap)
        for label, text in self.panes:
            pane = QVBoxLayout()
            pane.addWidget(label)
            text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
            pane.addWidget(text, 1)
            self._beside.addLayout(pane, 1)
        box.addLayout(self._beside, 1)
        return page

    def _word_page(self) -> QWidget:
        column = Column()
        for title, label in ((tr("More often here"), self.more), (tr("Less often here"), self.less)):
            column.box.addWidget(Label(title, "strong"))
            column.box.addWidget(label)
        column.box.addWidget(self.compared)
        column.box.addStretch(1)
        return column

    def _show_page(self, tab: int) -> None:
        for place, page in enumerate(self.pages):
            page.setVisible(place == tab)
        if tab == 1 and not self.isHidden():
            self.words_wanted.emit()

    def _show_list(self, texts: tuple[SelectedText, ...]) -> None:
        self._texts = texts
        self.names.setStringList([safe_line(one.title) for one in texts])
        self._show_panes()

    def _show_panes(self) -> None:
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        for place, (label, text) in enumerate(self.panes):
            shown = self._texts[rows[place]] if place < len(rows) and rows[place] < len(self._texts) else None
            label.setText("" if shown is None else safe_line(shown.title))
            text.set_text("" if shown is None else shown.text)
            for widget in (label, text):
                widget.setVisible(shown is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= theme.current().px(BESIDE_FROM)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._beside.setDirection(across if wide else down)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setFixedHeight(theme.current().px(LIST_HEIGHT))
        for _, text in self.panes:
            text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))


def _share(count: int, total: int) -> str:
    percent = 100 * count / max(total, 1)
    return tr("{share} %").format(share=number(percent, 0 if percent >= 10 else 1))


def _listed(words: Sequence[TellingWord]) -> str:
    shown = (f"{safe_line(one.word)} ({number(one.inside)}, {number(one.outside)})" for one in words[:WORDS_SHOWN])
    return " · ".join(shown)
