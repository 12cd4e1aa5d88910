"""Judging with another tool: the tasks of each rater as they are handed to it, and the answers as it hands them back.

For raters who have only a browser or a phone. The tool gets what a packet holds, and no more: texts in the order of the
rater's cards, the title, and keys that mean nothing there. What comes back is checked by the hashes of its texts and
merged as the packet that was made (`merge_outside`). `potato` and `label_studio` know how each tool writes it,
`hand_out` makes the folders.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from biasprint.core.errors import AppError

Tool = Literal["html", "potato", "label-studio"]
CARDS = ("card_a", "card_b", "card_c")  # the fields of the texts, in the order of the cards
LETTERS = ("A", "B", "C")
TIE, NONE, SKIP = "The same", "None is good", "Skip"  # the other answers, in the words that raters read there
OTHER_ANSWERS = {TIE: "tie", NONE: "none", SKIP: "skip"}
TIE_KEY = "0"  # as in this program
QUESTION = "Which is best?"  # where the plan has none of its own
WORKSHOP_TOLD = (
    "This is part of a workshop. Your answers are kept under the code that you were given, not under a name; whoever "
    "runs this server could read them. They join what the group chose. No picture of your own is shown: this page does "
    "not know for whom the texts were written."
)
NO_RUBRIC = "(none for these texts)"
NO_TEXT = "(there is no third text here)"  # in a plan where some comparisons have two cards and some three
LARGEST = 256 * 2**20  # bytes of a file of results


@dataclass(frozen=True)
class OutsideTask:
    """One comparison as its rater is to see it. `id` is unique in the whole handout."""

    id: str
    packet: str
    comparison: str
    rater: str
    title: str
    texts: tuple[str, ...]
    rubric: str = ""  # one criterion a line

    def fields(self, cards: int) -> dict[str, str]:
        """Return the fields for the tool, for a handout in which comparisons have up to so many cards."""
        texts = (*self.texts, *[NO_TEXT] * (cards - len(self.texts)))
        fields = {"packet": self.packet, "comparison": self.comparison, "rater": self.rater, "title": self.title}
        return fields | dict(zip(CARDS, texts, strict=False))


@dataclass(frozen=True)
class Handout:
    """Everything that one tool is given: the tasks by rater, and what the plan asks for beside a choice."""

    tasks: Mapping[str, Sequence[OutsideTask]]
    cards: int
    notes: bool
    question: str
    instructions: str
    consent_text: str
    workshop: bool = False

    @property
    def answers(self) -> dict[str, str]:
        """The answers that a rater can give, each with its key: 0 for a tie, and 1, 2 … for the others."""
        numbered = (*LETTERS[: self.cards], *(name for name in OTHER_ANSWERS if name != TIE))
        keys = {name: str(key) for key, name in enumerate(numbered, start=1)} | {TIE: TIE_KEY}
        return {name: keys[name] for name in (*LETTERS[: self.cards], *OTHER_ANSWERS)}

    @property
    def has_rubric(self) -> bool:
        """Return whether any of the comparisons has a rubric."""
        return any(task.rubric for tasks in self.tasks.values() for task in tasks)

    @property
    def about(self) -> str:
        """The text that raters read before they begin; in a workshop also who sees their answers."""
        return "\n\n".join(filter(None, (self.instructions, WORKSHOP_TOLD if self.workshop else "")))

    @property
    def told_first(self) -> str:
        """The text that raters read and agree to before they begin, for the tool's README."""
        parts = [("Raters read this first:", self.about), ("Then they agree to this:", self.consent_text)]
        return "".join(f"\n{title}\n\n{text}\n" for title, text in parts if text)

    @property
    def bring_back(self) -> str:
        """The place that the results go to, for the tool's README."""
        if self.workshop:
            return "in Biasprint, on the page of whoever leads the workshop, choose “Collect…”."
        return "in Biasprint, choose Raters, Packets."


@dataclass(frozen=True)
class OutsideAnswer:
    """One answer as the tool kept it. `key` is the answer's own there; `fields` are those of its task, as they are now.

    `problem`: it is no answer to what was asked, such as one under another rater's name.
    """

    key: str
    fields: Mapping[str, str]
    label: str
    note: str = ""
    seconds: float = 0.0
    at: str = ""
    problem: bool = False


def write_text(path: Path, text: str) -> None:
    """Write a file of a handout, on the disk. A lone surrogate, which UTF-8 cannot hold, must be escaped by then."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


# ---- Reading what a tool wrote: everything is checked


def read_bytes(path: Path) -> bytes:
    """Return an ordinary file's content. Raises AppError for anything else, or more than results can be."""
    with suppress(OSError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST:
            return path.read_bytes()
    raise AppError(
        f"“{path.name}” is no file of results, or cannot be read.", kept="None of it was merged.",
        hint="Copy it again from where it was made.",
    )  # fmt: skip


def not_results(path: Path, tool: str, what: str, hint: str) -> AppError:
    """Return the error for a file that is not what the tool writes."""
    return AppError(f"“{path.name}” is no result of {tool}: {what}.", kept="None of it was merged.", hint=hint)


def plain_fields(data: Any) -> dict[str, str]:
    """Return the fields of a task as text; fields of other types are omitted, and then fit no task."""
    return {str(key): value for key, value in data.items() if isinstance(value, str)} if isinstance(data, dict) else {}
