"""A project's texts by the generator that wrote them: each measured separately, unless somebody wants them pooled.

Findings of prompts that were asked in several wordings: over all of them, and how each varies between them.

A block holds all wordings of a prompt, so that it stays one unit, and groups are compared within a wording: a text
whose block has none of another group in its wording counts in no number over all wordings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, inf, log
from statistics import NormalDist
from typing import Any, Literal

from biasprint.core.compute import ComputeProcess, part_of_work
from biasprint.core.draw.words import DECIDES, is_ratio, leaves_out, null_value
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, Interval, InWording, OverWordings, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.means import levels_drawn_interval
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.wordings import MOST, WORDING
from biasprint.core.report.evidence import over_wordings
from biasprint.core.runs.measure.between import ComparedPair, between, paired
from biasprint.core.runs.measure.replies import reasons_missing, replies_asked, replies_in_tables, with_replies
from biasprint.core.runs.measure.sensitivity import excluded_texts, key_of
from biasprint.core.studies.compare.texts import GROUP, SECOND
from biasprint.core.studies.kit.declared import ALL, MeasureOptions
from biasprint.core.studies.kit.plain_measuring import JUDGMENTS, TEXTS, Answer, Prepared
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.texts.exporting import SEVERAL
from biasprint.core.texts.generators import (
    LETTER,
    POOLED,
    StudyGenerator,
    generators_of,
    named_texts,
    refusing_generators,
    written_by_these,
)
from biasprint.core.texts.replies import COPY, REPEATED, matched, repeats_in, sentences

UNMATCHED = "no text of another group in the same wording"  # the reason for which a text is left out
NOT_THERE = "it has no text to measure this in"
Measure = Callable[[JobContext, Project, Project], Answer]  # of texts, and of the replies to count
Cell = tuple[str, ...]
Side = Literal["above", "below", "none"]
GENERATOR, MODEL, SAMPLE = "generator", "model", "sample"
UNNAMED = "rows that name no generator"
WRITTEN_BY = "written_by"  # the field of an export that names it
MOST_IN_PAIRS = 4  # generators; more have so many pairs that one is asked which
NOTHING_COMMON = "{one} and {other} were not compared: {what}."
NOT_COMMON = {TEXTS: "no prompt was answered by both", JUDGMENTS: "no prompt was judged of both"}
NO_NUMBER = "nothing is defined for both"
NOT_MEASURED = "{name} was not measured: {why}"
NAME_TWO = "Name two that wrote texts, or two sets of runs, such as run:1,run:2 or date:2026-03,date:2026-06."


def measured_over_wordings(
    ctx: JobContext, projects: tuple[Project, Project], study_id: int, study: StudyDeclaration, measure: Measure
) -> Answer:
    """Return what `measure` says of a project; with several wordings of its prompts also how each finding varies.

    `projects`: read with the texts to measure, and with the replies to count. Findings name a wording that cannot be
    measured, and why; the others are measured.
    """
    project, replies = projects
    texts = dict(_texts(replies, study_id))
    wordings = sorted({wording for wording, _, _ in texts.values() if wording}, key=_in_order)
    if not 2 <= len(wordings) <= MOST:
        return measure(ctx, project, replies)
    alone = _unmatched(dict(_texts(project, study_id))) if study.asked_of == (GROUP,) else {}
    result, remarks = measure(ctx, project.without(alone), replies)
    results: dict[str, StudyResult | str] = {}
    for wording in wordings:
        ctx.check()
        others = [key for key, (own, _, _) in texts.items() if own != wording]
        with part_of_work() as failed:
            results[wording] = measure(ctx, project.without(others), replies.without(others))[0]
        if failed:
            results[wording] = failed[0].message.rstrip(".")
    if alone:
        rows, dropped = result.rows + len(alone), {**result.dropped, UNMATCHED: len(alone)}
        result, remarks = replace(result, rows=rows, dropped=dropped), [*remarks, *_sentences(alone, texts)]
    return replace(result, findings=tuple(varied(result.findings, results))), remarks


def several_wordings(tables: Sequence[TableRead]) -> bool:
    """Return whether rows of these tables were asked for in several wordings."""
    wordings = {row.values.get(WORDING, "").strip() for table in tables for row in table.rows} - {""}
    return 2 <= len(wordings) <= MOST


def varied(findings: Sequence[Finding], results: Mapping[str, StudyResult | str]) -> Iterator[Finding]:
    """Yield each finding with how it varies. `results`: the same of each wording alone, or why there are none."""
    known = {
        wording: {key_of(finding): finding for finding in result.findings}
        for wording, result in results.items()
        if isinstance(result, StudyResult)
    }
    for finding in findings:
        own = {wording: of.get(key_of(finding)) for wording, of in known.items()}
        if sum(other is not None for other in own.values()) < 2:
            yield finding
            continue
        why = {wording: result for wording, result in results.items() if isinstance(result, str)}
        each = tuple(_in(wording, own.get(wording), why.get(wording, NOT_THERE)) for wording in results)
        with_each = replace(finding, wordings=_over(finding, each))
        yield replace(with_each, note=f"{finding.note} {over_wordings(with_each)}".strip())


def _in(wording: str, finding: Finding | None, why: str) -> InWording:
    if finding is None or finding.estimate is None:
        return InWording(wording, None, n=finding.n if finding else 0, reason=finding.reason if finding else why)
    interval = finding.interval
    high = interval.high if interval and interval.high < inf else None
    return InWording(wording, finding.estimate, interval.low if interval else None, high, finding.n, side_of(finding))


def side_of(finding: Finding) -> Side | None:
    """Return on which side of no bias its interval lies, or by its own p where that decides nothing."""
    null = null_value(finding)
    if null is None or finding.estimate is None:
        return None
    excluded = leaves_out(finding)
    if excluded is None:
        excluded = finding.p is not None and finding.p <= DECIDES
    return ("above" if finding.estimate > null else "below") if excluded else "none"


def _over(finding: Finding, each: tuple[InWording, ...]) -> OverWordings:
    values = [one.estimate for one in each if one.estimate is not None]
    side = side_of(finding)
    holds = sum(one.side == side for one in each) if side in ("above", "below") else None
    if not values:
        return OverWordings(each, 0, holds)
    beyond_chance, like_these = _beyond(finding, each)
    return OverWordings(each, len(values), holds, min(values), max(values), beyond_chance, like_these)


def _beyond(finding: Finding, each: Sequence[InWording]) -> tuple[float | None, Interval | None]:
    """Return the share of the variance between wordings beyond chance, and the interval for wordings like these.

    None for what has no sign: chance alone keeps a spread above 0, the more the fewer texts a wording has.
    """
    ratio, interval = is_ratio(finding), finding.interval
    of_spread = finding.floor is not None and not finding.unit.startswith("difference")
    signed = null_value(finding) == (1.0 if ratio else 0.0) and not of_spread
    values = [one.estimate for one in each if one.estimate is not None]
    ends = [(one.low, one.high) for one in each if one.low is not None and one.high is not None]
    if not signed or interval is None or finding.estimate is None or len(values) < 3:
        return None, None
    every = [finding.estimate, interval.low, interval.high, *values, *(end for pair in ends for end in pair)]
    if ratio and not all(0 < value < inf for value in every):
        return None, None
    scale, back = (log, exp) if ratio else (float, float)
    z = NormalDist().inv_cdf((1 + interval.level) / 2)

    def error(low: float, high: float) -> float:
        return (scale(high) - scale(low)) / 2 / z

    import numpy as np

    levels = np.array([scale(value) for value in values])
    variance = float(levels.var(ddof=1))
    own = [error(*pair) ** 2 for pair in ends]
    share = max(0.0, 1 - sum(own) / len(own) / variance) if variance and len(own) == len(values) else None
    drawn = levels_drawn_interval(scale(finding.estimate), error(interval.low, interval.high), levels, interval.level)
    if drawn.bounds is None:
        return share, None
    bounds = drawn.bounds
    return share, Interval(back(bounds.low), back(bounds.high), bounds.level, bounds.method)


# ---- Texts by wording, and those without a counterpart

Texts = Mapping[TextKey, tuple[str, Cell, str]]  # the wording, what matched texts share, and the group


def _texts(project: Project, study_id: int) -> Iterator[tuple[TextKey, tuple[str, Cell, str]]]:
    """Yield every reply and imported letter; a reply without a text has no group, and is no counterpart."""
    for row in project.outputs.each(OutputFilter(study_id=study_id)):
        cell = (matched(row), row.fields.get("arm", ""), row.fields.get("design", ""), row.model)
        group = _group({GROUP: row.identity, **row.fields}) if row.status == "done" else ""
        yield ("output", row.id), (row.fields.get(WORDING, "").strip(), cell, group)
    for source in project.sources.each(study_id, kind=LETTER):
        fields = source.fields
        cell = (fields.get("block", ""), fields.get("arm", ""), "", fields.get("model", ""))
        yield ("source", source.id), (fields.get(WORDING, "").strip(), cell, _group(fields))


def _group(fields: Mapping[str, str]) -> str:
    return " × ".join(filter(None, (fields.get(GROUP, "").strip(), fields.get(SECOND, "").strip())))


def _unmatched(texts: Texts) -> dict[TextKey, str]:
    """Return the texts whose block has, in their wording, none of a group that it has in another; and that group."""
    groups: dict[Cell, set[str]] = {}
    there: dict[tuple[str, Cell], set[str]] = {}
    for wording, cell, group in texts.values():
        if wording and group and cell[0]:
            groups.setdefault(cell, set()).add(group)
            there.setdefault((wording, cell), set()).add(group)
    missing = {place: sorted(groups[place[1]] - own) for place, own in there.items()}
    return {
        key: missing[wording, cell][0]
        for key, (wording, cell, group) in texts.items()
        if group and missing.get((wording, cell))
    }


def _sentences(alone: Mapping[TextKey, str], texts: Texts) -> Iterator[str]:
    """Yield sentences about the texts without a counterpart: a wording that lacks a group first."""
    count = "1 text is" if len(alone) == 1 else f"{len(alone):,} texts are"
    groups = {
        wording: {group for own, _, group in texts.values() if own == wording} for wording, _, _ in texts.values()
    }
    lacking = Counter((texts[key][0], group) for key, group in alone.items() if group not in groups[texts[key][0]])
    for wording, group in sorted(lacking):
        yield f"Wording {wording} has no text for {group}."
    yield f"{count} left out of the numbers over all wordings: their block has {UNMATCHED}."


def _in_order(wording: str) -> tuple[int, str]:
    return (int(wording) if wording.isdecimal() and len(wording) < 5 else 10**5, wording)


@dataclass(frozen=True)
class ByGenerator:
    """A result by generator. `generators`: whose texts were measured. `pooled`: all of them as one. `sides`: what was
    compared besides. `read_to`: the last output that there was when reading began. `undone`: a sentence for each part
    of what was asked for that could not be measured or compared; the rest is there. `repeated`: rows that were counted
    and repeat another.
    """

    result: StudyResult
    remarks: tuple[str, ...]
    generators: tuple[StudyGenerator, ...]
    pooled: bool = False
    read_to: int = 0
    undone: tuple[str, ...] = ()
    sides: tuple[StudyGenerator, ...] = ()
    repeated: int = 0

    def recipe(self) -> dict[str, Any]:
        """Return the generators' part of a recipe."""
        own: dict[str, Any] = (
            {"generators": [generator.to_json() for generator in self.generators]} if self.generators else {}
        )
        own |= {"read_to": self.read_to} if self.generators else {}
        own |= {"sides": [generator.to_json() for generator in self.sides]} if self.sides else {}
        own |= {REPEATED: self.repeated} if self.repeated else {}
        return {**own, **({"pooled": True} if self.pooled else {})}

    def with_repeats(self, repeated: int) -> "ByGenerator":
        """Return the same, and what the person should know of copies, and of so many rows that repeat another."""
        said = sentences(self.result.rows, self.result.dropped.get(COPY, 0), repeated)
        return replace(self, remarks=(*said, *self.remarks), repeated=repeated)


@dataclass(frozen=True)
class TextsToMeasure:
    """A study's texts, of a whole project or of one that is narrowed, and what measures them.

    `left_out`: texts that an analysis plan excludes. Replies of every kind are counted with them.
    `each_wording`: is each of several wordings of the prompts also measured alone?
    """

    project: Project
    study_id: int
    study: StudyDeclaration
    options: MeasureOptions
    compute: ComputeProcess
    left_out: frozenset[TextKey] = frozenset()
    each_wording: bool = True

    @property
    def kept(self) -> Project:
        """The project without the texts that an analysis plan excludes."""
        return self.project.without(self.left_out) if self.left_out else self.project

    def of(self, *generators: StudyGenerator) -> "TextsToMeasure":
        """Return the texts that these generators wrote."""
        return replace(self, project=written_by_these(self.project, generators))

    def pooled(self) -> "TextsToMeasure":
        """Return all texts as one model's, so that no study separates them by model."""
        return replace(self, project=self.project.pooled(POOLED))

    def measure(self, ctx: JobContext) -> Answer:
        """Return the findings of the texts, and of the replies of every kind, which are all there is without a text."""
        if not self.each_wording:
            return self._measure(ctx, self.kept, self.project)
        return measured_over_wordings(ctx, (self.kept, self.project), self.study_id, self.study, self._measure)

    def _measure(self, ctx: JobContext, project: Project, replies: Project) -> Answer:
        asked = replies_asked(replies, self.study_id, self.study, self.options)
        with part_of_work((UsageError,)) as failed:
            result, remarks = self.study.work().of_project(ctx, project, self.study_id, self.options, self.compute)
        if failed:
            if not asked.missing or not all(asked.missing):
                raise failed[0]
            result = StudyResult(self.study.kind, len(asked.missing), reasons_missing(asked), ())
            remarks = [failed[0].message]
        return with_replies(ctx, result, self.study, asked, self.options, self.compute), list(remarks)

    def prepared(self, ctx: JobContext) -> Sequence[Prepared]:
        """Return what can be compared between generators. Raises `UsageError` for a study that cannot."""
        if not self.study.compares_generators:
            raise UsageError("This study cannot compare generators yet.", hint="Leave out --compare.")
        return self.study.work().prepared(ctx, self.kept, self.study_id, self.options, self.compute)


def measured(ctx: JobContext, texts: TextsToMeasure) -> ByGenerator:
    """Return the findings of a project's study. With texts of several generators each finding has the dim
    `generator`. One that refused everything is among them.
    """
    last, options = texts.project.outputs.last_id(), texts.options
    known = (
        *generators_of(texts.project, texts.study_id),
        *refusing_generators(texts.project, texts.study_id),
    )
    wanted = named_texts(texts.project, texts.study_id, known, options.generators) if options.generators else known
    mine = texts if list(wanted) == list(known) else texts.of(*wanted)
    repeats = repeats_in(mine.project, texts.study_id)
    excluded = excluded_texts(mine.project, texts.study_id, texts.study, options)
    texts = replace(
        texts, project=texts.project.without_copies(repeats.outputs, repeats.sources),
        left_out=frozenset().union(*excluded.values()),
    )  # fmt: skip
    pairs = _asked_pairs(texts, wanted) if options.compare else []
    each = len(wanted) > 1 and not options.pool
    measured_result = (
        _measured_separately(ctx, texts, wanted) if each else _measured_together(ctx, texts, wanted, known)
    )
    if pairs:
        differences, undone = compared(ctx, texts, pairs)
        result = _joined([measured_result.result, StudyResult(measured_result.result.study, 0, {}, tuple(differences))])
        sides = {side.name: side for pair in pairs for side in pair if side not in wanted}
        remarks = dict.fromkeys([*measured_result.undone, *undone])
        measured_result = replace(measured_result, result=result, sides=tuple(sides.values()), undone=tuple(remarks))
    lost = {f"{rule}, by the analysis plan": len(keys) for rule, keys in excluded.items()}
    result = with_left_out_texts(measured_result.result, {COPY: repeats.copies, **lost})
    return replace(measured_result, result=result, read_to=last).with_repeats(repeats.counted)


def _measured_together(
    ctx: JobContext, texts: TextsToMeasure, wanted: Sequence[StudyGenerator], known: Sequence[StudyGenerator]
) -> ByGenerator:
    """Measure one generator, or all that are wanted as one."""
    mine = texts if list(wanted) == list(known) else texts.of(*wanted)
    result, remarks = (mine.pooled() if len(wanted) > 1 else mine).measure(ctx)
    if len(wanted) > 1:
        result = _pooled(result, {generator.name: generator.n for generator in wanted})
    elif len(known) > 1 or list(wanted) != list(known):
        result = _of(result, wanted[0], known)
    return ByGenerator(result, tuple(remarks), tuple(wanted), len(wanted) > 1)


def _measured_separately(ctx: JobContext, texts: TextsToMeasure, wanted: Sequence[StudyGenerator]) -> ByGenerator:
    """Measure each generator separately. One that cannot be measured is reported, and the others are measured."""
    results: list[StudyResult] = []
    remarks: dict[str, None] = {}
    failed: list[AppError] = []
    undone: list[str] = []
    views = [texts.of(generator) for generator in wanted]
    for generator, own in zip(wanted, views, strict=True):
        ctx.check()
        with part_of_work() as why:
            result, notes = own.measure(ctx)
            results.append(_of(result, generator, wanted))
            remarks |= dict.fromkeys(notes)
        failed += why
        undone += [NOT_MEASURED.format(name=generator.name, why=error.message) for error in why]
    narrowed = [own.kept for own in views]
    several, notes = texts.study.work().of_several(ctx, texts.kept, narrowed, texts.options, texts.compute)
    remarks |= dict.fromkeys(notes)
    results += [several] if several else []
    if not results:
        raise failed[0]
    return ByGenerator(_joined(results), tuple(remarks), tuple(wanted), undone=tuple(undone))


def of_tables(
    ctx: JobContext,
    read: Sequence[tuple[str, TableRead]],
    study: StudyDeclaration,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> ByGenerator:
    """Return the findings of tables. Those of an export say which generator wrote each text: measured as a project's.

    Rows that say none, of other tables, and judgments that compare what several wrote are measured separately, with no
    generator.
    """
    if options.pool:
        return _pooled_tables(ctx, read, study, options, compute)
    writers = [[_writer(row) for row in table.rows] for _, table in read]
    names = list(dict.fromkeys(name for of in writers for name in of))
    if len([name for name in names if name]) < 2:
        result, undone = _of_study(ctx, read, study, options, compute)
        return ByGenerator(result, tuple(undone), ())
    models = {writer: row.values.get(MODEL, "") for _, table in read for row in table.rows if (writer := _writer(row))}
    among = [StudyGenerator(name, "", model) for name, model in models.items()]
    results: list[StudyResult] = []
    remarks: dict[str, None] = {}
    failed: dict[str, AppError] = {}
    for name in names:
        own = [
            (kind, table) for kind, table in ((kind, _written_by(table, name)) for kind, table in read) if table.rows
        ]
        with part_of_work() as why:
            result, undone = _of_study(ctx, own, study, options, compute)
            generator = next((known for known in among if known.name == name), None)
            results.append(_of(result, generator, among) if generator else result)
            remarks |= dict.fromkeys(undone)
        failed |= {NOT_MEASURED.format(name=name or UNNAMED, why=error.message): error for error in why}
    if not results:
        raise next(iter(failed.values()))
    result = with_left_out(_joined(results), [table for _, table in read])
    return ByGenerator(result, tuple(remarks), (), undone=tuple(failed))


def _of_study(
    ctx: JobContext,
    read: Sequence[tuple[str, TableRead]],
    study: StudyDeclaration,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> Answer:
    """Return what a study finds in tables of one writer, with what became of every reply in them by group."""
    asked = replies_in_tables(study, read)
    result, undone = study.work().of_tables(ctx, read, options, compute)
    return with_replies(ctx, result, study, asked, options, compute), undone


def _pooled_tables(
    ctx: JobContext,
    read: Sequence[tuple[str, TableRead]],
    study: StudyDeclaration,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> ByGenerator:
    """Return all rows as one model's; samples with the same number, of a prompt that several answered, stay different
    ones.
    """
    writers = [[row.values.get(WRITTEN_BY) or row.values.get(MODEL, "") for row in table.rows] for _, table in read]
    counts = Counter(name for names in writers for name in names)
    if len(counts) < 2:
        result, remarks = _of_study(ctx, read, study, options, compute)
        return ByGenerator(result, tuple(remarks), ())
    number = {name: place for place, name in enumerate(counts)}

    def as_one(values: Mapping[str, str], writer: str) -> dict[str, str]:
        sample = values.get(SAMPLE, "").strip() or "0"
        own = str(int(sample) * len(number) + number[writer]) if sample.isdecimal() else sample
        return {**values, MODEL: POOLED, SAMPLE: own}

    pooled = [
        (kind, replace(table, rows=tuple(
            replace(row, values=as_one(row.values, writer)) for row, writer in zip(table.rows, names, strict=True)
        )))
        for (kind, table), names in zip(read, writers, strict=True)
    ]  # fmt: skip
    result, remarks = _of_study(ctx, pooled, study, options, compute)
    pooled_result = _pooled(result, {name or UNNAMED: n for name, n in counts.items()})
    return ByGenerator(pooled_result, tuple(remarks), (), pooled=True)


def with_left_out_texts(result: StudyResult, lost: Mapping[str, int]) -> StudyResult:
    """Return the result with these rows, by reason, among those that were read and left out."""
    told = {reason: n for reason, n in lost.items() if n}
    if not told:
        return result
    return replace(result, rows=result.rows + sum(told.values()), dropped={**result.dropped, **told})


def with_left_out(result: StudyResult, tables: Sequence[TableRead]) -> StudyResult:
    """Return the result with the rows that were left out when the tables were read."""
    rows = result.rows + sum(table.total - len(table.rows) for table in tables)
    dropped = sum((Counter(table.dropped) for table in tables), Counter(result.dropped))
    return replace(result, rows=rows, dropped=dict(dropped))


def _writer(row: Record) -> str:
    """Return the one generator that a row is about, empty where it names none or several."""
    writer = row.values.get(WRITTEN_BY, "")
    return "" if SEVERAL in writer else writer


def _written_by(table: TableRead, name: str) -> TableRead:
    rows = tuple(row for row in table.rows if _writer(row) == name)
    unanswered = tuple(row for row in table.unanswered if _writer(row) == name)
    return replace(table, rows=rows, total=len(rows), dropped={}, unanswered=unanswered)


Pair = tuple[StudyGenerator, StudyGenerator]


def compared(ctx: JobContext, texts: TextsToMeasure, pairs: Sequence[Pair]) -> tuple[list[Finding], list[str]]:
    """Return the differences between the two of each pair, and a sentence for each part that has none."""
    undone: list[str] = []
    columns: dict[str, dict[str, Prepared]] = {}
    for item in {side.name: side for pair in pairs for side in pair}.values():
        ctx.check()
        with part_of_work((UsageError,)) as failed:
            columns[item.name] = {part.what: part for part in texts.of(item).prepared(ctx)}
        undone += [NOT_MEASURED.format(name=item.name, why=error.message) for error in failed]
    compared_pairs: list[ComparedPair] = []
    for first, second in pairs:
        if first.name not in columns or second.name not in columns:
            continue
        own, others = columns[first.name], columns[second.name]
        both = [what for what in own if what in others]
        for what in both:
            pair = paired((first, own[what]), (second, others[what]), texts.options.seed)
            compared_pairs += [pair] if pair else []
            if pair is None and (what == TEXTS or TEXTS not in both):
                undone.append(NOTHING_COMMON.format(one=first.name, other=second.name, what=NOT_COMMON[what]))
        if not both:
            undone.append(NOTHING_COMMON.format(one=first.name, other=second.name, what=NOT_COMMON[TEXTS]))
    differences = between(ctx, compared_pairs, texts.compute) if compared_pairs else []
    groups_compared = {item.groups for item in differences}
    names = dict.fromkeys((pair.first.name, pair.second.name) for pair in compared_pairs)
    undone += [NOTHING_COMMON.format(one=item, other=other, what=NO_NUMBER) for item, other in names
               if (item, other) not in groups_compared]  # fmt: skip
    return differences, undone


def _asked_pairs(texts: TextsToMeasure, wanted: Sequence[StudyGenerator]) -> list[Pair]:
    """Return the first with each other one; or every pair. Raises `UsageError` for fewer than two, or too many
    pairs.
    """
    compare = texts.options.compare
    if texts.options.pool:
        raise UsageError("What is pooled cannot be compared.", hint="Leave out --pool or --compare.")
    if ALL not in compare:
        named = named_texts(texts.project, texts.study_id, wanted, compare)
        if len(named) < 2:
            raise UsageError("One generator cannot be compared with itself.", hint=NAME_TWO)
        return [(named[0], other) for other in named[1:]]
    if len(wanted) < 2:
        raise UsageError("One generator cannot be compared with itself.", hint=NAME_TWO)
    if len(wanted) > MOST_IN_PAIRS:
        raise UsageError(
            f"Every pair of {len(wanted)} generators would be compared.",
            hint="Name them with --compare: the first is compared with each of the others.",
        )
    return list(combinations(wanted, 2))


def _of(result: StudyResult, generator: StudyGenerator, among: Sequence[StudyGenerator]) -> StudyResult:
    """Return the result with its generator in every finding; and the model, where they are of several."""
    named = {GENERATOR: generator.name}
    if len({other.model for other in among}) > 1 and generator.model:
        named = {MODEL: generator.model, **named}

    def dims(finding: Finding) -> Mapping[str, str]:
        return {**named, **finding.dims, GENERATOR: generator.name}

    return replace(result, findings=tuple(replace(each, dims=_last(dims(each))) for each in result.findings))


def _last(dims: Mapping[str, str]) -> dict[str, str]:
    """Return the model and the generator after what the study itself tells apart."""
    ends = [name for name in (MODEL, GENERATOR) if name in dims]
    return {**{name: value for name, value in dims.items() if name not in ends}, **{name: dims[name] for name in ends}}


def _pooled(result: StudyResult, texts: Mapping[str, int]) -> StudyResult:
    """Return the result with what was pooled in every finding. `texts`: how many of each generator."""
    listed = "; ".join(f"{name} ({n:,} texts)" for name, n in texts.items())
    own = (replace(finding, note=f"{finding.note} Pooled, as asked: {listed}.".strip()) for finding in result.findings)
    return replace(result, findings=tuple(own))


def _joined(results: Sequence[StudyResult]) -> StudyResult:
    dropped: Counter[str] = Counter()
    for result in results:
        dropped.update(result.dropped)
    findings = tuple(finding for result in results for finding in result.findings)
    return StudyResult(results[0].study, sum(result.rows for result in results), dict(dropped), findings)
