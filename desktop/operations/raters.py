"""The work of a coordinator: making and merging packets, deciding conflicts, adjudicating comparisons."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import UNREAD_TEXTS, exclude, include
from biasprint.core.judging.packets.decisions import Conflict, WhichCopy
from biasprint.core.judging.packets.decisions import count_unfinished as count
from biasprint.core.judging.packets.decisions import decide as keep
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.packets.make import MadePacket
from biasprint.core.judging.packets.make import make_packets as make
from biasprint.core.judging.packets.merge import merge_packets as merge
from biasprint.core.judging.plan import rename_plan as rename
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.raters import report_words

if TYPE_CHECKING:
    from biasprint.core.judging.adjudication import Decided
    from biasprint.core.judging.packets.outside import Tool
    from biasprint.core.judging.packets.packet import MergeReport
    from biasprint.core.project.project import Project
    from biasprint.core.project.rows import ComparisonRow
    from biasprint.core.runs.compare.rounds import NextRound

MOST_RATERS = 500
Which = Literal[0, -1] | None  # of the answers by time: the first, the last, or neither
SEPARATORS = re.compile(r"[,;\s]+")


@dataclass(frozen=True)
class Codes:
    """The raters whose packets are made. `trouble` says why none can be; then there are no codes."""

    codes: tuple[str, ...] = ()
    trouble: str = ""


def codes_of(typed: str, taken: Sequence[str]) -> Codes:
    """Read a number of new raters, such as "3", or codes with commas or blanks between them.

    New raters are called R01, R02 …, skipping codes in use. A `taken` code may be typed: it means the same rater.
    """
    wanted = typed.strip()
    if wanted.isdecimal():
        count = int(wanted)
        if not 1 <= count <= MOST_RATERS:
            return Codes(trouble=tr("Between 1 and {most} packets can be made at once.").format(most=MOST_RATERS))
        used = {code.casefold() for code in taken}
        free = (code for n in range(1, count + len(used) + 1) if (code := f"R{n:02d}").casefold() not in used)
        return Codes(tuple(code for code, _ in zip(free, range(count), strict=False)))
    codes = tuple(dict.fromkeys(part for part in SEPARATORS.split(wanted) if part))
    if len(codes) > MOST_RATERS:
        return Codes(trouble=tr("Between 1 and {most} packets can be made at once.").format(most=MOST_RATERS))
    if len({code.casefold() for code in codes}) < len(codes):
        return Codes(trouble=tr("Two codes differ in capitals only: their files would have one name."))
    return Codes(codes)


@operation("Making packets", lambda made: plural(len(made), "1 packet was made.", "%n packets were made."))
def make_packets(
    ctx: JobContext, *, project: "Project", plan_id: str, codes: Sequence[str], folder: Path, tool: "Tool | None" = None
) -> "tuple[MadePacket, ...]":
    """Write one packet for each rater into a folder; with `tool` a folder in that tool's format."""
    if tool is not None:
        return hand_out(ctx, project, tool, plan_id=plan_id, codes=codes, folder=folder)
    return make(ctx, project, plan_id=plan_id, codes=codes, folder=folder)


def merge_packets(*, project: "Project", paths: Sequence[Path], accepted: bool = False) -> "Operation[MergeReport]":
    """Merge returned packets. The files stay as they are, and nothing in the project is overwritten.

    `accepted`: the coordinator has decided to merge files that were skipped for lack of a decision.
    """

    def work(ctx: JobContext) -> "MergeReport":
        return merge(ctx, project, paths, accept_raters=accepted, accept_held=accepted)

    decided = paths if accepted else ()
    return Operation(tr("Merging packets"), work, lambda report: report_words(report, decided))


@operation("Keeping a decision", quiet=True)
def decide(ctx: JobContext, *, project: "Project", conflict: "Conflict", judgment_id: str | None) -> None:
    """Count one of two conflicting answers; None: neither. A new decision replaces the old one."""
    keep(project, conflict, judgment_id)


@operation("Keeping decisions", lambda n: plural(n, "1 conflict was decided.", "%n conflicts were decided."))
def decide_all(ctx: JobContext, *, project: "Project", conflicts: "Sequence[Conflict]", which: Which) -> int:
    """Decide these conflicts alike, one after the other; those decided before a cancellation stay so."""
    for done, conflict in enumerate(conflicts):
        ctx.report(done, len(conflicts))
        keep(project, conflict, None if which is None else conflict.heads[which].id)
    return len(conflicts)


@operation("Keeping decisions", lambda n: plural(n, "1 answer was decided.", "%n answers were decided."))
def decide_seats(ctx: JobContext, *, project: "Project", plan_id: str, which: "WhichCopy") -> int:
    """Decide all undecided answers of a workshop's seats alike."""
    from biasprint.core.judging.packets.decisions import decide_seats as keep

    return keep(project, plan_id, which)


@operation("Counting what came back", "What came back counts from now on.", quiet=True)
def count_what_came(ctx: JobContext, *, project: "Project", session_id: str) -> None:
    """Count the answers of a packet that never came back finished."""
    count(project, session_id)


@operation("Renaming a plan", quiet=True)
def rename_plan(ctx: JobContext, *, project: "Project", plan_id: str, name: str) -> None:
    """Rename a plan."""
    rename(project, plan_id, name)


def next_round(*, project: "Project", plan_id: str, store: bool) -> "Operation[NextRound]":
    """Draw a plan's next round, also while packets are out; `store` False: only say what it would be."""

    def work(ctx: JobContext) -> "NextRound":
        from biasprint.core.runs.compare.rounds import next_round as draw

        return draw(ctx, project, plan_id, anyway=True, store=store)

    def told(drawn: "NextRound") -> str:
        return plural(sum(drawn.comparisons.values()), "%n comparison was added.", "%n comparisons were added.")

    return Operation(tr("Drawing the next round"), work, told if store else "", quiet=not store)


@operation("Deleting a plan", "The plan was deleted.", quiet=True)
def delete_plan(ctx: JobContext, *, project: "Project", plan_id: str) -> None:
    """Delete a plan that nobody has begun to judge."""
    project.judging.remove_plan(plan_id)


def leave_out(*, project: "Project", rater_id: str, reason: str) -> Operation[None]:
    """Exclude a rater from the findings for a reason, or with UNREAD_TEXTS in place of an id the unread answers."""

    who = tr("Unread answers are left out") if rater_id == UNREAD_TEXTS else tr("The rater is left out")
    done = tr("{who}; the findings change once they are measured again.").format(who=who)
    return Operation(tr("Leaving a rater out"), lambda ctx: exclude(project, rater_id, reason), done, quiet=True)


def count_again(*, project: "Project", rater_id: str, reason: str) -> Operation[None]:
    """Include an excluded rater, or the unread answers, again."""

    who = tr("Unread answers count") if rater_id == UNREAD_TEXTS else tr("The rater counts again")
    done = tr("{who}; the findings change once they are measured again.").format(who=who)
    return Operation(tr("Counting a rater again"), lambda ctx: include(project, rater_id, reason), done, quiet=True)


@operation("Keeping an adjudication", quiet=True)
def adjudicate(
    ctx: JobContext,
    *,
    project: "Project",
    comparison: "ComparisonRow",
    outcome: "Decided",
    chosen: int | None,
    note: str,
) -> None:
    """Store an adjudication beside the judgments, which stay as they are."""
    from biasprint.core.judging.adjudication import adjudicate as keep

    keep(project, comparison, outcome, chosen, note)
