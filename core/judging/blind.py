"""Values that a window may hold while a session is open: they name no identity, axis, model, output or file, and a
vault for the one thing that does.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

from biasprint.core.project.rows import Degree

Answered = Literal["choice", "tie", "none", "skip"]
State = Literal["done", "skipped", "left", "unusable"]
Ratings = tuple[tuple[int | None, ...], ...]  # by card as shown, then by criterion; None where there is none
CardSpans = tuple[tuple[int, int, int], ...]  # marked words: card as shown, first character, one behind the last


@dataclass(frozen=True)
class RatingCriterion:
    name: str
    explanation: str


@dataclass(frozen=True)
class BlindComparison:
    """One comparison as its rater sees it. `token` is random and means nothing outside its session."""

    token: str
    ordinal: int  # 1 is the first of the plan
    title: str
    criteria: tuple[RatingCriterion, ...]
    texts: tuple[str, ...]  # in the order of the cards: A, B, C
    note: str
    notes: bool = True  # whether the plan asks for notes
    ratings: Ratings | None = None  # None: the plan does not ask for ratings by criterion
    question: str = ""  # the plan's own; "" for the usual one
    instructions: str = ""
    asks_worst: bool = False  # after the best of three, the worst
    graded: bool = False  # whether a choice says how much better it is
    spans: CardSpans | None = None  # None: the plan does not ask for words to be marked
    prompt: str = ""  # what the texts answer; "" where it names what stays hidden, or is not shown
    recommended: int | None = None  # the card that “the assistant” suggests; None where nothing is suggested


@dataclass(frozen=True)
class PracticeStep:
    """The rater's place in the practice round, which comes before the first comparison and counts nowhere.

    `right`: the card that is known to be the better one, and `why`; None before the rater has answered.
    """

    number: int
    of: int
    right: int | None = None
    why: str = ""


@dataclass(frozen=True)
class GivenAnswer:
    """The rater's earlier answer; `card` is the index of the chosen card, with outcome "choice" alone.

    `worst`: the index of the worst card, `degree` and `confidence`: where they were asked for.
    """

    outcome: Answered
    card: int | None = None
    worst: int | None = None
    degree: Degree | None = None
    confidence: int | None = None


@dataclass(frozen=True)
class SessionProgress:
    """The progress of a session. `unusable`: comparisons whose texts are not the ones that were planned; nobody can
    judge those.
    """

    done: int
    skipped: int
    left: int
    unusable: int
    total: int
    active_seconds: float
    recommends: bool = False  # whether recommendations are shown with some comparisons
    seconds_left: float | None = None  # at this rater's own pace, once it is known


@dataclass(frozen=True)
class SessionView:
    """Everything the window shows of a session. `comparison` is None at the end, and `answer` for a new one.

    `unread`: the cards of the answer just given whose end was never in view; only the first time in a session.
    """

    comparison: BlindComparison | None
    answer: GivenAnswer | None
    progress: SessionProgress
    revealed: bool = False
    practice: PracticeStep | None = None
    unread: tuple[int, ...] = ()
    asks_confidence: bool = False  # of the answer, which is on disk


@dataclass(frozen=True)
class OverviewEntry:
    """A line of the list to go back to."""

    token: str
    ordinal: int
    title: str
    state: State


@dataclass(frozen=True)
class Offer:
    """A plan that can be judged, without its title or axes: both would reveal what is compared."""

    token: str
    number: int
    comparisons: int
    done: int  # by this rater
    skipped: int
    opened: bool  # this rater has begun
    revealed: bool  # this rater has finished: the session is locked
    consent_text: str  # what the rater must agree to first; "" for nothing
    agreed: bool = False  # this rater has agreed to it
    asks_background: bool = False
    described: bool = False  # this rater has said something about themselves; what, is not shown again
    notes: bool = True
    ratings: bool = False
    instructions: str = ""
    practice: int = 0  # how many comparisons there are to practise with; 0 once that was done
    question: str = ""  # the plan's own
    asks_worst: bool = False
    graded: bool = False
    confidence: bool = False
    spans: bool = False
    prompts_shown: bool = False  # above some texts
    prompts_withheld: bool = False  # there are prompts, and none is shown: they name what is compared
    cards: tuple[int, ...] = ()  # how many texts its comparisons show: one number, or two and three


@dataclass(frozen=True)
class StartInfo:
    """The start page: the rater's code (a suggestion where none was given) and the plans that can be judged."""

    code: str
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class IdentityCount:
    identity: str
    label: str
    chosen: int


@dataclass(frozen=True)
class AxisSummary:
    """The number of times each identity's text was chosen on one axis; hidden repeats are not counted."""

    axis: str
    title: str
    identities: tuple[IdentityCount, ...]
    choices: int
    ties: int
    none: int
    skipped: int
    left: int


@dataclass(frozen=True)
class Swayed:
    """The effect of the recommendations, shown to the rater at the reveal. Hidden repeats are not counted.

    `shown`: comparisons answered beside one; `followed`: those in which the suggested text was chosen. `favoured`: the
    labels of the identities that they spoke for, each with the share of the recommendations that named it.
    """

    shown: int
    followed: int
    favoured: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class RevealedCard:
    """A text as its card showed it, and whom it was written for."""

    label: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class RevealedComparison:
    title: str
    cards: tuple[RevealedCard, ...]  # as this rater saw them


@dataclass(frozen=True)
class Revelation:
    """The result at the reveal; it is made only after the session is locked.

    `repeats_same`: hidden repeats that were answered the same way both times, of `repeats` answered at all.
    `swayed`: None where the plan shows no recommendations. `withheld`: answers of which nothing is shown, because the
    raters `withheld_for` are still to judge the same texts on this computer.
    """

    axes: tuple[AxisSummary, ...]
    repeats: int
    repeats_same: int
    rater: str = ""  # the id of whose it is
    swayed: Swayed | None = None
    compared: tuple[RevealedComparison, ...] = ()  # the first that were answered
    answered: int = 0
    withheld: int = 0
    withheld_for: tuple[str, ...] = ()


BlindAnswer = (
    StartInfo | SessionView | SessionProgress | tuple[OverviewEntry, ...] | Ratings | CardSpans | Revelation | None
)
_ANSWERS = (StartInfo, SessionView, SessionProgress, OverviewEntry, Revelation)


def is_blind(answer: object) -> bool:
    """Return whether an answer is of a kind that may go through the door of judging: a `BlindAnswer`."""
    if isinstance(answer, tuple):
        return all(map(is_blind, answer))
    return answer is None or type(answer) is int or type(answer) in _ANSWERS


# ---- The vault: a window must not lead to its project while a rater is blind

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")


class _Order(NamedTuple):
    work: Callable[[Any], Any]
    answer: "SimpleQueue[tuple[bool, Any]]"
    last: bool


_Inbox = SimpleQueue[object]


class Vault(Generic[Thing]):
    """Holds a thing in the local variables of a thread; no attribute of the vault, or of the thread, leads to it.

    The caller drops its own references after construction. `take` gives the thing back, once.
    """

    def __init__(self, thing: Thing) -> None:
        self._inbox: _Inbox = SimpleQueue()
        self._inbox.put(thing)
        locked = threading.Event()
        threading.Thread(target=_keep, args=(self._inbox, locked), name="vault", daemon=True).start()
        locked.wait()
        self._taken = False

    def use(self, work: Callable[[Thing], Answer]) -> Answer:
        """Call `work` with the thing in the vault's own thread, and return its answer. RuntimeError if it fails."""
        return cast(Answer, self._ask(work, last=False))

    def take(self) -> Thing:
        """Return the thing; the vault is empty afterwards. RuntimeError if it is already."""
        return cast(Thing, self._ask(lambda thing: thing, last=True))

    def _ask(self, work: Callable[[Thing], Any], *, last: bool) -> object:
        if self._taken:
            raise RuntimeError("the vault is empty")
        self._taken = last
        answer: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        self._inbox.put(_Order(work, answer, last))
        done, value = answer.get()
        if not done:
            raise RuntimeError(f"work in the vault failed: {value}")
        return cast(object, value)


def _keep(inbox: _Inbox, locked: threading.Event) -> None:
    thing = inbox.get()
    locked.set()
    last = False
    while not last:
        work, answer, last = cast(_Order, inbox.get())
        try:
            answer.put((True, work(thing)))
        except Exception as error:  # in words: the frames of an error that crosses would lead to the thing
            answer.put((False, type(error).__name__))
        del work, answer  # what was asked is its asker's alone
