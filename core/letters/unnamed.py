"""A letter and its CV with pronouns in place of the candidate's names, so that a name decides no verdict.

Whom they are about is read off where the name stands, not off which name it is: every name is treated alike.
"""

import re
from collections.abc import Sequence

from biasprint.core.swap import Person

# ---- The name that a CV begins with

_WORD = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:[’'.-][^\W\d_]+)*"
_PARTICLE = r"(?:van|von|der|den|de|da|di|del|la|le|bin|al|ter|zu)"
_TITLES = r"(?:Dr|Prof|Professor|Mr|Mrs|Ms|Miss|Mx|Sir|Dame|Doctor|Rev|Captain|Capt)"
_INITIAL = r"[A-Z]\."
_NICKNAME = r"[(\"“‘']+\s*[^\W\d_]+\s*[)\"”’']+"
_NEXT = rf"(?:\s+(?:{_PARTICLE}\s+)*(?:{_INITIAL}|{_NICKNAME}|{_WORD}))"
_LABEL = r"(?:(?:full\s+)?name\s*:\s*)?"
BEGINS = re.compile(
    rf"(?i:{_LABEL}(?:{_TITLES}\b\.?\s+)*)(?P<name>{_WORD}(?:,\s+{_WORD}{_NEXT}{{0,2}}|{_NEXT}{{0,5}}))"
)
HEADINGS = re.compile(r"(?:curriculum vitae|cv|r[ée]sum[ée]|profile|(?:personal )?(?:details|data)|about me)\W*", re.I)
MOST_LINES = 3  # a CV's name stands at its very top


def name_at_top(context: str) -> str:
    """The name that a CV or a biography begins with, as it stands there; "" where it begins otherwise."""
    lines = [line.strip() for line in context.split("\n") if line.strip()][:MOST_LINES]
    for line in lines:
        if HEADINGS.fullmatch(line):
            continue
        found = BEGINS.match(line)
        if not found:
            return ""
        name, behind = found["name"], line[found.end() :].strip()
        alone = not behind or behind[0] in ",(–—-|/·"
        words = re.findall(r"[^\W\d_]{2,}", name)
        return name if len(words) > 1 and (alone or behind[0].islower()) else ""
    return ""


# ---- Names as pronouns

FEWEST_SIGNS = 2  # an initial is no name


def names_of(person: Person, context: str) -> frozenset[str]:
    """The words that name the candidate. Of the guessed name only those that the CV does not have further down: there
    they name a place, a firm or a prize.
    """
    top = name_at_top(context)
    below = context.replace(top, " ", 1) if top else ""
    guessed = {word for word in _words(person.full_name) if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", below)}
    return frozenset(guessed | _words(top))


def unnamed(text: str, names: frozenset[str]) -> str:
    """The text with a pronoun wherever it names the candidate, title and all: “Dr. MORENO’s” becomes “their”."""
    pattern = _pattern(sorted(names, key=lambda name: (-len(name), name)))
    return pattern.sub(lambda found: "their" if found["of"] else "they", text) if pattern else text


def _words(name: str) -> set[str]:
    """“O'Leary-Voss” is known by its parts, too."""
    whole = re.findall(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*", name)
    every = {part for word in whole for part in (word, *word.split("-"))}
    particle = re.compile(_PARTICLE)
    return {word.replace("’", "'") for word in every if len(word) >= FEWEST_SIGNS and not particle.fullmatch(word)}


def _pattern(names: Sequence[str]) -> re.Pattern[str] | None:
    """Names match in any case, but with a capital at their beginning: “grace” names nobody."""
    if not names:
        return None
    own = rf"(?=[^\W\d_a-zß-öø-ÿ])(?i:{'|'.join(_form(name) for name in names)})(?![^\W_])"
    between = rf"(?:\s+(?:{_INITIAL}\s+|{_PARTICLE}\s+|{_NICKNAME}\s+)*|-|,\s+)"
    before = rf"(?:(?i:{_TITLES})\b\.?\s+)*(?:(?i:{_PARTICLE})\s+)*"
    return re.compile(rf"(?<![\w-]){before}{own}(?:{between}{own})*(?P<of>['’][sS]?(?!\w))?")


def _form(name: str) -> str:
    return re.escape(name).replace("'", "['’]")
