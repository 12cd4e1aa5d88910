"""News against originals (Fang et al. 2024): the study's declaration and figures. Light: `measure` is not."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biasprint.core.draw.figure import Figure, FigureMark, contrast_marks, mark
from biasprint.core.findings import Finding
from biasprint.core.language import InLanguage
from biasprint.core.studies.kit.choose import (
    UNBIASED,
    crossed_figures,
    drawn,
    having,
    joined,
    news,
    parted,
    words,
    worth_drawing,
)
from biasprint.core.studies.kit.declared import InputTable, figure_keys
from biasprint.core.studies.kit.study import StudyDeclaration, StudyWork, declared_in_resources
from biasprint.core.studies.news.names import LEVELS, Level

if TYPE_CHECKING:
    from biasprint.core.jobs import JobContext
    from biasprint.core.project.project import Project
    from biasprint.core.prompts.drafts import PromptSetDraft
    from biasprint.core.studies.kit.choice import PromptChoice


def figures(findings: Sequence[Finding]) -> list[Figure]:
    """Every figure that these findings give."""
    every: list[Figure] = []
    for level in LEVELS.values():
        own = [finding for finding in findings if finding.id.startswith(f"{level.id}.")]
        for axis, of_axis in parted(own, lambda finding: finding.dims.get("axis", "")).items():
            every += _of_level(level, axis, of_axis)
        if level.id == "news.document":
            every += topic_figures(findings)
    return worth_drawing([*every, *article_figures(findings)]) + crossed_figures("news", findings)


def _of_level(level: Level, axis: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    panelled = (level.id, axis) == ("news.word", "race")  # race at the word level has one panel more in the paper
    yield _drawn(level, "distance", axis, _distances(level, findings), source=level.figure(axis, "a"))
    yield _drawn(
        level,
        "difference",
        axis,
        _by_group(findings, f"{level.id}.difference"),
        source="Fang et al. 2024, Figure 3b and Table 1" + ("" if panelled else ", the same for another level or axis"),
    )
    for measure, panel in zip(("prejudice_share", "prejudice_drop"), "cd" if panelled else "bc", strict=True):
        marks = _by_group(findings, f"{level.id}.{measure}")
        yield _drawn(level, measure, axis, marks, source=level.figure(axis, panel))
    yield from _biased_prompts(level, axis, findings)
    models = having(findings, f"{level.id}.{level.spread}.models", ("axis", "model", "against"))
    marks = [mark(finding, f"{finding.dims['model']} − {finding.dims['against']}") for finding in models]
    yield _drawn(level, "models", axis, marks)


def _drawn(level: Level, name: str, axis: str, marks: Iterable[FigureMark], **own: Any) -> Figure:
    """Return a figure that every level has, in this level's words."""
    places = {
        "title": level.name,
        "axis": axis,
        "what": level.what,
        "worse": "lower" if level.lower_is_worse else "higher",
        "unit": level.unit,
        "unit_of_difference": level.unit_of_difference,
    }
    return drawn(f"{level.id}.{name}", marks, part=axis, like=f"{OF_A_LEVEL}.{name}", places=places, **own)


def _distances(level: Level, findings: Sequence[Finding]) -> Iterator[FigureMark]:
    finding_id = f"{level.id}.{level.spread}"
    for stratum, section in zip(STRATA, ("", MODELS, DOMAINS), strict=True):
        for finding in unbiased(strata(findings, finding_id, ("axis", *stratum))):
            row = words(finding.dims[stratum[0]]) if stratum else EVERY
            yield mark(finding, row, section=section, references=news(finding))


def _by_group(findings: Sequence[Finding], finding_id: str) -> list[FigureMark]:
    return _undefined_once(_of_strata(findings, finding_id))


def _undefined_once(marks: Iterable[FigureMark]) -> list[FigureMark]:
    """Keep a group without any value once, over all articles, and not for each model too."""
    marks_kept: list[FigureMark] = []
    for own in parted(marks, lambda mark: mark.section).values():
        whole = [mark for mark in own if mark.row == EVERY]
        marks_kept += own if any(mark.value is not None for mark in own) else whole or own
    return marks_kept


def _of_strata(findings: Sequence[Finding], finding_id: str) -> Iterator[FigureMark]:
    for stratum in STRATA[:2]:
        for finding in unbiased(strata(findings, finding_id, ("axis", *stratum))):
            row = words(finding.dims["model"]) if stratum else EVERY
            yield mark(finding, row, section=words(finding.label), references=news(finding))


def _biased_prompts(level: Level, axis: str, findings: Sequence[Finding]) -> Iterator[Figure]:
    """Figures 8 to 10: what each prompt gives, then the paired difference on headlines answered both ways."""
    shown = level.of_prompts and axis == "gender"
    source = (
        f"Fang et al. 2024, {level.of_prompts}" if shown else "Fang et al. 2024, Figures 8 to 10, the same for others"
    )
    for measure, panel in (("prejudice_share", "a"), ("prejudice_drop", "b")):
        marks = _undefined_once(_by_prompt(findings, f"{level.id}.{measure}"))
        several = marks if len({mark.series for mark in marks}) > 1 else ()
        yield _drawn(level, f"prompts.{measure}", axis, several, source=source + (panel if shown else ""))
    changes = strata(findings, f"{level.id}.difference.prompts", ("axis",))
    changes += strata(findings, f"{level.id}.difference.prompts", ("axis", "model"))
    marks = [
        mark(
            finding,
            joined(words(finding.dims.get("model", EVERY)), words(finding.dims["prompt_kind"])),
            section=words(finding.label),
        )
        for finding in changes
    ]
    yield _drawn(level, "prompts.change", axis, marks, source=source)


def _by_prompt(findings: Sequence[Finding], finding_id: str) -> Iterator[FigureMark]:
    for dims in (("axis", "prompt_kind"), ("axis", "prompt_kind", "model")):
        of_kind = parted(having(findings, finding_id, dims), lambda finding: finding.dims["prompt_kind"])
        for kind in sorted(of_kind, key=lambda kind: kind != UNBIASED):
            for finding in of_kind[kind]:
                row = words(finding.dims.get("model", EVERY))
                yield mark(finding, row, series=words(kind), section=words(finding.label), references=news(finding))


# articles

EVERY = "All articles"
STRATA = ((), ("model",), ("domain",))


def article_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    yield _refusals(findings)
    yield _lengths(findings)


def unbiased(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out the findings of a biased prompt."""
    return [finding for finding in findings if finding.dims.get("prompt_kind", UNBIASED) == UNBIASED]


def strata(findings: Sequence[Finding], finding_id: str, dims: Iterable[str]) -> list[Finding]:
    """Select findings with these dims; the kind of prompt is named only where there are several."""
    return having(findings, finding_id, dims) + having(findings, finding_id, {*dims, "prompt_kind"})


def _refusals(findings: Sequence[Finding]) -> Figure:
    rates = "news.refusal_rate"
    plain = having(findings, rates, ()) + having(findings, rates, ("model",))
    asked = having(findings, rates, ("prompt_kind",)) + having(findings, rates, ("prompt_kind", "model"))
    in_order = sorted(asked, key=lambda finding: finding.dims["prompt_kind"] != UNBIASED)
    marks = [
        mark(
            finding,
            words(finding.dims.get("model", EVERY)),
            series=words(finding.dims.get("prompt_kind", "")),
            references=news(finding),
        )
        for finding in [*plain, *in_order]
    ]
    return drawn("news.refusals", marks, kind="grouped" if asked else "intervals")


def _lengths(findings: Sequence[Finding]) -> Figure:
    marks = []
    for stratum in STRATA[:2]:
        for finding in unbiased(strata(findings, "news.words_per_article", stratum)):
            row = words(finding.dims.get("model", EVERY))
            printed = news(finding) if stratum or finding.label == "original" else ()
            marks.append(mark(finding, row, series=words(finding.label), references=printed))
    return drawn("news.words_per_article", marks)


# topics

TOPIC = "news.document.topic"
BELONGS = "Belongs to"


def topic_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    """Yield a figure by axis, with a section by source of the articles; only topics of a group are findings."""
    topics = [finding for finding in findings if finding.id == TOPIC]
    for part, own in parted(topics, _part).items():
        yield drawn("news.document.topics", [mark for each in own for mark in _residuals(each)], part=part)
        yield drawn("news.document.counts", [mark for each in own for mark in _counts(each)], part=part)
        listed = {mark.row: mark for each in own for mark in [_words(each)]}
        yield drawn("news.document.words", listed.values(), part=part)


def _part(finding: Finding) -> str:
    return joined(finding.dims.get("axis", ""), "as published" if finding.variant == "as_published" else "")


def _source(finding: Finding) -> str:
    """Name the source of the counted sentences: as published there is a set of topics for each source."""
    whose = {"original": "Originals", "generated": "Generated"}.get(finding.dims.get("source", ""), "")
    return joined(whose, finding.dims.get("model", ""), finding.dims.get("prompt_kind", ""))


def _residuals(finding: Finding) -> list[FigureMark]:
    row, section = words(finding.label), _source(finding)
    return [replace(mark, row=row, series=words(mark.row), section=section) for mark in contrast_marks(finding)]


def _counts(finding: Finding) -> Iterator[FigureMark]:
    for group, count in finding.n_by_group.items():
        cell = mark(finding, words(finding.label), section=_source(finding), series=words(group), text=f"{count:,}")
        yield replace(cell, value=float(count))
    yield mark(finding, words(finding.label), section=_source(finding), series=BELONGS, text=words(finding.groups[0]))


def _words(finding: Finding) -> FigureMark:
    """Show a topic's words once: the topics are the same for every source."""
    row = f"{words(finding.label)}, {words(finding.groups[0])}"
    listed = finding.note.partition("Words: ")[2].partition(".")[0]
    return mark(finding, row, series="Most relevant words", text=InLanguage(listed))


OF_A_LEVEL = "news.level"  # in place of a level in the keys of figures that every level has
MODELS, DOMAINS = "By model", "By domain"


# ---- The declaration


@declared_in_resources
class NewsStudy(StudyDeclaration):
    """News against originals (Fang et al. 2024)."""

    kind = "news"
    inputs = (
        InputTable(
            name="news",
            columns=("generated",),
            scorers=("sentiment", "toxicity"),
        ),
    )
    figures = (
        *(key.replace(OF_A_LEVEL, level) for level in LEVELS for key in figure_keys("news") if OF_A_LEVEL in key),
        *(key for key in figure_keys("news") if OF_A_LEVEL not in key),
    )
    narrowed_by = ("headlines", "ideology", "base_model")
    asked_of = ("prompt_kind",)

    chosen_roles = ("sentiment", "toxicity")
    by_axis = True

    def prompts(self) -> "PromptSetDraft":
        from biasprint.core.studies.news.prompts import news_set

        return news_set()

    def draft(self, ctx: "JobContext", project: "Project | None", choice: "PromptChoice") -> "PromptSetDraft":
        from biasprint.core.studies.news.prompts import draft_news

        return draft_news(ctx, project, choice)

    def draw(self, findings: "Sequence[Finding]") -> "list[Figure]":
        return figures(findings)

    def work(self) -> StudyWork:
        from biasprint.core.studies.news.live import NewsWork

        return NewsWork(self)
