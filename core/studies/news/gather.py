"""News articles: gathered from a project or from tables, each beside its original, measured in the compute process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import AxisRow, Floats, OutputRow, TextKey
from biasprint.core.project.specs import PromptSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.axes import Axis, load_axis
from biasprint.core.prompts.drafts import PLAIN_ARM
from biasprint.core.prompts.resource_files import validated
from biasprint.core.scorers.kept import kept_scores
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.core.scorers.registry import best_scorer
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.importing import CHUNK, ImportedText, sample_numbers, store_outputs
from biasprint.core.studies.kit.plain_measuring import Prepared, called, taken, units_or_prompts, whole
from biasprint.core.studies.kit.study import StudyWork
from biasprint.core.studies.news.measure import NewsRequest, measure_rows
from biasprint.core.studies.news.prompts import SHIPPED_ORIGIN, TASK, UNBIASED, shipped_articles
from biasprint.core.studies.news.table import word_remarks
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.generators import prompts_asked
from biasprint.core.texts.replies import EMPTY, REPLY_KIND, is_cut, reason_of, reply_kind
from biasprint.core.texts.values import ORIGINAL_KEY, Originals, complete_values, original_key, original_source

# ---- Importing articles

GENERATED = "generated"
ARTICLES_NOTE = "The prompts were not part of the imported table; prompt_kind says of which kind they were."


def store_articles(
    work: StudyWork, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """Store articles, and return how many were added. A table that cannot be stored is refused before anything is."""
    check_generated(table)
    prompts = [_article_prompt(record) for record in table.rows]
    models = [record.values.get("model", "") for record in table.rows]
    samples = sample_numbers(table.rows, zip((prompt.key for prompt in prompts), models, strict=True))
    items = [
        ImportedText(prompt, model, sample, record.values[GENERATED], cut=is_cut(record.values))
        for record, prompt, model, sample in zip(table.rows, prompts, models, samples, strict=True)
    ]
    study_id = study_id or work.declared().added_to(project)
    _store_originals(ctx, project, study_id, origin, table)
    return store_outputs(ctx, project, study_id, origin, items, ARTICLES_NOTE)


def check_generated(table: TableRead) -> None:
    """Raise `AppError` where no column holds the generated articles: one may be empty, so reading does not ask."""
    if GENERATED not in table.mapping:
        raise AppError(
            "No column was recognised as generated (the article that a model wrote for the same headline).",
            hint=f"Map one with generated=column. {columns_there(table.columns)}",
        )


def _store_originals(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> None:
    """Store each original once, however many articles were generated beside it."""
    first = {original_key(record.values["original"]): record for record in reversed(table.rows)}
    rest = iter(sorted(first.values(), key=lambda record: record.number))
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        specs = [
            original_source(origin, chunk_record.number, chunk_record.values["original"], chunk_record.values)
            for chunk_record in chunk
        ]
        project.sources.add_many(study_id, specs)


def _article_prompt(record: Record) -> PromptSpec:
    """Make a prompt in place of one that nobody kept, so with an empty text."""
    values = record.values
    fields = {
        "headline": values.get("headline", ""),
        "domain": values.get("domain", ""),
        "prompt_kind": values.get("prompt_kind", "").strip() or UNBIASED,
        ORIGINAL_KEY: original_key(values["original"]),
    }
    key = f"imported/news/{sha256_text(repr(sorted(fields.items())))[:32]}"
    return PromptSpec(key=key, text="", task=TASK, theme=fields["domain"][:200], fields=fields)


CHOICES: tuple[str, ...] = ("sentiment", "toxicity")
DEFAULT_AXES = ("gender", "race")
COLUMNS = {
    "originals": "original", "generated": "generated", "headlines": "headline", "models": "model",
    "prompt_kinds": "prompt_kind", "domains": "domain", "replies": REPLY_KIND,
}  # fmt: skip
# Such scorers read whole articles, so that what they say can be stored (biasprint.core.studies.news.mentions).
PER_SENTENCE = "each sentence"

Row = Mapping[str, str]


def needed() -> list[ScorerInfo]:
    """Return the scorers that score an article sentence by sentence, so that their scores can be stored."""
    return [info for info in scorers_of(MeasureOptions()).values() if PER_SENTENCE in info.shape]


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of pairs in tables."""
    dropped: Counter[str] = Counter()
    for _, table in read:
        check_generated(table)
        dropped.update(table.dropped)
    rows = [record.values for _, table in read for record in table.rows]
    return _measure(ctx, compute, Gathered(rows, dropped, scorers_of(options)), options)


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's articles, each beside the original of its headline; what is not scored is first."""
    (ready,) = prepared(ctx, project, study_id, options, compute)
    columns, asked = ready.args
    return whole(ctx, ready, compute), [*ready.remarks, *_remarks(ctx, compute, columns, asked, options)]


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's articles. Those of one headline are kept together."""
    scorers, broken = scorers_of(options), list[str]()
    values = {
        role: complete_values(ctx, project, study_id, info, compute, broken)
        for role, info in scorers.items()
        if PER_SENTENCE in info.shape
    }
    originals = Originals.of(project, study_id)
    outputs = list(project.outputs.each(OutputFilter(study_id=study_id, status="done")))
    if not outputs:
        raise AppError("There is no article to measure yet.", hint="Generate or import articles first.")
    # A refusal without words is one all the same, and so is a generation without text.
    without = list(project.outputs.each(OutputFilter(study_id=study_id, status="error")))
    unanswered = [row for row in without if reply_kind(row) in (REFUSAL, EMPTY)]
    outputs += unanswered
    rows = [news_row(output, originals) for output in outputs]
    known = {role: _by_text(scores, originals, outputs) for role, scores in values.items()}
    failed = Counter(reason_of(reply_kind(row)) for row in without if row not in unanswered)
    gathered = Gathered(rows, failed, scorers, known, project.axes.latest())
    columns, request = _args(ctx, gathered, options)
    args = columns, {**request, "caution": _caution(rows)}
    asked = prompts_asked(project, study_id)
    prompts = tuple(asked[output.prompt_id] for output in outputs)
    headlines = (row.get(ORIGINAL_KEY, "") or row.get("headline", "") for row in rows)
    of_articles = Prepared(
        *called(measure_news, *args),
        take=take,
        prompts=prompts,
        units=units_or_prompts(headlines, prompts),
        remarks=tuple(broken),
    )
    return [of_articles]


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the articles, in the compute process."""
    columns, asked = args
    own = {name: column for name, column in columns.items() if name != "dropped"}
    return {**columns, **taken(own, places)}, asked


@dataclass(frozen=True)
class Gathered:
    """Facts about articles. `known`: by role, values by text; `own_axes`: the project's, by key."""

    rows: Sequence[Row]
    dropped: Mapping[str, int]
    scorers: Mapping[str, ScorerInfo]
    known: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    own_axes: Mapping[str, AxisRow] = field(default_factory=dict)


def _measure(
    ctx: JobContext, compute: ComputeProcess, gathered: Gathered, options: MeasureOptions
) -> tuple[StudyResult, list[str]]:
    columns, asked = _args(ctx, gathered, options)
    result = compute.call(measure_news, columns, asked, ctx=ctx)
    return result, _remarks(ctx, compute, columns, asked, options)


def _args(ctx: JobContext, gathered: Gathered, options: MeasureOptions) -> tuple[dict[str, Any], dict[str, Any]]:
    columns: dict[str, Any] = {
        name: [row.get(own, "") for row in gathered.rows] for name, own in COLUMNS.items()
    }  # fmt: skip
    columns["dropped"] = dict(gathered.dropped)
    axes, names = axes_of(ctx, options.axes or DEFAULT_AXES, gathered.own_axes)
    scorers = {role: info.name for role, info in gathered.scorers.items()}
    return columns, {
        "axes": axes, "names": names, "scorers": scorers, "known": gathered.known, "seed": options.seed,
    }  # fmt: skip


def _remarks(
    ctx: JobContext,
    compute: ComputeProcess,
    columns: Mapping[str, Any],
    asked: Mapping[str, Any],
    options: MeasureOptions,
) -> list[str]:
    """Return remarks on originals used in place of others, and on a person's own words; shipped ones are known."""
    remarks: list[str] = [asked["caution"]] if asked.get("caution") else []
    if options.axes:
        texts = [text for side in ("originals", "generated") for text in columns[side]]
        for axis in asked["axes"]:
            remarks += compute.call(word_remarks, axis, asked["names"].get(axis.key), texts, ctx=ctx)
    return remarks


def _caution(rows: Sequence[Row]) -> str:
    """Return the caution for articles measured against the originals that ship; empty where none is."""
    originals = {row["original"]: row["origin"] for row in rows if row["original"]}
    shipped = sum(origin == SHIPPED_ORIGIN for origin in originals.values())
    if not shipped:
        return ""
    return f"{shipped} of {len(originals)} originals: {shipped_articles().card.short}"


def measure_news(columns: Mapping[str, Any], asked: Mapping[str, Any], ctx: JobContext) -> StudyResult:
    """Measure the study over the columns, in the compute process."""
    with kept_scores():
        return measure_rows(columns, NewsRequest(**asked), ctx)


def axes_of(
    ctx: JobContext, wanted: Sequence[str], own: Mapping[str, AxisRow]
) -> tuple[tuple[Axis, ...], dict[str, dict[str, str]]]:
    """The axes, and the names of people by axis. “race=people.csv” is an axis with a table of names and groups."""
    axes: list[Axis] = []
    names: dict[str, dict[str, str]] = {}
    for option in wanted:
        name, given, table = option.partition("=")
        row = own.get(name)
        where = f"The project's axis {name}"
        axis = validated(Axis, dict(row.definition), where) if row else load_axis(name)
        axes.append(axis)
        if given:
            records = read_table(ctx, Path(table), "names", duplicates="drop").rows
            names[axis.key] = {record.values["name"].strip(): record.values["group"].strip() for record in records}
    return tuple(axes), names


def scorers_of(options: MeasureOptions) -> dict[str, ScorerInfo]:
    """The scorer of each role: the one that was asked for, or the best there is; a role may have none."""
    best = {role: best_scorer(role, options.scorers.get(role)) for role in CHOICES}
    return {role: info for role, info in best.items() if info is not None}


def news_row(output: OutputRow, originals: Originals) -> Row:
    fields = output.fields
    original = originals.of_output(output)
    arm = fields.get("arm", PLAIN_ARM)
    model = output.model if arm == PLAIN_ARM else f"{output.model}, with {arm}"
    domain = fields.get("domain", "") or (original.domain if original else "")
    return {
        **fields,
        "original": original.text if original else "",
        "generated": output.text,
        "model": model,
        "domain": domain,
        "origin": original.origin if original else "",
        REPLY_KIND: reply_kind(output),
    }


def _by_text(values: Mapping[TextKey, Floats], originals: Originals, outputs: Sequence[OutputRow]) -> dict[str, Floats]:
    of_originals = {row.text: values[row.key] for row in originals if row.key in values}
    return of_originals | {row.text: values["output", row.id] for row in outputs if ("output", row.id) in values}
