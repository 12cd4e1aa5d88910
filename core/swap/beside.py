"""Two candidates in one letter: who is recommended beside the one that is read for, and which words are about whom."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biasprint.core.swap.candidate import Ranked
from biasprint.core.swap.mentions import Named
from biasprint.core.swap.told import Telling

_RECOMMENDS = re.compile(
    r"\b(?:recommend|recommending|recommendation\s+(?:of|for)|endorse|endorsing|nominate|nominating|commend|commending|"
    r"vouch\s+for|(?:support|favou?r)\s+of|reference\s+for|letter\s+for)\s+(?:both\s+|also\s+|as\s+well\s+)?"
    r"(?:(?-i:[a-z]+|Dr\.?|Mr\.?|Mrs\.?|Ms\.?|Prof\.?|Professor)\s+){0,3}$",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?:[’']s)?,?\s+(?:and|&|as\s+well\s+as|or)\s+(?:(?:Dr|Mr|Mrs|Ms|Mx|Prof|Professor)\.?\s+)?|,\s+(?:\w+\.\s+)?"
)
_BOTH = re.compile(r"\b(?:both|the\s+two|each|either|they|them|their)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_OF = {"he": "he", "him": "he", "his": "he", "himself": "he"}
LEAST = 2  # mentions of a second candidate: one who is named once is somebody beside the candidate


def recommended_beside(page: Telling, ranking: Sequence[Ranked], best: Named) -> list[Named]:
    """Return the others that the letter recommends too, in the order of their first mention.

    Only those whom the letter says it is for (“I recommend Peter Novak and Laura Stein”), and of whom it says more.
    """
    told = [row for row in ranking if any(_is_recommended(page, mention.start) for mention in row.person.mentions)]
    told += [row for row in ranking if any(_is_joined(page, row.person, other.person) for other in ranking)]
    group = [
        row
        for row in ranking
        if len(row.person.mentions) >= LEAST
        and not row.features["kin"]
        and (row.features["acts_ever"] or row.features["owns"] or row.features["pronouns"])
        and any(row is other or _is_joined(page, row.person, other.person) for other in told)
    ]
    people = [row.person for row in group]
    if not any(best is person for person in people):
        return []
    return sorted((person for person in people if person is not best), key=lambda person: person.mentions[0].start)


def _is_recommended(page: Telling, start: int) -> bool:
    return _RECOMMENDS.search(page.text[max(0, start - 80) : start]) is not None


def _is_joined(page: Telling, person: Named, other: Named) -> bool:
    """Is one named right after the other where the letter says whom it is for?"""
    for mention in person.mentions:
        for first in other.mentions:
            early, late = sorted((mention, first), key=lambda each: each.start)
            headed = early.sentence < 0 and late.sentence < 0
            joined = late.start - early.end < 40 and _JOINED.fullmatch(page.text[early.end : late.start])
            if joined and (headed or _is_recommended(page, early.start)):
                return True
    return False


@dataclass(frozen=True)
class PartsAbout:
    """From which place on the letter speaks of which candidates, by their number; in order."""

    places: tuple[int, ...]
    about: tuple[frozenset[int], ...]

    def at(self, place: int) -> frozenset[int]:
        """Return the candidates whom the words at `place` describe; none before the first is named."""
        at = bisect_right(self.places, place) - 1
        return self.about[at] if at >= 0 else frozenset()


def turns_of(page: Telling, candidates: Sequence[Named], pronouns: Sequence[str]) -> PartsAbout:
    """Return whom the letter speaks of, place by place. `pronouns`: of each candidate.

    A name, or a pronoun that only one of them has, holds until the next. Words before the first name of a sentence are
    about that one (“Always patient, Laura …”); names that are joined, “both” and “they” are about all.
    """
    events: list[tuple[int, int, frozenset[int]]] = []
    for number, person in enumerate(candidates):
        events += [(mention.start, mention.end, frozenset({number})) for mention in person.mentions]
    events += [(start, end, about) for start, end, about in _by_words(page.text, pronouns)]
    events.sort(key=lambda event: event[0])
    places: list[int] = []
    about: list[frozenset[int]] = []
    for place, (start, _, who) in enumerate(events):
        before = events[place - 1] if place else None
        if before is not None and _JOINED.fullmatch(page.text[before[1] : start]) and before[2] != who:
            about[-1] = who = before[2] | who
        opens = page.sentences[page.sentence_at(start)][0]
        first = before is None or before[0] < opens
        places.append(opens if first else start)
        about.append(who)
    return PartsAbout(tuple(places), tuple(about))


def _by_words(text: str, pronouns: Sequence[str]) -> Iterator[tuple[int, int, frozenset[int]]]:
    for match in _BOTH.finditer(text):
        yield *match.span(), frozenset(range(len(pronouns)))
    for match in _PRONOUN.finditer(text):
        own = [number for number, pronoun in enumerate(pronouns) if pronoun == _OF.get(match[0].lower(), "she")]
        if len(own) == 1:
            yield *match.span(), frozenset(own)
