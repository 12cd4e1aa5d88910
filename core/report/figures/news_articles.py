"""What Fang et al. 2024 tell about the articles themselves: refusals and lengths; and which part of them is meant."""

from collections.abc import Iterable, Iterator, Sequence

from core.draw.figure import Figure, mark
from core.findings import Finding
from core.report.figures.choose import having
from core.report.figures.published import UNBIASED, news
from core.report.figures.words import words

EVERY = "All articles"
STRATA = ((), ("model",), ("domain",))


def article_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield _refusals(findings)
    yield _lengths(findings)


def unbiased(findings: Iterable[Finding]) -> list[Finding]:
    """Without those of a biased prompt."""
    return [one for one in findings if one.dims.get("prompt_kind", UNBIASED) == UNBIASED]


def strata(findings: Sequence[Finding], finding_id: str, dims: Iterable[str]) -> list[Finding]:
    """With these dims; the kind of prompt is named only where there are several."""
    return having(findings, finding_id, dims) + having(findings, finding_id, {*dims, "prompt_kind"})


def _refusals(findings: Sequence[Finding]) -> Figure:
    rates = "news.refusal_rate"
    plain = having(findings, rates, ()) + having(findings, rates, ("model",))
    asked = having(findings, rates, ("prompt_kind",)) + having(findings, rates, ("prompt_kind", "model"))
    in_order = sorted(asked, key=lambda one: one.dims["prompt_kind"] != UNBIASED)
    marks = [
        mark(
            one,
            words(one.dims.get("model", EVERY)),
            series=words(one.dims.get("prompt_kind", "")),
            references=news(one),
        )
        for one in [*plain, *in_order]
    ]
    return Figure(
        key="news.refusals",
        study="news",
        title="No article: refusals and empty generations",
        subtitle="The share of prompts that were answered with no article. They are left out everywhere else.",
        kind="grouped" if asked else "intervals",
        marks=tuple(marks),
        unit="proportion",
        axis="share of prompts",
        series_title="prompt",
        source="Fang et al. 2024, results, biased prompts",
    )


def _lengths(findings: Sequence[Finding]) -> Figure:
    marks = []
    for stratum in STRATA[:2]:
        for one in unbiased(strata(findings, "news.words_per_article", stratum)):
            row = words(one.dims.get("model", EVERY))
            printed = news(one) if stratum or one.label == "original" else ()
            marks.append(mark(one, row, series=words(one.label), references=printed))
    return Figure(
        key="news.words_per_article",
        study="news",
        title="Words per article",
        subtitle="Short texts inflate every distance: read the distances of short articles with their floors.",
        kind="grouped",
        marks=tuple(marks),
        unit="words",
        axis="words",
        series_title="article",
        source="Fang et al. 2024, Table 3",
    )
