"""The candidate's pronoun, guessed: pronouns that refer to other people in the letter are not counted."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from biasprint.core.swap.page import Person, Pronoun
from biasprint.core.swap.vocabulary import is_person, swap_words

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
_QUOTED = re.compile(r"“[^”]{1,300}”|\"[^\"\n]{1,300}\"")
_OPENING = re.compile(r"(?:^|[.!?:]\s+|\n\s*|[.!?]\s+And\s+)(He|She|They|His|Her|Their)\b")
FEW = 2  # pronouns that are all said of others: with more, some of them are the candidate's after all


@cache
def beside_the_candidate() -> frozenset[str]:
    """Return the words for people mentioned with the candidate (“her husband”, “our director”)."""
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


def guess_pronoun(body: str, name: str, title: str, spoken: Counter[str] | None = None) -> PronounGuess:
    """Guess the pronoun of the candidate called `name`. `spoken`: he and she where the letter spoke of them last."""
    body = _QUOTED.sub(" ", body)
    every = Counter(re.findall(r"[a-z]+", body.lower()))
    opening = Counter(word.lower() for word in _OPENING.findall(body))
    own = Counter(_candidates(body, name))
    if not (_count(own, "he") or _count(own, "she")) and _count(every, "he") + _count(every, "she") > FEW:
        own = every
    if not name and not (opening["he"] or opening["she"]) and min(_count(own, "he"), _count(own, "she")):
        own = Counter()
    he, she = _count(own, "he"), _count(own, "she")
    by_title = _TITLES.get(title.rstrip(".").lower(), "")
    if by_title in ("", "they") and _is_they(every, opening, he + she):
        return PronounGuess(
            "they", "likely" if opening["they"] > 2 else "unsure", f"they begins {opening['they']} of its sentences"
        )
    if he or she:
        return _he_or_she(he, she, by_title, title, opening, spoken or Counter())
    if by_title:
        return PronounGuess(by_title, "likely", f"it has no he or she, and the title {title}")
    return PronounGuess("", "unsure", "it has no pronoun that tells")


def _is_they(words: Counter[str], opening: Counter[str], he_or_she: int) -> bool:
    """Is “they” one person's? Amid a sentence it is mostly several people's, and where he or she begins one."""
    if opening["he"] or opening["she"]:
        return False
    return bool(words["themself"]) or (
        opening["they"] + opening["their"] >= 2 and he_or_she <= FEW and bool(opening["they"])
    )


def _he_or_she(
    he: int, she: int, by_title: Pronoun, title: str, opening: Counter[str], spoken: Counter[str]
) -> PronounGuess:
    most: Pronoun = "he" if he > she else "she"
    if by_title and (he == she or (by_title != most and min(he, she) * 3 >= max(he, she))):
        return PronounGuess(by_title, "likely", f"the title {title}, and he {he} times, she {she} times")
    share = max(he, she) / (he + she)
    if share >= 0.67 or by_title == most:
        sure = share >= 0.9 and max(he, she) >= 3 and by_title in ("", most)
        return PronounGuess(most, "sure" if sure else "likely", f"he stands in it {he} times, she {she} times")
    for place, counts in (
        ("at the beginning of sentences", opening),
        ("where the candidate was spoken of last", spoken),
    ):
        own: Pronoun = "he" if _count(counts, "he") > _count(counts, "she") else "she"
        more, less = sorted((_count(counts, "he"), _count(counts, "she")), reverse=True)
        if more and more >= 3 * less:
            return PronounGuess(own, "unsure", f"{place} {own} stands {more} times, the other {less} times", mixed=True)
    return PronounGuess("", "unsure", f"he stands in it {he} times, she {she} times", mixed=True)


def _count(words: Counter[str], pronoun: Pronoun) -> int:
    return sum(words[form] for form in _FORMS[pronoun])


def _candidates(body: str, name: str) -> Iterator[str]:
    """Yield every he and she that no other person of its sentence precedes (“a professor wrote of his stay”)."""
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
    names = []
    for match in re.finditer(r"(?<![\w’'-])[A-Z][a-zà-ÿ-]+(?![\w-])", body):
        lower = match.group().lower()
        before = re.findall(r"[^\W\d_]+", body[max(0, match.start() - 30) : match.start()].lower())[-1:]
        others = bool(before) and (is_somebody(before[0]) or before[0] in _TITLED)
        mostly = not first and bool(person.pronoun) and given_pronoun(lower) == person.pronoun
        is_word = lower in swap_words().gendered.names_that_are_words
        if lower != first and (lower in short or mostly) and not others and not is_word:
            names.append(match.group())
    yield from dict.fromkeys(names)
