"""From the entries of a category's file to patterns: the small language that resources/letters/marks describes."""

import re
from collections.abc import Iterable, Mapping

MASK = "\ue000"  # stands for each sign of the candidate's name: a name is no word
# Neither inside a word nor inside a compound: “person” holds no son, “self-confident” is an entry of its own.
BEFORE, AFTER = rf"(?<![\w-])(?=[\w{MASK}])", r"(?![\w-])"
# All repetition is bounded, so that no text, however made, takes longer than its length calls for.
SPACE = r"\s{1,9}"
WORD = rf"[\w'{MASK}-]{{1,40}}"
BETWEEN = rf"(?:{WORD}{SPACE}){{0,2}}"
ENDING = r"[a-z']{0,20}"
NUMBER = (
    r"(?:\d{1,3}|(?:nineteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)"
    r"(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
YEAR = r"(?:19|20)\d\d"
CANDIDATE = rf"(?:she|he|they|{MASK}{{1,40}}(?:{SPACE}{MASK}{{1,40}})?)"
_LISTED = re.compile(r"(\^?)\{(\w+)\}(.*)")
NEVER = re.compile(r"(?!)")

Lists = Mapping[str, tuple[str, ...]]


def any_of(entries: Iterable[str], lists: Lists | None = None, cased: bool = False) -> re.Pattern[str]:
    """A pattern for any of the entries, the longest first. For lower-case text, or, `cased`, for text as it stands."""
    given = sorted(set(entries), key=len, reverse=True)
    if not given:
        return NEVER
    return re.compile(f"{BEFORE}(?:{'|'.join(_entry(entry, lists or {}, cased) for entry in given)}){AFTER}")


def is_cased(entry: str) -> bool:
    """Whether an entry has words that only count with a capital: “Polish” and not “polish”."""
    return "^" in entry


def _entry(entry: str, lists: Lists, cased: bool) -> str:
    parts = []
    for word in entry.split():
        options = "|".join(_word(one, lists, cased) for one in word.split("|"))
        parts.append(BETWEEN if word == "~" else f"(?:{options}){SPACE}")
    return "".join(parts).removesuffix(SPACE)


def _word(word: str, lists: Lists, cased: bool) -> str:
    if word == "{candidate}":
        return f"(?i:{CANDIDATE})" if cased else CANDIDATE
    listed = _LISTED.fullmatch(word)
    if listed is None:
        return _plain(word, cased)
    capital, name, rest = listed.groups()
    return "|".join(
        SPACE.join(_plain(capital + one, cased) for one in f"{option}{rest}".split()) for option in lists[name]
    )


def _plain(word: str, cased: bool) -> str:
    capital, word = word.startswith("^"), word.removeprefix("^")
    if word == "*":
        return f"[A-Z]{WORD}" if capital else WORD
    if word == "####":
        return YEAR
    pieces = (NUMBER.join(map(re.escape, piece.split("#"))) for piece in word.split("*"))
    found = ENDING.join(pieces)
    if not cased:
        return found
    return f"{word[0].upper()}(?i:{found[1:]})" if capital else f"(?i:{found})"
