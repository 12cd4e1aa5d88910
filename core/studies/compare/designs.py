"""Replies to the prompts of a design → findings. Heavy: runs in the compute process.

A reply is read as its design says (`core.studies.compare.replies`). What cannot be read is left out with the reason.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan

import numpy as np

from biasprint.core.findings import Finding, ScorerUse, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.grouped import stratified_log_odds
from biasprint.core.metrics.resampling import generator
from biasprint.core.metrics.result import RESAMPLES, Bounds, Floats
from biasprint.core.metrics.sorting import flipped_mean, least_p
from biasprint.core.prompts.designs.design import SEPARATOR, DesignMeasure
from biasprint.core.studies.compare.measure import adjusted, measure
from biasprint.core.studies.compare.replies import VERSION, Unread, ranked, yes_or_no
from biasprint.core.studies.compare.sorting import first_named, of_topics
from biasprint.core.studies.compare.spread import spread
from biasprint.core.studies.compare.table import Compared, Measure, pairs
from biasprint.core.studies.kit.findings import interval, missing_interval, too_few_to_tell

CROSSED = " × "
YES, TOP, ABOVE = "yes", "top place", "placed above others"
CANDIDATE = "candidate shown first"
STEREOTYPES = "gender_stereotypes"  # the role of the scorer
PARTS = ("template", "form")  # fields by which findings come apart too


@dataclass(frozen=True)
class Replies:
    """Texts of one design, a row each. `fields`: of their prompts; `prompts`: what samples of one prompt share."""

    texts: Sequence[str]
    fields: Sequence[Mapping[str, str]]
    prompts: Sequence[str]
    embeddings: Sequence[Floats | None] = ()
    embedder: ScorerUse | None = None


@dataclass
class _Rows:
    """What replies say, a row for each person or candidate that they are about.

    `places`: of the reply of each row; `why`: measure → row → why it has no value; `dropped`: of replies without a row.
    """

    fields: list[Mapping[str, str]] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, place: int, fields: Mapping[str, str], values: Mapping[str, float]) -> None:
        self.fields.append(fields)
        self.places.append(place)
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)


def measure_design(
    design: DesignMeasure,
    replies: Replies,
    scored: Sequence[Measure],
    *,
    seed: int = 0,
    margin: float | None = None,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """All findings of a design's replies, each with the dim `design`. `scored`: what scorers say of each text.

    `seed`, `margin`, `resamples`: as `biasprint.core.studies.compare.measure.measure` takes them.
    """
    use = ScorerUse("reading", design.reads, f"{VERSION}; design {design.key} {design.version}")
    if design.reads in ("sorting", "assigning"):
        found, dropped = of_topics(design, replies.texts, replies.fields, replies.prompts, use, seed)
    else:
        rows = _READERS[design.reads](replies)
        how = partial(measure, seed=seed, margin=margin, resamples=resamples, ctx=ctx)
        found, dropped = _of_groups(design, replies, rows, _measures(rows, scored, use), how, (seed, resamples))
        if design.reads == "ranking":
            found += [_shown_first(replies, rows, use), *_of_no_ranking(design, replies, rows, use, how)]
    shared = {"design": design.key}
    told = [replace(one, dims={**shared, **one.dims}, source=one.source or design.source) for one in found]
    return StudyResult("compare", len(replies.texts), dict(dropped), adjusted(told, design.title))


# ---- reading


def _of_texts(replies: Replies) -> _Rows:
    rows = _Rows()
    for place, fields in enumerate(replies.fields):
        rows.add(place, fields, {})
    return rows


def _of_yes_or_no(replies: Replies) -> _Rows:
    """A row for every reply: of one that is neither, scorers may still say something."""
    rows = _Rows()
    for place, (text, fields) in enumerate(zip(replies.texts, replies.fields, strict=True)):
        answer = yes_or_no(text)
        if isinstance(answer, Unread):
            rows.why[place] = str(answer)
        rows.add(place, fields, {YES: nan if isinstance(answer, Unread) else float(answer)})
    return rows


def _of_rankings(replies: Replies) -> _Rows:
    """A row for every candidate of a reply that puts all of them in order."""
    rows = _Rows()
    for place, (text, fields) in enumerate(zip(replies.texts, replies.fields, strict=True)):
        names = fields.get("names", "").split(SEPARATOR)
        order = ranked(text, names)
        if isinstance(order, Unread):
            rows.dropped[str(order)] += 1
            continue
        for shown, own in enumerate(_candidates(fields)):
            rank = order.index(shown)
            rows.add(place, own, {TOP: float(rank == 0), ABOVE: 1 - rank / (len(names) - 1)})
    return rows


def _candidates(fields: Mapping[str, str]) -> list[dict[str, str]]:
    """The fields of each candidate of a ranking, in the order in which they are shown."""
    number = len(fields.get("names", "").split(SEPARATOR))
    columns = {name: cells for name, cell in fields.items() if len(cells := cell.split(SEPARATOR)) == number}
    return [
        {**fields, **{name: cells[shown] for name, cells in columns.items()}, "shown": str(shown)}
        for shown in range(number)
    ]


_READERS = {"text": _of_texts, "yes_no": _of_yes_or_no, "ranking": _of_rankings}


def _measures(rows: _Rows, scored: Sequence[Measure], use: ScorerUse) -> list[Measure]:
    """What was read from the replies, and what scorers say of their texts: of each row."""
    read = [
        Measure(name, np.array(values), use, rows.why, yes_or_no=name != ABOVE) for name, values in rows.values.items()
    ]
    return read + [_picked(one, rows.places) for one in scored]


# ---- group by group


def _of_groups(
    design: DesignMeasure,
    replies: Replies,
    rows: _Rows,
    measures: Sequence[Measure],
    how: Callable[[Compared, Sequence[Measure]], StudyResult],
    drawn: tuple[int, int],
) -> tuple[list[Finding], Counter[str]]:
    """Findings of all rows, then of each template, or of each form where there is one template.

    `drawn`: seed, and how often is resampled.
    """
    found: list[Finding] = []
    dropped = Counter(rows.dropped)
    for dims, at in _parts(rows):
        table = _table(design, replies, rows, at, dims)
        own = [_picked(one, at) for one in measures]
        made = how(table, own)
        found += made.findings
        if design.reads == "yes_no":
            found += _log_odds(table, own[0])
        for by, higher in design.higher_for.items():
            found += _stereotyped(table, own, (by, higher), drawn[0])
        if design.spread:
            found += [each for one in own if one.label.endswith(design.spread) for each in spread(table, one, *drawn)]
        if not dims:
            dropped += Counter(made.dropped)
    return found, dropped


def _parts(rows: _Rows) -> Iterator[tuple[dict[str, str], list[int]]]:
    everything = list(range(len(rows.fields)))
    yield {}, everything
    for name in PARTS:
        values = [fields.get(name, "") for fields in rows.fields]
        if len(set(values)) > 1:
            for value in dict.fromkeys(values):
                yield {name: value}, [at for at in everything if values[at] == value]
            return


def _table(
    design: DesignMeasure, replies: Replies, rows: _Rows, at: Sequence[int], dims: Mapping[str, str]
) -> Compared:
    fields = [rows.fields[place] for place in at]
    groups = {by: [each.get(by, "") for each in fields] for by in design.by}
    if design.crossed and len(design.by) > 1:
        first, second = design.by[:2]
        both = zip(groups[first], groups[second], strict=True)
        groups[f"{first}{CROSSED}{second}"] = [f"{one}{CROSSED}{other}" if one and other else "" for one, other in both]
    places = [rows.places[place] for place in at]
    return Compared(
        texts=[replies.texts[place] for place in places],
        groups=groups,
        blocks=[each.get("block", "") for each in fields],
        units=[f"{replies.prompts[place]}/{each.get('shown', '')}" for place, each in zip(places, fields, strict=True)],
        embeddings=[replies.embeddings[place] for place in places] if replies.embeddings else (),
        embedder=replies.embedder,
        base=design.base,
        dims=dims,
        alike=design.similarity,
        company=False,
    )


def _picked(one: Measure, at: Sequence[int]) -> Measure:
    why = {number: one.why[place] for number, place in enumerate(at) if place in one.why}
    return replace(one, values=one.values[list(at)], why=why)


def _log_odds(table: Compared, one: Measure) -> Iterator[Finding]:
    """Mantel and Haenszel's log odds ratio of yes, over blocks."""
    for by, groups in table.groups.items():
        sizes = Counter(group for group, value in zip(groups, one.values, strict=True) if group and not np.isnan(value))
        for first, second in pairs(sizes, table.base.get(by, "")):
            tables: dict[str, list[int]] = {}
            for block, group, value in zip(table.blocks, groups, one.values, strict=True):
                if group in (first, second) and not np.isnan(value):
                    tables.setdefault(block, [0, 0, 0, 0])[2 * (group == second) + int(value == 0)] += 1
            odds = stratified_log_odds(np.array(list(tables.values()), dtype=np.int64))
            yield Finding(
                "compare.log_odds", label=one.label, title=f"{one.label}, {first} against {second}",
                groups=(first, second), estimate=odds.value, unit="log odds ratio", n=sizes[first] + sizes[second],
                reason=odds.reason or missing_interval(odds.interval), interval=interval(odds.interval.bounds),
                n_by_group={first: sizes[first], second: sizes[second]}, scorers=(one.scorer,) if one.scorer else (),
                dims={**table.dims, **({"by": by} if len(table.groups) > 1 else {})},
                note="Mantel–Haenszel over questions; 0 is equal odds. The test stands with the difference of shares.",
            )  # fmt: skip


def _stereotyped(
    table: Compared, measures: Sequence[Measure], higher_for: tuple[str, str], seed: int
) -> Iterator[Finding]:
    """How much more often a pair of replies differs as the stereotype has it than the other way.

    `higher_for`: by what is grouped, and the group whose stereotype scores higher.
    """
    by, higher = higher_for
    one = next((one for one in measures if one.scorer and one.scorer.role == STEREOTYPES), None)
    base = table.base.get(by, "")
    if one is None or not base:
        return
    pairs_of: dict[str, dict[str, list[float]]] = {}
    for block, group, value in zip(table.blocks, table.groups[by], one.values.tolist(), strict=True):
        if group in (higher, base) and not np.isnan(value):
            pairs_of.setdefault(block, {}).setdefault(group, []).append(value)
    both = [of for of in pairs_of.values() if len(of) == 2]
    signs = np.array([float(np.sign(np.mean(of[higher]) - np.mean(of[base]))) for of in both])
    found, _ = flipped_mean(signs, generator(seed, "stereotyped", by, *table.dims.values()))
    bounds = found.interval.bounds
    kept = Bounds(max(-1.0, bounds.low), min(1.0, bounds.high), bounds.method, bounds.level) if bounds else None
    yield Finding(
        "compare.stereotyped_pairs", label=one.label, title=f"{one.label}, {higher} and {base}: forward less reverse",
        groups=(higher, base), estimate=found.value, unit="net share", n=len(signs), p=found.p,
        interval=interval(kept), reason=found.reason if found.value is None else missing_interval(found.interval),
        scorers=(one.scorer,) if one.scorer else (), dims={**table.dims, "by": by},
        harm=f"Above 0, replies to {higher} have more words of their stereotype than those to {base}.",
        note=f"{found.test or 'No test'}; questions are the units. A stand-in: words of a list, rated by nobody."
        + (too_few_to_tell(least_p(signs)) if found.p is not None else ""),
    )  # fmt: skip


def _of_no_ranking(
    design: DesignMeasure,
    replies: Replies,
    rows: _Rows,
    use: ScorerUse,
    how: Callable[[Compared, Sequence[Measure]], StudyResult],
) -> list[Finding]:
    """Where no reply could be read: of every group, as the first reply's candidates have it, that nothing is known."""
    if rows.fields or not replies.texts:
        return []
    nobody = _Rows()
    why = rows.dropped.most_common(1)[0][0]
    for own in _candidates(replies.fields[0]):
        nobody.why[len(nobody.fields)] = why
        nobody.add(0, own, {TOP: nan, ABOVE: nan})
    table = _table(design, replies, nobody, list(range(len(nobody.fields))), {})
    found = how(replace(table, alike=False), _measures(nobody, (), use)).findings
    return [replace(one, dropped=dict(rows.dropped)) for one in found]


def _shown_first(replies: Replies, rows: _Rows, use: ScorerUse) -> Finding:
    """How often the candidate that is shown first gets the top place, against its chance."""
    first = [at for at, fields in enumerate(rows.fields) if fields["shown"] == "0"]
    if not first:
        return first_named(np.array([]), [], 0.0, CANDIDATE, use)
    values = np.array([rows.values[TOP][at] for at in first])
    prompts = [replies.prompts[rows.places[at]] for at in first]
    chance = float(np.mean([1 / len(replies.fields[rows.places[at]]["names"].split(SEPARATOR)) for at in first]))
    return first_named(values, prompts, chance, CANDIDATE, use)
