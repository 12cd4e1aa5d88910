"""The map of texts: similar embeddings are near each other; a selection leads to the texts and their words."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.columns import Measured
from biasprint.core.runs.explore import FEWEST_MAPPED, MOST_TSNE, Method, TextMap
from biasprint.desktop.operations.measuring import embed_texts
from biasprint.desktop.panels.explore.arrays import (
    Grouping,
    Table,
    grouping,
    inside,
    mean_table,
    preference_table,
    residual_table,
)
from biasprint.desktop.panels.explore.scores import ExploreView, field_choices, fill, legend, score_choices, show_box
from biasprint.desktop.plots.card import PlotCard
from biasprint.desktop.plots.cloud import Cloud, HeatCells
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.explore import SEED, FieldCodes
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import EmptyState, number, plural, tr
from biasprint.desktop.widgets.choice import ComboBox

# ---- Heat maps

RESIDUALS, CHOICES = "residuals", "choices"


@dataclass(frozen=True)
class Drawn:
    """A table, the fields of its rows and columns (rows of choices are evaluators), and the meaning of its numbers."""

    table: Table
    rows: FieldCodes | None
    columns: FieldCodes
    told: str
    middle: float | None
    stand_in: str = ""  # the scorer behind it, where that is one


class HeatView(ExploreView):
    """Mean scores; counts of texts against independence; evaluators against whose texts they chose."""

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
        explanation = tr("{value}. Point at a cell for its n and 95 % interval, as if texts were independent.").format(
            value=self._value()
        )

        def work(ctx: JobContext) -> Drawn:
            table = mean_table(self.values(ctx, of, texts), rows, columns)
            stand_in = scorer_title(of.name) if of is not None and of.name in source.stand_ins(ctx) else ""
            return Drawn(table, rows, columns, explanation, None, stand_in)

        return work

    def _choices(self, columns: FieldCodes) -> Callable[[JobContext], Drawn]:
        texts, source = self.texts, self.source
        assert source is not None
        explanation = tr(
            "How often an evaluator chose a text of each {field}, relative to chance (1), in comparisons that show "
            "several; of revealed sessions. Point at a cell for its n and 95 % interval."
        ).format(field=columns.title)

        def work(ctx: JobContext) -> Drawn:
            evaluatee: dict[TextKey, str] = {
                texts.key(index): columns.names[code] for index, code in enumerate(columns.codes.tolist()) if code >= 0
            }
            return Drawn(preference_table(source.chosen(ctx), evaluatee), None, columns, explanation, 1.0)

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
        sentence = tr("{told} {rows} by {columns}, from {low} to {high}.").format(
            told=drawn.told,
            rows=plural(len(table.rows), "1 row", "%n rows"),
            columns=plural(len(table.columns), "1 column", "%n columns"),
            low=digits.number(float(known.min())),
            high=digits.number(float(known.max())),
        )
        if any(table.left_out):
            sentence += " " + tr("The most frequent are shown; {rows} rows and {columns} columns are left out.").format(
                rows=digits.count(table.left_out[0]), columns=digits.count(table.left_out[1])
            )
        if not np.isfinite(table.values).all():
            sentence += " " + tr("Hatched: nothing to count or to average.")
        self.card.set_title(self._title(drawn))
        self.card.tell(sentence)
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
        shown_value = digits.whole(value, *bounds) if np.isfinite(value) else tr("not defined")
        counted = plural(n, "1 choice", "%n choices") if drawn.rows is None else plural(n, "1 text", "%n texts")
        name = f"{table.rows[row]} · {table.columns[column]}"
        return f"{name}: {shown_value}\n{counted}"

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
    explanation = tr(
        "Adjusted residuals of the counts of texts: beyond ±2, more or fewer than if rows and columns were independent."
    )
    return lambda ctx: Drawn(residual_table(rows, columns), rows, columns, explanation, 0.0)


AT_ONCE: Method = "pca"
SAME = ""  # signs tell what colours do: nobody has to tell colours apart


@dataclass(frozen=True)
class Mapped:
    """A map and the texts on it: `indexes` in drawing order."""

    indexes: np.ndarray
    points: np.ndarray
    found: TextMap
    stand_ins: frozenset[str]


class MapView(ExploreView):
    """The map. Its colours and signs show the fields of a text; its places show similarity of content."""

    key, title = "map", "Map"

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.color = self.box(tr("Coloured by"))
        self.shape = self.box(tr("Signs by"))
        self.embedder = self.box(tr("Embeddings"))
        self.method = self.box(tr("Places"))
        self.group: ComboBox = self.box(tr("Select"))
        self.group.activated.disconnect()
        self.group.activated.connect(lambda _: self._choose_group())
        self.cloud = Cloud(x_name=tr("first direction"), y_name=tr("second direction"))
        self.cloud.words = lambda point: self.texts.title(int(self._mapped.indexes[point])) if self._mapped else ""
        self.plot = Plot(self.title)
        self.card = PlotCard(self.plot, tr("Map of texts"), shell, markable=True)
        self.nothing = EmptyState(tr("No map yet"), "", tr("Embed the texts"), self._embed, icon="explore")
        self.column.addWidget(self.card, 1)
        self.column.addWidget(self.nothing, 1)
        self.plot.marked.connect(self._choose_marked)
        self.plot.picked.connect(self._choose_near)
        self._mapped: Mapped | None = None
        self._drawn: tuple[object, ...] | None = None

    def offer(self) -> None:
        fields = field_choices(self.texts)
        fill(self.color, fields, "identity")
        fill(self.shape, [(tr("the same"), SAME), *fields], SAME)
        fill(self.embedder, [(scorer_title(embedder.name), embedder) for embedder in self.texts.embedders])
        show_box(self.embedder, len(self.texts.embedders) > 1)
        count = self._embedded()
        methods = [(tr("most different directions (PCA)"), AT_ONCE)]
        if FEWEST_MAPPED <= count <= MOST_TSNE:
            methods.append((tr("neighbours together (t-SNE)"), "tsne"))
        fill(self.method, methods, AT_ONCE)

    def _embedded(self) -> int:
        of = self.embedder.currentData()
        return of.count if of is not None else 0

    def draw(self) -> None:
        of, source, texts = self.embedder.currentData(), self.source, self.texts
        enough = self._embedded() >= FEWEST_MAPPED
        self.card.setVisible(enough)
        self.nothing.setVisible(not enough)
        if source is None or not enough:
            self._drawn = self._mapped = None
            self.cloud.set_points(np.empty(0), np.empty(0), np.empty(0, dtype=np.int16), ())
            self.nothing.text.setText(self._why_not())
            self.nothing.button.setVisible(len(texts) >= FEWEST_MAPPED)
            return
        if not texts.complete:
            self.card.tell_nothing(tr("Reading the texts…"))
            return
        method: Method = self.method.currentData() or AT_ONCE
        wanted = (source, of, method, len(texts))
        if wanted == self._drawn:
            self._show_groups()
            return

        def work(ctx: JobContext) -> Mapped:
            indexes, vectors = source.vectors(ctx, texts, of)
            text_map = source.map_of(ctx, vectors, method)
            # Shuffled, so that no group lies on top of the others.
            order = np.random.default_rng(SEED).permutation(len(indexes))
            return Mapped(indexes[order], text_map.points[order], text_map, source.stand_ins(ctx))

        self.card.tell_nothing(tr("Working out the map…"))
        self.read(work, lambda mapped: self._show(mapped, wanted), "" if method == AT_ONCE else tr("Map by t-SNE"))

    def _why_not(self) -> str:
        if len(self.texts) < FEWEST_MAPPED:
            return tr("A map needs at least 3 texts. Write or import some, then embed them here.")
        return tr("A map places texts by their embeddings: vectors of what they say, made on this computer.")

    def failed(self, error: AppError) -> None:
        self._drawn = None
        self.card.tell_nothing(error.message)
        super().failed(error)

    def cancelled(self) -> None:
        self.card.tell_nothing(tr("The map was cancelled. Choose how texts are placed to work it out again."))

    def _show(self, mapped: Mapped, wanted: tuple[object, ...]) -> None:
        self._mapped, self._drawn = mapped, wanted
        explained = mapped.found.explained
        titles = tr("first direction"), tr("second direction")
        if explained is not None:
            shares = [number(100 * share, 0 if share >= 0.1 else 1) for share in explained]
            titles = (
                tr("first direction, {share} % of the spread").format(share=shares[0]),
                tr("second direction, {share} %").format(share=shares[1]),
            )
        self.plot.set_words(x=(titles[0], "", ()), y=(titles[1], "", ()))
        self._show_groups()
        self.plot.show_items([self.cloud], fit=True)

    def _show_groups(self) -> None:
        mapped = self._mapped
        if mapped is None:
            return
        coded = self.texts.fields.get(self.color.currentData())
        groups = self._groups(mapped)
        names = tuple(name for _, name in groups.members())
        points = mapped.points
        self.cloud.set_points(points[:, 0], points[:, 1], groups.codes[mapped.indexes], names)
        signs = self._signs(mapped)
        self.plot.show_items([self.cloud])
        fill(self.group, [(tr("a group…"), None), *((name, place) for place, name in groups.members())])
        self.group.setCurrentIndex(0)
        method = "PCA" if mapped.found.explained is not None else "t-SNE"
        sentence = tr("{texts} by {field} ({groups}). Near each other: similar by {embedder}, {method}.").format(
            texts=plural(len(mapped.indexes), "1 text", "%n texts"),
            field=coded.title if coded else "",
            groups=groups.told,
            embedder=self.embedder.currentText(),
            method=method,
        )
        if signs is not None:
            sentence += " " + tr("Signs by {field} ({groups}).").format(
                field=self.shape.currentText(), groups=signs.told
            )
        if missing := len(self.texts) - len(mapped.indexes):
            sentence += " " + plural(missing, "1 text has no embedding.", "%n texts have no embedding.")
        entries = legend(groups, "sign") if signs is None else legend(groups, "color") + legend(signs, "shape")
        self.card.tell(sentence, entries)
        of = self.embedder.currentData()
        self.card.show_stand_ins([self.embedder.currentText()] if of.name in mapped.stand_ins else [])

    def _groups(self, mapped: Mapped) -> Grouping:
        """Group the texts on the map: those without an embedding are in no group."""
        return grouping(self.texts.fields.get(self.color.currentData()), len(self.texts), mapped.indexes)

    def _signs(self, mapped: Mapped) -> Grouping | None:
        """Set the signs by their field; None where it is also the field of the colours, or none."""
        field = self.shape.currentData()
        if field in (SAME, None, self.color.currentData()):
            return None
        coded = self.texts.fields[field]
        signs = grouping(coded, len(self.texts), mapped.indexes)
        self.cloud.set_signs(coded.title, signs.codes[mapped.indexes], tuple(name for _, name in signs.members()))
        return signs

    # selecting

    def _choose_marked(self, corners: np.ndarray) -> None:
        mapped = self._mapped
        if mapped is not None:
            points = mapped.points.astype(float)
            self.read(
                lambda ctx: inside(corners, points[:, 0], points[:, 1]),
                lambda found: self._choose(found, tr("Drawn around on the map")),
            )

    def _choose_group(self) -> None:
        place = self.group.currentData()
        if self._mapped is None or place is None:
            self._choose(None, "")
            return
        groups = self._groups(self._mapped)
        self._choose(groups.codes[self._mapped.indexes] == place, self.group.currentText())

    def _choose_near(self, x: float, y: float) -> None:
        across, up = self.plot.view.viewPixelSize()
        point = self.cloud.nearest(x, y, (12 * across, 12 * up))
        if self._mapped is not None and point is not None:
            self._choose(np.arange(len(self._mapped.indexes)) == point, tr("Picked on the map"))

    def _choose(self, points: np.ndarray | None, how: str) -> None:
        assert self._mapped is not None or points is None
        some = points is not None and bool(points.any())
        self.cloud.choose(points if some else None)
        self.plot.clear_mark()
        texts, among = np.zeros((2, len(self.texts)), dtype=bool)
        if some and self._mapped is not None:
            texts[self._mapped.indexes[points]] = True
            among[self._mapped.indexes] = True
        self.chosen.emit(texts, among, how)

    def clear_choice(self) -> None:
        self.cloud.choose(None)

    def _embed(self) -> None:
        if self.shell.project is not None:
            embed_texts(project=self.shell.project).start(self.shell.jobs)
