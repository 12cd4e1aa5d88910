"""Is a text English? Every scorer here reads English only, and a text in another language must not become a number."""

from collections.abc import Sequence
from functools import cache

from core.scorers.segment import Word
from core.text import for_matching

# About 45 % of the words of English prose are function words of spaCy's list, of other languages' prose below 15 %.
FEWEST_FUNCTION_WORDS = 0.22
SHORTEST = 20  # words; below it a text is taken as English


def is_english(words: Sequence[Word]) -> bool:
    """Enough English function words, or too short to tell."""
    if len(words) < SHORTEST:
        return True
    return sum(for_matching(word.text) in function_words() for word in words) >= FEWEST_FUNCTION_WORDS * len(words)


@cache
def function_words() -> frozenset[str]:
    """spaCy's English stop words, folded."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
