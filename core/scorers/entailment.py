"""What a scorer of the role “entailment” reads and says, and how a long context is put before it.

Its text is a pair: the premise, SEPARATOR, the hypothesis. Its `values` are float32[3], the probabilities of CLASSES.
Source: letters (Wan et al.), section 3.3.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SEPARATOR = "\x1f"  # no letter and no context holds a unit separator
CLASSES = ("entailment", "neutral", "contradiction")
WINDOW_WORDS = 250  # with a sentence beside it, this is what the usual models of 512 tokens take
OVERLAP_WORDS = 50


def pair(premise: str, hypothesis: str) -> str:
    return f"{premise.replace(SEPARATOR, ' ')}{SEPARATOR}{hypothesis.replace(SEPARATOR, ' ')}"


def split_pair(text: str) -> tuple[str, str]:
    """The inverse of `pair`, for the scorer."""
    premise, _, hypothesis = text.partition(SEPARATOR)
    return premise, hypothesis


def windows(context: str, most: int = WINDOW_WORDS, overlap: int = OVERLAP_WORDS) -> list[str]:
    """The context whole where it is short; else pieces of `most` words, each sharing `overlap` with the one before."""
    words = context.split()
    if len(words) <= most:
        return [context] if words else []
    step = most - overlap
    return [" ".join(words[start : start + most]) for start in range(0, len(words) - overlap, step)]


def judged(values: Sequence[NDArray[np.float32]]) -> str:
    """One of CLASSES for a hypothesis before every window, `values` of shape (windows, 3): the best entailment counts.

    Not entailed by any window, it contradicts the context where any window says so.
    """
    table = np.stack([np.asarray(value, dtype=np.float64) for value in values])
    if table[table[:, 0].argmax()].argmax() == 0:
        return "entailment"
    return "contradiction" if (table.argmax(axis=1) == 2).any() else "neutral"
