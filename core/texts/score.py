"""Scoring: every text of a study that a scorer version has not scored. Reads stored texts, generates nothing."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from biasprint.core.compute import ComputeCrashed, ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, in_halves
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextRow
from biasprint.core.project.specs import ScoreSpec
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue
from biasprint.core.scorers.registry import score_batch

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
    unscored: int  # texts that the scorer cannot score, such as empty ones
    failed: int = 0  # texts that it broke on, where the others were scored all the same
    error: str = ""  # what it said of the first of them
    given_up: bool = False  # after several in a row, so that later texts have no score yet


def score(ctx: JobContext, project: Project, study_id: int, scorer: ScorerInfo, compute: ComputeProcess) -> ScoreResult:
    """Score what is missing. Each page is on disk before it is reported, so that a kill costs one page at most."""
    embeddings = scorer.role == "embedding"
    total = sum(
        project.scores.missing(k, scorer.name, scorer.version, study_id=study_id, embeddings=embeddings) for k in KINDS
    )
    added = unscored = failed = 0
    error = ""
    size = PAGE
    ctx.report(0, total, note=scorer.name)  # what the first page takes tells how long all will
    for kind in KINDS:
        after = 0
        while page := project.scores.unscored(
            kind, scorer.name, scorer.version, study_id=study_id, after_id=after, limit=size, embeddings=embeddings
        ):
            ctx.check()
            started = time.monotonic()
            after = page[-1].key
            usable, broken = _score_what_can_be(ctx, project, scorer, page, compute)
            if broken and len(broken) == len(page) and not added + unscored and not _has_scored(project, scorer):
                raise broken[0]  # it is not the texts
            error = error or (str(broken[0]) if broken else "")
            failed += len(broken)
            added += usable
            unscored += len(page) - usable - len(broken)
            ctx.report(added + unscored + failed, total, note=scorer.name)
            size = next_page(size, time.monotonic() - started)
    return ScoreResult(scorer, added, unscored, failed, error)


def _has_scored(project: Project, scorer: ScorerInfo) -> bool:
    """Return whether any text of the project has a score of this version."""
    read = project.scores.embeddings if scorer.role == "embedding" else project.scores.page
    return any(read(kind, scorer.name, scorer.version, limit=1) for kind in KINDS)


def _score_what_can_be(
    ctx: JobContext, project: Project, scorer: ScorerInfo, page: Sequence[TextRow], compute: ComputeProcess
) -> tuple[int, list[Exception]]:
    """Score what can be scored. Return how many texts have a value, and the error for each that broke the scorer."""
    usable: list[int] = []
    broken: list[Exception] = []

    def together(rows: Sequence[TextRow]) -> None:
        ctx.check()
        usable.append(score_page(ctx, project, scorer, rows, compute))

    # After a crash nobody knows whether a text was the cause: the job stops, and goes on at the next start.
    in_halves(page, together, lambda _, why: broken.append(why), breaks=AppError, stops=(ComputeCrashed,))
    return sum(usable), broken


def score_page(
    ctx: JobContext, project: Project, scorer: ScorerInfo, page: Sequence[TextRow], compute: ComputeProcess
) -> int:
    """Score these texts together and store what came of them; how many have a value."""
    values = _values(ctx, compute, scorer, page)
    usable = [(row, value) for row, value in zip(page, values, strict=True) if value.values.size]
    specs = [_spec(scorer, row, value) for row, value in usable]
    project.scores.record_many(specs, embeddings=scorer.role == "embedding")
    return len(usable)


def next_page(size: int, seconds: float, smallest: int = PAGE) -> int:
    """Larger while pages are quick, smaller once one takes too long."""
    if seconds > PAGE_SECONDS:
        return max(smallest, size // 2)
    return min(LARGEST_PAGE, size * 2) if seconds < PAGE_SECONDS / 2 else size


def as_read(scorer: ScorerInfo, row: TextRow) -> str:
    """A text as a scorer reads it: with real line breaks, except where the paper's program read it as released."""
    if row.line_break and scorer.name not in READS_AS_RELEASED:
        return row.text.replace(row.line_break, "\n")
    return row.text


def _values(ctx: JobContext, compute: ComputeProcess, scorer: ScorerInfo, page: Sequence[TextRow]) -> list[ScoreValue]:
    texts = [as_read(scorer, row) for row in page]
    _, values = compute.call(score_batch, scorer.name, texts, ctx=ctx, on_report=lambda *progress: None)
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
