"""Comparisons with a known answer: a practice round with feedback, and hidden checks between the others.

Both are written in a table (csv, tsv, jsonl, xlsx, parquet), a row each: `text_a`, `text_b` and for three cards
`text_c`; `answer`, the letter of the better one; and where they help `task`, `theme` and `why`. Practice travels with
the plan's settings, its answers too. A check is a comparison like any other, on the axis `CHECK`: only its cards'
identities, which no rater's window and no packet has, tell the right one.
"""

import random
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import Answered, BlindComparison, GivenAnswer, PracticeStep
from biasprint.core.judging.plan import CHECK, RIGHT
from biasprint.core.judging.wording import ComparisonWording
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, Degree, JudgmentRow
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.tables.fields import FieldSpec
from biasprint.core.tables.read import read_records
from biasprint.core.tables.rows import Record, excerpt

CARDS = "abc"
KEPT = "No plan was made."
MOST = 200  # of one file: practice and checks are read by people
FIELDS = (
    FieldSpec("text_a", aliases=("a",)),
    FieldSpec("text_b", aliases=("b",)),
    FieldSpec("text_c", aliases=("c",)),
    FieldSpec("answer", aliases=("better", "correct", "solution")),
    FieldSpec("why", aliases=("explanation", "reason", "feedback")),
    FieldSpec("task"),
    FieldSpec("theme"),
)


@dataclass(frozen=True)
class KnownAnswer:
    """Texts of which one is known to be the better: `answer` is its place among `texts`."""

    texts: tuple[str, ...]
    answer: int
    task: str = ""
    theme: str = ""
    why: str = ""

    def stored(self) -> dict[str, Any]:
        return {**asdict(self), "texts": list(self.texts)}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "KnownAnswer":
        return cls(**{**stored, "texts": tuple(stored["texts"])})


def read_known(path: Path) -> tuple[KnownAnswer, ...]:
    """Return the rows of a table of known answers. Raises AppError, with the row, for one that has none or cannot be
    used.
    """
    read = read_records(path, FIELDS)
    if "answer" not in read.mapping:
        raise AppError(f"“{path.name}” has no column “answer”.", kept=KEPT, hint=_SAY)
    if bad := next((problem for problem in read.problems if not problem.kept), None):
        raise AppError(f"A row of “{path.name}” cannot be used: {bad}.", kept=KEPT, hint="Mend the row, or remove it.")
    if len(read.rows) > MOST:
        raise AppError(f"“{path.name}” has more than {MOST} rows.", kept=KEPT, hint="Choose the clearest of them.")
    return tuple(_known(path, row) for row in read.rows)


_SAY = "Say in a column “answer” which text is the better one: a, b or c."


def _known(path: Path, row: Record) -> KnownAnswer:
    texts = tuple(text for letter in CARDS if (text := row.values.get(f"text_{letter}", "")).strip())
    answer = row.values.get("answer", "").strip().lower()
    if len(texts) < 2:
        raise AppError(
            f"Row {row.number} of “{path.name}” has fewer than two texts.", kept=KEPT,
            hint="They stand in the columns text_a, text_b and, for a third card, text_c.",
        )  # fmt: skip
    if not answer:
        raise AppError(f"Row {row.number} of “{path.name}” has no answer.", kept=KEPT, hint=_SAY)
    if answer not in CARDS[: len(texts)]:
        raise AppError(
            f"Row {row.number} of “{path.name}”: {excerpt(answer)} is none of its {len(texts)} texts.", kept=KEPT,
            hint=_SAY,
        )  # fmt: skip
    if len({text.strip() for text in texts}) < len(texts):
        raise AppError(
            f"Row {row.number} of “{path.name}” has the same text twice.", kept=KEPT, hint="No answer is right there."
        )
    more = {name: row.values.get(name, "").strip() for name in ("task", "theme", "why")}
    return KnownAnswer(texts, CARDS.index(answer), **more)


def fitted(checks: Sequence[KnownAnswer], cards: Collection[int]) -> tuple[KnownAnswer, ...]:
    """Return the checks with as many texts as the plan's comparisons show, one of `cards`: others would be seen to be
    checks.

    Of too many texts the last wrong ones are left out. Raises AppError for a check with too few.
    """
    return tuple(_fitted(number, check, sorted(cards)) for number, check in enumerate(checks, start=1))


def _fitted(number: int, check: KnownAnswer, cards: Sequence[int]) -> KnownAnswer:
    shown = max((size for size in cards if size <= len(check.texts)), default=0)
    if not shown:
        raise AppError(
            f"Hidden check {number} has {len(check.texts)} texts, and every comparison shows {cards[0]}: raters would "
            "see that it is a check.", kept=KEPT, hint="Give it another wrong text, in the column text_c.",
        )  # fmt: skip
    wrong = [text for text in check.texts if text != check.texts[check.answer]][: shown - 1]
    texts = tuple(text for text in check.texts if text == check.texts[check.answer] or text in wrong)
    return replace(check, texts=texts, answer=texts.index(check.texts[check.answer]))


# ---- Results of the hidden checks

ANSWERED = ("choice", "tie", "none")  # a skip is no answer


@dataclass(frozen=True)
class CheckResult:
    """The number of hidden checks that a rater answered, and of those answered correctly."""

    asked: int
    passed: int


def check_result(rows: Iterable[ComparisonRow], judgments: Sequence[JudgmentRow]) -> CheckResult:
    """Count the hidden checks in the judgments in force. A tie, or none, is no right answer; a skip is no answer at
    all.
    """
    checks = {row.id: row for row in rows if row.axis == CHECK}
    answers = [judgment for judgment in judgments if judgment.comparison_id in checks and judgment.outcome in ANSWERED]
    passed = sum(
        judgment.chosen is not None and checks[judgment.comparison_id].items[judgment.chosen].identity == RIGHT
        for judgment in answers
    )
    return CheckResult(len(answers), passed)


# ---- The practice round, with feedback on each answer

PRACTICE = "practice"  # the kind of the annotation on the session that keeps it


@dataclass(frozen=True)
class PracticeResult:
    """A practice round that was gone through; `seconds` is its active time."""

    right: int
    of: int
    seconds: float


class PracticeRound:
    """One rater's practice round. Its answers are no judgments; only the number of right ones and the time are stored.

    The order of the cards is drawn again each time, so that nobody learns places instead of answers.
    """

    def __init__(self, items: Sequence[KnownAnswer], wording: ComparisonWording, *, graded: bool = False) -> None:
        self._items = items
        self._graded = graded
        self._wording = wording
        self._tokens = [secrets.token_urlsafe(9) for _ in items]
        self._orders = [random.sample(range(len(item.texts)), len(item.texts)) for item in items]
        self._given: list[GivenAnswer] = []
        self._at = 0
        self.seconds = 0.0

    @property
    def over(self) -> bool:
        return self._at >= len(self._items)

    @property
    def result(self) -> PracticeResult:
        right = sum(given.card == self._right(place) for place, given in enumerate(self._given))
        return PracticeResult(right, len(self._items), round(self.seconds, 1))

    def comparison(self, question: str, instructions: str) -> BlindComparison:
        item = self._items[self._at]
        return BlindComparison(
            token=self._tokens[self._at],
            ordinal=self._at + 1,
            title=self._wording.title(item.task, item.theme),
            criteria=self._wording.criteria(item.task),
            texts=tuple(item.texts[index] for index in self._orders[self._at]),
            note="",
            notes=False,
            graded=self._graded,
            question=question,
            instructions=instructions,
        )

    @property
    def answer(self) -> GivenAnswer | None:
        return self._given[self._at] if self._answered else None

    @property
    def step(self) -> PracticeStep:
        """With the known answer once the rater has given one."""
        number = self._at + 1
        if not self._answered:
            return PracticeStep(number, len(self._items))
        return PracticeStep(number, len(self._items), self._right(self._at), self._items[self._at].why)

    def record(self, token: str, outcome: Answered, card: int | None, degree: Degree | None = None) -> None:
        """Record an answer; only the first one is marked right or wrong."""
        if token == self._tokens[self._at] and not self._answered:
            self._given.append(GivenAnswer(outcome, card, degree=degree))

    def go_on(self) -> None:
        """Go to the next comparison from one that was answered."""
        if self._answered:
            self._at += 1

    @property
    def _answered(self) -> bool:
        return len(self._given) > self._at

    def _right(self, place: int) -> int:
        return self._orders[place].index(self._items[place].answer)


def keep_practice_result(project: Project, rater_id: str, session_id: str, result: PracticeResult) -> None:
    """Write that a rater has gone through the practice round of a session."""
    project.annotations.add(AnnotationSpec(kind=PRACTICE, target=session_id, rater_id=rater_id, value=asdict(result)))


def practice_result(project: Project, session_id: str) -> PracticeResult | None:
    """Return the result of a practice round; None where the round was not finished, or the plan has none."""
    results = project.annotations.of_kind(PRACTICE, target=session_id)
    return PracticeResult(**results[-1].value) if results else None
