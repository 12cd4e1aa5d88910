"""The chart of a fingerprint: a radar of what was chosen relative to chance, or bars where there is none.

Source: METHODS, “Personal fingerprint”; UX, “The look”: chance is a circle, the noise floor a shaded ring.
"""

import math

from core.judging.fingerprint import AxisChoice, Fingerprint, ShareOfChoices
from desktop.charts import numbers
from desktop.charts.chance import anytime_chance_range, chance_range
from desktop.charts.fingerprint_rows import bars_view
from desktop.charts.fingerprint_voices import Voice, bounds, chance_key, each, tip_of, voices
from desktop.charts.view import LegendKey, RadarPoint, RadarSeries, RadarView, Spoke, View
from desktop.widgets.words import plural, tr

MIN_SPOKES = 3


def shares_view(found: Fingerprint) -> View:
    """A radar; bars where there are too few identities for one."""
    return (
        radar_view(found)
        if sum(len(axis.identities) for axis in found.axes) >= MIN_SPOKES
        else bars_view(found, title_of(found))
    )


def title_of(found: Fingerprint) -> str:
    if found.kind == "model":
        return tr("How often it chose each identity’s text, relative to chance")
    return tr("How often you chose each identity’s text, relative to chance")


def radar_view(found: Fingerprint) -> RadarView:
    """Spoke = share × number of identities. The ring, spoke by spoke: where chance ends 95 times in 100."""
    speaking = voices(found)
    if not speaking:
        return RadarView(title_of(found), (), (), (), 2.0, empty=tr("There is no comparison with a choice."))
    spokes = tuple(
        Spoke(axis.title if len(found.axes) > 1 else "", one.label, _ring(axis, complete=found.complete))
        for axis, one in each(found.axes)
    )
    keys = [(axis.axis, one.identity) for axis, one in each(found.axes)]
    series = []
    for place, voice in enumerate(speaking):
        points = {(axis.axis, one.identity): _point(voice, axis, one) for axis, one in each(voice.axes)}
        series.append(RadarSeries(voice.title, place, tuple(points.get(key) for key in keys)))
    ends = [point.value for one in series for point in one.points if point]
    ends += [point.high for point in series[0].points if point and point.high is not None]
    ends += [spoke.floor[1] for spoke in spokes if spoke.floor]
    limit = max(2.0, math.ceil(2 * max(ends) - 1e-9) / 2)
    lines = (LegendKey("line", voice.title, place, hollow=place > 0) for place, voice in enumerate(speaking))
    rings = tr("The rings stand half of chance apart; the outermost is {limit} × chance.")
    return RadarView(
        title=title_of(found),
        legend=(*_legend(), *lines),
        spokes=spokes,
        series=tuple(series),
        limit=limit,
        notes=(rings.format(limit=numbers.fixed(limit, 0 if limit == round(limit) else 1)),),
        complete=found.complete,
    )


def summary(found: Fingerprint) -> str:
    """ "180 comparisons, 60 on each axis": how much it rests on."""
    whole = plural(found.planned, "1 comparison", "%n comparisons")
    planned = {axis.planned for axis in found.axes}
    if len(found.axes) > 1 and len(planned) == 1:
        return tr("{whole}, {n} on each axis").format(whole=whole, n=numbers.count(planned.pop()))
    return whole


def _ring(axis: AxisChoice, *, complete: bool) -> tuple[float, float] | None:
    if not axis.n:
        return None
    k = len(axis.identities)
    low, high = (chance_range if complete else anytime_chance_range)(axis.n, 1 / k)
    return low * k, high * k


def _point(voice: Voice, axis: AxisChoice, one: ShareOfChoices) -> RadarPoint | None:
    finding = voice.shares.get((axis.axis, one.identity))
    if one.relative is None or finding is None:
        return None
    low, high = bounds(voice, axis, one)
    return RadarPoint(finding, one.relative, low, high, tip_of(voice, axis, one, low, high))


def _legend() -> tuple[LegendKey, ...]:
    return (LegendKey("floor", tr("what chance alone would give")), chance_key())
