"""The texts behind a figure of a fingerprint: those that this rater read, with what was said of them."""

from dataclasses import dataclass

from core.jobs import JobContext
from core.judging.plan import keys_of_sets
from core.judging.wording import shipped_wording
from core.project.project import Project
from core.project.rows import ComparisonRow, JudgmentRow, TextKey
from core.runs.fingerprint_rows import asked_rows, compare_set

MOST = 50


@dataclass(frozen=True)
class ReadText:
    """`said`: chosen, not chosen, tie, none, skip."""

    key: TextKey
    title: str
    identity: str
    said: str
    text: str


@dataclass(frozen=True)
class ReadTexts:
    """The first of `total` texts, chosen ones before the others."""

    total: int
    texts: tuple[ReadText, ...]


def texts_read(ctx: JobContext, project: Project, rater_id: str, axis: str, identity: str = "") -> ReadTexts:
    """What this rater read on an axis in revealed sessions; of one identity, where one is named.

    `axis`: as the fingerprint calls it. A model read every text once in each order of the cards: the last one counts.
    """
    sessions = [
        session
        for session in project.judging.sessions()
        if session.rater_id == rater_id and session.revealed_at is not None
    ]
    rows = {plan: asked_rows(project, plan) for plan in dict.fromkeys(session.plan_id for session in sessions)}
    keys = keys_of_sets(compare_set(row) for of_plan in rows.values() for row in of_plan)
    found: list[tuple[str, ComparisonRow, int]] = []
    for session in sessions:
        ctx.check()
        said = {judgment.comparison_id: judgment for judgment in project.judging.judgments(session.id)}
        for row in rows[session.plan_id]:
            if row.id in said and keys[compare_set(row)] == axis:
                places = [place for place, item in enumerate(row.items) if identity in ("", item.identity)]
                found += [(_said(said[row.id], place), row, place) for place in places]
    found.sort(key=lambda one: one[0] != "chosen")
    first = found[:MOST]
    wording = shipped_wording()
    texts = project.texts([row.items[place].key for _, row, place in first])
    return ReadTexts(
        len(found),
        tuple(
            ReadText(item.key, wording.title(row.task, row.theme), item.identity, said, texts.get(item.key, ""))
            for said, row, place in first
            for item in [row.items[place]]
        ),
    )


def _said(judgment: JudgmentRow, place: int) -> str:
    if judgment.outcome != "choice":
        return judgment.outcome
    return "chosen" if judgment.chosen == place else "not chosen"
