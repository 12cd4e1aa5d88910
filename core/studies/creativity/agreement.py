"""Agreement of raters, `creativity.agreement.*`, and each result without one rater, `creativity.quality.without.*`.

By axis, of people alone: models agree with themselves only as far as the order of the cards lets them (`affinity`).
Source: Kumar et al. 2024, section 4.1, footnote 4 (Fleiss' κ); the other measures are METHODS'."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from core.findings import Finding
from core.metrics.affinity import affinity_score
from core.metrics.agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    mean_cohen_kappa,
    raw_agreement,
)
from core.metrics.result import Ints
from core.studies.creativity import affinity, slices
from core.studies.creativity.choices import EVERYONE, PERSON, QUALITY, AxisChoices, JudgmentTable, choices_on
from core.studies.creativity.slices import published
from core.studies.findings import interval, missing_interval

# ---- `creativity.agreement.*`, whole and by task

AGREEMENT = "creativity.agreement"
FLEISS, COHEN = f"{AGREEMENT}.fleiss_kappa", f"{AGREEMENT}.cohen_kappa"
SOURCE = "Kumar et al. 2024, section 4.1, footnote 4"
MEASURES: Mapping[str, tuple[str, Callable[[Ints], Agreement]]] = {
    FLEISS: ("Fleiss’ κ", fleiss_kappa),
    f"{AGREEMENT}.krippendorff_alpha": ("Krippendorff’s α", krippendorff_alpha),
    f"{AGREEMENT}.gwet_ac1": ("Gwet’s AC1", gwet_ac1),
    f"{AGREEMENT}.raw": ("Raw agreement", raw_agreement),
}
# So many raters make 45 pairs; of more, the mean alone is told.
MOST_RATERS_IN_PAIRS = 10
MEAN_OF_PAIRS = "Cohen’s κ, mean of pairs"


def _why_not(choices: AxisChoices, found: Agreement) -> str:
    if len(choices.raters) == 1:
        return "only one rater chose"
    return found.reason if choices.raters else "no comparison with a choice"


def agreement(table: JudgmentTable, judged: Sequence[AxisChoices]) -> list[Finding]:
    """The measures for every axis that people judged, and for every task where several judged it."""
    of_people = [choices for choices in judged if table.rows_on(choices.axis, PERSON)]
    findings = [finding for choices in of_people for finding in of_choices(choices)]
    for choices in of_people:
        rows = table.rows_on(choices.axis, PERSON)
        for dims, of_task in slices.cut(("task",), {"task": table.task} if table.task else {}, rows):
            part = choices_on(table, choices.axis, choices.identities, of_task, dims)
            if len(part.raters) > 1:
                findings += of_choices(part)
    return findings


def of_choices(choices: AxisChoices) -> Iterator[Finding]:
    """Every measure for these choices: a choice is a category, a judgment without one is a gap."""
    several = len(choices.raters) > 1
    for finding_id, (name, measure) in MEASURES.items():
        found = measure(choices.counts)
        yield finding_of(finding_id, name, choices, found)
        if finding_id == FLEISS and not choices.dims:
            yield _published(choices, found)
    k = len(choices.identities)
    yield finding_of(COHEN, MEAN_OF_PAIRS, choices, mean_cohen_kappa(choices.ratings, k))
    if several and len(choices.raters) <= MOST_RATERS_IN_PAIRS and not choices.dims:
        for one, other in combinations(range(len(choices.raters)), 2):
            pair = (choices.raters[one], choices.raters[other])
            found = cohen_kappa(choices.ratings[:, (one, other)], k)
            yield finding_of(COHEN, "Cohen’s κ", choices, found, pair)


def finding_of(
    finding_id: str, name: str, choices: AxisChoices, found: Agreement, pair: tuple[str, str] | None = None
) -> Finding:
    """One measure of these choices, or of a pair of their raters."""
    label = " / ".join(pair) if pair else choices.axis
    common = _common(choices, found, finding_id) | {
        "label": label,
        "title": slices.within(f"{name}: {choices.axis}{f', {label}' if pair else ''}", choices.dims),
        "groups": pair or choices.raters,
    }
    return Finding(
        id=finding_id,
        estimate=found.value,
        reason=_why_not(choices, found) if found.value is None else missing_interval(found.interval),
        interval=interval(found.interval.bounds),
        **common,
    )


def _published(choices: AxisChoices, found: Agreement) -> Finding:
    """The same number without an interval, beside the paper's."""
    common = _common(choices, found, FLEISS) | {"label": choices.axis, "groups": choices.raters}
    return Finding(
        id=FLEISS,
        title=f"Fleiss’ κ: {choices.axis}",
        variant="as_published",
        estimate=found.value,
        reason=_why_not(choices, found) if found.value is None else "interval: the paper gives none",
        **common | {"note": f"Unit assumed: one comparison.{published(FLEISS, choices.axis)}"},
    )


def _common(choices: AxisChoices, found: Agreement, finding_id: str) -> dict[str, Any]:
    n = len(choices.raters)
    note = f"The interval resamples comparisons: it holds for these {n} raters, not for others like them."
    left_out = len(choices.counts) - found.n
    reasons = {"comparison not judged by enough of these raters": left_out} if left_out and n > 1 else {}
    return {
        "unit": "proportion" if finding_id.endswith("raw") else "agreement beyond chance",
        "n": found.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": {
            rater: int((choices.ratings[:, place] >= 0).sum()) for place, rater in enumerate(choices.raters)
        },
        "dropped": {**choices.dropped, **reasons},
        "source": SOURCE,
        "note": note if n > 1 else "",
    }


# ---- `creativity.quality.without.*`
# Each finding is the same measure without the rater it is named after; the contrast says what that rater adds. It shows
# who carries a result, and is no test of its own: the floor's p stands in the floor, and there is no other.

WITHOUT = f"{QUALITY}.without"
# Who carries a result is a question for a few raters; of many, no single one does.
MOST_RATERS = 20


def without_each(
    table: JudgmentTable, judged: Sequence[AxisChoices], seed: int, resamples: int, planned: float
) -> Iterator[Finding]:
    """For every axis that two people or more judged: ABS without each of them, and of three or more the agreement."""
    for whole in judged:
        rows = table.rows_on(whole.axis, PERSON)
        if not rows or len(whole.raters) < 2:
            continue
        if len(whole.raters) > MOST_RATERS:
            yield _too_many(whole)
            continue
        of_all = dict(_measures(whole))
        for rater in sorted(whole.raters):
            others = [row for row in rows if table.rater[row] != rater]
            left = choices_on(table, whole.axis, whole.identities, others)
            yield _score(whole, left, rater, seed, resamples, planned)
            if len(left.raters) > 1:
                yield from _agreement(left, rater, of_all)


def _too_many(whole: AxisChoices) -> Finding:
    return Finding(
        id=f"{WITHOUT}.abs",
        label=EVERYONE,
        title=f"Affinity bias score without each rater: {whole.axis}",
        groups=whole.identities,
        estimate=None,
        reason=f"{len(whole.raters)} raters: with more than {MOST_RATERS} no single one carries a result",
        unit="proportion",
        n=whole.n,
        dims={"axis": whole.axis},
        source=affinity.SOURCE,
    )


def _score(whole: AxisChoices, left: AxisChoices, rater: str, seed: int, resamples: int, planned: float) -> Finding:
    found = affinity.score(left, "", seed, resamples, planned)
    return replace(
        _named(found, "abs", rater, affinity_score(whole.chosen).value),
        title=f"Affinity bias score without {rater}: {whole.axis}",
        p=None,
        power=None,
    )


def _measures(choices: AxisChoices) -> Iterator[tuple[str, tuple[str, Agreement]]]:
    """Every measure of agreement by id, with its name; Cohen's κ only of raters who are few enough for pairs."""
    for finding_id, (name, measure) in MEASURES.items():
        yield finding_id, (name, measure(choices.counts))
    if len(choices.raters) <= MOST_RATERS_IN_PAIRS:
        yield COHEN, (MEAN_OF_PAIRS, mean_cohen_kappa(choices.ratings, len(choices.identities)))


def _agreement(left: AxisChoices, rater: str, of_all: Mapping[str, tuple[str, Agreement]]) -> Iterator[Finding]:
    for finding_id, (name, found) in _measures(left):
        if finding_id in of_all:
            finding = replace(finding_of(finding_id, name, left, found), title=f"{name}, without {rater}: {left.axis}")
            yield _named(finding, finding_id.rpartition(".")[2], rater, of_all[finding_id][1].value)


def _named(found: Finding, name: str, rater: str, whole: float | None) -> Finding:
    adds = {} if whole is None or found.estimate is None else {rater: whole - found.estimate}
    with_all = "" if whole is None else f" With all raters {whole:.3f}; contrast: what this one adds."
    return replace(
        found,
        id=f"{WITHOUT}.{name}",
        label=rater,
        contrast=adds or None,
        note=f"{found.note}{with_all}".strip(),
    )
