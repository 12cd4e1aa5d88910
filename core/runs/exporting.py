"""What an export holds, row by row, under the field names that the command line reads back."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from core.findings import Finding
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import ComparisonRow, OutputRow, PromptSetRow, ScoreRow, SourceRow
from core.project.stores.common import chunks
from core.project.stores.outputs import OutputFilter

What = Literal["prompts", "outputs", "scores", "judgments", "findings"]
WHATS: tuple[What, ...] = ("prompts", "outputs", "scores", "judgments", "findings")
SHOWN_SEPARATOR = "|"

PROMPT = ("study", "set", "version", "key", "task", "theme", "axis", "identity", "text")
OUTPUT = ("study", "key", "task", "theme", "axis", "identity", "sample", "text", "model", "backend", "seed", "status")
OUTPUT_END = ("finish_reason", "error")
SCORE = ("study", "key", "sample", "model", "scorer", "version", "summary", "values")
JUDGMENT = (
    "comparison", "rater", "axis", "task", "theme", "shown", "outcome", "chosen", "repeat_of", "seconds", "note",
    "sequence", "superseded",
)  # fmt: skip
FINDING = (
    "id", "label", "title", "groups", "dims", "variant", "estimate", "reason", "unit", "low", "high", "level", "method",
    "n", "p", "p_adjusted", "floor_mean", "floor_p95", "floor_p", "floor_subtracted", "effect", "harm", "source",
    "note",
)  # fmt: skip

Row = Mapping[str, Any]


def columns(project: Project, what: What) -> list[str]:
    """The columns of an export. Prompts and outputs get one for each field that any prompt or source has."""
    if what == "prompts":
        return [*PROMPT, *_fields(project)]
    if what == "outputs":
        return [*OUTPUT, *_fields(project), *OUTPUT_END]
    return list({"scores": SCORE, "judgments": JUDGMENT, "findings": FINDING}[what])


def rows(ctx: JobContext, project: Project, what: What) -> Iterator[Row]:
    """The rows of an export, read in short transactions."""
    reading = {
        "prompts": _prompts, "outputs": _outputs, "scores": _scores, "judgments": _judgments, "findings": _findings,
    }[what]  # fmt: skip
    for number, row in enumerate(reading(project), start=1):
        ctx.check()
        ctx.report(number)
        yield row


def open_sessions(project: Project) -> int:
    """How many sessions have not been revealed: their judgments stay out of every export and chart."""
    return sum(1 for session in project.judging.sessions() if session.revealed_at is None)


def _fields(project: Project) -> list[str]:
    names: set[str] = set()
    for prompt_set in project.prompts.sets():
        page = project.prompts.page(prompt_set.id, limit=1)
        names |= {name for prompt in page for name in prompt.fields}
    for study in project.studies.all():
        names |= {name for source in project.sources.page(study.id, limit=1) for name in source.fields}
    return sorted(names - set(OUTPUT) - set(PROMPT))


def _titles(project: Project) -> dict[int, str]:
    return {study.id: study.kind for study in project.studies.all()}


def _prompts(project: Project) -> Iterator[Row]:
    studies = _titles(project)
    for prompt_set in project.prompts.sets():
        yield from (_prompt(studies, prompt_set, row) for row in _all_prompts(project, prompt_set))


def _all_prompts(project: Project, prompt_set: PromptSetRow) -> Iterator[Any]:
    return chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)


def _prompt(studies: Mapping[int, str], prompt_set: PromptSetRow, row: Any) -> Row:
    own = {name: getattr(row, name) for name in ("key", "task", "theme", "axis", "identity", "text")}
    version = {"set": prompt_set.name, "version": prompt_set.version}
    return {**row.fields, **own, **version, "study": studies[prompt_set.study_id]}


def _outputs(project: Project) -> Iterator[Row]:
    for study in project.studies.all():
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            yield _output(study.kind, row)
        for source in _sources(project, study.id):
            yield {**_source(study.kind, source), "text": source.text, "status": "done", "backend": "imported"}


def _output(study: str, row: OutputRow) -> Row:
    named = (*OUTPUT[2:], *OUTPUT_END)
    return {**row.fields, **{name: getattr(row, name) for name in named}, "study": study, "key": row.prompt_key}


def _sources(project: Project, study_id: int) -> Iterator[SourceRow]:
    return chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id)


def _source(study: str, row: SourceRow) -> dict[str, Any]:
    return {**row.fields, "study": study, "key": f"{row.origin}#{row.row}"}


def _scores(project: Project) -> Iterator[Row]:
    versions = project.scores.known()
    for study in project.studies.all():
        names: dict[int, dict[str, Any]] = {}
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            names[row.id] = {"study": study.kind, "key": row.prompt_key, "sample": row.sample, "model": row.model}
        sources = {
            row.id: {"study": study.kind, "key": f"{row.origin}#{row.row}"} for row in _sources(project, study.id)
        }
        for scorer, version, _ in versions:
            yield from _scores_of(project, "output", scorer, version, names)
            yield from _scores_of(project, "source", scorer, version, sources)


def _scores_of(
    project: Project, kind: Literal["output", "source"], scorer: str, version: str, names: Mapping[int, dict[str, Any]]
) -> Iterator[Row]:
    def key(row: ScoreRow) -> int:
        return int(getattr(row, f"{kind}_id"))

    def pages(read: Callable[..., Sequence[ScoreRow]]) -> Iterator[ScoreRow]:
        return chunks(lambda after, limit: read(kind, scorer, version, after_id=after, limit=limit), key)

    for row in chain(pages(project.scores.page), pages(project.scores.embeddings)):
        if (about := names.get(key(row))) is not None:
            values = json.dumps([round(float(value), 7) for value in row.values.ravel()])
            yield {**about, "scorer": scorer, "version": version, "summary": row.summary, "values": values}


def _judgments(project: Project) -> Iterator[Row]:
    raters = {rater.id: rater.code for rater in project.judging.raters()}
    revealed = {session.id: session for session in project.judging.sessions() if session.revealed_at is not None}
    comparisons: dict[str, ComparisonRow] = {}
    for plan_id in {session.plan_id for session in revealed.values()}:
        comparisons |= {row.id: row for row in project.judging.comparisons(plan_id)}
    everything = project.judging.judgments(superseded=True)
    replaced = {row.supersedes for row in everything}
    for row in everything:
        if row.session_id in revealed:
            comparison = comparisons[row.comparison_id]
            identities = [item.identity for item in comparison.items]
            yield {
                "comparison": row.comparison_id,
                "rater": raters[revealed[row.session_id].rater_id],
                "axis": comparison.axis,
                "task": comparison.task,
                "theme": comparison.theme,
                "shown": SHOWN_SEPARATOR.join(identities[index] for index in row.shown),
                "outcome": row.outcome,
                "chosen": "" if row.chosen is None else identities[row.chosen],
                "repeat_of": comparison.repeat_of or "",
                "seconds": row.active_seconds,
                "note": row.note,
                "sequence": row.sequence,
                "superseded": row.id in replaced,
            }


def _findings(project: Project) -> Iterator[Row]:
    for stored in project.findings.all():
        yield finding_row(Finding.from_json(stored.body))


def finding_row(finding: Finding) -> Row:
    """A finding as one flat row."""
    interval, floor, effect = finding.interval, finding.floor, finding.effect
    named = (
        "id", "label", "title", "variant", "estimate", "reason", "unit", "n", "p", "p_adjusted", "floor_subtracted",
        "harm", "source", "note",
    )  # fmt: skip
    return {
        **{name: getattr(finding, name) for name in named},
        "groups": ", ".join(finding.groups),
        "dims": json.dumps(dict(finding.dims), sort_keys=True),
        "low": interval and interval.low,
        "high": interval and interval.high,
        "level": interval and interval.level,
        "method": interval and interval.method,
        "floor_mean": floor and floor.mean,
        "floor_p95": floor and floor.p95,
        "floor_p": floor and floor.p,
        "effect": f"{effect.name} {effect.value:.4g}" if effect else None,
    }
