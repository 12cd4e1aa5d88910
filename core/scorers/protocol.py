"""What a scorer is. A third party's scorer needs nothing but this module."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biasprint.core.findings import ScorerUse


@dataclass(frozen=True)
class ScoreValue:
    """What one scorer says of one text.

    `values`: float32, one axis, as the scorer's `shape` describes; empty where the text has nothing to score.
    `summary`: one number for tables and charts; None where there is none.
    """

    values: NDArray[np.float32]
    summary: float | None


class Scorer(Protocol):
    """Reads texts one by one and gives numbers.

    Creating a scorer and reading its attributes must be quick and import nothing heavy: the window does so to list
    what there is. Models are loaded by the first `score`, which runs in the compute process only.
    The value of a text must not depend on the texts beside it, so that a resumed run equals an uninterrupted one.
    """

    @property
    def role(self) -> str:
        """What a study asks for: sentiment, embedding, lexicon, …"""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes whenever the same text could get other numbers."""

    @property
    def sha256(self) -> str | None:
        """Of the weights or the word list; None where there is no such file."""

    @property
    def stand_in(self) -> bool:
        """True where the paper used another scorer."""

    @property
    def shape(self) -> str:
        """What `ScoreValue.values` and `summary` hold, in words."""

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        """One value per text, in order. Raises `AppError` where the scorer cannot be set up."""


@dataclass(frozen=True)
class ScorerInfo:
    """A scorer as it is listed and recorded.

    `note`: a sentence for the person who chooses, from the scorer's attribute `note` where it has one.
    `labels`: where it has that attribute, a text's values are one number for each of them, in this order.
    `yes_or_no`: where that attribute is true, the summary of a text is 1 or 0, and groups are compared by shares.
    `unavailable`: why it cannot be used here; empty where it can.
    """

    name: str
    role: str = ""
    version: str = ""
    sha256: str | None = None
    stand_in: bool = False
    shape: str = ""
    note: str = ""
    unavailable: str = ""
    labels: tuple[str, ...] = ()
    yes_or_no: bool = False

    def use(self) -> ScorerUse:
        """As a finding names the scorers behind it."""
        return ScorerUse(self.role, self.name, self.version, self.sha256, self.stand_in)
