"""A judge whose verdict a test writes: it reads the fenced texts of a judging prompt as a model would.

It is for tests alone: no such backend ships.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from biasprint.core.backends.protocol import Capabilities, Completion, GeneratorInfo, Request

Verdict = Callable[[Mapping[str, str], Request], "str | Completion"]
_FENCED = re.compile(r"^=== ([ABC]) ([a-z]{6}) ===\n(.*?)(?=\n=== (?:[ABC]|END) \2 ===$)", re.S | re.M)


def cards(prompt: str) -> dict[str, str]:
    """Letter → text, in the order of the cards."""
    return {found[1]: found[3] for found in _FENCED.finditer(prompt)}


class ScriptedJudge:
    """Replies what `verdict` says of the cards; keeps the requests it was asked."""

    name = "scripted"
    capabilities = Capabilities(False, True, False, True, True, concurrent=True)

    def __init__(self, verdict: Verdict, model: str = "scripted-7b") -> None:
        self.verdict, self.model = verdict, model
        self.asked: list[Request] = []

    def describe(self) -> GeneratorInfo:
        return GeneratorInfo(self.name, self.model, {"temperature": 0.0}, revision="0" * 64)

    def generate(self, request: Request, on_text: Any, check: Any) -> Completion:
        check()
        self.asked.append(request)
        said = self.verdict(cards(request.prompt), request)
        return Completion(said, "stop", seconds=0.25) if isinstance(said, str) else said

    def generate_many(self, requests: Any, on_done: Any, on_text: Any, check: Any, may_start: Any) -> None:
        """Out of order, as several at once come."""
        for place, request in reversed(list(enumerate(requests))):
            if not may_start():
                return
            on_done(place, self.generate(request, None, check))

    def close(self) -> None: ...


def prefers(*words: str) -> Verdict:
    """The text that holds the first of these words that any text holds."""

    def verdict(shown: Mapping[str, str], request: Request) -> str:
        return next(letter for word in words for letter, text in shown.items() if word in text)

    return verdict
