"""What an export holds, row by row, under the field names that the command line reads back."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from core.findings import Finding
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import (
    OutputRow,
    PromptRow,
    PromptSetRow,
    ScoreRow,
    SourceRow,
    StudyRow,
)
from core.project.stores.common import chunks
from core.project.stores.runs import OutputFilter
from core.runs.exporting_judgments import JUDGMENT, JUDGMENT_END, judgment_rows
from core.runs.originals import KIND, Originals
from core.runs.values import temperatures

What = Literal["prompts", "outputs", "scores", "judgments", "findings"]
WHATS: tuple[What, ...] = ("prompts", "outputs", "scores", "judgments", "findings")
ORIGINAL = "original"  # the column beside what was generated

PROMPT = ("study", "set", "version", "key", "task", "theme", "axis", "identity", "text")
OUTPUT = ("study", "key", "task", "theme", "axis", "identity", "sample", "text", "model", "backend", "seed", "status")
OUTPUT_END = ("temperature", "finish_reason", "error")
SCORE = ("study", "key", "sample", "model", "scorer", "version", "summary", "values")
FINDING = (
    "id", "label", "title", "groups", "dims", "variant", "estimate", "reason", "unit", "low", "high", "level", "method",
    "n", "n_by_group", "dropped", "p", "p_adjusted", "adjust", "effect", "contrast", "floor_mean", "floor_p95",
    "floor_p", "floor_subtracted", "detectable", "n_for_planned", "scorers", "harm", "source", "note",
)  # fmt: skip

Row = Mapping[str, Any]


def columns(project: Project, what: What, study: str | None = None) -> list[str]:
    """The columns of an export. Prompts and outputs get one for each field that any prompt or source has."""
    if what == "prompts":
        return [*PROMPT, *sorted(_prompt_fields(project, study) - set(PROMPT))]
    if what == "outputs":
        fields = _prompt_fields(project, study) | _source_fields(project, study)
        if any(found.kind == "news" for found in _studies(project, study)):
            fields |= {ORIGINAL}
        return [*OUTPUT, *sorted(fields - set(OUTPUT) - set(OUTPUT_END)), *OUTPUT_END]
    return list({"scores": SCORE, "judgments": (*JUDGMENT, *JUDGMENT_END), "findings": FINDING}[what])


def is_own_export(columns: Sequence[str]) -> bool:
    """Whether a table with these columns is an export of outputs or of judgments."""
    return any(tuple(columns[: len(own)]) == own for own in (OUTPUT, JUDGMENT))


def rows(
    ctx: JobContext, project: Project, what: What, study: str | None = None, *, superseded: bool = False
) -> Iterator[Row]:
    """The rows of an export, of all studies or of one kind, read in short transactions.

    `superseded`: of judgments, every row that was ever made.
    """
    reading = {
        "prompts": _prompts, "outputs": _outputs, "scores": _scores, "findings": _findings,
        "judgments": _every_judgment if superseded else _judgments,
    }[what]  # fmt: skip
    for number, row in enumerate(reading(project, study), start=1):
        ctx.check()
        ctx.report(number)
        yield row


def open_sessions(project: Project) -> int:
    """How many sessions have not been revealed: their judgments stay out of every export and chart."""
    return sum(1 for session in project.judging.sessions() if session.revealed_at is None)


def matched_block(row: OutputRow) -> str:
    """What letters of one matched set have in common: model, sample, and the cell of their prompts; empty for none."""
    block = row.fields.get("block", "")
    return block and f"{row.model}/{row.sample}/{block}"


def _studies(project: Project, kind: str | None) -> list[StudyRow]:
    return [study for study in project.studies.all() if kind in (None, study.kind)]


def _prompt_fields(project: Project, kind: str | None) -> set[str]:
    return {name for _, _, prompt in _every_prompt(project, kind) for name in prompt.fields}


def _source_fields(project: Project, kind: str | None) -> set[str]:
    sources = (source for study in _studies(project, kind) for source in _sources(project, study.id))
    return {name for source in sources for name in source.fields}


def _every_prompt(project: Project, kind: str | None) -> Iterator[tuple[StudyRow, PromptSetRow, PromptRow]]:
    for study in _studies(project, kind):
        for prompt_set in project.prompts.sets(study.id):
            for row in _prompts_of(project, prompt_set.id):
                yield study, prompt_set, row


def _prompts_of(project: Project, set_id: int) -> Iterator[PromptRow]:
    return chunks(lambda after, limit: project.prompts.page(set_id, after, limit), lambda row: row.id)


def _prompts(project: Project, kind: str | None) -> Iterator[Row]:
    for study, prompt_set, row in _every_prompt(project, kind):
        own = {name: getattr(row, name) for name in ("key", "task", "theme", "axis", "identity", "text")}
        yield {**row.fields, **own, "set": prompt_set.name, "version": prompt_set.version, "study": study.kind}


def _outputs(project: Project, kind: str | None) -> Iterator[Row]:
    heat = temperatures(project)
    for study in _studies(project, kind):
        originals = Originals.of(project, study.id) if study.kind == "news" else None
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            exported = {**_output(study.kind, row), "temperature": row.fields.get("temperature") or heat[row.run_id]}
            yield exported if originals is None else {**exported, ORIGINAL: originals.beside(row)}
        for source in _sources(project, study.id):
            if source.kind != KIND:  # an original stands beside what was generated for its headline
                yield {**_source(study.kind, source), "text": source.text, "status": "done", "backend": "imported"}


def _output(study: str, row: OutputRow) -> Row:
    own = {name: getattr(row, name) for name in (*OUTPUT[2:], "finish_reason", "error")}
    block = {"block": matched_block(row)} if "block" in row.fields else {}
    return {**row.fields, **block, **own, "study": study, "key": row.prompt_key}


def _sources(project: Project, study_id: int) -> Iterator[SourceRow]:
    return chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id)


def _source(study: str, row: SourceRow) -> dict[str, Any]:
    return {**row.fields, "study": study, "key": f"{row.origin}#{row.row}"}


def _scores(project: Project, kind: str | None) -> Iterator[Row]:
    versions = project.scores.known()
    for study in _studies(project, kind):
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


def _judgments(project: Project, kind: str | None) -> Iterator[Row]:
    yield from judgment_rows(project, [study.id for study in _studies(project, kind)])


def _every_judgment(project: Project, kind: str | None) -> Iterator[Row]:
    yield from judgment_rows(project, [study.id for study in _studies(project, kind)], superseded=True)


def _findings(project: Project, kind: str | None) -> Iterator[Row]:
    for stored in project.findings.all(kind):
        yield finding_row(Finding.from_json(stored.body))


def finding_row(finding: Finding) -> Row:
    """A finding as one flat row."""
    interval, floor, effect, power = finding.interval, finding.floor, finding.effect, finding.power
    whole = finding.to_json()
    return {
        **{name: whole[name] for name in FINDING if name in whole},
        "groups": ", ".join(finding.groups),
        "low": interval and interval.low,
        "high": interval and interval.high,
        "level": interval and interval.level,
        "method": interval and interval.method,
        "floor_mean": floor and floor.mean,
        "floor_p95": floor and floor.p95,
        "floor_p": floor and floor.p,
        "effect": f"{effect.name} {effect.value:.4g}" if effect else None,
        "detectable": power and power.detectable,
        "n_for_planned": power and power.n_for_planned,
    }
