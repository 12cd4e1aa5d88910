"""Packets: those that were made, the files that came back, and in a packet its own row and seal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint.core.errors import AppError
from biasprint.core.project.changes import Changes
from biasprint.core.project.rows import PacketRow, RaterRow, SessionRow
from biasprint.core.project.schema import table
from biasprint.core.project.stores.chain import sign_seal
from biasprint.core.project.stores.common import StorePart, canonical_json, json_object, json_sha256, made, utc_now
from biasprint.core.project.stores.findings import annotation
from biasprint.core.project.stores.judging import EMPTY, judgment, judgment_sha256, rater, session

# ---- Adding the rows of a packet to its coordinator's project: a union, so that neither order nor repetition matters


@dataclass(frozen=True)
class PacketRows:
    """The rows of one file in the coordinator's terms: items instead of cards, with new hashes.

    `rater` is None where the session is known; `background` is the rater's description of themselves. `judgments` and
    `annotations` are whole rows; a row that supersedes another comes after it. `came` notes the file. `apart`: nothing
    shows that the rows are as their rater made them, so none is stored under the key that the true row has.
    """

    session: SessionRow
    rater: RaterRow | None
    background: Mapping[str, Any]
    judgments: Sequence[dict[str, Any]]
    annotations: Sequence[dict[str, Any]]
    came: PacketRow
    apart: bool = False


def merge_rows(connection: Connection, rows: PacketRows) -> Changes:
    """Add what is not here; what is stays as it is. The keys in the answer are those of the rows that were added."""
    own = rows.session
    if rows.rater is not None:
        values = vars(rows.rater) | {"background": EMPTY}
        connection.execute(insert(rater).values(values).on_conflict_do_nothing(["id"]))
        connection.execute(insert(session).values(vars(own)).on_conflict_do_nothing(["id"]))
    added = {
        "judgment": _add(connection, _Into(judgment, judgment.c.session_id == own.id, "row_sha256"), rows.judgments,
                         apart=rows.apart),
        "annotation": _add(connection, _Into(annotation, annotation.c.rater_id == own.rater_id, "value"),
                           rows.annotations, apart=rows.apart),
    }  # fmt: skip
    _stamp(connection, own)
    _describe(connection, own.rater_id, canonical_json(dict(rows.background)))
    values = vars(rows.came) | {"manifest": canonical_json(dict(rows.came.manifest))}
    connection.execute(insert(packet).values(values).on_conflict_do_nothing(["id"]))
    compared = {row["comparison_id"] for row in added["judgment"]}
    return Changes(
        {
            **{name: frozenset(row["id"] for row in new) for name, new in added.items()},
            "comparison": frozenset(compared),
            "session": frozenset([own.id]),
            "packet": frozenset([rows.came.id]),
            "rater": frozenset([own.rater_id] if rows.rater is not None else []),
        }
    )


class _Into(NamedTuple):
    """A table, its rows that may be the same ones as those that come, and the column by which they are."""

    table: sa.Table
    here: sa.ColumnElement[bool]
    same: str


def _add(connection: Connection, into: _Into, rows: Sequence[dict[str, Any]], *, apart: bool) -> list[dict[str, Any]]:
    """Insert the rows that are not here, and return them.

    A row gets a new key, which follows from its content, with `apart`, or where another row is here under its key:
    whichever of two files came first, an altered row neither takes the true one's place nor keeps it out.
    """
    columns = into.table.c
    existing = connection.execute(sa.select(columns.id, columns[into.same].label("same")).where(into.here))
    known: dict[str, str] = {row.id: row.same for row in existing}
    keys: dict[str, str] = {}
    new = []
    for row in rows:
        if row["supersedes"] in keys:
            row = _rehashed({**row, "supersedes": keys[row["supersedes"]]})
        if apart or known.get(row["id"], row[into.same]) != row[into.same]:
            keys[row["id"]] = str(uuid5(UUID(row["id"]), row[into.same]))
            row = _rehashed({**row, "id": keys[row["id"]]})
        if row["id"] not in known:
            new.append(row)
    if new:
        connection.execute(sa.insert(into.table), new)
    return new


def _rehashed(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"row_sha256": judgment_sha256(row)} if "row_sha256" in row else row


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
            known_file = connection.execute(
                sa.select(packet.c.file_sha256).where(packet.c.id == new.packet.id)
            ).scalar()
            if known_file is None:
                connection.execute(sa.insert(packet).values(packet_values(new.packet)))
            elif known_file and not new.packet.file_sha256:  # another tool may answer for it from now on
                connection.execute(sa.update(packet).where(packet.c.id == new.packet.id).values(file_sha256=""))
            return Changes(
                {
                    "packet": frozenset([new.packet.id]),
                    "session": frozenset([new.session.id]),
                    "rater": frozenset([new.rater.id]),
                }
            )

        return self._writer.write(write, urgent=True)

    def merge(self, rows: PacketRows) -> Changes:
        """Add what a packet brought, in one transaction: all of it or nothing. What is here already stays as it is."""
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


_row = made(PacketRow)
