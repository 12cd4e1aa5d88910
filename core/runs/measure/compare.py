"""Any score by any group, gathered from a project or tables, scored, and measured in the compute process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.compute import ComputeProcess, calls
from core.errors import AppError, UsageError
from core.findings import ScorerUse, StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import TextKey
from core.project.stores.runs import OutputFilter
from core.runs.score import score
from core.runs.values import failures, stored_summaries, stored_values
from core.scorers.choosing import best_scorer
from core.scorers.lexicon import OWN_WORDS
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import describe, info_of
from core.studies.study import MeasureOptions
from core.tables.rows import TableRead

if TYPE_CHECKING:
    from core.studies.compare.measure import Measure

CHOICES: tuple[str, ...] = ("score", "embedding")
AXES = False
MARGIN = True
GROUPABLE = ("group", "second_group", "block")
# Where nobody chooses: by role, what can be read of any text at once.
DEFAULT = ("sentiment", "length", "reading_ease", "refusal", "regard", "toxicity")
YES = frozenset(("yes", "y", "true", "1", "1.0", "invited", "selected", "accepted", "hired", "approved"))
NO = frozenset(("no", "n", "false", "0", "0.0", "rejected", "declined", "not selected", "denied"))
NO_NUMBER = ("embedding", "entailment", "parts_of_speech", "lexicon", "success")
CROSSED = " × "
Scored = tuple[Sequence[Any], Sequence[float | None], Mapping[int, str]]  # values, summaries, why there is none


def needed() -> list[ScorerInfo]:
    return [*chosen_scorers(MeasureOptions()), *_embedder(MeasureOptions())]


def kind_of(path: Path, mapping: Mapping[str, str]) -> str:
    return "compare"


def chosen_scorers(options: MeasureOptions) -> list[ScorerInfo]:
    """The scorers of `score`: names or roles, with commas between; a word list as words:PATH. Raises `UsageError`."""
    asked = [name.strip() for name in options.scorers.get("score", "").split(",") if name.strip()]
    return [info for name in asked or DEFAULT if (info := _scorer(name, must=bool(asked)))]


def _scorer(name: str, *, must: bool) -> ScorerInfo | None:
    if name.startswith(OWN_WORDS):
        return info_of(OWN_WORDS + str(Path(name.removeprefix(OWN_WORDS)).expanduser().resolve()))
    known = {info.name: info for info in describe()}
    found = known.get(name) or best_scorer(name)
    if found is None or found.unavailable:
        if not must:
            return None
        why = f" here: {found.unavailable}" if found else ""
        raise UsageError(f"There is no scorer or role “{name}”{why}.", hint=f"Scorers: {', '.join(known)}.")
    if found.role in NO_NUMBER and not found.labels:
        raise UsageError(f"“{found.name}” gives no number that groups can be compared by.", hint="Choose another one.")
    return found


def _embedder(options: MeasureOptions) -> list[ScorerInfo]:
    found = best_scorer("embedding", options.scorers.get("embedding"))
    return [found] if found else []


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of texts, scores or outcomes in tables."""
    rows = [dict(record.values) for _, table in read for record in table.rows]
    texts = [row.get("text", "") for row in rows]

    def scored(info: ScorerInfo) -> Scored:
        _, values, failed = compute.call(calls.score_each, info.name, texts, ctx=ctx)
        return [value.values for value in values], [value.summary for value in values], failed

    dropped = sum((Counter(table.dropped) for _, table in read), Counter[str]())
    result = _measured(ctx, rows, scored, options, compute)
    result = replace(
        result, rows=sum(table.total for _, table in read), dropped={**dropped, **result.dropped}
    )  # fmt: skip
    return result, []


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's texts, scoring first what is not scored yet."""
    outputs = list(project.outputs.each(OutputFilter(study_id=study_id, status="done")))
    if not outputs:
        raise AppError("There is no text to measure yet.", hint="Generate or import texts first.")
    fields = options.regrouped([{"group": row.identity, "block": "", **row.fields} for row in outputs])
    rows = [{**own, "text": row.text, "model": row.model} for own, row in zip(fields, outputs, strict=True)]

    def scored(info: ScorerInfo) -> Scored:
        if project.read_only:
            _, values, broken = compute.call(calls.score_each, info.name, [row["text"] for row in rows], ctx=ctx)
            return [value.values for value in values], [value.summary for value in values], broken
        done = score(ctx, project, study_id, info, compute)
        kept = stored_values(project, info)
        sums = stored_summaries(project, info) if info.role != "embedding" else {}
        missing = [at for at, row in enumerate(outputs) if ("output", row.id) not in kept] if done.failed else []
        only = len(missing) == done.failed  # else some had nothing to score, and which is not known
        why = dict.fromkeys(missing, done.error if only else f"or had nothing to score; the first: {done.error}")
        keys: list[TextKey] = [("output", row.id) for row in outputs]
        return [kept.get(key) for key in keys], [sums.get(key) for key in keys], why

    failed = failures(project, study_id)
    result = _measured(ctx, rows, scored, options, compute)
    return replace(result, rows=len(rows) + sum(failed.values()), dropped={**result.dropped, **failed}), []


def _measured(
    ctx: JobContext, rows: Sequence[Mapping[str, str]], scored: Any, options: MeasureOptions, compute: ComputeProcess
) -> StudyResult:
    texts = [row.get("text", "") for row in rows]
    written = any(text.strip() for text in texts)
    given = [name for name in ("score", "outcome") if any(row.get(name, "").strip() for row in rows)]
    if not written and not given:
        raise AppError("There is nothing to compare.", hint="Map a column as text, score or outcome.")
    asked = "score" in options.scorers
    infos = chosen_scorers(options) if written and (asked or not given) else []
    scores = [(info, *scored(info)) for info in infos]
    vectors: tuple[Any, ...] = ()
    if written and any(_block(row) for row in rows):
        vectors = next(((info.use(), scored(info)[0]) for info in _embedder(options)), ())
    columns = {
        "texts": texts, "blocks": [_block(row) for row in rows], "groups": _groups(rows),
        "columns": {name: [row.get(name, "").strip() for row in rows] for name in given},
        "scores": scores, "vectors": vectors,
    }  # fmt: skip
    result: StudyResult = compute.call(calls.measure_compared, columns, options.seed, options.margin, ctx=ctx)
    return result


def _block(row: Mapping[str, str]) -> str:
    """What matched texts share: their block, else their prompt."""
    return row.get("block", "").strip() or row.get("prompt", "").strip()


def _groups(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """By what is compared: the group; where there is a second one also that, and both crossed."""
    first = [row.get("group", "").strip() for row in rows]
    second = [row.get("second_group", "").strip() for row in rows]
    if not any(second):
        return {"group": first}
    crossed = [f"{one}{CROSSED}{other}" if one and other else "" for one, other in zip(first, second, strict=True)]
    return {"group": first, "second_group": second, "intersection": crossed}


def in_compute(
    columns: Mapping[str, Any], seed: int, margin: float | None, ctx: JobContext | None = None
) -> StudyResult:
    """In the compute process: plain columns as the study takes them."""
    import numpy as np

    from core.studies.compare.measure import Compared, Measure, measure

    measures: list[Measure] = []
    for name, cells in columns["columns"].items():
        values = [_number(cell) if name == "score" else _outcome(cell) for cell in cells]
        why = {at: f"{name} “{cells[at][:40]}” is not understood" for at in range(len(cells)) if cells[at]}
        measures.append(Measure(name, np.array(values), ScorerUse(name, f"column {name}", "as given"), why))
    for info, values, sums, failed in columns["scores"]:
        measures += _labelled(info, values, sums, failed)
    embedder, vectors = columns["vectors"] or (None, ())
    embeddings = [None if one is None or not len(one) else np.asarray(one, np.float64) for one in vectors]
    table = Compared(columns["texts"], columns["groups"], columns["blocks"], embeddings, embedder)
    return measure(table, measures, seed=seed, margin=margin, ctx=ctx)


def _labelled(
    info: ScorerInfo, values: Sequence[Any], sums: Sequence[float | None], failed: Mapping[int, str]
) -> "list[Measure]":
    """A measure for each of the scorer's labels; of one without labels the number that sums a text up."""
    import numpy as np

    from core.studies.compare.measure import Measure

    why = dict.fromkeys(range(len(values)), f"{info.name} has no value for the text")
    why |= {place: f"{info.name} failed: {reason}" for place, reason in failed.items()}
    rows = [np.zeros(0) if one is None else np.asarray(one, np.float64) for one in values]
    if not info.labels:
        means = np.array([nan if one is None else one for one in sums], dtype=np.float64)
        return [Measure(info.name, means, info.use(), why)]
    width = max(map(len, rows), default=0)
    return [
        Measure(f"{info.name}: {label}", np.array([row[at] if len(row) > at else nan for row in rows]), info.use(), why)
        for at, label in enumerate(info.labels[:width])
    ]


def _number(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        return nan
    return value if isfinite(value) else nan


def _outcome(cell: str) -> float:
    word = cell.casefold()
    return 1.0 if word in YES else 0.0 if word in NO else nan
