"""Conflicts, unfinished packets and disagreements as the raters panel reads them: in a job, frozen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import disagreements, neutral_order
from biasprint.core.judging.packets.decisions import conflicts, packets, seats_to_decide
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TableRow
from biasprint.desktop.widgets.words import number
from biasprint.desktop.wording import raters as words
from biasprint.desktop.wording.titles import Titles, read_titles

if TYPE_CHECKING:
    from biasprint.core.judging.adjudication import Disagreement
    from biasprint.core.judging.packets.decisions import Conflict, PacketState, SeatsToDecide
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import ComparisonRow

UNFINISHED = ("away", "partly")


@dataclass(frozen=True)
class ConflictLine:
    """Two answers or more of one rater to one comparison. `hidden`: the session is not revealed, so nor is this.

    `order`: item indexes as they stand under A, B, C.
    """

    conflict: "Conflict"
    comparison: "ComparisonRow"
    title: str
    order: tuple[int, ...]
    hidden: bool

    @property
    def key(self) -> str:
        return f"{self.conflict.session_id}/{self.conflict.comparison_id}"


@dataclass(frozen=True)
class DecisionsData:
    """`unfinished`: packets with answers that nobody has finished. `seats`: of workshops, whose copies differ."""

    conflicts: tuple[ConflictLine, ...]
    unfinished: "tuple[PacketState, ...]"
    titles: Titles
    seats: "tuple[SeatsToDecide, ...]" = ()


@dataclass(frozen=True)
class AdjudicationData:
    """`rows`: of the list, by comparison; made where they are read, as there can be thousands."""

    disagreements: "tuple[Disagreement, ...]"
    rows: Mapping[str, TableRow]
    titles: Titles
    several: bool  # two people or more have finished one plan, so that they could disagree at all


def read_decisions(ctx: JobContext, project: "Project") -> DecisionsData:
    """Conflicts and unfinished packets for the coordinator. Of a workshop only how many seats wait is told."""
    found, titles = conflicts(project), read_titles(project)
    sessions = {row.id: row for row in project.judging.sessions()}
    plans = {sessions[one.session_id].plan_id for one in found}
    rows = comparisons_of(ctx, project, plans, {one.comparison_id for one in found})
    lines = []
    for one in found:
        row = rows[one.comparison_id]
        hidden = sessions[one.session_id].revealed_at is None
        order = neutral_order(row.id, len(row.items))
        lines.append(ConflictLine(one, row, titles.about(row.task, row.theme), order, hidden))
    states = packets(project)
    unfinished = tuple(one for one in states if one.state in UNFINISHED and one.answered + one.skipped)
    return DecisionsData(tuple(lines), unfinished, titles, seats_to_decide(project))


def comparisons_of(
    ctx: JobContext, project: "Project", plans: Iterable[str], wanted: set[str]
) -> "Mapping[str, ComparisonRow]":
    """The comparisons with these ids, of these plans."""
    found: dict[str, ComparisonRow] = {}
    for plan in plans:
        ctx.check()
        found |= {row.id: row for row in project.judging.each_comparison(plan) if row.id in wanted}
    return found


def read_adjudication(ctx: JobContext, project: "Project") -> AdjudicationData:
    """The comparisons people disagree on, the most split first."""
    from collections import Counter

    people = {row.id for row in project.judging.raters() if row.kind == "person"}
    finished = Counter(
        row.plan_id for row in project.judging.sessions() if row.revealed_at is not None and row.rater_id in people
    )
    ctx.check()
    found, titles = disagreements(project), read_titles(project)
    rows = {one.comparison.id: _row(one, titles) for one in found}
    return AdjudicationData(found, rows, titles, any(n > 1 for n in finished.values()))


def read_texts(ctx: JobContext, project: "Project", comparison: "ComparisonRow", order: tuple[int, ...]) -> list[str]:
    """The texts of a comparison in this order."""
    texts = project.texts(item.key for item in comparison.items)
    return [texts.get(comparison.items[index].key, "") for index in order]


def identity_names(comparison: "ComparisonRow", order: tuple[int, ...], titles: Titles) -> list[str]:
    """Who each text was written for, in this order; a model's name or an origin where those are what differs."""
    keys = [comparison.items[index].identity for index in order]
    return [titles.identities.get((comparison.axis, key), key) for key in keys]


def _row(one: "Disagreement", titles: Titles) -> TableRow:
    comparison, decided = one.comparison, one.adjudication
    verdict = words.outcome_words(decided.outcome, decided.chosen, one.order) if decided else words.NOTHING
    said = words.counted_outcomes([(each.outcome, each.chosen) for each in one.judgments], one.order)
    return TableRow(
        comparison.id,
        (
            safe_line(titles.about(comparison.task, comparison.theme)),
            safe_line(titles.axes.get(comparison.axis, comparison.axis)),
            said,
            number(len(one.judgments)),
            verdict,
        ),
    )
