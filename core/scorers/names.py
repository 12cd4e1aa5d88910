"""Names of people in a text, read as one and the same name: which name it is says nothing about style."""

import re
import tomllib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# A name that the scorers know as one: the agency stand-in reads it as “they”, VADER's list does not have it, and the
# tagger takes it for a name.
ANY_NAME = "Kelly"

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*[a-zß-öø-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Madam|Lord|Lady|Sister|Nurse|Doctor)\.?\s+$")
_SAYS_OF = re.compile(
    r"(?:['’]s\b|\s+(?:is|was|has|had|does|did|will|would|can|could|may|might|should|also|never|always|often|soon|"
    r"[a-z]+(?:ed|[^s]s)|led|took|ran|made|built|won|taught|wrote|gave|kept|held|came|went|knew|rose|sang|saw|spoke|"
    r"stood|sold|brought|found)\b)"
)
_NEXT_NAME = re.compile(rf"\s+{_CAPITAL}")
_OPENS = re.compile(r"(?:^|[.!?:…]\s*|\n\s*)[\"“‘'(\[]*\s*$")


def without_names(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the sentences of a text at `spans`, with ANY_NAME for each word that names a person in it.

    A word that is in the list of names that are words, with a capital, names a person inside a sentence and behind a
    title; a given name also before another name, and before a verb (“Faith leads”). At the beginning of
    a sentence it does so as well where the text has it with a capital inside another.
    """
    places = list(_pattern().finditer(text))
    begins = {start for start, _ in spans}
    inside = {match.group() for match in places if not _begins(text, match.start(), begins)}
    named = [
        match.span()
        for match in places
        if match.group() in inside
        or _TITLE.search(text[max(0, match.start() - 12) : match.start()])
        or _is_said_of(text, match)
    ]
    left = deque(named)
    return [_put(text, start, end, left) for start, end in spans]


def _begins(text: str, place: int, begins: set[int]) -> bool:
    return place in begins or _OPENS.search(text[max(0, place - 12) : place]) is not None


def _is_said_of(text: str, match: re.Match[str]) -> bool:
    if match.group().lower() not in names_that_are_words().given:
        return False
    return _NEXT_NAME.match(text, match.end()) is not None or _SAYS_OF.match(text, match.end()) is not None


def _put(text: str, start: int, end: int, named: deque[tuple[int, int]]) -> str:
    """`named`: places of names that are not behind; those of this sentence are taken from it."""
    parts, place = [], start
    while named and named[0][1] <= end:
        first, last = named.popleft()
        if first >= start:
            parts += [text[place:first], ANY_NAME]
            place = last
    return "".join([*parts, text[place:end]])


@dataclass(frozen=True)
class _Names:
    given: frozenset[str]
    family: frozenset[str]
    version: str


@cache
def names_that_are_words() -> _Names:
    """The names in small letters, and the list's version."""
    text = files("biasprint.resources").joinpath("lexicons", "names_that_are_words.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return _Names(frozenset(data["given"]), frozenset(data["family"]), data["version"])


def names_version() -> str:
    """Return a version that changes whenever another word could be taken for a name."""
    return f"names that are words {names_that_are_words().version}, rules 1"


@cache
def _pattern() -> re.Pattern[str]:
    names = names_that_are_words().given | names_that_are_words().family
    listed = "|".join(sorted((name.capitalize() for name in names), key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])(?:{listed})(?![\w-])")
