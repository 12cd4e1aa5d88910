"""Looking at identities in the middle of rating: whom to ask first, and the record of the look.

While a person's session on this machine is begun and neither revealed nor finished, whatever names the identities of
texts is closed behind one question, in every copy of the project: a backup, say, made before the session began
(`open_ratings`). Who looks anyway is not stopped: the look is added to every such session (an annotation, never
changed), and the store marks every later judgment of it as seen (`Judging.record`). Measures leave those out unless
they are asked for, and say how many. The reveal of another rater leaves out the texts of such a session.

A look before a session began closes nothing and marks no judgment, as whoever wrote the texts has seen them too. It is
a fact that is written into the session, and one of its rater's flags.

The window asks through `biasprint.desktop.gate`, the command line through `biasprint.core.cli.console.open_to_look`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from biasprint.core.errors import AppError
from biasprint.core.judging import open_ratings
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.card_order import secret_of
from biasprint.core.judging.open_ratings import OpenRating
from biasprint.core.judging.plan import PlanSettings, workshops_among
from biasprint.core.project.backup import is_backup
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import SessionRow, TextKey
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.project.stores.judging import LOOK
from biasprint.core.text import sha256_text

SEEN = "judged after a look at the identities"  # why a judgment is left out
GONE = "Where that file is gone, looking ends its session: you are not asked about it again."

LOOKED_BEFORE = "looked before"  # the kind of the annotation that identities were shown before a session began


@dataclass(frozen=True)
class UnfinishedSession:
    """A session whose rater is to be asked before anything names identities. `here`: it is in this file, not in
    another copy of the project, or in a `packet` on this computer. `at`: when it began, as far as it is known.
    """

    id: str
    code: str
    rater_id: str
    plan_id: str
    here: bool = True
    packet: bool = False
    at: str = ""

    @property
    def named(self) -> str:
        """The code, with where the session is, so that one that nobody can finish any more is recognised."""
        if self.here:
            return self.code
        place = "in a packet on this computer" if self.packet else "in another copy of this project"
        return f"{self.code} ({place}, begun {self.at[:10]})"


def project_mark(project: Project) -> str:
    """Return what all copies of a project share, and no other project has: a hash of its first study."""
    first = min(project.studies.all(), key=lambda study: study.id, default=None)
    return "" if first is None else sha256_text(f"{first.id} {first.kind} {first.created_at}")


def packet_mark(plan_id: str) -> str:
    """Return what `open_ratings` keeps for the project of a packet, which knows no more of it than the plan."""
    return f"packet of {plan_id}"


def sessions_to_ask(project: Project) -> tuple[UnfinishedSession, ...]:
    """Return people's unfinished sessions over this project on this machine in which nobody has looked yet.

    A packet is asked for only if it is rated on this machine. A participant of a workshop who left never comes back.
    After the first look there is nothing more to ask: all that follows is marked.
    """
    judging = project.judging
    sessions = judging.sessions()
    known = open_ratings.ratings(project_mark(project))
    looked = {key for key, rating in known.items() if rating.looks}
    own = {row.id for row in sessions}
    elsewhere = [
        UnfinishedSession(key, rating.code, rating.rater, rating.plan, here=False, at=rating.at)
        for key, rating in known.items()
        if key not in own | looked
    ]
    elsewhere += _in_packets(project, {row.id for row in sessions if row.revealed_at is not None})
    unfinished = [row for row in sessions if row.revealed_at is None and row.opened_at]
    if not unfinished:
        return tuple(elsewhere)
    people = {row.id: row.code for row in judging.raters() if row.kind == "person"}
    out = judging.packet_sessions() | looked | {row.target for row in project.annotations.of_kind(LOOK)}
    workshops = workshops_among(judging.plans())
    kept = is_backup(project.path)  # the look goes into the session itself, wherever that is
    here = [
        UnfinishedSession(
            row.id, people[row.rater_id], row.rater_id, row.plan_id, not (kept and row.id in known), at=row.opened_at
        )
        for row in unfinished
        if row.rater_id in people and row.plan_id not in workshops and row.id not in out
    ]
    return (*here, *elsewhere)


def _in_packets(project: Project, ended: Collection[str]) -> list[UnfinishedSession]:
    """Return the sessions of this project's packets that go on on this machine."""
    plans = project.judging.plans()
    workshops = workshops_among(plans)
    return [
        UnfinishedSession(key, rating.code, rating.rater, rating.plan, here=False, packet=True, at=rating.at)
        for plan in plans
        if plan.id not in workshops
        for key, rating in open_ratings.ratings(packet_mark(plan.id)).items()
        if not rating.looks and key not in ended
    ]


def refusal_to_show(asked: Sequence[UnfinishedSession], what: str, anyway: str) -> AppError:
    """Return the refusal for whoever asks for `what`; `anyway` says how to look all the same."""
    who = f"{', '.join(session.named for session in asked)} {'is' if len(asked) == 1 else 'are'}"
    return AppError(
        f"{who} in the middle of rating, and “{what}” names the identities.",
        kept="Nothing was shown.",
        hint=f"Look after the reveal; or {anyway}, which is recorded: later answers count as seen."
        + ("" if all(session.here for session in asked) else f" {GONE}"),
    )


def record_look(project: Project, where: str) -> Changes:
    """Write down, in every session to ask, that somebody looked, and `where`: a panel or a command. Then they may."""
    asked = sessions_to_ask(project)
    here = [session for session in asked if session.here]
    if here and project.read_only:
        raise AppError(
            "That you looked could not be written down: the project is open read-only.",
            kept="Nothing was shown.",
            hint="Finish the rating first, or open the project where it can be written to.",
        )
    changes = _add(project, LOOK, here, {"where": where})
    open_ratings.add_look((session.id for session in asked), where)
    return changes


def note_shown(project: Project, where: str) -> None:
    """Write down that identities are shown here, for the sessions that begin later."""
    open_ratings.looked(project_mark(project), where)


def begin_session(project: Project, session: SessionRow, code: str, *, new: bool) -> None:
    """Write down on this machine that a session begins or goes on, and in a new one what was looked at before.

    A workshop's sessions are nobody's here: none is gone on with.
    """
    if session.plan_id in workshops_among(project.judging.plans()):
        return
    mark = project_mark(project)
    if new and (before := open_ratings.looks(mark)):
        own = UnfinishedSession(session.id, code, session.rater_id, session.plan_id)
        _add(project, LOOKED_BEFORE, [own], {"where": before})
    if session.revealed_at is None:
        rating = OpenRating(mark, session.plan_id, session.rater_id, code, open_ratings.now())
        open_ratings.begin(session.id, rating)


def take_in_looks(project: Project, session_id: str) -> None:
    """Write into a session of this file the looks that somebody took in other copies of the project meanwhile."""
    rating = open_ratings.rating_of(session_id)
    if rating is None or not rating.looks:
        return
    present = {row.value["where"] for row in project.annotations.of_kind(LOOK) if row.target == session_id}
    own = UnfinishedSession(session_id, rating.code, rating.rater, rating.plan)
    for where in rating.looks:
        if where not in present:
            _add(project, LOOK, [own], {"where": where})


def looked_before(project: Project) -> dict[str, dict[str, str]]:
    """Return, by session, where identities were shown on its machine before it began, each with the last time."""
    return {row.target: dict(row.value["where"]) for row in project.annotations.of_kind(LOOKED_BEFORE)}


def texts_at_stake(project: Project, session_id: str) -> tuple[tuple[str, ...], frozenset[TextKey] | None]:
    """Return whom else to ask, and the texts of their sessions: what a reveal of `session_id` must not tell of.

    None for the texts: all of them, as a session is over a plan that this copy of the project does not have.
    """
    others = [session for session in sessions_to_ask(project) if session.id != session_id]
    plans = {row.id: row for row in project.judging.plans()}
    codes = tuple(dict.fromkeys(session.code for session in others))
    if any(session.plan_id not in plans for session in others):
        return codes, None
    texts = set[TextKey]()
    for session in others:
        plan = plans[session.plan_id]
        rows = project.judging.comparisons(plan.id)
        for place in assigned(rows, PlanSettings.of(plan.settings), secret=secret_of(plan), code=session.code):
            texts.update(item.key for item in rows[place].items)
    return codes, frozenset(texts)


def _add(project: Project, kind: str, sessions: Sequence[UnfinishedSession], value: dict[str, object]) -> Changes:
    if not sessions:
        return Changes()
    return project.annotations.add_many(
        [AnnotationSpec(kind=kind, target=each.id, rater_id=each.rater_id, value=value) for each in sessions]
    )


def seen_count(project: Project, session_ids: Iterable[str]) -> int:
    """Return how many judgments in force of these sessions were made after a look."""
    rows = (row for key in session_ids for row in project.judging.judgments(key))
    return sum(row.seen and row.outcome != "undone" for row in rows)
