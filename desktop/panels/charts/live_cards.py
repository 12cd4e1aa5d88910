"""The plots on the live board: a measure with its bands, the pace of the work, the lengths of texts.

The live board's card of how much each rater has judged: counts and rates only, revealed or not.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from biasprint.core.draw import digits
from biasprint.core.runs.live import LiveJudging, LiveRates, Trace
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import PaintCanvas
from biasprint.desktop.operations.runs import cut_off, failure_words
from biasprint.desktop.plots.axis import COUNT, LegendEntry
from biasprint.desktop.plots.band import BAND_OPACITY, Columns, LiveBand, PlotBounds, Region
from biasprint.desktop.plots.card import PlotCard, PlotHost, copy_tables, drawn_page, file_actions, save_as
from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.read.board import BoardCurve, BoardMeasure, BoardPace
from biasprint.desktop.widgets import Card, ElidedLabel, Label, ProgressThin, QuietButton, number, plural, tr
from biasprint.desktop.widgets.layout import STRETCH, add_to, in_row
from biasprint.desktop.widgets.safe_text import as_given
from biasprint.desktop.wording.live import pace_words, scored_words, with_value

MOST_SHOWN = 8
LINE, BAR, BESIDE = 22.0, 8.0, 12.0  # of a picture: pixels
POINT_ROOM = 0.02  # of the value of a first point: what stands for it is not cut off by the axes
CROWDED, FAINT = 3, 0.10  # from so many bands over each other on, each is so faint
MOST_TOLD = 4  # curves whose values stand in the legend: more would leave the plot no room, the crosshair tells them
SHARES = ("share", "proportion")
SETTLED = 0.15  # of the points: the bands of the first ones are so wide that nothing else could be read beside them
WIDEST = 2.5  # and no band is shown whole that is so many times as wide as the present one


class RaterCountsCard(Card):
    """The progress and pace of each rater, without any choice."""

    def __init__(self, host: PlotHost) -> None:
        super().__init__()
        self._host = host
        self.set_padding(theme.current().gap)
        self.heading = Label(tr("Judging"), "heading", wrap=True)
        self.setAccessibleName(tr("Judging"))
        self.save = QuietButton(tr("Save…"), icon="export")
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=tr("Judging")))
        self.actions_of_files = file_actions(self, lambda: tr("Judging"), self.save_to, self.copy)
        menu = QMenu(self)
        menu.addActions(self.actions_of_files)
        self.save.setMenu(menu)
        self.head = in_row((self.heading, 1), self.save)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(theme.current().gap)
        self.note = Label("", "note", wrap=True)
        add_to(self.box, self.head, self._grid, self.note, STRETCH)
        self.rows: list[tuple[ElidedLabel, ProgressThin, Label]] = []
        self.judging: tuple[LiveJudging, ...] = ()

    def show_judging(self, judging: Sequence[LiveJudging]) -> None:
        """Show the latest sessions."""
        self.judging = tuple(judging)
        shown = self.judging[-MOST_SHOWN:]
        while len(self.rows) < len(shown):
            row = (ElidedLabel("", "strong"), ProgressThin(), Label("", "soft"))
            for column, widget in enumerate(row):
                self._grid.addWidget(widget, len(self.rows), column)
            self.rows.append(row)
        for place, (name, bar, words) in enumerate(self.rows):
            for widget in (name, bar, words):
                widget.setVisible(place < len(shown))
            if place < len(shown):
                session = shown[place]
                name.set_text(session.rater)
                bar.set_progress(session.judged, session.planned)
                bar.setAccessibleName(tr(f"{as_given(session.rater)}: {judging_words(session)}"))
                words.setText(judging_words(session))
        self.note.setText(_note(len(self.judging) - len(shown)))

    def save_to(self, path: Path) -> None:
        """Save a picture of every session, or a table of them."""
        judging, tokens = self.judging, theme.tokens_for("light")

        def draw(ending: str) -> bytes:
            return drawn_page(lambda canvas: _draw(canvas, judging), ending, tokens, self.width(), tr("Judging"))

        save_as(path, self._host, draw, [_columns(judging)])

    def copy(self) -> None:
        copy_tables([_columns(self.judging)], self._host)


def judging_words(one: LiveJudging) -> str:
    """Return the progress and pace: "12 of 60, 3.2 a minute"."""
    words = tr("{judged} of {planned}").format(judged=number(one.judged), planned=number(one.planned))
    if one.per_minute is not None and not one.revealed:
        words += tr(", {rate} a minute").format(rate=number(one.per_minute, 1))
    return words


def _note(more: int) -> str:
    sentence = tr("Counts alone: what was chosen is shown after the reveal.")
    return f"{plural(more, '1 earlier session.', '%n earlier sessions.')} {sentence}" if more else sentence


def _columns(judging: Sequence[LiveJudging]) -> Columns:
    return {
        "rater": [as_given(session.rater) for session in judging],
        "kind": [session.kind for session in judging],
        "judged": [session.judged for session in judging],
        "planned": [session.planned for session in judging],
        "per_minute": [None if session.per_minute is None else round(session.per_minute, 2) for session in judging],
        "revealed": [session.revealed for session in judging],
    }


def _draw(canvas: PaintCanvas, judging: Sequence[LiveJudging]) -> float:
    """Draw a line of each session: the rater, a bar, and its count; return the height."""
    y = canvas.paragraph(0, 0, canvas.width, tr("Judging"), "title", "ink") + BESIDE
    lines = [(as_given(session.rater), judging_words(session), session) for session in judging]
    left = max((canvas.measure(name, "strong-note") for name, _, _ in lines), default=0.0) + BESIDE
    right = max((canvas.measure(words, "note") for _, words, _ in lines), default=0.0) + BESIDE
    room = max(BAR, canvas.width - left - right)
    for name, words, session in lines:
        canvas.text(0, y + LINE / 2 + 4, name, "strong-note", "ink")
        canvas.rect(left, y + (LINE - BAR) / 2, room, BAR, "floor", radius=BAR / 2)
        share = min(1.0, session.judged / session.planned) if session.planned else 0.0
        canvas.rect(left, y + (LINE - BAR) / 2, room * share, BAR, "series-1", radius=BAR / 2)
        canvas.text(left + room + BESIDE, y + LINE / 2 + 4, words)
        y += LINE
    return canvas.paragraph(0, y + BESIDE, canvas.width, _note(0))


class MeasureDrawing:
    """A plot of estimates over n with bands that hold at every look; a series per group, run and model."""

    def __init__(self, measure: BoardMeasure, items: str) -> None:
        self.plot = Plot(measure.title, x=measure.items or items, x_unit=COUNT, y=measure.unit, y_unit=measure.unit)
        self._bands: dict[str, LiveBand] = {}
        self._drawn: dict[str, Trace] = {}
        self._line = _no_difference(measure.unit)
        self._floor: Region | None = None

    def show(self, measure: BoardMeasure) -> list[LegendEntry]:
        """Draw the changes, and set the legend; without any value show a sentence, and no entry."""
        if measure.reason:
            self._bands, self._drawn = {}, {}
            self.plot.show_items(())
            self.plot.say_nothing(measure.reason)
            return []
        drawn = [curve for curve in measure.curves if len(curve.trace.n)]
        opacity = FAINT if len(drawn) >= CROWDED else BAND_OPACITY
        self._bands = {curve.key: self._band(curve, measure, opacity) for curve in drawn}
        for curve in drawn:
            if self._drawn.get(curve.key) is not curve.trace:
                self._drawn[curve.key] = curve.trace
                _show_trace(self._bands[curve.key], curve.trace, measure.unit)
        items = (*self._regions(measure), *self._bands.values())
        self._keep_floor_in_view()
        if items != self.plot.items_drawn():
            self.plot.show_items(items)
        else:
            self.plot.follow()
        names = [with_value(curve.name, curve.value) if len(drawn) <= MOST_TOLD else curve.name for curve in drawn]
        entries = [LegendEntry(words, curve.place, "line") for words, curve in zip(names, drawn, strict=True)]
        entries = entries if len(drawn) > 1 else []
        return entries if self._floor is None else [*entries, LegendEntry(self._floor.name, 0, "floor")]

    def _keep_floor_in_view(self) -> None:
        """Keep the floor's upper edge in view: without it one cannot tell how far from chance a curve is."""
        bounds = next((band.bounds for band in self._bands.values()), None)
        if self._floor is not None and bounds is not None:
            at = self._floor.high
            self._floor.set_bounds(PlotBounds(bounds.left, bounds.left, at, at))

    def _band(self, curve: BoardCurve, measure: BoardMeasure, opacity: float) -> LiveBand:
        """Return the band of a curve; reuse the existing one if its look is the same."""
        name = curve.name or measure.title
        band = self._bands.get(curve.key)
        if band is None or (band.place, band.name, band.opacity) != (curve.place, name, opacity):
            band = LiveBand(name, curve.place, measure.unit)
            band.opacity = opacity
            self._drawn.pop(curve.key, None)
        return band

    def _regions(self, measure: BoardMeasure) -> list[Region]:
        if measure.floor is None or not np.isfinite(measure.floor):
            self._floor = None
        elif self._floor is None:
            self._floor = Region(tr("noise floor: the mean without any bias"), 0.0, measure.floor)
        elif self._floor.high != measure.floor:
            self._floor.set_ends(0.0, measure.floor)
        return [region for region in (self._line, self._floor) if region is not None]


class LiveMeasureCard(PlotCard):
    """A measure with its sentence and its legend."""

    def __init__(self, measure: BoardMeasure, host: PlotHost, items: str) -> None:
        self.drawing = MeasureDrawing(measure, items)
        super().__init__(self.drawing.plot, measure.title, host)
        self.show_measure(measure)

    def show_measure(self, measure: BoardMeasure) -> None:
        """Show the present values."""
        if measure.title != self.heading.text():
            self.set_title(measure.title)
        if measure.reason:
            if self.plot.nothing.text() != measure.reason or self.plot.nothing.isHidden():
                self.drawing.show(measure)
                self.tell_nothing(measure.reason)
            return
        more = f" {_left_out(measure.left_out)}" if measure.left_out else ""
        self.tell(measure.sentence + more, self.drawing.show(measure))
        self.show_stand_ins(measure.stand_ins)


def _no_difference(unit: str) -> Region | None:
    """Return the line where the groups do not differ."""
    at = 1.0 if "ratio" in unit else 0.0 if "difference" in unit else None
    return None if at is None else Region(tr("no difference"), at, at)


def _show_trace(band: LiveBand, trace: Trace, unit: str) -> None:
    """Draw all of it, and let the view follow the settled part: the first bands are many times as wide."""
    band.set_data(trace.n, trace.value, trace.low, trace.high)
    known = np.flatnonzero(np.isfinite(trace.low) & np.isfinite(trace.high))
    ends = [trace.value[round(SETTLED * len(trace.n)) :]]
    if len(known):
        now = trace.high[known[-1]] - trace.low[known[-1]]
        narrow = known[trace.high[known] - trace.low[known] <= WIDEST * now]
        ends += [trace.low[narrow], trace.high[narrow]]
    y = np.concatenate(ends)
    if bounds := PlotBounds.around(trace.n, y):
        if len(trace.n) == 1:  # room for what is drawn of a point alone
            room = POINT_ROOM * max(abs(bounds.low), abs(bounds.high))
            bounds = PlotBounds(bounds.left - 1, bounds.right + 1, bounds.low - room, bounds.high + room)
            if unit in SHARES and not len(known) and 0 <= bounds.low <= bounds.high <= 1:
                bounds = PlotBounds(bounds.left, bounds.right, 0.0, 1.0)
        band.set_bounds(bounds)


def _left_out(count: int) -> str:
    return plural(count, "1 more curve has no room here.", "%n more curves have no room here.")


class PaceCard(PlotCard):
    """Texts a second over the number of texts; in words tokens, failures, refusals and the progress of the scorers."""

    def __init__(self, host: PlotHost) -> None:
        super().__init__(Plot(tr("Pace"), x=tr("texts"), x_unit=COUNT, y=tr("texts a second")), tr("Pace"), host)
        self._bands: list[LiveBand] = []

    def show_paces(self, paces: Sequence[BoardPace], left: str) -> None:
        """Show the pace. `left`: the progress of the job and its remaining time."""
        words = " ".join(part for part in (left, *(_told(pace, many=len(paces) > 1) for pace in paces)) if part)
        if not any(len(pace.trace.n) > 1 for pace in paces):
            self._bands = []
            self.tell_nothing(_no_pace(paces))
            self.tell(words)
            return
        if [(band.name, band.place) for band in self._bands] != [(pace.name, pace.place) for pace in paces]:
            self._bands = [LiveBand(pace.name, pace.place) for pace in paces]
            self.plot.show_items(self._bands)
        for band, pace in zip(self._bands, paces, strict=True):
            band.set_data(pace.trace.n, pace.trace.value)
            if (bounds := band.bounds) is not None:
                band.set_bounds(bounds.with_(PlotBounds(bounds.left, bounds.right, 0.0, bounds.high)))
        self.plot.say_nothing("")
        self.plot.follow()
        many = [LegendEntry(pace.name, pace.place, "line") for pace in paces] if len(paces) > 1 else []
        self.tell(words, many)


def _no_pace(paces: Sequence[BoardPace]) -> str:
    if any(pace.rates.texts for pace in paces):
        return tr("The pace is drawn while texts are written.")
    if any(pace.rates.failed for pace in paces):
        return tr("There is no text to tell the pace by: every one failed.")
    return tr("Nothing is written yet.")


def _told(pace: BoardPace, *, many: bool) -> str:
    rates = pace.rates
    failed = sum(rates.failed.values())
    start = f"{pace.name}: " if many else ""
    sentences = [start + pace_words(rates, short=many)]
    sentences += [failure_words(kind, count) for kind, count in sorted(rates.failed.items())] if failed else []
    if not many and (scored := scored_words(rates)):
        sentences.append(scored)
    return " ".join(sentences)


class LengthsCard(PlotCard):
    """The number of texts by length, in words; and the number of refusals."""

    def __init__(self, host: PlotHost) -> None:
        super().__init__(
            Plot(tr("Lengths"), x=tr("words"), x_unit=COUNT, y=tr("share of texts"), y_unit="share"),
            tr("Lengths"),
            host,
        )
        self._bands: list[LiveBand] = []

    def show_paces(self, paces: Sequence[BoardPace]) -> None:
        some = [pace for pace in paces if pace.rates.texts]
        if not some:
            self._bands = []
            self.tell_nothing(tr("Nothing is written yet."))
            return
        if [(band.name, band.place) for band in self._bands] != [(pace.name, pace.place) for pace in some]:
            self._bands = [LiveBand(pace.name, pace.place, "share", stepped=True) for pace in some]
            for band in self._bands:
                band.column_names = ("words", "share", "low", "high")
                band.crowded = len(some) >= CROWDED
            self.plot.show_items(self._bands)
        for band, pace in zip(self._bands, some, strict=True):
            edges, shares = _lengths(pace.rates)
            band.set_data(edges, shares, np.zeros(len(shares)), shares)
        self.plot.say_nothing("")
        self.plot.follow()
        many = [LegendEntry(pace.name, pace.place, "line") for pace in some] if len(some) > 1 else []
        self.tell(" ".join(_lengths_told(pace, many=len(some) > 1) for pace in some), many)


def _lengths(rates: LiveRates) -> tuple[np.ndarray, np.ndarray]:
    """Return the start of each class, up to the last one with a text, and its share; the last edge closes it."""
    last = max((place for place, (_, _, count) in enumerate(rates.lengths) if count), default=0)
    classes = rates.lengths[: last + 1]
    edges = [float(low) for low, _, _ in classes]
    end = classes[-1][1]
    edges.append(float(end) if end is not None else 2 * edges[-1])
    whole = max(1, sum(count for _, _, count in classes))
    shares = [count / whole for _, _, count in classes]
    return np.array(edges), np.array([*shares, shares[-1]])


def _lengths_told(pace: BoardPace, *, many: bool) -> str:
    rates = pace.rates
    low, high, count = max(rates.lengths, key=lambda one: one[2])
    between = tr("{low} to {high} words").format(low=low, high=(high or 0) - 1)
    most = between if high is not None else tr("{low} words or more").format(low=low)
    refused = ", ".join([plural(rates.refusals, "1 refusal", "%n refusals"), *cut_off(rates.cut)])
    if many:
        return tr("{name}: most often {most}, {refused}.").format(name=pace.name, most=most, refused=refused)
    return tr("Most often {most} ({count} of {texts}); {refusals}.").format(
        most=most,
        count=digits.count(count),
        texts=plural(rates.texts, "1 text", "%n texts"),
        refusals=refused,
    )


BoardCard = LiveMeasureCard | PaceCard | LengthsCard | RaterCountsCard


def head_of(card: BoardCard) -> QWidget:
    """Return the part by which a card is dragged."""
    return card.heading
