"""Creative writing: outputs and judgments, gathered from a project or from tables, measured in the compute process."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import EXCLUDED, UNREAD, excluded_codes, unread_rule
from biasprint.core.judging.fingerprint import GROUP_FROM
from biasprint.core.judging.looking import SEEN, seen_count
from biasprint.core.judging.plan import CHECK
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.machine.models import catalogue
from biasprint.core.project.project import Project
from biasprint.core.project.rows import UNSEALED, ComparisonRow, SessionRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts import available_axes, load_axis
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import best_scorer, scorer_for
from biasprint.core.studies.creativity.adjusted import ADJUSTED_ABS, ADJUSTED_SHARE
from biasprint.core.studies.creativity.affinity import ABS, SHARE
from biasprint.core.studies.creativity.choices import QUALITY, JudgmentTable
from biasprint.core.studies.creativity.columns import (
    by_set,
    compared_axes,
    harm_of,
    is_excluded,
    is_let_in,
    is_seen,
    judgment_columns,
    judgment_table_columns,
    output_columns,
    output_table_columns,
    without_codes,
    without_persons,
    words_of,
)
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import agreed_judgments, measure_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.crossed import Crossing, crossing_of
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.importing import shipped_axes
from biasprint.core.studies.kit.plain_measuring import JUDGMENTS, Prepared, called, picked, taken, whole
from biasprint.core.tables.read import look_at
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.texts.generators import prompts_asked
from biasprint.core.texts.replies import failures
from biasprint.core.texts.values import complete_values, stored_values, unscored, values_of

Axes = dict[str, list[str]]
Wanted = Callable[[ComparisonRow], bool]
EMBEDDING = "embedding"
EMBEDDER = "minilm"


def embedder(options: MeasureOptions, project: Project | None = None, study_id: int = 0) -> ScorerInfo:
    """The embedder that was asked for, or the best there is.

    Where that would be a stand-in, and the paper's own has embedded every text of the study of `project`, on whatever
    computer, it is the paper's own: its vectors are there, and it need not be.
    """
    chosen = options.scorers.get(EMBEDDING)
    best = best_scorer(EMBEDDING, chosen) or scorer_for(EMBEDDING, chosen, EMBEDDER)
    if chosen or project is None or not best.stand_in:
        return best
    return _papers_own(project, study_id) or best


def _papers_own(project: Project, study_id: int) -> ScorerInfo | None:
    """The paper's embedder, as it embedded every text of a study; its version begins with the catalogue's name of it,
    which no other model may have.
    """
    role = catalogue.role(EMBEDDING)
    names = tuple(f"{entry.name} " for entry in catalogue.entries(EMBEDDING) if entry.papers)
    for stored in project.columns.embedders():
        if role.own is not None and stored.name == role.own.name and stored.version.startswith(names):
            info = ScorerInfo(stored.name, EMBEDDING, stored.version)
            if not unscored(project, info, study_id):
                return info
    return None


def needed() -> list[ScorerInfo]:
    return [embedder(MeasureOptions())]


def kind_of(path: Path, mapping: Mapping[str, str]) -> str:
    """The kind of table, of the study's two: judgments have an outcome, outputs an identity and a text."""
    found_columns = look_at(path).columns
    columns = {column.strip().lower() for column in found_columns} | {
        name for name in mapping if mapping[name] in found_columns
    }
    return "judgments" if {"outcome", "chosen"} & columns else "creativity"


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of tables of outputs, of judgments, or of both."""
    results, broken = [], list[str]()
    for wanted, measure in (("creativity", _output_tables), ("judgments", _judgment_tables)):
        tables = [table for kind, table in read if kind == wanted]
        if tables:
            records = [record for table in tables for record in table.rows]
            result = measure(ctx, records, options, compute, broken)
            results.append(_with_dropped(result, tables))
    return joined(results), broken


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's outputs and of its revealed judgments.

    Of a project that is narrowed to some runs, the judgments of comparisons that show texts of these alone.
    """
    broken: list[str] = []
    embedded = _embedded(ctx, project, study_id, options, compute, broken)
    waits = embedded is None and options.as_stored and unscored(project, embedder(options, project, study_id), study_id)
    waiting_remarks = ["Distances were left out: texts are not embedded yet. Measuring under Findings embeds them."]
    outputs = None if embedded is None else whole(ctx, embedded, compute)
    of_these = None if project.outputs.whole else _shows(project)
    judged, remarks = _judged(ctx, project, axes_of(project, options.axes), options, compute, of_these)
    if waits and judged is None:
        texts = project.outputs.count(OutputFilter(study_id=study_id, status="done"))
        raise AppError(
            f"There are {texts} texts, and none is scored yet: nothing can be measured from them as they are.",
            kept="The texts stay as they are.",
            hint="Choose “Score and measure” under Generate, or “biasprint measure creativity FILE”.",
        )
    return joined(_something([outputs, judged])), [*(waiting_remarks if waits else []), *broken, *remarks]


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's outputs where they have vectors, and of revealed judgments of them."""
    parts = [
        _embedded(ctx, project, study_id, options, compute, []),
        _prepared_judgments(project, study_id, axes_of(project, options.axes), options),
    ]
    return [part for part in parts if part is not None]


def _embedded(
    ctx: JobContext,
    project: Project,
    study_id: int,
    options: MeasureOptions,
    compute: ComputeProcess,
    broken: list[str],
) -> Prepared | None:
    """The columns of a project's outputs, which are embedded first unless the options say no; None without vectors."""
    info = embedder(options, project, study_id)
    if not options.as_stored:
        complete_values(ctx, project, study_id, info, compute, broken)
    elif unscored(project, info, study_id):
        return None
    return prepared_outputs(project, study_id, axes_of(project, options.axes), info, options.seed)


def _prepared_judgments(project: Project, study_id: int, axes: Axes, options: MeasureOptions) -> Prepared | None:
    """The judgments in force of comparisons that show texts of this project alone; None where there are none.

    The prompt of a judgment is that of all texts on its cards, and its unit their task and theme.
    """
    finished = [session for session in project.judging.sessions() if session.revealed_at is not None]
    revealed = tellable_sessions(project, finished)
    judged = judgment_columns(project, revealed, compared=True, seen=options.seen, wanted=_shows(project))
    columns, axes = by_set(judged, axes)
    if not columns["comparison"]:
        return None
    asked = prompts_asked(project, study_id)
    every = project.without_copies(frozenset(), frozenset()).outputs.each(OutputFilter(study_id=study_id))
    prompt_of = {row.id: asked[row.prompt_id] for row in every}  # of copies too: they may be on a card
    shown = {
        row.id: " + ".join(sorted(prompt_of.get(item.output or 0, "") for item in row.items))
        for plan in {session.plan_id for session in revealed}
        for row in project.judging.comparisons(plan)
    }
    columns, _ = without_codes(project, columns)
    table = {name: tuple(values) for name, values in columns.items()}
    how = {"seed": options.seed, "harm": harm_of(_definitions(project))}
    return Prepared(
        *called(measure_creative_judgments, table, axes, how),
        take=take_judgments,
        prompts=tuple(shown[key] for key in columns["comparison"]),
        units=tuple(f"{task} / {theme}" for task, theme in zip(columns["task"], columns["theme"], strict=True)),
        what=JUDGMENTS,
    )


def take_judgments(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the judgments, in the compute process.

    Measured are their shares, ABS and agreement on whole axes.
    """
    table, axes, how = args
    return taken(table, places), axes, {**how, "agreed": True}


def of_several(
    ctx: JobContext, project: Project, narrowed: Sequence[Project], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult | None, list[str]]:
    """The findings of judgments that compare what several generators wrote. `narrowed`: to each of them."""
    shown = [_shows(each) for each in narrowed]

    def of_several_texts(row: ComparisonRow) -> bool:
        return not any(of_these(row) for of_these in shown)

    return _judged(ctx, project, axes_of(project, options.axes), options, compute, of_several_texts)


def _shows(project: Project) -> Wanted:
    """Return a condition: whether a comparison shows only texts of a narrowed project."""
    mine = frozenset(project.outputs.ids(OutputFilter(status="done")))
    return lambda row: all(item.output in mine for item in row.items)


def of_judged(
    ctx: JobContext, project: Project, options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of revealed judgments alone: of a project whose texts are another study's."""
    judged, remarks = _judged(ctx, project, axes_of(project, options.axes), options, compute)
    return joined(_something([judged])), remarks


def _judged(
    ctx: JobContext,
    project: Project,
    axes: Axes,
    options: MeasureOptions,
    compute: ComputeProcess,
    wanted: Wanted | None = None,
) -> tuple[StudyResult | None, list[str]]:
    """Return the findings of the revealed sessions, and remarks on the others. `wanted`: only of these comparisons."""
    sessions = project.judging.sessions()
    finished = [session for session in sessions if session.revealed_at is not None]
    revealed, with_all = tellable_sessions(project, finished), tellable_sessions(project, finished, excluded=True)
    remarks = _left_out(project, [session for session in sessions if session.revealed_at is None])
    out = _excluded_words(project) if len(revealed) < len(with_all) else ""
    if out:
        remarks.append(f"Left out: {out}.")
    if few := len(finished) - len(with_all):
        remarks.append(f"{few} sessions of workshops were left out: people are counted {GROUP_FROM} at a time there.")
    if not revealed or (wanted and not _any_judged(project, revealed, wanted)):
        return None, remarks
    if seen := seen_count(project, [session.id for session in revealed]):
        remarks.append(seen_words(seen, kept=options.seen))
    result = of_judgments(
        ctx, project, revealed, axes, options.seed, compute, parts=True, seen=options.seen, wanted=wanted
    )
    if unread := result.dropped.get(UNREAD):
        rule = unread_rule(project)
        assert rule is not None
        early = f"{unread:,} judgments were given before the end of every text was in view"
        remarks.append(f"{early}: they are left out ({rule.reason}).")
    if out:
        everybody = of_judgments(
            ctx, project, with_all, axes, options.seed, compute, adjusted=True, seen=options.seen, wanted=wanted
        )
        result = with_excluded(result, everybody, out)
    return result, remarks


def _any_judged(project: Project, sessions: Sequence[SessionRow], wanted: Wanted) -> bool:
    plans = {session.plan_id for session in sessions}
    shown = {row.id for plan in plans for row in project.judging.comparisons(plan) if wanted(row)}
    return any(
        row.comparison_id in shown for open_session in sessions for row in project.judging.judgments(open_session.id)
    )


def _excluded_words(project: Project) -> str:
    """ "R03 (two checks failed)", every rater who is left out with the reason."""
    return ", ".join(f"{code} ({reason})" for code, reason in sorted(excluded_codes(project).items()))


def with_excluded(result: StudyResult, whole: StudyResult, out: str) -> StudyResult:
    """The result with everybody's shares and ABS beside its own, and the judgments counted that were left out.

    As chosen, and at equal length and place. `whole`: measured with the raters who are left out. The contrast is what
    they would add; there is no test, which would be a second one of the same question.
    """
    without = {
        (finding.id, finding.label, finding.dims.get("axis")): finding
        for finding in result.findings
        if finding.dims.keys() == {"axis"}
    }
    beside = []
    for finding in whole.findings:
        if finding.id in (SHARE, ABS, ADJUSTED_SHARE, ADJUSTED_ABS) and finding.variant == "default":
            own = without.get((finding.id, finding.label, finding.dims.get("axis")))
            known = own is not None and own.estimate is not None and finding.estimate is not None
            adds = {"with everybody": finding.estimate - own.estimate} if known else None  # type: ignore[operator,union-attr]
            without_them = f"Without them {own.estimate:.3f}. " if known else ""  # type: ignore[union-attr]
            name = finding.id.removeprefix("creativity.")
            beside.append(
                replace(
                    finding,
                    id=f"{QUALITY}.excluded.{name}",
                    title=f"{finding.title}, with everybody",
                    p=None,
                    p_adjusted=None,
                    adjust=None,
                    power=None,
                    contrast=adds,
                    note=f"{without_them}Elsewhere left out: {out}. {finding.note}".strip(),
                )
            )
    left_out = whole.rows - result.rows
    dropped = {**result.dropped, EXCLUDED: left_out}
    return replace(result, rows=whole.rows, dropped=dropped, findings=(*result.findings, *beside))


def _something(results: Sequence[StudyResult | None]) -> list[StudyResult]:
    measured = [result for result in results if result is not None]
    if not measured:
        raise AppError("There is nothing to measure yet.", hint="Generate outputs, or judge comparisons first.")
    return measured


def _left_out(project: Project, unfinished: Sequence[SessionRow]) -> list[str]:
    """Remarks on sessions that do not count yet: people's are blind, models' have requests left."""
    models = {rater.id for rater in project.judging.raters() if rater.kind == "model"}
    of_models = sum(session.rater_id in models for session in unfinished)
    remarks = []
    if of_people := len(unfinished) - of_models:
        remarks.append(f"{of_people} open rating sessions were left out until their reveal.")
    if of_models:
        asked = "“biasprint judge” goes on with them"
        remarks.append(f"{of_models} sessions of models that have not judged everything were left out: {asked}.")
    return remarks


def prepared_outputs(project: Project, study_id: int, axes: Axes, info: ScorerInfo, seed: int) -> Prepared | None:
    """Return the columns of the outputs whose vectors are stored; None where none is."""
    vectors = stored_values(project, info)
    rows = [
        row
        for row in project.outputs.each(OutputFilter(study_id=study_id, status="done"))
        if ("output", row.id) in vectors
    ]
    if not rows:
        return None
    columns = output_columns(project, rows)
    of_axes = _definitions(project)
    axes = {axis: identities for axis, identities in axes.items() if axis in of_axes}
    how = {
        "seed": seed, "parts": True, "words": words_of(of_axes.values()), "harm": harm_of(of_axes),
        "crossings": _crossings(axes, of_axes),
    }  # fmt: skip
    failed, asked = failures(project, study_id), prompts_asked(project, study_id)
    embeddings = [vectors["output", row.id] for row in rows]
    return Prepared(
        *called(measure_creative_outputs, *_output_args(columns, embeddings, axes, info, how)),
        take=take,
        prompts=tuple(asked[row.prompt_id] for row in rows),
        units=tuple(f"{row.task} / {row.theme}" for row in rows),
        dropped=failed,
    )


def _crossings(axes: Axes, definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Crossing]:
    """Return those of the axes that are made of two others."""
    all_crossings = {axis: crossing_of(identities, [definitions[axis]]) for axis, identities in axes.items()}
    return {axis: crossing for axis, crossing in all_crossings.items() if crossing is not None}


def _crossed(definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {axis: definition for axis, definition in definitions.items() if definition.get("crosses")}


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the outputs, in the compute process."""
    table, vectors, axes, scorer, how = args
    return taken(table, places), picked(vectors, places), axes, scorer, how


def of_judgments(
    ctx: JobContext,
    project: Project,
    sessions: Sequence[SessionRow],
    axes: Axes,
    seed: int,
    compute: ComputeProcess,
    *,
    parts: bool = False,
    adjusted: bool = False,
    seen: bool = False,
    wanted: Wanted | None = None,
) -> StudyResult:
    """Shares and ABS of the judgments in force of these sessions, pooled.

    `adjusted`: at equal length and place too. `parts`: that, and by task, topic, temperature, rater and model, and how
    far the raters agree. `seen`: with the judgments that were made after a look at the identities; otherwise they are
    counted among what was left out. `wanted`: of these comparisons alone.
    """
    judged = judgment_columns(project, sessions, compared=parts, lengths=adjusted, seen=seen, wanted=wanted)
    let_in = let_in_words(sum(judged.pop(UNSEALED, ())), len(judged["comparison"]))
    columns, axes = by_set(judged, axes)
    columns, names = without_codes(project, columns)
    known = _definitions(project)
    how = {
        "seed": seed, "parts": parts, "adjusted": adjusted, "harm": harm_of(known), "crossed": _crossed(known)
    }  # fmt: skip
    count, unread = len(columns["comparison"]), 0
    if unread_rule(project) is not None:
        every = judgment_columns(project, sessions, compared=False, seen=seen, unread=True, wanted=wanted)
        unread = len(every["comparison"]) - count
    after_look = 0 if seen else seen_count(project, [session.id for session in sessions])
    if after_look and wanted:
        every = judgment_columns(project, sessions, compared=False, seen=True, unread=True, wanted=wanted)
        after_look = len(every["comparison"]) - count - unread
    left_out = {SEEN: after_look, UNREAD: unread}
    if not count and any(left_out.values()):
        return with_left_out(StudyResult("creativity", 0, {}, ()), left_out)
    result = noted(without_persons(_measure_judgments(ctx, columns, axes, how, compute), names), let_in)
    return with_left_out(result, left_out)


def let_in_words(let_in: int, among: int) -> str:
    """Say how many of the judgments were let in without their packet's seal; "" if none was."""
    came = "came in a file without its packet’s seal, by a recorded decision."
    return f"{let_in:,} of {among:,} judgments {came}" if let_in else ""


def noted(result: StudyResult, remark: str) -> StudyResult:
    """Return the result with a remark in the note of each finding."""
    if not remark:
        return result
    findings = (replace(finding, note=f"{finding.note} {remark}".strip()) for finding in result.findings)
    return replace(result, findings=tuple(findings))


def with_left_out(result: StudyResult, left_out: Mapping[str, int]) -> StudyResult:
    """The result with the judgments counted that were left out, by reason."""
    some = {reason: count for reason, count in left_out.items() if count}
    return replace(result, rows=result.rows + sum(some.values()), dropped={**result.dropped, **some})


def seen_words(count: int, *, kept: bool) -> str:
    made = f"{count:,} judgments were made after a look at the identities"
    return (
        f"{made} and are kept, as asked."
        if kept
        else f"{made}: they are left out; “biasprint measure --keep-seen” keeps them."
    )


def defined_axes(project: Project) -> Axes:
    """The project's axes with their identities."""
    return {
        key: [identity["key"] for identity in definition["identities"]]
        for key, definition in _definitions(project).items()
    }


def axes_of(project: Project, wanted: Sequence[str] = ()) -> Axes:
    """The project's axes with their identities, then what else was compared; only those wanted, where any are named.

    Models, originals, twins and axes that only comparisons know have the identities of their cards.
    """
    known = defined_axes(project)
    return _only(known | compared_axes(project, known), wanted)


def _definitions(project: Project) -> dict[str, Mapping[str, Any]]:
    latest = project.axes.in_use().items()
    return {key: axis.definition for key, axis in latest if not axis.definition.get("reported_as")}


def joined(results: Sequence[StudyResult]) -> StudyResult:
    """Several parts of one study as one result."""
    dropped: Counter[str] = Counter()
    for result in results:
        dropped.update(result.dropped)
    findings = tuple(finding for result in results for finding in result.findings)
    return StudyResult("creativity", sum(result.rows for result in results), dict(dropped), findings)


def _only(known: Axes, wanted: Sequence[str]) -> Axes:
    for axis in wanted:
        if axis not in known:
            raise UsageError(f"There is no axis “{axis}” here.", hint=f"Axes: {', '.join(known)}.")
    return {axis: identities for axis, identities in known.items() if not wanted or axis in wanted}


def _with_dropped(result: StudyResult, tables: Sequence[TableRead]) -> StudyResult:
    dropped = Counter(result.dropped)
    for table in tables:
        dropped.update(table.dropped)
    return StudyResult(result.study, sum(table.total for table in tables), dict(dropped), result.findings)


def _output_tables(
    ctx: JobContext, records: Sequence[Record], options: MeasureOptions, compute: ComputeProcess, broken: list[str]
) -> StudyResult:
    info = embedder(options)
    values = values_of(ctx, compute, info, [record.values["text"] for record in records], broken)
    scored = [(record, value) for record, value in zip(records, values, strict=True) if value.size]
    axes = _only(shipped_axes({record.values["identity"] for record, _ in scored}), options.axes)
    if not axes:
        raise AppError(
            "No axis has two identities in these outputs.",
            hint="Identities are written as the axes do, such as man and woman; a default output is “default”.",
        )
    columns = output_table_columns([record for record, _ in scored])
    definitions = {axis: load_axis(axis).definition() for axis in axes}
    how = {
        "seed": options.seed, "parts": True, "words": words_of(definitions.values()), "harm": harm_of(definitions),
        "crossings": _crossings(axes, definitions),
    }  # fmt: skip
    return _measure_outputs(ctx, columns, [vector for _, vector in scored], axes, info, how, compute)


def _judgment_tables(
    ctx: JobContext, records: Sequence[Record], options: MeasureOptions, compute: ComputeProcess, broken: list[str]
) -> StudyResult:
    records, every = [record for record in records if record.values.get("axis") != CHECK], records
    counting = [record for record in records if not is_excluded(record)]
    blind = [record for record in counting if options.seen or not is_seen(record)]
    if not counting:
        raise AppError("Every rater of the table is left out.", hint="Set the column “excluded” to 0 to count them.")
    if not blind:
        raise AppError(
            "Every judgment of the table was made after a look at the identities.", hint="--keep-seen keeps them."
        )
    columns = judgment_table_columns(blind)
    # Without a project the identities of an axis are those that its comparisons show, in the order of the shipped axis.
    shown_on: dict[str, set[str]] = {}
    for axis, shown in zip(columns["axis"], columns["shown"], strict=True):
        shown_on.setdefault(axis, set()).update(shown)
    axes = {axis: _ordered(axis, shown_on[axis]) for axis in sorted(shown_on)}
    wanted = _only(axes, options.axes)
    columns, chosen = by_set(columns, wanted)
    # An axis that was ranked alone is wanted, and has no shares.
    shipped = {axis: load_axis(axis).definition() for axis in {**wanted, **chosen} if axis in available_axes()}
    how = {"seed": options.seed, "parts": True, "harm": harm_of(shipped), "crossed": _crossed(shipped)}
    unread = sum(is_excluded(record) and record.values.get("read_to_end", "").strip() == "0" for record in records)
    left = {
        SEEN: len(counting) - len(blind),
        UNREAD: unread,
        EXCLUDED: len(records) - len(counting) - unread,
        "hidden check": len(every) - len(records),
    }
    let_in = let_in_words(sum(map(is_let_in, blind)), len(blind))
    return with_left_out(noted(_measure_judgments(ctx, columns, chosen, how, compute), let_in), left)


def _ordered(axis: str, identities: set[str]) -> list[str]:
    shipped = shipped_axes(identities).get(axis, [])
    return [*(name for name in shipped if name in identities), *sorted(identities - set(shipped))]


def _measure_outputs(
    ctx: JobContext,
    columns: Mapping[str, Sequence[Any]],
    vectors: Sequence[Any],
    axes: Axes,
    info: ScorerInfo,
    how: Mapping[str, Any],
    compute: ComputeProcess,
) -> StudyResult:
    args = _output_args(columns, vectors, axes, info, how)
    return compute.call(measure_creative_outputs, *args, ctx=ctx)


def _output_args(
    columns: Mapping[str, Sequence[Any]], vectors: Sequence[Any], axes: Axes, info: ScorerInfo, how: Mapping[str, Any]
) -> tuple[Any, ...]:
    import numpy as np

    table = {name: tuple(values) for name, values in columns.items()}
    return table, np.stack(vectors), axes, info.use(), how


def _measure_judgments(
    ctx: JobContext,
    columns: Mapping[str, Sequence[Any]],
    axes: Axes,
    how: Mapping[str, Any],
    compute: ComputeProcess,
) -> StudyResult:
    table = {name: tuple(values) for name, values in columns.items()}
    return compute.call(measure_creative_judgments, table, axes, how, ctx=ctx)


def measure_creative_outputs(
    table: Mapping[str, Any], vectors: Any, axes: Axes, scorer: Any, how: Mapping[str, Any]
) -> StudyResult:
    """Measure the study over a table of outputs, in the compute process."""
    return measure_outputs(OutputTable(**table), vectors, axes=axes, scorer=scorer, **how)


def measure_creative_judgments(table: Mapping[str, Any], axes: Axes, how: Mapping[str, Any]) -> StudyResult:
    """Measure the study over a table of judgments, in the compute process.

    With `agreed`, for comparing generators: only of whole axes, without whose judgments they are.
    """
    if how.get("agreed"):
        asked = {name: value for name, value in how.items() if name != "agreed"}
        return agreed_judgments(JudgmentTable(**table), axes=axes, **asked)

    return measure_judgments(JudgmentTable(**table), axes=axes, **how)
