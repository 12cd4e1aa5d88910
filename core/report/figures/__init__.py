"""The papers' figures and result tables, made from findings: a module for each study.

Studies of third parties have none here: their findings stand in the table.
"""

from collections.abc import Callable, Mapping, Sequence

from core.draw.figure import Figure
from core.findings import Finding
from core.report.figures import completion, creativity, letters, news

BY_STUDY: Mapping[str, Callable[[Sequence[Finding]], list[Figure]]] = {
    "news": news.figures,
    "completion": completion.figures,
    "creativity": creativity.figures,
    "letters": letters.figures,
}


def figures_of(study: str, findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give, in the order of the study's paper; never an empty one."""
    make = BY_STUDY.get(study)
    return [] if make is None else make(findings)
