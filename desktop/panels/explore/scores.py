"""Scores by group: their distribution above, single texts below, on one axis; or one score against another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from biasprint.core.draw import digits
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.metrics.associations import SpearmanRho
from biasprint.core.project.stores.columns import Measured
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.panels.explore.arrays import (
    Curve,
    Grouping,
    distribution_functions,
    grouping,
    histograms,
    inside,
    jitter,
    stretch,
)
from biasprint.desktop.plots.axis import LegendEntry
from biasprint.desktop.plots.band import LiveBand
from biasprint.desktop.plots.card import PlotCard
from biasprint.desktop.plots.cloud import Cloud
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.explore import ExploredTexts, StoredTexts, draw
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import FlowLayout, Label, number, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.layout import Column, add_to, clear_widget, in_column, row_of
from biasprint.desktop.widgets.safe_text import safe_line


class ExploreView(QWidget):
    """A view of the texts. `chosen` carries the selected texts, those among which, and the selection in words."""

    chosen = Signal(object, object, str)
    key, title = "", ""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.setAccessibleName(tr(self.title))
        self.shell = shell
        self.source: StoredTexts | None = None
        self.texts = ExploredTexts()
        self._job: JobHandle | None = None
        self._scores: dict[Measured, np.ndarray] = {}
        tools = clear_widget()
        self.tools = FlowLayout(inside=tools, spacing=theme.current().grid)
        self.column = in_column(tools, inside=self, spacing=theme.current().grid, margins=0)

    # for subclasses

    def offer(self) -> None:
        """Fill the boxes with the fields and scores of the texts."""

    def draw(self) -> None:
        """Show the texts as the boxes say."""
        raise NotImplementedError

    def failed(self, error: AppError) -> None:
        """Show the error that ended a reading."""
        self.shell.show_error(error)

    def clear_choice(self) -> None:
        """Show all in full colour again."""

    def cancelled(self) -> None:
        """Take note that somebody cancelled a reading."""

    # the texts

    def set_texts(self, source: StoredTexts | None, texts: ExploredTexts) -> None:
        if source is not self.source or len(texts) != len(self.texts):
            self._scores.clear()
        self.source, self.texts = source, texts
        self._stop()
        if len(texts):
            self.offer()
        if self.isVisible() or not len(texts):  # of a project that was closed nothing stays, shown or not
            self.draw()

    def read(self, work: Callable[[JobContext], Any], then: Callable[[Any], object], title: str = "") -> None:
        """Do `work` in a job, then show its result; drop an earlier request.

        With a `title` it takes long and is listed among the jobs, where it can be cancelled.
        """
        self._stop()

        def done(result: Any) -> None:
            if self._job is job:
                self._job = None
                then(result)

        def failed(error: AppError) -> None:
            if self._job is job:
                self._job = None
                self.failed(error)

        def changed() -> None:
            if self._job is job and job.state is JobState.CANCELLED:
                self._job = None
                self.cancelled()

        job = self.shell.jobs.start(title or tr("Explore"), work, quiet=not title, on_done=done, on_error=failed)
        self._job = job
        job.changed.connect(changed)

    @property
    def reading(self) -> bool:
        """True while a reading is under way."""
        return self._job is not None

    def _stop(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()

    def values(self, ctx: JobContext, of: Measured | None, texts: ExploredTexts) -> np.ndarray:
        """Return the scores of the texts, or their lengths without a scorer. In a job; each is read once."""
        if of is None:
            return texts.lengths.astype(np.float64)
        if self.source is None or len(self._scores.get(of, ())) == len(texts):
            return self._scores.get(of, np.full(len(texts), np.nan))
        scores = self.source.score(ctx, texts, of)
        self._scores[of] = scores
        return scores

    # boxes

    def box(self, name: str) -> ComboBox:
        """Add a labelled box to the tools; a choice in it draws the view again."""
        made = ComboBox()
        made.setAccessibleName(tr(name))
        made.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        label = Label(name, "soft")
        label.setBuddy(made)
        self.tools.addWidget(row_of(label, made, spacing=theme.current().grid))
        made.activated.connect(lambda _: self.draw())
        return made

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw()


def show_box(box: ComboBox, shown: bool) -> None:
    """Show or hide a box with its label."""
    box.parentWidget().setVisible(shown)


def fill(box: ComboBox, choices: Sequence[tuple[str, Any]], first: Any = None) -> None:
    """Offer (words, value) pairs; the chosen one stays chosen, else `first`."""
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == list(choices):
        return
    before = box.currentData() if box.count() else first
    box.clear()
    for words, value in choices:
        box.addItem(safe_line(tr(words)), value)
    values = [value for _, value in choices]
    box.setCurrentIndex(values.index(before) if before in values else values.index(first) if first in values else 0)


def legend(groups: Grouping, kind: str) -> list[LegendEntry]:
    return [LegendEntry(name, place, kind) for place, name in groups.members()]  # type: ignore[arg-type]


def field_choices(texts: ExploredTexts) -> list[tuple[str, Any]]:
    """Return the fields that texts can be grouped by."""
    return [(coded.title, name) for name, coded in texts.fields.items()]


def score_choices(texts: ExploredTexts) -> list[tuple[str, Any]]:
    """Return the numbers that each text has: its length, and the scores."""
    versions = [scorer.name for scorer in texts.scorers]
    scores = [
        (scorer_title(scorer.name) + (f" {scorer.version}" if versions.count(scorer.name) > 1 else ""), scorer)
        for scorer in texts.scorers
    ]
    return [(tr("length in characters"), None), *scores]


# ---- Scores by group

MOST_POINTS = 100_000  # that are drawn one by one, at random; a selection takes all
FEW_CURVES = 3  # more are a crowd
AXIS_WIDTH = 168  # of the upright axes: both as wide, with room for names
NONE = "none"
FUNCTION, HISTOGRAM = "function", "histogram"


@dataclass(frozen=True)
class Scored:
    """The data to draw: curves, and points by their index among the texts."""

    texts: ExploredTexts
    groups: Grouping
    x: np.ndarray
    y: np.ndarray
    points: np.ndarray
    curves: tuple[Curve, ...]
    stand_ins: frozenset[str]


class ScoresView(ExploreView):
    """Two plots that share the axis of the score. A mark in either leads to the texts."""

    key, title = "scores", "Scores"

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.score = self.box(tr("Score"))
        self.group = self.box(tr("By"))
        self.shape = self.box(tr("As"))
        self.against = self.box(tr("Against"))
        self.above, self.below = Plot(tr("Distribution")), Plot(tr("Single texts"))
        self.above.full_height = True
        self.below.link_x(self.above)
        theme.follow(self._align)
        self.above.wheel_needs_focus = self.below.wheel_needs_focus = True
        self.distribution = PlotCard(self.above, tr("Distribution"), shell, markable=True)
        self.single = PlotCard(self.below, tr("Single texts"), shell, markable=True)
        self.cloud = Cloud()
        self.cloud.words = self._words
        page = Column()
        add_to(page.box, (self.distribution, 1), (self.single, 1), spacing=theme.current().grid)
        self.column.addWidget(page, 1)
        self.above.marked.connect(partial(self._mark, stretch_only=True))
        self.below.marked.connect(partial(self._mark, stretch_only=False))
        self.below.picked.connect(self._pick)
        self._scored: Scored | None = None
        self._fitted: object = None

    def offer(self) -> None:
        scores = score_choices(self.texts)
        fill(self.score, scores, scores[-1][1])
        fill(self.group, [*field_choices(self.texts), (tr("all together"), None)], "identity")
        fill(self.shape, [(tr("distribution function"), FUNCTION), (tr("histogram"), HISTOGRAM)], FUNCTION)
        fill(self.against, [(tr("nothing"), NONE), *scores], NONE)

    def draw(self) -> None:
        texts, source = self.texts, self.source
        if source is None or not len(texts):
            self._scored = None
            for card in (self.distribution, self.single):
                card.tell_nothing(tr("No texts yet. Write or import some: their scores are shown here by group."))
            return
        coded = texts.fields.get(self.group.currentData() or "")
        of, against, shape = self.score.currentData(), self.against.currentData(), self.shape.currentData()

        def work(ctx: JobContext) -> Scored:
            x = self.values(ctx, of, texts)
            groups = grouping(coded, len(texts), np.flatnonzero(np.isfinite(x)))
            y = jitter(groups) if against == NONE else self.values(ctx, against, texts)
            curves = (histograms if shape == HISTOGRAM else distribution_functions)(x, groups)
            drawable = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
            points = draw(drawable, MOST_POINTS)
            shuffled = np.random.default_rng(0).permutation(points)
            return Scored(texts, groups, x, y, shuffled, tuple(curves), source.stand_ins(ctx))

        self.read(work, self._show)

    # showing

    def _show(self, scored: Scored) -> None:
        self._scored = scored
        if not len(scored.points):
            sentence = self._nothing()
            self.distribution.tell_nothing(sentence)
            self.single.tell_nothing(sentence)
            return
        looked_at = (self.source, self.score.currentData(), self.against.currentData(), self.shape.currentData())
        fit, self._fitted = looked_at != self._fitted, looked_at
        self._show_curves(scored, fit=fit)
        self._show_points(scored, fit=fit)
        for plot in (self.above, self.below):
            plot.paint_later()
        if self.against.currentData() != NONE and self.source is not None and scored.texts.complete:
            source = self.source
            self.read(lambda ctx: source.correlation(ctx, scored.x, scored.y), self._tell_correlation)

    def _nothing(self) -> str:
        name = self.score.currentText()
        if self.against.currentData() != NONE:
            return tr("No text has both scores. Measure the study, or score its texts in Models.")
        return tr("No text has a number for “{score}”: where a scorer finds nothing to score, it gives none.").format(
            score=name
        )

    def _show_curves(self, scored: Scored, *, fit: bool) -> None:
        histogram = self.shape.currentData() == HISTOGRAM
        share = tr("share of its texts") if histogram else tr("share of texts at or below")
        self.above.set_words(x=(self.score.currentText(), "", ()), y=(share, "proportion", ()))
        items = []
        for curve in scored.curves:
            band = LiveBand(curve.name, curve.place, "proportion", stepped=True)
            band.crowded = len(scored.curves) > FEW_CURVES
            band.column_names = (self.score.currentText(), "share", "low", "high")
            band.set_data(curve.x, curve.y, curve.low, curve.high)
            band.words = partial(_curve_words, curve, histogram)
            items.append(band)
        self.above.show_items(items, fit=fit)
        known = int(np.isfinite(scored.x).sum())
        sentence = tr("{texts} with this score, {groups}, {stretch}.").format(
            texts=plural(known, "1 text", "%n texts"), groups=scored.groups.told, stretch=stretch(scored.x)
        )
        if missing := len(scored.x) - known:
            sentence += " " + plural(missing, "1 text has none.", "%n texts have none.")
        if not scored.texts.complete:
            sentence = tr("Reading, {read} of about {total} so far. {said}").format(
                read=number(len(scored.texts)), total=number(scored.texts.total), said=sentence
            )
        if not histogram:
            sentence += " " + tr(
                "Bands: 95 % for the whole curve (Dvoretzky, Kiefer, Wolfowitz), as if texts were independent."
            )
        self.distribution.set_title(tr("Distribution of {score}").format(score=self.score.currentText()))
        self.distribution.tell(sentence, _counted(scored.curves))
        self.distribution.show_stand_ins(self._stand_ins(scored, self.score))

    def _show_points(self, scored: Scored, *, fit: bool) -> None:
        names = [name for _, name in scored.groups.members()]
        strip = self.against.currentData() == NONE
        y = ("", "", tuple(names)) if strip else (self.against.currentText(), "", ())
        self.below.set_words(x=(self.score.currentText(), "", ()), y=y)
        self.cloud.x_name = self.score.currentText()
        self.cloud.y_name = tr("height, by chance") if strip else self.against.currentText()
        points = scored.points
        self.cloud.set_points(scored.x[points], scored.y[points], scored.groups.codes[points], tuple(names))
        self.below.show_items([self.cloud], fit=fit)
        both = int((np.isfinite(scored.x) & np.isfinite(scored.y)).sum())
        words = plural(len(points), "1 text", "%n texts")
        if len(points) < both:
            words = tr("{drawn} drawn at random of {all}; a selection takes all").format(
                drawn=number(len(points)), all=plural(both, "1 text", "%n texts")
            )
        self.single.set_title(tr("Single texts") if strip else tr("One score against another"))
        self.single.tell(f"{words}.", legend(scored.groups, "sign") if len(names) > 1 else ())
        self.single.show_stand_ins(self._stand_ins(scored, self.score, self.against))

    def _stand_ins(self, scored: Scored, *boxes: ComboBox) -> list[str]:
        chosen = (box.currentData() for box in boxes)
        return [scorer_title(of.name) for of in chosen if isinstance(of, Measured) and of.name in scored.stand_ins]

    def _tell_correlation(self, rho: SpearmanRho) -> None:
        bounds = rho.interval.bounds
        if rho.value is None:
            sentence = tr("Rank correlation: none, {reason}.").format(reason=rho.reason)
        else:
            ends = (bounds.low, bounds.high) if bounds else (None, None)
            sentence = tr(
                "Rank correlation (Spearman) {rho}, 95 % interval in brackets, n = {n}, texts taken as independent."
            )
            sentence = sentence.format(rho=digits.whole(rho.value, *ends), n=number(rho.n))
        entries = self.single.legend.entries
        self.single.tell(f"{sentence} {self.single.sentence.text()}", entries)

    def _words(self, point: int) -> str:
        scored = self._scored
        if scored is None:
            return ""
        index = int(scored.points[point])
        lines = f"{self.score.currentText()}: {digits.number(float(scored.x[index]))}"
        if self.against.currentData() != NONE:
            lines += f"\n{self.against.currentText()}: {digits.number(float(scored.y[index]))}"
        return f"{lines}\n{scored.texts.title(index)}"

    def _align(self, _tokens: object = None) -> None:
        """Align both plots, so that a score has the same place in them."""
        for plot in (self.above, self.below):
            plot.y_axis.setWidth(theme.current().px(AXIS_WIDTH))

    # selecting

    def _mark(self, corners: np.ndarray, *, stretch_only: bool) -> None:
        scored = self._scored
        if scored is None:
            return
        x, y = scored.x.astype(float), scored.y.astype(float)

        def work(ctx: JobContext) -> np.ndarray:
            if stretch_only:
                return (x >= corners[:, 0].min()) & (x <= corners[:, 0].max())
            with np.errstate(invalid="ignore"):
                return inside(corners, x, y)

        low, high = (digits.number(float(end)) for end in (corners[:, 0].min(), corners[:, 0].max()))
        how = tr("{score} from {low} to {high}").format(score=self.score.currentText(), low=low, high=high)
        self.read(work, lambda found: self._choose(found, how))

    def _pick(self, x: float, y: float) -> None:
        across, up = self.below.view.viewPixelSize()
        point = self.cloud.nearest(x, y, (12 * across, 12 * up))
        if self._scored is not None and point is not None:
            index = self._scored.points[point]
            self._choose(np.arange(len(self.texts)) == index, tr("Picked"))

    def _choose(self, texts: np.ndarray, how: str) -> None:
        if self._scored is None or len(texts) != len(self.texts):
            return
        for plot in (self.above, self.below):
            plot.clear_mark()
        self.cloud.choose(texts[self._scored.points] if texts.any() else None)
        self.chosen.emit(texts, np.isfinite(self._scored.x), how)

    def clear_choice(self) -> None:
        self.cloud.choose(None)


def _counted(curves: tuple[Curve, ...]) -> list[LegendEntry]:
    return [LegendEntry(f"{curve.name}, n = {number(curve.n)}", curve.place, "line") for curve in curves]


def _curve_words(curve: Curve, histogram: bool, place: int) -> str:
    value = digits.number(float(curve.x[place]))
    if histogram:
        share = digits.number(float(curve.y[place]), "proportion")
        after = digits.number(float(curve.x[min(place + 1, len(curve.x) - 1)]))
        return tr("{name}: {share} of n = {n} from {low} to {high}").format(
            name=curve.name, share=share, n=number(curve.n), low=value, high=after
        )
    share = digits.whole(float(curve.y[place]), float(curve.low[place]), float(curve.high[place]), "proportion")
    return tr("{name}: {share} of n = {n} at or below {value}").format(
        name=curve.name, share=share, n=number(curve.n), value=value
    )
