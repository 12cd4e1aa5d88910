"""Merging what came back from another tool: by the packets that were made, checked by the hashes of the texts.

The answers of one rater become the judgments of that rater's session, under keys that follow from the answer: what
comes twice adds nothing, and two different answers to one comparison are a conflict, as between copies of a packet.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.card_order import CardOrder, secret_of
from biasprint.core.judging.packets import outside
from biasprint.core.judging.packets.decisions import conflicts
from biasprint.core.judging.packets.outside import CARDS, LETTERS, NO_TEXT, OTHER_ANSWERS, OutsideAnswer
from biasprint.core.judging.packets.packet import MergedFile, Unsealed
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.project.rows import UNSEALED, ComparisonRow, PacketRow, SessionRow
from biasprint.core.project.stores.common import canonical_json, json_sha256, utc_now
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.project.stores.packets import PacketRows
from biasprint.core.text import sha256_text, without_surrogates


def reader_of(path: Path) -> Callable[[Path], tuple[OutsideAnswer, ...]] | None:
    """Return the function that reads this file or folder; None for a packet of ours, or another file."""
    if path.name == outside.POTATO_CONFIG or (path / outside.POTATO_CONFIG).exists():
        return outside.read_potato
    return outside.read_label_studio if path.suffix.lower() == outside.EXPORT_SUFFIX else None


@dataclass
class _RaterAnswers:
    """The answers of one rater in one file, as far as they fit the packet that was made."""

    judgments: dict[str, dict[str, Any]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    strange: int = 0


def merge_outside(
    project: Project, path: Path, answers: Sequence[OutsideAnswer], *, accept_held: bool
) -> list[MergedFile]:
    """Merge a file's answers, rater by rater; those of a rater who has a packet, which signs, wait for a decision.

    Raises AppError where none of them was asked for by this project.
    """
    made = {row.id: row for row in project.packets.all() if row.direction == "made"}
    raters = {row.id: row.code for row in project.judging.raters()}
    by_packet: dict[str, list[OutsideAnswer]] = {}
    strangers = 0
    for answer in answers:
        packet = made.get(answer.fields.get("packet", ""))
        if packet is None or raters[packet.rater_id] != answer.fields.get("rater"):
            strangers += 1
        else:
            by_packet.setdefault(packet.id, []).append(answer)
    if not by_packet:
        raise AppError(
            f"“{path.name}” belongs to another project or plan: none of its comparisons was handed out here.",
            kept="None of it was merged.",
            hint="Merge it into the project that it was made from.",
        )
    merged = [
        _Merging(project, made[key], accept_held).merge(path, packet_answers)
        for key, packet_answers in sorted(by_packet.items())
    ]
    if strangers:
        merged.append(MergedFile(path, path.name, strange=strangers))
    return merged


class _Merging:
    """One rater's answers from one file."""

    def __init__(self, project: Project, packet: PacketRow, accept_held: bool) -> None:
        self._project, self._packet, self._accept_held = project, packet, accept_held
        self._unsealed: Unsealed = "unsealed" if packet.file_sha256 else ""
        self._mark = {UNSEALED: self._unsealed} if self._unsealed else {}
        plan = next(row for row in project.judging.plans() if row.id == packet.plan_id)
        rows = project.judging.comparisons(plan.id)
        self._workshop = PlanSettings.of(plan.settings).workshop
        self._code = next(row.code for row in project.judging.raters() if row.id == packet.rater_id)
        asked = assigned(rows, PlanSettings.of(plan.settings), secret=secret_of(plan), code=self._code)
        self._rows: Mapping[str, ComparisonRow] = {rows[place].id: rows[place] for place in asked}
        self._places = {key: number for number, key in enumerate(self._rows, start=1)}
        self._order = CardOrder(rows, plan=plan, rater_code=self._code)
        self._session = next(
            row
            for row in project.judging.sessions()
            if (row.plan_id, row.rater_id) == (packet.plan_id, packet.rater_id)
        )

    def merge(self, path: Path, answers: Sequence[OutsideAnswer]) -> MergedFile:
        came = _RaterAnswers()
        for answer in answers:
            self._take(answer, came)
        whole = self._is_whole(came)
        if self._workshop and not whole:  # a seat comes in once: what one changes there before is no conflict here
            return MergedFile(path, path.name, self._code, changed_texts=tuple(sorted(came.changed)), workshop=True)
        rows = self._rows_of(came, whole)
        if self._unsealed and not self._accept_held:
            return MergedFile(path, path.name, self._code, held=self._unsealed, unsealed=True)
        added = 0
        if came.judgments:
            added = len(self._project.packets.merge(rows).of("judgment"))
        differing = {conflict.comparison_id for conflict in conflicts(self._project, self._session.id) if conflict.open}
        compared = {row["comparison_id"] for row in came.judgments.values()}
        return MergedFile(
            path, path.name, self._code, added, len(came.judgments) - added, len(differing & compared),
            tuple(sorted(came.changed)), finished=rows.session.revealed_at is not None, strange=came.strange,
            workshop=self._workshop, held=self._unsealed, unsealed=bool(self._unsealed),
        )  # fmt: skip

    def _take(self, answer: OutsideAnswer, came: _RaterAnswers) -> None:
        row = self._rows.get(answer.fields.get("comparison", ""))
        if row is None or answer.problem:
            came.strange += 1
            return
        order = self._order.of(row.id)
        texts = self._project.texts({item.key for item in row.items})
        wanted = [sha256_text(texts[row.items[index].key]) for index in order]
        shown = [answer.fields.get(name, "") for name in CARDS[: len(order)]]
        more = [answer.fields[name] for name in CARDS[len(order) :] if name in answer.fields]
        if wanted != [sha256_text(text) for text in shown] or any(text != NO_TEXT for text in more):
            came.changed.add(row.id)
            return
        outcome = "choice" if answer.label in LETTERS[: len(order)] else OTHER_ANSWERS.get(answer.label)
        if outcome is None:
            came.strange += 1
            return
        values = self._judgment(answer, row, outcome, order)
        came.judgments[values["id"]] = values

    def _judgment(
        self, answer: OutsideAnswer, row: ComparisonRow, outcome: str, order: Sequence[int]
    ) -> dict[str, Any]:
        content = canonical_json([row.id, answer.key, answer.label, answer.note, answer.seconds, answer.at])
        values = {
            "id": str(uuid.uuid5(uuid.UUID(self._packet.id), content)),
            "session_id": self._session.id,
            "comparison_id": row.id,
            "outcome": outcome,
            "chosen": order[LETTERS.index(answer.label)] if outcome == "choice" else None,
            "shown": canonical_json(list(order)),
            "texts_sha256": row.texts_sha256,
            "note": without_surrogates(answer.note),
            "active_seconds": answer.seconds,
            "supersedes": None,
            "created_at": answer.at or self._packet.created_at,
            "detail": canonical_json({"sequence": self._places[row.id], **dict.fromkeys(self._mark, True)}),
        }
        return values | {"row_sha256": judgment_sha256(values)}

    def _is_whole(self, came: _RaterAnswers) -> bool:
        """Return whether every comparison that was handed out is answered or skipped. In a workshop, where nobody could
        count what came of a seat, those whose texts were edited there are answered too.
        """
        answered = {row["comparison_id"] for row in came.judgments.values()} | (
            came.changed if self._workshop else set()
        )
        return len(answered) >= int(self._packet.manifest["comparisons"])

    def _rows_of(self, came: _RaterAnswers, whole: bool) -> PacketRows:
        """Return the session is finished where the answers are whole."""
        judgments = sorted(came.judgments.values(), key=lambda row: (row["created_at"], row["id"]))
        end = max(row["created_at"] for row in judgments) if judgments and whole else None
        digest = json_sha256([row["row_sha256"] for row in judgments])
        manifest = {**self._packet.manifest, "finished": end, "judgments": len(judgments), **self._mark}
        key = str(uuid.uuid5(uuid.UUID(self._packet.id), digest))
        packet = self._packet
        return PacketRows(
            session=SessionRow(**{**vars(self._session), "opened_at": packet.created_at, "revealed_at": end}),
            rater=None,
            background={},
            judgments=judgments,
            annotations=[],
            came=PacketRow(key, packet.plan_id, packet.rater_id, "merged", digest, manifest, utc_now()),
            apart=bool(self._unsealed),
        )
