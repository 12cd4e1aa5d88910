"""Findings of judgments, whole and in parts: shares, ABS, agreement of raters, and quality.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import RESAMPLES
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
from biasprint.core.studies.creativity.agreement import agreement
from biasprint.core.studies.creativity.choices import (
    MODEL,
    PERSON,
    AxisChoices,
    JudgmentTable,
    choices_on,
    told,
)
from biasprint.core.studies.creativity.degrees import more_than_winners
from biasprint.core.studies.creativity.quality import quality
from biasprint.core.studies.creativity.rankings import rankings
from biasprint.core.studies.kit.findings import with_holm

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
    held = finding.interval is None or finding.unit == "place" or "anytime-valid" in finding.interval.method
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
