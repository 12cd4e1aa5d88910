"""Bringing in evaluation_*.xlsx of the creativity paper's own program: a model's choices among the texts of raw.xlsx.

The raw.xlsx in the same folder is imported with it, so that each choice is of texts that are in the project. See
core/tables/formats/kumar.py for what the files hold.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings, texts_digest
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, OutputRow, PlanRow
from biasprint.core.project.specs import ComparisonSpec, JudgmentSpec, PlanSpec, RaterSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.comparator import StoredJudgments
from biasprint.core.runs.judge import LONGEST_REPLY
from biasprint.core.runs.setup import import_table, study_of
from biasprint.core.tables.formats import read_format
from biasprint.core.tables.formats.kumar import FORMAT, RAW, REFUSED, Choice, Evaluation, read_evaluation
from biasprint.core.tables.rows import TableRead
from biasprint.core.text import sha256_text

Shown = tuple[Choice, tuple[str, ...]]  # a choice and the texts of its cards, in their order
TextOf = Mapping[tuple[str, str, int], str]  # theme, identity and sample → text
FAMILY = "evaluation of the creativity paper's program"
ONE_ORDER = (
    "The program showed the cards in one order, such as man, woman, non-binary: "
    "a preference for an identity cannot be told from one for a place."
)


@dataclass(frozen=True)
class StoredEvaluation(StoredJudgments):
    """The result of the import, with so many texts that are new."""

    texts: int


def store_evaluation(ctx: JobContext, project: Project, path: Path) -> StoredEvaluation:
    """Import an evaluation and the texts it is of. The same file a second time adds nothing.

    Raises `AppError` before anything is stored where one of the two files is not as the program writes it.
    """
    raw_path = path.with_name(RAW)
    evaluation = read_evaluation(path, ctx)
    if not raw_path.exists():
        hint = "Put both files in one folder, as the program does."
        raise AppError(f"There is no “{RAW}” beside “{path.name}”.", kept=REFUSED, hint=hint)
    raw = read_format(raw_path, FORMAT.name, ctx=ctx)
    left_out: Counter[str] = Counter()
    shown = _joined(evaluation, raw, left_out)
    if not shown:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in left_out.items())
        raise AppError(f"No choice of “{path.name}” is of texts in “{RAW}”: {reasons}.", kept=REFUSED)
    texts = import_table(ctx, project, None, "creativity", raw_path, raw).added
    values = raw.rows[0].values
    title = f"{FAMILY}: {values['task']} {values['model'][:60]} {evaluation.judge[:60]} {_digest(path, raw_path)}"
    plan = next((row for row in project.judging.plans() if row.title == title), None)
    if plan is None:
        plan = _store_plan(project, title, shown, values["task"], values["model"])
    session = project.judging.open_session(plan.id, _rater(project, evaluation.judge)).uuid("session")
    added = _record(ctx, project, plan, session, shown)
    project.judging.reveal(session)
    return StoredEvaluation(plan.id, len(shown), added, (evaluation.judge,), dict(left_out), texts)


def _joined(evaluation: Evaluation, raw: TableRead, left_out: Counter[str]) -> list[Shown]:
    """The choices whose texts are all there and are those that the judge was shown; others are counted by reason."""
    text_of: TextOf = {
        (row.values["theme"], row.values["identity"], int(row.values["sample"])): row.values["text"] for row in raw.rows
    }
    identities = {identity for _, identity, _ in text_of}
    shown = []
    for choice in evaluation.choices:
        if missing := [card for card in choice.cards if card not in identities]:
            raise AppError(
                f"The evaluation is of texts for {', '.join(missing)}, of whom “{RAW}” has none.",
                kept=REFUSED,
                hint=f"Put the {RAW} beside it that the judge was shown.",
            )
        texts = [text_of.get((choice.theme, card, choice.sample)) for card in choice.cards]
        there = tuple(text for text in texts if text is not None)
        if len(there) < len(texts):
            left_out[f"{RAW} lacks a text of this theme"] += 1
        elif not _was_shown(choice, there):
            left_out[f"the judge was shown other texts than {RAW} has"] += 1
        else:
            shown.append((choice, there))
    return shown


def _was_shown(choice: Choice, texts: tuple[str, ...]) -> bool:
    """True if the prompt holds the texts, whatever its blanks; also where no prompt was kept."""
    prompt = " ".join(choice.prompt.split())
    return not prompt or all(" ".join(text.split()) in prompt for text in texts)


def _store_plan(project: Project, title: str, shown: list[Shown], task: str, model: str) -> PlanRow:
    study = study_of(project, "creativity")
    of_identity: dict[tuple[str, str, str], OutputRow] = {
        (row.theme, row.identity, row.text): row
        for row in project.outputs.each(OutputFilter(study_id=study.id, task=task, status="done"))
        if row.backend == "imported" and row.model == model
    }
    specs, axes = [], []
    for position, (choice, texts) in enumerate(shown):
        cards = zip(choice.cards, texts, strict=True)
        outputs = [of_identity[choice.theme, identity, text] for identity, text in cards]
        axes.append(outputs[0].axis)  # as the project calls it
        items = tuple(ComparisonItem(row.id, row.identity) for row in outputs)
        digest = texts_digest(sha256_text(text) for text in texts)
        specs.append(
            ComparisonSpec(
                position=position, axis=axes[-1], task=task, theme=choice.theme, items=items, texts_sha256=digest
            )
        )
    axis = "+".join(dict.fromkeys(axes))
    plan = PlanSpec(study_id=study.id, title=title, axis=axis, seed=0, settings=PlanSettings().stored())
    key = project.judging.add_plan(plan, specs).uuid("plan")
    return next(row for row in project.judging.plans() if row.id == key)


def _rater(project: Project, judge: str) -> str:
    """The id of the model that judged; of one name in several files it is one rater, and nobody else here."""
    background = {"imported": FAMILY, "judge": judge}
    raters = project.judging.raters()
    known = next((row.id for row in raters if row.kind == "model" and row.background == background), None)
    if known is not None:
        return known
    code = judge[:60] if judge[:60] not in {row.code for row in raters} else f"{judge[:60]} (imported)"
    return project.judging.add_rater(RaterSpec(code=code, kind="model", background=background)).uuid("rater")


def _record(ctx: JobContext, project: Project, plan: PlanRow, session: str, shown: list[Shown]) -> int:
    """Add the judgments that are not there yet; how many were added."""
    there = {row.comparison_id for row in project.judging.judgments(session)}
    rows = project.judging.comparisons(plan.id)
    added = 0
    for number, (row, (choice, _)) in enumerate(zip(rows, shown, strict=True), start=1):
        ctx.report(number, len(rows))
        if row.id in there:
            continue
        detail = {
            "reply": choice.reply[:LONGEST_REPLY],
            "read": "choice" if choice.chosen else "unreadable",
            "order": 0,
        }
        project.judging.record(
            JudgmentSpec(
                session_id=session, comparison_id=row.id, outcome="choice" if choice.chosen else "skip",
                chosen=choice.cards.index(choice.chosen) if choice.chosen else None,
                shown=tuple(range(len(choice.cards))), texts_sha256=row.texts_sha256, active_seconds=0.0, detail=detail,
            )
        )  # fmt: skip
        added += 1
    return added


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]
