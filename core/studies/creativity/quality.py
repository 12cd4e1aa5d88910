"""How far judgments can be trusted: repeats, places of cards, times, single raters, and models beside people."""

from collections.abc import Mapping, Sequence

from core.findings import Finding
from core.studies.creativity.choices import AxisChoices, JudgmentTable
from core.studies.creativity.consistency import consistency
from core.studies.creativity.evaluators import common_choices, evaluators
from core.studies.creativity.left_out import without_each
from core.studies.creativity.people import answers
from core.studies.creativity.positions import positions
from core.studies.creativity.times import times
from core.studies.creativity.who_agrees import who_agrees


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
    """`creativity.quality.*` of people, and what people and models make of the same comparisons.

    `judged`: the choices of every axis that was judged, people's where people judged it.
    """
    found: list[Finding] = []
    if given := answers(table, axes):
        found += consistency(given)
        found += positions(given, seed, resamples)
        found += times(given)
        found += without_each(table, judged, seed, resamples, planned)
    for choices in judged:
        common = common_choices(table, choices.axis, choices.identities)
        if common is not None:
            found += evaluators(common, harm.get(choices.axis, ""), seed, resamples, planned)
            found += who_agrees(common)
    return found
