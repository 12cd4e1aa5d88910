"""A style's probability for every sentence of a text, as the letters study reads it; shared by the stand-ins."""

from collections.abc import Iterable

import numpy as np

from core.scorers.language import is_english
from core.scorers.protocol import ScoreValue
from core.scorers.segment import words

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
