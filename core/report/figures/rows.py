"""A figure's marks as rows: for the table beside it, and for other programs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.report.figures import value_text
from core.report.figures.spec import Figure, Mark
from core.report.numbers import p_text

if TYPE_CHECKING:
    from core.report.export import ExportReport

COLUMNS = (
    "figure", "part", "section", "row", "series", "x", "value", "low", "high", "unit", "n", "p", "p_adjusted",
    "floor_mean", "floor_p95", "text", "undefined", "published", "finding", "label", "variant",
)  # fmt: skip


def figure_rows(figures: Sequence[Figure]) -> Iterator[Mapping[str, Any]]:
    """A row for each mark, with the columns of COLUMNS; values in the mark's unit, proportions from 0 to 1."""
    for figure in figures:
        for mark in figure.marks:
            cells = (
                figure.key, figure.part, mark.section, mark.row, mark.series, mark.x, mark.value, mark.low, mark.high,
                mark.unit, mark.n, *_tested(mark), mark.floor and mark.floor.mean, mark.floor and mark.floor.p95,
                mark.text, mark.reason, _published(figure, mark), mark.finding.id, mark.finding.label,
                mark.finding.variant,
            )  # fmt: skip
            yield dict(zip(COLUMNS, cells, strict=True))


def export_figures(figures: Sequence[Figure], path: Path) -> "ExportReport":
    """All figures as one table, in the format of the path's ending. Raises as `core.report.export.export_rows`."""
    from core.report.export import export_rows

    return export_rows(figure_rows(figures), path, COLUMNS)


def table_beside(figure: Figure) -> list[dict[str, str]]:
    """What the figure shows, in words and numbers as people read them."""
    return [
        {
            "what": ", ".join(part for part in (mark.section, mark.row, mark.series) if part),
            "estimate": mark.text or value_text.estimate(figure, mark),
            "interval": value_text.interval(figure, mark) or (mark.reason if mark.value is None else "–"),
            "floor": value_text.number(figure, mark.floor.p95) if mark.floor else "",
            "n": f"{mark.n:,}",
            "p": p_text(_tested(mark)[0]),
            "p_adjusted": p_text(_tested(mark)[1]),
            "published": _published(figure, mark),
        }
        for mark in figure.marks
    ]


def _tested(mark: Mark) -> tuple[float | None, float | None]:
    """p and adjusted p of what the mark shows; a part of a finding, such as one group's, was not tested."""
    return (mark.finding.p, mark.finding.p_adjusted) if mark.whole else (None, None)


def _published(figure: Figure, mark: Mark) -> str:
    return ", ".join(f"{one.who} {value_text.number(figure, one.value)} ({one.where})" for one in mark.references)
