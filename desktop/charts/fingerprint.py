"""The figures of a fingerprint: what was chosen relative to chance, and the scores (ABS) of each axis. No Qt widgets.

Source: METHODS, “Personal fingerprint”. Axes are unrelated, so no line joins them: each has bars of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.findings import Finding, Floor
from biasprint.core.judging.fingerprint import SIGNIFICANT, AxisChoice, Fingerprint, ShareOfChoices
from biasprint.core.metrics.anytime import share_band
from biasprint.desktop.widgets.words import plural, tr

TIMES = 1  # decimals of “times chance”
NOTHING = Figure("fingerprint", "creativity", "", "", "bars", (), empty=" ")


@dataclass(frozen=True)
class _Chooser:
    """A chooser that is drawn. `own`: the one whose fingerprint it is; the others are drawn beside it."""

    title: str
    axes: tuple[AxisChoice, ...]
    findings: tuple[Finding, ...]
    complete: bool


def shares_figure(found: Fingerprint) -> Figure:
    """Return the bars of each axis, with intervals: the rater's own, and beside them those of the group and models."""
    choosers = _choosers(found)
    marks = [mark for chooser in choosers for mark in _share_marks(chooser, several=len(found.axes) > 1)]
    whose = tr("How often you chose each kind of text, beside choosing blindly")
    if found.kind == "model":
        whose = tr("How often it chose each kind of text, beside choosing blindly")
    return Figure(
        key="fingerprint.shares",
        study="creativity",
        title=whose,
        subtitle="",
        kind="bars",
        marks=tuple(marks),
        unit=tr("times chance"),
        axis=tr("1: as often as by choosing blindly; 2: twice as often"),
        null=1.0,
        null_words=tr("chance"),
        n_title=tr("choices"),
        complete=found.complete,
        band_words=tr("95 % band, valid whenever one looks"),
        empty=tr("There is no comparison with a choice."),
    )


def scores_figure(found: Fingerprint) -> Figure:
    """Return the figure of each axis's ABS, with its interval and noise floor."""
    marks = [
        _score_mark(found, axis, finding)
        for axis in found.axes
        for finding in found.findings
        if (finding.id, finding.variant, finding.dims.get("axis")) == ("creativity.abs", "default", axis.axis)
    ]
    return Figure(
        key="fingerprint.scores",
        study="creativity",
        title=tr("Affinity Bias Score (ABS)"),
        subtitle="",
        kind="intervals",
        marks=tuple(marks),
        unit=tr("score"),
        axis=tr("0: every identity chosen equally often"),
        n_title=tr("choices"),
        complete=found.complete,
        band_words=tr("95 % interval for one look"),
    )


def summary(found: Fingerprint) -> str:
    """Return the number of comparisons behind the figures: "180 comparisons, 60 on each axis"."""
    whole = plural(found.planned, "1 comparison", "%n comparisons")
    planned = {axis.planned for axis in found.axes}
    if len(found.axes) > 1 and len(planned) == 1:
        return tr("{whole}, {n} on each axis").format(whole=whole, n=digits.count(planned.pop()))
    return whole


def _choosers(found: Fingerprint) -> Sequence[_Chooser]:
    """Return the rater, then the group, then the models; without those who made no choice."""
    own = found.code if found.kind == "model" else tr("you")
    every = [_Chooser(own, found.axes, found.findings, found.complete)]
    if found.group is not None:
        title = plural(found.group.people, "group of 1", "group of %n")
        every.append(_Chooser(title, found.group.axes, found.group.findings, complete=True))
    every += [_Chooser(model.title, model.axes, model.findings, complete=True) for model in found.models]
    return [chooser for chooser in every if any(axis.n for axis in chooser.axes)]


def _share_marks(chooser: _Chooser, *, several: bool) -> Iterator[FigureMark]:
    shares = {
        (finding.dims["axis"], finding.label): finding
        for finding in chooser.findings
        if (finding.id, finding.variant) == ("creativity.share", "default")
    }
    for axis in chooser.axes:
        for share in axis.identities:
            finding = shares.get((axis.axis, share.identity))
            if share.relative is None or finding is None:
                continue
            low, high = _bounds(chooser, axis, share)
            yield FigureMark(
                finding=finding,
                row=share.label,
                series=chooser.title,
                section=axis.title if several else "",
                value=share.relative,
                low=low,
                high=high,
                n=axis.n,
                band=not chooser.complete,
                tip=_share_tip(chooser, axis, share, low, high),
            )


def _bounds(chooser: _Chooser, axis: AxisChoice, one: ShareOfChoices) -> tuple[float | None, float | None]:
    """Return the interval; before the planned n a band that may be looked at any number of times."""
    if chooser.complete:
        return (None, None) if one.interval is None else (one.interval.low, one.interval.high)
    band = share_band(one.chosen, axis.n)
    return band.low * len(axis.identities), band.high * len(axis.identities)


def _share_tip(chooser: _Chooser, axis: AxisChoice, one: ShareOfChoices, low: float | None, high: float | None) -> str:
    """Return the tooltip of a share: who chose what how often, what chance would give, and the interval."""
    assert one.relative is not None
    lines = [
        tr("{who}: {label} ({axis}) in {chosen} of {n} choices").format(
            who=chooser.title,
            label=one.label,
            axis=axis.title,
            chosen=digits.fixed(one.chosen, 0 if one.chosen == round(one.chosen) else 1),
            n=digits.count(axis.n),
        ),
        tr("{times} times as often as chance").format(times=digits.fixed(one.relative, TIMES)),
    ]
    if low is not None and high is not None:
        shown = f"{digits.fixed(low, TIMES)}–{digits.fixed(high, TIMES)}"
        words = tr("95 % interval {shown}") if chooser.complete else tr("95 % band {shown}, whenever one looks")
        lines.append(words.format(shown=shown))
    return "\n".join(lines)


def _score_mark(found: Fingerprint, axis: AxisChoice, finding: Finding) -> FigureMark:
    low, high = (None, None) if axis.interval is None else (axis.interval.low, axis.interval.high)
    floor = None
    if axis.floor_mean is not None and axis.floor_p95 is not None:
        floor = Floor(axis.floor_mean, axis.floor_p95, finding.floor.p if finding.floor else 1.0)
    return FigureMark(
        finding=finding,
        row=axis.title,
        value=axis.abs,
        low=low,
        high=high,
        reason=axis.reason,
        n=axis.n,
        floor=floor,
        band=not found.complete and low is not None,
        tip=_score_tip(axis, low, high) if axis.abs is not None else "",
    )


def _score_tip(axis: AxisChoice, low: float | None, high: float | None) -> str:
    figure, interval = digits.written(axis.abs, low, high)
    lines = [tr("{axis}: {figure}, n = {n}").format(axis=axis.title, figure=figure, n=digits.count(axis.n))]
    lines += [tr("95 % interval {shown}").format(shown=interval)] if interval else []
    if axis.floor_mean is not None and axis.floor_p95 is not None:
        floor = tr("With no preference at all: {mean} on average, below {p95} in 95 of 100 cases")
        lines.append(floor.format(mean=digits.number(axis.floor_mean), p95=digits.number(axis.floor_p95)))
    if axis.testing is not None:
        lines.append(digits.p_value(axis.testing.p_adjusted) + tr(" (Holm over the axes)") * (axis.testing.axes > 1))
        if axis.testing.p <= SIGNIFICANT < axis.testing.p_adjusted and low:
            alone = tr("The interval is for this one axis; adjusted for {n} axes it does not stand out.")
            lines.append(alone.format(n=digits.count(axis.testing.axes)))
    return "\n".join(lines)
