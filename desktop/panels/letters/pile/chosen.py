"""Who was chosen: rates of the groups, and their ratios to the highest."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal

from biasprint.core.letters.pile.outcomes import (
    LIMITS_OF_RATES,
    GroupRate,
    SelectionRates,
    rate_written,
    rates_said,
    ratio_written,
    without_said,
)
from biasprint.desktop.tables.rows import TableColumn, TableRow, TextTable
from biasprint.desktop.widgets import Card, Label, QuietButton, number, tr
from biasprint.desktop.widgets.safe_text import safe_line


class PileRates(Card):
    """`show_rates` takes what was counted; None asks for outcomes. `table_wanted` asks for a table of them."""

    table_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.heading = Label(tr("Who was chosen?"), "heading", wrap=True)
        self.said, self.without = Label("", "strong", wrap=True), Label("", "soft", wrap=True)
        self.remarks = Label("", "soft", wrap=True)
        self.add = QuietButton(tr("Outcomes from a table…"), icon="folder")
        columns = (
            TableColumn(tr("Group"), 120),
            TableColumn(tr("Chosen"), 104, help=tr("Candidates: letters about one person count once")),
            TableColumn(tr("Rate (95 % interval)"), 152, help=tr("Chosen, of those whose outcome is known; Wilson")),
            TableColumn(
                tr("Ratio to the highest rate (95 % interval)"),
                help=tr("This rate over the highest one: the impact ratio; score interval of Miettinen and Nurminen"),
            ),
        )
        self.table = TextTable(
            tr("Who was chosen, by group"), columns, keep=(0, 3, 2, 1), fold=(1,), wrap=True, tall=True
        )
        self.limits = Label(LIMITS_OF_RATES, "note", wrap=True)
        for widget in (self.heading, self.said, self.table, self.without, self.remarks, self.limits):
            self.box.addWidget(widget)
        self.box.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleName(self.heading.text())
        self.add.clicked.connect(self.table_wanted)
        self.show_rates(None, {})
        self.show_remarks(())

    def show_rates(self, found: SelectionRates | None, labels: Mapping[str, str]) -> None:
        """The rates of every group, or how outcomes come here."""
        asked = tr(
            "Choose a table that says who was invited, hired, or whatever you decide on: a column “file” or “name”, "
            "and “outcome” with yes or no; “group” where you know it. Or set outcomes in the list, with the right "
            "button."
        )
        self.said.setText(safe_line(rates_said(found, labels)) if found is not None else asked)
        self.table.show_rows([] if found is None else [_row(one, labels) for one in found.rates])
        self.without.setText(without_said(found) if found is not None else "")
        self.without.setVisible(bool(self.without.text()))
        self.table.setVisible(found is not None and bool(found.rates))
        self.limits.setVisible(found is not None)

    def show_remarks(self, remarks: Sequence[str]) -> None:
        """What of the table could not be used."""
        self.remarks.setText("\n".join(safe_line(remark) for remark in remarks[:MOST_REMARKS]))
        more = len(remarks) - MOST_REMARKS
        if more > 0:
            self.remarks.setText(f"{self.remarks.text()}\n{tr('And {n} more.').format(n=number(more))}")
        self.remarks.setVisible(bool(remarks))


MOST_REMARKS = 4


def _row(one: GroupRate, labels: Mapping[str, str]) -> TableRow:
    rate, of_rate = rate_written(one)
    ratio, of_ratio = ratio_written(one)
    counts = tr("{chosen} of {n}").format(chosen=number(one.chosen), n=number(one.n))
    beside = f"{ratio} ({of_ratio})" if ratio else "–"
    return TableRow(one.group, (labels.get(one.group, one.group), counts, f"{rate} ({of_rate})", beside))
