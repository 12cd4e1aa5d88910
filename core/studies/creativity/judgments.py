"""Findings of judgments, whole and in parts: shares, ABS, agreement of raters, and quality.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasprint.core.findings import Finding, Interval, StudyResult, for_these
from biasprint.core.judging.blocks import Standing
from biasprint.core.metrics.ranking import (
    BOOTSTRAP,
    NOBODY,
    SEPARATE,
    Ballots,
    RankedPair,
    Ranking,
    fitted_strengths,
    ranking,
)
from biasprint.core.metrics.result import LEVEL, RESAMPLES, Floats
from biasprint.core.studies.creativity import affinity, slices
from biasprint.core.studies.creativity.adjusted import ADJUSTED_SHARE, at_equal_length
from biasprint.core.studies.creativity.affinity import of_orders
from biasprint.core.studies.creativity.agreement import agreement
from biasprint.core.studies.creativity.choices import (
    FEW_RATERS,
    FEWEST_RATERS,
    MODEL,
    PERSON,
    UNREAD,
    AxisChoices,
    JudgmentTable,
    choices_on,
    in_force,
    told,
)
from biasprint.core.studies.creativity.distances import contrasts_of, crossed_preferences
from biasprint.core.studies.creativity.mixed import mixed_shares
from biasprint.core.studies.creativity.quality import quality
from biasprint.core.studies.creativity.slices import within
from biasprint.core.studies.creativity.sway import RECOMMENDED, swayed, without_recommendations
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.kit.findings import interval, with_holm

# ---- Rankings

RANK = "creativity.rank"
STRENGTH, PLACE, PAIR = f"{RANK}.strength", f"{RANK}.place", f"{RANK}.pair"
SOURCE = "beyond the papers: Bradley–Terry with ties (Davidson 1970), Plackett–Luce for three; bootstrap by rater"
HELD_OPEN = "pairs told apart at p ≤ .05 after Holm"


@dataclass(frozen=True)
class _Ranked:
    """An axis ranked by these judgments. `shown`: in how many answers each identity was."""

    identities: tuple[str, ...]
    found: Ranking
    n: int
    shown: Mapping[str, int]
    common: dict[str, Any]
    note: str


def rankings(
    table: JudgmentTable,
    axes: Mapping[str, Sequence[str]],
    harm: Mapping[str, str],
    *,
    seed: int,
    definitions: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Finding]:
    """The rankings of every axis that `table.ranked` names: of people where people judged, and of each kind of rater
    where both did. `definitions`: axes as plain data; crossed ones give main effects and interactions too."""
    findings: list[Finding] = []
    for axis in dict.fromkeys(filter(None, table.ranked)):
        rows = [row for row, name in enumerate(table.ranked) if name == axis]
        people = [row for row in rows if not table.by_model(row)]
        models = [row for row in rows if table.by_model(row)]
        identities = _identities(table, rows, axes.get(axis, ()))
        parts: list[tuple[dict[str, str], list[int]]] = [({}, people or models)]
        if people and models:
            parts += [({"rater_kind": PERSON}, people), ({"rater_kind": MODEL}, models)]
        crossing = crossing_of(identities, [definitions[axis]]) if definitions and axis in definitions else None
        weights = contrasts_of(crossing, identities) if crossing is not None else None
        for dims, own in parts:
            ranked = _ranked(table, axis, identities, own, dims, harm.get(axis, ""), seed, weights)
            findings += _findings(ranked)
            if crossing is not None:
                findings += crossed_preferences(crossing, ranked.found, ranked.common)
    return findings


def _identities(table: JudgmentTable, rows: Sequence[int], known: Sequence[str]) -> tuple[str, ...]:
    shown = {identity for row in rows for identity in table.shown[row]}
    return (*(known_identity for known_identity in known if known_identity in shown), *sorted(shown - set(known)))


def _ranked(
    table: JudgmentTable,
    axis: str,
    identities: tuple[str, ...],
    rows: Sequence[int],
    dims: Mapping[str, str],
    harm: str,
    seed: int,
    contrasts: Floats | None = None,
) -> _Ranked:
    """Rank identities by these judgments."""
    ballots, used, dropped = _ballots_on(table, rows, identities)
    shown = Counter(identity for row, _ in used for identity in table.shown[row])
    raters = len({table.rater[row] for row, _ in used})
    by_rater = raters >= FEWEST_RATERS
    result = ranking(ballots, len(identities), by_rater=by_rater, contrasts=contrasts, seed=seed, resamples=BOOTSTRAP)
    n = round(sum(weight for _, weight in used))
    common = {
        "groups": identities,
        "n": n,
        "dims": {"axis": axis, **dims},
        "n_by_group": {identity: shown[identity] for identity in identities},
        "dropped": told(dropped),
        "harm": harm,
        "source": SOURCE,
    }
    return _Ranked(identities, result, n, shown, common, _note(result, raters, by_rater))


def _ballots_on(
    table: JudgmentTable, rows: Sequence[int], identities: Sequence[str]
) -> tuple[Ballots, list[tuple[int, float]], Counter[str]]:
    """Return the ballots among these judgments, their rows with their weights, and why others are none.

    A model's replies in all orders of the cards are one answer: each counts as its part of it.
    """
    answered, dropped = in_force(table, rows)
    used: list[tuple[int, float]] = []
    for judgments in answered.values():
        reasons = [_why_not(table, row) for row in judgments]
        dropped.update(filter(None, reasons))
        if not any(reasons):
            used += [(row, 1 / len(judgments)) for row in judgments]
    return _ballots(table, used, identities), used, dropped


def standing_of(columns: Mapping[str, Any], axis: str, identities: tuple[str, ...]) -> tuple[Standing, str]:
    """Return the state of a ranking for its next round, and in a sentence which pair is least known."""
    table = JudgmentTable(**columns)
    rows = [row for row, named in enumerate(table.axis) if named == axis]
    ballots, used, _ = _ballots_on(table, rows, identities)
    if not used:
        return Standing([0.0] * len(identities)), ""
    raters = len({table.rater[row] for row, _ in used})
    found = ranking(ballots, len(identities), by_rater=raters >= FEWEST_RATERS)
    strengths = fitted_strengths(ballots, len(identities))[: len(identities)].tolist()
    still = [pair for pair in found.pairs if pair.adjusted is None or pair.adjusted > SEPARATE]
    answers = sum(weight for _, weight in used) / len({table.comparison[row] for row, _ in used})
    standing = Standing(strengths, answers, tuple((pair.first, pair.second) for pair in still))
    known = [pair for pair in still if pair.interval is not None]
    if not known:
        return standing, "" if found.pairs else "Not every identity was compared with the others yet."
    least = max(known, key=_width)
    first, second = identities[least.first], identities[least.second]
    assert least.interval is not None
    low, high = least.interval.low, least.interval.high
    return standing, f"Least known: {first} against {second} ({low:.0%} to {high:.0%} prefer the first)."


def _width(pair: RankedPair) -> float:
    return 0.0 if pair.interval is None else pair.interval.high - pair.interval.low


def _why_not(table: JudgmentTable, row: int) -> str:
    """Return the reason why a judgment ranks nothing; empty where it does. A tie does: the texts are equally good."""
    outcome, shown = table.outcome[row], table.shown[row]
    if len(set(shown)) != len(shown) or not 2 <= len(shown) <= 3:
        return "not two or three different identities shown"
    if outcome == "skip" and table.read_as and table.read_as[row] in UNREAD:
        return UNREAD[table.read_as[row]]
    if outcome in ("none", "skip"):
        return outcome
    if outcome not in ("choice", "tie"):
        return "unknown outcome"
    return "" if outcome == "tie" or table.chosen[row] in shown else "chosen identity not shown"


def _ballots(table: JudgmentTable, used: Sequence[tuple[int, float]], identities: Sequence[str]) -> Ballots:
    number = {identity: at for at, identity in enumerate(identities)}

    def column(values: Sequence[int] | Sequence[list[int]]) -> Any:
        return np.array(values, dtype=np.int64)

    def numbered(names: Sequence[str]) -> Any:
        return np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1]

    rows = [row for row, _ in used]
    cards = [
        [number[shown_identity] for shown_identity in table.shown[row]] + [NOBODY] * (3 - len(table.shown[row]))
        for row in rows
    ]
    best = [number[table.chosen[row]] if table.outcome[row] == "choice" else NOBODY for row in rows]
    worst = [_worst(table, row, number) for row in rows]
    blocks = [table.block[row] if table.block else "\n".join(table.unit(row)) for row in rows]
    return Ballots(
        shown=column(cards).reshape(-1, 3),
        best=column(best),
        worst=column(worst),
        weight=np.array([weight for _, weight in used], dtype=np.float64),
        rater=numbered([table.rater[row] for row in rows]),
        block=numbered(blocks),
    )


def _worst(table: JudgmentTable, row: int, number: Mapping[str, int]) -> int:
    named = table.worst[row] if table.worst else ""
    right = named in table.shown[row] and named != table.chosen[row] and table.outcome[row] == "choice"
    return number[named] if right else NOBODY


def _note(ranking: Ranking, raters: int, by_rater: bool) -> str:
    ties = ", ".join(f"{share:.0%} of {cards}" for cards, share in ranking.ties)
    remark = f" Equally strong texts are called equal in: {ties}." if ties else ""
    if not by_rater:
        return f"{remark} {for_these(raters)}".lstrip()
    few = ", which are few to speak for others" if raters < FEW_RATERS else ""
    return f"{remark} {raters} raters{few}.".lstrip()


def _findings(ranked: _Ranked) -> list[Finding]:
    axis = ranked.common["dims"]["axis"]
    strengths = with_holm(list(_strengths(ranked)), f"{STRENGTH}, axis {axis}, {len(ranked.identities)} identities")
    pairs = list(_pairs(ranked))
    return [*strengths, *_places(ranked), *with_holm(pairs, f"{PAIR}, axis {axis}, {len(pairs)} pairs")]


def _no_interval(present: object) -> str | None:
    return None if present else "interval: one set of texts and too few raters say nothing about others"


def _common(ranked: _Ranked, name: str, title: str, identity: str, unit: str) -> dict[str, Any]:
    shown = within(f"{title}: {identity}", ranked.common["dims"])
    return ranked.common | {"id": name, "label": identity, "title": shown, "unit": unit}


def _strengths(ranked: _Ranked) -> Iterator[Finding]:
    for place, identity in enumerate(ranked.identities):
        common = _common(ranked, STRENGTH, "Preferred to another", identity, "proportion")
        if ranked.found.identities is None:
            yield Finding(estimate=None, reason=ranked.found.reason, **common)
            continue
        ranked_identity = ranked.found.identities[place]
        yield Finding(
            estimate=ranked_identity.strength,
            reason=_no_interval(ranked_identity.interval),
            interval=interval(ranked_identity.interval),
            p=ranked_identity.p,
            contrast={identity: ranked_identity.strength - 0.5},
            note=f"The chance to be preferred to another, averaged over the others; ½ is average. {ranked.note}",
            **common,
        )


def _places(ranked: _Ranked) -> Iterator[Finding]:
    for place, identity in enumerate(ranked.identities):
        common = _common(ranked, PLACE, "Place", identity, "place")
        if ranked.found.identities is None:
            yield Finding(estimate=None, reason=ranked.found.reason, **common)
            continue
        ranked_identity = ranked.found.identities[place]
        open_ones = (
            None
            if ranked_identity.places is None
            else Interval(float(ranked_identity.places[0]), float(ranked_identity.places[1]), LEVEL, HELD_OPEN)
        )
        yield Finding(
            estimate=float(ranked_identity.place),
            reason=_no_interval(open_ones),
            interval=open_ones,
            note=f"Of {len(ranked.identities)}, 1 being preferred most; the interval: the places that are left open.",
            **common,
        )


def _pairs(ranked: _Ranked) -> Iterator[Finding]:
    for pair in ranked.found.pairs:
        yield _pair(ranked, pair)


def _pair(ranked: _Ranked, pair: RankedPair) -> Finding:
    first, second = ranked.identities[pair.first], ranked.identities[pair.second]
    return Finding(
        estimate=pair.chance,
        reason=_no_interval(pair.interval),
        interval=interval(pair.interval),
        p=pair.p,
        contrast={first: pair.chance - 0.5, second: 0.5 - pair.chance},
        note=f"The chance that a text of {first} is preferred to one of {second}. {ranked.note}",
        **ranked.common
        | {
            "id": PAIR,
            "label": f"{first} / {second}",
            "title": within(f"Preferred: {first} to {second}", ranked.common["dims"]),
            "unit": "proportion",
            "groups": (first, second),
            "n_by_group": {identity: ranked.shown[identity] for identity in (first, second)},
        },
    )


# The preference a study is planned for: .55/.30/.15 among three identities is 0.35 of the largest possible ABS.
PLANNED_NORMALISED = 0.35
# Who judges whose texts is the evaluator × evaluatee matrix; with the task, Figures 12 to 20.
PARTS = (
    ("task",),
    ("topic",),
    ("temperature",),
    ("model",),
    ("rater_kind",),
    ("rater",),
    ("rater", "model"),
    ("rater", "task"),
    ("rater", "model", "task"),
)
# Whose texts and whose choices: each is also adjusted for length and place.
ADJUSTED_PARTS = (("model",), ("rater_kind",), ("rater",))
# Cut by these, people and models stand side by side. Everywhere else it is people who are spoken of, where they judged.
OF_RATERS = {"rater", "rater_kind"}
# A rater's choices on one task are a handful: cells with fewer say nothing and would be most of the findings.
FEWEST_OF_RATER_AND_TASK = 5


def measure_judgments(
    table: JudgmentTable,
    *,
    axes: Mapping[str, Sequence[str]],
    harm: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    planned: float = PLANNED_NORMALISED,
    parts: bool = False,
    adjusted: bool = False,
    crossed: Mapping[str, Mapping[str, Any]] | None = None,
) -> StudyResult:
    """Shares and ABS for every axis that was judged, people pooled; of models alone, the models.

    `axes`: identities in their order, by axis. `harm`: the harmful direction in words, by axis. `planned`: the
    normalised ABS that `power.n_for_planned` is for. `adjusted`: at equal length and place too. `parts`: that, and by
    task, topic, temperature, kind of rater, rater and model, the agreement between people, what the order of the cards
    did to models, and how far the judgments can be trusted. `crossed`: crossed axes as plain data.
    """
    every, table = table, without_recommendations(table)
    judged = [
        choices_on(table, axis, identities, table.leading(axis))
        for axis, identities in axes.items()
        if axis in set(table.axis)
    ]
    in_words = harm or {}
    shares: list[Finding] = []
    for choices in judged:
        of_axis = list(affinity.shares(choices, in_words.get(choices.axis, ""), seed, resamples))
        shares += with_holm(of_axis, f"{affinity.SHARE}, axis {choices.axis}, {len(choices.identities)} identities")
    scores = [affinity.score(each, in_words.get(each.axis, ""), seed, resamples, planned) for each in judged]
    scores = with_holm(scores, f"{affinity.ABS}, {len(scores)} axes")
    findings = [*shares, *scores, *(affinity.published_score(each, in_words.get(each.axis, "")) for each in judged)]
    if parts:
        findings += rankings(table, axes, in_words, seed=seed, definitions=crossed)
        findings += swayed(every, axes)
    if parts:
        findings += [share for each in judged for share in mixed_shares(each, in_words.get(each.axis, ""))]
    if parts or adjusted:
        findings += _adjusted(table, judged, in_words)
    if parts:
        findings += _parts(table, axes, findings, in_words, seed, resamples, planned)
        findings += agreement(table, judged)
        findings += of_orders(table, axes, seed, resamples)
        findings += quality(
            table, _asked(table, axes), judged, in_words, seed=seed, resamples=resamples, planned=planned
        )
    ranked = {axis for axis, ranks in zip(table.axis, table.ranked, strict=True) if ranks} if table.ranked else set()
    dropped = Counter("axis not measured" for axis in table.axis if axis not in axes and axis not in ranked)
    dropped[RECOMMENDED] = len(every) - len(table)
    for choices in judged:
        dropped.update(choices.dropped)
        behind = set(table.rows_on(choices.axis, MODEL)) - set(table.leading(choices.axis))
        if behind:
            dropped.update(choices_on(table, choices.axis, choices.identities, sorted(behind)).dropped)
    return StudyResult("creativity", len(every), told(dropped), tuple(findings))


def agreed_judgments(table: JudgmentTable, *, axes: Mapping[str, Sequence[str]], **how: Any) -> StudyResult:
    """Shares, ABS and the agreement of all raters on every axis, and no rater by name: what is compared of two
    generators whose texts were judged. `how`: as `measure_judgments` takes it."""
    result = measure_judgments(table, axes=axes, **how)
    plain = without_recommendations(table)
    judged = [choices_on(plain, axis, names, plain.leading(axis)) for axis, names in axes.items() if axis in plain.axis]
    between = [
        replace(finding, groups=(), n_by_group={}) for finding in agreement(plain, judged) if finding.label in axes
    ]
    return replace(result, findings=(*result.findings, *between))


def _asked(table: JudgmentTable, axes: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the axes with those that are only ranked: how people judged is reported for both."""
    ranked = dict.fromkeys((axis for axis, ranks in zip(table.axis, table.ranked, strict=False) if ranks), ())
    return {**ranked, **axes}


def _adjusted(table: JudgmentTable, judged: Sequence[AxisChoices], harm: Mapping[str, str]) -> list[Finding]:
    """Return the findings at equal length and place.

    Their families are those of the raw ones: shares by axis, scores and lengths over all axes.
    """
    findings = [
        finding for choices in judged for finding in at_equal_length(table, choices, harm.get(choices.axis, ""))
    ]
    families: dict[str, list[Finding]] = {}
    for finding in findings:
        axis = f", axis {finding.dims['axis']}" if finding.id == ADJUSTED_SHARE else ""
        families.setdefault(f"{finding.id}{axis}", []).append(finding)
    return [each for name, family in families.items() for each in with_holm(family, f"{name}, {len(family)} tests")]


def _parts(
    table: JudgmentTable,
    axes: Mapping[str, Sequence[str]],
    wholes: Sequence[Finding],
    harm: Mapping[str, str],
    seed: int,
    resamples: int,
    planned: float,
) -> list[Finding]:
    part_findings: list[Finding] = []
    known = [*wholes]
    models = {table.rater[row] for row in range(len(table)) if table.by_model(row)}
    for by in PARTS:
        findings: list[Finding] = []
        for choices in _cells(table, axes, by):
            in_words = harm.get(choices.axis, "")
            findings += affinity.shares(choices, in_words, seed, resamples)
            findings.append(affinity.score(choices, in_words, seed, resamples, planned))
            findings.append(affinity.published_score(choices, in_words))
            if by in ADJUSTED_PARTS:
                findings += at_equal_length(table, choices, in_words)
        # People's raters and the models are families of their own: a model that judges changes nothing said of people.
        of_models = [finding for finding in findings if finding.dims.get("rater") in models]
        of_people = [finding for finding in findings if finding.dims.get("rater") not in models]
        adjusted = slices.adjusted(of_people, known, by) + slices.adjusted(of_models, known, by)
        part_findings += adjusted
        if set(by) <= set(slices.WHOSE):
            known += adjusted
    return part_findings


def _cells(table: JudgmentTable, axes: Mapping[str, Sequence[str]], by: Sequence[str]) -> Iterator[AxisChoices]:
    """The choices of every part on every axis; parts without a judgment on an axis are not there."""
    values = cut_values(table)
    for axis, identities in axes.items():
        rows = table.rows_on(axis) if OF_RATERS & set(by) else table.leading(axis)
        for dims, chosen in slices.cut(by, values, rows):
            choices = choices_on(table, axis, identities, chosen, dims)
            if not {"rater", "task"} <= set(by) or len(choices.counts) >= FEWEST_OF_RATER_AND_TASK:
                yield choices


def cut_values(table: JudgmentTable) -> dict[str, Sequence[str]]:
    return slices.columns(
        {
            "task": table.task,
            "theme": table.theme,
            "topic": table.topic,
            "temperature": table.temperature,
            "model": table.model,
            "rater": table.rater,
            "rater_kind": [kind or PERSON for kind in table.rater_kind],
        }
    )
