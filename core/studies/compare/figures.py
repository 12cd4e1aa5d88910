"""Figures of any score by any group: differences, means, rates, impact ratios, similarity."""

from collections.abc import Sequence
from dataclasses import replace

from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.compare.texts import title_of
from biasprint.core.studies.kit.choose import against, drawn, joined, parted, words, worth_drawing
from biasprint.core.studies.kit.declared import figure_keys

OF_TOPICS = ("compare.word_association", "compare.relative_decision")
PARTS = ("template", "form")


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """A figure of each kind for each score: scores have no unit in common."""
    every = []
    for key in figure_keys("compare"):
        own = [finding for finding in findings if finding.id == key or finding.id.startswith(f"{key}.")]
        for part, of_one in parted(own, _part).items():
            unit = of_one[0].unit
            figure = drawn(key, map(_mark, of_one), part=part, unit=unit, axis=unit)
            every.append(replace(figure, title=f"{figure.title}: {part}") if part else figure)
    return worth_drawing(every)


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
