"""Parts, each measured by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from core.findings import Finding, StudyResult
from core.jobs import JobContext
from core.metrics.result import RESAMPLES, Bools
from core.studies.letters.measure import LetterInputs, measure_whole
from core.studies.letters.mitigation import mitigation_findings, plain_arm
from core.studies.letters.style import StyleScores
from core.studies.letters.table import LettersTable


@dataclass(frozen=True)
class Parts:
    """What letters differ in besides their group; one value per letter, or none where it is not known.

    `by`: dims of the findings (model, document) → values. `arms`: "" or "plain", or an instruction's name; `twins`:
    what the letters of one prompt and sample share in all arms.
    """

    by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arms: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()


def measure_parts(
    table: LettersTable,
    reading: LetterInputs,
    parts: Parts,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    ctx: JobContext | None = None,
) -> StudyResult:
    """The whole study for every model and document there is, with dims where there are several of them.

    Letters with an instruction added are compared with those without, and are in no other finding.
    """
    several = {name: values for name, values in parts.by.items() if len(set(values)) > 1}
    found: list[Finding] = []
    for wanted in product(*(dict.fromkeys(values) for values in several.values())):
        dims = dict(zip(several, wanted, strict=True))
        inside = np.ones(len(table.groups), dtype=bool)
        for name, value in dims.items():
            inside &= np.array([each == value for each in several[name]])
        if inside.any():
            own = _part(table, reading, parts, inside, seed, resamples, ctx)
            found += [replace(finding, dims={**finding.dims, **dims}) for finding in own]
    return StudyResult("letters", len(table.groups), table.all_dropped, tuple(found))


def _part(
    table: LettersTable,
    reading: LetterInputs,
    parts: Parts,
    inside: Bools,
    seed: int,
    resamples: int,
    ctx: JobContext | None,
) -> list[Finding]:
    if not parts.arms or all(plain_arm(parts.arms)):
        own = measure_whole(*_only(table, reading, inside), seed=seed, resamples=resamples, ctx=ctx)
        return list(own.findings)
    plain = inside & np.array(plain_arm(parts.arms))
    findings = list(measure_whole(*_only(table, reading, plain), seed=seed, resamples=resamples, ctx=ctx).findings)
    places = [int(place) for place in np.flatnonzero(inside)]
    arms, twins = ([column[place] for place in places] for column in (parts.arms, parts.twins))
    return findings + mitigation_findings(_subset(table, inside), arms, twins, seed, resamples)


def _only(table: LettersTable, reading: LetterInputs, inside: Bools) -> tuple[LettersTable, LetterInputs]:
    if inside.all():
        return table, reading
    places = [int(place) for place in np.flatnonzero(inside)]

    def kept(column: Sequence[str]) -> tuple[str, ...]:
        return tuple(column[place] for place in places) if column else ()

    styles = {
        kind: scores.only(inside) if isinstance(scores, StyleScores) else scores
        for kind, scores in reading.styles.items()
    }
    own = replace(
        reading,
        texts=kept(reading.texts),
        contexts=kept(reading.contexts),
        documents=kept(reading.documents),
        styles=styles,
    )
    return _subset(table, inside), own


def _subset(table: LettersTable, inside: Bools) -> LettersTable:
    """Letters of another model, document or arm are measured elsewhere: they are not dropped."""
    return replace(table.only(inside, "elsewhere"), dropped=table.dropped)
