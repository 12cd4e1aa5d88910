"""Paragraphs of a biography sampled to a length."""

import random
import re
from collections.abc import Sequence

PARAGRAPH_END = re.compile(r"\n\s*\n|(?<=\.)\s*\n")


def paragraphs(text: str) -> list[str]:
    """A blank line ends a paragraph, and so does a line end after a full stop."""
    return [part.strip() for part in PARAGRAPH_END.split(text) if part.strip()]


def sampled(parts: Sequence[str], words: int, seed: int) -> list[str]:
    """Paragraphs drawn without order until they hold at least `words` words, given back in their own order.

    All of them where that is not enough. The paper samples paragraphs so that a model's input limit is kept; the
    length and the seed are ours to choose, and stand in the recipe.
    """
    order = list(range(len(parts)))
    random.Random(seed).shuffle(order)
    taken: list[int] = []
    total = 0
    for place in order:
        if total >= words:
            break
        taken.append(place)
        total += len(parts[place].split())
    return [parts[place] for place in sorted(taken)]
