"""Letters: counts, styles and contexts, gathered from a project or from tables, measured in the compute process."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from math import isfinite, nan
from pathlib import Path
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import ScorerUse, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Floats, TextKey
from biasprint.core.project.specs import SourceSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.axes import available_axes, load_axis
from biasprint.core.scorers.kept import kept_scores
from biasprint.core.scorers.lexicon import LexiconCounts, LexiconScorer
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import best_scorer, describe, scorer_for
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.importing import CHUNK
from biasprint.core.studies.kit.plain_measuring import Prepared, called, picked, taken, units_or_prompts
from biasprint.core.studies.kit.study import StudyWork
from biasprint.core.studies.letters.lexicon import Counted, LettersTable, letters_table
from biasprint.core.studies.letters.measure import LetterInputs, Parts, embedded, measure_parts, read_letters
from biasprint.core.studies.letters.style import HarmSetting, StyleScores
from biasprint.core.studies.letters.weat import words_possible
from biasprint.core.tables.rows import Record, TableRead, with_line_breaks
from biasprint.core.texts.exporting import matched_block
from biasprint.core.texts.generators import prompts_asked, table_prompt
from biasprint.core.texts.replies import failures
from biasprint.core.texts.values import complete_values, stored_values, values_of

# ---- Importing letters


def store_letters(
    work: StudyWork, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """Store letters, and return the number added."""
    study_id = study_id or work.declared().added_to(project)
    added, rows = 0, iter(table.rows)
    while chunk := list(islice(rows, CHUNK)):
        ctx.check()
        specs = [_letter(origin, record, table.line_break) for record in chunk]
        added += len(project.sources.add_many(study_id, specs).of("source"))
        ctx.report(chunk[-1].number, table.total)
    return added


def _letter(origin: str, record: Record, line_break: str) -> SourceSpec:
    fields = {name: value for name, value in record.values.items() if name != "text"}
    if line_break:
        fields["line_break"] = line_break  # the text itself is kept exactly as it came
    return SourceSpec(kind="letter", origin=origin, row=record.number, text=record.values["text"], fields=fields)


# ---- What is read beside counts: style scores, contexts, the harmful directions

STYLES = ("formality", "positivity", "agency")
TAGGER = "pos_textblob"
VECTORS = "minilm"

Rows = Sequence[tuple[str, Mapping[str, str]]]  # what to call a letter, and its fields
Scored = Callable[[ScorerInfo], Sequence[Floats | None]]


def styles_of(rows: Rows, columns: Mapping[str, str], options: MeasureOptions, scored: Scored) -> dict[str, Any]:
    """Return for each of STYLES the scores of the letters: their own field's, a scorer's, or why there are none.

    `columns`: what the table calls a field. `scored`: scores every letter, one array per letter, None for none.
    """
    styles: dict[str, Any] = {}
    for kind in STYLES:
        given = any(fields.get(kind, "").strip() for _, fields in rows)
        chosen = options.scorers.get(kind)
        if given and chosen:
            raise UsageError(
                f"{kind.capitalize()} is given twice: by the column “{columns.get(kind, kind)}” and by “{chosen}”.",
                hint="Leave out --map or --scorer for it.",
            )
        if given:
            shares = [_share(kind, called, fields.get(kind, "")) for called, fields in rows]
            styles[kind] = {
                "shares": shares,
                "scorer": ScorerUse(kind, f"column {columns.get(kind, kind)}", "as given"),
            }
        elif info := best_scorer(kind, chosen):
            styles[kind] = {"sentences": list(scored(info)), "scorer": info.use()}
        else:
            styles[kind] = f"there is no scorer for “{kind}”, and no column with each letter's share"
    return styles


def read_beside(
    rows: Sequence[Mapping[str, str]],
    styles: Mapping[str, Any],
    harms: Sequence[Mapping[str, Any]],
    options: MeasureOptions,
) -> dict[str, Any]:
    """The rest of `LetterInputs` as plain data."""
    chosen = options.scorers
    entailment = best_scorer("entailment", chosen.get("entailment"))
    tagger = best_scorer("parts_of_speech", chosen.get("parts_of_speech"))
    return {
        "contexts": [fields.get("context", "") for fields in rows],
        "documents": [fields.get("document", "") or "letter" for fields in rows],
        "models": [fields.get("model", "") for fields in rows],
        "arms": [fields.get("arm", "") for fields in rows],
        "twins": [_twin(fields) for fields in rows],
        "tagger": tagger.name if tagger else TAGGER,
        "vectors": _vectors(chosen.get("word_vectors")),
        "entailment": entailment.name if entailment else "",
        "styles": styles,
        "harms": harms,
        "given": words_given(rows),
    }


GIVEN = ("group", "gender", "name", "pronouns", "age", "occupation")


def words_given(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """The words, in small letters, by which the prompts say whom a letter is about: its writer has them from there."""
    return sorted({word.lower() for fields in rows for key in GIVEN for word in fields.get(key, "").split()})


def harm_settings(groups: Collection[str], own: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The harmful directions of the axes that have these groups: a project's own axes first, then the shipped ones."""
    settings = []
    for definition in [*own, *(load_axis(key).definition() for key in available_axes())]:
        order = tuple(identity["key"] for identity in definition["identities"])
        if set(groups) - {""} <= set(order):
            settings += [
                {"finding": harm["finding"], "harmed": harm["harmed"], "direction": harm["direction"],
                 "words": harm["words"], "order": order}
                for harm in definition["harm"]
            ]  # fmt: skip
    return settings


def reading_of(data: Mapping[str, Any]) -> "LetterInputs":
    """Return the plain data as the study takes it, in the compute process."""
    import numpy as np

    def scores(given: Any) -> Any:
        if isinstance(given, str):
            return given
        if "shares" in given:
            return StyleScores(np.array(given["shares"], dtype=np.float64), given["scorer"])
        sentences = [np.zeros(0) if each is None else np.asarray(each, np.float64) for each in given["sentences"]]
        return StyleScores.of_sentences(sentences, given["scorer"])

    return LetterInputs(
        texts=tuple(data["texts"]),
        contexts=tuple(data["contexts"]),
        documents=tuple(data["documents"]),
        tagger=data["tagger"],
        vectors=data["vectors"],
        styles={kind: scores(given) for kind, given in data["styles"].items()},
        entailment=data["entailment"],
        harms=tuple(HarmSetting(**harm) for harm in data["harms"]),
        given=frozenset(data["given"]),
        read=data.get("read"),
    )


def parts_of(data: Mapping[str, Any]) -> "Parts":
    """Return by what the letters are measured separately, in the compute process."""
    by = {"model": tuple(data["models"]), "document": tuple(data["documents"])}
    return Parts(by, tuple(data["arms"]), tuple(data["twins"]))


def _twin(fields: Mapping[str, str]) -> str:
    """The key of one prompt, model, run and sample in every arm; empty where the prompt is not known."""
    pair = fields.get("pair", "")
    return pair and "/".join([pair, fields.get("model", ""), fields.get("run", ""), fields.get("sample", "") or "0"])


def _share(kind: str, called: str, given: str) -> float:
    if not given.strip():
        return nan
    try:
        share = float(given)
    except ValueError:
        share = nan
    if not isfinite(share) or not 0 <= share <= 1:
        raise AppError(
            f"{called}: the {kind} “{given}” is not a share from 0 to 1.",
            kept="Nothing was measured.",
            hint="It is the share of the letter's sentences; leave the cell empty where it is unknown.",
        )
    return share


def _vectors(chosen: str | None) -> str:
    """The name of a scorer that gives vectors, or the full path of a file with them."""
    if chosen is None:
        return VECTORS
    roles = {info.name: info.role for info in describe()}
    if roles.get(chosen) in ("embedding", "word_vectors"):
        return chosen
    if not Path(chosen).is_file():
        raise UsageError(
            f"There is no scorer and no file “{chosen}” for word_vectors.",
            hint="Give an embedder's name, or a file of word vectors (word2vec or GloVe).",
        )
    return str(Path(chosen).resolve())


# ---- Gathering letters and measuring them

COUNTERS = ("lexicon", "lexicon_published")
# The paper's numerator is the male letters; elsewhere the axis says, or the order in which groups come.
PUBLISHED_ORDER = ("male", "female")
# The paper's mark of a line break, also where a table was read without its format.
PAPERS_BREAK = "<return>"

CHOICES: tuple[str, ...] = ("parts_of_speech", "word_vectors", *STYLES, "entailment")


@dataclass(frozen=True)
class Letter:
    """A letter as the study reads it beside its counts. `text`: as it is read, with real line breaks.

    `prompt`: what is the same for the same prompt, whoever answered it; empty where it is not known. `place`: of its
    prompt among the prompts, or its own in a table.
    """

    key: TextKey
    group: str
    block: str
    name: str
    text: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    prompt: str = ""
    place: tuple[int, int] = (0, 0)


def needed() -> list[ScorerInfo]:
    """The counters, whether a letter succeeded, and the best scorer of each style."""
    counters = [info for info in describe() if info.name in COUNTERS]
    return [*counters, success_scorer(), *(info for kind in STYLES if (info := best_scorer(kind)))]


def success_scorer() -> ScorerInfo:
    return scorer_for("success", None, "document_success")


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
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

    broken: list[str] = []

    def scored(info: ScorerInfo) -> list[Floats | None]:
        return list(values_of(ctx, compute, info, texts, broken))

    named = {kind: next((table.mapping[kind] for table in tables if kind in table.mapping), kind) for kind in STYLES}
    styles = styles_of([(f"Row {record.number}", record.values) for record in records], named, options, scored)
    result = compute.call(
        letters_tables,
        [row["text"] for row in rows],
        _columns(
            groups,
            [row.get("block", "") for row in rows],
            [row.get("name", "") for row in rows],
            dict(dropped),
            (),
        ),
        {"texts": texts, **read_beside(rows, styles, harm_settings(set(groups), ()), options)},
        options.seed,
        ctx=ctx,
    )
    return replace(result, rows=sum(table.total for table in tables)), broken


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's letters. Those of one block (cell or biography) are kept together."""
    broken: list[str] = []
    for name in COUNTERS:
        complete_values(ctx, project, study_id, scorer_for("lexicon", name, name), compute, broken)
    everyone, counted = _counted(project, study_id, options)

    def scored(info: ScorerInfo) -> list[Floats | None]:
        values = complete_values(ctx, project, study_id, info, compute, broken)
        return [values.get(letter.key) for letter in counted.letters]

    rows = [letter.fields for letter in counted.letters]
    names = [f"The letter {letter.key[1]} ({letter.key[0]})" for letter in counted.letters]
    styles = styles_of(list(zip(names, rows, strict=True)), {}, options, scored)
    axes = [axis.definition for axis in project.axes.in_use().values()]
    harms = harm_settings({letter.group for letter in counted.letters}, axes)
    reading = {
        "texts": [letter.text for letter in counted.letters],
        **read_beside(rows, styles, harms, options),
    }
    prompts = tuple(letter.prompt for letter in counted.letters)
    of_letters = Prepared(
        *called(
            measure_letters,
            counted.values,
            counted.uses,
            _columns_of(counted, axes),
            reading,
            options.seed,
        ),
        take=take,
        prompts=prompts,
        units=units_or_prompts((fields.get("block", "") for fields in rows), prompts),
        read=read,
        texts=everyone,
        remarks=tuple(broken),
    )
    return [of_letters]


def read(args: tuple[Any, ...], ctx: JobContext) -> tuple[Any, ...]:
    """Read once, in the compute process, what words and sentences the letters have."""
    values, uses, columns, reading, seed = args
    with kept_scores():
        known = read_letters(reading_of(reading), ctx)
        lexicons = [LexiconScorer(counting=rule).lexicon for rule in ("words", "published")]
        embedded(words_possible(known.parts, lexicons), reading["vectors"])  # at once, and not a few for each take
    return values, uses, columns, {**reading, "read": known}, seed


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the letters, in the compute process."""
    values, uses, columns, reading, seed = args
    by_letter = ("groups", "blocks", "names")
    own = {**columns, **taken({name: columns[name] for name in by_letter}, places)}
    texts = ("texts", "contexts", "documents", "models", "arms", "twins")
    styles = {kind: _style_of(given, places) for kind, given in reading["styles"].items()}
    some = {**reading, **taken({name: reading[name] for name in texts}, places), "styles": styles}
    some["read"] = reading["read"].only(places)
    return [picked(of, places) for of in values], uses, own, some, seed


def _style_of(given: Any, places: Sequence[int]) -> Any:
    if isinstance(given, str):
        return given
    return {name: value if name == "scorer" else picked(value, places) for name, value in given.items()}


@dataclass(frozen=True)
class _Counted:
    """The letters whose words are counted, the counts of each of COUNTERS, and letters left out, by reason."""

    letters: Sequence[Letter]
    values: Sequence[Sequence[Floats]]
    uses: Sequence[ScorerUse]
    dropped: Mapping[str, int]


def _counted(project: Project, study_id: int, options: MeasureOptions) -> tuple[int, _Counted]:
    """The number of letters, failed ones too, and those that are counted."""
    infos = [scorer_for("lexicon", name, name) for name in COUNTERS]
    counted, published = (stored_values(project, info) for info in infos)
    everyone = _regrouped(list(letters(project, study_id, texts=True)), options)
    known = [letter for letter in everyone if letter.key in counted and letter.key in published]
    if not known:
        raise AppError("No letter has been counted yet.", hint="Generate or import letters, then score them.")
    failed = failures(project, study_id)
    dropped = {"not counted yet": len(everyone) - len(known), **failed}
    values = [[of[letter.key] for letter in known] for of in (counted, published)]
    left = {reason: count for reason, count in dropped.items() if count}
    return len(everyone) + sum(failed.values()), _Counted(known, values, [info.use() for info in infos], left)


def _regrouped(letters: Sequence[Letter], options: MeasureOptions) -> Sequence[Letter]:
    """The letters by another column of their prompts, where one is asked for."""
    if not options.columns:
        return letters
    rows = options.regrouped([{"group": letter.group, **letter.fields} for letter in letters])
    return [replace(letter, group=row["group"]) for letter, row in zip(letters, rows, strict=True)]


def _columns_of(counted: _Counted, axes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # In the order of the prompts: which of them was answered first must not decide which group is the numerator.
    first: dict[str, tuple[int, int]] = {}
    for letter in counted.letters:
        if letter.group:
            first[letter.group] = min(letter.place, first.get(letter.group, letter.place))
    columns = _columns(
        [letter.group for letter in counted.letters],
        [letter.block for letter in counted.letters],
        [letter.name for letter in counted.letters],
        counted.dropped,
        axes,
    )
    return columns | {"order": columns["order"] or tuple(sorted(first, key=lambda group: first[group]))}


def _columns(
    groups: Sequence[str],
    blocks: Sequence[str],
    names: Sequence[str],
    dropped: Mapping[str, int],
    axes: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the columns. `axes`: the project's own definitions, looked at before the shipped ones."""
    order = PUBLISHED_ORDER if set(groups) - {""} == set(PUBLISHED_ORDER) else ()
    columns = {"groups": tuple(groups), "blocks": tuple(blocks), "names": tuple(names)}
    shipped = (load_axis(key).definition() for key in available_axes())
    crossing = crossing_of(set(groups), chain(axes, shipped))
    return {**columns, "order": order, "dropped": dict(dropped), "crossing": crossing}


def letters_tables(
    texts: Sequence[str],
    columns: Mapping[str, Any],
    reading: Mapping[str, Any],
    seed: int,
    ctx: JobContext | None = None,
) -> StudyResult:
    """Count letters as released, and measure the whole study over them, in the compute process."""
    with kept_scores():
        table = letters_table(texts, **columns)
        return measure_parts(table, reading_of(reading), parts_of(reading), seed=seed, ctx=ctx)


def measure_letters(
    values: Sequence[Sequence[Floats]],
    uses: Sequence[ScorerUse],
    columns: Mapping[str, Any],
    reading: Mapping[str, Any],
    seed: int,
    ctx: JobContext | None = None,
) -> StudyResult:
    """Turn stored counts back into a table, and measure the study over it, in the compute process."""
    import numpy as np

    def restore(stored: Sequence[Floats], scorer: LexiconScorer, use: ScorerUse) -> Counted:
        return Counted(scorer.lexicon, LexiconCounts.from_values(np.stack(stored), scorer.lexicon), use)

    table = LettersTable(
        counted=restore(values[0], LexiconScorer(counting="words"), uses[0]),
        published=restore(values[1], LexiconScorer(counting="published"), uses[1]),
        **columns,
    )
    with kept_scores():
        return measure_parts(table, reading_of(reading), parts_of(reading), seed=seed, ctx=ctx)


def letters(project: Project, study_id: int, *, texts: bool = False) -> Iterable[Letter]:
    """Every finished letter of the study: generated ones, then imported ones. `texts`: with what they say."""
    documents = documents_asked(project, study_id) if texts else {}
    asked = prompts_asked(project, study_id) if texts else {}
    for row in project.outputs.each(OutputFilter(study_id=study_id, status="done")):
        group, name = row.fields.get("group", row.identity), row.fields.get("name", "")
        letter = Letter(("output", row.id), group, matched_block(row), name, place=(0, row.prompt_id))
        own = {"document": documents.get(row.run_id, ""), **row.fields}
        own |= {"model": row.model, "run": str(row.run_id), "sample": str(row.sample)}
        yield replace(letter, text=row.text, fields=own, prompt=asked[row.prompt_id]) if texts else letter
    for source in project.sources.each(study_id):
        if source.kind == "letter":
            fields = source.fields
            letter = Letter(
                ("source", source.id), fields.get("group", ""), fields.get("block", ""), fields.get("name", ""),
                place=(1, source.id),
            )  # fmt: skip
            text = with_line_breaks(source.text, fields.get("line_break", "")) if texts else ""
            yield replace(letter, text=text, fields=fields, prompt=table_prompt(fields)) if texts else letter


def documents_asked(project: Project, study_id: int) -> dict[int, str]:
    """Run → what its prompts ask for, where their set says so."""
    asked = {prompt_set.id: str(prompt_set.recipe.get("document", "")) for prompt_set in project.prompts.sets(study_id)}
    return {run.id: asked.get(run.prompt_set_id, "") for run in project.runs.all()}
