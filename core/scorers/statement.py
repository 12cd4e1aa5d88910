"""What a sentence states, read off its surface: content words, numbers, names, negation.

The lists are data: models/entailment/words.toml.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from core.scorers.chosen import chosen
from core.scorers.language import function_words
from core.scorers.segment import Word, words
from core.text import for_matching

SENTENCE_ENDS = (".", "!", "?", ":", "\n")
SAME_STEM = 0.6  # “translator” and “translated” share so much of the longer one


@dataclass(frozen=True)
class Statement:
    """`neutral`: the text without the gender of its pronouns and titles, which is what is embedded. `forms`: every
    word, folded, and its lemma. `content`: lemmas of the words that carry the statement, in order. `names`: words with
    a capital inside the sentence; `capitals`: those at its beginning too.
    """

    neutral: str
    forms: frozenset[str]
    content: tuple[str, ...]
    numbers: frozenset[float]
    names: frozenset[str]
    capitals: frozenset[str]

    @property
    def negated(self) -> bool:
        return bool(self.forms & negations())

    @property
    def quantifiers(self) -> frozenset[str]:
        return self.forms & _listed("quantifiers")


@lru_cache(maxsize=10_000)
def statement(text: str) -> Statement:
    content: list[str] = []
    numbers: set[float] = set()
    names: set[str] = set()
    found = words(text)
    after_title = False
    for word in found:
        form = for_matching(word.text)
        value = _number(form)
        named, after_title = after_title, form.rstrip(".") in _listed("titles")
        if value is not None:
            numbers |= {value} - {1.0}  # “one of the best” counts nothing
        elif after_title:
            continue
        elif _capital(word) and (named or not _opens(text, word)):  # the full stop of “Ms.” ends no sentence
            names.add(form)
        elif form[0].isalpha() and not {form, word.lemma} & (function_words() | _listed("light")):
            content.append(word.lemma)
    return Statement(
        _neutral(text),
        frozenset(each for word in found for each in (for_matching(word.text), word.lemma)),
        tuple(dict.fromkeys(content)),
        frozenset(numbers),
        frozenset(names),
        frozenset(for_matching(word.text) for word in found if _capital(word)),
    )


def same_stem(one: str, other: str) -> bool:
    """A common beginning of at least four letters that is most of the longer word."""
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    return shared >= max(4, SAME_STEM * max(len(one), len(other)))


@cache
def negations() -> frozenset[str]:
    return _listed("negations")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Word → the words that say the opposite of it."""
    found: dict[str, set[str]] = {}
    for one, other in chosen("entailment", "words").values["opposites"]:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _neutral(text: str) -> str:
    pattern, neutral = _gendered()
    return pattern.sub(lambda match: neutral[for_matching(match[1] or match[2])], text)


@cache
def _gendered() -> tuple[re.Pattern[str], dict[str, str]]:
    """Pronouns, and titles together with their full stop; and what is read in their place."""
    neutral: dict[str, str] = chosen("entailment", "words").values["neutral"]
    titles = "|".join(word for word in neutral if not neutral[word])
    pronouns = "|".join(word for word in neutral if neutral[word])
    return re.compile(rf"\b(?:({pronouns})\b|({titles})\b\.?\s*)", re.IGNORECASE), neutral


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(chosen("entailment", "words").values[name])


@cache
def _numbers() -> dict[str, float]:
    data = chosen("entailment", "words").values
    small = {word: float(value) for value, word in enumerate(data["small_numbers"])}
    tens = {word: 10.0 * value for value, word in enumerate(data["tens"], start=2)}
    return small | tens | {word: float(value) for word, value in data["large_numbers"].items()}


def _number(form: str) -> float | None:
    if form in _numbers():
        return _numbers()[form]
    plain = form.replace(",", "")
    return float(plain) if plain.isascii() and plain.replace(".", "", 1).isdigit() and len(plain) < 20 else None


def _capital(word: Word) -> bool:
    return word.text[0].isupper() and len(word.text) > 1


def _opens(text: str, word: Word) -> bool:
    """Whether the word begins the text or one of its sentences, where a capital names nobody."""
    before = text[: word.start].rstrip(" \t\"'“‘([")
    return not before or before.endswith(SENTENCE_ENDS)
