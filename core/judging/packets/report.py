"""The answer of merging: what became of each file, and of each rater in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Unsealed = Literal["", "altered", "unsealed"]
Held = Unsealed | Literal["copy"]
HELD_WORDS: Mapping[Held, str] = {
    "altered": "its answers were altered outside the program after they were given.",
    "unsealed": "it has no seal of the packet that this project made, so nothing shows whose answers these are.",
    "copy": "another finished copy was merged before, and this one would take the place of answers in it.",
}


@dataclass(frozen=True)
class MergedFile:
    """The result of merging one file.

    `added` and `repeated`: judgments that are new, and that were here already. `conflicting`: comparisons to which this
    rater's files now hold different answers. `changed_texts`: comparisons whose texts are not the project's; answers to
    them were not merged. `refused`: why the file was not merged, and `hint` what to do; else empty. `strange`: answers
    that were not merged because nobody was asked for them so: a label or a task that was never given out. `workshop`:
    it is a seat of one, whose code is not shown. `unknown_rater`: the project does not know this packet's rater; merged
    only where raters are accepted. `held`: why it waits for a decision, and is merged only where that was accepted.
    "altered": its answers are not those that were signed as they were given. "unsealed": it is not the packet that was
    made for this session here, or that packet is of a version that did not sign. "copy": another finished copy was
    merged before, and this one would take the place of answers in it. `copies`: another finished copy was merged, with
    other answers. `unsealed`: nothing shows that these are the answers as they were given.
    """

    path: Path
    name: str
    code: str = ""
    added: int = 0
    repeated: int = 0
    conflicting: int = 0
    changed_texts: tuple[str, ...] = ()
    refused: str = ""
    hint: str = ""
    finished: bool = False
    unknown_rater: bool = False
    strange: int = 0
    workshop: bool = False
    held: Held = ""
    copies: bool = False
    unsealed: bool = False


@dataclass(frozen=True)
class MergeReport:
    """The result of a merge. `conflicts`: how many wait for a decision in the whole project.

    For workshops, where people are not distinguished: `seats_to_decide`, whose copies differ, and `seats_kept`, of
    which other answers came after they had been settled, and the earlier ones count.
    """

    files: tuple[MergedFile, ...]
    conflicts: int
    seats_to_decide: int = 0
    seats_kept: int = 0
