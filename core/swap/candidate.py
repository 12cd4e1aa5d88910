"""The candidate among the people that a letter names: a small scored model over features that can be read.

Two candidates in one letter: who is recommended beside the one that is read for, and which words are about whom.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp

from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.scorers.checked_files import fitted
from biasprint.core.swap.guess_pronoun import beside_the_candidate, is_somebody
from biasprint.core.swap.mentions import Named, NameMention, given_names, people_of, placing, title_pronoun
from biasprint.core.swap.told import Telling, person_words
from biasprint.core.swap.vocabulary import swap_words

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


@strict_data
class CandidateWeights:
    """letters/candidate.toml: what each feature weighs, and from which probability on a person is taken.

    docs/training/candidate fits it.
    """

    version: int
    constant: float
    taken_from: float
    likely_from: float
    sure_from: float
    features: Mapping[str, float]


@cache
def weights() -> CandidateWeights:
    fitted("resources", "letters", "candidate.toml")  # the program's own, or it is not read
    return from_resources(CandidateWeights, "letters", "candidate.toml")


@dataclass(frozen=True)
class Ranked:
    """A person with the probability of being the one that the letter is about, and what that rests on."""

    person: Named
    probability: float
    features: Mapping[str, float]


def ranked(page: Telling) -> list[Ranked]:
    """Return the people of the letter, the likeliest candidate first."""
    people = people_of(page)
    table = features_of(page, people)
    model = weights()
    ranking = []
    for person, features in zip(people, table, strict=True):
        score = model.constant + sum(model.features[name] * value for name, value in features.items())
        ranking.append(Ranked(person, 1 / (1 + exp(-score)), features))
    return sorted(ranking, key=lambda person_ranked: -person_ranked.probability)


_SAYS_SO = ("headed", "told_surely", "told_likely")
_PERSONAL = (*_SAYS_SO, "acts_ever", "introduced", "owns", "given", "pronouns")


def has_evidence(ranked: Ranked) -> bool:
    """Does anything at all speak for a person? Capitals alone do not, and “the candidate” has no name in the letter."""
    wanted = _SAYS_SO if ranked.features["unnamed"] else _PERSONAL
    return any(ranked.features[name] > 0 for name in wanted) or (
        bool(ranked.person.titles) and not ranked.features["unnamed"]
    )


_NOT_A_VERB = frozenset({
    "and", "or", "of", "in", "at", "on", "for", "to", "from", "with", "by", "as", "but", "that", "which", "if", "when",
    "than", "the", "a", "an", "because", "while", "until", "after", "before", "so", "about", "into", "over", "then",
})  # fmt: skip
_HE_OR_SHE = frozenset({"he", "she", "his", "her", "him", "hers", "himself", "herself"})
_OPENERS = re.compile(
    r"(?:^|[,;:]\s*|[.!?]\s*|\b(?:and|but|that|when|while|because|as|where|which|if|after|before|whom|until|since|what|"
    r"for\s+[\w\s]{3,20}|[a-z]+ly)\s+)$", re.IGNORECASE,
)  # fmt: skip
_UNNAMED = re.compile(
    r"\bthe\s+(?:candidate|applicant)\b(?!\s*:)|\bcandidate\s+number\b|\banonym|\bunnamed\b|\bno\s+names\b|"
    r"\bthe\s+(?:lady|gentleman|man|woman|person|bearer|holder)\s+(?:who|that)\s+(?:carries|bears|brings|hands|holds)\b|"
    r"\b(?:not|off|keep|kept|leave|left|leaving|without|withh\w+|omit\w*|remov\w+|blank\w*|conceal\w*|hid\w*)\b[^.;]{0,45}"
    r"(?:\b(?:a|the|his|her|their|any)|['’]s)\s+names?\b(?!\s+of\b)|\bname\b[^.;]{0,60}\b(?:kept\s+off|withheld|omitted|left\s+out|removed|blank|discre\w+)\b",
    re.IGNORECASE,
)


def features_of(page: Telling, people: Sequence[Named]) -> list[dict[str, float]]:
    """Return one row per person of `people`, each feature from 0 to about 1."""
    pronouns = spoken_of(page, people)
    sentences = max(1, len({mention.sentence for person in people for mention in person.mentions}))
    first = min((mention.start for person in people for mention in person.mentions if mention.sentence >= 0), default=0)
    most = max((len(person.mentions) for person in people), default=1)
    before = _pronouns_before(page)
    pronoun = _pronoun(page)
    rows = []
    for number, person in enumerate(people):
        seen = [_seen(page, mention) for mention in person.mentions]
        inside = [mention for mention in person.mentions if mention.sentence >= 0]
        count = len(person.mentions)
        held = sum(pronouns[number].values())
        every = sum(sum(counts.values()) for counts in pronouns.values()) or 1
        rows.append({
            "headed": float(len(inside) < count),
            "told_surely": float(any("told_surely" in mention for mention in seen)),
            "told_likely": float(any("told_likely" in mention for mention in seen)),
            "first": float(bool(inside) and inside[0].start == first),
            "most_named": float(count == most and count > 1),
            "share": len({mention.sentence for mention in person.mentions}) / sentences,
            "acts": min(sum("acts" in mention for mention in seen), 4) / 4,
            "acts_ever": float(any("acts" in mention for mention in seen)),
            "owns": min(sum("owns" in mention for mention in seen), 3) / 3,
            "introduced": float(any("introduced" in mention for mention in seen[:2])),
            "pronouns": min(held, 6) / 6,
            "pronoun_share": held / every,
            "full": float(len(person.words) > 1 or bool(person.titles)),
            "given": float(person.words[0].lower() in given_names()),
            "titled_alone": float(all(mention.title for mention in person.mentions) and len(person.words) == 1),
            "clash": float(any(pronoun and title_pronoun(title) not in ("", pronoun) for title in person.titles)),
            "kin": float(any("kin" in mention for mention in seen)),
            "role": float("role" in seen[0]),
            "passing": sum("passing" in mention for mention in seen) / count,
            "placed": sum("placed" in mention for mention in seen) / count,
            "after_pronoun": float("after_pronoun" in seen[0]),
            "opening": float(bool(inside) and inside[0].sentence <= 2),
            "late": float(before.get(inside[0].sentence, 0) >= 2) if inside else 0.0,
            "spread": _spread(page, inside),
            "once": float(count == 1),
            "unnamed": float(_UNNAMED.search(page.text) is not None),
        })  # fmt: skip
    return rows


def _spread(page: Telling, inside: Sequence[NameMention]) -> float:
    """Return the share of the letter between the first and the last mention."""
    if not inside:
        return 0.0
    return (inside[-1].sentence - inside[0].sentence) / max(1, len(page.sentences) - 1)


def _pronouns_before(page: Telling) -> dict[int, int]:
    """Count for each sentence how many of he and she the sentences before it have."""
    counts, count = {}, 0
    for number, (start, end) in enumerate(page.sentences):
        counts[number] = count
        count += sum(word in ("he", "she") for word in re.findall(r"[a-z]+", page.text[start:end].lower()))
    return counts


def _pronoun(page: Telling) -> str:
    words = Counter(re.findall(r"[a-z]+", page.text.lower()))
    he, she = words["he"] + words["his"] + words["him"], words["she"] + words["her"]
    if max(he, she) < 3 or min(he, she) * 2 > max(he, she):
        return ""
    return "he" if he > she else "she"


@cache
def _told_patterns() -> dict[str, re.Pattern[str]]:
    lead = (
        r"(?:\s+(?:our|my|the|a|an|former|late|present|colleague|friend|your|another|one|certain|by|dear|application|"
        r"(?:[\w’'-]+\s+){0,2}[\w’'-]+,))*\s*[“\"(]?$"
    )
    return {
        name: re.compile(rf"(?<![\w’'-])(?:{'|'.join(patterns)}){lead}", re.IGNORECASE)
        for name, patterns in person_words().told.items()
    }


@cache
def _role_patterns() -> dict[str, re.Pattern[str]]:
    roles = person_words().roles
    return {
        "before": re.compile(rf"(?<![\w’'-]){roles['before']}$", re.IGNORECASE),
        "after": re.compile(roles["after"], re.IGNORECASE),
        "named": re.compile(rf"(?<!\w){roles['named']}$", re.IGNORECASE),
        "passing": re.compile(rf"(?<!\w)(?:{roles['passing']})$", re.IGNORECASE),
    }


def _seen(page: Telling, mention: NameMention) -> set[str]:
    """Return the features of one mention that the words around it show."""
    if mention.sentence < 0:
        return set()
    start, end = page.sentences[mention.sentence]
    at = mention.start - len(mention.title) - 1 if mention.title else mention.start
    before, after = page.text[start : max(start, at)], page.text[mention.end : end]
    features = set()
    if mention.title:
        before = re.sub(rf"{re.escape(mention.title)}\W*$", "", before)
    if before and before[-1:].isalnum():
        before += " "
    features |= _told_of(before)
    if re.search(r"\b(?:he|she|his|her)\b", before, re.IGNORECASE):
        features.add("after_pronoun")
    following = re.match(r"\s+([a-zà-ÿ’']+)", after)
    if _OPENERS.search(before) or not before.strip(" “\"'‘("):
        if following and following.group(1) not in _NOT_A_VERB:
            features.add("acts")
        if re.match(r",\s+(?:who|whom|whose|an?)\b", after):
            features |= {"introduced", "acts"}
    if re.match(r"\W{0,2}\s*,?\s*(?:(?:with|of|to|about|for)\s+)?(?:who|whom|whose)\b", after):
        features.add("introduced")
    if re.match(r"[’']s\b|[’'](?=\s)", after):
        features.add("owns")
    return features | _beside(before, after, mention)


def _told_of(before: str) -> set[str]:
    features = {f"told_{name}" for name, pattern in _told_patterns().items() if pattern.search(before)}
    # “She taught Hugo”: whom the candidate taught.
    if "told_likely" in features and re.search(
        r"\b(?:he|she|they|who)\s+(?:also\s+|had\s+|has\s+)?\w+\s+$", before, re.IGNORECASE
    ):
        features.discard("told_likely")
    return features


def _beside(before: str, after: str, mention: NameMention) -> set[str]:
    """Somebody beside the candidate: a relation, a role, an old or a little one, a place."""
    patterns = _role_patterns()
    features = set()
    role = patterns["before"].search(before)
    if role is not None:
        who = role["who"].lower()
        if who in kin():
            features.add("kin")
        elif is_somebody(who):
            features.add("role")
    match = patterns["after"].match(after)
    if match is not None and match["who"].lower() in beside_the_candidate():
        features.add("role")
    if patterns["named"].search(before):
        features.add("role")
    if patterns["passing"].search(before):
        features.add("passing")
    if not mention.title and placing().search(before):
        features.add("placed")
    return features


@cache
def kin() -> frozenset[str]:
    words = swap_words()
    pairs = (*words.gendered.kin, *words.file.kin)
    return frozenset(
        {*(word for pair in pairs for word in pair), *words.file.nouns.partners, "cousin", "child", "children"}
    )


_WORD = re.compile(r"[^\W\d_]+")
_OWNERS = frozenset({"a", "an", "one", "the", "my", "our", "your", "another", "every", "each", "old", "young"})


def spoken_of(page: Telling, people: Sequence[Named]) -> dict[int, Counter[str]]:
    """Count for each person how often he and she refer to them; -1 is somebody who is not named.

    A pronoun refers to the person its sentence names last before it, else the person the letter spoke of last.
    """
    counts: dict[int, Counter[str]] = {number: Counter() for number in range(-1, len(people))}
    places = {
        told_mention.start: (number, told_mention)
        for number, person in enumerate(people)
        for told_mention in person.mentions
    }
    topic = -1
    for start, end in page.sentences:
        current, opened, before, skip = topic, False, "", start
        for match in _WORD.finditer(page.text, start, end):
            word = match.group().lower()
            if match.start() in places:
                current, mention = places[match.start()]
                skip = mention.end
                if not opened:
                    topic, opened = current, True
            elif match.start() < skip:
                continue
            elif word in _HE_OR_SHE:
                counts[current]["he" if word in ("he", "his", "him", "himself") else "she"] += 1
                opened = True
            elif before in _OWNERS and is_somebody(word):
                current, opened = -1, True
            before = word
    return counts


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
