"""Reading a packet that came back: through the gate, read-only, every hash recomputed, and nothing taken on trust."""

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from core.errors import AppError
from core.judging.packets.bytes import file_sha256
from core.judging.packets.contents import FORMAT, Shown, content_sha256
from core.judging.packets.inside import Inside, inside
from core.judging.statements import HIGHEST, KIND, LOWEST
from core.project import gate
from core.project.failures import FileDamaged
from core.project.project import Project
from core.project.rows import ComparisonRow
from core.project.stores.judging import EMPTY, judgment_sha256
from core.project.stores.packets import seal_sha256
from core.text import sha256_text

# What reading rows raises that the program did not write.
UNFIT = (sa.exc.SQLAlchemyError, sqlite3.Error, RecursionError, ValueError, LookupError, TypeError)
AT_ONCE = 100  # comparisons whose texts are read together
ANNOTATIONS = (KIND,)  # what a rater states; a decision is the coordinator's alone


@dataclass(frozen=True)
class CameBack:
    """A packet as its rater sent it. `texts`: by comparison the hashes of its texts in the order of the cards.

    `judgments` and `annotations` are whole rows, in the packet's terms; one that supersedes another comes after it.
    """

    path: Path
    file_sha256: str
    own: Inside
    texts: Mapping[str, tuple[str, ...]]
    judgments: Sequence[dict[str, Any]]
    annotations: Sequence[dict[str, Any]]


class PacketRefused(AppError):
    """A file of which nothing is merged, and why."""

    def __init__(self, message: str, *, hint: str, details: str = "") -> None:
        super().__init__(message, kept="Nothing of it was merged.", hint=hint, details=details)


def read_packet(path: Path) -> CameBack:
    """The packet in a file, which is only read. Raises AppError, in a sentence, for whatever else it is."""
    try:
        gate.read_header(path)
        digest = file_sha256(path)  # before anything here has the file open
        with Project.open(path, read_only=True) as project:
            return _read(project, path, digest)
    except PacketRefused:
        raise
    except AppError as error:
        raise _as_packet(path, error) from error
    except UNFIT as error:
        raise altered(path, str(error)) from error


def altered(path: Path, details: str = "") -> AppError:
    """What a rater sent is not what the program wrote."""
    return PacketRefused(
        f"“{path.name}” was changed outside the program: its content does not fit its hashes.",
        hint="Ask the rater for the file as it was saved.",
        details=details,
    )


def _as_packet(path: Path, error: AppError) -> AppError:
    """What opening a project says, for somebody who was sent a packet: backups and imports are no help with those."""
    no_project = f"“{path.name}” is not a Biasprint project"
    if error.message.startswith(no_project):
        what = error.message.removeprefix(no_project)
        return PacketRefused(f"“{path.name}” is no packet{what}", hint="Choose a file that ends in .bpacket.")
    if isinstance(error, FileDamaged) or "structure" in error.message:
        what = "is damaged" if isinstance(error, FileDamaged) else "does not have the structure of a packet"
        return PacketRefused(
            f"“{path.name}” {what}.", hint="Ask the rater to send it again.", details=error.details or error.message
        )
    return error


def _read(project: Project, path: Path, digest: str) -> CameBack:
    own = inside(project)
    if own is None:
        raise PacketRefused(f"“{path.name}” is a project, not a packet.", hint="Choose a file that ends in .bpacket.")
    if own.packet.manifest.get("format") != FORMAT:
        raise PacketRefused(
            f"“{path.name}” is a packet of another version.",
            hint="Update Biasprint here, or ask the rater which version wrote it.",
        )
    rows = project.judging.comparisons(own.plan.id)
    texts = _texts(project, rows)
    shown = (Shown(row.id, row.task, texts[row.id]) for row in rows)
    content = content_sha256(own.rater.code, own.plan.settings, shown)
    if (own.packet.manifest["packet"], own.packet.manifest["content_sha256"]) != (own.packet.id, content):
        raise altered(path, "the content has another hash")
    judgments = list(project.packets.judgments_as_stored())
    came = CameBack(path, digest, own, texts, judgments, _annotations(project, own, texts))
    _check_judgments(came)
    _check_seal(came)
    return came


def _texts(project: Project, rows: Sequence[ComparisonRow]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        texts = project.texts({item.key for row in some for item in row.items})
        for row in some:
            found[row.id] = tuple(sha256_text(texts[item.key]) for item in row.items)
    return found


def _annotations(project: Project, own: Inside, texts: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """What the rater stated, each row after the one that it supersedes."""
    waiting = {row["id"]: row for row in project.packets.annotations_as_stored()}
    for row in waiting.values():
        known = row["target"] in texts and row["rater_id"] == own.rater.id and row["kind"] in ANNOTATIONS
        if not known or not _is_rating(json.loads(row["value"]), len(texts[row["target"]])):
            raise ValueError("an annotation is none that a rater makes")
    ordered: dict[str, dict[str, Any]] = {}
    while ready := [row for row in waiting.values() if row["supersedes"] is None or row["supersedes"] in ordered]:
        for row in ready:
            ordered[row["id"]] = waiting.pop(row["id"])
    if waiting:
        raise ValueError("annotations supersede each other")
    return list(ordered.values())


def _is_rating(value: Any, cards: int) -> bool:
    if not isinstance(value, dict) or value.keys() != {"card", "criterion", "rating"}:
        return False
    given = value["rating"] is None or value["rating"] in range(LOWEST, HIGHEST + 1)
    return given and isinstance(value["criterion"], str) and value["card"] in range(cards)


def _check_judgments(came: CameBack) -> None:
    read: dict[str, str] = {}  # judgment → comparison, as far as they were read
    for row in came.judgments:
        about = row["comparison_id"]
        if not _is_sound(row, came) or read.get(row["supersedes"] or "", about) != about:
            raise altered(came.path, f"judgment {row['id']} is not the one that was recorded")
        if row["supersedes"] is not None and row["supersedes"] not in read:
            raise altered(came.path, f"judgment {row['id']} stands before the one that it supersedes")
        read[row["id"]] = about


def _is_sound(row: Mapping[str, Any], came: CameBack) -> bool:
    cards = list(range(len(came.texts[row["comparison_id"]])))
    return (
        judgment_sha256(dict(row)) == row["row_sha256"]
        and row["session_id"] == came.own.session.id
        and sorted(json.loads(row["shown"])) == cards
        and (row["chosen"] is None or row["chosen"] in cards)
        and math.isfinite(row["active_seconds"])
        and row["active_seconds"] >= 0
        and row["detail"] == EMPTY
    )


def _check_seal(came: CameBack) -> None:
    """A finished packet is sealed and an open one is not: whatever was added or taken away after that shows."""
    manifest, session = came.own.packet.manifest, came.own.session
    seal = manifest.get("seal")
    if seal is None and session.revealed_at is None:
        return
    hashes = [(row["id"], row["row_sha256"]) for row in came.judgments]
    wanted = seal_sha256(manifest["content_sha256"], session, came.own.rater.background, hashes, came.annotations)
    if seal != wanted or session.revealed_at is None:
        raise altered(came.path, "the seal does not fit")
