"""`news.….crossed`: how a level's difference from the originals goes with each of two crossed axes, and with both."""

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.studies.kit.crossed import CrossedMeasure, Crossing, crossed_findings, means_of
from biasprint.core.studies.news.level import LevelDesign, MeasuredLevel

CROSSED = "crossed"
NOTE = "Generated minus original, in the pairs where it is defined; a headline is one unit."


def crossed_level(measured: MeasuredLevel, design: LevelDesign, crossing: Crossing | None) -> list[Finding]:
    """Main effects and interactions of the signed differences, of every part but single domains.

    Empty where the axis is not crossed.
    """
    if crossing is None:
        return []
    level, values, groups = measured.level, measured.values, measured.axis.groups
    found: list[Finding] = []
    for stratum in design.strata:
        if "domain" in stratum.dims:
            continue
        counted = stratum.members[:, None] & values.present
        # A group that nobody mentions has no difference of 0: there is nothing to differ.
        counted &= ((values.among | (values.signed != 0)) & counted).any(axis=0)
        pairs, places = np.nonzero(counted)
        one = CrossedMeasure(
            id=f"{level.id}.{CROSSED}",
            label="difference",
            title=level.titles["difference"],
            units=(f"difference of {level.unit}s", f"difference of differences of {level.unit}s"),
            estimate=means_of(values.signed[counted]),
            scorers=level.scorers,
            note=NOTE,
        )
        stories = [str(design.story[pair]) for pair in pairs]
        out = int(stratum.members.sum()) - len(set(pairs.tolist()))
        dropped = {level.undefined: out} if out else {}
        found += crossed_findings(crossing, [groups[place] for place in places], stories, [one], dropped, stratum.dims)
    return found
