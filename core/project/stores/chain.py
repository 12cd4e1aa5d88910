"""The chain of a packet: what shows that its answers were altered after they were given.

A packet gets a key of 128 random bits when it is made; the project keeps it. With each judgment
tag(i) = HMAC-SHA-256(key(i), tag(i-1) | hash of the row) and key(i+1) = SHA-256("next" | key(i)), and the packet keeps
the last two alone: whoever opens it later has no key to what was said before (forward-secure logs: Schneier and Kelsey
1999). Finishing signs the seal in the same way and forgets the key.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from biasprint.core.project.schema import table
from biasprint.core.project.stores.common import canonical_json

CHAIN = "chain"  # in a packet's manifest: its state, {"key", "tag"}
KEY = "key"  # in the manifest that the project keeps: what the chain began with
NO_TAG = "0" * 64

packet, session = table("packet"), table("session")


def first_state(key: str) -> dict[str, str]:
    """Return the state of a chain before the first judgment; every later one is as long, so that it is written
    over it.
    """
    return {"key": hashlib.sha256(b"first" + bytes.fromhex(key)).hexdigest(), "tag": NO_TAG}


def _next(state: dict[str, str], text: str) -> dict[str, str]:
    key = bytes.fromhex(state["key"])
    tag = hmac.digest(key, (state["tag"] + text).encode("ascii"), "sha256")
    return {"key": hashlib.sha256(b"next" + key).hexdigest(), "tag": tag.hex()}


def _ended(state: dict[str, str], seal: str) -> dict[str, str]:
    return {"tag": _next(state, "seal" + seal)["tag"]}


def fits(key: str, row_hashes: Iterable[str], manifest: dict[str, Any]) -> bool:
    """Return whether a packet's chain is the one that these judgments give, in sequence, and its seal where it
    has one.
    """
    state = first_state(key)
    for row_hash in row_hashes:
        state = _next(state, row_hash)
    if manifest.get("seal") is not None:
        state = _ended(state, str(manifest["seal"]))
    stored = manifest.get(CHAIN)
    tag = stored.get("tag") if isinstance(stored, dict) else None
    return isinstance(tag, str) and hmac.compare_digest(tag.encode(), state["tag"].encode())


def sign_judgment(connection: Connection, session_id: str, row_sha256: str) -> None:
    """Go on with the chain of the packet that this file is; any other file has none."""
    own = sa.select(packet.c.id, packet.c.manifest).join(
        session, (session.c.plan_id == packet.c.plan_id) & (session.c.rater_id == packet.c.rater_id)
    )
    row = connection.execute(own.where(session.c.id == session_id, packet.c.direction == "made")).first()
    manifest = {} if row is None else json.loads(row.manifest)
    if row is not None and CHAIN in manifest:
        _keep(connection, row.id, {**manifest, CHAIN: _next(manifest[CHAIN], row_sha256)})


def sign_seal(connection: Connection, packet_id: str, manifest: dict[str, Any], seal: str) -> None:
    """Write the seal into a packet's own row, and the end of its chain."""
    sealed = {**manifest, "seal": seal}
    if CHAIN in manifest:
        sealed[CHAIN] = _ended(manifest[CHAIN], seal)
    _keep(connection, packet_id, sealed)


def _keep(connection: Connection, packet_id: str, manifest: dict[str, Any]) -> None:
    connection.exec_driver_sql("PRAGMA secure_delete=ON").all()  # an old key that stays in a free page is no secret
    connection.execute(sa.update(packet).where(packet.c.id == packet_id).values(manifest=canonical_json(manifest)))
