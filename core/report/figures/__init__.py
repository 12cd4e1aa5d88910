"""The papers' figures and result tables, made from findings: each study draws its own.

A study that draws none has no figures: its findings are in the table. With texts of several generators each has its
own figures, and where they were compared the first figure is of their differences.
"""

from collections.abc import Sequence

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding
from biasprint.core.report.figures.generators import difference_figures, of_generator, split
from biasprint.core.studies.kit.choose import parted
from biasprint.core.studies.registry import studies


def figures_of(kind: str, findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give, in the order of the study's paper; never an empty one."""
    study = studies().get(kind)
    differences, own = split(findings)
    drawn: list[Figure] = []
    if study is not None:
        for generator, of_one in parted(own, lambda one: one.dims.get("generator", "")).items():
            drawn += of_generator(study.draw, generator, of_one)
    return [*difference_figures(kind, differences), *drawn]
