"""Figures of crossed axes, of any study: each axis whatever the other is, and how far they depend on each other."""

from collections.abc import Sequence

from biasprint.core.draw.figure import Figure, FigureMark, mark
from biasprint.core.findings import Finding
from biasprint.core.studies.kit.choose import joined, parted, words, worth_drawing
from biasprint.core.studies.kit.titles import kind_title

CROSSED, MAIN, INTERACTION = ".crossed.", ".main_effect", ".interaction"
IN_ROWS = ("axis", "domain")  # dims that do not make a figure of their own


def crossed_figures(study: str, findings: Sequence[Finding]) -> list[Figure]:
    """For each measure a figure of its main effects and one of its interactions; empty where nothing is crossed."""
    crossed = [one for one in findings if CROSSED in one.id and one.id.endswith((MAIN, INTERACTION))]
    return worth_drawing(
        _figure(study, joined(kind_title(finding_id), *map(words, narrowed)), own)
        for (finding_id, narrowed), own in parted(crossed, lambda one: (one.id, _narrowed(one))).items()
    )


def _narrowed(finding: Finding) -> tuple[str, ...]:
    return tuple(value for name, value in finding.dims.items() if name not in IN_ROWS)


def _figure(study: str, part: str, findings: Sequence[Finding]) -> Figure:
    ratio = "ratio" in findings[0].unit
    null = 1.0 if ratio else 0.0
    adds_up = f"At {null:g} the two axes add up: nobody is treated otherwise than both parts together say."
    several = len({one.label for one in findings}) > 1
    return Figure(
        key=f"{study}.crossed",
        study=study,
        part=part,
        title=part,
        subtitle=adds_up if findings[0].id.endswith(INTERACTION) else "Each identity of the other axis counts alike.",
        kind="intervals",
        marks=tuple(_mark(one, several) for one in findings),
        unit=findings[0].unit,
        axis=findings[0].unit,
        scale="log" if ratio else "linear",
        null=null,
        null_words="the two axes add up" if findings[0].id.endswith(INTERACTION) else "no difference",
        source="beyond the papers: docs/explanation/crossed-axes.md",
    )


def _mark(finding: Finding, several: bool) -> FigureMark:
    """A row for each label below its contrast; for each contrast, below its axis, where there is one label."""
    contrast, _, beside = words(finding.title.partition(": ")[2]).partition(" (")
    domain = words(finding.dims["domain"]) if "domain" in finding.dims else ""
    if several:
        return mark(finding, words(finding.label), section=joined(domain, contrast))
    return mark(finding, contrast, section=joined(domain, words(beside.rstrip(")"))))
