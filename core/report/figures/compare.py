"""Figures of any score by any group: differences, means, rates, impact ratios, similarity."""

from collections.abc import Sequence
from dataclasses import replace

from core.draw.figure import Figure, FigureMark, mark
from core.findings import Finding
from core.report.figures.choose import against, parted, worth_drawing

KINDS = {
    "compare.difference": ("Differences between groups", "At 0 the groups score alike.", 0.0),
    "compare.mean": ("How each group scores", "The mean over texts.", None),
    "compare.rate": ("How often, by group", "Cells of fewer than 5 are withheld.", None),
    "compare.impact_ratio": ("Impact ratios", "A group’s rate over the highest rate. At 1 they are equal.", 1.0),
    "compare.similarity": ("How alike counterfactual pairs are", "1 is the same text.", None),
}


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """A figure of each kind for each score: scores have no unit in common."""
    found = []
    for key, (title, subtitle, null) in KINDS.items():
        own = [one for one in findings if one.id.startswith(key)]
        for (label, by), of_one in parted(own, lambda one: (_part(one), one.dims.get("by", ""))).items():
            part = f"{label}, by {by}" if by else label
            found.append(
                Figure(
                    key=key,
                    study="compare",
                    part=part,
                    title=f"{title}: {part}" if part else title,
                    subtitle=subtitle,
                    kind="intervals",
                    marks=tuple(_mark(one) for one in of_one),
                    unit=of_one[0].unit,
                    axis=of_one[0].unit,
                    null=null,
                    source="LangFair 0.8.0" if key == "compare.similarity" else "beyond the papers: docs/compare.md",
                )
            )
    return worth_drawing(found)


def _part(finding: Finding) -> str:
    return "" if finding.id.startswith("compare.similarity") else finding.label


def _mark(finding: Finding) -> FigureMark:
    # The floor is of the difference's size, and the figure is of the difference.
    return replace(mark(finding, _row(finding)), floor=None)


def _row(finding: Finding) -> str:
    pair = against(finding)
    return finding.title if finding.id.startswith("compare.similarity") else pair
