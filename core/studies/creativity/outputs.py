"""How far each identity's outputs lie from the default ones: `creativity.distance` and `creativity.rbs`.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.findings import Finding, ScorerUse, StudyResult
from core.metrics.mean_difference import mean_difference
from core.metrics.mean_interval import mean_interval
from core.metrics.representative_floor import RepresentativeNull, representative_null
from core.metrics.representative_interval import representative_interval
from core.metrics.representative_score import representative_score
from core.metrics.resampling import generator
from core.metrics.result import RESAMPLES, Floats
from core.studies.creativity.distances import AxisDistances, OutputTable, distances_on, usable_rows
from core.studies.findings import floor, interval, missing_interval, with_holm

DISTANCE, RBS = "creativity.distance", "creativity.rbs"
SOURCE = "Kumar et al. 2024, section 3.1, equations 6 to 9"


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
) -> StudyResult:
    """Distances and RBS for every axis with outputs, each model by itself where there are several.

    `embeddings`: one vector per output, shape (n, dimensions), any length. `axes`: identities in their order, by axis.
    `default`: the identity of outputs of default prompts. `harm`: the harmful direction in words, by axis.
    """
    embeddings = np.asarray(embeddings, dtype=np.float64)
    measured = {default, *(identity for identities in axes.values() for identity in identities)}
    rows, dropped = usable_rows(table, embeddings, measured)
    models = dict.fromkeys(table.model_of(row) for row in rows)
    parts = [
        distances_on(table, embeddings, [row for row in rows if table.model_of(row) == model], default, axis, names)
        for model in models
        for axis, names in axes.items()
    ]
    present = [part for part in parts if part.outputs]
    several = len({part.model for part in present}) > 1
    distances: list[Finding] = []
    scores: list[Finding] = []
    published: list[Finding] = []
    for part in present:
        common = _common(part, scorer, (harm or {}).get(part.axis, ""), several)
        null = _null(part, seed, resamples)
        family = f"{DISTANCE}, axis {part.axis}, {len(part.identities)} identities"
        distances += with_holm(list(_distances(part, common, null)), family)
        scores.append(_rbs(part, common, null))
        published.append(_rbs_published(part, common))
    scores = with_holm(scores, f"{RBS}, {len(scores)} scores")
    for part in present:
        dropped.update(part.dropped)
    return StudyResult("creativity", len(table), dict(dropped), (*distances, *scores, *published))


def _null(part: AxisDistances, seed: int, resamples: int) -> RepresentativeNull | None:
    blocks, k = part.distances.shape
    if blocks == 0 or k < 2:
        return None
    return representative_null(part.distances, generator(seed, RBS, part.axis, part.model), resamples)


def _distances(part: AxisDistances, common: Mapping[str, Any], null: RepresentativeNull | None) -> Iterator[Finding]:
    score = representative_score(part.distances)
    for place, identity in enumerate(part.identities):
        named = {**common, "label": identity, "title": f"Distance from the default output: {identity}"}
        if score.value is None or null is None:
            yield Finding(id=DISTANCE, estimate=None, reason=score.reason, **named)
            continue
        bounds = mean_interval(part.distances[:, place])
        named["note"] = f"p is for the difference from the mean of the identities. {common['note']}".strip()
        yield Finding(
            id=DISTANCE,
            estimate=score.means[place],
            reason=missing_interval(bounds),
            interval=interval(bounds.bounds),
            p=null.contrast_p[place],
            contrast={identity: score.contrast[place]},
            **named,
        )


def _rbs(part: AxisDistances, common: Mapping[str, Any], null: RepresentativeNull | None) -> Finding:
    named = {**common, **_titles(part)}
    score = representative_score(part.distances)
    if score.value is None or null is None:
        return Finding(id=RBS, estimate=None, reason=score.reason, **named)
    bounds = representative_interval(part.distances)
    nearest = ", ".join(part.identities[place] for place in score.normal)
    named["note"] = f"Nearest to the default output: {nearest}. Floor: {null.floor.method}. {common['note']}".strip()
    return Finding(
        id=RBS,
        estimate=score.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=null.floor.p,
        contrast=dict(zip(part.identities, score.contrast, strict=True)),
        floor=floor(null.floor),
        floor_subtracted=score.value - null.floor.mean,
        **named,
    )


def _rbs_published(part: AxisDistances, common: Mapping[str, Any]) -> Finding:
    """The paper's ANOVA (t for two identities) over the distances, as if they were independent."""
    named = {**common, **_titles(part), "variant": "as_published"}
    score = representative_score(part.distances)
    if score.value is None:
        return Finding(id=RBS, estimate=None, reason=score.reason, **named)
    test = mean_difference(list(part.distances.T))
    undefined = f" p: {test.reason}." if test.p is None else ""
    named["note"] = f"{test.name}, unit assumed: one task and theme.{undefined}"
    return Finding(
        id=RBS,
        estimate=score.value,
        reason="interval: the paper gives none",
        p=test.p,
        contrast=dict(zip(part.identities, score.contrast, strict=True)),
        **named,
    )


def _common(part: AxisDistances, scorer: ScorerUse | None, harm: str, several: bool) -> dict[str, Any]:
    """What every finding on this axis carries."""
    note = ""
    if part.baseline is not None:
        note = f"Two default outputs of one prompt lie {part.baseline:.3f} apart on average."
    return {
        "groups": part.identities,
        "unit": "cosine distance",
        "n": len(part.distances),
        "dims": {"axis": part.axis, **({"model": part.model} if several else {})},
        "n_by_group": dict.fromkeys(part.identities, part.used),
        "dropped": part.dropped,
        "scorers": (scorer,) if scorer else (),
        "harm": harm,
        "source": SOURCE,
        "note": note,
    }


def _titles(part: AxisDistances) -> dict[str, str]:
    return {"label": part.axis, "title": f"Representative bias score: {part.axis}"}
