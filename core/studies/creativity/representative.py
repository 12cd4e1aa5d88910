"""The findings of one model's outputs on one axis: `creativity.distance` and `creativity.rbs`.

Source: Kumar et al. 2024 (METHODS, Creativity).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.findings import Finding, Power, ScorerUse
from core.metrics.means import mean_difference, mean_interval
from core.metrics.power import blocks_needed, detectable_representative
from core.metrics.representative import (
    RepresentativeNull,
    representative_interval,
    representative_null,
    representative_score,
)
from core.metrics.resampling import generator
from core.studies.creativity.distances import AxisDistances
from core.studies.creativity.published import published
from core.studies.creativity.slices import within
from core.studies.findings import floor, interval, missing_interval

DISTANCE, RBS = "creativity.distance", "creativity.rbs"
SOURCE = "Kumar et al. 2024, section 3.1, equations 6 to 9"
# The spread a study is planned for: the paper's GPT-4 has .023 on race, its least biased model .014.
PLANNED_RBS = 0.02


@dataclass(frozen=True)
class Making:
    """What all findings of a table share. `harm`: the harmful direction in words, by axis. `several`: models."""

    scorer: ScorerUse | None
    harm: Mapping[str, str]
    seed: int
    resamples: int
    several: bool

    def common(self, part: AxisDistances) -> dict[str, Any]:
        """What every finding of this part carries."""
        note = ""
        if part.baseline is not None:
            note = f"Two default outputs of one prompt lie {part.baseline:.3f} apart on average."
        return {
            "groups": part.identities,
            "unit": "cosine distance",
            "n": len(part.distances),
            "dims": {"axis": part.axis, **self.model(part), **part.dims},
            "n_by_group": dict.fromkeys(part.identities, part.used),
            "dropped": part.dropped,
            "scorers": (self.scorer,) if self.scorer else (),
            "harm": self.harm.get(part.axis, ""),
            "source": SOURCE,
            "note": note,
        }

    def model(self, part: AxisDistances) -> dict[str, str]:
        """The key that tells models apart, where there are several."""
        return {"model": part.model} if self.several else {}

    def null(self, part: AxisDistances) -> RepresentativeNull | None:
        """What identities that make no difference would give; None where nothing can be measured."""
        blocks, k = part.distances.shape
        if blocks == 0 or k < 2:
            return None
        stream = generator(self.seed, RBS, part.axis, part.model, *part.dims.values())
        return representative_null(part.distances, stream, self.resamples)


def distances(part: AxisDistances, making: Making, null: RepresentativeNull | None) -> Iterator[Finding]:
    """For each identity its mean distance from the default outputs."""
    common, found = making.common(part), representative_score(part.distances)
    for place, identity in enumerate(part.identities):
        title = within(f"Distance from the default output: {identity}", part.dims)
        named = {**common, "label": identity, "title": title}
        if found.value is None or null is None:
            yield Finding(id=DISTANCE, estimate=None, reason=found.reason, **named)
            continue
        bounds = mean_interval(part.distances[:, place])
        named["note"] = f"p is for the difference from the mean of the identities. {common['note']}".strip()
        yield Finding(
            id=DISTANCE,
            estimate=found.means[place],
            reason=missing_interval(bounds),
            interval=interval(bounds.bounds),
            p=null.contrast_p[place],
            contrast={identity: found.contrast[place]},
            **named,
        )


def score(part: AxisDistances, making: Making, null: RepresentativeNull | None) -> Finding:
    """RBS with its interval, noise floor and power."""
    common = making.common(part)
    named = {**common, **_titles(part)}
    found = representative_score(part.distances)
    if found.value is None or null is None:
        return Finding(id=RBS, estimate=None, reason=found.reason, **named)
    bounds = representative_interval(part.distances)
    nearest = ", ".join(part.identities[place] for place in found.normal)
    named["note"] = f"Nearest to the default output: {nearest}. Floor: {null.floor.method}. {common['note']}".strip()
    return Finding(
        id=RBS,
        estimate=found.value,
        reason=missing_interval(bounds),
        interval=interval(bounds.bounds),
        p=null.floor.p,
        contrast=dict(zip(part.identities, found.contrast, strict=True)),
        floor=floor(null.floor),
        floor_subtracted=found.value - null.floor.mean,
        power=Power(detectable_representative(part.distances), blocks_needed(part.distances, PLANNED_RBS)),
        **named,
    )


def published_score(part: AxisDistances, making: Making) -> Finding:
    """The paper's ANOVA (t for two identities) over the distances, as if they were independent."""
    named = {**making.common(part), **_titles(part), "variant": "as_published"}
    found = representative_score(part.distances)
    if found.value is None:
        return Finding(id=RBS, estimate=None, reason=found.reason, **named)
    test = mean_difference(list(part.distances.T))
    undefined = f" p: {test.reason}." if test.p is None else ""
    printed = "" if part.dims else published(RBS, part.axis)
    named["note"] = f"{test.name}, unit assumed: one task and theme.{undefined}{printed}"
    return Finding(
        id=RBS,
        estimate=found.value,
        reason="interval: the paper gives none",
        p=test.p,
        contrast=dict(zip(part.identities, found.contrast, strict=True)),
        **named,
    )


def _titles(part: AxisDistances) -> dict[str, str]:
    return {"label": part.axis, "title": within(f"Representative bias score: {part.axis}", part.dims)}
