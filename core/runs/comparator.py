"""LLM Comparator's format: judgments of two texts side by side, out to its viewer, and in from its files.

The viewer shows two “models”; here those are two identities, models or origins that were compared. A file has the pairs
of texts with a score from the first one's side (positive: A is better) and what each rater said, which is +1, 0 or −1
for people. Format: https://github.com/PAIR-code/llm-comparator (read 2026-11; tried with its package 0.1).
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.given import MISFIT
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import CHECK, MODEL, PlanSettings, texts_digest
from biasprint.core.judging.wording import shipped_wording
from biasprint.core.machine.files import write_whole
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ALONE, ComparisonItem, ComparisonRow, PlanRow
from biasprint.core.project.specs import ComparisonSpec, JudgmentSpec, PlanSpec, PromptSpec, RaterSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.setup import added_study
from biasprint.core.studies.kit.importing import ImportedText, store_outputs
from biasprint.core.text import sha256_text
from biasprint.core.texts.exporting import judgment_rows

FORMAT = "llm_comparator"  # how the command line calls it
BETTER = 1.0  # the viewer's own scale ends at ±1.5: “much better”
LARGEST = 256 * 2**20  # bytes of a file that is read
JUDGE = "judge"  # whose scores they are where a file names nobody
LABELS = {1: "A is better", -1: "B is better", 0: "same"}
SCHEMA = [
    {"name": "comparison", "type": "string"},
    {"name": "axis", "type": "category"},
    {"name": "task", "type": "category"},
    {"name": "words", "type": "per_model_number"},
    {"name": "rater", "type": "per_rating_string"},
]

Given = tuple[str, str, tuple[int, ...], str]  # a judgment's session, comparison, order of cards and note
Pair = tuple[str, str, str]  # an axis, and the two identities


# ---- Export


@dataclass(frozen=True)
class ComparatorFile:
    """A file that was written: the two that it compares, its examples, and how many answers have no place in it."""

    path: Path
    pair: tuple[str, str]
    examples: int
    ratings: int
    left_out: Mapping[str, int]


def write_comparator(
    ctx: JobContext, project: Project, path: Path, *, study: str | None = None
) -> tuple[ComparatorFile, ...]:
    """Write the judgments of revealed sessions: one file for each pair that was compared, at `path` where it is one.

    Of three cards each pair is an example: a choice prefers one to both others, and does not compare those two. Raises
    AppError where there is nothing to write, or it cannot be written.
    """
    kinds = {row.id for row in project.studies.all() if study in (None, row.kind)}
    judgments: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for judgment in judgment_rows(project, kinds):
        ctx.check()
        if not judgment["excluded"]:
            judgments[judgment["comparison"]].append(judgment)
    pairs: dict[Pair, list[tuple[ComparisonRow, int, int]]] = defaultdict(list)
    for plan in project.judging.plans():
        for row in project.judging.comparisons(plan.id) if plan.study_id in kinds else ():
            if row.repeat_of is None and row.axis != CHECK and row.id in judgments:
                for first, second in combinations(range(len(row.items)), 2):
                    pairs[row.axis, row.items[first].identity, row.items[second].identity].append((row, first, second))
    if not pairs:
        raise AppError("There are no judgments to write yet.", hint="Sessions count from their reveal on.")
    return tuple(
        _write(project, path if len(pairs) == 1 else _path_of_pair(path, pair), pair, rows, judgments)
        for pair, rows in sorted(pairs.items())
    )


def _path_of_pair(path: Path, pair: Pair) -> Path:
    safe = "-".join("".join(sign if sign.isalnum() else "_" for sign in name) for name in pair[1:])
    return path.with_name(f"{path.stem}-{safe}{path.suffix}")


def _write(
    project: Project,
    path: Path,
    pair: Pair,
    rows: Sequence[tuple[ComparisonRow, int, int]],
    judgments: Mapping[str, Sequence[Mapping[str, Any]]],
) -> ComparatorFile:
    left_out: Counter[str] = Counter()
    examples = [_example(project, row, (first, second), judgments[row.id], left_out) for row, first, second in rows]
    content = {
        "metadata": {"source_path": f"Biasprint: {pair[0]}", "custom_fields_schema": SCHEMA},
        "models": [{"name": name} for name in pair[1:]],
        "examples": examples,
    }
    text = json.dumps(content, ensure_ascii=True, indent=1)  # a lone surrogate stays an escape
    write_whole(path, text.encode("ascii"))
    ratings = sum(len(example["individual_rater_scores"]) for example in examples)
    return ComparatorFile(path, pair[1:], len(examples), ratings, dict(left_out))


def _example(
    project: Project,
    row: ComparisonRow,
    cards: tuple[int, int],
    judgments: Sequence[Mapping[str, Any]],
    left_out: Counter[str],
) -> dict[str, Any]:
    items = [row.items[card] for card in cards]
    names = [item.identity for item in items]
    texts = project.texts([item.key for item in items])
    shown = [texts[item.key] for item in items]
    ratings = []
    for rating in judgments:
        if rating["seen"] or rating["excluded"] or rating["recommended"] not in ("", ALONE):
            left_out["it does not count in findings either"] += 1
            continue
        if rating["outcome"] == "tie":
            sign = 0
        elif rating["chosen"] in names:
            sign = 1 if rating["chosen"] == names[0] else -1
        else:
            left_out["none of the two was chosen"] += 1
            continue
        order = str(rating["shown"]).split("|")
        ratings.append(
            {
                "score": sign * BETTER,
                "rating_label": LABELS[sign],
                "is_flipped": order.index(names[1]) < order.index(names[0]),
                "rationale": rating["note"],
                "custom_fields": {"rater": rating["rater"], "rater_kind": rating["rater_kind"]},
            }
        )
    return {
        "input_text": shipped_wording().title(row.task, row.theme),
        "tags": [row.task],
        "output_text_a": shown[0],
        "output_text_b": shown[1],
        "score": sum(rating["score"] for rating in ratings) / len(ratings) if ratings else None,
        "individual_rater_scores": ratings,
        "rationale_list": [],
        "custom_fields": {
            "comparison": row.id, "axis": row.axis, "task": row.task, "words": [len(text.split()) for text in shown],
        },
    }  # fmt: skip


# ---- Import


@dataclass(frozen=True)
class ComparatorRating:
    """One rater's answer to one example: +1, 0 or −1 from A's side."""

    rater: str
    person: bool
    sign: int
    flipped: bool
    note: str


@dataclass(frozen=True)
class ComparatorExample:
    prompt: str
    task: str
    texts: tuple[str, str]
    ratings: tuple[ComparatorRating, ...]


@dataclass
class ComparatorRead:
    """A file that was read. `left_out`: examples and ratings that cannot be used, by reason."""

    models: tuple[str, str]
    examples: list[ComparatorExample] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class StoredJudgments:
    """The result of an import of judgments: a plan with so many comparisons, judgments that are new, and raters."""

    plan_id: str
    comparisons: int
    judgments: int
    raters: tuple[str, ...]
    left_out: Mapping[str, int]


def read_comparator(path: Path) -> ComparatorRead:
    """Read a file. Raises AppError, in a sentence, for whatever is not of the format."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise _no_comparator(path, "it is no file, or too large")
        data = json.loads(path.read_bytes())
        first, second = (str(entry["name"]).replace("|", "/") for entry in data["models"])
        if first == second or not first or not second:
            raise _no_comparator(path, "its two models have one name")
        result = ComparatorRead((first, second))
        for entry in data["examples"]:
            _take(entry, result)
    except (OSError, *MISFIT) as error:
        raise _no_comparator(path, "it lacks models or examples, or is damaged") from error
    if not result.examples:
        raise _no_comparator(path, "it has no example with two texts and a score")
    return result


def _no_comparator(path: Path, why: str) -> AppError:
    return AppError(
        f"“{path.name}” is not of LLM Comparator's format: {why}.", kept="Nothing was imported.",
        hint="The format has models (two names) and examples (input_text, output_text_a, output_text_b, score).",
    )  # fmt: skip


def _take(example: Mapping[str, Any], result: ComparatorRead) -> None:
    texts = (example["output_text_a"], example["output_text_b"])
    if not all(isinstance(text, str) and text.strip() for text in texts):
        result.left_out["a text is empty, or an image"] += 1
        return
    if texts[0] == texts[1]:
        result.left_out["the two texts are the same"] += 1
        return
    ratings = list(_ratings(example, result))
    if not ratings:
        result.left_out["it has no score"] += 1
        return
    tags = [str(tag) for tag in example.get("tags") or () if str(tag).strip()]
    prompt = example["input_text"] if isinstance(example["input_text"], str) else ""
    task = tags[0][:100] if tags else "prompt"
    result.examples.append(ComparatorExample(prompt, task, (texts[0], texts[1]), tuple(ratings)))


def _ratings(example: Mapping[str, Any], result: ComparatorRead) -> Iterator[ComparatorRating]:
    """Return each rater's rating; where there are no individual ones, the score of the whole."""
    people: set[str] = set()
    given = [rating for rating in example.get("individual_rater_scores") or () if rating.get("score") is not None]
    if not given and example.get("score") is not None:
        yield ComparatorRating(JUDGE, False, _sign(example["score"]), False, "")
    for rating in given:
        own = rating.get("custom_fields") or {}
        # A model that was asked several times is one judge, whatever order it was asked in.
        name, person = str(own.get("rater") or JUDGE), own.get("rater_kind") == "person"
        if person and name in people:
            result.left_out["the rater is in the example twice"] += 1
            continue
        people |= {name} if person else set()
        note = str(rating.get("rationale") or "")
        yield ComparatorRating(name, person, _sign(rating["score"]), bool(rating.get("is_flipped")), note)


def _sign(score: Any) -> int:
    value = float(score)
    return int(value > 0) - int(value < 0)


def store_comparator(ctx: JobContext, project: Project, path: Path) -> StoredJudgments:
    """Import a file: its texts as outputs of two models, a plan that compares them, its raters and judgments.

    The same file a second time goes on where it stopped, or adds nothing. Raises AppError for a file that is no such.
    """
    comparator = read_comparator(path)
    digest = sha256_text(json.dumps([each.texts for each in comparator.examples]) + "".join(comparator.models))[:8]
    origin = f"LLM Comparator: {path.name[:100]} {digest}"
    plan = next((row for row in project.judging.plans() if row.title == origin), None)
    if plan is None:
        plan = _store_plan(ctx, project, origin, comparator)
    rows = project.judging.comparisons(plan.id)
    names = _raters(project, plan, digest, comparator)
    here: Counter[Given] = Counter(
        (judgment.session_id, judgment.comparison_id, judgment.shown, judgment.note)
        for session in set(names.values())
        for judgment in project.judging.judgments(session)
    )
    added = 0
    for number, (row, example) in enumerate(zip(rows, comparator.examples, strict=True), start=1):
        ctx.check()
        added += sum(_record(project, names[each.rater], row, each, here) for each in example.ratings)
        ctx.report(number, len(rows))
    for session in set(names.values()):
        project.judging.reveal(session)
    return StoredJudgments(plan.id, len(rows), added, tuple(sorted(names)), dict(comparator.left_out))


def _store_plan(ctx: JobContext, project: Project, origin: str, comparator: ComparatorRead) -> PlanRow:
    study = project.studies.of_kind("creativity")
    study_id = study.id if study is not None else added_study(project, "creativity")
    seen: Counter[str] = Counter()
    items: list[ImportedText] = []
    for example in comparator.examples:
        key = f"imported/comparator/{sha256_text(example.task + example.prompt)[:32]}"
        prompt = PromptSpec(key=key, text=example.prompt, task=example.task, identity="default")
        items += [
            ImportedText(prompt, model, seen[key], text)
            for model, text in zip(comparator.models, example.texts, strict=True)
        ]
        seen[key] += 1
    store_outputs(ctx, project, study_id, origin, items, "A file of LLM Comparator.")
    outputs = {
        (row.prompt_key, row.sample, row.model, row.text): row.id
        for row in project.outputs.each(OutputFilter(study_id=study_id, status="done"))
        if row.backend == "imported"
    }
    specs = []
    for position, example in enumerate(comparator.examples):
        cards = tuple(
            ComparisonItem(outputs[item.prompt.key, item.sample, item.model, item.text], item.model)
            for item in items[2 * position : 2 * position + 2]
        )
        digest = texts_digest(sha256_text(text) for text in example.texts)
        specs.append(
            ComparisonSpec(position=position, axis=MODEL, task=example.task, theme="", items=cards, texts_sha256=digest)
        )
    settings = PlanSettings(kind="model").stored()
    spec = PlanSpec(study_id=study_id, title=origin, axis=MODEL, seed=0, settings=settings)
    key = project.judging.add_plan(spec, specs).uuid("plan")
    return next(row for row in project.judging.plans() if row.id == key)


def _raters(project: Project, plan: PlanRow, digest: str, comparator: ComparatorRead) -> dict[str, str]:
    """Return each name in the file with its session. The codes are the file's own: nobody is taken for
    somebody here.
    """
    known = {row.code: row.id for row in project.judging.raters()}
    people = {rating.rater: rating.person for example in comparator.examples for rating in example.ratings}
    sessions = {}
    for name, person in people.items():
        code = f"{name[:60]} ({digest})"
        spec = RaterSpec(code=code, kind="person" if person else "model")
        rater = known.get(code) or project.judging.add_rater(spec).uuid("rater")
        sessions[name] = project.judging.open_session(plan.id, rater).uuid("session")
    return sessions


def _record(project: Project, session: str, row: ComparisonRow, rating: ComparatorRating, here: Counter[Given]) -> int:
    """Add a judgment unless it is among those that are here; how many were added."""
    shown = (1, 0) if rating.flipped else (0, 1)
    key = (session, row.id, shown, rating.note)
    if here[key]:
        here[key] -= 1
        return 0
    project.judging.record(
        JudgmentSpec(
            session_id=session, comparison_id=row.id, outcome="choice" if rating.sign else "tie",
            chosen=None if not rating.sign else 0 if rating.sign > 0 else 1, shown=shown, texts_sha256=row.texts_sha256,
            note=rating.note, active_seconds=0.0,
        )
    )  # fmt: skip
    return 1
