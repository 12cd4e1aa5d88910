"""The list of definitions at the left, and the ways to begin another one."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent

from biasprint.core.prompts.definition_kinds import AXIS, KINDS, NAMES
from biasprint.desktop import theme
from biasprint.desktop.panels.prompts.own.entries import OwnEntry
from biasprint.desktop.tables.rows import TableColumn, TableRow, TextTable
from biasprint.desktop.widgets import Card, FlowLayout, Label, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.safe_text import safe_line

HIGH_FROM = 420  # text pixels, from which there is room for a word on the kind


class OwnShelf(Card):
    """`kind_changed`: definitions of another kind are wanted; `chosen` carries the id of an entry."""

    kind_changed = Signal()
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.box_of_kinds = ComboBox()
        self.box_of_kinds.setAccessibleName(tr("Kind of definition"))
        for kind in KINDS.values():
            self.box_of_kinds.addItem(tr(kind.title), kind.folder)
        self.about = Label("", "note", wrap=True)
        self.list = TextTable(tr("Definitions"), [TableColumn(tr("Title"))], wrap=True)
        self.list.horizontalHeader().hide()
        self.new, self.bring = QuietButton(tr("New"), icon="plus"), QuietButton(tr("Import…"))
        self.cross, self.for_groups = QuietButton(tr("Cross two…")), QuietButton(tr("New for an axis…"))
        self.example = QuietButton(tr("Example…"))
        self.example.setToolTip(tr("Save an example with explanations to a file, to be changed and imported"))
        ways = FlowLayout()
        for button in (self.new, self.bring, self.for_groups, self.cross, self.example):
            ways.addWidget(button)
        for widget in (self.box_of_kinds, self.about, self.list):
            self.box.addWidget(widget, int(widget is self.list))
        self.box.addLayout(ways)
        self.box_of_kinds.currentIndexChanged.connect(lambda _: self._show_kind())
        self.list.chosen.connect(self.chosen)
        self._show_kind()

    @property
    def kind(self) -> str:
        """The folder of the kind that is listed."""
        return str(self.box_of_kinds.currentData())

    def show_kind(self, kind: str) -> None:
        self.box_of_kinds.setCurrentIndex(max(0, self.box_of_kinds.findData(kind)))

    def show_entries(self, entries: Sequence[OwnEntry]) -> None:
        """Other entries; the chosen one stays so where it is still there."""
        self.list.show_rows([TableRow(one.id, (safe_line(one.listed(entries)),)) for one in entries])

    @property
    def current(self) -> str:
        """The id of the chosen entry; empty without one."""
        return self.list.current_key

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.about.setVisible(self.height() >= theme.current().px(HIGH_FROM))

    def _show_kind(self) -> None:
        self.about.setText(tr(KINDS[self.kind].about))
        show_if(self.cross, self.kind == AXIS.folder)
        show_if(self.for_groups, self.kind == NAMES.folder)
        self.kind_changed.emit()
