"""A server's reply: put together from a stream or taken from one piece, and checked strictly."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biasprint.core.backends.openai_compatible.failures import (
    FILTERED,
    Trouble,
    bad_reply,
    of_stream,
    quoted,
    refusal,
    said,
)
from biasprint.core.backends.openai_compatible.quirks import FINISHED, HELD_BACK, REASONING, text_and_thought
from biasprint.core.backends.openai_compatible.settings import Mode
from biasprint.core.backends.protocol import NONE_LEFT, FinishReason

_LONGEST_LABEL = 120


@dataclass
class Reply:
    """A reply in the making. `add` takes a stream's pieces, `whole` a reply in one; `finished` checks that it is all
    there. Each raises `Trouble` for what is not of the promised form."""

    mode: Mode
    key: str | None = None
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    declined: list[str] = field(default_factory=list)
    finish: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    fingerprint: str = ""
    served_by: str = ""
    said_anything: bool = False
    _tail: str = ""
    _tail_of_thoughts: str = ""
    _tail_of_declined: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def reasoning(self) -> str:
        """Reasoning that the server gave beside the text."""
        return "".join(self.thoughts)

    def add(self, data: Any) -> str:
        """Take one piece of a stream, and give the text in it."""
        choice = self._choice(data)
        if choice is None:  # only usage, or a sign of life
            return ""
        if self.mode == "chat":
            delta = choice.get("delta")
            text = delta.get("content") if isinstance(delta, Mapping) else delta
            self._read_beside(delta)
        else:
            text = choice.get("text")
        return self._take(text, choice)

    def whole(self, data: Any) -> str:
        """Take a reply that came in one, and give its text."""
        choice = self._choice(data)
        if choice is None:
            raise bad_reply("The reply held no choices, which is not the promised form.")
        if self.mode == "chat":
            message = choice.get("message")
            if not isinstance(message, Mapping):
                raise bad_reply("The reply held no message, which is not the promised form.")
            self._read_beside(message)
            return self._take(message.get("content"), choice)
        return self._take(choice.get("text"), choice)

    def finished(self) -> FinishReason:
        """Return the reason why the text ended. Raises `Trouble` where it has no end, is empty or was refused."""
        if self.declined and not self.text.strip():
            raise refusal(f"The model declined.{quoted(''.join(self.declined), self.key)}")
        if not self.finish:
            # llama.cpp's Python server cuts a text short like this when the next request comes in.
            hint = " If the server writes one text at a time, set the endpoint's concurrency to 1."
            raise bad_reply(f"The reply ended without saying why, so it may be cut.{hint}")
        finish = self.finish.casefold()
        if finish in HELD_BACK:
            raise refusal("The model declined." if finish == "refusal" else FILTERED)
        if finish not in FINISHED:
            raise bad_reply("The reply ended for a reason that is not known here, such as a call of a tool.")
        reason = FINISHED[finish]
        if not self.text.strip():
            held = NONE_LEFT if self.reasoning.strip() else "The reply held no text."
            if reason == "length":
                raise Trouble("cut", f"{held} The limit on tokens was reached before any text.")
            raise Trouble("empty", held)
        return reason

    def _choice(self, data: Any) -> Mapping[str, Any] | None:
        self.said_anything = True
        if not isinstance(data, Mapping):
            raise bad_reply("The reply was not of the promised form.")
        if data.get("error"):
            raise of_stream(said(data), key=self.key)
        self._note(data)
        choices = data.get("choices")
        if choices is None or choices == []:
            return None
        if not isinstance(choices, list) or not isinstance(choices[0], Mapping):
            raise bad_reply("The choices in the reply were not of the promised form.")
        if choices[0].get("error"):
            raise of_stream(said(choices[0]), key=self.key)
        return choices[0]

    def _read_beside(self, message: Any) -> None:
        """Take reasoning, and words of a refusal, that come in fields of their own."""
        declined = message.get("refusal") if isinstance(message, Mapping) else None
        if isinstance(declined, str) and declined:
            self._tail_of_declined = self._without_key(self._tail_of_declined, declined)
            self.declined.append(declined)
        names = REASONING if isinstance(message, Mapping) else ()
        self._think(next((message[name] for name in names if isinstance(message.get(name), str)), ""))

    def _think(self, thought: str) -> None:
        if thought:
            self._tail_of_thoughts = self._without_key(self._tail_of_thoughts, thought)
            self.thoughts.append(thought)

    def _without_key(self, tail: str, piece: str) -> str:
        """Return the end of what was seen, for the next piece. Raises `Trouble` where the key is in it.

        Texts are stored. A server that sends its request's headers back must not get the key into a project.
        """
        seen = tail + piece
        if self.key and self.key in seen:
            raise bad_reply("The reply held the key of the endpoint, so it was thrown away.")
        return seen[-len(self.key) :] if self.key else ""

    def _take(self, content: Any, choice: Mapping[str, Any]) -> str:
        text, thought = text_and_thought(content)
        self._think(thought)
        if text is not None and not isinstance(text, str):
            raise bad_reply("The text in the reply was no text.")
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish = reason
        if not text:
            return ""
        self._tail = self._without_key(self._tail, text)
        self.pieces.append(text)
        return text

    def _note(self, data: Mapping[str, Any]) -> None:
        usage = data.get("usage")
        if isinstance(usage, Mapping):
            details = usage.get("prompt_tokens_details")
            counts = {
                "prompt": usage.get("prompt_tokens"),
                "completion": usage.get("completion_tokens"),
                "cached": details.get("cached_tokens") if isinstance(details, Mapping) else None,
            }
            self.usage.update({name: count for name, count in counts.items() if count is not None and _is_count(count)})
        self.fingerprint = self._label(data.get("system_fingerprint")) or self.fingerprint
        self.served_by = self._label(data.get("model")) or self.served_by

    def _label(self, value: Any) -> str:
        fit = isinstance(value, str) and len(value) <= _LONGEST_LABEL and value.isprintable()
        return value if fit and not (self.key and self.key in value) else ""


def parsed(body: bytes | str) -> Any:
    """JSON from a server. Raises `Trouble` where it is none, or nested too deeply to be meant."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise bad_reply("The reply was not of the promised form (no JSON).") from None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9
