"""Whom a letter is about: the name, guessed, and how sure that is; and the pronoun, by `guess_pronoun`."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.swap.guess_pronoun import Sureness, beside_the_candidate, contradicts, guess_pronoun, is_somebody
from core.swap.page import kept
from core.swap.result import Person, Stretch
from core.swap.vocabulary import swap_words

_NAME = r"[^\W\d_a-z][\w’'.-]*[^\W_]|[^\W\d_a-z]\."
_PARTICLE = r"(?:de|van|von|der|den|da|di|del|la|le|bin|al)"
_TITLED = (
    r"(?:(?:Mr|Ms|Mrs|Miss|Mx|Dr|Prof|Professor|Doctor|Sir|Dame|Fr|Rev|Revd|Judge|Herr|Frau|Monsieur|Madame)\b\.?\s+)"
)
_GAP = r"[^\S\n]+"  # names do not go on in the next line: headings end there
_PERSON = rf"(?<!\w)(?P<title>{_TITLED})?(?P<name>(?:{_NAME})(?:{_GAP}(?:{_PARTICLE}{_GAP})*(?:{_NAME})){{0,3}})"
# What a letter says of whom it is about, the surest first.
_TOLD = (
    r"\b(?:recommend|recommending|endorse|nominate|support|introduce|commend|concerns)\s+(?:to\s+you\s+)?(?:for\s+)?",
    r"\b(?:recommendation|reference|endorsement|support|application|candidacy|behalf|nomination|letter)\s+(?:letter\s+)?(?:for|of|on)\s+(?:behalf\s+of\s+)?",
    # “Re: …”, “Re Ann Weber for your opening”, “Subject: Work history, Ann Weber”
    r"^[^\S\n]*(?:re|regarding|subject|candidate|applicant|ref)(?:\s*:\s*|[^\S\n]+)"
    r"(?:[a-z ]*\b(?:for|of)\s+|\w+(?:[^\S\n]+(?-i:[a-z]+))+[^\S\n]*[,–-][^\S\n]+)?",
    # “she taught Hugo”: whom the candidate taught
    r"(?<!he\s)(?<!who\s)\b(?:known|know|met|taught|supervised|managed|worked\s+with|working\s+with|knowing|hired|managing|supervising|"
    r"teaching|employ|employed|employing|mentored|mentoring|trained|about|regarding|concerning)\s+",
    r"\b(?:confirms?|confirming|certify|certifies|declares?|attests?|states?)\s+that\s+",
    r"\b(?:found|hired|ask|engaged|appointed|released|describe\s+one,|(?:that|it|person\b[^.!?\n]{0,40})\s+was)\s+",
)
_TOLD_WEIGHTS = (8, 6, 8, 3, 8, 2)
TOLD_FROM = 3  # below, the words say it of others as well
# What makes a capitalised stretch a person, or somebody or something else.
_DOES = re.compile(
    r"(?:['’]s\b|\s+(?:who|has|had|is|was|will|can|never|always|also|joined|came|worked|asked)\b|,\s+(?:who|whom|whose)\b)"
)
_PLACE = re.compile(r"\b(?:in|at|from|near|around|across|the|to|use|of)\s+$", re.IGNORECASE)
_RELATION = re.compile(
    r"\b(?:my|our|his|her|their|the)\s+(?:(?:late|former|own|current|then)\s+)*(?P<who>[a-z-]+),?\s+$", re.IGNORECASE
)
# “our attorney, Bill Rasmussen”, “a judge named Patricia Lowell”: somebody who is told of by what they are.
_ROLE = re.compile(
    r"\b(?:my|our|his|her|their|your|the|an?|one)\s+(?:[\w’'-]+\s+){0,4}?(?P<who>[a-z-]+),?\s+"
    r"(?:(?:named|called|by\s+the\s+name\s+of)\s+)?$",
    re.IGNORECASE,
)
# A letter that keeps to “the candidate” has no name of theirs.
_UNNAMED = re.compile(r"\bthe\s+(?:candidate|applicant)\b", re.IGNORECASE)
_FOLLOWED = re.compile(r"\b(?:he|she|him|her|his)\b", re.IGNORECASE)
NAMED_FROM = 3  # what a name must weigh to be taken for the candidate's


@dataclass(frozen=True)
class Guess:
    """The person as far as the letter says, how sure name and pronoun are, and what that rests on, in words."""

    person: Person
    name: Sureness
    pronoun: Sureness
    reason: str
    mixed: bool = False  # he and she are both said, and neither far oftener


def doubt_of(found: Guess) -> str:
    """What to look at before the guess is relied on, in a sentence; "" where nothing contradicts it.

    No name at all is no contradiction, and is said elsewhere.
    """
    person = found.person
    if contradicts(person):
        bearers = "men" if person.pronoun == "she" else "women"
        return (
            f"The letter seems to be about {person.full_name} and says “{person.pronoun}”, though {person.first_name} "
            f"is mostly a name of {bearers}. Look whether the candidate is found rightly, before a twin is made."
        )
    if found.mixed:
        guessed = f"“{person.pronoun}” is a guess" if person.pronoun else "neither is taken for the candidate's"
        return (
            f"The letter says both “he” and “she”, so that {guessed}. Look whether the candidate's pronoun is right, "
            "before a twin is made."
        )
    return ""


def guess_person(text: str, parts: Sequence[Stretch] = ()) -> Person:
    """Name, title and pronoun of whom the letter is about; "" for what it does not say."""
    return guess(text, parts).person


def guess(text: str, parts: Sequence[Stretch] = ()) -> Guess:
    """`guess_person` with how sure it is. The addressee and the writer are not asked: whom a letter greets or who
    signed it is not whom it is about.
    """
    body = _without_addressee(text, parts)
    told, signed = _told(body), _signed(text, parts)
    seen = {name: one for name, one in _mentions(body).items() if name.split()[-1] not in signed}
    name, sure = _best(told, seen, unnamed=len(_UNNAMED.findall(body)) > 1)
    title, first, last = _taken_apart(_as_headed(name, text), body)
    pronoun = guess_pronoun(body, name, title)
    said = f"“{name}” is the name it mentions most" if name else "no name was found in it"
    if name and told.get(name):
        said = f"the letter says that it is about “{name}”"
    person = Person(first, last, title, pronoun.pronoun)
    return Guess(person, sure, pronoun.sure, f"{said}; {pronoun.reason}.", pronoun.mixed)


def _without_addressee(text: str, parts: Sequence[Stretch]) -> str:
    signs = list(text)
    for one in kept(text, parts):
        if one.kind in ("salutation", "signature", "address", "title"):
            signs[one.start : one.end] = ["\n" if sign == "\n" else " " for sign in text[one.start : one.end]]
    return "".join(signs)


def _signed(text: str, parts: Sequence[Stretch]) -> set[str]:
    """The words of the signature: who signed is not recommended, whatever the letter tells of them."""
    places = [one for one in kept(text, parts) if one.kind == "signature"]
    return {word for one in places for word in re.findall(r"[^\W\d_a-z][\w’'-]+", text[one.start : one.end])}


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
    """A name in the letter: how often it is there, and how much speaks for its being the candidate's.

    `followed`: he or she is said next.
    """

    count: int = 0
    weight: int = 0
    titled: int = 0
    followed: bool = False


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
        if seen.count == 1:
            surely = " " in name or name.lower() in given_names() or bool(match["title"])  # “Omani dishes” is no name
            seen.followed = surely and _is_followed(body, match.end("name"))
            seen.weight += 2 * seen.followed
            seen.weight -= 2 * (len(found) > 1 and _has_a_role(body, match))
    for name in [one for one in found if " " not in one]:
        for other in found:
            if name != other and name in other.split():
                found[other].count += found[name].count
                found[other].weight += found[name].weight + 1
    return found


def _is_followed(body: str, end: int) -> bool:
    """“…, Rosario Quispe. He is from Chinchero”: is he or she the first person of one of the next two sentences?"""
    after = re.split(r"[.!?]\s+|\n\s*\n", body[end : end + 400])[1:3]
    for sentence in after:
        pronoun = _FOLLOWED.search(sentence)
        if pronoun is not None:
            before = sentence[: pronoun.start()]
            return not any(is_somebody(word) for word in before.lower().split()) and not re.search(_PERSON, before[1:])
    return False


def _has_a_role(body: str, match: re.Match[str]) -> bool:
    role = _ROLE.search(body[max(0, match.start() - 60) : match.start()])
    return role is not None and is_somebody(role["who"].lower())


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


def _best(told: Counter[str], seen: Mapping[str, _Seen], *, unnamed: bool) -> tuple[str, Sureness]:
    """The name that most speaks for, "" where no name weighs enough: a wrong name makes a wrong twin."""
    weights = {name: _weight(name, told, seen) for name in {*seen, *told}}
    # A word that only its place capitalises, or a place's name, is seldom followed by a family name.
    # Of two that weigh the same the first one named.
    order = {name: place for place, name in enumerate(seen)}
    ranked = sorted(
        weights,
        key=lambda name: (
            told[name] >= TOLD_FROM,
            weights[name] + (name.split()[0].lower() in given_names()),
            -order.get(name, len(order)),
        ),
    )
    if not ranked or weights[ranked[-1]] < NAMED_FROM or (unnamed and told[ranked[-1]] < TOLD_FROM):
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
    begins_with = first and one.followed and len(words) > 1  # “Dr. Hye-won Jang is the most independent fellow …”
    if not told[name] and one.titled == one.count and not begins_with:
        return weight - 3 if one.count < 3 else weight  # “Mr Collins, our head”
    if len(words) > 1 and words[0].lower() in given_names():
        weight += 2
    return weight


@cache
def given_names() -> frozenset[str]:
    return frozenset(name for some in swap_words().file.given_names.values() for name in some)


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


def _as_headed(name: str, text: str) -> str:
    """“Liam” → “Liam Doherty”, where a heading in capitals has “LIAM DOHERTY”."""
    if not name or " " in name:
        return name
    headed = re.search(
        rf"(?<!\w){re.escape(name.upper())}{_GAP}(?P<family>[^\W\d_a-z]{{2}}[^\W\d_a-z’'-]*)(?!\w)", text
    )
    return f"{name} {headed['family'].title()}" if headed else name


def _taken_apart(name: str, body: str) -> tuple[str, str, str]:
    titled = re.search(rf"({_TITLED})(?:[\w.’'-]+\s+){{0,2}}{re.escape(name.split()[-1])}\b", body) if name else None
    title = titled.group(1).strip() if titled else ""
    words = name.split()
    if len(words) == 1:
        return (title, "", words[0]) if titled and title.rstrip(".") not in ("Sir", "Dame") else (title, words[0], "")
    if not words:
        return title, "", ""
    cut = next((place for place, word in enumerate(words) if place and word.islower()), len(words) - 1)
    if cut == len(words) - 1 and len(words) == 3 and _has_two_family_names(words, body):
        cut = 1
    return title, " ".join(words[:1]), " ".join(words[cut:])


def _has_two_family_names(words: Sequence[str], body: str) -> bool:
    """“Rosario Quispe Mamani”; not “Mary Jane Smith”, nor one whom the letter also calls by the last of them."""
    middle, last = words[1], words[2]
    alone = re.search(rf"(?<!\b{re.escape(middle)}\s)\b{re.escape(last)}\b", body)
    return len(middle.rstrip(".")) > 1 and middle.lower() not in given_names() and alone is None
