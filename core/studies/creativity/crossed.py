"""Creative texts by two axes at once: main effects and interaction.

`creativity.crossed.distance`: of distances from the default texts. `creativity.crossed.preference`: of the odds to be
preferred in judging, where a comparison shows some of the crossed identities at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.metrics.interactions import crossed_contrasts
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.ranking import Ranking
from biasprint.core.metrics.result import Floats, Ints, MaybeBounds
from biasprint.core.studies.creativity.distances import AxisDistances, Making
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of

CROSSED_ID = "creativity.crossed.distance"
UNITS = ("cosine distance", "difference of cosine distances")


def crossed_distances(part: AxisDistances, crossing: Crossing, making: Making) -> list[Finding]:
    """Of one model on a crossed axis. A task and theme is one unit: it has a text for every identity."""
    measured = CrossedMeasure(
        id=CROSSED_ID,
        label="distance",
        title="Distance from the default output",
        units=UNITS,
        estimate=means_of(part.distances.ravel()),
        scorers=(making.scorer,) if making.scorer else (),
    )
    blocks = [" / ".join(block) for block in part.blocks for _ in part.identities]
    groups = part.identities * len(part.blocks)
    return crossed_findings(crossing, groups, blocks, [measured], part.dropped, making.model(part))


# ---- What raters preferred

PREFERENCE_ID = "creativity.crossed.preference"
PREFERENCE_UNITS = ("odds ratio", "ratio of odds ratios")
PREFERENCE_SOURCE = "ours: contrasts of the log strengths of a ranking (Davidson 1970; Luce 1959), bootstrap by rater"


def contrasts_of(crossing: Crossing, identities: Sequence[str]) -> Floats:
    """The weights of every main effect and interaction, one row each, shape (contrasts, identities)."""
    contrasts = crossed_contrasts(len(crossing.levels[0]), len(crossing.levels[1]))
    weights = np.zeros((len(contrasts), len(identities)))
    for row, contrast in enumerate(contrasts):
        for cell, weight in zip(crossing.cells, contrast.weights, strict=True):
            if cell:
                weights[row, identities.index(cell)] = weight
    return weights


def crossed_preferences(crossing: Crossing, ranked: Ranking, common: Mapping[str, Any]) -> list[Finding]:
    """Of a ranking that was asked for `contrasts_of`. `common`: what its findings say alike; a group's n are the
    comparisons in which it was shown.
    """
    contrasts = crossed_contrasts(len(crossing.levels[0]), len(crossing.levels[1]))
    nothing = OddsRatio(None, ranked.reason, MaybeBounds(None, "no estimate"))
    ratios = ranked.contrasts or (nothing,) * len(contrasts)
    known = {contrast.weights: ratio for contrast, ratio in zip(contrasts, ratios, strict=True)}

    def estimate(cell: Ints, cluster: Ints, weights: Sequence[float]) -> OddsRatio:
        return known[tuple(weights)]

    measured = CrossedMeasure(
        id=PREFERENCE_ID,
        label="preference",
        title="Preferred to another",
        units=PREFERENCE_UNITS,
        estimate=estimate,
        scorers=(),
        source=PREFERENCE_SOURCE,
        note="Of the odds that a text is preferred to another.",
    )
    shown: Mapping[str, int] = common["n_by_group"]
    groups = [identity for identity, times in shown.items() for _ in range(times)]
    dims = {name: value for name, value in common["dims"].items() if name != "axis"}
    found = crossed_findings(crossing, groups, (), [measured], common["dropped"], dims)
    return [replace(one, n=common["n"]) for one in found]
