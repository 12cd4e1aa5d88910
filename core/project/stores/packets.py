"""Packets: those that were made, the files that came back, and in a packet its own row and seal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint.core.errors import AppError
from biasprint.core.project.changes import Changes
from biasprint.core.project.rows import PacketRow, RaterRow, SessionRow
from biasprint.core.project.schema import table
from biasprint.core.project.stores.chain import sign_seal
from biasprint.core.project.stores.common import StorePart, canonical_json, json_object, json_sha256, utc_now
from biasprint.core.project.stores.findings import annotation
from biasprint.core.project.stores.judging import EMPTY, judgment, rater, session

# ---- Adding the rows of a packet to its coordinator's project: a union, so that neither order nor repetition matters


@dataclass(frozen=True)
class PacketRows:
    """The rows of one file in the coordinator's terms: items instead of cards, with new hashes.

    `rater` is None where the session is known; `background` is the rater's description of themselves. `judgments` and
    `annotations` are whole rows; a row that supersedes another comes after it. `came` notes the file.
    """

    session: SessionRow
    rater: RaterRow | None
    background: Mapping[str, Any]
    judgments: Sequence[dict[str, Any]]
    annotations: Sequence[dict[str, Any]]
    came: PacketRow


def merge_rows(connection: Connection, rows: PacketRows) -> Changes:
    """Add what is not here; what is stays as it is. The keys in the answer are those of the rows that were added."""
    own = rows.session
    if rows.rater is not None:
        values = vars(rows.rater) | {"background": EMPTY}
        connection.execute(insert(rater).values(values).on_conflict_do_nothing(["id"]))
        connection.execute(insert(session).values(vars(own)).on_conflict_do_nothing(["id"]))
    added = {
        "judgment": _add(connection, judgment, rows.judgments, judgment.c.session_id == own.id, "row_sha256"),
        "annotation": _add(connection, annotation, rows.annotations, annotation.c.rater_id == own.rater_id, "value"),
    }
    _stamp(connection, own)
    _describe(connection, own.rater_id, canonical_json(dict(rows.background)))
    values = vars(rows.came) | {"manifest": canonical_json(dict(rows.came.manifest))}
    connection.execute(insert(packet).values(values).on_conflict_do_nothing(["id"]))
    compared = {row["comparison_id"] for row in rows.judgments if row["id"] in added["judgment"]}
    return Changes(
        {
            **{name: frozenset(keys) for name, keys in added.items()},
            "comparison": frozenset(compared),
            "session": frozenset([own.id]),
            "packet": frozenset([rows.came.id]),
            "rater": frozenset([own.rater_id] if rows.rater is not None else []),
        }
    )


def _add(
    connection: Connection, into: sa.Table, rows: Sequence[dict[str, Any]], here: sa.ColumnElement[bool], same: str
) -> set[str]:
    existing = connection.execute(sa.select(into.c.id, into.c[same].label("same")).where(here))
    known: dict[str, str] = {row.id: row.same for row in existing}
    if any(row["id"] in known and known[row["id"]] != row[same] for row in rows):
        raise AppError(
            "A row of the packet is not the one that came with the same key before.",
            kept="None of it was merged.",
            hint="Ask the rater for the file as it was saved; do not count on either without asking.",
        )
    new = [row for row in rows if row["id"] not in known]
    if new:
        connection.execute(sa.insert(into), new)
    return {row["id"] for row in new}


def _stamp(connection: Connection, own: SessionRow) -> None:
    """Store the earliest consent and the earliest end that any file tells of."""
    here = connection.execute(sa.select(session).where(session.c.id == own.id)).one()
    ends = [end for end in (here.revealed_at, own.revealed_at) if end is not None]
    given = [(row.consent_at, row.consent_text) for row in (here, own) if row.consent_at]
    consent_at, consent_text = min(given, default=("", ""))
    values = {"revealed_at": min(ends, default=None), "consent_at": consent_at, "consent_text": consent_text}
    connection.execute(sa.update(session).where(session.c.id == own.id).values(values))


def _describe(connection: Connection, rater_id: str, words: str) -> None:
    """Store a rater's words about themselves where nothing is known; of two copies that differ, always the same one."""
    known = connection.execute(sa.select(rater.c.background).where(rater.c.id == rater_id)).scalar_one()
    background = min({known, words} - {EMPTY}, default=EMPTY)
    if background != known:
        connection.execute(sa.update(rater).where(rater.c.id == rater_id).values(background=background))


packet = table("packet")
ANNOTATION = ("id", "kind", "target", "rater_id", "value", "supersedes", "created_at")
PAGE = 250


@dataclass(frozen=True)
class NewPacket:
    """A packet as its coordinator's project keeps it. Rater and session are there already when it is made again."""

    packet: PacketRow
    rater: RaterRow
    session: SessionRow


class Packets(StorePart):
    def all(self) -> tuple[PacketRow, ...]:
        """Return every packet made and every file merged, in the order of time."""
        return self._all(sa.select(packet).order_by(packet.c.created_at, packet.c.id), _row)

    def register(self, new: NewPacket) -> Changes:
        """Add a packet that was made, with its rater and session where they are new."""

        def write(connection: Connection) -> Changes:
            known = sa.select(session.c.id).where(
                session.c.plan_id == new.session.plan_id, session.c.rater_id == new.rater.id
            )
            if (present := connection.execute(known).scalar()) not in (None, new.session.id):
                raise AppError(f"{new.rater.code} has another session with this plan.", kept="No packet was made.")
            if connection.execute(sa.select(rater.c.id).where(rater.c.id == new.rater.id)).first() is None:
                connection.execute(sa.insert(rater).values(rater_values(new.rater)))
            if present is None:
                connection.execute(sa.insert(session).values(vars(new.session)))
            if connection.execute(sa.select(packet.c.id).where(packet.c.id == new.packet.id)).first() is None:
                connection.execute(sa.insert(packet).values(packet_values(new.packet)))
            return Changes(
                {
                    "packet": frozenset([new.packet.id]),
                    "session": frozenset([new.session.id]),
                    "rater": frozenset([new.rater.id]),
                }
            )

        return self._writer.write(write, urgent=True)

    def merge(self, rows: PacketRows) -> Changes:
        """Add what a packet brought, in one transaction: all of it or nothing. What is here already stays as it is.

        Raises AppError where a row that is here under the same id is another one.
        """
        return self._writer.write(lambda connection: merge_rows(connection, rows))

    # in a packet

    def open_own(self, session_id: str, consent_text: str) -> Changes:
        """Begin the packet's session: when it was opened, and what was agreed to. Once."""
        now = utc_now()
        consent = {"consent_text": consent_text, "consent_at": now if consent_text else ""}

        def write(connection: Connection) -> Changes:
            unopened = (session.c.id == session_id) & (session.c.opened_at == "")
            connection.execute(sa.update(session).where(unopened).values(opened_at=now, **consent))
            return Changes.to("session", [session_id])

        return self._writer.write(write, urgent=True)

    def finish(self, packet_id: str, session_id: str) -> Changes:
        """Lock the packet's session and seal what it holds. A finished one stays as it is."""

        def write(connection: Connection) -> Changes:
            open_one = (session.c.id == session_id) & session.c.revealed_at.is_(None)
            if connection.execute(sa.update(session).where(open_one).values(revealed_at=utc_now())).rowcount:
                _seal(connection, packet_id, session_id)
            return Changes({"session": frozenset([session_id]), "packet": frozenset([packet_id])})

        return self._writer.write(write, urgent=True)

    def judgments_as_stored(self) -> Iterator[dict[str, Any]]:
        """Yield every judgment of the file with the hash it was stored with, in sequence."""
        after = -(2**63)
        while True:
            statement = sa.select(judgment).where(judgment.c.sequence > after).order_by(judgment.c.sequence)
            rows = self._reader.rows(statement.limit(PAGE))
            yield from (dict(row._mapping) for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1].sequence

    def annotations_as_stored(self) -> Iterator[dict[str, Any]]:
        """Yield every annotation of the file, by id."""
        after = ""
        while True:
            statement = sa.select(annotation).where(annotation.c.id > after).order_by(annotation.c.id).limit(PAGE)
            rows = self._reader.rows(statement)
            yield from (dict(row._mapping) for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1].id


def _seal(connection: Connection, packet_id: str, session_id: str) -> None:
    """Write the hash over the packet into its own row."""
    manifest = dict(_row(connection.execute(sa.select(packet).where(packet.c.id == packet_id)).one()).manifest)
    own = connection.execute(sa.select(session).where(session.c.id == session_id)).one()
    described = connection.execute(sa.select(rater.c.background).where(rater.c.id == own.rater_id)).scalar_one()
    hashes = [tuple(pair) for pair in connection.execute(sa.select(judgment.c.id, judgment.c.row_sha256))]
    annotations = [dict(row) for row in connection.execute(sa.select(annotation)).mappings()]
    seal = seal_sha256(manifest["content_sha256"], own, json_object(described), hashes, annotations)
    sign_seal(connection, packet_id, manifest, seal)


def seal_sha256(
    content: str,
    own: Any,
    background: Mapping[str, Any],
    judgments: Sequence[Sequence[str]],
    annotations: Sequence[Mapping[str, Any]],
) -> str:
    """Return the hash over a finished packet: its content, its session and rater, and every judgment and annotation."""
    return json_sha256(
        [
            content,
            [own.id, own.consent_text, own.consent_at, own.revealed_at, dict(background)],
            sorted(list(pair) for pair in judgments),
            sorted([row[name] or "" for name in ANNOTATION] for row in annotations),
        ]
    )


def packet_values(row: PacketRow) -> dict[str, Any]:
    return vars(row) | {"manifest": canonical_json(dict(row.manifest))}


def rater_values(row: RaterRow) -> dict[str, Any]:
    return vars(row) | {"background": canonical_json(dict(row.background))}


def _row(row: Any) -> PacketRow:
    return PacketRow(
        row.id, row.plan_id, row.rater_id, row.direction, row.file_sha256, json_object(row.manifest), row.created_at
    )
