"""Plans, comparisons, raters, sessions, judgments and drafts. Judgments are only ever added."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint.core.errors import AppError
from biasprint.core.project.changes import Changes
from biasprint.core.project.rows import (
    LOOKED,
    ORDER_KEY,
    AnnotationRow,
    ComparisonItem,
    ComparisonRow,
    JudgmentRow,
    PlanRow,
    RaterRow,
    SessionRow,
    Span,
)
from biasprint.core.project.schema import table
from biasprint.core.project.specs import ComparisonSpec, JudgmentSpec, PlanSpec, RaterSpec
from biasprint.core.project.stores.chain import sign_judgment
from biasprint.core.project.stores.common import (
    StorePart,
    canonical_json,
    chunks,
    following,
    insert_one,
    json_list,
    json_object,
    json_sha256,
    made,
    new_secret,
    new_uuid,
    utc_now,
)
from biasprint.core.project.stores.findings import annotation, annotation_row
from biasprint.core.text import without_surrogates

# ---- What a rater says beside an answer

SPANS_FOLLOW = "\x1e"  # in a draft's text: what follows are its marked spans, as JSON


class Remark(NamedTuple):
    """A note, and the words marked as reasons. A draft of it is one text, so that both are written at once."""

    note: str = ""
    spans: tuple[Span, ...] = ()

    def as_draft(self) -> str:
        note = without_surrogates(self.note)
        return note + SPANS_FOLLOW + canonical_json(self.spans) if self.spans or SPANS_FOLLOW in note else note

    @classmethod
    def of_draft(cls, text: str) -> "Remark":
        note, follows, spans = text.rpartition(SPANS_FOLLOW)
        with suppress(ValueError, TypeError):  # a note of an earlier version that holds the sign itself
            if follows:
                return cls(note, tuple((item, start, end) for item, start, end in json_list(spans)))
        return cls(text)


# ---- The judgments in force where files of one packet came back more than once
#
# A row that no other supersedes is a head. Two heads of one comparison in one session come from two copies of a packet:
# with equal answers the smallest (time, id) of the sealed ones is in force, with different ones none is, until the
# coordinator decides. A decision holds only while the heads are among those it names. So the state is a function of the
# rows alone, and the order in which files are merged cannot matter.

DECISION = "decision"
LOOK = "look"  # the kind of the annotation that somebody looked at identities in the middle of a session
Place = tuple[str, str]  # session, comparison


def place_of(row: JudgmentRow) -> Place:
    return (row.session_id, row.comparison_id)


def decision_target(place: Place) -> str:
    """Return the target of a decision's annotation."""
    return "/".join(place)


def contested(heads: Iterable[JudgmentRow]) -> dict[Place, list[JudgmentRow]]:
    """Return the comparisons that have several heads, each with its heads by (time, id)."""
    first: dict[Place, JudgmentRow] = {}
    several: dict[Place, list[JudgmentRow]] = {}
    for row in heads:
        before = first.setdefault(place_of(row), row)
        if before is not row:
            several.setdefault(place_of(row), [before]).append(row)
    return {place: sorted(rows, key=_age) for place, rows in several.items()}


def equal_answers(heads: Sequence[JudgmentRow]) -> bool:
    return len({(row.outcome, row.chosen, row.worst, row.degree) for row in heads}) == 1


def decision_for(heads: Sequence[JudgmentRow], decisions: Iterable[AnnotationRow]) -> AnnotationRow | None:
    """Return the newest decision that names all of these heads and one of them, or none of them, as the one in
    force.
    """
    present = {row.id for row in heads}
    holding = [
        decision
        for decision in decisions
        if present <= set(decision.value["heads"]) and (decision.value["judgment"] or "") in {"", *present}
    ]
    replaced = {decision.supersedes for decision in holding}
    newest = [decision for decision in holding if decision.id not in replaced]
    return max(newest, key=lambda decision: (decision.created_at, decision.id), default=None)


def in_force(
    heads: Sequence[JudgmentRow],
    several: Mapping[Place, Sequence[JudgmentRow]],
    decisions: Mapping[str, Sequence[AnnotationRow]],
) -> tuple[JudgmentRow, ...]:
    """Return the heads that count. `several` are the contested ones among them, `decisions` what was decided, by
    target.
    """
    decided: dict[Place, str | None] = {}
    for place, rows in several.items():
        if equal_answers(rows):
            decided[place] = min(rows, key=lambda row: row.unsealed).id
        else:
            decision = decision_for(rows, decisions.get(decision_target(place), ()))
            decided[place] = None if decision is None else decision.value["judgment"]
    return tuple(row for row in heads if place_of(row) not in decided or decided[place_of(row)] == row.id)


def _age(row: JudgmentRow) -> tuple[str, str]:
    return (row.created_at, row.id)


plan = table("plan")
comparison = table("comparison")
rater = table("rater")
session = table("session")
judgment = table("judgment")
draft = table("draft")
packet = table("packet")

ANSWERS = ("choice", "tie", "none")  # outcomes that say something of the texts; a skip or a withdrawal does not
AT_ONCE = 250  # decisions that are asked for together
HASHED = (
    "id", "session_id", "comparison_id", "outcome", "chosen", "shown", "texts_sha256", "note", "active_seconds",
    "supersedes", "created_at",
)  # fmt: skip


EMPTY = canonical_json({})


class Judging(StorePart):
    def add_plan(self, spec: PlanSpec, comparisons: Sequence[ComparisonSpec]) -> Changes:
        """Store a plan with its comparisons, and a key of its own that its orders of cards are drawn from."""
        plan_id = new_uuid()
        values = spec.model_dump() | {
            "id": plan_id,
            "settings": canonical_json({ORDER_KEY: new_secret(), **spec.settings}),
            "created_at": utc_now(),
        }
        rows = [_comparison_values(plan_id, item) for item in comparisons]

        def write(connection: Connection) -> Changes:
            changes = insert_one(connection, plan, values)
            if rows:
                connection.execute(sa.insert(comparison), rows)
            return changes | Changes.to("comparison", [row["id"] for row in rows])

        return self._writer.write(write, urgent=True)

    def give_key(self, plan_id: str) -> Changes:
        """Store a key for a plan of an earlier version that nobody has begun: orders that somebody has seen stay."""

        def write(connection: Connection) -> Changes:
            row = _plan(connection.execute(sa.select(plan).where(plan.c.id == plan_id)).one())
            begun = sa.select(session.c.id).where(session.c.plan_id == plan_id).limit(1)
            if ORDER_KEY in row.settings or connection.execute(begun).first() is not None:
                return Changes()
            settings = canonical_json({**row.settings, ORDER_KEY: new_secret()})
            connection.execute(sa.update(plan).where(plan.c.id == plan_id).values(settings=settings))
            return Changes.to("plan", [plan_id])

        return self._writer.write(write, urgent=True)

    def add_round(self, plan_id: str, comparisons: Sequence[ComparisonSpec]) -> Changes:
        """Append comparisons to a plan that is drawn in rounds; how many it has then is added to its `rounds`.

        Raises AppError where the plan has grown since they were drawn.
        """
        rows = [_comparison_values(plan_id, item) for item in comparisons]

        def write(connection: Connection) -> Changes:
            row = _plan(connection.execute(sa.select(plan).where(plan.c.id == plan_id)).one())
            number = sa.select(sa.func.count()).where(comparison.c.plan_id == plan_id)
            if connection.execute(number).scalar_one() != min(item.position for item in comparisons):
                raise AppError("The plan has grown meanwhile.", kept="No round was added.", hint="Draw the next round.")
            end = max(item.position for item in comparisons) + 1
            settings = canonical_json({**row.settings, "rounds": [*row.settings["rounds"], end]})
            connection.execute(sa.update(plan).where(plan.c.id == plan_id).values(settings=settings))
            connection.execute(sa.insert(comparison), rows)
            return Changes.to("plan", [plan_id]) | Changes.to("comparison", [item["id"] for item in rows])

        return self._writer.write(write, urgent=True)

    def remove_plan(self, plan_id: str) -> Changes:
        """Delete a plan that nobody began to judge, with its comparisons. Raises AppError once somebody has."""

        def write(connection: Connection) -> Changes:
            begun = sa.select(sa.func.count()).select_from(session).where(session.c.plan_id == plan_id)
            if connection.execute(begun).scalar_one():
                raise AppError(
                    "Somebody has begun to judge this plan, or has a packet of it.", kept="Nothing was deleted.",
                    hint="Give it another name instead.",
                )  # fmt: skip
            mine = sa.select(comparison.c.id).where(comparison.c.plan_id == plan_id)
            ids = [row.id for row in connection.execute(mine)]
            connection.execute(sa.delete(comparison).where(comparison.c.plan_id == plan_id))
            connection.execute(sa.delete(plan).where(plan.c.id == plan_id))
            return Changes.to("plan", [plan_id]) | Changes.to("comparison", ids)

        return self._writer.write(write, urgent=True)

    def plans(self) -> tuple[PlanRow, ...]:
        return self._all(sa.select(plan).order_by(plan.c.created_at, plan.c.id), _plan)

    def count(self, plan_id: str) -> int:
        """Return how many comparisons a plan has."""
        return self._number(sa.select(sa.func.count()).where(comparison.c.plan_id == plan_id))

    def card_counts(self, plan_id: str) -> tuple[int, ...]:
        """Return how many cards the comparisons of a plan show, in ascending order: (3,), or (2, 3) for both."""
        items = comparison.c["items"]
        # SQLite would refuse the whole statement for one damaged row.
        shown = sa.case((sa.func.json_valid(items) == 1, sa.func.json_array_length(items)), else_=0)
        statement = sa.select(shown).where(comparison.c.plan_id == plan_id).distinct().order_by(shown)
        return self._reader.run(lambda connection: tuple(filter(None, connection.execute(statement).scalars())))

    def comparisons(self, plan_id: str) -> tuple[ComparisonRow, ...]:
        """Return a plan's comparisons in their order."""

        def page(after: int, limit: int) -> tuple[ComparisonRow, ...]:
            mine = sa.select(comparison).where(comparison.c.plan_id == plan_id)
            return self._all(following(mine, comparison.c.position, after, limit), _comparison)

        return tuple(chunks(page, lambda row: row.position, first=-1))

    def each_comparison(self, plan_id: str) -> Iterator[ComparisonRow]:
        """Yield a plan's comparisons in their order, and let go of each.

        All at once they would set off garbage collections that halt every thread, the window's too.
        """
        with _no_collection():
            rows = list(self.comparisons(plan_id))
            rows.reverse()
            while rows:
                yield rows.pop()

    def add_rater(self, spec: RaterSpec) -> Changes:
        values = spec.model_dump() | {
            "id": new_uuid(),
            "background": canonical_json(spec.background),
            "created_at": utc_now(),
        }
        return self._insert(rater, values)

    def raters(self) -> tuple[RaterRow, ...]:
        return self._all(sa.select(rater).order_by(rater.c.created_at, rater.c.id), _rater)

    def describe_rater(self, rater_id: str, background: dict[str, Any]) -> Changes:
        """Keep what a rater says about themselves, in place of what they said before."""
        statement = sa.update(rater).where(rater.c.id == rater_id).values(background=canonical_json(background))
        return self._execute(statement, rater, [rater_id])

    def open_session(self, plan_id: str, rater_id: str, consent_text: str = "") -> Changes:
        """Begin a rater's session over a plan; one that is there is resumed."""
        now = utc_now()
        values = {
            "id": new_uuid(),
            "plan_id": plan_id,
            "rater_id": rater_id,
            "consent_text": consent_text,
            "consent_at": now if consent_text else "",
            "opened_at": now,
            "revealed_at": None,
        }
        same = sa.select(session.c.id).where(session.c.plan_id == plan_id, session.c.rater_id == rater_id)

        def write(connection: Connection) -> Changes:
            present = connection.execute(same).scalar()
            return insert_one(connection, session, values) if present is None else Changes.to("session", [present])

        return self._writer.write(write, urgent=True)

    def sessions(self) -> tuple[SessionRow, ...]:
        return self._all(sa.select(session).order_by(session.c.opened_at, session.c.id), _session)

    def reveal(self, session_id: str) -> Changes:
        """End a session: its judgments count from now on and no more are taken."""
        open_one = (session.c.id == session_id) & session.c.revealed_at.is_(None)
        return self._execute(sa.update(session).where(open_one).values(revealed_at=utc_now()), session, [session_id])

    def record(self, spec: JudgmentSpec) -> Changes:
        """Add a judgment, at once and before any job's rows; on disk when this returns.

        It is marked as seen where somebody looked at identities during its session (biasprint.core.judging.looking).
        """
        values = _judgment_values(spec)
        this_draft = (draft.c.session_id == spec.session_id) & (draft.c.comparison_id == spec.comparison_id)

        taken = sa.select(judgment.c.id).where(judgment.c.supersedes == spec.supersedes)
        looked = sa.select(annotation.c.id).where(annotation.c.target == spec.session_id, annotation.c.kind == LOOK)

        def write(connection: Connection) -> Changes:
            revealed = connection.execute(sa.select(session.c.revealed_at).where(session.c.id == spec.session_id)).one()
            if revealed[0] is not None:
                raise AppError(
                    "The session has been revealed: its judgments no longer change.", kept="They are kept as they were."
                )
            # Two rows that go on from one come from two files alone (see packets); here it would be a lost update.
            if spec.supersedes is not None and connection.execute(taken).first() is not None:
                raise AppError("Another judgment took this one's place already.", kept="That one is kept.")
            seen = connection.execute(looked.limit(1)).first() is not None
            added = _seen(values, spec) if seen else values
            connection.execute(sa.insert(judgment).values(added))
            sign_judgment(connection, spec.session_id, added["row_sha256"])
            connection.execute(sa.delete(draft).where(this_draft))
            return Changes({"judgment": frozenset([values["id"]]), "comparison": frozenset([spec.comparison_id])})

        return self._writer.write(write, urgent=True)

    def judgments(self, session_id: str | None = None, *, superseded: bool = False) -> tuple[JudgmentRow, ...]:
        """Return the judgments in force, in sequence; with `superseded` every row that was ever made.

        In a session that is rated in a packet, comparisons whose copies came back with different answers have no
        judgment in force until that is decided (see heads.py).
        """
        later = judgment.alias("later")

        def page(after: int, limit: int) -> tuple[JudgmentRow, ...]:
            statement = sa.select(judgment).where(judgment.c.sequence > after)
            if session_id is not None:
                statement = statement.where(judgment.c.session_id == session_id)
            if not superseded:
                replaced = sa.select(later.c.id).where(later.c.supersedes == judgment.c.id)
                statement = statement.where(~replaced.exists())
            return self._all(statement.order_by(judgment.c.sequence).limit(limit), _judgment)

        rows = tuple(chunks(page, lambda row: row.sequence))
        if superseded:
            return rows
        merged = self.merged_sessions()
        if not merged or (session_id is not None and session_id not in merged):
            return rows
        several = contested(row for row in rows if row.session_id in merged)
        return in_force(rows, several, self.decisions(several)) if several else rows

    def heads(self, session_id: str) -> tuple[JudgmentRow, ...]:
        """Return the rows of a session that no other supersedes, those in conflict too."""
        rows = self.judgments(session_id, superseded=True)
        replaced = {row.supersedes for row in rows}
        return tuple(row for row in rows if row.id not in replaced)

    def decisions(self, several: Mapping[tuple[str, str], Sequence[JudgmentRow]]) -> dict[str, list[AnnotationRow]]:
        """Return the coordinator's decisions on comparisons whose heads differ, by target."""
        targets = [decision_target(place) for place, rows in several.items() if not equal_answers(rows)]
        decisions: dict[str, list[AnnotationRow]] = {}
        for start in range(0, len(targets), AT_ONCE):
            about = annotation.c.target.in_(targets[start : start + AT_ONCE])
            for row in self._all(sa.select(annotation).where(about, annotation.c.kind == DECISION), annotation_row):
                decisions.setdefault(row.target, []).append(row)
        return decisions

    def merged_sessions(self) -> frozenset[str]:
        """Return the sessions of which a packet came back: they alone can hold two answers to one comparison."""
        return self._packet_sessions("merged")

    def packet_sessions(self) -> frozenset[str]:
        """Return the sessions that are rated in packets: nobody opens them here."""
        return self._packet_sessions("made", "merged")

    def is_packet_session(self, session_id: str) -> bool:
        return session_id in self.packet_sessions()

    def _packet_sessions(self, *directions: str) -> frozenset[str]:
        same = (packet.c.plan_id == session.c.plan_id) & (packet.c.rater_id == session.c.rater_id)
        statement = sa.select(session.c.id).join(packet, same).where(packet.c.direction.in_(directions)).distinct()
        return frozenset(row.id for row in self._reader.rows(statement))

    def latest(self, session_id: str, limit: int) -> tuple[JudgmentRow, ...]:
        """Return the last rows of a session, the latest first, superseded ones among them."""
        own = sa.select(judgment).where(judgment.c.session_id == session_id)
        return self._all(own.order_by(judgment.c.sequence.desc()).limit(limit), _judgment)

    def answered_sessions(self) -> frozenset[str]:
        """Return the sessions with an answer in force, as far as the rows tell: a session without one has nothing to
        show.
        """
        later = judgment.alias("later")
        replaced = sa.select(later.c.id).where(later.c.supersedes == judgment.c.id)
        query = sa.select(judgment.c.session_id).where(judgment.c.outcome.in_(ANSWERS), ~replaced.exists()).distinct()
        return frozenset(row.session_id for row in self._reader.rows(query))

    def done_count(self, session_id: str) -> int:
        """Return the comparisons of a session that are judged or skipped, each once however often it was revised."""
        later = judgment.alias("later")
        replaced = sa.select(later.c.id).where(later.c.supersedes == judgment.c.id)
        own = (judgment.c.session_id == session_id) & (judgment.c.outcome != "undone") & ~replaced.exists()
        return self._number(sa.select(sa.func.count(judgment.c.comparison_id.distinct())).where(own))

    def judgment_count(self, session_id: str) -> int:
        return self._number(sa.select(sa.func.count()).where(judgment.c.session_id == session_id))

    def save_draft(self, session_id: str, comparison_id: str, remark: Remark) -> Changes:
        """Keep a note that is being typed, and the words that are marked, until an answer takes them."""
        values = {
            "session_id": session_id,
            "comparison_id": comparison_id,
            "note": remark.as_draft(),
            "updated_at": utc_now(),
        }
        statement = insert(draft).values(values)
        statement = statement.on_conflict_do_update(
            ["session_id", "comparison_id"], set_={"note": values["note"], "updated_at": values["updated_at"]}
        )
        return self._execute(statement, draft, [comparison_id])

    def drafts(self, session_id: str) -> dict[str, Remark]:
        """Return the notes and marked words of a session that no answer has taken yet, by comparison."""
        statement = sa.select(draft.c.comparison_id, draft.c.note).where(draft.c.session_id == session_id)
        return {row.comparison_id: Remark.of_draft(row.note) for row in self._reader.rows(statement)}


@contextmanager
def _no_collection() -> Iterator[None]:
    """Suspend the garbage collector; the rows that are made meanwhile have no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def judgment_sha256(values: dict[str, Any]) -> str:
    """Return the hash that lets `check` notice a changed judgment."""
    # What a model said joined the row in format 2: rows without it keep the hash that they had.
    more = [] if values.get("detail", EMPTY) == EMPTY else [values["detail"]]
    return json_sha256([values[name] for name in HASHED] + more)


def _judgment_values(spec: JudgmentSpec) -> dict[str, Any]:
    values = spec.model_dump() | {
        "id": new_uuid(),
        "shown": canonical_json(spec.shown),
        "note": without_surrogates(spec.note),
        "detail": canonical_json(spec.detail),
        "created_at": utc_now(),
    }
    return values | {"row_sha256": judgment_sha256(values)}


def _seen(values: dict[str, Any], spec: JudgmentSpec) -> dict[str, Any]:
    marked = values | {"detail": canonical_json({**spec.detail, LOOKED: True})}
    return marked | {"row_sha256": judgment_sha256(marked)}


def _comparison_values(plan_id: str, spec: ComparisonSpec) -> dict[str, Any]:
    items = [{item.key[0]: item.key[1], "identity": item.identity} for item in spec.items]
    values = spec.model_dump() | {"plan_id": plan_id, "id": spec.id or new_uuid()}
    return values | {"items": canonical_json(items)}


_plan, _rater, _session = made(PlanRow), made(RaterRow), made(SessionRow)


def _comparison(row: Any) -> ComparisonRow:
    items = tuple(
        ComparisonItem(item.get("output"), item["identity"], item.get("source")) for item in json_list(row.items)
    )
    return ComparisonRow(
        row.id, row.plan_id, row.position, row.axis, row.task, row.theme, items, row.texts_sha256, row.repeat_of
    )


def _judgment(row: Any) -> JudgmentRow:
    return JudgmentRow(
        row.sequence,
        row.id,
        row.session_id,
        row.comparison_id,
        row.outcome,
        row.chosen,
        tuple(json_list(row.shown)),
        row.texts_sha256,
        row.note,
        row.active_seconds,
        row.supersedes,
        row.created_at,
        json_object(row.detail),
    )
