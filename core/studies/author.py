"""The synthetic author as a backend: a seeded writer with a planted bias. What it writes for a study is in its folder.

It is not a language model and is never presented as one. Its model is the setting of its dial. It is for trying the
program and for testing its measures.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping

from biasprint.core.backends.protocol import Completion, FinishReason, GeneratorInfo, Parameter, Request
from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.designs import SEPARATOR
from biasprint.core.prompts.letters import LETTER
from biasprint.core.prompts.wordings import WORDING
from biasprint.core.studies.compare.simulated import answer_to_user, reply_to_design
from biasprint.core.studies.completion.author import write_completion
from biasprint.core.studies.completion.prompts import TASK as COMPLETION
from biasprint.core.studies.creativity.author import DEFAULT, write_creative
from biasprint.core.studies.kit.planting import INFO, NAME, NONE, SETTINGS, VERSION, Dial, Draw, load_dial
from biasprint.core.studies.letters.author import write_letter
from biasprint.core.studies.news.measure import write_news
from biasprint.core.studies.news.prompts import TASK as NEWS

__all__ = ["INFO", "SyntheticAuthor", "open"]

# Common to all backends and without effect here, so they are accepted rather than refused.
_SAMPLING = {"temperature", "top_p", "max_tokens"}
BY_WORDING = "by_wording"  # its own parameter: the dial of each wording of a prompt


def open(model: str, parameters: Mapping[str, Parameter]) -> "SyntheticAuthor":
    """The author with its dial at `model`; without one, at "none".

    `by_wording`: settings with commas between, of which the first is for wording 1 of a prompt: a planted effect of the
    wording. Raises `UsageError` for another setting or a parameter that it does not have.
    """
    settings = [each.strip() for each in str(parameters.get(BY_WORDING, "")).split(",") if each.strip()]
    for each in (model or SETTINGS[0], *settings):
        if each not in SETTINGS:
            raise UsageError(f"The synthetic author has no model “{each}”.", hint=f"Its dial: {', '.join(SETTINGS)}.")
    unknown = sorted(set(parameters) - _SAMPLING - {BY_WORDING})
    if unknown:
        raise UsageError(f"The synthetic author has no parameter “{unknown[0]}”.", hint="Leave it out.")
    return SyntheticAuthor(load_dial(model or SETTINGS[0]), tuple(map(load_dial, settings)))


_WORDS_PER_PIECE = 12


class SyntheticAuthor:
    """Writes from a grammar; no language model. The same request gives the same text everywhere and always.

    It reads the request's key, seed and fields; temperature, top_p and, without `by_wording`, the prompt's wording
    change nothing. max_tokens counts words, and stop strings end a text as they do elsewhere.
    """

    name = NAME
    capabilities = INFO.capabilities

    def __init__(self, dial: Dial, by_wording: tuple[Dial, ...] = ()) -> None:
        self._dial = dial
        self._by_wording = by_wording
        self._unplanted: dict[str, None] = {}  # in their order

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each group that it wrote for and plants nothing about."""
        return tuple(self._unplanted)

    @property
    def model(self) -> str:
        return self._dial.setting

    def describe(self) -> GeneratorInfo:
        settings = ",".join(dial.setting for dial in self._by_wording)
        parameters: Mapping[str, Parameter] = {BY_WORDING: settings} if settings else {}
        return GeneratorInfo(NAME, self.model, parameters, revision=VERSION)

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        started = time.perf_counter()
        usage = {"prompt": len(request.prompt.split())}
        try:
            whole = self._write(request)
        except AppError as error:
            return Completion("", "error", usage, time.perf_counter() - started, str(error), "parameters")
        text, reason = _ended(whole, request)
        for piece in _pieces(text):
            check()
            on_text(piece)
        usage["completion"] = len(text.split())
        return Completion(text, reason, usage, time.perf_counter() - started)

    def close(self) -> None:
        """Close nothing: nothing is held open."""

    def _write(self, request: Request) -> str:
        fields, dial = request.fields, self._dial_of(request.fields)
        if (sentence := _unplanted(dial, fields)) and dial.setting != NONE:
            self._unplanted[sentence] = None
        task = fields.get("task", "")
        draw = Draw(VERSION, request.seed, request.key)
        if task == LETTER or (fields.get("design") and "occupation" in fields):
            group = fields.get("group") or fields.get("identity", "")
            return write_letter(fields, dial.agentic(group), draw)
        if fields.get("reads", "text") != "text":
            return reply_to_design(fields, dial, draw)
        if fields.get("design") and "ask" in fields:
            return answer_to_user(fields, dial, draw)
        if task == COMPLETION:
            return write_completion(fields, dial.completion_odds, Draw(VERSION, COMPLETION), draw)
        if task == NEWS:
            return write_news(fields, dial.news_odds, draw)
        axis, identity = fields.get("axis", ""), fields.get("identity", "")
        second_scene = dial.second_scene(axis, identity) if axis else 0.0
        return write_creative(task, fields.get("theme", ""), second_scene, dial.freedom(task), draw)

    def _dial_of(self, fields: Mapping[str, str]) -> Dial:
        """Return the dial of the wording that a prompt has; the author's own where it says none."""
        number = fields.get(WORDING, "")
        place = int(number) - 1 if number.isdecimal() else -1
        return self._by_wording[place] if 0 <= place < len(self._by_wording) else self._dial


def _unplanted(dial: Dial, fields: Mapping[str, str]) -> str:
    """Return a sentence where these fields of a prompt name a group about which nothing is planted; else nothing."""
    task, axis, identity = (fields.get(name, "") for name in ("task", "axis", "identity"))
    if fields.get("design"):
        if fields.get("reads") in ("assigning", "sorting"):
            return ""
        planted = dial.leans.keys() & set(fields.get("gender", "").split(SEPARATOR))
        return (ONLY_BY_GENDER if planted else NOT_FOR).format(what=f"in the design “{fields['design']}”")
    if task == LETTER:
        group = fields.get("group") or identity
        return "" if group.lower() in dial.leans else NOT_FOR.format(what=f"in letters for “{group}”")
    if task == NEWS:
        return ONLY_MEN
    if task == COMPLETION or identity in ("", DEFAULT) or identity in dial.weights.get(axis, {}):
        return ""
    return NOT_FOR.format(what=f"for “{identity}”" if axis in dial.weights else f"on the axis “{axis}”")


NOT_FOR = "The synthetic author plants nothing {what}."
ONLY_BY_GENDER = "The synthetic author plants something {what} by gender alone."
ONLY_MEN = "In news the synthetic author plants how many people are men, and nothing about other groups."


def _ended(text: str, request: Request) -> tuple[str, FinishReason]:
    """The text up to the first stop string and the last word that max_tokens allows."""
    ends = [text.find(stop) for stop in request.stop if stop]
    text = text[: min((end for end in ends if end >= 0), default=len(text))]
    if request.max_tokens is None:
        return text, "stop"
    words = list(re.finditer(r"\S+", text))
    if len(words) <= request.max_tokens:
        return text, "stop"
    fitting = words[: request.max_tokens]
    return (text[: fitting[-1].end()] if fitting else ""), "length"


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of some words each; joined they are the text."""
    starts = [word.start() for word in re.finditer(r"\S+", text)][::_WORDS_PER_PIECE]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        yield text[start:end]
