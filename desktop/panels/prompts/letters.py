"""Choosing letter prompts: which document is asked for, and from what."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget

from core.prompts.letters import letter_design
from desktop import theme
from desktop.operations.prompts import BiographiesChoice, LettersChoice
from desktop.panels.prompts.biographies import BiographiesPage
from desktop.panels.prompts.names import NamesPage
from desktop.widgets import Card, Label, tr


class LettersChoiceCard(Card):
    """Which document is asked for, and from what: a name with an age and occupation, or a biography."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.document, self.source = QComboBox(), QComboBox()
        for key, document in letter_design().documents.items():
            self.document.addItem(tr(document.title), key)
        for title in (tr("Names and ages"), tr("Biographies")):
            self.source.addItem(title)
        self.by_name, self.biographies = NamesPage(), BiographiesPage()
        self.pages = QStackedWidget()
        for page in (self.by_name, self.biographies):
            self.pages.addWidget(page)
            page.changed.connect(self.changed)
        row = QHBoxLayout()
        row.setSpacing(theme.current().grid)
        for label, combo in ((tr("Ask for"), self.document), (tr("from"), self.source)):
            combo.setAccessibleName(tr("Document") if combo is self.document else tr("Made from"))
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(10)
            row.addWidget(Label(label))
            row.addWidget(combo, 1)
        self.box.addLayout(row)
        self.box.addWidget(self.pages, 1)
        self.document.activated.connect(lambda _: self.changed.emit())
        self.source.activated.connect(self._show_source)

    def choice(self) -> LettersChoice | BiographiesChoice:
        page = self.pages.currentWidget()
        assert isinstance(page, NamesPage | BiographiesPage)
        return page.choice(self.document.currentData())

    def _show_source(self, source: int) -> None:
        self.pages.setCurrentIndex(source)
        self.changed.emit()
