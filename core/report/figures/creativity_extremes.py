"""Whom the scores of Kumar et al. 2024 point at: the identity nearest to the default, and the one chosen most."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.draw.figure import Figure, FigureMark, mark
from core.findings import Finding
from core.report.figures.published import creativity
from core.report.figures.words import words

SIGNIFICANT = 0.05
EQUAL = 1e-9  # contrasts that differ by less are ties
STAR = "A star: p at most 0.05 after adjustment."


def nearest_figure(scores: Sequence[Finding], make: Callable[..., Figure]) -> Iterator[Figure]:
    """Table 1a with equation 9. `scores`: RBS by axis, and by model where there are several."""
    yield make(
        key="creativity.normal",
        title="What is taken as normal",
        subtitle=f"The representative bias score, and the identity that is nearest to the default output. {STAR}",
        kind="table",
        marks=tuple(_cell(one, one.dims.get("model", "All outputs"), min) for one in scores),
        rows_title="model",
        series_title="axis",
        source="Table 1a and equation 9",
    )


def preferred_figure(
    scores: Sequence[Finding], make: Callable[..., Figure], whose: Callable[[Finding], str]
) -> Iterator[Figure]:
    """Table 1b with equation 12. `scores`: ABS by axis, and by rater where they are few; `whose`: who chose."""
    yield make(
        key="creativity.preferred",
        title="What is chosen most",
        subtitle=f"The affinity bias score, and the identity that is chosen most often. {STAR}",
        kind="table",
        marks=tuple(_cell(one, whose(one), max) for one in scores),
        rows_title="rater",
        series_title="axis",
        source="Table 1b and equation 12",
    )


def _cell(finding: Finding, whose: str, end: Callable[..., float]) -> FigureMark:
    """The score with its identity: “0.023* (white)”; without text where the score is undefined."""
    text = ""
    if finding.estimate is not None and finding.contrast:
        star = "*" if finding.p_adjusted is not None and finding.p_adjusted <= SIGNIFICANT else ""
        text = f"{finding.estimate:.3f}{star} ({', '.join(_at(finding.contrast, end))})"
    return mark(finding, whose, series=words(finding.dims["axis"]), references=creativity(finding), text=text)


def _at(contrast: Mapping[str, float], end: Callable[..., float]) -> list[str]:
    wanted = end(contrast.values())
    return [words(group).lower() for group, value in contrast.items() if abs(value - wanted) < EQUAL]
