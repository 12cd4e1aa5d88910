"""Occupations as words, and the one that a letter seems to be about: a guess to be looked at, never a fact."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.prompts.letters import letter_design
from core.prompts.resource_files import packaged
from core.swap.guess_pronoun import beside_the_candidate
from core.swap.result import Person, Stretch
from core.text import for_matching


def same_occupation(one: str, other: str) -> bool:
    """Is it the same occupation, in the singular or the plural?"""
    return occupation_key(one) == occupation_key(other) != ""


def occupation_key(occupation: str) -> str:
    """The occupation in the singular, for matching; "" for none."""
    plain = " ".join(for_matching(occupation).split())
    return plurals().get(plain, plain)


@cache
def singulars() -> tuple[str, ...]:
    """The known occupations in the singular: a list of our own, and those that the letter prompts ask for."""
    every = _listed()
    return tuple(sorted(every - set(plurals())))


@cache
def plurals() -> Mapping[str, str]:
    """Plural → singular, of those that are both in the list."""
    every = _listed()
    found: dict[str, str] = {}
    for one in every:
        forms = {f"{one}s", f"{one}es", f"{one[:-1]}ies" if one.endswith("y") else "", one.replace("man", "men")}
        found |= {form: one for form in forms - {one} if form in every}
    return found


@cache
def _listed() -> frozenset[str]:
    lines = packaged("lexicons", "occupations.txt").read_text(encoding="utf-8").splitlines()
    own = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    for occupation in letter_design().occupations:
        own |= {occupation, f"{occupation}s"}
    return frozenset(map(for_matching, own))


LIKELY_FROM = 3  # what one clear place weighs, or three passing ones together

_SAYS = r"(?:[\w’'-]+(?:,| and)?\s+){0,3}?"  # what may stand between an article and its noun
# What stands before the occupation, and how much it tells.
_BEFORE: tuple[tuple[int, str], ...] = (
    (6, rf"\b\d{{1,2}}[- ]years?[- ]old\s+{_SAYS}$"),
    (5, rf"\b(?:position|role|post|job|title|profession|career|work)\s+(?:of|as)\s+(?:an?\s+|the\s+|our\s+)?{_SAYS}$"),
    (4, rf"\b(?:is|was|been|became|become|remains)\s+(?:truly\s+|such\s+)?(?:an?|our|the)\s+{_SAYS}$"),
    (4, rf"\b(?:he|she|they)['’](?:s|re|d been|ve been)\s+(?:an?|our|the)\s+{_SAYS}$"),
    (4, rf"\b(?:as|being)\s+(?:an?|our|the)\s+{_SAYS}$"),
    (
        4,
        r"\b(?:(?:has|have|had) been|appointed|served as|works? as|worked as|employed as|hired as)\s+(?:[\w’'-]+\s+)?$",
    ),
    (3, rf"\b(?:our|the|my)\s+(?:first|only|best|finest|sole|second|last|former)\s+{_SAYS}$"),
    (1, rf"\b(?:an?|our|the|my|any|this|such)\s+{_SAYS}$"),
)
# “Among the eight engineers I have supervised”: of several, said before the plural.
_AMONG = re.compile(
    rf"\b(?:among|amongst|one of|best of|first of|of all)\s+(?:all\s+)?(?:the|our|my)\s+{_SAYS}$", re.IGNORECASE
)
AMONG = 4
# A hard worker, a good judge of people: praise, not an occupation. Two such places still make it likely.
_PRAISED = re.compile(
    r"\b(?:hard|good|great|excellent|fine|strong|natural|born|gifted|fast|quick|keen|deep|clear|creative|critical|team|"
    r"careful|generous|effective|outstanding|exceptional|superb|wonderful|skilled|talented|true|patient|better|best)\s+$",
    re.IGNORECASE,
)
_TRAITS = frozenset({
    "worker", "judge", "leader", "player", "writer", "speaker", "teacher", "manager", "performer", "organizer",
    "organiser", "researcher", "planner", "editor", "coach", "mentor", "trainer", "producer", "driver", "builder",
    "designer",
})  # fmt: skip
PRAISE = 2
# “The data analyst who worked in my unit”
_WHO = re.compile(r"\s+(?:who|that|whom)\s+(?:has\s+|had\s+)?(?:worked|works|served|joined|has|led|ran)\b")
WHO = 3
# What somebody is, by what they did for whoever writes: “has cooked for our family”.
_DID = re.compile(
    r"\b(?:he|she|they|who|has|have|had)\s+(?:has\s+|have\s+|had\s+)?"
    r"(?P<did>cooked|cleaned|gardened|nursed|taught|drove|driven)\s+(?:at|for|in)\s+(?:us|our|my|this)\b",
    re.IGNORECASE,
)
_DOER = {"cooked": "cook", "cleaned": "cleaner", "gardened": "gardener", "nursed": "nurse", "taught": "teacher",
         "drove": "driver", "driven": "driver"}  # fmt: skip
DID = 4
# What narrows an occupation down to another one of its own (“a veterinary nurse”), as it stands before it.
_FIELD = re.compile(
    r"\b(?P<field>veterinary|dental|psychiatric|hospital|prison|military|parish|maritime|forensic|marine|landscape|"
    r"interior|fashion|theatre|theater|warehouse|delivery|crane|forklift|lorry|truck|taxi|tram|train|van)\s+$",
    re.IGNORECASE,
)
# What says little alone, and something with the noun before it: a worker, but a care worker.
_NARROWED = frozenset({"worker", "assistant", "officer", "operator", "apprentice", "attendant", "agent"})
_NOUN_BEFORE = re.compile(r"(?<![\w-])(?P<field>[a-z]{3,}(?:-[a-z]+)?)\s+$")
_NO_FIELD = frozenset({
    "the", "our", "his", "her", "their", "your", "another", "any", "every", "this", "that", "such", "and", "one",
    "senior", "junior", "former", "new", "old", "young", "first", "second", "last", "chief", "head", "lead", "main",
    "temporary", "permanent", "casual", "seasonal", "full-time", "part-time", "hard", "good", "great", "excellent",
    "best", "better", "trusted", "loyal", "reliable", "steady", "capable", "willing", "honest", "diligent", "valued",
    "only", "very", "most", "quick", "careful", "conscientious", "dedicated", "experienced", "skilled", "was", "been",
    "became", "for", "from", "with", "model", "star", "key", "fine", "strong", "fast", "slow", "tireless", "devoted",
})  # fmt: skip
# Whoever a sentence spoke of last before the occupation: the candidate by a pronoun, or somebody beside the candidate.
_CANDIDATE = frozenset({"he", "she", "they", "him", "them"})
# “As a chef, I have …” and “fellow artist” are about who writes.
_WRITER_AFTER = re.compile(r"^(?:\s+(?:myself|[\w’'-]+)){0,4}\s*,\s*(?:I|we|my|our)\b")
_AS_WRITER = re.compile(r"(?:^|[.!?]\s+|\n)As\s+(?:[\w’'-]+\s+){1,3}$")  # “As county archivist I was asked”
_WRITER_BEFORE = re.compile(
    r"\b(?:fellow|prestigious|I am|I’m|I'm|my (?:work|role|career|position) as)\s+(?:\S+\s+){0,2}$"
)
_NO_OCCUPATION = re.compile(r"\b(?:role|team)\s+$", re.IGNORECASE)  # a role model, a team player


@dataclass(frozen=True)
class OccupationGuess:
    """`occupation` in the singular, "" where none stands out. `likely`: the letter says it in so many words."""

    occupation: str
    likely: bool
    reason: str


def guess_occupation(text: str, parts: Sequence[Stretch] = (), person: Person | None = None) -> OccupationGuess:
    """The occupation that the letter names where it says what the candidate is; the best supported one wins.

    What stands in the signature is the writer's. `person`: the candidate, where known: what another name is said to
    be (“Sjoerd is a programmer”) is not theirs.
    """
    text = _without_the_writer(text, parts)
    weights: Counter[str] = Counter()
    said: dict[str, str] = {}
    for match in _occupation().finditer(text):
        before, after = text[max(0, match.start() - 70) : match.start()], text[match.end() : match.end() + 40]
        occupation = occupation_key(match.group())
        field = _FIELD.search(before)
        if occupation != match.group().lower():
            weight = AMONG if _AMONG.search(before) else 0
        elif _is_of_somebody_else(text, match.start(), person):
            weight = 0
        else:
            weight = _weight(before, after, match.group())
        if occupation in _NARROWED and field is None:
            field = _NOUN_BEFORE.search(before)
            if field is None or field["field"] in _NO_FIELD:
                continue
        if field is not None and weight and occupation not in letter_design().occupations:
            occupation = f"{field['field'].lower()} {occupation}"
        weights[occupation] += weight
        if weight > 1 and occupation not in said:
            said[occupation] = _around(text, match.start(), match.end())
    for match in _DID.finditer(text):
        occupation = _DOER[match["did"].lower()]
        weights[occupation] += DID
        said.setdefault(occupation, match.group())
    if not weights or weights.most_common(1)[0][1] == 0:
        return OccupationGuess("", False, "The letter names no occupation that is known here.")
    best, weight = min(weights.items(), key=lambda item: (-item[1], item[0]))
    if weight < LIKELY_FROM:
        return OccupationGuess("", False, f"It mentions “{best}”, but does not say that the candidate is one.")
    where = f"It says “… {said[best]}”." if best in said else f"It mentions “{best}” {weight} times."
    return OccupationGuess(best, True, where)


def _around(text: str, start: int, end: int) -> str:
    """The words before an occupation, and it: none of them cut in two."""
    first = max(0, start - 25)
    words = text[first:end].split()
    cut = first > 0 and not text[first - 1].isspace() and not text[first].isspace()
    return " ".join(words[1:] if cut and len(words) > 1 else words)


def _without_the_writer(text: str, parts: Sequence[Stretch]) -> str:
    for one in parts:
        if one.kind == "signature":
            text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text


def _weight(before: str, after: str, found: str) -> int:
    if _AS_WRITER.search(before) and re.match(r"\s+I\b", after):
        return 0
    if _NO_OCCUPATION.search(before) or _WRITER_AFTER.match(after) or _WRITER_BEFORE.search(before):
        return 0
    if found[:1].isupper() and re.match(r"\s+[A-Z]", after):
        return 0  # “Professor Field”: a title
    weight = next((weight for weight, pattern in _BEFORE if re.search(pattern, before, re.IGNORECASE)), 0)
    weight = max(weight, WHO) if weight and _WHO.match(after) else weight
    return min(weight, PRAISE) if found.lower() in _TRAITS and _PRAISED.search(before) else weight


_NAMED = re.compile(
    r"(?:^|,\s+|\band\s+)(?P<name>[A-Z][\w’'-]+(?:\s+(?:de|van|von|[A-Z][\w’'-]+))*)\s*,?\s+(?:is|was)\s+an?\s"
)


def _is_of_somebody_else(text: str, start: int, person: Person | None) -> bool:
    """“My daughter, who is an architect”, “her boyfriend was a cook”: the last person of the sentence before it."""
    sentence = re.split(r"[.!?;]\s|\n", text[max(0, start - 160) : start])[-1]
    named = _NAMED.search(sentence + " ")
    if named is not None and person is not None and not _is_called(person, named["name"]):
        return True
    others = beside_the_candidate()
    spoken_of = [word for word in re.findall(r"[a-z-]+", sentence.lower()) if word in _CANDIDATE or word in others]
    return bool(spoken_of) and spoken_of[-1] in others


def _is_called(person: Person, name: str) -> bool:
    own = {word.lower() for word in person.full_name.split()}
    return name.lower() in ("he", "she", "they") or not own.isdisjoint(name.lower().split())


@cache
def _occupation() -> re.Pattern[str]:
    longest_first = sorted(_listed(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)
