"""What stand-ins share: thresholds and weights chosen on the development part of a set, and a value per sentence."""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.scorers.checked_files import fitted
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.segment import is_english, words


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
    found = words(text)
    return bool(found) and is_english(found)


def style_value(probabilities: Iterable[float]) -> ScoreValue:
    """`values`: as given, float32[sentences]. `summary`: the share of sentences that count; None without one."""
    values = np.fromiter(probabilities, dtype=np.float32)
    return ScoreValue(values, float(np.mean(values >= COUNTS_FROM)) if values.size else None)
