"""The rows of an export under the field names that the command line reads back, and tables of texts read again."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from biasprint.core.compute import shared
from biasprint.core.errors import UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import Adjudication, adjudicated
from biasprint.core.judging.blocks import text_blocks
from biasprint.core.judging.carefulness import UNREAD_TEXTS, exclusions
from biasprint.core.judging.plan import PlanSettings, workshops_among
from biasprint.core.judging.sway import arm_of
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    UNSEALED,
    ComparisonRow,
    JudgmentRow,
    OutputRow,
    PromptRow,
    PromptSetRow,
    RaterRow,
    ScoreRow,
    SessionRow,
    SourceRow,
    StudyRow,
)
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.scorers.functions import function_of
from biasprint.core.scorers.registry import score_batch
from biasprint.core.tables.fields import FieldSpec, fields_of, parse_map_options
from biasprint.core.tables.formats import read_format
from biasprint.core.tables.read import NO_TEXT, Duplicates, read_records
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace, TableRead, with_line_breaks
from biasprint.core.text import without_guard
from biasprint.core.texts.generators import described, generator_names, imported_name
from biasprint.core.texts.replies import FAILED, REPLY_KIND, reason_of, reply_kind
from biasprint.core.texts.values import KIND, Originals, Wrote, compared_texts, temperatures, text_lengths, written_by

SEPARATED = (".csv", ".tsv")
COMPARE = "compare"
TEXT = "text"
GIVEN = (TEXT, "score", "outcome")  # what of a row of compare can be measured
# Columns of an export that replies to a design are read with.
KEY, STATUS, WRITTEN_BY = "key", "status", "written_by"


def read_table(
    ctx: JobContext,
    path: Path,
    kind: str,
    *,
    fields: Sequence[FieldSpec] | None = None,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    place: HeaderPlace = ANYWHERE,
    duplicates: Duplicates = "report",
) -> TableRead:
    """A table of a study's fields, in a known outside layout (`mapping` then adds to it) or with a column mapping.

    `fields`: of a third party's kind of table; those of the program's own kind where None.

    In a csv that this program exported, texts that look like formulas begin with an apostrophe, which is removed.
    """
    if layout:
        if place != ANYWHERE:
            raise UsageError("A known layout has its header where it is.", hint="Leave out sheet and header row.")
        return read_format(path, layout, encoding=encoding, extra=mapping, duplicates=duplicates, ctx=ctx)
    own = fields_of(kind) if fields is None else fields
    wanted = partial(design_fields, own) if kind == COMPARE else own
    table = read_records(path, wanted, mapping, encoding, place=place, duplicates=duplicates, ctx=ctx)
    if STATUS in table.mapping:
        table = _written(table)
    if kind == COMPARE and TEXT in table.mapping:
        table = _with_something(table)
    return _unguarded(table) if path.suffix.lower() in SEPARATED and is_own_export(table.columns) else table


def design_fields(fields: Sequence[FieldSpec], columns: Sequence[str]) -> list[FieldSpec]:
    """The fields of `compare`; of replies to designs each column by its own name too, for a design reads its own."""
    if not {"design", "reads"} <= set(columns):
        return list(fields)
    known = {*(field.name for field in fields), *OUTPUT, *OUTPUT_END} - {KEY, STATUS, REPLY_KIND, WRITTEN_BY}
    own = [FieldSpec(column) for column in dict.fromkeys(columns) if column and column not in known]
    return [*(replace(field, required=False) for field in fields), *own]


def _written(table: TableRead) -> TableRead:
    """Leave out the rows of refusals and failures, which have no text."""
    rows = tuple(record for record in table.rows if record.values[STATUS] in ("", "done"))
    failed = tuple(record for record in table.rows if record.values[STATUS] not in ("", "done"))
    reasons = Counter(reason_of(record.values.get(REPLY_KIND, "") or FAILED) for record in failed)
    dropped = {**table.dropped, **reasons}
    return replace(table, rows=rows, dropped=dropped, unanswered=(*table.unanswered, *failed))


def _with_something(table: TableRead) -> TableRead:
    """Leave out the rows that have neither a text nor a number or outcome of their own: they have no score."""
    silent = {record.number for record in table.rows if not any(record.values.get(name, "").strip() for name in GIVEN)}
    if not silent or len(silent) == len(table.rows):
        return table
    rows = tuple(record for record in table.rows if record.number not in silent)
    unanswered = tuple(record for record in table.rows if record.number in silent)
    dropped = {**table.dropped, NO_TEXT[0]: table.dropped.get(NO_TEXT[0], 0) + len(silent)}
    return replace(table, rows=rows, dropped=dropped, unanswered=(*table.unanswered, *unanswered))


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))


def score_columns(names: Sequence[str]) -> list[str]:
    return ["row", *names]


def score_table(
    ctx: JobContext, path: Path, names: Sequence[str], mapping: Sequence[str], place: HeaderPlace = ANYWHERE
) -> tuple[TableRead, list[dict[str, Any]]]:
    """The table as it was read, and a row for each text: its number, and what each scorer says of it.

    That is the scorer's summary, or where it has none (an embedding, a lexicon) the list of its values; None where
    there is nothing to score.
    """
    table = read_table(ctx, path, "texts", mapping=parse_map_options(mapping), place=place)
    texts = [with_line_breaks(record.values["text"], table.line_break) for record in table.rows]
    rows: list[dict[str, Any]] = [{"row": record.number} for record in table.rows]
    for name in names:
        function = function_of(name)
        values = function.score(texts)[0] if function else shared().call(score_batch, name, texts, ctx=ctx)[1]
        for row, value in zip(rows, values, strict=True):
            row[name] = value.summary if value.summary is not None or not value.values.size else value.values.tolist()
    return table, rows


# ---- Rows

Row = Mapping[str, Any]

# ---- Judgments: those in force, or with `superseded` every row that was ever made

SHOWN_SEPARATOR = "|"
JUDGMENT = (
    "comparison", "rater", "axis", "task", "theme", "shown", "outcome", "chosen", "repeat_of", "seconds", "note",
    "sequence", "model", "temperature",
)  # fmt: skip
WROTE = ("written_by", "endpoint", "system_prompt", "parameters")  # who wrote a text
SEVERAL = " | "  # between generators, where several wrote what a row is about
JUDGMENT_END = (
    "rater_kind",
    "read_as",
    "superseded",
    "card",
    "judged_at",
    "adjudicated",
    "seen",
    "words",
    "excluded",
    "worst",
    "block",
    "recommended",
    "adaptive",
    *WROTE,
    UNSEALED,
    "seconds_in_view",
    "read_to_end",
    "degree",
    "confidence",
    "spans",
)  # since models judge; packets; looks; lengths; raters left out; rankings; recommendations; rounds; several generators


def judgment_rows(project: Project, studies: Iterable[int], *, superseded: bool = False) -> Iterator[Row]:
    """The judgments of revealed sessions, session by session.

    `sequence` counts the exported rows of a session from 1, in the order in which they were made: where they came in
    packets, in the order within the packet, so that the order of merging is not in it. `superseded` is 1 for a row
    that does not count: a later one took its place, it was taken back, or it waits for the coordinator's decision;
    `seen` is 1 for a row that was made after a look at the identities, which measures leave out by default, `excluded`
    for one of a rater who is left out, or that the rule on unread texts leaves out, and `unsealed` for one that was let
    in without its seal. `seconds_in_view` is a list in the order of `shown`; `read_to_end` is 1 where the end of every
    text was in view; without such a record both are empty. Of several generators whose texts a comparison shows, each
    column says what differs with `SEVERAL` between. Participants of a workshop are exported five at a time, so that
    nobody is alone or the difference between two exports; each is a number drawn for the export, without the time of
    any answer.
    """
    wanted = set(studies)
    plans = {plan.id: plan for plan in project.judging.plans() if plan.study_id in wanted}
    workshops = workshops_among(plans.values())
    finished = [row for row in project.judging.sessions() if row.revealed_at is not None and row.plan_id in plans]
    revealed = tellable_sessions(project, finished, excluded=True)
    comparisons = {
        row.id: row for plan in {session.plan_id for session in revealed} for row in project.judging.comparisons(plan)
    }
    raters = {rater.id: rater for rater in project.judging.raters()}
    numbers = _numbers([row for row in revealed if row.plan_id in workshops], raters)
    wrote = written_by(project) if revealed else {}
    generators = _generators(project)
    decided = adjudicated(project) if revealed else {}
    excluded = exclusions(project)
    unread_are_out = UNREAD_TEXTS in excluded
    lengths = text_lengths(project, comparisons.values())
    blocks = text_blocks(comparisons.values())
    graded = {key for key, plan in plans.items() if PlanSettings.of(plan.settings).graded}
    for session in sorted(revealed, key=lambda row: numbers.get(row.id, 0)):
        rater = raters[session.rater_id]
        for number, (row, counts) in enumerate(_made(project, session, superseded), start=1):
            comparison = comparisons[row.comparison_id]
            model, heat = compared_texts(comparison, wrote)
            hidden = session.plan_id in workshops
            yield {
                **_said(row, comparison),
                "rater": str(numbers[session.id]) if hidden else rater.code,
                "sequence": number,
                "model": model,
                "temperature": heat,
                "rater_kind": rater.kind,
                "read_as": row.detail.get("read", ""),
                "superseded": int(not counts),  # a number is the same in every format
                "judged_at": "" if hidden else row.created_at,
                "seen": int(row.seen),
                "adjudicated": _adjudicated(decided.get(row.comparison_id), comparison),
                "words": SHOWN_SEPARATOR.join(str(lengths.get(comparison.items[place].key, 0)) for place in row.shown),
                "excluded": int(rater.id in excluded or (unread_are_out and row.read_to_end is False)),
                "block": blocks[row.comparison_id],
                "recommended": arm_of(row, comparison, rater, plans[session.plan_id]),
                "adaptive": "1" if PlanSettings.of(plans[session.plan_id].settings).adaptive else "",
                **_who_wrote_all([generators[run] for run in _runs(comparison, wrote)]),
                UNSEALED: int(row.unsealed),
                "degree": row.degree or ("equal" if row.outcome == "tie" and session.plan_id in graded else ""),
            }


def _runs(comparison: ComparisonRow, wrote: Mapping[int, Wrote]) -> list[int]:
    """The runs that wrote the texts of a comparison."""
    shown = [item.output for item in comparison.items if item.output is not None]
    return sorted({wrote[key].run for key in shown if key in wrote})


def _who_wrote_all(generators: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {name: SEVERAL.join(dict.fromkeys(generator[name] for generator in generators)) for name in WROTE}


def _made(project: Project, session: SessionRow, superseded: bool) -> Iterator[tuple[JudgmentRow, bool]]:
    """The rows in the order in which they were made, and whether each counts."""
    in_force = [row for row in project.judging.judgments(session.id) if row.outcome != "undone"]
    counting = {row.id for row in in_force}
    rows = project.judging.judgments(session.id, superseded=True) if superseded else in_force
    for row in sorted(rows, key=_when):
        yield row, row.id in counting


def _when(row: JudgmentRow) -> tuple[int, str, str]:
    # A row that came in a packet carries its place there; two copies of one packet may have given a place twice.
    return (row.detail.get("sequence", row.sequence), row.created_at, row.id)


def _numbers(sessions: Sequence[SessionRow], raters: Mapping[str, RaterRow]) -> dict[str, int]:
    """Session → a number for its rater, shuffled by the system's own chance; none is anybody's code."""
    codes = {rater.code for rater in raters.values()}
    people = sorted({session.rater_id for session in sessions})
    random.SystemRandom().shuffle(people)
    free = (number for number in range(1, len(people) + len(codes) + 1) if str(number) not in codes)
    number_of = dict(zip(people, free, strict=False))
    return {session.id: number_of[session.rater_id] for session in sessions}


def _adjudicated(decided: Adjudication | None, comparison: ComparisonRow) -> str:
    """The coordinator's own outcome: the identity chosen, tie or none; empty where there is none."""
    if decided is None:
        return ""
    return decided.outcome if decided.chosen is None else comparison.items[decided.chosen].identity


def _said(row: JudgmentRow, comparison: ComparisonRow) -> dict[str, Any]:
    identities = [item.identity for item in comparison.items]
    return {
        "comparison": row.comparison_id,
        "axis": comparison.axis,
        "task": comparison.task,
        "theme": comparison.theme,
        "shown": SHOWN_SEPARATOR.join(identities[index] for index in row.shown),
        "outcome": row.outcome,
        "chosen": "" if row.chosen is None else identities[row.chosen],
        "worst": "" if row.worst is None else identities[row.worst],
        "card": None if row.chosen is None else row.shown.index(row.chosen) + 1,
        "repeat_of": comparison.repeat_of or "",
        "seconds": row.active_seconds,
        "note": row.note,
        "seconds_in_view": "" if (views := row.viewed) is None else json.dumps([views[at].seconds for at in row.shown]),
        "read_to_end": "" if row.read_to_end is None else int(row.read_to_end),
        "confidence": "" if row.confidence is None else row.confidence,
        "spans": json.dumps(sorted([row.shown.index(item) + 1, start, end] for item, start, end in row.spans))
        if row.spans
        else "",
    }


What = Literal["prompts", "outputs", "scores", "judgments", "findings"]
ORIGINAL = "original"  # the column beside what was generated

PROMPT = ("study", "set", "version", "key", "task", "theme", "axis", "identity", "text")
OUTPUT = ("study", "key", "task", "theme", "axis", "identity", "sample", "text", "model", "backend", "seed", "status")
OUTPUT_END = ("temperature", "finish_reason", "error", *WROTE, "revision", "run", REPLY_KIND)
SCORE = ("study", "key", "sample", "model", "scorer", "version", "summary", "values", *WROTE)
FINDING = (
    "id", "label", "title", "groups", "dims", "variant", "estimate", "reason", "unit", "low", "high", "level", "method",
    "n", "n_by_group", "dropped", "p", "p_adjusted", "adjust", "effect", "contrast", "floor_mean", "floor_p95",
    "floor_p", "floor_subtracted", "detectable", "n_for_planned", "scorers", "harm", "source", "note", "study", *WROTE,
    "revision", "runs",
)  # fmt: skip


def columns(project: Project, what: What, study: str | None = None) -> list[str]:
    """The columns of an export. Prompts and outputs get one for each field that any prompt or source has."""
    if what == "prompts":
        return [*PROMPT, *sorted(_prompt_fields(project, study) - set(PROMPT))]
    if what == "outputs":
        fields = _prompt_fields(project, study) | _source_fields(project, study)
        if any(study_row.kind == "news" for study_row in _studies(project, study)):
            fields |= {ORIGINAL}
        return [*OUTPUT, *sorted(fields - set(OUTPUT) - set(OUTPUT_END)), *OUTPUT_END]
    return list({"scores": SCORE, "judgments": (*JUDGMENT, *JUDGMENT_END), "findings": FINDING}[what])


def is_own_export(columns: Sequence[str]) -> bool:
    """Return whether a table with these columns is an export of outputs or of judgments."""
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
        ctx.step(number)
        yield row


def waiting_participants(project: Project) -> int:
    """Return how many finished participants of workshops wait for others, so that nobody is exported alone."""
    workshops = workshops_among(project.judging.plans())
    finished = [row for row in project.judging.sessions() if row.revealed_at is not None and row.plan_id in workshops]
    return len(finished) - len(tellable_sessions(project, finished, excluded=True))


def open_sessions(project: Project) -> int:
    """Count the sessions that have not been revealed: their judgments stay out of every export and chart."""
    return sum(1 for session in project.judging.sessions() if session.revealed_at is None)


def matched_block(row: OutputRow) -> str:
    """The block of a letter: its model and the cell of its prompt, which all samples share; empty for none."""
    block = row.fields.get("block", "")
    return block and f"{row.model}/{block}"


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
    heat, wrote = temperatures(project), _generators(project)
    for study in _studies(project, kind):
        originals = Originals.of(project, study.id) if study.kind == "news" else None
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            exported = {**_output(study.kind, row), "temperature": row.fields.get("temperature") or heat[row.run_id]}
            exported |= {**wrote[row.run_id], "run": row.run_id}
            yield exported if originals is None else {**exported, ORIGINAL: originals.beside(row)}
        for source in _sources(project, study.id):
            if source.kind != KIND:  # an original is shown beside what was generated for its headline
                yield {**_source(study.kind, source), "text": source.text, "status": "done", "backend": "imported",
                       "written_by": imported_name(source.fields.get("model", ""))}  # fmt: skip


def _generators(project: Project) -> dict[int, dict[str, str]]:
    """Run → what is exported of its generator."""
    names, rows = generator_names(project), project.runs.generators()
    names_of = {}
    for key, row in rows.items():
        endpoint, system, parameters = described(row)
        values = (names[key], endpoint, system, json.dumps(parameters, sort_keys=True, ensure_ascii=False))
        names_of[key] = {**dict(zip(WROTE, values, strict=True)), "revision": row.revision}
    return {run.id: names_of[run.generator_id] for run in project.runs.all()}


def _output(study: str, row: OutputRow) -> Row:
    own = {name: getattr(row, name) for name in (*OUTPUT[2:], "finish_reason", "error")}
    block = {"block": matched_block(row)} if "block" in row.fields else {}
    return {**row.fields, **block, **own, "study": study, "key": row.prompt_key, REPLY_KIND: reply_kind(row)}


def _sources(project: Project, study_id: int) -> Iterator[SourceRow]:
    return chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id)


def _source(study: str, row: SourceRow) -> dict[str, Any]:
    return {**row.fields, "study": study, "key": f"{row.origin}#{row.row}"}


def _scores(project: Project, kind: str | None) -> Iterator[Row]:
    versions, wrote = project.scores.known(), _generators(project)
    for study in _studies(project, kind):
        names: dict[int, dict[str, Any]] = {}
        for row in project.outputs.each(OutputFilter(study_id=study.id)):
            own = {name: wrote[row.run_id][name] for name in WROTE}
            names[row.id] = {
                "study": study.kind,
                "key": row.prompt_key,
                "sample": row.sample,
                "model": row.model,
                **own,
            }
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
        yield finding_row(stored.finding, stored.study, stored.recipe)


def finding_row(finding: Finding, study: str, recipe: Mapping[str, Any]) -> Row:
    """A finding as one flat row, with who wrote its texts by the recipe of its measurement."""
    interval, floor, effect, power = finding.interval, finding.floor, finding.effect, finding.power
    whole = finding.to_json()
    return {
        **{name: whole[name] for name in FINDING if name in whole},
        "groups": ", ".join(finding.groups),
        "low": interval and interval.low,
        "high": interval and whole["interval"]["high"],
        "level": interval and interval.level,
        "method": interval and interval.method,
        "floor_mean": floor and floor.mean,
        "floor_p95": floor and floor.p95,
        "floor_p": floor and floor.p,
        "effect": f"{effect.name} {effect.value:.4g}" if effect else None,
        "detectable": power and power.detectable,
        "n_for_planned": power and power.n_for_planned,
        "study": study,
        **_who_wrote(finding, recipe),
    }


def _who_wrote(finding: Finding, recipe: Mapping[str, Any]) -> dict[str, str]:
    """Describe the generator that a finding names, the two that it compares, or all whose texts were measured."""
    measured = list(recipe.get("generators", ()))
    if finding.id.endswith(BETWEEN_GENERATORS):
        named: Sequence[str] = finding.groups
    else:
        named = (
            [finding.dims["generator"]]
            if "generator" in finding.dims
            else [generator["name"] for generator in measured]
        )
    known = {generator["name"]: generator for generator in (*recipe.get("sides", ()), *measured)}
    wrote = [known[name] for name in named if name in known]

    def of_each(value_of: Callable[[Mapping[str, Any]], str]) -> str:
        return SEVERAL.join(dict.fromkeys(map(value_of, wrote)))

    return {
        "written_by": SEVERAL.join(generator["name"] for generator in wrote),
        "endpoint": of_each(lambda generator: generator["endpoint"]),
        "system_prompt": of_each(lambda generator: generator["system_prompt"]),
        "parameters": of_each(
            lambda generator: json.dumps(generator["parameters"], sort_keys=True, ensure_ascii=False)
        ),
        "revision": of_each(lambda generator: generator["revision"]),
        "runs": of_each(lambda generator: ", ".join(map(str, generator["runs"]))),
    }
