"""`creativity.crossed.distance`: distances from the default texts by two axes at once, main effects and interaction."""

from core.findings import Finding
from core.studies.creativity.distances import AxisDistances, Making
from core.studies.crossed import CrossedMeasure, Crossing, crossed_findings, means_of

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
