"""Choosing findings for a figure."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.findings import Finding
from core.report.figures.spec import Figure, Mark

Key = TypeVar("Key", bound=Hashable)

MOST_ROWS = 60  # a figure that is longer is cut into several


def having(
    findings: Iterable[Finding], finding_id: str, dims: Iterable[str], variant: str = "default"
) -> list[Finding]:
    """Those with this id and variant that are narrowed to exactly these dims."""
    wanted = set(dims)
    return [one for one in findings if (one.id, one.variant) == (finding_id, variant) and set(one.dims) == wanted]


def values(findings: Iterable[Finding], dim: str) -> list[str]:
    """The values of a dim in the order in which they appear; nothing where none has it."""
    return list(dict.fromkeys(one.dims[dim] for one in findings if dim in one.dims))


def parted(findings: Iterable[Finding], key: Callable[[Finding], Key]) -> dict[Key, list[Finding]]:
    """The findings by key, in order of appearance."""
    found: dict[Key, list[Finding]] = {}
    for one in findings:
        found.setdefault(key(one), []).append(one)
    return found


def worth_drawing(figures: Iterable[Figure]) -> list[Figure]:
    """Without those in which nothing is defined, and the long ones cut into several."""
    return [piece for figure in figures if figure.defined for piece in _cut(figure)]


def _cut(figure: Figure) -> Sequence[Figure]:
    """Pieces of at most MOST_ROWS rows; a piece is numbered in its part."""
    rows = figure.rows
    if len(rows) <= MOST_ROWS:
        return [figure]
    pieces = []
    for number, start in enumerate(range(0, len(rows), MOST_ROWS), 1):
        here = set(rows[start : start + MOST_ROWS])
        marks: tuple[Mark, ...] = tuple(one for one in figure.marks if (one.section, one.row) in here)
        part = f"{figure.part} {number}".strip()
        pieces.append(replace(figure, marks=marks, part=part, title=f"{figure.title} ({number})"))
    return pieces
