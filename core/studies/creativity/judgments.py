"""Findings of judgments, whole and in parts: shares, ABS, agreement of raters, and how far judgments can be trusted.

Source: Kumar et al. 2024; `creativity.quality.*` goes beyond the paper (METHODS, Creativity).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.affinity import permuted_totals
from biasprint.core.metrics.agreement import random_consistency
from biasprint.core.metrics.associations import FARTHEST, LogOutliers, log_outliers
from biasprint.core.metrics.proportions import (
    Share,
    clustered_proportion,
    clustered_share,
    design_effect,
    share,
    worth_share,
)
from biasprint.core.metrics.resampling import generator, worth_of_choices
from biasprint.core.metrics.result import RESAMPLES, Ints
from biasprint.core.studies.creativity import affinity
from biasprint.core.studies.creativity import choices as slices
from biasprint.core.studies.creativity.adjusted import (
    ADJUSTED_SHARE,
    RECOMMENDED,
    at_equal_length,
    mixed_shares,
    swayed,
    without_recommendations,
)
from biasprint.core.studies.creativity.affinity import of_orders
from biasprint.core.studies.creativity.agreement import agreement, common_choices, evaluators, who_agrees, without_each
from biasprint.core.studies.creativity.choices import (
    EVERYONE,
    MODEL,
    PERSON,
    QUALITY,
    SKIP,
    AxisChoices,
    JudgmentTable,
    PersonAnswer,
    Unit,
    answers,
    by_rater,
    choices_on,
    groupings,
    told,
)
from biasprint.core.studies.creativity.degrees import more_than_winners
from biasprint.core.studies.creativity.rankings import rankings
from biasprint.core.studies.kit.findings import interval, with_holm

# ---- `creativity.quality.consistency`
# Hidden repeats never enter the scores; they tell how far to trust them.

CONSISTENCY = f"{QUALITY}.consistency"
CONSISTENCY_SOURCE = "beyond the paper: hidden repeats with swapped cards"
SAME, DIFFERENT = "same", "different"
NO_REPEAT = "no hidden repeat was judged"

Pair = tuple[PersonAnswer, PersonAnswer]


def consistency(given: Sequence[PersonAnswer]) -> Iterator[Finding]:
    """Everyone's, then each rater's who judged a hidden repeat."""
    pairs: dict[str, list[Pair]] = {}
    chances: dict[str, list[float]] = {}
    dropped: dict[str, Counter[str]] = {}
    for rater, own in by_rater(given).items():
        pairs[rater], dropped[rater] = _pairs(own)
        outcomes = Counter(answer.outcome for answer in own if answer.outcome != SKIP)
        chances[rater] = [_chance(outcomes, again.cards) for _, again in pairs[rater]]
    everything: Counter[str] = sum(dropped.values(), Counter())
    all_pairs, all_chances = chain.from_iterable(pairs.values()), chain.from_iterable(chances.values())
    yield _finding(EVERYONE, [*all_pairs], [*all_chances], everything, {})
    for rater in pairs:
        if pairs[rater] or dropped[rater]:
            yield _finding(rater, pairs[rater], chances[rater], dropped[rater], {"rater": rater})


def _pairs(own: Sequence[PersonAnswer]) -> tuple[list[Pair], Counter[str]]:
    """Each hidden repeat with the first time; without the ones that cannot be compared, counted by reason."""
    first: dict[Unit, PersonAnswer] = {answer.unit: answer for answer in own if answer.repeats is None}
    pairs: list[Pair] = []
    dropped: Counter[str] = Counter()
    for again in own:
        if again.repeats is None:
            continue
        before = first.get(again.repeats)
        if before is None:
            dropped["the first time was not judged"] += 1
        elif SKIP in (before.outcome, again.outcome):
            dropped[SKIP] += 1
        else:
            pairs.append((before, again))
    return pairs, dropped


def _chance(outcomes: Mapping[str, int], cards: int) -> float:
    """Return the consistency of a rater who takes any card, with this rater's own shares of ties and none."""
    others = tuple(count for outcome, count in outcomes.items() if outcome != "choice")
    return random_consistency(outcomes.get("choice", 0), others, cards) or 0.0


def _finding(
    label: str, pairs: Sequence[Pair], chances: Sequence[float], dropped: Counter[str], dims: dict[str, str]
) -> Finding:
    same = np.array([first.same == second.same for first, second in pairs], dtype=np.bool_)
    proportion = clustered_proportion(same, *groupings([first for first, _ in pairs]))
    chance = float(np.mean(chances)) if chances else None
    known = proportion.value is not None and chance is not None
    return Finding(
        id=CONSISTENCY,
        label=label,
        title=f"Hidden repeats answered the same both times: {label}",
        groups=(SAME, DIFFERENT),
        estimate=proportion.value,
        reason=None if known else NO_REPEAT,
        unit="proportion",
        interval=interval(proportion.interval),
        n=proportion.n,
        dims=dims,
        n_by_group={SAME: int(same.sum()), DIFFERENT: int((~same).sum())},
        dropped=told(dropped),
        contrast={SAME: proportion.value - chance} if proportion.value is not None and chance is not None else None,
        source=CONSISTENCY_SOURCE,
        note=_note(chance),
    )


def _note(chance: float | None) -> str:
    if chance is None:
        return ""
    return (
        f"Chance is {chance:.3f}: so often the answers of somebody are the same who takes any card, with the same "
        "shares of ties and none. Contrast: above chance. Repeats are in no score."
    )


# ---- `creativity.quality.position`, by number of cards, over all axes
# The paper's program always lists the identities in one order; here the order is counterbalanced, so a preference for
# an identity falls on every place alike.

POSITION = f"{QUALITY}.position"
POSITION_SOURCE = "beyond the paper: the order of the cards is counterbalanced and kept"
PLACES = ("first", "second", "third")


def positions(given: Sequence[PersonAnswer], seed: int, resamples: int) -> Iterator[Finding]:
    """Everyone's share of each card, one family; then each rater's, another family."""
    for cards in sorted({answer.cards for answer in given}):
        of_size = [answer for answer in given if answer.cards == cards]
        whole = _shares(EVERYONE, of_size, cards, seed, resamples)
        yield from with_holm(whole, f"{POSITION}, {cards} cards")
        own = [
            finding
            for rater, answers in by_rater(of_size).items()
            for finding in _shares(rater, answers, cards, seed, resamples)
        ]
        yield from with_holm(
            own, f"{POSITION}, {cards} cards, by rater, {sum(answer.p is not None for answer in own)} tests"
        )


def _shares(label: str, given: Sequence[PersonAnswer], cards: int, seed: int, resamples: int) -> list[Finding]:
    counts, dropped, groups = _counts(given, cards)
    names = [PLACES[place] if place < len(PLACES) else f"{place + 1}th" for place in range(cards)]
    dims = {"cards": str(cards)} if label == EVERYONE else {"cards": str(cards), "rater": label}
    n, chosen, chance = int(counts.sum()), counts.sum(axis=0), 1 / cards
    rng = generator(seed, POSITION, str(cards), label)
    results = _against_chance(counts, groups, rng, resamples) if n else [None] * cards
    return [
        Finding(
            id=POSITION,
            label=name,
            title=f"Choices that fell on the {name} of {cards} cards: {label}",
            groups=tuple(names),
            estimate=result.value if result else None,
            reason=None if result else "no comparison with a choice",
            unit="proportion",
            interval=interval(result.interval) if result else None,
            n=n,
            dims=dims,
            n_by_group=dict(zip(names, map(int, chosen), strict=True)),
            dropped=dropped,
            p=result.p if result else None,
            contrast={name: result.value - chance} if result else None,
            source=POSITION_SOURCE,
            note=f"Chance is {chance:.3f}; p: {result.test}." if result else "",
        )
        for name, result in zip(names, results, strict=True)
    ]


def _counts(given: Sequence[PersonAnswer], cards: int) -> tuple[Ints, dict[str, int], tuple[Ints, ...]]:
    """Choices by answer and card, what was left out, and how the answers belong together.

    Repeats show the same texts: they would count twice.
    """
    used = [answer for answer in given if answer.card is not None and answer.repeats is None]
    dropped = Counter("hidden repeat" if answer.repeats else answer.outcome for answer in given)
    dropped["choice"] -= len(used)
    dropped["chosen card not known"] = dropped.pop("choice")
    counts = np.zeros((len(used), cards), dtype=np.int64)
    for line, answer in enumerate(used):
        counts[line, answer.card] += 1
    return counts, told(dropped), groupings(used)


def _against_chance(counts: Ints, groups: tuple[Ints, ...], rng: np.random.Generator, resamples: int) -> list[Share]:
    """Each card's share. With few raters comparisons are the unit: cards are permuted jointly within each."""
    n, chance, chosen = len(counts), 1 / counts.shape[1], counts.sum(axis=0)
    if len(groups) > 1:
        return [
            worth_share(int(many), n, chance, worth_of_choices(np.column_stack([own, 1 - own]), *groups))
            for many, own in zip(chosen, counts.T, strict=True)
        ]
    by_unit = np.zeros((int(groups[0].max()) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(by_unit, groups[0], counts)
    if (by_unit.sum(axis=1) == 1).all():
        return [share(int(many), n, chance) for many in chosen]
    null, effect = permuted_totals(by_unit, rng, resamples), design_effect(by_unit)
    return [clustered_share(int(many), n, chance, effect, null[:, place]) for place, many in enumerate(chosen)]


# ---- `creativity.quality.time`
# Unusual times are never left out: a long text takes long, and a quick choice may be a sure one.

TIME = f"{QUALITY}.time"
TIME_SOURCE = "beyond the paper: active time of each judgment; Iglewicz & Hoaglin 1993"
NOT_RECORDED = "time not recorded"
SHORT, LONG = "short", "long"


@dataclass(frozen=True)
class Timed:
    """One rater's judgments with a time, how far each lies from the usual one, and what was left out."""

    given: Sequence[PersonAnswer]
    outliers: LogOutliers
    dropped: Mapping[str, int]


def times(given: Sequence[PersonAnswer]) -> Iterator[Finding]:
    """Everyone's share of judgments far from the rater's own median, then each rater's; nothing without any time."""
    if not any(answer.seconds > 0 for answer in given):
        return
    timed = {rater: _timed(own) for rater, own in by_rater(given).items()}
    yield _everyone(list(timed.values()))
    for rater, own in timed.items():
        yield _of_rater(rater, own)


def _timed(own: Sequence[PersonAnswer]) -> Timed:
    used = [answer for answer in own if answer.seconds > 0 and answer.outcome != SKIP]
    dropped = Counter(SKIP if answer.outcome == SKIP else NOT_RECORDED for answer in own)
    dropped[NOT_RECORDED] -= len(used)
    return Timed(used, log_outliers(np.array([answer.seconds for answer in used], dtype=np.float64)), told(dropped))


def _of_rater(rater: str, timed: Timed) -> Finding:
    finding = _time_finding(
        rater, [timed] if timed.outliers.median is not None else [], timed.dropped, {"rater": rater}
    )
    if timed.outliers.median is None:
        return replace(finding, reason=timed.outliers.reason)
    usual = f"The usual time is {timed.outliers.median:.3g} s. "
    far = {
        _name(answer, timed.given): score
        for answer, score, is_far in zip(timed.given, timed.outliers.scores, timed.outliers.far, strict=True)
        if is_far
    }
    which = "Contrast: these comparisons, and how far off they are. " if far else ""
    return replace(finding, contrast=far or None, note=usual + which + finding.note)


def _name(answer: PersonAnswer, given: Sequence[PersonAnswer]) -> str:
    """The comparison's id; with what wrote its texts, where the id alone names two."""
    model, comparison = answer.unit
    alone = sum(other.unit[1] == comparison for other in given) == 1
    return comparison if alone else f"{comparison} ({model})"


def _everyone(timed: Sequence[Timed]) -> Finding:
    dropped: Counter[str] = Counter()
    for own in timed:
        dropped.update(own.dropped)
        if own.outliers.median is None:
            dropped["rater without a usual time"] += len(own.given)
    return _time_finding(EVERYONE, [own for own in timed if own.outliers.median is not None], told(dropped), {})


def _time_finding(label: str, timed: Sequence[Timed], dropped: Mapping[str, int], dims: Mapping[str, str]) -> Finding:
    far = np.array([is_far for own in timed for is_far in own.outliers.far], dtype=np.bool_)
    scores = np.array([score for own in timed for score in own.outliers.scores], dtype=np.float64)
    proportion = clustered_proportion(far, *groupings([answer for own in timed for answer in own.given]))
    return Finding(
        id=TIME,
        label=label,
        title=f"Judgments that took much less or more time than usual: {label}",
        groups=(SHORT, LONG),
        estimate=proportion.value,
        reason="no rater has enough times" if proportion.value is None else None,
        unit="proportion",
        interval=interval(proportion.interval),
        n=proportion.n,
        dims=dims,
        n_by_group={SHORT: int((far & (scores < 0)).sum()), LONG: int((far & (scores > 0)).sum())},
        dropped=dropped,
        source=TIME_SOURCE,
        note=f"Farther than {FARTHEST} robust standard deviations from the rater's own median, times as logarithms. "
        "Nothing is left out for it: longer texts take longer.",
    )


# ---- All findings of quality


def quality(
    table: JudgmentTable,
    axes: Mapping[str, Sequence[str]],
    judged: Sequence[AxisChoices],
    harm: Mapping[str, str],
    *,
    seed: int,
    resamples: int,
    planned: float,
) -> list[Finding]:
    """Return `creativity.quality.*` of people, and of what people and models make of the same comparisons.

    `judged`: the choices of every axis that was judged, people's where people judged it.
    """
    findings: list[Finding] = []
    if given := answers(table, axes):
        findings += consistency(given)
        findings += positions(given, seed, resamples)
        findings += times(given)
        findings += without_each(table, judged, seed, resamples, planned)
    for choices in judged:
        common = common_choices(table, choices.axis, choices.identities)
        if common is not None:
            findings += evaluators(common, harm.get(choices.axis, ""), seed, resamples, planned)
            findings += who_agrees(common)
    return findings


# ---- Findings of judgments

ONE_LOOK = "Drawn in rounds, and the interval is right at one look alone: after the last round."
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
        findings += more_than_winners(table, judged, in_words, seed=seed, resamples=resamples)
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
    rounds = {axis for row, axis in enumerate(table.axis) if table.watched([row])}
    findings = [_at_one_look(each) if each.dims.get("axis") in rounds else each for each in findings]
    ranked = {axis for axis, ranks in zip(table.axis, table.ranked, strict=True) if ranks} if table.ranked else set()
    dropped = Counter("axis not measured" for axis in table.axis if axis not in axes and axis not in ranked)
    dropped[RECOMMENDED] = len(every) - len(table)
    for choices in judged:
        dropped.update(choices.dropped)
        behind = set(table.rows_on(choices.axis, MODEL)) - set(table.leading(choices.axis))
        if behind:
            dropped.update(choices_on(table, choices.axis, choices.identities, sorted(behind)).dropped)
    return StudyResult("creativity", len(every), told(dropped), tuple(findings))


def _at_one_look(finding: Finding) -> Finding:
    """Say of an interval on an axis that is drawn in rounds where it is not made for looks after each."""
    held = finding.interval is None or finding.unit == "place" or finding.interval.holds_at_every_look
    return finding if held else replace(finding, note=f"{finding.note} {ONE_LOOK}".strip())


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
