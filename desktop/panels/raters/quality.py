"""How far the judgments can be trusted: stored findings about raters as calm tables, and measuring them anew."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.jobs import JobContext
from desktop import theme
from desktop.models.quality_words import quality_columns
from desktop.models.stored_quality import STUDY, QualityData, QualityTable, hidden_words, read_quality
from desktop.operations.measuring import MeasureJobs
from desktop.panels.base import Shell
from desktop.panels.findings.studies import said_of
from desktop.panels.raters.section import Section
from desktop.tables.rows_view import RowsView
from desktop.widgets import Button, Card, Chip, ElidedLabel, EmptyState, Label, LinkButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from core.project.project import Project


class TableCard(Card):
    """One question and its rows."""

    def __init__(self, table: QualityTable) -> None:
        super().__init__(table.title)
        self.view = RowsView(table.title, quality_columns(), keep=(0, 1, 2, 3), fold=(3,), wrap=True, tall=True)
        self.below, self.hidden = Label("", "note", wrap=True), Label("", "note", wrap=True)
        for part in (Label(table.help, "soft", wrap=True), self.view, self.below, self.hidden):
            self.box.addWidget(part)
        self.set_padding(16)
        self.show_table(table)

    def show_table(self, table: QualityTable) -> None:
        self.view.show_rows(table.rows)
        show_if(self.view, bool(table.rows))
        for label, said in ((self.below, table.below), (self.hidden, hidden_words(table.hidden))):
            label.setText(said)
            show_if(label, bool(said))


class QualitySection(Section):
    """The tables, when they were measured, and the button that measures."""

    concerns = frozenset({"finding", "session", "annotation", "packet", "event", "plan", "axis_definition"})

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell, tr("Quality"))
        self.data: QualityData | None = None
        self.cards: dict[str, TableCard] = {}
        self.jobs = MeasureJobs(shell, self)
        self.said = ElidedLabel("", "soft")
        self.newer = Chip(tr("judgments are newer"), "accent")
        self.measure = Button(tr("Measure now"))
        self.nothing = EmptyState("", "", tr("Measure now"), self._go_on, icon="raters")
        self.measure.clicked.connect(lambda: self.jobs.start(STUDY))
        self.jobs.changed.connect(self._allow)
        self._lay_out()

    # the tab's life

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        return partial(_read, project=project)

    def ask(self) -> None:
        self.jobs.pick_up()
        super().ask()

    def show_data(self, data: QualityData) -> None:
        self.data = data
        self.said.set_text(said_of(data.measurement) if data.measurement is not None else "")
        show_if(self.newer, data.newer)
        self._show_tables(data)
        self._allow()
        self._say_nothing(data)
        self.pages.setCurrentWidget(self.sheet if data.tables else self.nothing)

    def forget(self) -> None:
        self.data = None
        self.jobs.forget()
        for key in list(self.cards):
            self.cards.pop(key).deleteLater()

    def _show_tables(self, data: QualityData) -> None:
        """Cards stay where they are while their rows change, so that nothing jumps under the reader."""
        for key in self.cards.keys() - {table.key for table in data.tables}:
            self.cards.pop(key).deleteLater()
        for place, table in enumerate(data.tables):
            if table.key in self.cards:
                self.cards[table.key].show_table(table)
            else:
                self.cards[table.key] = TableCard(table)
                self._tables.insertWidget(place, self.cards[table.key])

    def _say_nothing(self, data: QualityData) -> None:
        """Why there is no table yet, and what goes on from there."""
        if not data.revealed:
            title, said = (
                tr("Nobody has finished yet"),
                tr("How far judgments can be trusted shows once a rater has finished, here or with a packet."),
            )
        else:
            title, said = (
                tr("Not measured yet"),
                tr(
                    "Measuring tells how consistent raters are with themselves and with each other, each number "
                    "with its interval."
                ),
            )
        self.nothing.title.setText(title)
        self.nothing.text.setText(said)
        self.nothing.button.set_text(self._button_words() if data.revealed else tr("See the plans"))

    def _go_on(self) -> None:
        if self.data is not None and self.data.revealed:
            self.jobs.start(STUDY)
        else:
            self.go_to.emit("plans")

    def _button_words(self) -> str:
        return tr("Measuring…") if STUDY in self.jobs.busy() else tr("Measure now")

    def _allow(self) -> None:
        data, may = self.data, self.jobs.may(STUDY)
        self.measure.set_text(self._button_words())
        self.measure.setEnabled(may and data is not None and data.revealed > 0)
        self.measure.set_role("primary" if data is not None and data.newer else "")
        self.measure.setToolTip(
            "" if self.writable else tr("The project is open read-only: findings cannot be stored.")
        )
        if data is not None and data.revealed:
            self.nothing.button.set_text(self._button_words())
            self.nothing.button.setEnabled(may)
        else:
            self.nothing.button.setEnabled(True)

    def _lay_out(self) -> None:
        self.sheet = Sheet()
        row = QHBoxLayout()
        row.setSpacing(theme.current().grid)
        row.addWidget(self.said)
        row.addWidget(self.newer)
        row.addStretch(1)
        more = LinkButton(tr("More under Findings"))
        more.clicked.connect(lambda: self.shell.show_panel("findings"))
        for button in (more, self.measure):
            row.addWidget(button)
        self.sheet.box.addLayout(row)
        self._tables = QVBoxLayout()
        self._tables.setSpacing(theme.current().gap)
        self.sheet.box.addLayout(self._tables)
        self.sheet.box.addStretch(1)
        self.add_page(self.sheet)
        self.add_page(self.nothing)


def _read(ctx: JobContext, project: "Project") -> QualityData:
    return read_quality(ctx, project)
