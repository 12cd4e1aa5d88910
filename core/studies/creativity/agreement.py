"""How far raters agree: `creativity.agreement.*`, by axis, whole and by task. Of people alone: models agree with
themselves only as far as the order of the cards lets them (see orders.py).

Source: Kumar et al. 2024, section 4.1, footnote 4 (Fleiss' κ); the other measures are METHODS'.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from core.findings import Finding
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
from core.studies.creativity import slices
from core.studies.creativity.choices import PERSON, AxisChoices, JudgmentTable, choices_on
from core.studies.creativity.published import published
from core.studies.findings import interval, missing_interval

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
