"""Articles and their sentences as bags of lemmas, which is all that a topic model sees of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from core.scorers.segment import words

Bag: TypeAlias = list[tuple[int, int]]  # (the word's number, how often)
FEWEST_ARTICLES = 2


@dataclass(frozen=True)
class Bags:
    """`sentences`: the bags of each article's sentences, in order. `vocabulary`: the words by number."""

    sentences: tuple[tuple[Bag, ...], ...]
    vocabulary: tuple[str, ...]

    @cached_property
    def articles(self) -> list[Bag]:
        return [joined(sentences) for sentences in self.sentences]


def bags_of(articles: Sequence[Sequence[str]]) -> Bags:
    """The lemmas of each article's sentences, stop words kept, as the paper keeps them.

    Words of only one article are left out: they say nothing about what articles have in common.
    """
    lemmas = [[[word.lemma for word in words(sentence)] for sentence in article] for article in articles]
    in_articles = Counter(chain.from_iterable(set(chain.from_iterable(article)) for article in lemmas))
    vocabulary = sorted(word for word, number in in_articles.items() if number >= FEWEST_ARTICLES)
    number_of = {word: number for number, word in enumerate(vocabulary)}
    return Bags(
        tuple(
            tuple(
                sorted(Counter(number_of[word] for word in sentence if word in number_of).items())
                for sentence in article
            )
            for article in lemmas
        ),
        tuple(vocabulary),
    )


def _bag(numbers: Iterable[int]) -> Bag:
    return sorted(Counter(numbers).items())


def joined(bags: Iterable[Bag]) -> Bag:
    """Several bags as one, the words in order of their numbers: equal texts give equal bags."""
    counts: Counter[int] = Counter()
    for bag in bags:
        for word, count in bag:
            counts[word] += count
    return sorted(counts.items())


def runs_of(sentences: Sequence[Bag], length: int) -> list[Bag]:
    """Runs of so many sentences as one bag each; the last may be shorter."""
    return [joined(sentences[start : start + length]) for start in range(0, len(sentences), length)]
