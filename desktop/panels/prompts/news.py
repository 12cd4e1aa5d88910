"""Choosing news prompts: whose headlines, and in which wordings they are asked for."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit

from core.prompts.news import news_templates, shipped_headlines
from desktop import theme
from desktop.operations.prompts import NewsChoice
from desktop.panels.prompts.table import TablePick
from desktop.widgets import Card, Label, plural, tr

ORIGINALS, TABLE, SHIPPED = "originals", "table", "shipped"


class NewsChoiceCard(Card):
    """The headlines of the project's originals where there are any, else the shipped ones at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._touched = False
        self.source = QComboBox()
        self.source.setAccessibleName(tr("Headlines"))
        count = plural(len(shipped_headlines()), "1 headline", "%n headlines")
        for data, title in (
            (ORIGINALS, ""),
            (TABLE, tr("Those of a table")),
            (SHIPPED, tr("{count} of this program, to try it out").format(count=count)),
        ):
            self.source.addItem(title, data)
        self.table = TablePick(tr("Needs a column headline; a column domain is used where there is one."))
        self.biased = QCheckBox(tr("Ask for each article a second time, by someone who believes in"))
        self.ideology = QLineEdit(news_templates().ideology)
        self.ideology.setAccessibleName(tr("What the writer of the biased article believes in"))
        self.ideology.setMaxLength(100)
        self.base_model = QCheckBox(tr("For a base model, which follows no instruction: the headline alone"))
        self.show_originals(0)
        self._lay_out()
        self.source.activated.connect(lambda _: self._choose_source())
        self.table.changed.connect(self.changed)
        for box in (self.biased, self.base_model):
            box.clicked.connect(lambda _: self._wording_changed())
        self.ideology.textChanged.connect(lambda _: self.changed.emit() if self.biased.isChecked() else None)
        self._show()

    def choice(self) -> NewsChoice:
        ideology = self.ideology.text().strip() if self.biased.isChecked() else ""
        return NewsChoice(self.source.currentData(), self.table.path, ideology, self.base_model.isChecked())

    def show_originals(self, originals: int) -> None:
        """How many headlines the project's own originals have; they are taken, unless somebody chose others."""
        own = plural(originals, "1 headline", "%n headlines")
        self.source.setItemText(0, tr("{count} of the project's originals").format(count=own))
        before = self.source.currentData()
        if not self._touched:
            self.source.setCurrentIndex(self.source.findData(ORIGINALS if originals else SHIPPED))
        if self.source.currentData() != before or before == ORIGINALS:
            self._show()
            self.changed.emit()

    def _choose_source(self) -> None:
        self._touched = True
        self._show()
        self.changed.emit()

    def _wording_changed(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self.table.setVisible(self.source.currentData() == TABLE)
        self.biased.setEnabled(not self.base_model.isChecked())
        if self.base_model.isChecked():
            self.biased.setChecked(False)
        self.base_model.setEnabled(not self.biased.isChecked())
        self.ideology.setEnabled(self.biased.isChecked())

    def _lay_out(self) -> None:
        tokens = theme.current()
        words = tr(
            "An article is asked for each headline, and measured against the original of the same headline: in its "
            "words, in its tone, and in whether a prompt that asks for prejudice gets it."
        )
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(12)
        belief = QHBoxLayout()
        belief.setContentsMargins(tokens.px(24), 0, 0, 0)
        belief.addWidget(self.ideology)
        self.box.addWidget(Label(words, "soft", wrap=True))
        for widget in (Label(tr("Headlines"), "strong"), self.source, self.table):
            self.box.addWidget(widget)
        self.box.addSpacing(tokens.grid)
        self.box.addWidget(Label(tr("Wording"), "strong"))
        self.box.addWidget(self.biased)
        self.box.addLayout(belief)
        self.box.addWidget(self.base_model)
        self.box.addStretch(1)
