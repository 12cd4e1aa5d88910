"""The pronoun of whom a letter is about, guessed: what is said of others beside the candidate is not counted."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from core.swap.result import Person, Pronoun
from core.swap.vocabulary import is_person, swap_words

Sureness = Literal["sure", "likely", "unsure"]

_FORMS: dict[Pronoun, tuple[str, ...]] = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "they": ("they", "them", "their", "theirs", "themself", "themselves"),
}
_TITLES: dict[str, Pronoun] = {
    "mr": "he", "sir": "he", "fr": "he", "herr": "he", "monsieur": "he", "ms": "she", "mrs": "she", "miss": "she",
    "dame": "she", "frau": "she", "madame": "she", "mx": "they",
}  # fmt: skip
_OWNERS = frozenset({"a", "an", "one", "the", "my", "our", "your", "his", "her", "their", "another", "every", "each"})
_TITLED = frozenset({"mr", "mrs", "ms", "miss", "dr", "professor", "herr", "frau", "mx"})
FEW = 2  # pronouns that are all said of others: with more, some of them are the candidate's after all


@cache
def beside_the_candidate() -> frozenset[str]:
    """Words for people who stand beside the candidate (“her husband”, “our director”)."""
    words = swap_words()
    kin = {word for pair in (*words.gendered.kin, *words.file.kin) for word in pair}
    return frozenset({*kin, *words.file.nouns.partners, *words.file.nouns.beside})


def is_somebody(word: str) -> bool:
    """Does this word, in lower case, say who or what somebody is (“professor”, “sister”)?"""
    return word in beside_the_candidate() or (word.isalpha() and is_person(word))


class PronounGuess(NamedTuple):
    """`reason`: what it rests on, in words. `mixed`: he and she are both said, and neither far oftener."""

    pronoun: Pronoun
    sure: Sureness
    reason: str
    mixed: bool = False


def guess_pronoun(body: str, name: str, title: str) -> PronounGuess:
    """The pronoun of the candidate called `name`."""
    every = Counter(re.findall(r"[a-z]+", body.lower()))
    own = Counter(_candidates(body, name))
    if not (_count(own, "he") or _count(own, "she")) and _count(every, "he") + _count(every, "she") > FEW:
        own = every
    he, she, they = _count(own, "he"), _count(own, "she"), _count(every, "they")
    by_title = _TITLES.get(title.rstrip(".").lower(), "")
    if not (own["he"] or own["she"] or by_title) and every["they"] >= 3 and they > he + she:
        return PronounGuess("they", "unsure", f"nobody is called he or she in it, and they stands in it {they} times")
    if he or she:
        most: Pronoun = "he" if he > she else "she"
        if by_title not in ("", most) and min(he, she) * 3 >= max(he, she):
            return PronounGuess(by_title, "likely", f"the title {title}, and he {he} times, she {she} times")
        if he == she:
            said = f"he and she stand in it equally often ({he} times)"
            return PronounGuess(by_title, "unsure", said, mixed=not by_title)
        share = max(he, she) / (he + she)
        sure: Sureness = "sure" if share >= 0.9 and max(he, she) >= 3 and by_title in ("", most) else "likely"
        agreed = share >= 0.67 or by_title == most
        said = f"he stands in it {he} times, she {she} times"
        return PronounGuess(most, sure if agreed else "unsure", said, mixed=not agreed)
    if by_title:
        return PronounGuess(by_title, "likely", f"it has no he or she, and the title {title}")
    if every["themself"] or they >= 3:
        said = f"it has no he or she, and they {they} times"
        return PronounGuess("they", "likely" if every["themself"] else "unsure", said)
    return PronounGuess("", "unsure", "it has no pronoun that tells")


def _count(words: Counter[str], pronoun: Pronoun) -> int:
    return sum(words[form] for form in _FORMS[pronoun])


def _candidates(body: str, name: str) -> Iterator[str]:
    """Every he and she that no other person of its sentence stands before (“a professor wrote of his stay”)."""
    own = {word.lower() for word in name.split()}
    for sentence in re.split(r"(?<=[.!?;])\s+|\n", body):
        other, before = False, ""
        for word in re.findall(r"[^\W\d_]+", sentence):
            lower = word.lower()
            if lower in own and word[0].isupper():
                other = False
            elif lower in _FORMS["he"] or lower in _FORMS["she"]:
                if not other:
                    yield lower
            elif lower in _TITLED or (before in _OWNERS and is_somebody(lower)):
                other = True
            before = lower


def given_pronoun(first_name: str) -> Pronoun:
    """he or she for a given name that mostly he or she bears, by the program's list; "" for every other one."""
    lower = first_name.lower()
    words = swap_words().file
    if lower in words.lists.given_to_both:
        return ""
    return "he" if lower in words.given_names["he"] else "she" if lower in words.given_names["she"] else ""


def contradicts(person: Person) -> bool:
    """Is the pronoun he or she, and the given name mostly the other's (“Jamal … she”)?"""
    given = given_pronoun(person.first_name)
    return bool(given) and person.pronoun in ("he", "she") and given != person.pronoun


def other_given_names(body: str, person: Person) -> Iterator[str]:
    """Given names in the letter that may be the candidate's too, and that a swap would leave.

    A short form of the first name; where no first name is known, every one that is mostly of the candidate's pronoun
    and not of somebody else by the words before it.
    """
    first = person.first_name.lower()
    short = swap_words().file.short_names.get(first, frozenset())
    found = []
    for match in re.finditer(r"(?<![\w’'-])[A-Z][a-zà-ÿ-]+(?![\w-])", body):
        lower = match.group().lower()
        before = re.findall(r"[^\W\d_]+", body[max(0, match.start() - 30) : match.start()].lower())[-1:]
        others = bool(before) and (is_somebody(before[0]) or before[0] in _TITLED)
        mostly = not first and bool(person.pronoun) and given_pronoun(lower) == person.pronoun
        is_word = lower in swap_words().gendered.names_that_are_words
        if lower != first and (lower in short or mostly) and not others and not is_word:
            found.append(match.group())
    yield from dict.fromkeys(found)
