"""Does an article look like English? The word lists are, and their words mean other things elsewhere (“man”, “her”).

Quick, because every article is asked: core.scorers.language is more exact, and has a segmented text to look at.
"""

# Together about a third of the words of English prose, and far fewer of any other language's.
COMMON = frozenset((
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "was", "with", "his", "her", "he", "she", "it", "on",
    "as", "at", "by", "from", "be", "are", "this",
))  # fmt: skip
LEAST = 0.1
READ = 2_000  # characters
SHORTEST = 20  # words; a shorter text is taken as English


def looks_english(text: str) -> bool:
    """Is at least a tenth of its first words among the most common English ones?"""
    words = text[:READ].casefold().split()
    return len(words) < SHORTEST or sum(word in COMMON for word in words) >= LEAST * len(words)
