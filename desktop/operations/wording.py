"""The biased-prompt detector for the window: what is read in a thread, as plain rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext

if TYPE_CHECKING:
    from core.prompts import PromptDraft
    from core.prompts.detector import Flag

MOST_FLAGS = 100  # underlined; a text with more is not read mark by mark


@dataclass(frozen=True)
class Wording:
    """What was found in `text`: its first flags, how many there are, each one's rewriting and that of the whole."""

    text: str
    flags: "tuple[Flag, ...]" = ()
    count: int = 0
    neutral: str = ""


def wording_of(ctx: JobContext, text: str) -> Wording:
    """Look at a prompt. The first call reads the rules, which takes a moment."""
    from core.prompts.detector import detect, neutral_wording

    flags = detect(text)
    return Wording(text, flags[:MOST_FLAGS], len(flags), neutral_wording(text) if flags else text)


@dataclass(frozen=True)
class FlaggedSet:
    """How many prompts of a set are flagged, and the first of them with its place in the set."""

    count: int = 0
    first: int = -1
    flag: "Flag | None" = None


def flagged_in(ctx: JobContext, prompts: "Sequence[PromptDraft]") -> FlaggedSet:
    """Look at every prompt of a set."""
    from core.prompts.detector import detect

    count, first, found = 0, -1, None
    for place, prompt in enumerate(prompts):
        ctx.check()
        if flags := detect(prompt.text):
            count += 1
            if found is None:
                first, found = place, flags[0]
    return FlaggedSet(count, first, found)


def with_one_neutral(wording: Wording, flag: "Flag") -> str:
    """The text with the neutral wording in the place of one flag."""
    from core.prompts.detector import replaced

    return replaced(wording.text, [flag])
