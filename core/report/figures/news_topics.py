"""The topics of Fang et al. 2024: which belong to which group, the counts behind it, and the words of each topic."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.draw.figure import Figure, FigureMark, contrast_marks, mark
from core.findings import Finding
from core.report.figures.choose import parted
from core.report.figures.words import joined, words

TOPIC = "news.document.topic"
BELONGS = "Belongs to"


def topic_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    """By axis, a section for whose articles they were read in; only topics that belong to a group are findings."""
    topics = [one for one in findings if one.id == TOPIC]
    for part, own in parted(topics, _part).items():
        common: dict[str, Any] = {"study": "news", "part": part, "rows_title": "topic"}
        about = f"Topics that belong to a group, {part}"
        yield Figure(
            key="news.document.topics",
            title=about,
            subtitle="How much more often than expected a topic's sentences mention a group: standardised residuals.",
            kind="matrix",
            marks=tuple(one for each in own for one in _residuals(each)),
            unit="standardised residual",
            axis="standardised residual",
            null=0.0,
            source="Fang et al. 2024, equation 7",
            series_title="group",
            **common,
        )
        yield Figure(
            key="news.document.counts",
            title=f"{about}: sentences counted",
            subtitle="Matrix O: how many sentences of a topic mention each group, how many none, and whose it is.",
            kind="table",
            marks=tuple(one for each in own for one in _counts(each)),
            unit="sentences",
            source="Fang et al. 2024, Table 4",
            series_title="group",
            **common,
        )
        yield Figure(
            key="news.document.words",
            title=f"{about}: their words",
            subtitle="The most relevant words of each topic, and the group that it belongs to.",
            kind="table",
            marks=tuple({one.row: one for each in own for one in [_words(each)]}.values()),
            source="Fang et al. 2024, Tables B.1 and B.2",
            **common,
        )


def _part(one: Finding) -> str:
    return joined(one.dims.get("axis", ""), "as published" if one.variant == "as_published" else "")


def _source(one: Finding) -> str:
    """Whose sentences were counted; as published there is a set of topics for each source."""
    whose = {"original": "Originals", "generated": "Generated"}.get(one.dims.get("source", ""), "")
    return joined(whose, one.dims.get("model", ""), one.dims.get("prompt_kind", ""))


def _residuals(finding: Finding) -> list[FigureMark]:
    row, section = words(finding.label), _source(finding)
    return [replace(one, row=row, series=words(one.row), section=section) for one in contrast_marks(finding)]


def _counts(finding: Finding) -> Iterator[FigureMark]:
    for group, count in finding.n_by_group.items():
        cell = mark(finding, words(finding.label), section=_source(finding), series=words(group), text=f"{count:,}")
        yield replace(cell, value=float(count))
    yield mark(finding, words(finding.label), section=_source(finding), series=BELONGS, text=words(finding.groups[0]))


def _words(finding: Finding) -> FigureMark:
    """The topics are the same for every source: their words stand once."""
    row = f"{words(finding.label)}, {words(finding.groups[0])}"
    listed = finding.note.partition("Words: ")[2].partition(".")[0]
    return mark(finding, row, series="Most relevant words", text=listed)
