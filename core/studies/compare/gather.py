"""Any score by any group, gathered from a project or tables, scored, and measured in the compute process."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import ScorerUse, StudyResult
from biasprint.core.given import path_of
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PromptSetRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.designs import DesignMeasure, shipped_measure
from biasprint.core.prompts.resource_files import validated
from biasprint.core.prompts.wordings import WORDING, item_of
from biasprint.core.scorers.functions import FunctionScorer, function_of
from biasprint.core.scorers.lexicon import OWN_WORDS
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import best_scorer, describe, described, info_of, score_kept
from biasprint.core.studies.compare.designs import Replies, measure_design
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.compare.simulated import compare_trial
from biasprint.core.studies.compare.texts import Compared, Measure, columns_of, compared_texts, groups_of
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.plain_measuring import Prepared, called, picked, taken, units_or_prompts
from biasprint.core.studies.kit.study import OwnWork
from biasprint.core.tables.rows import TableRead, read_numbers
from biasprint.core.texts.replies import CUT_OFF, REPLY_KIND, failures, is_cut, reason_of, reply_kind
from biasprint.core.texts.score import score
from biasprint.core.texts.values import stored_summaries, stored_values

# Where nobody chooses: by role, what can be read of any text at once.
DEFAULT = ("sentiment", "length", "reading_ease", "refusal", "regard", "toxicity")
YES = frozenset(("yes", "y", "true", "1", "1.0", "invited", "selected", "accepted", "hired", "approved"))
NO = frozenset(("no", "n", "false", "0", "0.0", "rejected", "declined", "not selected", "denied"))
NOT_SHIPPED = (
    "The design “{design}” does not ship with the program, so its replies are compared as texts. Measure the project "
    "that they are from to have them read."
)
LENGTH = "length"  # the role of what counts words
CUT_WHY = "cut off at the limit"
NO_NUMBER = ("embedding", "entailment", "parts_of_speech", "lexicon", "success")
Scored = tuple[Sequence[Any], Sequence[float | None], Mapping[int, str]]  # values, summaries, why there is none


def needed() -> list[ScorerInfo]:
    return [*chosen_scorers(MeasureOptions()), *_embedder(MeasureOptions())]


def needed_by(project: Project, study_id: int, set_id: int | None = None) -> list[ScorerInfo]:
    """The scorers that the texts of a study's prompts need, or those of one set: of a design its own."""
    scorers: dict[ScorerInfo, None] = {}
    for row in project.prompts.sets(study_id):
        if set_id in (None, row.id):
            design = _design_of(row)
            scorers |= dict.fromkeys(needed() if design is None else _needed_by_design(design))
    return list(scorers) if scorers or set_id is not None else needed()


def _needed_by_design(design: DesignMeasure) -> list[ScorerInfo]:
    own = _named(",".join(design.scorers)) if design.scorers else []
    return [*own, *(_embedder(MeasureOptions()) if design.similarity else [])]


def chosen_scorers(options: MeasureOptions) -> list[ScorerInfo]:
    """The scorers of `score`: names or roles, with commas between; a word list as words:PATH. Raises `UsageError`."""
    return _named(options.scorers.get("score", ""))


def _named(names: str) -> list[ScorerInfo]:
    """Scorers by names or roles with commas between, the usual ones for none."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    return [info for name in asked or DEFAULT if (info := _scorer(name, must=bool(asked)))]


def _scorer(name: str, *, must: bool) -> ScorerInfo | None:
    if function := function_of(name):
        return function.info
    if name.startswith(OWN_WORDS):
        return info_of(OWN_WORDS + str(path_of(name.removeprefix(OWN_WORDS)).resolve()))
    scorer = described(name) or best_scorer(name)
    if scorer is None or scorer.unavailable:
        if not must:
            return None
        why = f" here: {scorer.unavailable}" if scorer else ""
        known = ", ".join(info.name for info in describe())
        raise UsageError(f"There is no scorer or role “{name}”{why}.", hint=f"Scorers: {known}.")
    if scorer.role in NO_NUMBER and not scorer.labels:
        raise UsageError(f"“{scorer.name}” gives no number that groups can be compared by.", hint="Choose another one.")
    return scorer


def _scores_alone(options: MeasureOptions) -> bool:
    """Are scores asked for and no embedder? Then no text is set against another, nor its words beside words."""
    return "score" in options.scorers and options.scorers.get("embedding", "none") == "none"


def _embedder(options: MeasureOptions) -> list[ScorerInfo]:
    """The embedder, unless none is wanted: who asks for scores alone waits for no embeddings, which take longest."""
    asked = options.scorers.get("embedding")
    if asked == "none" or _scores_alone(options):
        return []
    embedder = best_scorer("embedding", asked)
    return [embedder] if embedder else []


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of texts, scores or outcomes in tables."""
    rows = [dict(record.values) for _, table in read for record in table.rows]
    texts = [row.get("text", "") for row in rows]

    def scored(info: ScorerInfo) -> Scored:
        distinct = list(dict.fromkeys(texts))  # a text that comes again, such as a short answer, is scored once
        _, values, failed = compute.call(score_kept, info.name, distinct, ctx=ctx)
        of = {
            text: (value, failed.get(place)) for place, (text, value) in enumerate(zip(distinct, values, strict=True))
        }
        every = [of[text] for text in texts]
        why = {place: reason for place, (_, reason) in enumerate(every) if reason}
        return [value.values for value, _ in every], [value.summary for value, _ in every], why

    dropped = sum((Counter(table.dropped) for _, table in read), Counter[str]())
    columns = _gathered(rows, scored, options)
    result = compute.call(measure_compared, columns, options.seed, options.margin, ctx=ctx)
    result = replace(
        result, rows=sum(table.total for _, table in read), dropped={**dropped, **result.dropped}
    )  # fmt: skip
    strange = sorted({row["design"] for row in rows if row.get("reads")} - {"", *columns["measures"]})
    notes = [NOT_SHIPPED.format(design=key) for key in strange]
    notes += _of_functions(options)
    numbers = read_numbers("score", [row.get("score", "") for row in rows])
    return result, [*notes, numbers.notice] if numbers.notice else notes


def _of_functions(options: MeasureOptions) -> list[str]:
    """The remarks of the functions that scored, such as on a rubric's flips."""
    asked = map(function_of, options.scorers.get("score", "").split(","))
    return [function.remark for function in asked if function and function.remark]


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's texts. Those of one block, or else of one prompt, are kept together."""
    texts = compared_texts(project, study_id)
    if not texts:
        raise AppError("There is no text to measure yet.", hint="Generate or import texts first.")
    fields = options.regrouped([text.fields for text in texts])
    rows = [
        {**own, "text": text.text, "key": text.prompt, REPLY_KIND: CUT_OFF if text.cut else ""}
        for own, text in zip(fields, texts, strict=True)
    ]
    keys = [text.key for text in texts]

    def scored(info: ScorerInfo) -> Scored:
        if project.read_only:
            _, values, broken = compute.call(score_kept, info.name, [row["text"] for row in rows], ctx=ctx)
            return [value.values for value in values], [value.summary for value in values], broken
        done = score(ctx, project, study_id, info, compute)
        stored_scores = stored_values(project, info)
        sums = stored_summaries(project, info) if info.role != "embedding" else {}
        missing = [at for at, key in enumerate(keys) if key not in stored_scores] if done.failed else []
        only = len(missing) == done.failed  # else some had nothing to score, and which is not known
        why = dict.fromkeys(missing, done.error if only else f"or had nothing to score; the first: {done.error}")
        return [stored_scores.get(key) for key in keys], [sums.get(key) for key in keys], why

    failed, prompts = failures(project, study_id), tuple(text.prompt for text in texts)
    columns = _gathered(rows, scored, options, designs_of(project, study_id))
    columns["missing"] = _missing(project, study_id, options, columns["groups"])
    of_texts = Prepared(
        *called(measure_compared, columns, options.seed, options.margin),
        take=take,
        prompts=prompts,
        units=units_or_prompts(columns["blocks"], prompts),
        texts=len(rows) + sum(failed.values()),
        dropped=failed,
        remarks=tuple(_of_functions(options)),
    )
    return [of_texts]


def _missing(
    project: Project, study_id: int, options: MeasureOptions, groups: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, str]]:
    """Return the groups that were asked for and have no text at all, by what is grouped, and why."""
    failed = list(project.outputs.each(OutputFilter(study_id=study_id, status="error")))
    if not failed:
        return {}
    axes = tuple(project.axes.latest())
    kinds = [reason_of(reply_kind(row)) for row in failed]
    missing: dict[str, dict[str, str]] = {}
    for by, names in groups_of(options.regrouped([columns_of(row, axes) for row in failed])).items():
        for group in sorted(set(names) - {"", *groups.get(by, ())}) if by in groups else ():
            why = Counter(kind for kind, name in zip(kinds, names, strict=True) if name == group)
            reasons = ", ".join(f"{count} × {kind}" for kind, count in why.most_common())
            missing.setdefault(by, {})[group] = f"{group} has no text ({reasons})"
    return missing


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the texts, in the compute process."""
    columns, *rest = args
    new = {place: number for number, place in enumerate(places)}
    scores = [
        (
            info,
            of,
            picked(values, places),
            picked(sums, places),
            {new[at]: why for at, why in failed.items() if at in new},
        )
        for info, of, values, sums, failed in columns["scores"]
    ]
    embedder, vectors = columns["vectors"] or (None, ())
    some = {
        **columns, **taken({name: columns[name] for name in OF_ROWS}, places), "scores": scores,
        "groups": taken(columns["groups"], places), "columns": taken(columns["columns"], places),
        "vectors": (embedder, picked(vectors, places)) if embedder else (),
    }  # fmt: skip
    return some, *rest


OF_ROWS = ("texts", "blocks", "units", "designs", "fields", "cut")


def designs_of(project: Project, study_id: int) -> dict[str, DesignMeasure]:
    """The designs that the study's prompts were made from, by key, as the newest set of each says."""
    designs = [design for row in project.prompts.sets(study_id) if (design := _design_of(row))]
    return {each.key: each for each in designs}


def _design_of(row: PromptSetRow) -> DesignMeasure | None:
    recipe = row.recipe.get("design")
    return None if recipe is None else validated(DesignMeasure, recipe, "The recipe of a prompt set")


def _gathered(
    rows: Sequence[Mapping[str, str]],
    scored: Any,
    options: MeasureOptions,
    designs: Mapping[str, DesignMeasure] | None = None,
) -> dict[str, Any]:
    """Columns as `in_compute` takes them. `scored`: what a scorer says of every text."""
    designs = {**_shipped(rows), **(designs or {})}
    texts = [row.get("text", "") for row in rows]
    of = [row.get("design", "") if row.get("design") in designs else "" for row in rows]
    written = any(text.strip() for text in texts)
    given = [name for name in ("score", "outcome") if any(row.get(name, "").strip() for row in rows)]
    if not written and not given:
        raise AppError("There is nothing to compare.", hint="Map a column as text, score or outcome.")
    wanted = _wanted(set(of), designs, options, given) if written else {}
    scores: list[tuple[Any, ...]] = []
    for info, keys in wanted.items():
        own = function_of(info.name)
        scores.append(_by_function(own, texts, keys) if own else (info, keys, *scored(info)))
    vectors: tuple[Any, ...] = ()
    paired = [row for row, key in zip(rows, of, strict=True) if not key or designs[key].similarity]
    if written and any(_block(row) for row in paired):
        vectors = next(((info.use(), scored(info)[0]) for info in _embedder(options)), ())
    fields = [dict(row) if key else {} for row, key in zip(rows, of, strict=True)]
    return {
        "texts": texts, "blocks": [_block(row) for row in rows], "groups": groups_of(rows),
        "units": [_unit(row) for row in rows], "designs": of, "fields": fields,
        "cut": [is_cut(row) for row in rows],
        "columns": {name: [row.get(name, "").strip() for row in rows] for name in given},
        "scores": scores, "vectors": vectors, "measures": dict(designs), "scores_alone": _scores_alone(options),
    }  # fmt: skip


def _by_function(function: FunctionScorer, texts: Sequence[str], keys: set[str]) -> tuple[Any, ...]:
    """Return the values of a function of the caller's for every text, computed in the caller's process."""
    values, failed = function.score(texts)
    return function.info, keys, [value.values for value in values], [value.summary for value in values], failed


def _shipped(rows: Sequence[Mapping[str, str]]) -> dict[str, DesignMeasure]:
    """The shipped designs that rows of a table are replies to."""
    keys = dict.fromkeys(row.get("design", "") for row in rows if row.get("reads"))
    return {key: design for key in keys if (design := shipped_measure(key))}


def _wanted(
    keys: Collection[str], designs: Mapping[str, DesignMeasure], options: MeasureOptions, given: Sequence[str]
) -> dict[ScorerInfo, set[str]]:
    """The scorers that are asked for, else those of each design and, of other texts, the usual ones; and for which."""
    asked = "score" in options.scorers
    keys_of: dict[ScorerInfo, set[str]] = {}
    for key in keys:
        own = ",".join(designs[key].scorers) if key else ""
        infos = chosen_scorers(options) if asked or (not key and not given) else _named(own) if own else []
        for info in infos:
            keys_of.setdefault(info, set()).add(key)
    return keys_of


def _unit(row: Mapping[str, str]) -> str:
    """Return what samples of one prompt share: its key and text; in a table with samples the block and the groups.

    Of a prompt in several wordings that lets two groups be given words or tasks it is its key in the first.
    """
    if row.get("key"):
        sorted_to_groups = row.get("reads") in ("sorting", "assigning")
        return item_of(row["key"].rpartition(" ")[0]) if sorted_to_groups and row.get(WORDING) else row["key"]
    own = (_block(row), row.get("group", ""), row.get("second_group", ""), row.get("model", ""))
    return "/".join(own) if row.get("sample", "").strip() and own[0] else ""


def _block(row: Mapping[str, str]) -> str:
    """Return what matched texts share: their block, else their prompt."""
    return row.get("block", "").strip() or row.get("prompt", "").strip()


def measure_compared(
    columns: Mapping[str, Any],
    seed: int,
    margin: float | None,
    ctx: JobContext | None = None,
) -> StudyResult:
    """Measure plain columns as the study takes them, the texts of each design separately, in the compute process."""
    embedder, vectors = columns["vectors"] or (None, ())
    embeddings = [None if vector is None or not len(vector) else np.asarray(vector, np.float64) for vector in vectors]
    how: dict[str, Any] = {"seed": seed, "margin": margin, "ctx": ctx}
    results = []
    for key in dict.fromkeys(columns["designs"]):
        places = [place for place, of in enumerate(columns["designs"]) if of == key]

        def own(values: Sequence[Any], places: Sequence[int] = places) -> list[Any]:
            return [values[place] for place in places] if len(values) else []

        measures = [_of_places(each, places) for each in _measures(columns, key)]
        if key:
            replies = Replies(
                own(columns["texts"]), own(columns["fields"]), own(columns["units"]), own(embeddings), embedder
            )
            design = columns["measures"][key]
            if columns["scores_alone"]:
                design = replace(design, similarity=False)
            results.append(measure_design(design, replies, measures, seed=seed, margin=margin, ctx=ctx))
        else:
            groups = {by: own(values) for by, values in columns["groups"].items()}
            table = Compared(
                own(columns["texts"]), groups, own(columns["blocks"]), own(columns["units"]), own(embeddings), embedder,
                missing=columns.get("missing", {}), alike=not columns["scores_alone"],
                company=not columns["scores_alone"],
            )  # fmt: skip
            results.append(measure(table, measures, **how))
    dropped = sum((Counter(result.dropped) for result in results), Counter[str]())
    findings = tuple(finding for result in results for finding in result.findings)
    return StudyResult("compare", len(columns["texts"]), dict(dropped), findings)


def _measures(columns: Mapping[str, Any], key: str) -> "Iterator[Measure]":
    """The columns that are known and the scores that are wanted of the texts of a design, or of the others."""
    for name, cells in columns["columns"].items():
        if name == "score":
            read = read_numbers(name, cells)
            values, why = list(read.values), dict.fromkeys((at for at, cell in enumerate(cells) if cell), read.reason)
        else:
            values = [outcome(cell) for cell in cells]
            why = {at: f"{name} “{cells[at][:40]}” is not understood" for at in range(len(cells)) if cells[at]}
        use = ScorerUse(name, f"column {name}", "as given")
        if not key:
            yield Measure(name, np.array(values), use, why, yes_or_no=name == "outcome")
    for info, wanted, values, sums, failed in columns["scores"]:
        if key in wanted:
            known = list(sums)
            cut = [at for at, is_cut_off in enumerate(columns["cut"]) if is_cut_off] if info.role == LENGTH else []
            for at in cut:
                known[at] = None  # how long it would have become is not known
            yield from _labelled(info, values, known, failed, dict.fromkeys(cut, CUT_WHY))


def _of_places(measure: "Measure", places: Sequence[int]) -> "Measure":
    why = {at: measure.why[place] for at, place in enumerate(places) if place in measure.why}
    return replace(measure, values=measure.values[list(places)], why=why)


def _labelled(
    info: ScorerInfo,
    values: Sequence[Any],
    sums: Sequence[float | None],
    failed: Mapping[int, str],
    none: Mapping[int, str],
) -> "list[Measure]":
    """A measure for each of the scorer's labels; of one without labels the number that sums a text up."""
    why = dict.fromkeys(range(len(values)), f"{info.name} has no value for the text")
    why |= {place: f"{info.name} failed: {reason}" for place, reason in failed.items()}
    why |= none
    rows = [np.zeros(0) if item is None else np.asarray(item, np.float64) for item in values]
    if not info.labels:
        means = np.array([nan if total is None else total for total in sums], dtype=np.float64)
        return [Measure(info.name, means, info.use(), why, yes_or_no=info.yes_or_no)]
    width = max(map(len, rows), default=0)
    called = Path(info.name).stem if info.name.startswith(OWN_WORDS) else info.name  # a list by its name, not its path
    return [
        Measure(f"{called}: {label}", np.array([row[at] if len(row) > at else nan for row in rows]), info.use(), why)
        for at, label in enumerate(info.labels[:width])
    ]


def outcome(cell: str) -> float:
    """Return 1.0 for a cell that says yes, 0.0 for one that says no, NaN for any other."""
    word = cell.casefold()
    return 1.0 if word in YES else 0.0 if word in NO else nan


class CompareWork(OwnWork):
    """Texts of any kind, by any group."""

    needed_by_any = staticmethod(needed)

    def needed(
        self, project: Project | None = None, study_id: int | None = None, set_id: int | None = None
    ) -> Sequence[ScorerInfo]:
        return needed() if project is None or study_id is None else needed_by(project, study_id, set_id)

    of_tables = staticmethod(of_tables)
    prepared = staticmethod(prepared)
    simulated = staticmethod(compare_trial)
