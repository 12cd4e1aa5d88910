"""The figure that was clicked: its numbers in words, and the texts behind it."""

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListView, QSizePolicy, QWidget

from biasprint.core.findings import Finding
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.desktop import theme
from biasprint.desktop.charts.live import TextsBehind
from biasprint.desktop.widgets import Card, IconButton, Label, PlainText, StandInBadge, plural, tr
from biasprint.desktop.widgets.layout import Column
from biasprint.desktop.widgets.safe_text import safe_line

LIST_HEIGHT = 116
TEXT_HEIGHT = 200  # at least


class FigureCard(Card):
    """`show_finding`, then `show_items` when they have been read. Escape closes it."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.finding: Finding | None = None
        self._items = TextsBehind(0, ())
        self.heading = Label("", "heading", wrap=True)
        self.badge = StandInBadge("")
        self.facts = Label("", "", wrap=True)
        self.more = Label("", "note", wrap=True)
        self.behind = Label("", "strong", wrap=True)
        self.names = QStringListModel(self)
        self.list = QListView()
        self.note = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("Text behind the figure"))
        self._lay_out()
        self.hide()

    def show_finding(self, finding: Finding, tip: str, *, with_tests: bool) -> None:
        """Everything the chart said of the figure (`tip`), and what did not fit there; the texts are still coming.

        Without `with_tests` the study's note stays out: it tells of tests, and the planned n is not reached.
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
        """The texts behind the figure have been read."""
        self._show_list(items)
        shown = len(items.items)
        if not items.total:
            self.behind.setText(tr("No texts are stored behind this figure."))
        elif shown < items.total:
            said = plural(items.total, "{shown} of 1 text behind it", "The first {shown} of %n texts behind it")
            self.behind.setText(said.format(shown=shown))
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
        close = IconButton("close", tr("Close this figure"), size=16)
        close.clicked.connect(self.close_card)
        row = QHBoxLayout()
        row.addWidget(self.heading, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.box.addLayout(row)
        column = Column()
        for widget in (self.badge, self.facts, self.more, self.behind, self.list, self.note):
            column.box.addWidget(widget)
        column.box.addWidget(self.text, 1)
        column.box.addStretch(0)  # without texts, the words stay together at the top
        # The text takes what is left, down to its least height: what it would like to have does not count.
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.box.addWidget(column, 1)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setFixedHeight(theme.current().px(LIST_HEIGHT))
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))

    def _show_list(self, items: TextsBehind) -> None:
        self._items = items
        self.names.setStringList([safe_line(item.title) for item in items.items])
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
    """What the chart's own words leave out."""
    facts = [f"{use.role.replace('_', ' ')}: {scorer_title(use.name)} {use.version}" for use in finding.scorers]
    if finding.harm:
        facts.append(tr("Harmful direction: {harm}").format(harm=finding.harm))
    facts.append(finding.source)
    if with_tests:
        facts.append(finding.note)
    return [fact for fact in facts if fact]
