"""Affinity: the radar of shares relative to chance, and the score (ABS) with its noise floor."""

import math
from collections.abc import Sequence

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.chance import anytime_chance_range, chance_range
from desktop.charts.data import AxisNames, ChartData, Voice, in_default, pooled
from desktop.charts.preferences import (
    axis_shares,
    choices_behind,
    empty_preferences,
    live_band,
    progress_notes,
    share_tip,
)
from desktop.charts.spread import SpreadLine, spread_view
from desktop.charts.view import LegendKey, RadarPoint, RadarSeries, RadarView, RowsView, Spoke
from desktop.charts.words import stand_ins
from desktop.widgets.words import tr

MIN_SPOKES = 3
_ABS_DIMS = frozenset({"axis"})


def radar_view(data: ChartData) -> RadarView:
    """Spoke = share × number of identities, so that chance is a circle at 1 whatever the axis.

    The shaded ring of each spoke is what choosing at random would give 95 times in 100 at the first voice's n.
    """
    title = tr("How often each identity’s text was chosen, relative to chance")
    voices = [(voice, axis_shares(data, voice)) for voice in data.voices]
    voices = [(voice, shares) for voice, shares in voices if shares]
    spokes = _spokes(voices)
    if len(spokes) < MIN_SPOKES:
        empty = tr("A radar needs three identities: see the bars under Preferences.") if spokes else None
        return RadarView(title, (), (), (), 2.0, empty=empty or empty_preferences(data))
    series = tuple(_series(voice, shares, spokes, index) for index, (voice, shares) in enumerate(voices))
    ends = [point.high or point.value for one in series for point in one.points if point]
    ends += [floor[1] for spoke in spokes.values() if (floor := spoke.floor)]
    shown = [share for _, axes in voices for _, labelled in axes for _, share in labelled]
    return RadarView(
        title=title,
        legend=_legend([voice for voice, _ in voices]),
        spokes=tuple(spokes.values()),
        series=series,
        limit=_limit(ends, max(len(axis.identities) for _, axes in voices for axis, _ in axes)),
        notes=tuple(dict.fromkeys(note for voice, _ in voices for note in progress_notes(voice))),
        stand_ins=stand_ins(shown),
        complete=all(voice.complete for voice, _ in voices),
    )


def affinity_view(data: ChartData) -> RowsView:
    """ABS per axis and voice, with interval and noise floor."""
    titles = {axis.key: axis.title for axis in data.axes}
    lines = []
    for index, voice in enumerate(data.voices):
        for found in pooled(in_default(voice.findings), "creativity.abs", over=_ABS_DIMS):
            axis = found.dims.get("axis", found.label)
            name = voice.title if len(data.voices) > 1 else ""
            lines.append(SpreadLine(titles.get(axis, axis), name, found, index, voice.complete))
    order = list(titles.values())
    lines.sort(key=lambda line: order.index(line.heading) if line.heading in order else len(order))
    notes = tuple(dict.fromkeys(note for voice in data.voices for note in progress_notes(voice)))
    return spread_view(
        tr("Affinity Bias Score (ABS)"),
        tr("0: every identity chosen equally often"),
        lines,
        n_heading=tr("choices"),
        notes=notes,
        empty=empty_preferences(data),
    )


def _limit(ends: Sequence[float], most: int) -> float:
    """Where the radar ends: a whole half at or above everything drawn, at least twice chance, at most a share of 1."""
    return min(max(2.0, math.ceil(2 * max(ends)) / 2), float(max(most, 2)))


_Axes = list[tuple[AxisNames, list[tuple[str, Finding]]]]
_Voices = Sequence[tuple[Voice, _Axes]]


def _spokes(voices: _Voices) -> dict[tuple[str, str], Spoke]:
    """One spoke per identity of any voice; the ring is that of the first voice that has it."""
    spokes: dict[tuple[str, str], Spoke] = {}
    for voice, axes in voices:
        for axis, labelled in axes:
            k = len(axis.identities)
            for label, share in labelled:
                floor = None
                if share.n:
                    at_random = chance_range if voice.complete else anytime_chance_range
                    low, high = at_random(max(1, round(choices_behind(share))), 1 / k)
                    floor = (low * k, high * k)
                spokes.setdefault((axis.key, label), Spoke(axis.title, label, floor))
    return spokes


def _series(voice: Voice, axes: _Axes, spokes: dict[tuple[str, str], Spoke], index: int) -> RadarSeries:
    points: dict[tuple[str, str], RadarPoint] = {}
    for axis, labelled in axes:
        k = len(axis.identities)
        for label, share in labelled:
            if share.estimate is not None:
                points[(axis.key, label)] = _point(f"{label} ({axis.title})", share, k, voice)
    return RadarSeries(voice.title, index, tuple(points.get(key) for key in spokes))


def _point(name: str, share: Finding, k: int, voice: Voice) -> RadarPoint:
    assert share.estimate is not None
    low, high = numbers.bounds(share.interval) if voice.complete else live_band(share)
    figure, interval = numbers.percent(share.estimate, low, high)
    tip = share_tip(name, share, figure, interval, 1 / k, voice)
    return RadarPoint(
        finding=share,
        value=share.estimate * k,
        low=None if low is None else low * k,
        high=None if high is None else high * k,
        tip=f"{voice.title} · {tip}",
    )


def _legend(voices: Sequence[Voice]) -> tuple[LegendKey, ...]:
    keys = [LegendKey("floor", tr("what choosing at random gives 95 times in 100")), LegendKey("chance", tr("chance"))]
    return (*keys, *(LegendKey("line", voice.title, index, hollow=index > 0) for index, voice in enumerate(voices)))
