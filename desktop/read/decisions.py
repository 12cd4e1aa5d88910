"""Conflicts, unfinished packets and disagreements for the raters panel: read in a job, frozen."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import Disagreement, disagreements, neutral_order
from biasprint.core.judging.packets.decisions import (
    Conflict,
    PacketState,
    SeatsToDecide,
    conflicts,
    packets,
    seats_to_decide,
)
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TableRow
from biasprint.desktop.widgets.words import number
from biasprint.desktop.wording import raters as words
from biasprint.desktop.wording.generators import Titles, read_titles

UNFINISHED = ("away", "partly")


@dataclass(frozen=True)
class ConflictLine:
    """Two or more answers of one rater to one comparison. `hidden`: its session is not revealed, so it is not shown.

    `order`: item indexes in the order of the cards A, B, C.
    """

    conflict: Conflict
    comparison: ComparisonRow
    title: str
    order: tuple[int, ...]
    hidden: bool

    @property
    def key(self) -> str:
        return f"{self.conflict.session_id}/{self.conflict.comparison_id}"


@dataclass(frozen=True)
class DecisionsData:
    """The decisions. `unfinished`: packets with answers that nobody finished. `seats`: workshops' differing copies."""

    conflicts: tuple[ConflictLine, ...]
    unfinished: tuple[PacketState, ...]
    titles: Titles
    seats: tuple[SeatsToDecide, ...] = ()


@dataclass(frozen=True)
class AdjudicationData:
    """The disagreements. `rows`: of the list, by comparison; made in the job, as there can be thousands."""

    disagreements: tuple[Disagreement, ...]
    rows: Mapping[str, TableRow]
    titles: Titles
    several: bool  # two people or more have finished one plan, so that they could disagree at all


def read_decisions(ctx: JobContext, project: Project) -> DecisionsData:
    """Read conflicts and unfinished packets for the coordinator. For a workshop only the number of waiting seats."""
    found_conflicts, titles = conflicts(project), read_titles(project)
    sessions = {row.id: row for row in project.judging.sessions()}
    plans = {sessions[conflict.session_id].plan_id for conflict in found_conflicts}
    rows = comparisons_of(ctx, project, plans, {conflict.comparison_id for conflict in found_conflicts})
    lines = []
    for conflict in found_conflicts:
        row = rows[conflict.comparison_id]
        hidden = sessions[conflict.session_id].revealed_at is None
        order = neutral_order(row.id, len(row.items))
        lines.append(ConflictLine(conflict, row, titles.about(row.task, row.theme), order, hidden))
    states = packets(project)
    unfinished = tuple(packet for packet in states if packet.state in UNFINISHED and packet.answered + packet.skipped)
    return DecisionsData(tuple(lines), unfinished, titles, seats_to_decide(project))


def comparisons_of(
    ctx: JobContext, project: Project, plans: Iterable[str], wanted: set[str]
) -> Mapping[str, ComparisonRow]:
    """Read the comparisons with these ids, of these plans."""
    comparisons: dict[str, ComparisonRow] = {}
    for plan in plans:
        ctx.check()
        comparisons |= {row.id: row for row in project.judging.each_comparison(plan) if row.id in wanted}
    return comparisons


def read_adjudication(ctx: JobContext, project: Project) -> AdjudicationData:
    """Read the comparisons people disagree on, the most split first."""
    people = {row.id for row in project.judging.raters() if row.kind == "person"}
    finished = Counter(
        row.plan_id for row in project.judging.sessions() if row.revealed_at is not None and row.rater_id in people
    )
    ctx.check()
    found_disagreements, titles = disagreements(project), read_titles(project)
    rows = {disagreement.comparison.id: _row(disagreement, titles) for disagreement in found_disagreements}
    return AdjudicationData(found_disagreements, rows, titles, any(n > 1 for n in finished.values()))


def read_texts(ctx: JobContext, project: Project, comparison: ComparisonRow, order: tuple[int, ...]) -> list[str]:
    """Read the texts of a comparison in this order."""
    texts = project.texts(item.key for item in comparison.items)
    return [texts.get(comparison.items[index].key, "") for index in order]


def identity_names(comparison: ComparisonRow, order: tuple[int, ...], titles: Titles) -> list[str]:
    """Return the identity of each text, in this order; a model's name or an origin where those are what differs."""
    keys = [comparison.items[index].identity for index in order]
    return [titles.identities.get((comparison.axis, key), key) for key in keys]


def _row(one: Disagreement, titles: Titles) -> TableRow:
    comparison, decided = one.comparison, one.adjudication
    verdict = words.outcome_words(decided.outcome, decided.chosen, one.order) if decided else words.NOTHING
    outcomes = words.counted_outcomes([(each.outcome, each.chosen) for each in one.judgments], one.order)
    return TableRow(
        comparison.id,
        (
            safe_line(titles.about(comparison.task, comparison.theme)),
            safe_line(titles.axes.get(comparison.axis, comparison.axis)),
            outcomes,
            number(len(one.judgments)),
            verdict,
        ),
    )
