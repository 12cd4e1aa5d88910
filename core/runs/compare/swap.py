"""One letter as one about a person of another name and gender, or why that cannot be done safely.

The only place that knows how: a better engine takes this function's place. Heavy; called in the compute process.
"""

import re
from dataclasses import dataclass

from core.studies.letters.biography.swap import Person, rewrite
from core.swap.tokens import tokens
from core.swap.vocabulary import gendered_words

RULES = "rules 1"  # which engine made a twin
UNCHANGED = "nothing in it shows a name or gender"
DOUBTFUL = "a word in it may be about somebody else"
MIXED = "words of both genders stand in it"
REMAINS = "a word that tells the gender would stay in its twin"
# “Dear Sir or Madam” speaks to the reader.
_READER = re.compile(r"\b(?:sirs?\s*(?:/|or|and)\s*madams?|madams?\s*(?:/|or|and)\s*sirs?)\b", re.IGNORECASE)
# Which of these a “her” goes back to is a matter of reading, and both are of one gender.
_OBJECT_OR_OWNER = re.compile(r"\b(?:him|his)\b", re.IGNORECASE)
_OF_HE, _OF_SHE = {"he", "him", "his", "himself"}, {"she", "her", "hers", "herself"}


@dataclass(frozen=True)
class Twin:
    """`text`: the letter with name and gender swapped; empty where `reason` says why it was not."""

    text: str
    reason: str = ""


def swap(text: str, about: Person, other: Person) -> Twin:
    """`text`, a letter about `about`, as one about `other`; a family name that stands in it stays.

    Refused unless every rule was sure, swapping back gives the letter again (so no word of the other gender was in it
    before), and no word that tells the first gender is left.
    """
    family = about.last_name or _family_name(text, about.first_name)
    about = Person(about.first_name, family, about.pronoun)
    other = Person(other.first_name, family, other.pronoun)
    made = rewrite(text, about, other)
    if made.text == text:
        return Twin("", UNCHANGED)
    if any(change.doubt for change in (*made.changes, *made.left_alone)):
        return Twin("", DOUBTFUL)
    back = rewrite(made.text, other, about).text
    if _OBJECT_OR_OWNER.sub("his", back) != _OBJECT_OR_OWNER.sub("his", text):
        return Twin("", MIXED)
    if {token.lower for token in tokens(_READER.sub("", made.text))} & _telling(about.pronoun):
        return Twin("", REMAINS)
    return Twin(made.text)


def _family_name(text: str, first_name: str) -> str:
    """The one word that follows the given name as a name does, so that “Ms Lee” is known to be her; else none."""
    following = set(re.findall(rf"\b{re.escape(first_name)} ([A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?)\b", text))
    return following.pop() if first_name and len(following) == 1 else ""


def _telling(pronoun: str) -> set[str]:
    words = gendered_words()
    place = 0 if pronoun == "he" else 1
    pairs = (*words.self, *words.titles)
    own = {pair[place] for pair in pairs} - {pair[1 - place] for pair in pairs}
    titles = set() if pronoun == "he" else {"mrs", "miss"}
    return own | titles | (_OF_HE if pronoun == "he" else _OF_SHE)


def swap_all(letters: list[tuple[str, Person, Person]]) -> list[Twin]:
    """`swap` for each letter with whom it is about and whom its twin is about."""
    return [swap(*letter) for letter in letters]
