"""News against originals: all findings. Called in the compute process; what it reads is described in `table`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import AppError
from core.findings import Finding, StudyResult
from core.jobs import JobContext
from core.metrics.result import RESAMPLES, Floats
from core.prompts.axes import Axis, load_axis
from core.studies.news.comparisons import model_findings, prompt_findings
from core.studies.news.document import document_findings
from core.studies.news.families import families
from core.studies.news.groups import DEFAULT_AXES, group_axis
from core.studies.news.lengths import length_findings
from core.studies.news.level import design_of
from core.studies.news.level_findings import level_findings
from core.studies.news.refusals import refusal_findings
from core.studies.news.sentence import measure_sentences, scale_note, sentence_floors, undefined_findings
from core.studies.news.sentence_scores import SentenceScores, default_scorer, score_sentences
from core.studies.news.table import NOT_ENGLISH, NewsTable, news_table
from core.studies.news.word import measure_words, word_floors

ROLES = ("sentiment", "toxicity")


def measure(
    table: NewsTable,
    scores: Mapping[str, SentenceScores | str] | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> StudyResult:
    """All findings of the news study. `scores`: by role, or the reason why there are none."""
    design = design_of(table)
    words: list[Finding] = []
    sentences: list[Finding] = []
    foreign = table.dropped.get(NOT_ENGLISH, 0)
    doubt = f"{foreign} pairs were left out: {NOT_ENGLISH}, which the word lists are for." if foreign else ""
    for axis in table.axes:
        measured = measure_words(table, axis)
        words += level_findings(measured, design, word_floors(table, axis, design, seed, resamples), doubt=doubt)
        words += prompt_findings(measured, table) + model_findings(measured, table)
        for role in ROLES:
            found = (scores or {}).get(role, f"the sentences have no scores for {role}")
            if isinstance(found, str):
                sentences += undefined_findings(axis, role, found)
                continue
            scored, sides = measure_sentences(table, axis, found, role)
            draws = sentence_floors(scored, sides, design, seed, resamples)
            scale = scale_note(scored, sides["original"])
            sentences += level_findings(scored, design, draws, note=scale, doubt=doubt)
            sentences += prompt_findings(scored, table) + model_findings(scored, table)
    findings = families([*words, *sentences, *refusal_findings(table), *length_findings(table, design)])
    findings += document_findings(table, seed, resamples)
    return StudyResult(study="news", rows=table.rows, dropped=dict(table.dropped), findings=tuple(findings))


@dataclass(frozen=True)
class Asked:
    """What is measured. `names`: by axis key, name → group. `scorers`: by role. `known`: by role, values by text."""

    axes: tuple[str | Axis, ...] = DEFAULT_AXES
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scorers: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    seed: int = 0


def measure_rows(columns: Mapping[str, Any], asked: Asked, ctx: JobContext | None = None) -> StudyResult:
    """From the columns of `news_table` to the findings, scoring the sentences between."""
    axes = [load_axis(axis) if isinstance(axis, str) else axis for axis in asked.axes]
    counted = [group_axis(axis, asked.names.get(axis.key)) for axis in axes]
    table = news_table(axes=counted, **columns)
    return measure(table, {role: _scores(table, role, asked, ctx) for role in ROLES}, seed=asked.seed)


def _scores(table: NewsTable, role: str, asked: Asked, ctx: JobContext | None) -> SentenceScores | str:
    try:
        name = asked.scorers.get(role) or default_scorer(role)
    except AppError as error:
        return f"{error.message.rstrip('.')[0].lower()}{error.message.rstrip('.')[1:]}"
    return score_sentences(table, name, known=asked.known.get(role), ctx=ctx)
