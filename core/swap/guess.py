"""Whom a letter is about: the name and the pronoun, guessed, and how sure that is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from core.swap.page import kept
from core.swap.result import Person, Pronoun, Stretch
from core.swap.vocabulary import swap_words

Sureness = Literal["sure", "likely", "unsure"]

_NAME = r"[^\W\d_a-z][\w’'.-]*[^\W_]|[^\W\d_a-z]\."
_PARTICLE = r"(?:de|van|von|der|den|da|di|del|la|le|bin|al)"
_TITLED = r"(?:(?:Mr|Ms|Mrs|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Dame)\b\.?\s+)"
_GAP = r"[^\S\n]+"  # names do not go on in the next line: headings end there
_PERSON = rf"(?<!\w)(?P<title>{_TITLED})?(?P<name>(?:{_NAME})(?:{_GAP}(?:{_PARTICLE}{_GAP})*(?:{_NAME})){{0,3}})"
# What a letter says of whom it is about, the surest first.
_TOLD = (
    r"\b(?:recommend|recommending|endorse|nominate|support|introduce|commend|concerns)\s+(?:to\s+you\s+)?(?:for\s+)?",
    r"\b(?:recommendation|reference|endorsement|support|application|candidacy|behalf|nomination|letter)\s+(?:letter\s+)?(?:for|of|on)\s+(?:behalf\s+of\s+)?",
    r"^[^\S\n]*(?:re|regarding|subject|candidate|applicant|ref)\s*:\s*(?:[a-z ]*\b(?:for|of)\s+)?",
    r"\b(?:known|know|met|taught|supervised|managed|worked\s+with|working\s+with|knowing|hired|managing|supervising|"
    r"teaching|employ|employed|employing|mentored|mentoring|trained|about|regarding|concerning)\s+",
)
_TOLD_WEIGHTS = (8, 6, 8, 3)
# What makes a capitalised stretch a person, or somebody or something else.
_DOES = re.compile(
    r"(?:['’]s\b|\s+(?:who|has|had|is|was|will|can|never|always|also|joined|came|worked|asked)\b|,\s+(?:who|whom|whose)\b)"
)
_PLACE = re.compile(r"\b(?:in|at|from|near|around|across|the|to|use|of)\s+$", re.IGNORECASE)
_RELATION = re.compile(
    r"\b(?:my|our|his|her|their|the)\s+(?:(?:late|former|own|current|then)\s+)*(?P<who>[a-z-]+),?\s+$", re.IGNORECASE
)
NAMED_FROM = 3  # what a name must weigh to be taken for the candidate's

_PRONOUNS: dict[Pronoun, tuple[str, ...]] = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "they": ("they", "them", "their", "theirs", "themself", "themselves"),
}


@dataclass(frozen=True)
class Guess:
    """The person as far as the letter says, how sure name and pronoun are, and what that rests on, in words."""

    person: Person
    name: Sureness
    pronoun: Sureness
    reason: str


def guess_person(text: str, parts: Sequence[Stretch] = ()) -> Person:
    """Name, title and pronoun of whom the letter is about; "" for what it does not say."""
    return guess(text, parts).person


def guess(text: str, parts: Sequence[Stretch] = ()) -> Guess:
    """`guess_person` with how sure it is. The addressee and the writer are not asked: whom a letter greets or who
    signed it is not whom it is about.
    """
    body = _without_addressee(text, parts)
    told = _told(body)
    name, sure = _best(told, _mentions(body))
    title, first, last = _taken_apart(name, body)
    pronoun, how_sure, why = _pronoun(body, title)
    said = f"“{name}” is the name it mentions most" if name else "no name was found in it"
    if name and told.get(name):
        said = f"the letter says that it is about “{name}”"
    return Guess(Person(first, last, title, pronoun), sure, how_sure, f"{said}; {why}.")


def _without_addressee(text: str, parts: Sequence[Stretch]) -> str:
    signs = list(text)
    for one in kept(text, parts):
        if one.kind in ("salutation", "signature", "address", "title"):
            signs[one.start : one.end] = ["\n" if sign == "\n" else " " for sign in text[one.start : one.end]]
    return "".join(signs)


def _told(body: str) -> Counter[str]:
    """Names in the places where a letter says whom it is about; the surer the place, the more it counts."""
    found: Counter[str] = Counter()
    for weight, pattern in zip(_TOLD_WEIGHTS, _TOLD, strict=True):
        for match in re.finditer(f"(?i:{pattern}){_PERSON}", body, re.MULTILINE):
            name = _clean(match["name"])
            if name:
                found[_full(name, body)] += weight
    return found


@dataclass
class _Seen:
    """A name in the letter: how often it is there, and how much speaks for its being the candidate's."""

    count: int = 0
    weight: int = 0
    titled: int = 0


def _mentions(body: str) -> dict[str, _Seen]:
    """The names in the letter; a full name has the mentions of its parts as well."""
    found: dict[str, _Seen] = {}
    for match in re.finditer(_PERSON, body):
        name = _clean(match["name"])
        begins = match.start() == 0 or body[: match.start()].rstrip()[-1:] in (".", "!", "?", "")
        if not name or (begins and not match["title"] and " " not in name and body.count(name) < 2):
            continue
        seen = found.setdefault(name, _Seen())
        seen.count += 1
        seen.titled += bool(match["title"])
        seen.weight += _speaks_for(body, match, name)
    for name in [one for one in found if " " not in one]:
        for other in found:
            if name != other and name in other.split():
                found[other].count += found[name].count
                found[other].weight += found[name].weight + 1
    return found


def _speaks_for(body: str, match: re.Match[str], name: str) -> int:
    """How much one mention says for its being a person, and the candidate; below zero for somebody else or a place."""
    before, after = body[max(0, match.start() - 40) : match.start()], body[match.end("name") : match.end("name") + 12]
    relation = _RELATION.search(before)
    if relation is not None and (relation["who"].lower() in beside_the_candidate() or match["title"]):
        return -3
    if any(word.lower() in swap_words().file.titles.organisations for word in name.split()[1:]):
        return -4
    weight = 2 if _DOES.match(after) else 1
    return weight - 3 if _PLACE.search(before) else weight


@cache
def beside_the_candidate() -> frozenset[str]:
    """Words for people who stand beside the candidate (“her husband”, “our director”)."""
    words = swap_words()
    kin = {word for pair in (*words.gendered.kin, *words.file.kin) for word in pair}
    return frozenset({*kin, *words.file.nouns.partners, *words.file.nouns.beside})


def _best(told: Counter[str], seen: Mapping[str, _Seen]) -> tuple[str, Sureness]:
    """The name that most speaks for, "" where no name weighs enough: a wrong name makes a wrong twin."""
    weights = {name: _weight(name, told, seen) for name in {*seen, *told}}
    given = {name for some in swap_words().file.given_names.values() for name in some}
    # A word that only its place capitalises, or a place's name, is seldom followed by a family name.
    ranked = sorted(
        weights, key=lambda name: (told[name] > 0, weights[name] + (name.split()[0].lower() in given), -len(name))
    )
    if not ranked or weights[ranked[-1]] < NAMED_FROM:
        return "", "unsure"
    best = ranked[-1]
    count = seen[best].count if best in seen else 0
    if told[best] and count >= 3:
        return best, "sure"
    return best, "likely" if told[best] or count >= 3 else "unsure"


def _weight(name: str, told: Counter[str], seen: Mapping[str, _Seen]) -> int:
    one = seen.get(name, _Seen())
    words = name.split()
    first = next(iter(seen), "") == name
    weight = told[name] + one.weight + first
    if not told[name] and one.titled == one.count:
        return weight - 3 if one.count < 3 else weight  # “Mr Collins, our head”
    if len(words) > 1 and words[0].lower() in {
        name for some in swap_words().file.given_names.values() for name in some
    }:
        weight += 2
    return weight


def _full(name: str, body: str) -> str:
    """The longer form of a name that the letter has elsewhere: “Weber” → “Ann Weber”."""
    if " " in name:
        return name
    after = re.search(rf"\b{re.escape(name)}\s+({_NAME})", body)
    if after and (whole := _clean(after.group())) and whole != name:
        return whole
    before = re.search(rf"(?<![.!?]\s)(?<!\w)(?!{_TITLED})([^\W\d_a-z][\w’'-]+)\s+{re.escape(name)}\b", body)
    return (_clean(before.group()) or name) if before else name


def _clean(name: str) -> str:
    """A name without “'s”, a sentence's full stop and capitalised words that are none."""
    parts = []
    for part in re.sub(r"['’]s\b", "", name).split():
        bare = part.rstrip(".") if len(part) > 2 else part
        if bare.lower() in swap_words().file.lists.no_names or (bare.isupper() and len(bare) > 3):
            break
        parts.append(bare)
        if bare != part:
            break
    while parts and parts[-1].lower() in ("de", "van", "von", "der", "den", "da", "di", "del", "la", "le", "bin", "al"):
        parts.pop()
    return " ".join(parts)


def _taken_apart(name: str, body: str) -> tuple[str, str, str]:
    titled = re.search(rf"({_TITLED})(?:[\w.’'-]+\s+){{0,2}}{re.escape(name.split()[-1])}\b", body) if name else None
    title = titled.group(1).strip() if titled else ""
    words = name.split()
    if len(words) == 1:
        return (title, "", words[0]) if titled and title.rstrip(".") not in ("Sir", "Dame") else (title, words[0], "")
    if not words:
        return title, "", ""
    cut = next((place for place, word in enumerate(words) if place and word.islower()), len(words) - 1)
    return title, " ".join(words[:1]), " ".join(words[cut:])


def _pronoun(body: str, title: str) -> tuple[Pronoun, Sureness, str]:
    words = Counter(re.findall(r"[a-z]+", body.lower()))
    he, she, they = (sum(words[form] for form in _PRONOUNS[key]) for key in ("he", "she", "they"))
    by_title: Pronoun = {
        "mr": "he",
        "sir": "he",
        "ms": "she",
        "mrs": "she",
        "miss": "she",
        "dame": "she",
        "mx": "they",
    }.get(title.rstrip(".").lower(), "")  # type: ignore[assignment]
    if he or she:
        most: Pronoun = "he" if he > she else "she"
        if he == she:
            return by_title, "unsure", f"he and she stand in it equally often ({he} times)"
        share = max(he, she) / (he + she)
        sure: Sureness = "sure" if share >= 0.9 and max(he, she) >= 3 and by_title in ("", most) else "likely"
        return most, sure if share >= 0.67 else "unsure", f"he stands in it {he} times, she {she} times"
    if by_title:
        return by_title, "likely", f"it has no he or she, and the title {title}"
    if words["themself"] or they >= 3:
        return "they", "likely" if words["themself"] else "unsure", f"it has no he or she, and they {they} times"
    return "", "unsure", "it has no pronoun that tells"
