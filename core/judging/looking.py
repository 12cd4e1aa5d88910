"""Looking at identities in the middle of rating: whom to ask first, and the record of the look.

While a person's session on this machine is begun and neither revealed nor finished, whatever names the identities of
texts is closed behind one question. Who looks anyway is not stopped: the look is added to every such session (an
annotation, never changed), and the store marks every later judgment of it as seen (`Judging.record`). Measures leave
those out unless they are asked for, and say how many.

The window asks through `biasprint.desktop.gate`, the command line through `biasprint.core.cli.console.open_to_look`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biasprint.core.errors import AppError
from biasprint.core.judging.plan import workshops_among
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.project.stores.judging import LOOK

SEEN = "judged after a look at the identities"  # why a judgment is left out


@dataclass(frozen=True)
class UnfinishedSession:
    """A session whose rater is to be asked before anything names identities."""

    id: str
    code: str
    rater_id: str


def sessions_to_ask(project: Project) -> tuple[UnfinishedSession, ...]:
    """Return people's unfinished sessions on this machine in which nobody has looked yet.

    What is rated in packets is rated elsewhere: who only merges is not asked. A participant of a workshop who left
    never comes back. After the first look there is nothing more to ask: all that follows is marked.
    """
    judging = project.judging
    people = {row.id: row.code for row in judging.raters() if row.kind == "person"}
    workshops = workshops_among(judging.plans())
    unfinished = [row for row in judging.sessions() if row.revealed_at is None and row.opened_at]
    if not unfinished:
        return ()
    away = judging.packet_sessions()
    looked = {row.target for row in project.annotations.of_kind(LOOK)}
    return tuple(
        UnfinishedSession(row.id, people[row.rater_id], row.rater_id)
        for row in unfinished
        if row.rater_id in people and row.plan_id not in workshops and row.id not in away | looked
    )


def refusal_to_show(asked: Sequence[UnfinishedSession], what: str, anyway: str) -> AppError:
    """Return the refusal for whoever asks for `what`; `anyway` says how to look all the same."""
    who = f"{', '.join(name.code for name in asked)} {'is' if len(asked) == 1 else 'are'}"
    return AppError(
        f"{who} in the middle of rating, and “{what}” names the identities.",
        kept="Nothing was shown.",
        hint=f"Look after the reveal; or {anyway}, which is recorded: later answers count as seen.",
    )


def record_look(project: Project, where: str) -> Changes:
    """Write down, in every session to ask, that somebody looked, and `where`: a panel or a command. Then they may."""
    asked = sessions_to_ask(project)
    if asked and project.read_only:
        raise AppError(
            "That you looked could not be written down: the project is open read-only.",
            kept="Nothing was shown.",
            hint="Finish the rating first, or open the project where it can be written to.",
        )
    return project.annotations.add_many(
        [AnnotationSpec(kind=LOOK, target=name.id, rater_id=name.rater_id, value={"where": where}) for name in asked]
    )


def seen_count(project: Project, session_ids: Iterable[str]) -> int:
    """Return how many judgments in force of these sessions were made after a look."""
    rows = (row for key in session_ids for row in project.judging.judgments(key))
    return sum(row.seen and row.outcome != "undone" for row in rows)
