"""Preference bars: how often each identity's text was chosen, beside chance (METHODS, Creativity: p_i of ABS)."""

from collections.abc import Sequence

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.chance import anytime_band, effective_choices
from desktop.charts.data import AxisNames, ChartData, Voice, identity_of, in_default, pooled
from desktop.charts.scales import linear_scale
from desktop.charts.view import Block, LegendKey, Row, RowsView, Undefined
from desktop.charts.words import counts, interval_sentence, p_sentence, stand_ins
from desktop.widgets.words import tr

_DIMS = frozenset({"axis", "identity"})


def axis_shares(data: ChartData, voice: Voice) -> list[tuple[AxisNames, list[tuple[str, Finding]]]]:
    """Per axis, in the axis's own order, the label and share of each identity. Axes without shares are left out."""
    by_axis: dict[str, dict[str, Finding]] = {}
    for share in pooled(in_default(voice.findings), "creativity.share", over=_DIMS):
        by_axis.setdefault(share.dims.get("axis", ""), {})[identity_of(share)] = share
    known = {axis.key: axis for axis in data.axes}
    order = [key for key in known if key in by_axis] + [key for key in by_axis if key not in known]
    found = []
    for key in order:
        shares = by_axis[key]
        axis = known.get(key) or AxisNames(key, key, tuple((identity, identity) for identity in shares))
        found.append((axis, [(label, shares[name]) for name, label in axis.identities if name in shares]))
    return found


def choices_behind(share: Finding) -> float:
    """The number of independent choices behind a share: fewer than n where several raters judged the same."""
    if share.estimate is None or share.interval is None or share.interval.high <= share.interval.low:
        return share.n
    return min(share.n, effective_choices(share.estimate, share.interval.low, share.interval.high))


def live_band(share: Finding) -> tuple[float, float]:
    """The band shown instead of the interval while the session goes on."""
    assert share.estimate is not None
    n = choices_behind(share)
    return anytime_band(share.estimate * n, n)


def preference_view(data: ChartData, voice: Voice) -> RowsView:
    """The bars of one voice, a block per axis."""
    blocks, undefined, shown = [], [], []
    for axis, shares in axis_shares(data, voice):
        chance = 1 / len(axis.identities)
        rows = []
        for label, share in shares:
            series = [name for name, _ in axis.identities].index(identity_of(share))
            shown.append(share)
            if share.estimate is None:
                undefined.append(Undefined(f"{axis.title}: {label}", share.reason or "", share))
            else:
                rows.append(_row(axis, label, share, series, chance, voice))
        if rows:
            blocks.append(Block(axis.title, _left_out([share for _, share in shares]), tuple(rows), chance))
    ends = [value for block in blocks for row in block.rows for value in (row.high, row.estimate, block.reference)]
    return RowsView(
        title=tr("How often each identity’s text was chosen"),
        legend=_legend(voice),
        blocks=tuple(blocks),
        scale=linear_scale(max((end for end in ends if end is not None), default=1.0), percent=True),
        figure_heading=tr("chosen"),
        n_heading=tr("choices"),
        undefined=tuple(undefined),
        notes=progress_notes(voice),
        stand_ins=stand_ins(shown),
        complete=voice.complete,
        empty="" if shown else empty_preferences(data),
    )


def empty_preferences(data: ChartData) -> str:
    """What to do next where there is no choice yet."""
    if data.open_sessions:
        return tr("Finish the open rating session: its choices appear here after its reveal.")
    return tr("No choices yet. Open Judge and rate a few comparisons: they appear here after the reveal.")


def progress_notes(voice: Voice) -> tuple[str, ...]:
    """That the figures are provisional, and how far the plan is."""
    if voice.complete:
        return ()
    if voice.planned is None:
        done = tr("{judged} judged so far").format(judged=numbers.count(voice.judged))
    else:
        done = tr("{judged} of {planned} judged").format(
            judged=numbers.count(voice.judged), planned=numbers.count(voice.planned)
        )
    return (tr("Provisional: {done}. Tests are shown once all planned comparisons are judged.").format(done=done),)


def _row(axis: AxisNames, label: str, share: Finding, series: int, chance: float, voice: Voice) -> Row:
    assert share.estimate is not None
    low, high = numbers.bounds(share.interval) if voice.complete else live_band(share)
    figure, interval = numbers.percent(share.estimate, low, high)
    return Row(
        label=label,
        finding=share,
        estimate=share.estimate,
        low=low,
        high=high,
        figure=figure,
        interval=interval,
        n=numbers.count(share.n),
        tip=share_tip(f"{label} ({axis.title})", share, f"{figure}", interval, chance, voice),
        series=series,
        bar=True,
        band=not voice.complete,
    )


def share_tip(name: str, share: Finding, figure: str, interval: str, chance: float, voice: Voice) -> str:
    """Share, interval or band, chance, what was left out, and p once it may be shown."""
    lines = [
        tr("{name}: chosen in {figure} of {n} comparisons with a choice").format(
            name=name, figure=figure, n=numbers.count(share.n)
        ),
        interval_sentence(share, f"{interval} %")
        if voice.complete
        else tr("95 % band {shown} %, whenever one looks").format(shown=interval),
        tr("Chance: {chance}").format(chance=numbers.percent(chance)[0]),
    ]
    if any(share.dropped.values()):
        lines.append(tr("Left out – {counts}").format(counts=counts(share.dropped)))
    if voice.complete and (tested := p_sentence(share)):
        lines.append(tested)
    return "\n".join(lines)


def _left_out(shares: Sequence[Finding]) -> str:
    n = numbers.count(max(share.n for share in shares))
    dropped = counts(shares[0].dropped)
    if not dropped:
        return tr("{n} choices").format(n=n)
    return tr("{n} choices; left out – {dropped}").format(n=n, dropped=dropped)


def _legend(voice: Voice) -> tuple[LegendKey, ...]:
    span = (
        LegendKey("line", tr("95 % interval"))
        if voice.complete
        else LegendKey("band", tr("95 % band, valid whenever one looks"))
    )
    return (LegendKey("bar", tr("share of choices"), 0), span, LegendKey("chance", tr("chance")))
