"""The frozen rows that cross the border of the store. Texts are as received; JSON columns are decoded."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from biasprint.core.findings import Finding
from biasprint.core.scorers.refusal import REFUSAL

Outcome = Literal["choice", "tie", "none", "skip", "undone"]
Floats = npt.NDArray[np.float32]
TextKey = tuple[Literal["output", "source"], int]


@dataclass(frozen=True)
class StudyRow:
    id: int
    kind: str
    title: str
    settings: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class AxisRow:
    id: int
    key: str
    version: int
    title: str
    definition: Mapping[str, Any]
    sha256: str


@dataclass(frozen=True)
class PromptSetRow:
    id: int
    study_id: int
    name: str
    version: int
    recipe: Mapping[str, Any]
    sha256: str
    created_at: str


@dataclass(frozen=True)
class PromptRow:
    id: int
    prompt_set_id: int
    key: str
    text: str
    task: str
    theme: str
    axis: str
    identity: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class SourceRow:
    """A text that no prompt of ours asked for: an original, a CV, an imported letter."""

    id: int
    study_id: int
    kind: str
    origin: str
    row: int
    text: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class GeneratorRow:
    id: int
    backend: str
    model: str
    parameters: Mapping[str, Any]
    revision: str


@dataclass(frozen=True)
class RunRow:
    id: int
    study_id: int
    prompt_set_id: int
    generator_id: int
    seed: int
    samples: int
    recipe: Mapping[str, Any]
    program_version: str
    created_at: str


@dataclass(frozen=True)
class RunCounts:
    """The outputs of a run, counted. `failures`: how many have no text, by kind of failure, refusals among them.
    `cut`: texts, of those done, that end at the limit on tokens.
    """

    wanted: int
    done: int
    failures: Mapping[str, int]
    cut: int = 0

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    @property
    def refused(self) -> int:
        return self.failures.get(REFUSAL, 0)

    @property
    def missing(self) -> int:
        return self.wanted - self.done - self.failed


@dataclass(frozen=True)
class Pending:
    """A prompt whose sample has no output yet."""

    prompt: PromptRow
    sample: int


@dataclass(frozen=True)
class OutputRow:
    """An output with what its prompt and generator say of it."""

    id: int
    run_id: int
    prompt_id: int
    sample: int
    seed: int
    status: str
    text: str
    finish_reason: str
    error: str
    seconds: float
    prompt_key: str
    task: str
    theme: str
    axis: str
    identity: str
    fields: Mapping[str, str]
    backend: str
    model: str
    failure: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)
    created_at: str = ""


@dataclass(frozen=True)
class WrittenTexts:
    """So many finished texts, and when the first and the last of them were stored."""

    n: int
    first: str
    last: str

    def joined(self, other: "WrittenTexts") -> "WrittenTexts":
        return WrittenTexts(self.n + other.n, min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True)
class TextRow:
    """A text to score: exactly one of the two ids is set. `line_break`: its sign in an imported text."""

    output_id: int | None
    source_id: int | None
    text: str
    line_break: str = ""

    @property
    def key(self) -> int:
        """The id that is set."""
        number = self.output_id if self.output_id is not None else self.source_id
        assert number is not None
        return number


@dataclass(frozen=True)
class ScoreRow:
    output_id: int | None
    source_id: int | None
    values: Floats
    summary: float | None


@dataclass(frozen=True)
class PlanRow:
    id: str
    study_id: int
    title: str
    axis: str
    seed: int
    settings: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class ComparisonItem:
    """A card of a comparison: an output, or else a source, and its identity. In a packet it has none."""

    output: int | None
    identity: str
    source: int | None = None

    def __post_init__(self) -> None:
        if (self.output is None) == (self.source is None):
            raise ValueError("a card shows one output or one source")

    @property
    def key(self) -> TextKey:
        """The key of the text that the card shows."""
        if self.output is not None:
            return ("output", self.output)
        assert self.source is not None
        return ("source", self.source)


@dataclass(frozen=True)
class ComparisonRow:
    id: str
    plan_id: str
    position: int
    axis: str
    task: str
    theme: str
    items: tuple[ComparisonItem, ...]
    texts_sha256: str
    repeat_of: str | None


@dataclass(frozen=True)
class RaterRow:
    id: str
    code: str
    kind: str
    background: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class SessionRow:
    id: str
    plan_id: str
    rater_id: str
    consent_text: str
    consent_at: str
    opened_at: str
    revealed_at: str | None


RECOMMENDED = "recommended"  # in a judgment's detail: the item index of the text that was recommended beside it
ALONE = "-"  # in columns of judgments: such a plan recommended none here, and the others are compared with it
ORDER_KEY = "order_key"  # in a plan's settings: what its orders of cards are drawn from; never in a packet
WORST = "worst"  # in a judgment's detail: the item index of the worst text, where that was asked for
LOOKED = "seen"  # in a judgment's detail: somebody had looked at the identities before
PROMPTS = "prompts"  # in a packet's settings: the prompt of each comparison that shows one
UNSEALED = "unsealed"  # in a judgment's detail and a merged file's manifest: let in although its seal is missing
VIEWED = "viewed"  # in a judgment's detail: a `TextView` of each text, in the order of the items


@dataclass(frozen=True)
class TextView:
    """The seconds that a text was in view, and whether its end ever was."""

    seconds: float = 0.0
    end: bool = False

    def __add__(self, later: "TextView") -> "TextView":
        return TextView(self.seconds + later.seconds, self.end or later.end)

    def stored(self) -> dict[str, float | bool]:
        return {"seconds": round(self.seconds, 3), "end": self.end}


def text_views(stored: Any, cards: int) -> tuple[TextView, ...]:
    """Return what a judgment's detail keeps under `VIEWED`. Raises ValueError unless it is one sound entry a card."""
    if not isinstance(stored, list) or len(stored) != cards:
        raise ValueError("“viewed” has one entry for each text")
    return tuple(map(_text_view, stored))


def _text_view(stored: Any) -> TextView:
    if not isinstance(stored, dict) or stored.keys() != {"seconds", "end"} or type(stored["end"]) is not bool:
        raise ValueError("“viewed” has seconds and an end for each text")
    seconds = stored["seconds"]
    if type(seconds) not in (int, float) or not 0 <= seconds <= sys.float_info.max:
        raise ValueError("the seconds that a text was in view are 0 or more")
    return TextView(float(seconds), stored["end"])


DEGREE = "degree"  # how much better the chosen text is, where that was asked for: one of `DEGREES`
CONFIDENCE = "confidence"  # how sure the rater was, where that was asked for: one of `CONFIDENCES`
SPANS = "spans"  # words that the rater marked as reasons: [item, start, end] in characters of the stored text
Degree = Literal["slightly", "much"]
DEGREES: tuple[Degree, ...] = get_args(Degree)
CONFIDENCES = (1, 2, 3)  # a guess, fairly sure, sure
Span = tuple[int, int, int]  # item, start and end: code points, so that no character of a text is ever cut in two


def joined_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in the order of items and places; those that overlap or touch are one."""
    joined: list[Span] = []
    for item, start, end in sorted(spans):
        if joined and joined[-1][0] == item and start <= joined[-1][2]:
            item, start, end = item, joined[-1][1], max(joined[-1][2], end)
            joined.pop()
        joined.append((item, start, end))
    return tuple(joined)


def wrong_answer(detail: Mapping[str, Any], outcome: str, lengths: Sequence[int]) -> str:
    """Return what is wrong with degree, confidence and spans of a judgment, in words; "" where nothing is.

    lengths: characters of each item's text.
    """
    degree, confidence, spans = (detail.get(name) for name in (DEGREE, CONFIDENCE, SPANS))
    if degree is not None and (outcome != "choice" or degree not in DEGREES):
        return "a degree is “slightly” or “much”, and only a choice has one"
    if confidence is not None and (type(confidence) is not int or confidence not in CONFIDENCES):
        return "confidence is 1, 2 or 3"
    if spans is None:
        return ""
    if not isinstance(spans, list | tuple) or not spans or not all(_is_span(span, lengths) for span in spans):
        return "a marked span names an item, its first character and the one behind its last, all inside the text"
    as_spans = [(span[0], span[1], span[2]) for span in spans]
    return "" if list(joined_spans(as_spans)) == as_spans else "marked spans overlap, touch or are out of order"


def _is_span(span: object, lengths: Sequence[int]) -> bool:
    if not isinstance(span, list | tuple) or len(span) != 3 or any(type(number) is not int for number in span):
        return False
    item, start, end = span
    return bool(0 <= item < len(lengths) and 0 <= start < end <= lengths[item])


@dataclass(frozen=True)
class JudgmentRow:
    """A judgment. `shown`: item indexes in the order of the cards; `chosen`: an item index, with outcome “choice”
    alone.
    """

    sequence: int
    id: str
    session_id: str
    comparison_id: str
    outcome: Outcome
    chosen: int | None
    shown: tuple[int, ...]
    texts_sha256: str
    note: str
    active_seconds: float
    supersedes: str | None
    created_at: str
    detail: Mapping[str, Any] = field(default_factory=dict)  # a model's reply and how it was read; `seen`

    @property
    def recommended(self) -> int | None:
        """The index of the item that was recommended beside the comparison; None where none was (core.judging.sway)."""
        card: int | None = self.detail.get(RECOMMENDED)
        return card

    @property
    def seen(self) -> bool:
        """Return whether somebody had looked at the identities before it was made (biasprint.core.judging.looking)."""
        return bool(self.detail.get(LOOKED))

    @property
    def unsealed(self) -> bool:
        """Return whether it came in a file that nothing shows to be as its rater sent it, by a recorded decision."""
        return bool(self.detail.get(UNSEALED))

    @property
    def worst(self) -> int | None:
        """The item index of the text that was called the worst."""
        worst: int | None = self.detail.get(WORST)
        return worst

    @property
    def viewed(self) -> tuple[TextView, ...] | None:
        """The views of the texts, in the order of the items; None for a model, another tool, or an older answer."""
        try:
            return text_views(self.detail.get(VIEWED), len(self.shown))
        except ValueError:
            return None

    @property
    def read_to_end(self) -> bool | None:
        """Return whether the end of every text was in view before the answer; None without such a record."""
        return None if (views := self.viewed) is None else all(view.end for view in views)

    @property
    def degree(self) -> Degree | None:
        """The degree to which the chosen text is better; None where that was not asked."""
        degree: Degree | None = self.detail.get(DEGREE)
        return degree

    @property
    def confidence(self) -> int | None:
        """The certainty of the rater, 1 to 3; None where that was not asked, or the session broke off before."""
        confidence: int | None = self.detail.get(CONFIDENCE)
        return confidence

    @property
    def spans(self) -> tuple[Span, ...]:
        """The words that the rater marked as reasons."""
        return tuple((item, start, end) for item, start, end in self.detail.get(SPANS, ()))


@dataclass(frozen=True)
class AnnotationRow:
    """A statement beside the judgments. `target` is the id of what it is about; `value` depends on the kind."""

    id: str
    kind: str
    target: str
    rater_id: str | None
    value: Mapping[str, Any]
    supersedes: str | None
    created_at: str


@dataclass(frozen=True)
class PacketRow:
    """A packet that was made, or a file of one that came back; in a packet, its own row.

    `file_sha256` is of the file's bytes; empty in a packet, which cannot state its own, and for what was handed out to
    another tool, whose answers have no seal.
    """

    id: str
    plan_id: str
    rater_id: str
    direction: Literal["made", "merged"]
    file_sha256: str
    manifest: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class FindingRow:
    """A stored finding. `body`: the finding as it is stored, with the contract's keys."""

    id: int
    study: str
    measurement: str
    body: Mapping[str, Any]
    finding: Finding
    recipe: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class EventRow:
    id: int
    kind: str
    body: Mapping[str, Any]
    created_at: str
