"""The papers' figures and result tables, made from findings: a module for each study, which its declaration names.

A study that names none has no figures: its findings stand in the table.
"""

from collections.abc import Sequence

from core.draw.figure import Figure
from core.findings import Finding
from core.studies.registry import studies
from core.studies.study import named


def figures_of(kind: str, findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give, in the order of the study's paper; never an empty one."""
    study = studies().get(kind)
    if study is None or not study.draw:
        return []
    figures: list[Figure] = named(study.draw)(findings)
    return figures
