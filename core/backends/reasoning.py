"""Reasoning that a model writes before its answer: kept apart from the text, which alone is measured."""

import re

LONGEST = 20_000  # characters that are kept
NONE_LEFT = "The reply held only reasoning: no text came after it."
_NAMES = "think|thinking|reasoning|thought"
_OPEN = re.compile(rf"\s*<({_NAMES})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_NAMES})>", re.IGNORECASE)


def split_reasoning(reply: str, *, unopened: bool = True) -> tuple[str, str]:
    """Return the text of a reply, and the reasoning before it; "" where there is none.

    Reasoning is what comes before the last end tag. `unopened`: also where it was never opened, as some servers leave
    the opening tag out; not where the reply may repeat a text that wants to be taken for an answer. Reasoning that was
    opened and never closed leaves no text. Tags elsewhere in a text stay.
    """
    opened = _OPEN.match(reply)
    closed = list(_CLOSE.finditer(reply))
    if closed and (opened or unopened):
        reasoning = reply[opened.end() if opened else 0 : closed[-1].start()]
        return reply[closed[-1].end() :].lstrip("\r\n \t"), reasoning.strip()
    if opened:
        return "", reply[opened.end() :].strip()
    return reply, ""


def has_reasoning_end(text: str) -> bool:
    """Return whether a text has an end tag of reasoning in it."""
    return _CLOSE.search(text) is not None


def kept(reasoning: str) -> dict[str, str | int]:
    """Return what is stored of reasoning: its beginning, and how many characters there were where more were."""
    more = {"reasoning_characters": len(reasoning)} if len(reasoning) > LONGEST else {}
    return {"reasoning": reasoning[:LONGEST], **more}
