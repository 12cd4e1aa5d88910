"""Merging packets that came back: a union of rows, each file whole or not at all, in any order and any number of times.

Cards become items by the hashes of their texts. A judgment keeps its key, its time and what it supersedes, so that a
file that comes twice, or an older copy of it, adds nothing. Files are only read.
"""

import json
import math
import sqlite3
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.card_order import CardOrder
from biasprint.core.judging.known import PRACTICE
from biasprint.core.judging.packets.decisions import (
    conflicts,
    is_unsealed,
    keep_settled,
    open_conflicts,
    seats_in_conflict,
    settled_answers,
)
from biasprint.core.judging.packets.merge_outside import merge_outside, reader_of
from biasprint.core.judging.packets.packet import (
    FORMAT,
    Held,
    MergedFile,
    MergeReport,
    PacketParts,
    ShownComparison,
    Unsealed,
    content_sha256,
    detail_of_items,
    file_sha256,
    is_detail,
    packet_info,
    packet_parts,
)
from biasprint.core.judging.packets.page import PAGE_SUFFIX, NotAPage, read_page
from biasprint.core.judging.plan import texts_digest, workshops_among
from biasprint.core.judging.store import HIGHEST, KIND, LOWEST
from biasprint.core.project import gate
from biasprint.core.project.connection import FileDamaged, NotSaved
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    RECOMMENDED,
    UNSEALED,
    ComparisonRow,
    PacketRow,
    PlanRow,
    RaterRow,
    SessionRow,
    TextKey,
)
from biasprint.core.project.stores.chain import CHAIN, KEY, fits
from biasprint.core.project.stores.common import canonical_json, utc_now
from biasprint.core.project.stores.judging import LOOK, judgment_sha256
from biasprint.core.project.stores.packets import PacketRows, seal_sha256
from biasprint.core.text import sha256_text

# ---- Reading a packet that came back: through the gate, read-only, every hash recomputed, and nothing taken on trust

AT_ONCE = 100  # comparisons whose texts are read together
# What reading rows raises that the program did not write.
UNFIT = (sa.exc.SQLAlchemyError, sqlite3.Error, RecursionError, ValueError, LookupError, TypeError)


@dataclass(frozen=True)
class ReturnedPacket:
    """A packet as its rater sent it. `texts`: by comparison the hashes of its texts in the order of the cards;
    `wording` and `lengths`: of the same texts without the blanks at their ends, which say nothing and differ between
    packets.

    `judgments` and `annotations` are whole rows, in the packet's terms; one that supersedes another comes after it.
    """

    path: Path
    file_sha256: str
    own: PacketParts
    texts: Mapping[str, tuple[str, ...]]
    wording: Mapping[str, tuple[str, ...]]
    lengths: Mapping[str, tuple[int, ...]]
    judgments: Sequence[dict[str, Any]]
    annotations: Sequence[dict[str, Any]]


class PacketRefused(AppError):
    """A file that is not merged, and why."""

    def __init__(self, message: str, *, hint: str, details: str = "") -> None:
        super().__init__(message, kept="None of it was merged.", hint=hint, details=details)


def read_packet(path: Path) -> ReturnedPacket:
    """Return the packet in a file, which is only read. Raises AppError, in a sentence, for whatever else it is."""
    try:
        if path.suffix.lower() in (PAGE_SUFFIX, ".htm"):
            return _read_page(path)
        gate.read_header(path)
        digest = file_sha256(path)  # before anything here has the file open
        with Project.open(path, read_only=True) as project:
            packet = _read(project, path, digest)
            if project.left_out:
                raise altered(path, f"{project.left_out[0].table} {project.left_out[0].key}")
            return packet
    except PacketRefused:
        raise
    except AppError as error:
        raise _as_packet(path, error) from error
    except UNFIT as error:
        raise altered(path, str(error)) from error


def altered(path: Path, details: str = "") -> AppError:
    """Return the error for a packet that is not as the program wrote it."""
    return PacketRefused(
        f"“{path.name}” was changed outside the program: its content does not fit its hashes.",
        hint="Ask the rater for the file as it was saved.",
        details=details,
    )


def _as_packet(path: Path, error: AppError) -> AppError:
    """Return an error of opening a project, for somebody who was sent a packet: backups and imports do not
    help there.
    """
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


def _read(project: Project, path: Path, digest: str) -> ReturnedPacket:
    own = packet_parts(project)
    if own is None and project.left_out:
        raise altered(path, "its own row cannot be read")
    if own is None:
        raise PacketRefused(f"“{path.name}” is a project, not a packet.", hint="Choose a file that ends in .bpacket.")
    if own.packet.manifest.get("format") != FORMAT:
        raise PacketRefused(
            f"“{path.name}” is a packet of another version.",
            hint="Update Biasprint here, or ask the rater which version wrote it.",
        )
    rows = project.judging.comparisons(own.plan.id)
    texts, wording, lengths = _texts(project, rows)
    judgments, annotations = project.packets.judgments_as_stored(), project.packets.annotations_as_stored()
    stated = _annotations(annotations, own, texts)
    came = ReturnedPacket(path, digest, own, texts, wording, lengths, list(judgments), stated)
    _check(came, {row.id: row.task for row in rows})
    return came


def _read_page(path: Path) -> ReturnedPacket:
    try:
        page = read_page(path)
    except NotAPage as error:
        raise PacketRefused(f"“{path.name}” {error}.", hint="Ask the rater for the page as it was saved.") from error
    if not page.judgments and page.own.session.revealed_at is None:
        raise PacketRefused(
            f"“{path.name}” has no answers: it is the page as it was sent out.",
            hint="Ask the rater to open it again, press “Save my answers” and send the file that this saves.",
        )
    texts = {row.id: tuple(map(sha256_text, row.texts)) for row in page.comparisons}
    if len(texts) != len(page.comparisons):
        raise altered(path, "a comparison is in it twice")
    if any(row.texts_sha256 != texts_digest(texts[row.id]) for row in page.comparisons):
        raise altered(path, "the texts of a comparison have another hash")
    wording = {row.id: tuple(map(wording_sha256, row.texts)) for row in page.comparisons}
    lengths = {row.id: tuple(map(_length, row.texts)) for row in page.comparisons}
    stated = _annotations(page.annotations, page.own, texts)
    came = ReturnedPacket(path, file_sha256(path), page.own, texts, wording, lengths, page.judgments, stated)
    _check(came, {row.id: row.wording for row in page.comparisons})
    return came


def _check(came: ReturnedPacket, numbers: Mapping[str, str]) -> None:
    """Check everything against its hash; `numbers` are those of the comparisons' wording."""
    own = came.own
    shown = (ShownComparison(key, numbers[key], texts) for key, texts in came.texts.items())
    content = content_sha256(own.rater.code, own.plan.settings, shown)
    if (own.packet.manifest["packet"], own.packet.manifest["content_sha256"]) != (own.packet.id, content):
        raise altered(came.path, "the content has another hash")
    _check_judgments(came)
    _check_seal(came)


Hashes = dict[str, tuple[str, ...]]


def _texts(project: Project, rows: Sequence[ComparisonRow]) -> tuple[Hashes, Hashes, dict[str, tuple[int, ...]]]:
    exact: Hashes = {}
    wording: Hashes = {}
    lengths: dict[str, tuple[int, ...]] = {}
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        texts = project.texts({item.key for row in some for item in row.items})
        for row in some:
            shown = [texts[item.key] for item in row.items]
            exact[row.id] = tuple(map(sha256_text, shown))
            wording[row.id] = tuple(map(wording_sha256, shown))
            lengths[row.id] = tuple(map(_length, shown))
    return exact, wording, lengths


def _length(text: str) -> int:
    """Return the number of characters of a text without the blanks behind it."""
    return len(text.rstrip(" "))


def wording_sha256(text: str) -> str:
    """Return the hash of a text without the blanks behind it."""
    return sha256_text(text.rstrip(" "))


def _annotations(
    rows: Iterable[dict[str, Any]], own: PacketParts, texts: Mapping[str, tuple[str, ...]]
) -> list[dict[str, Any]]:
    """Return the rater's annotations, each row after the one that it supersedes."""
    waiting = {row["id"]: row for row in rows}
    for row in waiting.values():
        if row["rater_id"] != own.rater.id or not _is_stated(row, own.session.id, texts):
            raise ValueError("an annotation is none that a rater makes")
    ordered: dict[str, dict[str, Any]] = {}
    while ready := [row for row in waiting.values() if row["supersedes"] is None or row["supersedes"] in ordered]:
        for row in ready:
            ordered[row["id"]] = waiting.pop(row["id"])
    if waiting:
        raise ValueError("annotations supersede each other")
    return list(ordered.values())


def _is_stated(row: Mapping[str, Any], session_id: str, texts: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether a rater may state this: a rating of a card, the practice round, or that somebody looked at
    identities on the rater's computer. A decision is the coordinator's.
    """
    value = json.loads(row["value"])
    if row["kind"] == LOOK:
        return bool(row["target"] == session_id) and value.keys() == {"where"} and isinstance(value["where"], str)
    if row["kind"] == PRACTICE:
        return bool(row["target"] == session_id) and _is_practice(value)
    return row["kind"] == KIND and row["target"] in texts and _is_rating(value, len(texts[row["target"]]))


def _is_practice(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"right", "of", "seconds"}:
        return False
    right, of, seconds = value["right"], value["of"], value["seconds"]
    counted = type(right) is int and type(of) is int and 0 <= right <= of
    return counted and isinstance(seconds, int | float) and 0 <= seconds < math.inf


def _is_rating(value: Any, cards: int) -> bool:
    if not isinstance(value, dict) or value.keys() != {"card", "criterion", "rating"}:
        return False
    given = value["rating"] is None or value["rating"] in range(LOWEST, HIGHEST + 1)
    return given and isinstance(value["criterion"], str) and value["card"] in range(cards)


def _check_judgments(came: ReturnedPacket) -> None:
    read: dict[str, str] = {}  # judgment → comparison, as far as they were read
    for row in came.judgments:
        about = row["comparison_id"]
        if not _is_sound(row, came) or read.get(row["supersedes"] or "", about) != about:
            raise altered(came.path, f"judgment {row['id']} is not the one that was recorded")
        if row["supersedes"] is not None and row["supersedes"] not in read:
            raise altered(came.path, f"judgment {row['id']} stands before the one that it supersedes")
        read[row["id"]] = about


def _is_sound(row: Mapping[str, Any], came: ReturnedPacket) -> bool:
    cards = list(range(len(came.texts[row["comparison_id"]])))
    advised = came.own.plan.settings.get(RECOMMENDED, {}).get(row["comparison_id"])
    return (
        judgment_sha256(dict(row)) == row["row_sha256"]
        and row["session_id"] == came.own.session.id
        and sorted(json.loads(row["shown"])) == cards
        and (row["chosen"] is None or row["chosen"] in cards)
        and math.isfinite(row["active_seconds"])
        and row["active_seconds"] >= 0
        and (advised is None or advised in cards)
        and is_detail(json.loads(row["detail"]), row, came.own.plan.settings, came.lengths[row["comparison_id"]])
    )


def _check_seal(came: ReturnedPacket) -> None:
    """Check that a finished packet is sealed and an open one is not, so that later changes show."""
    manifest, session = came.own.packet.manifest, came.own.session
    seal = manifest.get("seal")
    if seal is None and session.revealed_at is None:
        return
    hashes = [(row["id"], row["row_sha256"]) for row in came.judgments]
    wanted = seal_sha256(manifest["content_sha256"], session, came.own.rater.background, hashes, came.annotations)
    if seal != wanted or session.revealed_at is None:
        raise altered(came.path, "the seal does not fit")


OF_SESSION = (PRACTICE, LOOK)  # kinds of annotations that are about no comparison
Order = tuple[int, ...]  # by card of a packet: the item that it shows


def merge_packets(
    ctx: JobContext,
    project: Project,
    paths: Sequence[Path],
    *,
    accept_raters: bool = False,
    accept_held: bool = False,
) -> MergeReport:
    """Merge any number of packets, and of results from other tools.

    A file that cannot be merged is listed with the reason, and stops no other. One without its packet's seal, or that
    would take the place of what another finished copy says, is merged with `accept_held` alone: that is the
    coordinator's decision, which the file's row keeps.

    Raises UsageError where the project is itself a packet, NotSaved where it is open read-only.
    """
    if packet_info(project) is not None:
        raise UsageError(f"“{project.path.name}” is a packet itself.", hint="Merge into the project it came from.")
    if project.read_only:
        raise NotSaved(project.read_only, kept="Nothing was merged.", hint=project.way_to_write)
    merging, settled = _Merging(project, accept_raters, accept_held), settled_answers(project)
    files: list[MergedFile] = []
    try:
        for number, path in enumerate(paths, start=1):
            ctx.check()
            files += merging.file(path)
            ctx.report(number, len(paths), note=path.name)
    finally:  # also where somebody cancelled
        decisions = keep_settled(project, settled)
    return MergeReport(tuple(files), len(open_conflicts(project)), len(seats_in_conflict(project)), decisions)


class _Merging:
    """One call: what is read of the project for one file serves the next."""

    def __init__(self, project: Project, accept_raters: bool, accept_held: bool) -> None:
        self._project = project
        self._accept, self._accept_held = accept_raters, accept_held
        self._plans: dict[str, PlanRow] = {row.id: row for row in project.judging.plans()}
        self._workshops = workshops_among(self._plans.values())
        files = project.packets.all()
        self._made = {row.id: row for row in files if row.direction == "made"}
        self._let_in = {row.id for row in files if UNSEALED in row.manifest}
        self._rows: dict[str, dict[str, ComparisonRow]] = {}
        self._hashes: dict[str, dict[TextKey, str]] = {}

    def file(self, path: Path) -> list[MergedFile]:
        """Return one line for a packet; for what came back from another tool one for each rater in it."""
        here = MergedFile(path, path.name)
        try:
            if path.exists() and path.samefile(self._project.path):
                # Not even looked at: closing it would let go of the lock on the open project.
                raise UsageError(f"“{path.name}” is the project itself.", hint="Choose the packets that came back.")
            if (read := reader_of(path)) is not None:
                return merge_outside(self._project, path, read(path), accept_held=self._accept_held)
            came = read_packet(path)
            here = replace(here, code=came.own.rater.code, finished=came.own.session.revealed_at is not None)
            return [self._merge(here, came)]
        except JobCancelled:
            raise
        except AppError as error:
            return [replace(here, refused=error.message, hint=error.hint)]
        except OSError as error:
            return [
                replace(here, refused=f"“{path.name}” could not be read ({error.strerror}).", hint="Copy it again.")
            ]
        except Exception as error:  # such as a key that belongs to another session: what only a made-up file has
            message = f"“{path.name}” does not fit the project ({type(error).__name__})."
            return [replace(here, refused=message, hint="Ask the rater for the file as it was saved.")]

    def _merge(self, here: MergedFile, came: ReturnedPacket) -> MergedFile:
        self._know(came)
        here = replace(here, workshop=came.own.plan.id in self._workshops)
        self._as_made(came)
        rater = self._stranger(came)
        if rater is not None:
            here = replace(here, unknown_rater=True)
            if not self._accept:
                return replace(here, hint="Merge it again and accept unknown raters, if you know who this is.")
        unsealed = self._unsealed(came)
        orders = self._orders(came)
        changed = tuple(key for key in came.texts if key not in orders)
        rows = _rows(came, orders, self._rows[came.own.plan.id], rater, unsealed)
        copies = self._other_copies(came)
        held: Held = "copy" if copies and self._replaces(rows) else ""
        if unsealed and rater is None:  # an unknown rater has been decided on already
            held = unsealed
        if rows.came.id in self._let_in:
            held = ""
        here = replace(here, held=held, copies=copies, unsealed=bool(unsealed))
        if here.held and not self._accept_held:
            return here
        if not came.judgments or rows.judgments or not changed:
            added = len(self._project.packets.merge(rows).of("judgment"))
        else:
            added = 0
        contested = {conflict.comparison_id for conflict in conflicts(self._project, rows.session.id) if conflict.open}
        return replace(
            here,
            added=added,
            repeated=len(rows.judgments) - added,
            conflicting=len(contested & {row["comparison_id"] for row in rows.judgments}),
            changed_texts=changed,
        )

    def _unsealed(self, came: ReturnedPacket) -> Unsealed:
        """Return why nothing shows that these are the answers as they were given; "" where they were signed so."""
        made = self._made.get(came.own.packet.id)
        if made is None or KEY not in made.manifest:
            return "unsealed"
        hashes = [row["row_sha256"] for row in came.judgments]
        return "" if fits(str(made.manifest[KEY]), hashes, dict(came.own.packet.manifest)) else "altered"

    def _other_copies(self, came: ReturnedPacket) -> bool:
        """Return whether another finished copy of this packet was merged, as it was sealed."""
        place, seal = (came.own.plan.id, came.own.rater.id), came.own.packet.manifest.get("seal")
        others = {
            row.manifest.get("seal")
            for row in self._project.packets.all()
            if (row.plan_id, row.rater_id) == place
            and row.direction == "merged"
            and row.manifest.get("finished")
            and not is_unsealed(row, self._made)
        }
        return bool(others - {seal})

    def _replaces(self, rows: PacketRows) -> bool:
        """Return whether a row would take the place of one that is here."""
        judgment_ids = {row.id for row in self._project.judging.judgments(rows.session.id, superseded=True)}
        rated = self._project.annotations.of_kind(KIND, rater_id=rows.session.rater_id)
        here = judgment_ids | {row.id for row in rated}
        return any(row["id"] not in here and row["supersedes"] in here for row in (*rows.judgments, *rows.annotations))

    def _know(self, came: ReturnedPacket) -> None:
        """Read the plan of a packet. Raises AppError where the project has none that it came from."""
        plan_id = came.own.plan.id
        if plan_id in self._plans and plan_id not in self._rows:
            self._rows[plan_id] = {row.id: row for row in self._project.judging.comparisons(plan_id)}
            self._hashes[plan_id] = {}
        rows = self._rows.get(plan_id, {})
        if not came.texts or not rows.keys() >= came.texts.keys():
            raise AppError(
                f"“{came.path.name}” belongs to another project, or to a plan that is no longer here: its "
                "comparisons are not in this one.",
                hint="Merge it into the project that it was made from.",
            )

    def _as_made(self, came: ReturnedPacket) -> None:
        """Check that a packet made here has the content that it was made with, whatever hash it states now."""
        made = self._made.get(came.own.packet.id)
        if made is not None and made.manifest["content_sha256"] != came.own.packet.manifest["content_sha256"]:
            raise altered(came.path, "it was made with another content")

    def _stranger(self, came: ReturnedPacket) -> RaterRow | None:
        """Return the rater to add where the project does not know this session; None where it made the packet."""
        own = came.own
        session = next((row for row in self._project.judging.sessions() if row.id == own.session.id), None)
        if session is not None:
            place = (session.plan_id, session.rater_id)
            if place != (own.plan.id, own.rater.id) or not self._project.judging.is_packet_session(session.id):
                raise AppError(
                    f"“{came.path.name}” names a session that no packet was made for.",
                    hint="Ask the rater for the file as it was saved.",
                )
            return None
        raters = self._project.judging.raters()
        taken = any(row.code == own.rater.code and row.id != own.rater.id for row in raters)
        # Somebody else here has the code: both keep it, distinguished by the beginning of this one's key.
        code = f"{own.rater.code} ({own.rater.id[:8]})" if taken else own.rater.code
        return replace(own.rater, code=code)

    def _orders(self, came: ReturnedPacket) -> dict[str, Order]:
        """Return which item each card shows, by comparison; comparisons whose texts are not the project's are left
        out.
        """
        plan = self._plans[came.own.plan.id]
        rows = self._rows[plan.id]
        hashes = self._hashed(plan.id, list(came.texts))
        laid_out = CardOrder(list(rows.values()), plan=plan, rater_code=came.own.rater.code)
        orders = {}
        for key in came.texts:
            items = [hashes.get(item.key) for item in rows[key].items]
            order = _matching(came.wording[key], items, laid_out.of(key))
            if order is not None:
                orders[key] = order
        return orders

    def _hashed(self, plan_id: str, comparisons: Sequence[str]) -> Mapping[TextKey, str]:
        known, rows = self._hashes[plan_id], self._rows[plan_id]
        for start in range(0, len(comparisons), AT_ONCE):
            some = comparisons[start : start + AT_ONCE]
            new = {item.key for key in some for item in rows[key].items} - known.keys()
            if new:
                known |= {key: wording_sha256(text) for key, text in self._project.texts(new).items()}
        return known


def _matching(cards: Sequence[str], items: Sequence[str | None], laid_out: Order) -> Order | None:
    """Return the item that each card shows. As it was laid out, if that fits: of two cards with one text only that
    tells.
    """
    if len(cards) != len(items):
        return None
    if all(items[item] == text for item, text in zip(laid_out, cards, strict=True)):
        return laid_out
    left = list(range(len(items)))
    order = []
    for text in cards:
        match = next((item for item in left if items[item] == text), None)
        if match is None:
            return None
        left.remove(match)
        order.append(match)
    return tuple(order)


def _rows(
    came: ReturnedPacket,
    orders: Mapping[str, Order],
    comparisons: Mapping[str, ComparisonRow],
    rater: RaterRow | None,
    unsealed: Unsealed,
) -> PacketRows:
    own = came.own
    mark = {UNSEALED: True} if unsealed else {}
    judgments = [
        _judgment(row, orders[row["comparison_id"]], comparisons[row["comparison_id"]].texts_sha256, mark)
        for row in came.judgments
        if row["comparison_id"] in orders
    ]
    annotations = [
        row if row["kind"] in OF_SESSION else _annotation(row, orders[row["target"]])
        for row in came.annotations
        if row["kind"] in OF_SESSION or row["target"] in orders
    ]
    manifest = {
        **{name: value for name, value in own.packet.manifest.items() if name != CHAIN},
        "finished": own.session.revealed_at,
        "judgments": len(came.judgments),
        "comparisons": len(came.texts),
        **({UNSEALED: unsealed} if unsealed else {}),
    }
    # One row for each file that ever came, whatever the order and however often.
    key = str(uuid.uuid5(uuid.UUID(own.packet.id), came.file_sha256))
    return PacketRows(
        session=SessionRow(**{**vars(own.session), "opened_at": own.packet.created_at}),
        rater=rater,
        background=own.rater.background,
        judgments=judgments,
        annotations=annotations,
        came=PacketRow(key, own.plan.id, own.rater.id, "merged", came.file_sha256, manifest, utc_now()),
        apart=bool(unsealed),
    )


def _judgment(row: Mapping[str, Any], order: Order, texts_sha256: str, mark: Mapping[str, Any]) -> dict[str, Any]:
    """Return a packet's judgment in the project's terms. Where it stood in its packet goes with it: clocks may be
    wrong.
    """
    detail = detail_of_items(json.loads(row["detail"]), order)
    values = {name: value for name, value in row.items() if name != "sequence"} | {
        "shown": canonical_json([order[card] for card in json.loads(row["shown"])]),
        "chosen": None if row["chosen"] is None else order[row["chosen"]],
        "texts_sha256": texts_sha256,
        "detail": canonical_json({"sequence": row["sequence"], **mark, **detail}),
    }
    return values | {"row_sha256": judgment_sha256(values)}


def _annotation(row: Mapping[str, Any], order: Order) -> dict[str, Any]:
    value = json.loads(row["value"])
    return {**row, "value": canonical_json({**value, "card": order[value["card"]]})}
