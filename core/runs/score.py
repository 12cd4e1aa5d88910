"""Scoring: every text of a study that a scorer version has not scored. Reads stored texts, generates nothing."""

import time
from dataclasses import dataclass
from typing import Literal

from core.compute import ComputeProcess, calls
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import TextRow
from core.project.specs import ScoreSpec
from core.scorers.protocol import ScorerInfo, ScoreValue

Kind = Literal["output", "source"]
KINDS: tuple[Kind, ...] = ("output", "source")
PAGE = 64  # texts of the first page
LARGEST_PAGE = 1024
PAGE_SECONDS = 2.0  # that a page is to take: what a kill costs at most, and enough for texts of like length to meet
READS_AS_RELEASED = {"lexicon_published"}


@dataclass(frozen=True)
class ScoreResult:
    scorer: ScorerInfo
    added: int
    unscored: int  # texts that the scorer could make nothing of, such as empty ones


def score(ctx: JobContext, project: Project, study_id: int, scorer: ScorerInfo, compute: ComputeProcess) -> ScoreResult:
    """Score what is missing. Each page is on disk before it is reported, so that a kill costs one page at most."""
    embeddings = scorer.role == "embedding"
    total = sum(
        project.scores.missing(k, scorer.name, scorer.version, study_id=study_id, embeddings=embeddings) for k in KINDS
    )
    added = unscored = 0
    size = PAGE
    for kind in KINDS:
        after = 0
        while page := project.scores.unscored(
            kind, scorer.name, scorer.version, study_id=study_id, after_id=after, limit=size, embeddings=embeddings
        ):
            ctx.check()
            started = time.monotonic()
            after = page[-1].key
            values = _values(ctx, compute, scorer, page)
            usable = [(row, value) for row, value in zip(page, values, strict=True) if value.values.size]
            project.scores.record_many([_spec(scorer, row, value) for row, value in usable], embeddings=embeddings)
            added += len(usable)
            unscored += len(page) - len(usable)
            ctx.report(added + unscored, total, note=scorer.name)
            size = _next_page(size, time.monotonic() - started)
    return ScoreResult(scorer, added, unscored)


def _next_page(size: int, seconds: float) -> int:
    """Larger while pages are quick, smaller once one takes too long."""
    if seconds > PAGE_SECONDS:
        return max(PAGE, size // 2)
    return min(LARGEST_PAGE, size * 2) if seconds < PAGE_SECONDS / 2 else size


def as_read(scorer: ScorerInfo, row: TextRow) -> str:
    """A text as a scorer reads it: with real line breaks, except where the paper's program read it as released."""
    if row.line_break and scorer.name not in READS_AS_RELEASED:
        return row.text.replace(row.line_break, "\n")
    return row.text


def _values(
    ctx: JobContext, compute: ComputeProcess, scorer: ScorerInfo, page: tuple[TextRow, ...]
) -> list[ScoreValue]:
    texts = [as_read(scorer, row) for row in page]
    _, values = compute.call(calls.score_batch, scorer.name, texts, ctx=ctx, on_report=lambda *progress: None)
    scored: list[ScoreValue] = values
    return scored


def _spec(scorer: ScorerInfo, row: TextRow, value: ScoreValue) -> ScoreSpec:
    return ScoreSpec(
        output_id=row.output_id,
        source_id=row.source_id,
        scorer=scorer.name,
        version=scorer.version,
        values=value.values,
        summary=value.summary,
    )
