"""Figures of any score by any group: differences, means, rates, impact ratios, similarity."""

from collections.abc import Sequence
from dataclasses import replace

from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.compare.texts import title_of
from biasprint.core.studies.kit.choose import against, joined, parted, words, worth_drawing

OF_TOPICS = ("compare.word_association", "compare.relative_decision")
PARTS = ("template", "form")

KINDS = {
    "compare.difference": ("Differences between groups", "At 0 the groups score alike.", 0.0),
    "compare.mean": ("How each group scores", "The mean over texts.", None),
    "compare.rate": ("How often, by group", "Cells of fewer than 5 are withheld.", None),
    "compare.impact_ratio": ("Impact ratios", "A group’s rate over the highest rate. At 1 they are equal.", 1.0),
    "compare.word_association": ("Words given to groups", "At 0 nothing ties words to groups.", 0.0),
    "compare.relative_decision": ("Tasks handed out", "At 0.5 stereotypes decide nothing.", 0.5),
    "compare.log_odds": ("Log odds of yes", "At 0 the odds are equal.", 0.0),
    "compare.similarity": ("How alike counterfactual pairs are", "1 is the same text.", None),
}


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """A figure of each kind for each score: scores have no unit in common."""
    drawn = []
    for key, (title, subtitle, null) in KINDS.items():
        own = [finding for finding in findings if finding.id == key or finding.id.startswith(f"{key}.")]
        for part, of_one in parted(own, _part).items():
            drawn.append(
                Figure(
                    key=key,
                    study="compare",
                    part=part,
                    title=f"{title}: {part}" if part else title,
                    subtitle=subtitle,
                    kind="intervals",
                    marks=tuple(_mark(finding) for finding in of_one),
                    unit=of_one[0].unit,
                    axis=of_one[0].unit,
                    null=null,
                    source="LangFair 0.8.0"
                    if key == "compare.similarity"
                    else "beyond the papers: docs/explanation/noise-floors.md",
                )
            )
    return worth_drawing(drawn)


def _part(finding: Finding) -> str:
    """Return what the findings of one figure share: score, design and its part, and by what they are grouped."""
    dims = finding.dims
    label = "" if finding.id.startswith(("compare.similarity", *OF_TOPICS)) else title_of(finding.label)
    label = f"{label}, by {dims['by']}" if "by" in dims else label
    return joined(words(dims.get("design", "")), label, *(words(dims[name]) for name in PARTS if name in dims))


def _mark(finding: Finding) -> FigureMark:
    # The floor is of the difference's size, and the figure is of the difference.
    return replace(mark(finding, _row(finding)), floor=None)


def _row(finding: Finding) -> str:
    if finding.id.startswith(OF_TOPICS):
        return words(finding.dims.get("topic", "all topics"))
    return finding.title if finding.id.startswith("compare.similarity") else against(finding)
