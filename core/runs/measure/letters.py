"""Letters for the letters study: gathered from a project or from tables, counted, measured in the compute process."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError
from core.findings import ScorerUse, StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import Floats, TextKey
from core.project.stores.common import chunks
from core.project.stores.runs import OutputFilter
from core.runs.exporting import matched_block
from core.runs.measure.letters_reading import STYLES, harm_settings, read_beside, styles_of
from core.runs.measure.options import Options
from core.runs.values import complete_values, failures, scorer_for, stored_values
from core.scorers.protocol import ScorerInfo
from core.tables.rows import TableRead, with_line_breaks

COUNTERS = ("lexicon", "lexicon_published")
# The paper's numerator is the male letters; elsewhere the axis says, or the order in which groups come.
PUBLISHED_ORDER = ("male", "female")
# The paper's mark of a line break, also where a table was read without its format.
PAPERS_BREAK = "<return>"

CHOICES: tuple[str, ...] = ("parts_of_speech", "word_vectors", *STYLES, "entailment")
AXES = False


@dataclass(frozen=True)
class Letter:
    """What the study needs to know of a letter besides its counts. `text`: as it is read, with real line breaks."""

    key: TextKey
    group: str
    block: str
    name: str
    text: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


def kind_of(path: Path, mapping: Mapping[str, str]) -> str:
    return "letters"


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of letters in tables."""
    tables = [table for _, table in read]
    records = [record for table in tables for record in table.rows]
    rows = [record.values for record in records]
    dropped: Counter[str] = Counter()
    for table in tables:
        dropped.update(table.dropped)
    groups = [row["group"] for row in rows]
    texts = [
        with_line_breaks(record.values["text"], table.line_break or PAPERS_BREAK)
        for table in tables
        for record in table.rows
    ]

    def scored(info: ScorerInfo) -> list[Floats | None]:
        _, values = compute.call("core.scorers.registry:score_batch", info.name, texts, ctx=ctx)
        return [value.values for value in values]

    named = {kind: next((table.mapping[kind] for table in tables if kind in table.mapping), kind) for kind in STYLES}
    styles = styles_of([(f"Row {record.number}", record.values) for record in records], named, options, scored)
    result: StudyResult = compute.call(
        "core.runs.measure.letters:tables_in_compute",
        [row["text"] for row in rows],
        _columns(groups, [row.get("block", "") for row in rows], [row.get("name", "") for row in rows], dict(dropped)),
        {"texts": texts, **read_beside(rows, styles, harm_settings(set(groups), ()), options)},
        options.seed,
        ctx=ctx,
    )
    return replace(result, rows=sum(table.total for table in tables)), []


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's letters, imported and generated, scoring first what is not scored yet."""
    for name in COUNTERS:
        complete_values(ctx, project, study_id, scorer_for("lexicon", name, name), compute)
    everyone, counted = _counted(project, study_id, texts=True)

    def scored(info: ScorerInfo) -> list[Floats | None]:
        values = complete_values(ctx, project, study_id, info, compute)
        return [values.get(letter.key) for letter in counted.letters]

    rows = [letter.fields for letter in counted.letters]
    called = [f"The letter {letter.key[1]} ({letter.key[0]})" for letter in counted.letters]
    styles = styles_of(list(zip(called, rows, strict=True)), {}, options, scored)
    axes = [axis.definition for axis in project.axes.latest().values()]
    harms = harm_settings({letter.group for letter in counted.letters}, axes)
    reading = {
        "texts": [letter.text for letter in counted.letters],
        **read_beside(rows, styles, harms, options),
    }
    result = _measured(ctx, counted, reading, options.seed, compute)
    return replace(result, rows=everyone), []


def of_counts(ctx: JobContext, project: Project, study_id: int, seed: int, compute: ComputeProcess) -> StudyResult:
    """The findings from the counts that are stored, for charts that follow a run."""
    everyone, counted = _counted(project, study_id, texts=False)
    return replace(_measured(ctx, counted, None, seed, compute), rows=everyone)


@dataclass(frozen=True)
class _Counted:
    """The letters whose words are counted, the counts of each of COUNTERS, and letters left out, by reason."""

    letters: Sequence[Letter]
    values: Sequence[Sequence[Floats]]
    uses: Sequence[ScorerUse]
    dropped: Mapping[str, int]


def _counted(project: Project, study_id: int, *, texts: bool) -> tuple[int, _Counted]:
    """How many letters there are, failed ones too, and those that are counted."""
    infos = [scorer_for("lexicon", name, name) for name in COUNTERS]
    counted, published = (stored_values(project, info) for info in infos)
    everyone = list(letters(project, study_id, texts=texts))
    known = [letter for letter in everyone if letter.key in counted and letter.key in published]
    if not known:
        raise AppError("No letter has been counted yet.", hint="Generate or import letters, then score them.")
    failed = failures(project, study_id)
    dropped = {"not counted yet": len(everyone) - len(known), **failed}
    values = [[of[letter.key] for letter in known] for of in (counted, published)]
    left = {reason: count for reason, count in dropped.items() if count}
    return len(everyone) + sum(failed.values()), _Counted(known, values, [info.use() for info in infos], left)


def _measured(
    ctx: JobContext, counted: _Counted, reading: Mapping[str, Any] | None, seed: int, compute: ComputeProcess
) -> StudyResult:
    columns = _columns(
        [letter.group for letter in counted.letters],
        [letter.block for letter in counted.letters],
        [letter.name for letter in counted.letters],
        counted.dropped,
    )
    result: StudyResult = compute.call(
        "core.runs.measure.letters:in_compute", counted.values, counted.uses, columns, reading, seed, ctx=ctx
    )
    return result


def _columns(
    groups: Sequence[str], blocks: Sequence[str], names: Sequence[str], dropped: Mapping[str, int]
) -> dict[str, Any]:
    order = PUBLISHED_ORDER if set(groups) - {""} == set(PUBLISHED_ORDER) else ()
    columns = {"groups": tuple(groups), "blocks": tuple(blocks), "names": tuple(names)}
    return {**columns, "order": order, "dropped": dict(dropped)}


def tables_in_compute(
    texts: Sequence[str],
    columns: Mapping[str, Any],
    reading: Mapping[str, Any],
    seed: int,
    ctx: JobContext | None = None,
) -> StudyResult:
    """In the compute process: letters as released counted, and the whole study over them."""
    from core.runs.measure.letters_reading import parts_of, reading_of
    from core.studies.letters.measure import letters_table
    from core.studies.letters.parts import measure_parts

    table = letters_table(texts, **columns)
    return measure_parts(table, reading_of(reading), parts_of(reading), seed=seed, ctx=ctx)


def in_compute(
    values: Sequence[Sequence[Floats]],
    uses: Sequence[ScorerUse],
    columns: Mapping[str, Any],
    reading: Mapping[str, Any] | None,
    seed: int,
    ctx: JobContext | None = None,
) -> StudyResult:
    """In the compute process: stored counts back into a table, and the study over it; without `reading` the counts."""
    import numpy as np

    from core.scorers.lexicon import LexiconCounts, LexiconScorer
    from core.studies.letters.table import Counted, LettersTable

    def restore(stored: Sequence[Floats], scorer: LexiconScorer, use: ScorerUse) -> Counted:
        return Counted(scorer.lexicon, LexiconCounts.from_values(np.stack(stored), scorer.lexicon), use)

    table = LettersTable(
        counted=restore(values[0], LexiconScorer(counting="words"), uses[0]),
        published=restore(values[1], LexiconScorer(counting="published"), uses[1]),
        **columns,
    )
    if reading is None:
        from core.studies.letters.measure import measure

        return measure(table, seed=seed)
    from core.runs.measure.letters_reading import parts_of, reading_of
    from core.studies.letters.parts import measure_parts

    return measure_parts(table, reading_of(reading), parts_of(reading), seed=seed, ctx=ctx)


def letters(project: Project, study_id: int, *, texts: bool = False) -> Iterable[Letter]:
    """Every finished letter of the study: generated ones, then imported ones. `texts`: with what they say."""
    documents = _documents(project, study_id) if texts else {}
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        group, name = row.fields.get("group", row.identity), row.fields.get("name", "")
        letter = Letter(("output", row.id), group, matched_block(row), name)
        own = {"document": documents.get(row.run_id, ""), **row.fields}
        own |= {"model": row.model, "sample": str(row.sample)}
        yield replace(letter, text=row.text, fields=own) if texts else letter
    for source in chunks(lambda after, limit: project.sources.page(study_id, after, limit), lambda row: row.id):
        if source.kind == "letter":
            fields = source.fields
            letter = Letter(
                ("source", source.id), fields.get("group", ""), fields.get("block", ""), fields.get("name", "")
            )
            text = with_line_breaks(source.text, fields.get("line_break", "")) if texts else ""
            yield replace(letter, text=text, fields=fields) if texts else letter


def _documents(project: Project, study_id: int) -> dict[int, str]:
    """Run → what its prompts ask for, where their set says so."""
    asked = {found.id: str(found.recipe.get("document", "")) for found in project.prompts.sets(study_id)}
    return {run.id: asked.get(run.prompt_set_id, "") for run in project.runs.all()}
