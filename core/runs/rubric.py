"""Rating of any text by a rubric: a model reads each text twice, with the scale named upwards and downwards.

A text's number is the mean of both ratings. Where they differ, the order decided: that is a flip, and counted.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from biasprint.core.backends.protocol import Completion, Request, output_seed
from biasprint.core.compute import models
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.model_rater import fence_code, harmless
from biasprint.core.prompts.resource_files import from_resources
from biasprint.core.runs.generate import ask_all, sampling
from biasprint.core.runs.setup import generator_spec
from biasprint.core.runs.writing import Written

LONGEST_RUBRIC = 4_000
WIDEST = 10  # numbers of a scale
UPWARDS, DOWNWARDS = "up", "down"


@dataclass(frozen=True)
class RubricWords:
    """The words of resources/prompts/rubric.toml."""

    version: int
    reply_tokens: int
    instruction: str
    upwards: str
    downwards: str
    text: str
    question: str


@cache
def rubric_words() -> RubricWords:
    return from_resources(RubricWords, "prompts", "rubric.toml")


@dataclass(frozen=True)
class ScaleFlips:
    """Texts with two ratings, those of them with two different ones, and the mean of the second less the first."""

    texts: int
    flipped: int
    shift: float | None


class RubricScorer:
    """A rubric and the model that rates by it: a scorer for `biasprint.score` and `biasprint.measure`.

    `sha256`: of everything that is asked but the texts. `flips`: of the texts that were rated so far. `context`: hears
    of progress and is asked whether to stop.
    """

    def __init__(
        self, rubric: str, generator: tuple[str, str, Mapping[str, Any]], scale: tuple[int, int], name: str, seed: int
    ) -> None:
        low, high = scale if _are_numbers(scale) else (1, 0)
        if not isinstance(rubric, str) or not rubric.strip() or len(rubric) > LONGEST_RUBRIC:
            raise UsageError(f"A rubric has from 1 to {LONGEST_RUBRIC:,} characters.", hint="Say what is rated.")
        if not (0 <= low < high < low + WIDEST):
            raise UsageError(f"{scale!r} is no scale.", hint=f"Give two whole numbers from 0, at most {WIDEST} apart.")
        self.__name__ = name
        self.seed = seed
        self.context = JobContext()
        self._rubric, self._low, self._high = rubric.strip(), low, high
        self._generator = generator
        self._ratings: dict[str, tuple[int, int]] = {}
        self._failed: dict[str, str] = {}

    @property
    def sha256(self) -> str:
        """Return the hash of the prompt: of its wording, the rubric and the scale."""
        return hashlib.sha256(repr((rubric_words(), self._rubric, self._low, self._high)).encode()).hexdigest()

    @property
    def model(self) -> str:
        return self._generator[1]

    @property
    def version(self) -> str:
        """Say who rates, and by which prompt."""
        return f"{self._generator[1]} by a rubric, prompt {self.sha256[:12]}, seed {self.seed}"

    @property
    def flips(self) -> ScaleFlips:
        shifts = [second - first for first, second in self._ratings.values()]
        mean = sum(shifts) / len(shifts) if shifts else None
        return ScaleFlips(len(shifts), sum(shift != 0 for shift in shifts), mean)

    @property
    def unrated(self) -> dict[str, int]:
        """Return the number of texts that got no rating, by reason."""
        return dict(Counter(self._failed.values()).most_common())

    @property
    def remark(self) -> str:
        """Say how often the order of the scale decided."""
        flips = self.flips
        return (
            f"“{self.__name__}”: {flips.flipped:,} of {flips.texts:,} texts got another number from "
            f"“{self._generator[1]}” when its scale was named downwards."
        )

    def __call__(self, text: str) -> float:
        """Rate one text. Raises `AppError` where the model gives it no number."""
        ratings, failed = self.score_all([text])
        if failed:
            raise AppError(f"The text got no rating: {failed[text]}.")
        return ratings[text]

    def score_all(self, texts: Sequence[str]) -> tuple[dict[str, float], dict[str, str]]:
        """Return the ratings of texts, and reasons for those that got none.

        Raises `AppError` where the model cannot be used.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._ratings]
        failed = self._ask(new) if new else {}
        self._failed = {text: why for text, why in self._failed.items() if text not in self._ratings} | failed
        return {text: sum(self._ratings[text]) / 2 for text in texts if text in self._ratings}, failed

    def _ask(self, texts: Sequence[str]) -> dict[str, str]:
        """Have the model rate texts, and return reasons for those that got no rating."""
        backend, model, parameters = self._generator
        ctx = self.context
        generator = generator_spec(backend, model, parameters, models(), ctx=ctx)
        requests = [
            self._request(text, order, generator.parameters) for text in texts for order in (UPWARDS, DOWNWARDS)
        ]
        replies: dict[int, Completion] = {}

        def receive(partial: object) -> None:
            if isinstance(partial, Written):
                replies.update(partial.completions)

        ask_all(ctx, models(), (backend, model, parameters), requests, {}, receive)
        failed: dict[str, str] = {}
        for place, text in enumerate(texts):
            both = [self._read(replies.get(2 * place + order)) for order in (0, 1)]
            if first_reason := next((reason for rating, reason in both if rating is None), ""):
                failed[text] = first_reason
            else:
                (first, _), (second, _) = both
                assert first is not None
                assert second is not None
                self._ratings[text] = first, second
        return failed

    def _request(self, text: str, order: str, parameters: Mapping[str, Any]) -> Request:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        key = f"rubric/{self.sha256[:12]}/{digest}/{order}"
        wanted: dict[str, Any] = {"temperature": 0.0, "max_tokens": rubric_words().reply_tokens}
        answers = tuple(str(number) for number in range(self._low, self._high + 1))
        return Request(
            key, self.prompt(text, order), output_seed(self.seed, key, 0), answers=answers,
            **(wanted | sampling(parameters)),
        )  # fmt: skip

    def prompt(self, text: str, order: str = UPWARDS) -> str:
        """Return the prompt for a text, with the scale named upwards (“up”) or downwards (“down”)."""
        words = rubric_words()
        numbers = [str(number) for number in range(self._low, self._high + 1)]
        if order == DOWNWARDS:
            numbers.reverse()
        named = {"scale": f"{', '.join(numbers[:-1])} or {numbers[-1]}", "code": fence_code([text], str(self.seed))}
        ends = (words.downwards if order == DOWNWARDS else words.upwards).format(low=self._low, high=self._high)
        asked = words.instruction.strip("\n").format(rubric=self._rubric, ends=ends, **named)
        fenced = words.text.format(text=harmless(text)[0], **named)
        return "\n".join([asked, fenced, words.question.format(**named)])

    def _read(self, reply: Completion | None) -> tuple[int | None, str]:
        if reply is None or reply.finish_reason == "error":
            return None, (reply.error if reply else "").rstrip(".") or "it was not asked"
        rating = rating_in(reply.text, self._low, self._high)
        return rating, "" if rating is not None else "its reply is no rating"


def _are_numbers(scale: object) -> bool:
    return isinstance(scale, tuple | list) and len(scale) == 2 and all(type(end) is int for end in scale)


_WITH_WORDS = re.compile(r"(?:rating|score|answer|number)\W{0,6}(?:is\W{0,4}|of\W{0,4})?(\d+)", re.I)
_NUMBER = re.compile(r"(?<![\w.,/-])(\d+)(?:\s?/\s?\d+| out of \d+)?(?![\w%]|[.,-]\d)")
_DENIED = re.compile(r"\b(?:not|never|cannot)\b|n[’']t\b", re.I)


def rating_in(reply: str, low: int, high: int) -> int | None:
    """Return the one rating that a reply gives, from low to high: a number alone, “4/5”, “Rating: 4”; else None."""
    reply = re.sub(rf"\b{low} ?(?:to|-|–) ?{high}\b", "", reply)  # the scale is no rating
    said = _WITH_WORDS.findall(reply) or ([] if _DENIED.search(reply) else _NUMBER.findall(reply))
    ratings = {int(number) for number in said}
    rating = ratings.pop() if len(ratings) == 1 else None
    return rating if rating is not None and low <= rating <= high else None
