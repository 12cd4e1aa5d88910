"""The interface of a scorer. A third party's scorer needs nothing but this module."""

import hashlib
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from biasprint.core.findings import ScorerUse
from biasprint.core.metrics.misclassified import KnownError
from biasprint.core.scorers.checked_files import fitted
from biasprint.core.scorers.segment import is_english, words


@dataclass(frozen=True)
class ScoreValue:
    """The score of one text by one scorer.

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
        """The role that a study asks for: sentiment, embedding, lexicon, …"""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """A version that changes whenever the same text could get other numbers."""

    @property
    def sha256(self) -> str | None:
        """The hash of the weights or the word list; None where there is no such file."""

    @property
    def stand_in(self) -> bool:
        """True where the paper used another scorer."""

    @property
    def shape(self) -> str:
        """A description in words of the contents of `ScoreValue.values` and `summary`."""

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        """Return one value per text, in order. Raises `AppError` where the scorer cannot be set up."""


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
        """Return the scorer as findings name it."""
        return ScorerUse(self.role, self.name, self.version, self.sha256, self.stand_in)


# ---- Thresholds of stand-ins


@dataclass(frozen=True)
class Chosen:
    """`sha256`: of the files as they were read."""

    values: dict[str, Any]
    sha256: str


@cache
def chosen(role: str, *names: str) -> Chosen:
    """models/<role>/<name>.toml, several merged into one. Raises `AppError` as `fitted` does."""
    read = [fitted("models", role, f"{name}.toml") for name in names or ("chosen",)]
    values: dict[str, Any] = {}
    for content in read:
        values |= tomllib.loads(content.decode("utf-8"))
    return Chosen(values, hashlib.sha256(b"".join(read)).hexdigest())


COUNTS_FROM = 0.5  # a sentence's probability, from which on it is formal (positive)
NOTHING = ScoreValue(np.zeros(0, np.float32), None)


def reads(text: str) -> bool:
    """Stand-ins know English only: a text in another language has no value, rather than a number without a meaning."""
    return is_english(words(text))


def has_style(text: str) -> bool:
    """Signs alone have no style: a text needs a word, and English ones."""
    tokens = words(text)
    return bool(tokens) and is_english(tokens)


def style_value(probabilities: Iterable[float]) -> ScoreValue:
    """`values`: as given, float32[sentences]. `summary`: the share of sentences that count; None without one."""
    values = np.fromiter(probabilities, dtype=np.float32)
    return ScoreValue(values, float(np.mean(values >= COUNTS_FROM)) if values.size else None)


# ---- Errors of scorers as their cards give them: models/errors.toml


def known_error(use: ScorerUse) -> KnownError | None:
    """The error of this version of a scorer on labelled sentences; None where its card does not give it."""
    entry = _errors().get(use.name)
    if entry is None or not use.version.startswith(entry["version"]):
        return None
    return KnownError(entry["found"], entry["present"], entry["rejected"], entry["absent"])


@cache
def _errors() -> dict[str, Any]:
    return tomllib.loads(fitted("models", "errors.toml").decode("utf-8"))
