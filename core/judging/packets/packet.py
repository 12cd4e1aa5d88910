"""A packet: the file that a rater has, opened as a project and judged as one, and the hashes that protect it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from biasprint.core.errors import UsageError
from biasprint.core.judging import open_ratings
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.looking import packet_mark
from biasprint.core.judging.open_ratings import OpenRating
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.wording import ComparisonWording
from biasprint.core.judging.work import Refused
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    CONFIDENCE,
    DEGREE,
    LOOKED,
    PROMPTS,
    RECOMMENDED,
    SPANS,
    VIEWED,
    WORST,
    ComparisonRow,
    PacketRow,
    PlanRow,
    RaterRow,
    SessionRow,
    text_views,
    wrong_answer,
)
from biasprint.core.project.stores.common import canonical_json

# ---- The contents, and the hash that tells whether they were changed

SUFFIX = ".bpacket"
STUDY = "packet"  # the kind of the one study in a packet
FORMAT = 1
CARD, ORIGIN = "card", "packet"  # kind and origin of its texts


class ShownComparison(NamedTuple):
    """One comparison of a packet: its id, the number of its wording, the hashes of its texts in the order of cards."""

    id: str
    wording: str
    texts: Sequence[str]


def settings_for_rater(settings: PlanSettings, wording: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the plan's settings in a packet: what its rater needs, and no more."""
    own = {
        "instructions": settings.instructions,
        "question": settings.question,
        "practice": list(settings.practice),
        "worst": settings.worst,
        "graded": settings.graded,
        "confidence": settings.confidence,
        "spans": settings.spans,
        "show_prompt": settings.show_prompt,
        "prompts_shown": settings.prompts_shown,
        "prompts_withheld": settings.prompts_withheld,
    }
    return {
        # Only where there are any: packets of plans without them stay the packets that they were.
        **{name: value for name, value in own.items() if value},
        "consent_text": settings.consent_text,
        "criterion_ratings": settings.criterion_ratings,
        "ask_background": settings.ask_background,
        "notes": settings.notes,
        "wording": list(wording),
    }


def content_sha256(code: str, settings: Mapping[str, Any], comparisons: Iterable[ShownComparison]) -> str:
    """Return the SHA-256 over the rater's code, the settings with the wording and, a line each, the comparisons."""
    digest = hashlib.sha256(canonical_json([code, dict(settings)]).encode("ascii"))
    for comparison in comparisons:
        digest.update(
            b"\n" + canonical_json([comparison.id, comparison.wording, list(comparison.texts)]).encode("ascii")
        )
    return digest.hexdigest()


class WordingList:
    """The different titles and criteria of a plan's comparisons, numbered as they come."""

    def __init__(self, wording: ComparisonWording) -> None:
        self._wording = wording
        self._numbers: dict[str, int] = {}
        self.all: list[dict[str, Any]] = []

    def number(self, task: str, theme: str) -> str:
        criteria = [[criterion.name, criterion.explanation] for criterion in self._wording.criteria(task)]
        shown = {"title": self._wording.title(task, theme), "criteria": criteria}
        key = canonical_json(shown)
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(shown)
        return str(self._numbers[key])


# ---- What a packet's judgment keeps beside its choice

# Parts of the detail, each with the setting of the plan that asks for it.
ASKED_BY = {DEGREE: "graded", CONFIDENCE: "confidence", SPANS: "spans"}


def is_detail(detail: Any, row: Mapping[str, Any], asked: Mapping[str, Any], lengths: Sequence[int]) -> bool:
    """Return whether the detail holds the card that was recommended, if one was; beside it only what the plan asks for:
    the worst card, another than the chosen one, a degree with each choice, confidence, words inside the texts; and what
    was in view. Raises ValueError for strange views. `asked`: the plan's settings; `lengths`: of the texts.
    """
    advised = asked.get(RECOMMENDED, {}).get(row["comparison_id"])
    may = {WORST, VIEWED, LOOKED, *(name for name, by in ASKED_BY.items() if asked.get(by))}
    if not isinstance(detail, dict) or detail.pop(RECOMMENDED, None) != advised or detail.keys() - may:
        return False
    if detail.pop(LOOKED, True) is not True:
        return False
    if bool(asked.get("graded") and row["outcome"] == "choice") != (DEGREE in detail):
        return False
    if wrong_answer(detail, row["outcome"], lengths):
        return False
    if VIEWED in detail:
        text_views(detail[VIEWED], len(lengths))
    if WORST not in detail:
        return True
    worst = detail[WORST]
    return type(worst) is int and worst in range(len(lengths)) and row["chosen"] not in (None, worst)


def detail_of_items(detail: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """Return the detail with the worst card, the recommended one, those of marked words, and the views, as items."""
    items = {name: order[detail[name]] for name in (WORST, RECOMMENDED) if name in detail}
    said = {name: detail[name] for name in (DEGREE, CONFIDENCE, LOOKED) if name in detail}
    spans = sorted([order[card], start, end] for card, start, end in detail.get(SPANS, ()))
    if VIEWED in detail:
        by_item = dict(zip(order, detail[VIEWED], strict=True))
        said[VIEWED] = [by_item[item] for item in range(len(order))]
    return {**items, **said, **({SPANS: spans} if spans else {})}


# ---- A packet opened as a project


@dataclass(frozen=True)
class PacketInfo:
    """A packet's description of itself. `finished`: it is locked and sealed, to be sent back."""

    packet_id: str
    code: str
    comparisons: int
    finished: bool


@dataclass(frozen=True)
class PacketParts:
    """The rows that there is one of in a packet."""

    packet: PacketRow
    plan: PlanRow
    rater: RaterRow
    session: SessionRow


def packet_parts(project: Project) -> PacketParts | None:
    """Return the rows that make a file a packet; None: an ordinary project."""
    if [study.kind for study in project.studies.all()] != [STUDY]:
        return None
    packets, plans = project.packets.all(), project.judging.plans()
    raters, sessions = project.judging.raters(), project.judging.sessions()
    if any(len(rows) != 1 for rows in (packets, plans, raters, sessions)):
        return None
    return PacketParts(packets[0], plans[0], raters[0], sessions[0])


def packet_info(project: Project) -> PacketInfo | None:
    """Return the packet's description of itself; None for an ordinary project."""
    parts = packet_parts(project)
    if parts is None:
        return None
    return PacketInfo(
        packet_id=parts.packet.id,
        code=parts.rater.code,
        comparisons=project.judging.count(parts.plan.id),
        finished=parts.session.revealed_at is not None,
    )


def finish_packet(project: Project) -> Changes:
    """Lock the packet's session and seal what it holds; from then on nothing in it can be changed unseen."""
    parts = _required(project)
    return project.packets.finish(parts.packet.id, parts.session.id)


class PacketStore(ProjectStore):
    """A packet, for judging: one plan, one rater, one session, which is there before it is opened."""

    @cached_property
    def _code(self) -> str:
        """Read once it is asked for, by the judging thread."""
        return _required(self.project).rater.code

    def wording(self) -> ComparisonWording:
        """Return the wording that the packet carries."""
        return PacketWording(self.project)

    def prompts(self, plan: PlanRow) -> Callable[[ComparisonRow], str]:
        """Return the function that gives the prompt of a comparison that the packet carries."""
        carried = plan.settings.get(PROMPTS, {})
        return lambda row: str(carried.get(row.id, ""))

    def only_code(self) -> str | None:
        return self._code

    def packet_sessions(self) -> frozenset[str]:
        """Return none: the packet's own session is rated here."""
        return frozenset()

    def rater(self, code: str) -> RaterRow:
        if code != self._code:
            raise Refused(f"This packet is for {self._code}.", hint=f"Use the code {self._code}, or your own packet.")
        return _required(self.project).rater

    def session(self, plan_id: str, rater_id: str, consent_text: str) -> SessionRow:
        own = _required(self.project).session
        if not own.opened_at:
            self.project.packets.open_own(own.id, consent_text)
        if own.revealed_at is None:  # whoever has the project on this machine as well is asked before they look
            rating = OpenRating(packet_mark(plan_id), plan_id, rater_id, self._code, open_ratings.now())
            open_ratings.begin(own.id, rating)
        return _required(self.project).session

    def reveal(self, session_id: str) -> Changes:
        """Lock and seal it. Nothing is revealed: what is hidden is not in the packet."""
        changes = finish_packet(self.project)
        open_ratings.end(session_id)
        return changes


class PacketWording(ComparisonWording):
    """The wording that an open packet carries: a comparison's task is its number. Read by whoever asks for it first."""

    def __init__(self, project: Project) -> None:
        super().__init__({})
        self._project = project

    @cached_property
    def _shown(self) -> list[tuple[str, tuple[RatingCriterion, ...]]]:
        return [
            (
                str(wording["title"]),
                tuple(RatingCriterion(str(name), str(explanation)) for name, explanation in wording["criteria"]),
            )
            for wording in _required(self._project).plan.settings.get("wording", ())
        ]

    def title(self, task: str, theme: str) -> str:
        return self._shown[int(task)][0]

    def criteria(self, task: str) -> tuple[RatingCriterion, ...]:
        return self._shown[int(task)][1]


def _required(project: Project) -> PacketParts:
    parts = packet_parts(project)
    if parts is None:
        raise UsageError(f"“{project.path.name}” is not a packet.", hint="Open the packet that you were sent.")
    return parts


READ_BYTES = 1 << 20


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as stream:
        while piece := stream.read(READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()


# ---- What became of each file that was merged, and of each rater in it

Unsealed = Literal["", "altered", "unsealed"]
Held = Unsealed | Literal["copy"]
HELD_WORDS: Mapping[Held, str] = {
    "altered": "its answers were altered outside the program after they were given.",
    "unsealed": "it has no seal of the packet that this project made, so nothing shows whose answers these are.",
    "copy": "another finished copy was merged before, and this one would take the place of answers in it.",
}


@dataclass(frozen=True)
class MergedFile:
    """The result of merging one file.

    `added` and `repeated`: judgments that are new, and that were here already. `conflicting`: comparisons to which this
    rater's files now hold different answers. `changed_texts`: comparisons whose texts are not the project's; answers to
    them were not merged. `refused`: why the file was not merged, and `hint` what to do; else empty. `strange`: answers
    that were not merged because nobody was asked for them so: a label or a task that was never given out. `workshop`:
    it is a seat of one, whose code is not shown. `unknown_rater`: the project does not know this packet's rater; merged
    only where raters are accepted. `held`: why it waits for a decision, and is merged only where that was accepted.
    "altered": its answers are not those that were signed as they were given. "unsealed": it is not the packet that was
    made for this session here, or that packet is of a version that did not sign. "copy": another finished copy was
    merged before, and this one would take the place of answers in it. `copies`: another finished copy was merged, with
    other answers. `unsealed`: nothing shows that these are the answers as they were given.
    """

    path: Path
    name: str
    code: str = ""
    added: int = 0
    repeated: int = 0
    conflicting: int = 0
    changed_texts: tuple[str, ...] = ()
    refused: str = ""
    hint: str = ""
    finished: bool = False
    unknown_rater: bool = False
    strange: int = 0
    workshop: bool = False
    held: Held = ""
    copies: bool = False
    unsealed: bool = False


@dataclass(frozen=True)
class MergeReport:
    """The result of a merge. `conflicts`: how many wait for a decision in the whole project.

    For workshops, where people are not distinguished: `seats_to_decide`, whose copies differ, and `seats_kept`, of
    which other answers came after they had been settled, and the earlier ones count.
    """

    files: tuple[MergedFile, ...]
    conflicts: int
    seats_to_decide: int = 0
    seats_kept: int = 0
