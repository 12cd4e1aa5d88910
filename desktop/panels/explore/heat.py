"""Heat maps: a number per pair of groups. A cell leads to its texts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.columns import Measured
from biasprint.desktop.panels.explore.arrays import Table, mean_table, preference_table, residual_table
from biasprint.desktop.panels.explore.view import ExploreView, field_choices, fill, score_choices
from biasprint.desktop.plots.card import PlotCard
from biasprint.desktop.plots.cells import HeatCells
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.explore import FieldCodes
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import plural, tr

RESIDUALS, CHOICES = "residuals", "choices"


@dataclass(frozen=True)
class Drawn:
    """A table, the fields of its rows and columns (rows of choices are evaluators), and what its numbers are."""

    table: Table
    rows: FieldCodes | None
    columns: FieldCodes
    told: str
    middle: float | None
    stand_in: str = ""  # the scorer behind it, where that is one


class HeatView(ExploreView):
    """Mean scores; counts of texts against what independence gives; evaluators against whose texts they chose."""

    key, title = "heat", "Heat maps"

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.value = self.box(tr("Value"))
        self.rows = self.box(tr("Rows"))
        self.columns = self.box(tr("Columns"))
        self.plot = Plot(self.title)
        self.plot.box_only = True
        self.card = PlotCard(self.plot, self.title, shell)
        self.column.addWidget(self.card, 1)
        self.cells = HeatCells()
        self.cells.words = self._words
        self.plot.picked.connect(self._pick)
        self._drawn: Drawn | None = None

    def offer(self) -> None:
        scores = [(tr("mean {score}").format(score=name), of) for name, of in score_choices(self.texts)]
        counts = [(tr("texts beyond independence (residuals)"), RESIDUALS)]
        choices = [(tr("choices by evaluator, relative to chance"), CHOICES)]
        fill(self.value, [*counts, *scores, *choices], scores[-1][1])
        fields = field_choices(self.texts)
        known = [name for _, name in fields]
        fill(self.rows, fields, next((name for name in ("task", "theme") if name in known), None))
        fill(self.columns, fields, next((name for name in ("identity", "group", "model") if name in known), None))

    def draw(self) -> None:
        texts, source = self.texts, self.source
        rows, columns = (texts.fields.get(box.currentData() or "") for box in (self.rows, self.columns))
        value = self.value.currentData()
        self.rows.setEnabled(value != CHOICES)
        if source is None or rows is None or columns is None:
            self._drawn = None
            self.card.tell_nothing(tr("No texts yet. Write or import some: their groups are the rows and columns."))
            return
        if not texts.complete:
            self.card.tell_nothing(tr("Reading the texts…"))
            return
        if value == CHOICES:
            work = self._choices(columns)
        elif value == RESIDUALS:
            work = _residuals(rows, columns)
        else:
            work = self._means(value, rows, columns)
        self.read(work, self._show)

    def _means(self, of: Measured | None, rows: FieldCodes, columns: FieldCodes) -> Callable[[JobContext], Drawn]:
        texts, source = self.texts, self.source
        assert source is not None
        told = tr("{value}. Point at a cell for its n and 95 % interval, as if texts were independent.").format(
            value=self._value()
        )

        def work(ctx: JobContext) -> Drawn:
            table = mean_table(self.values(ctx, of, texts), rows, columns)
            stand_in = scorer_title(of.name) if of is not None and of.name in source.stand_ins(ctx) else ""
            return Drawn(table, rows, columns, told, None, stand_in)

        return work

    def _choices(self, columns: FieldCodes) -> Callable[[JobContext], Drawn]:
        texts, source = self.texts, self.source
        assert source is not None
        told = tr(
            "How often an evaluator chose a text of each {field}, relative to chance (1), in comparisons that show "
            "several; of revealed sessions. Point at a cell for its n and 95 % interval."
        ).format(field=columns.title)

        def work(ctx: JobContext) -> Drawn:
            evaluatee: dict[TextKey, str] = {
                texts.key(index): columns.names[code] for index, code in enumerate(columns.codes.tolist()) if code >= 0
            }
            return Drawn(preference_table(source.chosen(ctx), evaluatee), None, columns, told, 1.0)

        return work

    def _show(self, drawn: Drawn) -> None:
        self._drawn = drawn
        table = drawn.table
        if not np.isfinite(table.values).any():
            self.card.tell_nothing(self._nothing())
            return
        # The first row on top.
        self.cells.set_values(
            table.values[::-1], table.counts[::-1], table.rows[::-1], table.columns, middle=drawn.middle
        )
        self.plot.set_words(x=("", "", table.columns), y=("", "", table.rows[::-1]))
        self.plot.show_items([self.cells], fit=True)
        known = table.values[np.isfinite(table.values)]
        said = tr("{told} {rows} by {columns}, from {low} to {high}.").format(
            told=drawn.told,
            rows=plural(len(table.rows), "1 row", "%n rows"),
            columns=plural(len(table.columns), "1 column", "%n columns"),
            low=digits.number(float(known.min())),
            high=digits.number(float(known.max())),
        )
        if any(table.left_out):
            said += " " + tr("The most frequent are shown; {rows} rows and {columns} columns are left out.").format(
                rows=digits.count(table.left_out[0]), columns=digits.count(table.left_out[1])
            )
        if not np.isfinite(table.values).all():
            said += " " + tr("Hatched: nothing to count or to average.")
        self.card.set_title(self._title(drawn))
        self.card.tell(said)
        self.card.show_stand_ins([drawn.stand_in] if drawn.stand_in else [])

    def _title(self, drawn: Drawn) -> str:
        value = self._value()
        if drawn.rows is None or drawn.columns is None:
            return value
        return tr("{value} by {rows} and {columns}").format(
            value=value, rows=drawn.rows.title, columns=drawn.columns.title
        )

    def _value(self) -> str:
        name = self.value.currentText()
        return name[:1].upper() + name[1:]

    def _nothing(self) -> str:
        value = self.value.currentData()
        if value == CHOICES:
            return tr("No choices between different groups in this column are revealed yet.")
        if value == RESIDUALS:
            return tr("With one group alone there is nothing to compare: choose other rows or columns.")
        return tr("No text has this score. Measure the study, or score its texts in Models.")

    def _words(self, row: int, column: int) -> str:
        drawn = self._drawn
        if drawn is None:
            return ""
        row = len(drawn.table.rows) - 1 - row
        table, cell = drawn.table, (row, column)
        value, n = float(table.values[cell]), int(table.counts[cell])
        ends = (None, None) if table.low is None or table.high is None else (table.low[cell], table.high[cell])
        bounds = tuple(None if end is None or not np.isfinite(end) else float(end) for end in ends)
        told = digits.whole(value, *bounds) if np.isfinite(value) else tr("not defined")
        counted = plural(n, "1 choice", "%n choices") if drawn.rows is None else plural(n, "1 text", "%n texts")
        name = f"{table.rows[row]} · {table.columns[column]}"
        return f"{name}: {told}\n{counted}"

    def _pick(self, x: float, y: float) -> None:
        cell, drawn = self.cells.cell_at(x, y), self._drawn
        if cell is None or drawn is None:
            return
        row, column = len(drawn.table.rows) - 1 - cell[0], cell[1]
        texts = drawn.columns.codes == drawn.columns.names.index(drawn.table.columns[column])
        if drawn.rows is not None:
            texts &= drawn.rows.codes == drawn.rows.names.index(drawn.table.rows[row])
        among = drawn.columns.codes >= 0
        if drawn.rows is not None:
            among &= drawn.rows.codes >= 0
        self.chosen.emit(texts, among, f"{drawn.table.rows[row]} · {drawn.table.columns[column]}")


def _residuals(rows: FieldCodes, columns: FieldCodes) -> Callable[[JobContext], Drawn]:
    told = tr(
        "Adjusted residuals of the counts of texts: beyond ±2, more or fewer than if rows and columns were independent."
    )
    return lambda ctx: Drawn(residual_table(rows, columns), rows, columns, told, 0.0)
