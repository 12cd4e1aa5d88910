"""Findings of plans that ask for more than a winner: degrees of preference, confidence, reasons. Of people alone.

Beyond the paper, by axis. `creativity.degree.preference`: the mean of an identity's values, d for a choice of it and
−d/(k − 1) for one of another of k identities, d = 2 where the chosen text is “much better” and 1 “slightly”; 0 for a
tie. `creativity.degree.much`: of the choices of an identity, the share “much better”. `creativity.confidence.level`:
the share of the answers at each level; `creativity.confidence.share`: shares of choices among the answers that raters
were sure of. `creativity.agreement.degrees`: Krippendorff's ordinal α of an identity's values.
`creativity.agreement.reasons`: F₁ = 2|A ∩ B| / (|A| + |B|) of the characters that two raters marked in one comparison.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from biasprint.core.findings import Effect, Finding, for_these
from biasprint.core.metrics.agreement import Agreement, krippendorff_alpha
from biasprint.core.metrics.means import bounded_mean_interval, clustered_mean, worth_mean
from biasprint.core.metrics.proportions import clustered_proportion
from biasprint.core.metrics.result import Difference, Ints
from biasprint.core.project.rows import CONFIDENCES, DEGREES, joined_spans
from biasprint.core.studies.creativity import affinity
from biasprint.core.studies.creativity.choices import (
    FEWEST_RATERS,
    NO_CONFIDENCE,
    PERSON,
    AxisChoices,
    JudgmentTable,
    Marked,
    Unit,
    choices_on,
    in_force,
    numbered,
    told,
)
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

PREFERENCE, MUCH = "creativity.degree.preference", "creativity.degree.much"
LEVEL, SURE_SHARE = "creativity.confidence.level", "creativity.confidence.share"
DEGREES_AGREE, REASONS_AGREE = "creativity.agreement.degrees", "creativity.agreement.reasons"
SOURCE = "beyond the paper: degrees, confidence and marked words"
EQUAL = "equal"  # the degree of a tie, where degrees were asked
DEGREE_WORDS = (*DEGREES, EQUAL)
STEPS = {"slightly": 1.0, "much": 2.0, EQUAL: 0.0}
LEVELS = dict(zip(CONFIDENCES, ("a guess", "fairly sure", "sure"), strict=True))
SURE = CONFIDENCES[-1]


# ---- Columns of tables


def confidence_of(given: str) -> int:
    """Return the level in a cell, `NO_CONFIDENCE` for an empty one. ValueError for anything else."""
    level = int(given) if given.strip() else NO_CONFIDENCE
    if level not in (NO_CONFIDENCE, *CONFIDENCES):
        raise ValueError("confidence is 1, 2 or 3")
    return level


def marked_of(given: str, shown: Sequence[str]) -> tuple[Marked, ...]:
    """Return the marked words in a cell: a JSON list of [card from 1, first character, one behind the last].

    ValueError for anything else, and for cards that are not shown.
    """
    if not given.strip():
        return ()
    spans = json.loads(given)
    if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) == 3 for span in spans):
        raise ValueError("marked words are a list of lists of three numbers")
    for card, start, end in spans:
        if any(type(number) is not int for number in (card, start, end)) or not (
            1 <= card <= len(shown) and 0 <= start < end
        ):
            raise ValueError("marked words name a card that is shown, and a character before another")
    return tuple((shown[card - 1], start, end) for card, start, end in joined_spans(map(tuple, spans)))


# ---- Degrees


@dataclass(frozen=True)
class GradedAnswer:
    """One person's answer with a degree; `chosen` is empty for a tie."""

    unit: Unit
    rater: str
    chosen: str
    step: float

    def value(self, identity: str, identities: int) -> float:
        """Return the answer as seen from an identity, from −2 to 2: over all identities the values add up to 0."""
        return self.step if identity == self.chosen else -self.step / (identities - 1)


def more_than_winners(
    table: JudgmentTable, judged: Sequence[AxisChoices], harm: Mapping[str, str], *, seed: int, resamples: int
) -> list[Finding]:
    """Return all findings of these axes for which the table holds something."""
    findings: list[Finding] = []
    for choices in judged:
        rows = table.rows_on(choices.axis, PERSON)
        if any(table.degree[row] for row in rows if table.degree):
            findings += _degrees(table, choices, harm.get(choices.axis, ""))
        if any(table.confidence[row] != NO_CONFIDENCE for row in rows if table.confidence):
            findings += _confidence(table, choices, harm.get(choices.axis, ""), seed, resamples)
        if any(table.marked[row] for row in rows if table.marked):
            findings.append(_reasons(table, choices))
    return findings


def graded_answers(
    table: JudgmentTable, axis: str, identities: Sequence[str]
) -> tuple[list[GradedAnswer], dict[str, int]]:
    """Return people's answers with a degree on an axis, and why others have none."""
    answered, dropped = in_force(table, table.rows_on(axis, PERSON))
    graded: list[GradedAnswer] = []
    for (unit, rater), (row, *_) in answered.items():
        degree, outcome, chosen = table.degree[row], table.outcome[row], table.chosen[row]
        if sorted(table.shown[row]) != sorted(identities):
            dropped["not every identity of the axis shown once"] += 1
        elif outcome == "choice" and chosen in identities and degree in DEGREES:
            graded.append(GradedAnswer(unit, rater, chosen, STEPS[degree]))
        elif outcome == "tie" and degree == EQUAL:
            graded.append(GradedAnswer(unit, rater, "", STEPS[EQUAL]))
        else:
            dropped["choice or tie without a degree" if outcome in ("choice", "tie") else outcome] += 1
    return graded, told(dropped)


def _groupings(units: Sequence[Unit], raters: Sequence[str]) -> tuple[Ints, ...]:
    """Return how answers belong together: by comparison, and by rater where there are enough, as shares do."""
    by_unit = np.array(numbered(units), dtype=np.int64)
    if len(set(raters)) < FEWEST_RATERS:
        return (by_unit,)
    return np.unique(np.array(raters), return_inverse=True)[1].astype(np.int64), by_unit


def _mean(values: Sequence[float], groupings: tuple[Ints, ...]) -> Difference:
    array = np.array(values, dtype=np.float64)
    if len(groupings) == 1:
        return clustered_mean(array, groupings[0])
    return worth_mean(array, np.ones(len(array)), *groupings)


def _degrees(table: JudgmentTable, choices: AxisChoices, harm: str) -> list[Finding]:
    axis, identities = choices.axis, choices.identities
    graded, dropped = graded_answers(table, axis, identities)
    raters = [answer.rater for answer in graded]
    groupings = _groupings([answer.unit for answer in graded], raters)
    chosen = Counter(answer.chosen for answer in graded)
    common: dict[str, Any] = {
        "groups": identities, "dims": {"axis": axis}, "dropped": dropped, "harm": harm, "source": SOURCE,
        "n_by_group": {identity: chosen[identity] for identity in identities},
    }  # fmt: skip
    about = "" if len(groupings) > 1 else for_these(len(set(raters)))
    means = []
    for identity in identities:
        mean = _mean([answer.value(identity, len(identities)) for answer in graded], groupings)
        means.append(
            Finding(
                id=PREFERENCE, label=identity, title=f"Preference in degrees: {identity}", estimate=mean.value,
                reason="no answer with a degree" if mean.value is None else missing_interval(mean.interval),
                unit="degree, −2 to 2", interval=interval(mean.interval.bounds), p=mean.p, n=len(graded),
                effect=None if mean.effect is None else Effect(mean.effect_name, mean.effect),
                contrast=None if mean.value is None else {identity: mean.value},
                note=f"2: much better than the others, 0: equal; p: {mean.test}. {about}".strip(), **common,
            )
        )  # fmt: skip
    shares = [_much(graded, identity, common, about) for identity in identities]
    family = f"{PREFERENCE}, axis {axis}, {len(means)} identities"
    return [*with_holm(means, family), *shares, *_degrees_agree(graded, choices)]


def _much(graded: Sequence[GradedAnswer], identity: str, common: Mapping[str, Any], about: str) -> Finding:
    own = [answer for answer in graded if answer.chosen == identity]
    much = np.array([answer.step == STEPS["much"] for answer in own], dtype=np.bool_)
    share = clustered_proportion(much, *_groupings([each.unit for each in own], [each.rater for each in own]))
    return Finding(
        id=MUCH, label=identity, title=f"Much better where it was chosen: {identity}", estimate=share.value,
        reason=None if share.n else "it was never chosen with a degree", unit="proportion",
        interval=interval(share.interval), n=share.n,
        note=f"Of the choices of {identity}: those that called it much better. {about}".strip(), **common,
    )  # fmt: skip


def graded_counts(graded: Sequence[GradedAnswer], identity: str, identities: int) -> Ints:
    """Return the answers per comparison and category, int64[comparisons, 5]: from another much better to this one."""
    units = numbered(answer.unit for answer in graded)
    counts = np.zeros((max(units, default=-1) + 1, 5), dtype=np.int64)
    for unit, answer in zip(units, graded, strict=True):
        counts[unit, 2 + int(answer.step if answer.chosen == identity else -answer.step)] += 1
    return counts


def _degrees_agree(graded: Sequence[GradedAnswer], choices: AxisChoices) -> Iterator[Finding]:
    """Yield α of the five degrees; of three identities for each, because they have no order in common."""
    identities, raters = choices.identities, sorted({answer.rater for answer in graded})
    for identity in identities if len(identities) > 2 else identities[:1]:
        alpha = krippendorff_alpha(graded_counts(graded, identity, len(identities)), "ordinal")
        whole = len(identities) == 2
        yield _agreement(
            DEGREES_AGREE, choices.axis if whole else identity,
            f"Krippendorff’s ordinal α of degrees: {choices.axis if whole else identity}", choices.axis, raters, alpha,
            "agreement beyond chance",
        )  # fmt: skip


def _agreement(
    finding_id: str, label: str, title: str, axis: str, raters: Sequence[str], found: Agreement, unit: str, **more: Any
) -> Finding:
    several = len(raters) > 1
    note = f"The interval resamples comparisons: it holds for these {len(raters)} raters, not for others like them."
    return Finding(
        id=finding_id, label=label, title=title, groups=tuple(raters), estimate=found.value,
        reason=(found.reason if several else "only one rater answered so")
        if found.value is None
        else missing_interval(found.interval),
        unit=unit, interval=interval(found.interval.bounds), n=found.n, dims={"axis": axis}, source=SOURCE,
        note=f"{more.pop('note', '')} {note if several else ''}".strip(), **more,
    )  # fmt: skip


# ---- Confidence


def _confidence(table: JudgmentTable, choices: AxisChoices, harm: str, seed: int, resamples: int) -> Iterator[Finding]:
    axis = choices.axis
    answered, dropped = in_force(table, table.rows_on(axis, PERSON))
    given = [(unit, rater, row) for (unit, rater), (row, *_) in answered.items() if table.outcome[row] != "skip"]
    levels = [table.confidence[row] for _, _, row in given]
    known = [place for place, level in enumerate(levels) if level in CONFIDENCES]
    dropped["no confidence given"] += len(given) - len(known)
    dropped["skip"] += len(answered) - len(given)
    groupings = _groupings([given[place][0] for place in known], [given[place][1] for place in known])
    counted = Counter(levels[place] for place in known)
    for level, words in LEVELS.items():
        share = clustered_proportion(np.array([levels[place] == level for place in known], dtype=np.bool_), *groupings)
        yield Finding(
            id=LEVEL, label=words, title=f"Answers by confidence: {words}", groups=tuple(LEVELS.values()),
            estimate=share.value, reason=None if share.n else "no answer with a confidence", unit="proportion",
            interval=interval(share.interval), n=share.n, dims={"axis": axis}, dropped=told(dropped), source=SOURCE,
            n_by_group={name: counted[of] for of, name in LEVELS.items()},
        )  # fmt: skip
    sure = [row for _, _, row in given if table.confidence[row] == SURE]
    of_sure = choices_on(table, axis, choices.identities, sure)
    of_all = dict(zip(choices.identities, choices.chosen / max(1, choices.chosen.sum()), strict=True))
    for finding in affinity.shares(of_sure, harm, seed, resamples):
        if finding.variant == "default":
            beside = f"Of all {choices.n} choices: {of_all[finding.label]:.3f}." if choices.n else ""
            yield replace(
                finding, id=SURE_SHARE, title=f"Share of choices that raters were sure of: {finding.label}", p=None,
                source=SOURCE, note=f"{beside} No test of its own: {finding.note}".strip(),
            )  # fmt: skip


# ---- Marked words


def marked_f1(first: Sequence[Marked], second: Sequence[Marked]) -> float:
    """Return 2|A ∩ B| / (|A| + |B|) over the characters that each marked, both some; spans of one text are apart."""
    both = sum(
        max(0, min(end, other_end) - max(start, other_start))
        for text, start, end in first
        for other, other_start, other_end in second
        if text == other
    )
    return 2 * both / sum(end - start for _, start, end in (*first, *second))


def _reasons(table: JudgmentTable, choices: AxisChoices) -> Finding:
    answered, dropped = in_force(table, table.rows_on(choices.axis, PERSON))
    by_unit: dict[Unit, list[tuple[Marked, ...]]] = {}
    raters: set[str] = set()
    for (unit, rater), (row, *_) in answered.items():
        if table.marked[row]:
            by_unit.setdefault(unit, []).append(table.marked[row])
            raters.add(rater)
        else:
            dropped["nothing marked"] += 1
    pairs = [
        (number, marked_f1(first, second))
        for number, marks in enumerate(by_unit.values())
        for first, second in combinations(marks, 2)
    ]
    dropped["marked by one rater alone"] += sum(len(marks) == 1 for marks in by_unit.values())
    values, units = np.array([f1 for _, f1 in pairs]), np.array([number for number, _ in pairs], dtype=np.int64)
    n = len(set(units.tolist()))
    none = "no comparison in which two raters marked words"
    found = Agreement(
        float(values.mean()) if pairs else None, none, bounded_mean_interval(values, units), n
    )  # fmt: skip
    return _agreement(
        REASONS_AGREE, choices.axis, f"Marked words: mean F₁ of pairs of raters, {choices.axis}", choices.axis,
        sorted(raters), found, "proportion", dropped=told(dropped),
        note=f"{len(pairs)} pairs; 1: the same characters, 0: none in common; not corrected for chance.",
    )  # fmt: skip
