"""The practice round: comparisons with known answers before the first that counts, each told right or not at once."""

import random
import secrets
from collections.abc import Sequence

from biasprint.core.judging.blind import Answered, BlindComparison, GivenAnswer, PracticeStep, RatingCriterion
from biasprint.core.judging.known import KnownAnswer, PracticeResult
from biasprint.core.judging.wording import ComparisonWording


class PracticeRound:
    """One rater's way through it. Nothing of it is a judgment; what is kept is how many were right, and the time.

    The cards stand in an order drawn anew each time, so that nobody learns places instead of answers.
    """

    def __init__(self, items: Sequence[KnownAnswer], wording: ComparisonWording) -> None:
        self._items = items
        self._wording = wording
        self._tokens = [secrets.token_urlsafe(9) for _ in items]
        self._orders = [random.sample(range(len(one.texts)), len(one.texts)) for one in items]
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
        one = self._items[self._at]
        criteria: tuple[RatingCriterion, ...] = self._wording.criteria(one.task)
        return BlindComparison(
            token=self._tokens[self._at],
            ordinal=self._at + 1,
            title=self._wording.title(one.task, one.theme),
            criteria=criteria,
            texts=tuple(one.texts[index] for index in self._orders[self._at]),
            note="",
            notes=False,
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

    def record(self, token: str, outcome: Answered, card: int | None) -> None:
        """The first answer is the one that is told right or not."""
        if token == self._tokens[self._at] and not self._answered:
            self._given.append(GivenAnswer(outcome, card))

    def go_on(self) -> None:
        """To the next one, from one that was answered."""
        if self._answered:
            self._at += 1

    @property
    def _answered(self) -> bool:
        return len(self._given) > self._at

    def _right(self, place: int) -> int:
        return self._orders[place].index(self._items[place].answer)
