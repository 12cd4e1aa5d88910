"""The kinds of document that are read, the guess of a kind by what a text says of itself, and what a kind's reading is.

Words and numbers of the guess are data: resources/letters/kinds/signs.toml.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from biasprint.core.errors import UsageError
from biasprint.core.letters.parts import looks_like_cv
from biasprint.core.letters.values import DOCUMENT_KINDS, Document, DocumentKind, Part, ReadAs
from biasprint.core.prompts.resource_files import packaged, read_toml, validated

LOOKED_AT = 20_000  # characters from the start
NAMED = 3  # signs in a reason
MOST_OF_SOMEBODY = 2
NEEDED_MORE = 2  # points of an advert, of what has the headings of a CV
_OF_SOMEBODY = re.compile(
    r"(?<!/)\b(?:he|she|him|her|his|hers|me|my|i)\b(?!\s*(?:/|or (?:her|his|she|he|him)\b))", re.IGNORECASE
)
LONGEST = 40  # characters of a sign that are quoted


@dataclass(frozen=True)
class KindWords:
    """The words for a kind: `title`, `noun` with its article, and `word` alone. `of_person`: it is about somebody.

    `compared`: with reference letters, and by the balance of praise, which was measured on letters.
    """

    title: str
    noun: str
    word: str
    of_person: bool = True
    compared: bool = True


KINDS: Mapping[DocumentKind, KindWords] = {
    "reference": KindWords("Letter of reference", "a letter of reference", "letter"),
    "recommendation": KindWords("Short recommendation", "a short recommendation", "recommendation"),
    "review": KindWords("Performance review", "a performance review", "review", compared=False),
    "peer": KindWords("Peer evaluation", "a peer evaluation", "evaluation", compared=False),
    "advert": KindWords("Job advert", "a job advert", "advert", of_person=False, compared=False),
}


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _SignsFile:
    version: str
    short: int
    needs: int
    needs_alone: int
    of_somebody: int
    signs: dict[DocumentKind, tuple[str, ...]]


class _Sign(NamedTuple):
    words: str
    points: int


def kind_of(document: Document, parts: Sequence[Part]) -> ReadAs:
    """Guess the kind of a document, with the reason, by the signs that it has."""
    text = document.text[:LOOKED_AT]
    head = f"{re.sub(r'[_.-]+', ' ', document.name)}\n{text.lstrip().partition(chr(10))[0]}"
    found = {
        kind: [sign for sign in (_sign(one, head, text) for one in signs) if sign is not None]
        for kind, signs in _patterns().items()
    }
    points = {kind: sum(sign.points for sign in signs) for kind, signs in found.items() if kind != "recommendation"}
    persons = len(_OF_SOMEBODY.findall(text))
    if persons > MOST_OF_SOMEBODY:
        points["advert"] -= _signs().of_somebody
    best = max(points, key=lambda kind: points[kind])
    is_letter = points["reference"] or {part.kind for part in parts} & {"salutation", "closing"}
    needs = _signs().needs if is_letter and persons else _signs().needs_alone
    needs += NEEDED_MORE if best == "advert" and looks_like_cv(document, parts) else 0
    if best != "reference" and points[best] >= needs and points[best] > points["reference"]:
        return ReadAs(best, guessed=True, reason=_because(found[best]))
    if found["recommendation"] and _is_short(document.text, parts):
        words = len(document.text.split())
        return ReadAs(
            "recommendation", guessed=True,
            reason=f"it has {words} words, no greeting and no closing, and says {_quoted(found['recommendation'])}",
        )  # fmt: skip
    return ReadAs("reference", guessed=True, reason=_because(found["reference"]) if found["reference"] else "")


def said_of_kind(read_as: ReadAs) -> str:
    """Return the sentence on the kind that a document is read as; "" for a letter that was guessed to be one."""
    if read_as == ReadAs(read_as.kind, guessed=False):
        return f"Read as {KINDS[read_as.kind].noun}."
    if read_as.kind == "reference":
        return ""
    return f"Read as {KINDS[read_as.kind].noun}, a guess: {read_as.reason}."


def kind_called(name: str) -> DocumentKind:
    """Return the kind of this name or title. Raises `UsageError` for one that there is not."""
    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    for kind, words in KINDS.items():
        if wanted in (kind, words.title.lower()):
            return kind
    raise UsageError(f"“{name}” is no kind of document.", hint=f"Choose {', '.join(DOCUMENT_KINDS)}.")


def _sign(sign: tuple[re.Pattern[str], bool], head: str, text: str) -> _Sign | None:
    """Return the words of a sign and what they count, by whether it is strong, and in the name or first line."""
    pattern, strong = sign
    in_head = pattern.search(head)
    match = in_head or pattern.search(text)
    if match is None:
        return None
    return _Sign(" ".join(match.group().split()).strip(" :–-"), 1 + strong * (1 + (in_head is not None)))


def _is_short(text: str, parts: Sequence[Part]) -> bool:
    kinds = {part.kind for part in parts}
    return len(text.split()) <= _signs().short and not kinds & {"salutation", "closing"}


def _because(signs: Sequence[_Sign]) -> str:
    return f"it says {_quoted(sorted(signs, key=lambda sign: -sign.points))}"


def _quoted(signs: Sequence[_Sign]) -> str:
    said = [sign.words for sign in signs]
    apart = [words for words in dict.fromkeys(said) if not any(words != other and words in other for other in said)]
    words = [f"“{words[:LONGEST]}”" for words in apart][:NAMED]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@cache
def _signs() -> _SignsFile:
    path = packaged("letters", "kinds", "signs.toml")
    return validated(_SignsFile, read_toml(path), "The file kinds/signs.toml")


@cache
def _patterns() -> Mapping[DocumentKind, tuple[tuple[re.Pattern[str], bool], ...]]:
    """Return the signs of each kind, and whether each is strong."""
    return {
        kind: tuple(
            (re.compile(rf"(?<!\w)(?:{sign.removeprefix('! ')})", re.IGNORECASE | re.MULTILINE), sign.startswith("! "))
            for sign in signs
        )
        for kind, signs in _signs().signs.items()
    }
