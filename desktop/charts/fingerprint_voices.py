"""Whose choices a fingerprint's charts draw, and what is said of each figure on hovering. No Qt widgets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.findings import Finding
from core.judging.fingerprint import AxisChoice, Fingerprint, ShareOfChoices
from desktop.charts import numbers
from desktop.charts.chance import anytime_band
from desktop.charts.view import LegendKey
from desktop.widgets.words import plural, tr

TIMES = 1  # decimals of “times chance”


@dataclass(frozen=True)
class Voice:
    """Whose choices are drawn. `own`: of the fingerprint itself; the others stand beside it."""

    title: str
    axes: tuple[AxisChoice, ...]
    shares: dict[tuple[str, str], Finding]
    own: bool
    complete: bool


def voices(found: Fingerprint) -> tuple[Voice, ...]:
    """The rater, then the group, then the models; who made no choice at all is left out."""
    own = found.code if found.kind == "model" else tr("you")
    every = [Voice(own, found.axes, _shares(found.findings), True, found.complete)]
    if found.group is not None:
        title = plural(found.group.people, "group of 1", "group of %n")
        every.append(Voice(title, found.group.axes, _shares(found.group.findings), False, True))
    every += [Voice(one.title, one.axes, _shares(one.findings), False, True) for one in found.models]
    return tuple(voice for voice in every if any(axis.n for axis in voice.axes))


def each(axes: Sequence[AxisChoice]) -> Iterator[tuple[AxisChoice, ShareOfChoices]]:
    """Every identity with its axis, in the order in which it is drawn."""
    return ((axis, one) for axis in axes for one in axis.identities)


def bounds(voice: Voice, axis: AxisChoice, one: ShareOfChoices) -> tuple[float | None, float | None]:
    """The interval; before the planned n a band that may be looked at any number of times."""
    if voice.complete:
        return (None, None) if one.interval is None else (one.interval.low, one.interval.high)
    low, high = anytime_band(one.chosen, axis.n)
    return low * len(axis.identities), high * len(axis.identities)


def tip_of(voice: Voice, axis: AxisChoice, one: ShareOfChoices, low: float | None, high: float | None) -> str:
    """Who chose what how often, what chance would give, and the interval."""
    assert one.relative is not None
    lines = [
        tr("{who}: {label} ({axis}) in {chosen} of {n} choices").format(
            who=voice.title,
            label=one.label,
            axis=axis.title,
            chosen=numbers.fixed(one.chosen, 0 if one.chosen == round(one.chosen) else 1),
            n=numbers.count(axis.n),
        ),
        tr("{times} times as often as chance").format(times=numbers.fixed(one.relative, TIMES)),
    ]
    if low is not None and high is not None:
        shown = f"{numbers.fixed(low, TIMES)}–{numbers.fixed(high, TIMES)}"
        words = tr("95 % interval {shown}") if voice.complete else tr("95 % band {shown}, whenever one looks")
        lines.append(words.format(shown=shown))
    return "\n".join(lines)


def chance_key() -> LegendKey:
    """The same line on every chart."""
    return LegendKey("chance", tr("chance"))


def _shares(findings: Sequence[Finding]) -> dict[tuple[str, str], Finding]:
    ours = (found for found in findings if found.id == "creativity.share" and found.variant == "default")
    return {(found.dims["axis"], found.label): found for found in ours}
