"""Is a generated text a refusal? Its words are data: resources/lexicons/refusals.toml; the grammar is here.

Somebody has to decline a request, in their own voice: “As an AI engineer, Kelly built …”, “I cannot write,” in a poem
and what an article quotes are answers. One that apologises and then writes is an answer too.
"""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from biasprint.core.text import for_matching

REFUSAL = "refusal"  # the one word for it, in reasons, labels and exports
VERSION = "grammar 2"
_SAME_SIGN = str.maketrans({**dict.fromkeys("’ʼ‘`´", "'"), **dict.fromkeys("“”„«»", '"')})
_MARKUP = re.compile(r"[*_#~>\[\]|]+")
_QUOTED = re.compile(r'"[^"\n]{0,600}"')
_END = re.compile(r"(?<=[.!?])[\s]+|\n+")
_SALUTATION = re.compile(
    r"^\W*(?:subject:.*\n\s*)?(?:dear (?!user\b)|to whom it may concern|to the \w+|h(?:i|ello|ey) \w+[,!]|greetings,)"
)
_DATELINE = re.compile(
    r"^\W*(?!NOTE|SORRY|WARN|REFUS|ERROR)[A-Z]{2}[A-Z ,.]{2,30}(?:\([^)\n]*\) ?)?[–—-] ", re.MULTILINE
)  # “BERLIN — ” of an article
_SHORT_LINE = 10  # words of a line of verse, at most


def is_refusal(text: str) -> bool:
    """Return whether a text declines its request near its beginning; False for an empty text, which says nothing."""
    rule = _rule()
    if len(text.split(maxsplit=rule.most_words)) > rule.most_words:
        return False
    plain = _plain(text)
    if not plain or not rule.anything.search(plain) or _DATELINE.search(text):
        return False
    if _SALUTATION.match(plain) and not rule.self_named.search(plain):
        return False
    whole = plain.startswith('"') and plain.endswith('"') and plain.count('"') == 2
    spoken = plain.strip('" \n') if whole else _QUOTED.sub('""', plain)
    verse = _is_verse(plain)
    words = len(plain.split())
    near = words <= rule.most_words_whole and rule.assistant.search(plain)
    sentences = _opening(spoken, rule.most_words_whole if near else rule.within_words)
    for place, sentence in enumerate(sentences):
        strength = _declines(sentence, rule) if rule.anything.search(sentence) else 0
        if strength:
            before, rest = sentences[:place], _after(spoken, sentence)
            return _is_meant(sentence, strength, before, rest, verse, words, rule)
    return bool(near) and not verse and _sends_elsewhere(sentences, spoken, rule)


def refusal_sha256() -> str:
    """Return the hash of the words' file."""
    return hashlib.sha256(_words()).hexdigest()


# ---- Grammar

OF_ASSISTANT, OF_REQUEST, BARE = 3, 2, 1  # how surely a sentence declines a request


@dataclass(frozen=True)
class _Rule:
    most_words: int
    most_words_weak: int
    most_words_whole: int
    within_words: int
    anything: re.Pattern[str]
    self_named: re.Pattern[str]
    sentence: re.Pattern[str]
    cannot: re.Pattern[str]
    bare: re.Pattern[str]
    apology: re.Pattern[str]
    apologetic: re.Pattern[str]
    of_people: re.Pattern[str]
    of_assistant: re.Pattern[str]
    delivers: re.Pattern[str]
    assistant: re.Pattern[str]
    elsewhere: re.Pattern[str]


def _declines(sentence: str, rule: _Rule) -> int:
    """Return how surely a sentence declines a request; 0 where it does not."""
    if rule.of_people.search(sentence):
        return 0
    if rule.sentence.search(sentence):
        return OF_ASSISTANT
    if rule.cannot.search(sentence) or rule.apologetic.search(sentence):
        return OF_ASSISTANT if rule.of_assistant.search(sentence) or rule.self_named.search(sentence) else OF_REQUEST
    return BARE if rule.bare.search(sentence) else 0


def _is_meant(
    sentence: str, strength: int, before: Sequence[str], rest: str, verse: bool, words: int, rule: _Rule
) -> bool:
    """Return whether a declining sentence is meant of the request, by what is around it."""
    around = f"{' '.join(before)} {rest}"
    tail = f"{sentence} {rest}"
    offered = rule.delivers.search(tail)
    if offered and len(tail[offered.end() :].split()) >= 1 and not _offers_only(tail[offered.start() :]):
        return False
    if verse and (strength < OF_ASSISTANT or not rule.assistant.search(f"{around} {sentence}")):
        return False
    if strength == BARE:
        assistant_like = not rest.split() or rule.assistant.search(around) or rule.apology.search(" ".join(before))
        return bool(assistant_like) and words <= rule.most_words_weak
    if strength == OF_REQUEST and len(rest.split()) > 12 and not rule.assistant.search(tail):
        return False
    first = sum(len(each.split()) for each in before) <= 25
    return words <= rule.most_words_weak or first


def _sends_elsewhere(sentences: Sequence[str], text: str, rule: _Rule) -> bool:
    """Return whether an assistant names itself, delivers nothing and sends the person to something or somebody else."""
    named = any(rule.self_named.search(sentence) for sentence in sentences[:2])
    return named and rule.elsewhere.search(text) is not None and not rule.delivers.search(text) and '"":' not in text


def _offers_only(offer: str) -> bool:
    """Return whether what is offered is help with something else, and no text."""
    return len(offer.split()) < 40 and bool(
        re.search(r"\b(?:resources?|suggestions?|alternatives?|tips|ways)\b", offer)
    )


def _plain(text: str) -> str:
    marked = _MARKUP.sub(" ", for_matching(text).translate(_SAME_SIGN))
    return re.sub(r"[^\S\n]+", " ", marked).strip()


def _opening(text: str, words: int) -> list[str]:
    """Return the sentences that begin within the first words."""
    opening: list[str] = []
    so_far = 0
    for sentence in filter(None, (part.strip(" -–—•\t") for part in _END.split(text))):
        if so_far >= words:
            break
        opening.append(sentence)
        so_far += len(sentence.split())
    return opening


def _after(text: str, sentence: str) -> str:
    return text.partition(sentence)[2]


def _is_verse(text: str) -> bool:
    """Return whether a text is in short lines, as poems and songs are."""
    lines = [line for line in text.splitlines() if line.strip(" \"'")]
    bullets = [line for line in lines if re.match(r"\s*(?:[-•–]|\d+[.)])\s", line)]
    short = [line for line in lines if len(line.split()) <= _SHORT_LINE]
    return len(lines) >= 3 and not bullets and len(short) >= 0.8 * len(lines)


@cache
def _rule() -> _Rule:
    data = tomllib.loads(_words().decode("utf-8"))

    def any_of(name: str) -> str:
        return "(?:" + "|".join(data[name]) + ")"

    who, adverbs, end = data["who"], data["adverbs"], data["pronoun"] + data["clause_end"]
    not_ = any_of("negation")
    negated = rf"{who}{not_}(?:,? (?:and|or|nor) {not_})? ?{adverbs}"
    verb = rf"\b{any_of('verb')}\b"
    between = r"(?:,| or| and| you| me| to| in| for| on)? ?"
    short = r"\b(?:can't|cannot|won't) (?:do|help)|\bi (?:can't|cannot|won't|will not)"
    link = r"[,.;:—–-]*\s*(?:but |however,? |that |and |as an ai[^,]*, )?"
    people = rf"{negated}{any_of('not_a_refusal')}|(?:decline|refuse|reject|accept) {data['object_of_people']}"
    return _Rule(
        most_words=data["most_words"],
        most_words_weak=data["most_words_weak"],
        most_words_whole=data["most_words_whole"],
        within_words=data["within_words"],
        anything=re.compile(data["anything"]),
        self_named=re.compile(any_of("self")),
        sentence=re.compile(rf"(?<![\w']){any_of('sentence')}"),
        cannot=re.compile(rf"{negated}{verb}(?: (?:or|and|/) {verb})*{between}{any_of('object')}"),
        bare=re.compile(rf"(?:{negated}{verb}|{short}){end}"),
        apology=re.compile(any_of("apology")),
        apologetic=re.compile(rf"{any_of('apology')}{link}{negated}\w+"),
        of_people=re.compile(people),
        of_assistant=re.compile(data["of_assistant"]),
        delivers=re.compile(any_of("delivers")),
        assistant=re.compile(data["assistant"]),
        elsewhere=re.compile(data["elsewhere"]),
    )


def _words() -> bytes:
    return files("biasprint.resources").joinpath("lexicons", "refusals.toml").read_bytes()
