"""What the result would be without one rater: `creativity.quality.without.*`, by axis, of people alone.

Each finding is the same measure once more without the rater it is named after; the contrast says what that rater adds.
It shows who carries a result, and is no test of its own: the floor's p stands in the floor, and there is no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.findings import Finding
from core.metrics.affinity import affinity_score
from core.metrics.agreement import Agreement, mean_cohen_kappa
from core.studies.creativity import affinity
from core.studies.creativity.agreement import COHEN, MEAN_OF_PAIRS, MEASURES, MOST_RATERS_IN_PAIRS, finding_of
from core.studies.creativity.choices import PERSON, AxisChoices, JudgmentTable, choices_on
from core.studies.creativity.people import EVERYONE, QUALITY

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
