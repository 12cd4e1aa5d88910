"""The map of texts: similar embeddings are near each other; a selection leads to the texts and their words."""

from dataclasses import dataclass

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.runs.explore import FEWEST_MAPPED, MOST_TSNE, Method, TextMap
from biasprint.desktop.operations.measuring import embed_texts
from biasprint.desktop.panels.explore.arrays import Grouping, grouping, inside
from biasprint.desktop.panels.explore.view import ExploreView, field_choices, fill, legend, show_box
from biasprint.desktop.plots.card import PlotCard
from biasprint.desktop.plots.cloud import Cloud
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.explore import SEED
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import EmptyState, number, plural, tr
from biasprint.desktop.widgets.choice import ComboBox

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
    """Colours and signs say what a text is; its place what it says."""

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
        fill(self.embedder, [(scorer_title(one.name), one) for one in self.texts.embedders])
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
            found = source.map_of(ctx, vectors, method)
            # Shuffled, so that no group lies on top of the others.
            order = np.random.default_rng(SEED).permutation(len(indexes))
            return Mapped(indexes[order], found.points[order], found, source.stand_ins(ctx))

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
        said = tr("{texts} by {field} ({groups}). Near each other: similar by {embedder}, {method}.").format(
            texts=plural(len(mapped.indexes), "1 text", "%n texts"),
            field=coded.title if coded else "",
            groups=groups.told,
            embedder=self.embedder.currentText(),
            method=method,
        )
        if signs is not None:
            said += " " + tr("Signs by {field} ({groups}).").format(field=self.shape.currentText(), groups=signs.told)
        if missing := len(self.texts) - len(mapped.indexes):
            said += " " + plural(missing, "1 text has no embedding.", "%n texts have no embedding.")
        entries = legend(groups, "sign") if signs is None else legend(groups, "color") + legend(signs, "shape")
        self.card.tell(said, entries)
        of = self.embedder.currentData()
        self.card.show_stand_ins([self.embedder.currentText()] if of.name in mapped.stand_ins else [])

    def _groups(self, mapped: Mapped) -> Grouping:
        """Of the texts on the map: those without an embedding are in no group."""
        return grouping(self.texts.fields.get(self.color.currentData()), len(self.texts), mapped.indexes)

    def _signs(self, mapped: Mapped) -> Grouping | None:
        """What the signs tell, where that is something else than the colours do."""
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
        found = self.cloud.nearest(x, y, (12 * across, 12 * up))
        if self._mapped is not None and found is not None:
            self._choose(np.arange(len(self._mapped.indexes)) == found, tr("Picked on the map"))

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
