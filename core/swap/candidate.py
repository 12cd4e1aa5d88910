"""The candidate among the people that a letter names: a small scored model over features that can be read."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.scorers.checked_files import fitted
from biasprint.core.swap.guess_pronoun import beside_the_candidate, is_somebody
from biasprint.core.swap.mentions import Named, NameMention, given_names, people_of, placing, title_pronoun
from biasprint.core.swap.told import Telling, person_words
from biasprint.core.swap.vocabulary import swap_words


@checked(frozen=True, config=ConfigDict(extra="forbid"))
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
    return validated(
        CandidateWeights, read_toml(packaged("letters", "candidate.toml")), "The file letters/candidate.toml"
    )


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
