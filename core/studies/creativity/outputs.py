"""How far each identity's outputs lie from the default ones, whole and in parts.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.findings import Finding, ScorerUse, StudyResult
from core.metrics.result import RESAMPLES, Floats
from core.studies.creativity import representative, slices
from core.studies.creativity.distances import AxisDistances, OutputTable, distances_on, usable_rows
from core.studies.creativity.perceptibility import perceptibility
from core.studies.creativity.temperature import trends
from core.studies.findings import with_holm

PARTS = (("task",), ("topic",), ("temperature",))


def measure_outputs(
    table: OutputTable,
    embeddings: Floats,
    *,
    axes: Mapping[str, Sequence[str]],
    scorer: ScorerUse | None = None,
    harm: Mapping[str, str] | None = None,
    default: str = "default",
    seed: int = 0,
    resamples: int = RESAMPLES,
    parts: bool = False,
    words: Mapping[str, Sequence[str]] | None = None,
) -> StudyResult:
    """Distances and RBS for every axis with outputs, each model by itself where there are several.

    `embeddings`: one vector per output, shape (n, dimensions), any length. `axes`: identities in their order, by axis.
    `default`: the identity of outputs of default prompts. `harm`: the harmful direction in words, by axis. `parts`:
    also by task, topic and temperature, the trend over temperatures, and what can be seen of the identities, by people
    and by the identities' `words`.
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    measured = {default, *(identity for identities in axes.values() for identity in identities)}
    rows, dropped = usable_rows(table, embeddings, measured)
    models = dict.fromkeys(table.model_of(row) for row in rows)
    of_model = {model: [row for row in rows if table.model_of(row) == model] for model in models}
    wholes = [
        distances_on(table, embeddings, own, default, axis, names)
        for own in of_model.values()
        for axis, names in axes.items()
    ]
    present = [whole for whole in wholes if whole.outputs]
    several = len({whole.model for whole in present}) > 1
    making = representative.Making(scorer, harm or {}, seed, resamples, several)
    findings = _wholes(present, making)
    if parts:
        for by in PARTS:
            cells = list(_cells(table, embeddings, of_model, default, axes, by))
            findings += slices.adjusted(_parts(cells, making), findings, by)
            if by == ("temperature",):
                findings += trends(cells, making)
        findings += perceptibility(table, embeddings, of_model, axes=axes, default=default, words=words or {})
    for whole in present:
        dropped.update(whole.dropped)
    return StudyResult("creativity", len(table), dict(dropped), tuple(findings))


def _wholes(present: Sequence[AxisDistances], making: representative.Making) -> list[Finding]:
    distances: list[Finding] = []
    scores: list[Finding] = []
    for part in present:
        null = making.null(part)
        family = f"{representative.DISTANCE}, axis {part.axis}, {len(part.identities)} identities"
        distances += with_holm(list(representative.distances(part, making, null)), family)
        scores.append(representative.score(part, making, null))
    scores = with_holm(scores, f"{representative.RBS}, {len(scores)} scores")
    return [*distances, *scores, *(representative.published_score(part, making) for part in present)]


def _parts(cells: Sequence[AxisDistances], making: representative.Making) -> list[Finding]:
    findings: list[Finding] = []
    for cell in cells:
        null = making.null(cell)
        findings += representative.distances(cell, making, null)
        findings.append(representative.score(cell, making, null))
        findings.append(representative.published_score(cell, making))
    return findings


def _cells(
    table: OutputTable,
    embeddings: Floats,
    of_model: Mapping[str, Sequence[int]],
    default: str,
    axes: Mapping[str, Sequence[str]],
    by: Sequence[str],
) -> Iterator[AxisDistances]:
    """The distances of every part of every model's outputs; parts without outputs on an axis are not there."""
    values = slices.columns({"task": table.task, "theme": table.theme, "temperature": table.temperature})
    for rows in of_model.values():
        for dims, chosen in slices.cut(by, values, rows):
            for axis, names in axes.items():
                cell = distances_on(table, embeddings, chosen, default, axis, names, dims)
                if cell.outputs:
                    yield cell
