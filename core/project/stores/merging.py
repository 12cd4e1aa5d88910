"""Adding the rows of a packet to its coordinator's project: a union, so that neither order nor repetition matters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.errors import AppError
from core.project.changes import Changes
from core.project.rows import PacketRow, RaterRow, SessionRow
from core.project.stores.annotations import annotation
from core.project.stores.common import canonical_json
from core.project.stores.judging import EMPTY, judgment, rater, session
from core.project.tables import Packet, table

packet = table(Packet)


@dataclass(frozen=True)
class PacketRows:
    """What one file brought, in the coordinator's terms: items instead of cards, hashes made anew.

    `rater` is None where the session is known; `background` is what the rater said of themselves. `judgments` and
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
    found = connection.execute(sa.select(into.c.id, into.c[same].label("same")).where(here))
    known: dict[str, str] = {row.id: row.same for row in found}
    if any(row["id"] in known and known[row["id"]] != row[same] for row in rows):
        raise AppError(
            "A row of the packet is not the one that came with the same key before.",
            kept="Nothing of it was merged.",
            hint="Ask the rater for the file as it was saved; do not count on either without asking.",
        )
    new = [row for row in rows if row["id"] not in known]
    if new:
        connection.execute(sa.insert(into), new)
    return {row["id"] for row in new}


def _stamp(connection: Connection, own: SessionRow) -> None:
    """The earliest consent and the earliest end that any file tells of."""
    here = connection.execute(sa.select(session).where(session.c.id == own.id)).one()
    ends = [end for end in (here.revealed_at, own.revealed_at) if end is not None]
    given = [(one.consent_at, one.consent_text) for one in (here, own) if one.consent_at]
    consent_at, consent_text = min(given, default=("", ""))
    values = {"revealed_at": min(ends, default=None), "consent_at": consent_at, "consent_text": consent_text}
    connection.execute(sa.update(session).where(session.c.id == own.id).values(values))


def _describe(connection: Connection, rater_id: str, words: str) -> None:
    """What a rater says of themselves where nothing is known; of two copies that differ, always the same one."""
    known = connection.execute(sa.select(rater.c.background).where(rater.c.id == rater_id)).scalar_one()
    said = min({known, words} - {EMPTY}, default=EMPTY)
    if said != known:
        connection.execute(sa.update(rater).where(rater.c.id == rater_id).values(background=said))
