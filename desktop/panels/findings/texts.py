"""The texts that a finding rests on: group beside group where there are two, a list and the text as it is."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QListView,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.models.finding_lines import FindingLine
from desktop.models.texts_behind import Behind, TextGroup, TextRef
from desktop.widgets import Button, Card, ElidedLabel, Label, PlainText, plural, tr
from desktop.widgets.safe_text import safe_line

LIST_HEIGHT, TEXT_HEIGHT = 56, 96  # at least
LIST_SHARE, TEXT_SHARE = 2, 5  # of the room there is
BESIDE_FROM = 560  # text pixels: narrower, the groups stand under each other


class TextColumn(Card):
    """The texts of one group. `wanted` asks for the text of a row; `met` tells the block that was chosen by hand."""

    wanted = Signal(object)  # TextRef
    met = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[TextGroup] = ()
        self._following = False
        self.group = QComboBox()
        self.group.setAccessibleName(tr("Group"))
        self.group.activated.connect(lambda _: self._show_group())
        self.name, self.count = ElidedLabel("", "heading"), Label("", "note")
        self.names = QStringListModel(self)
        self.list = QListView()
        self.list.setModel(self.names)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.setLayoutMode(QListView.LayoutMode.Batched)  # ten thousand titles do not hold up the window
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.selectionModel().currentChanged.connect(self._show_row)
        self.note = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("Text"))
        for part in (self.list, self.text):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._lay_out()
        self._dress()
        theme.signals.changed.connect(self._dress)

    @property
    def ref(self) -> TextRef | None:
        """The text that is chosen."""
        row, refs = self.list.currentIndex().row(), self._refs()
        return refs[row] if 0 <= row < len(refs) else None

    def show_groups(self, groups: Sequence[TextGroup], first: int) -> None:
        """Offer these groups, and show one of them."""
        self._groups = groups
        self.group.clear()
        for group in groups:
            self.group.addItem(safe_line(group.title), group.key)
        self.group.setVisible(len(groups) > 2)
        self.name.setVisible(len(groups) <= 2)
        self.group.setCurrentIndex(first)
        self._show_group()

    def show_text(self, ref: TextRef, text: str) -> None:
        """The text of a row has been read."""
        if ref == self.ref:
            self.text.set_text(text)

    def follow(self, block: str) -> None:
        """Go to the text that was written to be compared with the one chosen beside this."""
        row = next((row for row, ref in enumerate(self._refs()) if block and ref.block == block), None)
        if row is not None:
            self._following = True
            self.list.setCurrentIndex(self.names.index(row))
            self._following = False

    def _refs(self) -> Sequence[TextRef]:
        place = self.group.currentIndex()
        return self._groups[place].refs if 0 <= place < len(self._groups) else ()

    def _show_group(self) -> None:
        refs, name = self._refs(), self.group.currentText()
        self.name.set_text(name)
        self.count.setText(plural(len(refs), "1 text", "%n texts"))
        self.list.setAccessibleName(tr("Texts: {group}").format(group=name))
        self.text.setAccessibleName(tr("Text: {group}").format(group=name))
        self.names.setStringList([safe_line(ref.title) for ref in refs])
        self.text.set_text("")
        self.note.clear()
        self.list.setCurrentIndex(self.names.index(0))

    def _show_row(self, _now: QModelIndex, _before: QModelIndex) -> None:
        ref = self.ref
        if ref is None:
            return
        self.note.setText("\n".join(safe_line(part) for part in ref.note.splitlines()))
        self.wanted.emit(ref)
        if not self._following:
            self.met.emit(ref.block)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.name)
        head.addWidget(self.group)
        head.addWidget(self.count)
        head.addStretch(1)
        self.set_padding(16)
        self.box.addLayout(head)
        self.box.addWidget(self.list, LIST_SHARE)
        self.box.addWidget(self.note)
        self.box.addWidget(self.text, TEXT_SHARE)

    def _dress(self, _tokens: object = None) -> None:
        self.list.setMinimumHeight(theme.current().px(LIST_HEIGHT))
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))


class FindingTexts(QWidget):
    """`closed` when the person goes back to the table; Escape does too. `text_wanted` asks for one text."""

    closed = Signal()
    text_wanted = Signal(object)  # TextRef

    def __init__(self) -> None:
        super().__init__()
        self.line: FindingLine | None = None
        self.back = Button(tr("Back to the findings"), icon="back")
        self.back.clicked.connect(self.closed)
        self.heading = ElidedLabel("", "heading")
        self.said = Label("", "soft", wrap=True)
        self.columns = (TextColumn(), TextColumn())
        for here, other in (self.columns, self.columns[::-1]):
            here.wanted.connect(self.text_wanted)
            here.met.connect(other.follow)
        head = QHBoxLayout()
        head.setSpacing(theme.current().gap)
        head.addWidget(self.back)
        head.addWidget(self.heading, 1)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(theme.current().gap)
        for column in self.columns:
            self._row.addWidget(column, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().gap)
        box.addLayout(head)
        box.addWidget(self.said)
        box.addLayout(self._row, 1)
        box.addStretch(0)

    def wait_for(self, line: FindingLine) -> None:
        """The texts of this finding are being looked for."""
        self.line = line
        self.heading.set_text(" · ".join(part for part in (line.finding.title, line.about) if part))
        self._say(tr("Looking for the texts behind it…"))
        self.show_columns(())

    def show_behind(self, behind: Behind) -> None:
        """They have been found."""
        groups = [group for group in behind.groups if group.refs] if behind.total else []
        self.show_columns(groups)
        self._say("" if groups else tr("No texts are stored behind this finding."))

    def fail(self) -> None:
        """They could not be looked for; why is said elsewhere."""
        self._say(tr("The texts could not be read."))

    def show_columns(self, groups: Sequence[TextGroup]) -> None:
        for place, column in reversed(list(enumerate(self.columns))):  # the other follows the first, which comes last
            column.setVisible(place < len(groups))
            column.show_groups(groups, place if place < len(groups) else -1)
        if groups:
            self.columns[0].list.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= theme.current().px(BESIDE_FROM)
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.setVisible(bool(text))
