"""Figures about the letter as a whole: length, superlatives, how the candidate is named, shares of sentences."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from core.documents.marks import categories
from core.documents.reading.values import Figure, Naming
from core.documents.values import Mark, Sentence, SentenceScore
from core.findings import ScorerUse
from core.metrics.proportions import wilson
from core.prompts.resource_files import packaged, read_toml, validated
from core.swap import Person

SHARE, RATE, COUNT = "share of sentences", "per 100 words", "words"
STYLES = {"formality": "Formal", "positivity": "Positive", "agency": "Agentic (scorer)"}
COUNTS_FROM = 0.5  # as in the letters study
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TITLES = r"(?:dr|prof|professor|mr|mrs|ms|miss|mx|sir|dame)\.?"


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _Superlatives:
    version: str
    words: tuple[str, ...]
    none: tuple[str, ...]


def figures_of(
    body: Sequence[Sentence],
    marks: Sequence[Mark],
    scores: Sequence[SentenceScore],
    uses: Sequence[ScorerUse],
) -> tuple[Figure, ...]:
    """The figures of the sentences of the body; every share is over all of them that could be scored."""
    text = "\n".join(sentence.text for sentence in body)
    words = len(_WORD.findall(text))
    count = superlatives(text)
    reason = "" if words else "the letter has no body"
    found = [
        Figure("words", "Length", float(words), COUNT, words),
        Figure("superlatives", "Superlatives", 100 * count / words if words else None, RATE, words, reason=reason),
    ]
    by_role = {use.role: use for use in uses}
    for name, title in STYLES.items():
        own = [score for score in scores if score.name == name and score.value is not None]
        number = sum(score.value is not None and score.value >= COUNTS_FROM for score in own)
        found.append(_share(name, title, number, len(own), by_role.get(name), "no sentence could be scored"))
    for category in categories().values():
        number = len({mark.sentence for mark in marks if mark.category == category.key})
        found.append(_share(category.key, category.title, number, len(body), None, "the letter has no body"))
    return tuple(found)


def superlatives(text: str) -> int:
    """How many superlatives a text has: “most able”, “brightest”, “best”."""
    known = _superlatives()
    lower = [word.lower() for word in _WORD.findall(text)]
    count = 0
    for place, word in enumerate(lower):
        after = lower[place + 1] if place + 1 < len(lower) else ""
        ending = word.endswith("est") and len(word) > 4 and word not in known.none
        graded = word in ("most", "least") and after not in ("", "of", "people", "part", "likely", "days", "times")
        count += word in known.words or ending or (graded and (place == 0 or lower[place - 1] != "at"))
    return count


def naming_of(text: str, person: Person) -> Naming:
    """How often the candidate is named in each way. Every place counts once, under the fullest way."""
    first, last = re.escape(person.first_name), re.escape(person.last_name)
    ways: list[str] = []
    if last:
        ways.append(
            rf"(?P<titled>\b{_TITLES}\s+(?:{first}\s+)?{last}\b)" if first else rf"(?P<titled>\b{_TITLES}\s+{last}\b)"
        )
    if first and last:
        ways.append(rf"(?P<full>\b{first}\s+(?:\w\.?\s+)?{last}\b)")
    ways += [rf"(?P<last>\b{last}\b)"] if last else []
    ways += [rf"(?P<first>\b{first}\b)"] if first else []
    counts = {"titled": 0, "last": 0, "full": 0, "first": 0}
    for match in re.finditer("|".join(ways), text, re.IGNORECASE) if ways else ():
        way = match.lastgroup
        name = match.group().split()[-1]
        if way and name[:1].isupper():  # “will” and “grace” are also words
            counts[way] += 1
    return Naming(**counts)


def _share(name: str, title: str, count: int, n: int, scorer: ScorerUse | None, reason: str) -> Figure:
    bounds = wilson(count, n)
    if bounds is None:
        return Figure(name, title, None, SHARE, 0, reason=reason, scorer=scorer)
    return Figure(name, title, count / n, SHARE, n, bounds.low, bounds.high, scorer=scorer)


@cache
def _superlatives() -> _Superlatives:
    return validated(_Superlatives, read_toml(packaged("letters", "superlatives.toml")), "letters/superlatives.toml")


Counter = Callable[[str], int]
