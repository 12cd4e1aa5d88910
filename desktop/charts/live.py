"""The content of the live charts: findings, the words for their ids, and the figures made of them. No Qt widgets.

The figures are those of the report (`figures_of`), in the words of the project's own axes; those of sessions that go on
are provisional. The reader of the project implements `ChartSource`; the charts panel runs it off the UI thread.

The range of shares when nothing is preferred.

Pure arithmetic, no numpy: these are evaluated for a handful of shares at every refresh.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Literal, Protocol

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure, FigureMark, renamed
from biasprint.core.draw.words import counts, interval_sentence, p_sentence
from biasprint.core.findings import Finding, Variant
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import share_band
from biasprint.core.report.figures import figures_of
from biasprint.core.studies.creativity.choices import FEW_RATERS, FEWEST_RATERS
from biasprint.core.studies.kit.choose import words
from biasprint.desktop.widgets.words import tr

LEVEL = 0.95
LETTERS, DISTANCE, RBS = "letters.categories", "creativity.distance", "creativity.rbs"
PREFERENCES, ABS, ADJUSTED = "creativity.preferences", "creativity.abs", "creativity.abs.adjusted"


def chance_range(n: int, chance: float, level: float = LEVEL) -> tuple[float, float]:
    """Return the central range of the share of n independent choices at probability `chance`.

    The binomial quantiles at (1 − level)/2 and (1 + level)/2, divided by n.
    """
    tail = (1 - level) / 2
    return _binomial_quantile(n, chance, tail) / n, _binomial_quantile(n, chance, 1 - tail) / n


def effective_choices(share: float, low: float, high: float, level: float = LEVEL) -> float:
    """Return the number of independent choices that a Wilson interval of this width implies: n for independent raters.

    Several raters of the same comparison give less information than as many choices, and their interval is wider.
    Solves Wilson's half-width h = √a √(p(1−p) + a/4) / (1 + a) for a = z²/n.
    """
    z, h2, spread = NormalDist().inv_cdf((1 + level) / 2), ((high - low) / 2) ** 2, share * (1 - share)
    b = 2 * h2 - spread
    a = (b + math.sqrt(b * b + 4 * (0.25 - h2) * h2)) / (2 * (0.25 - h2))
    return z * z / a


def _binomial_quantile(n: int, p: float, q: float) -> int:
    """Return the smallest k with P(X ≤ k) ≥ q."""
    # Beyond twelve standard deviations lies less than 1e-30: summed from there, large n stay cheap.
    first = max(0, math.floor(n * p - 12 * math.sqrt(n * p * (1 - p))))
    cumulative = 0.0
    for k in range(first, n + 1):
        log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        cumulative += math.exp(log_choose + k * math.log(p) + (n - k) * math.log(1 - p))
        if cumulative >= q:
            return k
    return n


@dataclass(frozen=True)
class AxisWords:
    """An axis in the order and words that people see: identities are (id, label) pairs."""

    key: str
    title: str
    identities: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ChartVoice:
    """One chooser of the charts: one person, the group, or a model that judges.

    `findings` are `creativity.share` and `creativity.abs`. `complete` says that the planned n is reached: until then
    no p-value is shown and intervals are replaced by a band that may be looked at any number of times.
    """

    key: str
    title: str
    kind: Literal["you", "group", "model"]
    findings: tuple[Finding, ...]
    complete: bool
    judged: int
    planned: int | None = None
    people: int = 1


@dataclass(frozen=True)
class ChartData:
    """Everything the charts panel shows at one moment."""

    axes: tuple[AxisWords, ...] = ()
    voices: tuple[ChartVoice, ...] = ()
    live: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    """By study, the findings of its texts that follow a run."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Words for other ids: groups of letters, categories, models."""
    open_sessions: int = 0
    hidden_judgments: int = 0
    """Judgments of sessions that are still open: not in any figure until the reveal."""


@dataclass(frozen=True)
class TextBehind:
    """One text behind a finding."""

    key: str
    title: str
    note: str
    text: str


@dataclass(frozen=True)
class TextsBehind:
    """The first of `total` texts behind a finding."""

    total: int
    items: tuple[TextBehind, ...]


class ChartSource(Protocol):
    """Reads what the charts show. Called on a worker thread; `ctx.check()` between readings."""

    def load(self, ctx: JobContext) -> ChartData: ...
    def items(self, ctx: JobContext, finding: Finding) -> TextsBehind: ...


# texts


def letters_figures(data: ChartData, variants: Collection[Variant]) -> list[Figure]:
    """Return the odds ratios of word categories, counted in these ways; a figure for each model and pair of groups."""
    findings = [finding for finding in data.live.get("letters", ()) if finding.variant in variants]
    empty = tr("No letters measured yet. Import letters, or generate some, and measure them.")
    return _figures("letters", LETTERS, findings, data) or [_nothing("letters", LETTERS, empty)]


def variant_name(variant: Variant) -> str:
    return tr("default") if variant == "default" else tr("as published")


def distance_figures(data: ChartData) -> list[Figure]:
    """Return the distances of each identity's texts from the default text, and their spread, RBS."""
    findings = [finding for finding in data.live.get("creativity", ()) if finding.variant == "default"]
    empty = tr("No distances yet. Generate texts for the identities and the default, then measure them.")
    made = [figure for key in (DISTANCE, RBS) for figure in _figures("creativity", key, findings, data)]
    return made or [_nothing("creativity", DISTANCE, empty)]


def _figures(study: str, key: str, findings: Sequence[Finding], data: ChartData) -> list[Figure]:
    made = [figure for figure in figures_of(study, _in_order(findings, data)) if figure.key == key]
    return [renamed(figure, _names(data)) for figure in made]


def _in_order(findings: Iterable[Finding], data: ChartData) -> list[Finding]:
    """Sort by axis and identity as the axes have them; unknown ones last."""
    axes = {axis.key: place for place, axis in enumerate(data.axes)}
    identities = {(axis.key, key): place for axis in data.axes for place, (key, _) in enumerate(axis.identities)}

    def place(one: Finding) -> tuple[int, int]:
        axis = one.dims.get("axis", "")
        return axes.get(axis, len(axes)), identities.get((axis, one.label), len(identities))

    return sorted(findings, key=place)


def _names(data: ChartData) -> dict[str, str]:
    """Return the project's words for the ids of figures."""
    named = {**data.names, **{key: label for axis in data.axes for key, label in axis.identities}}
    named |= {axis.key: axis.title for axis in data.axes}
    return {words(key): label for key, label in named.items()} | named


def _nothing(study: str, key: str, empty: str) -> Figure:
    return Figure(key, study, "", "", "intervals", (), empty=empty)


# choices


def preference_figure(data: ChartData, voice: ChartVoice) -> Figure:
    """Return the figure of how often one voice chose each identity's text, relative to chance."""
    figure = _of_voices(data, [voice], PREFERENCES)
    return replace(figure, kind="bars") if figure.marks else figure


def preferences_figure(data: ChartData) -> Figure:
    """Return the figure of all voices' choices beside each other, a bar for each identity and voice."""
    figure = _of_voices(data, data.voices, PREFERENCES)
    return replace(figure, kind="bars", subtitle="", source="") if figure.marks else figure


def affinity_figure(data: ChartData) -> Figure:
    """Return the figure of how unequally each voice chose (ABS), with interval and noise floor."""
    return _of_voices(data, data.voices, ABS)


def affinity_figures(data: ChartData) -> list[Figure]:
    """Return the ABS figure as chosen, and the one at equal length and place where that could be measured.

    The second contains the first. So the first is shown separately only if the second lacks some voices.
    """
    raw, adjusted = affinity_figure(data), _of_voices(data, data.voices, ADJUSTED)
    if not adjusted.marks:
        return [raw]
    return [adjusted] if len(adjusted.marks) == 2 * len(raw.marks) else [raw, adjusted]


def _of_voices(data: ChartData, voices: Sequence[ChartVoice], key: str) -> Figure:
    """Return the study's figure of these voices' findings over all tasks, a series for each voice."""
    own: dict[int, tuple[Finding, ChartVoice]] = {}
    named = []
    for title, voice in _by_title(voices).items():
        for finding in _in_order(voice.findings, data):
            if finding.variant == "default" and set(finding.dims) == {"axis"}:
                named.append(replace(finding, dims={**finding.dims, "rater": title}))
                own[id(named[-1])] = finding, voice
    made = next((figure for figure in figures_of("creativity", named) if figure.key == key), None)
    if made is None:
        return _nothing("creativity", key, _no_choices(data))
    titles = {axis.key: axis.title for axis in data.axes}
    marks = tuple(_mark(mark, *own[id(mark.finding)], titles, _names(data)) for mark in made.marks)
    once = tr("95 % band, valid whenever one looks"), tr("95 % interval for one look; it will move")
    done = replace(
        made,
        marks=marks,
        n_title=tr("choices"),
        complete=all(voice.complete for voice in voices),
        band_words=once[0 if key == PREFERENCES else 1],
        note="\n".join(dict.fromkeys(note for voice in voices for note in (_progress(voice), _few(voice)) if note)),
    )
    return renamed(done, _names(data))


def _by_title(voices: Sequence[ChartVoice]) -> dict[str, ChartVoice]:
    """Return the voices by title; a rater who rated twice is two voices."""
    by_title: dict[str, ChartVoice] = {}
    for voice in voices:
        number = 1
        while (title := voice.title if number == 1 else f"{voice.title} ({number})") in by_title:
            number += 1
        by_title[title] = voice
    return by_title


def _mark(
    mark: FigureMark, finding: Finding, voice: ChartVoice, titles: Mapping[str, str], names: Mapping[str, str]
) -> FigureMark:
    """Return the mark of the voice's own finding; provisional before its planned n."""
    mark = replace(mark, finding=finding, band=not voice.complete and mark.low is not None)
    if finding.id != "creativity.share" or finding.estimate is None:
        return mark
    k = len(finding.groups)
    low, high = digits.ends(finding.interval) if voice.complete else live_band(finding)
    axis = finding.dims["axis"]
    name = f"{names.get(finding.label, finding.label)} ({titles.get(axis, axis)})"
    return replace(
        mark,
        low=None if low is None else low * k,
        high=None if high is None else high * k,
        band=not voice.complete,
        tip=_share_tip(name, finding, low, high, voice),
    )


def _share_tip(name: str, share: Finding, low: float | None, high: float | None, voice: ChartVoice) -> str:
    """Return the tooltip: share, interval or band, chance, omitted choices, and p once it may be shown."""
    shown, interval = digits.written(share.estimate, low, high, "share")
    chosen = tr("{name}: chosen in {figure} of {n} comparisons with a choice")
    band = tr("95 % band {shown} %, whenever one looks").format(shown=interval)
    lines = [
        chosen.format(name=name, figure=shown, n=digits.count(share.n)),
        interval_sentence(share, f"{interval} %") if voice.complete else band,
        tr("Chance: {chance}").format(chance=digits.number(1 / len(share.groups), "share")),
    ]
    if any(share.dropped.values()):
        lines.append(tr("Left out – {counts}").format(counts=counts(share.dropped)))
    if voice.complete and (tested := p_sentence(share)):
        lines.append(tested)
    return "\n".join(lines)


def choices_behind(share: Finding) -> float:
    """Return the number of independent choices behind a share: below n where several raters judged the same."""
    if share.estimate is None or share.interval is None or share.interval.high <= share.interval.low:
        return share.n
    return min(share.n, effective_choices(share.estimate, share.interval.low, share.interval.high))


def live_band(share: Finding) -> tuple[float, float]:
    """Return the band shown instead of the interval while the session goes on."""
    assert share.estimate is not None
    n = choices_behind(share)
    bounds = share_band(share.estimate * n, n)
    return bounds.low, bounds.high


def _no_choices(data: ChartData) -> str:
    """Return what to do next where there is no choice yet."""
    if data.open_sessions:
        return tr("Finish the open rating session: its choices appear here after its reveal.")
    return tr("No choices yet. Open Judge and rate a few comparisons: they appear here after the reveal.")


def few_people(people: int) -> str:
    """Return a warning that the choices of so few people say little of others; empty for one person and for many.

    From five on the intervals are of people in general, and wide; of fewer they are of these people.
    """
    if not 1 < people < FEW_RATERS:
        return ""
    if people < FEWEST_RATERS:
        return tr("{people} people are few: the intervals hold for these people only.").format(people=people)
    words = tr("{people} people are few: this holds for them and says little about anybody else.")
    return words.format(people=people)


def _few(voice: ChartVoice) -> str:
    return few_people(voice.people) if voice.kind == "group" else ""


def _progress(voice: ChartVoice) -> str:
    """Return that the figures are provisional and how far the plan is; once they are final, the number not judged."""
    if voice.complete:
        return _not_judged(voice)
    judged = digits.count(voice.judged)
    done = tr("{judged} judged so far").format(judged=judged)
    if voice.planned is not None:
        done = tr("{judged} of {planned} judged").format(judged=judged, planned=digits.count(voice.planned))
    return tr("Provisional: {done}. Tests are shown once all planned comparisons are judged.").format(done=done)


def _not_judged(voice: ChartVoice) -> str:
    if voice.planned is None or voice.judged >= voice.planned:
        return ""
    sentence = tr("{judged} of {planned} comparisons were judged; the others were skipped, failed or left.")
    return sentence.format(judged=digits.count(voice.judged), planned=digits.count(voice.planned))
