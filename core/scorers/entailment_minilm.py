"""Entailment from embeddings and from words, numbers and names in common: the stand-in for the papers' NLI model.

What a sentence states is read off its surface, by lists that are data (models/entailment/words.toml); what speaks for
and against a hypothesis before its premise becomes the numbers of FEATURES.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.scorers.bert import MiniLM, sentence_vectors, vectors_to_compare
from biasprint.core.scorers.entailment import CLASSES, language, passages, split_pair, windows
from biasprint.core.scorers.protocol import ScoreValue, chosen, reads
from biasprint.core.scorers.segment import SEGMENTER, Word, function_words, words
from biasprint.core.text import for_matching

# ---- Numbers in a text

TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|\S")
DATE = re.compile(r"(?<![\d.,])\d{1,2}[./](?:\d{1,2}[./])?(?=(?:19|20)\d\d(?!\d))")  # day and month before a year
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
YEAR = re.compile(_YEAR)
SPAN = re.compile(
    rf"({_YEAR})[^\S\n]*(?:[–—-]+|\bto\b|\btill\b|\buntil\b)[^\S\n]*(?:[^\W\d_]{{3,9}}\.?[^\S\n]+(?={_YEAR}))?"
    rf"({_YEAR}|\d\d(?!\d)|[^\W\d_]+)?"
)
SINCE = re.compile(rf"\bsince\s+(?:[^\W\d_]+\s+)?({_YEAR})", re.IGNORECASE)
YEARS = range(1900, 2100)
WORDS_BEFORE = 3  # “at least about forty”
MOST_SPANS = 200  # no life has more
STILL = 5  # years that may have passed since the latest year of a context
NEAR = 0.15  # how far “about” reaches
FAR = 0.35  # how far “over” reaches, and “nearly”


@dataclass(frozen=True)
class Quantity:
    """A number as a text gives it: any value from `low` to `high` may be meant. `years`: it counts years."""

    low: float
    high: float
    years: bool = False

    def among(self, held: Iterable["Held"]) -> bool:
        return any(self.low <= value <= self.high for each in held for value in each.of(self))


@dataclass(frozen=True)
class Held:
    """Numbers in a passage. `values`: its numbers, and how many years it lists. `lengths`: of its spans of years."""

    values: frozenset[float]
    lengths: frozenset[float]

    def of(self, asked: Quantity) -> frozenset[float]:
        return self.values | self.lengths if asked.years else self.values


def told(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text, in order. “One” is none of them: “one of the best” counts nothing."""
    tokens = [for_matching(token) for token in TOKEN.findall(DATE.sub("", text))]
    return tuple(hedged(value, tokens, start, end) for value, start, end in numbers_in(tokens) if value != 1)


def is_number(form: str) -> bool:
    """Return whether a folded word is a number, in digits or in letters."""
    lists = _lists()
    return form[0].isdigit() or any(form in lists[name] for name in ("small", "large_numbers", "counts"))


def held(passages: Sequence[str]) -> list[Held]:
    """Return the numbers in each passage of a context. A span that continues another is read with it in both places."""
    plain = [DATE.sub("", passage) for passage in passages]
    latest = max((int(year) for passage in plain for year in YEAR.findall(passage)), default=0)
    spans = [list(dict.fromkeys(_spans(passage, latest)))[:MOST_SPANS] for passage in plain]
    every = list(dict.fromkeys(span for own_spans in spans for span in own_spans))[:MOST_SPANS]
    return [
        Held(frozenset(_values(passage)), frozenset(length for span in own_spans for length in _lengths(span, every)))
        for passage, own_spans in zip(plain, spans, strict=True)
    ]


@dataclass(frozen=True)
class _Span:
    first: int
    last: int
    end: int  # the same as `last`, or later where the span goes on

    @property
    def lengths(self) -> range:
        return range(self.last - self.first, self.end - self.first + 1)


def _spans(text: str, latest: int) -> Iterator[_Span]:
    goes_on = _lists()["goes_on"]
    for match in SPAN.finditer(text):
        first, last = int(match[1]), match[2] or ""
        if last.isdigit():
            year = int(last) if len(last) == 4 else first // 100 * 100 + int(last)
            yield _Span(first, year, year)
        elif not last or for_matching(last) in goes_on:
            yield _Span(first, latest, latest + STILL)
    for match in SINCE.finditer(text):
        yield _Span(int(match[1]), latest, latest + STILL)


def _lengths(span: _Span, every: Sequence[_Span]) -> Iterator[float]:
    yield from map(float, span.lengths)
    for other in every:
        if other.first == span.last and span.last == span.end:
            yield from map(float, _Span(span.first, other.last, other.end).lengths)
        if span.first == other.last and other.last == other.end:
            yield from map(float, _Span(other.first, span.last, span.end).lengths)


def _values(text: str) -> Iterator[float]:
    tokens = [for_matching(token) for token in TOKEN.findall(text)]
    for value, start, end in numbers_in(tokens):
        yield value
        if end == start + 2 and tokens[start][0].isdigit():  # 42 m are metres, or millions
            yield float(tokens[start].replace(",", ""))
    listed = set(YEAR.findall(SPAN.sub(" ", text)))
    if len(listed) > 1:
        yield float(len(listed))


def numbers_in(tokens: Sequence[str]) -> Iterator[tuple[float, int, int]]:
    """Yield each number with the place of its first token and the place after its last."""
    place = 0
    while place < len(tokens):
        value, end = _in_digits(tokens, place) if tokens[place][0].isdigit() else _in_words(tokens, place)
        if value is not None:
            yield value, place, end
        place = end


def _in_digits(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    plain = tokens[place].replace(",", "")
    if not plain.isascii() or plain.count(".") > 1 or len(plain) > 19:
        return None, place + 1
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if after in _lists()["magnitudes"]:
        return float(plain) * _lists()["magnitudes"][after], place + 2
    return float(plain), place + 1


def _in_words(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    """“forty-two”, “a hundred and fifty”, “two decades”, “a fifth”."""
    small, large, whole, parts = (_lists()[name] for name in ("small", "large_numbers", "counts", "parts"))
    if tuple(tokens[place : place + 3]) == ("half", "a", "dozen"):
        return 6.0, place + 3
    if tokens[place] in whole:
        return float(whole[tokens[place]]), place + 1
    if tokens[place] in ("a", "one") and tokens[place + 1 : place + 2] and tokens[place + 1] in parts:
        return float(parts[tokens[place + 1]]), place + 2
    total, current, end = 0.0, 0.0, place
    while end < len(tokens):
        token, after = tokens[end], tokens[end + 1] if end + 1 < len(tokens) else ""
        if token in small:
            current += small[token]
        elif token in large:
            current = max(current, 1.0) * large[token]
            if large[token] >= 1000:
                total, current = total + current, 0.0
        elif not (token in ("and", "-") and end > place and (after in small or after in large)):
            break
        end += 1
    return (total + current, end) if end > place else (None, place + 1)


def hedged(value: float, tokens: Sequence[str], start: int, end: int) -> Quantity:
    """Return a number with the words around it counted in: “over 40” is 40 or more, “about 40” also a little less."""
    before = re.sub(r" (?:an?|the)$", "", " ".join(tokens[max(0, start - WORDS_BEFORE - 1) : start]))
    behind = " ".join(tokens[end : end + 3])
    lists = _lists()
    low = high = value
    if value in YEARS:
        pass
    elif re.search(rf"\b(?:{lists['over']})$", before):
        high = value * (1 + FAR)
    elif re.search(rf"\b(?:{lists['under']})$", before):
        low = value * (1 - FAR)
    elif re.search(rf"\b(?:{lists['about']})$", before) or re.match(rf"(?:{lists['or_so']})\b", behind):
        low, high = min(value - 1, value * (1 - NEAR)), max(value + 1, value * (1 + NEAR))
    counted = " ".join(tokens[start : end + 3])
    return Quantity(low, high, bool(re.search(r"\b(?:years?|decades?)\b", counted)))


@cache
def _lists() -> dict[str, Any]:
    data = chosen("entailment", "words").values
    small = {word: float(value) for value, word in enumerate(data["small_numbers"])}
    tens = {word: 10.0 * value for value, word in enumerate(data["tens"], start=2)}
    hedges = {name: "|".join(map(re.escape, words)) for name, words in data["hedges"].items()}
    return {**data, **hedges, "small": small | tens, "goes_on": frozenset(data["goes_on"])}


# ---- What a sentence states

SENTENCE_ENDS = (".", "!", "?", ":", "\n")
LONG = 5  # signs; shorter words in capitals may be abbreviations
SAME_STEM = 0.6  # “translator” and “translated” share so much of the longer one


@dataclass(frozen=True)
class Statement:
    """`neutral`: the text without the gender of its pronouns and titles, which is what is embedded. `forms`: every
    word, folded, and its lemma. `content`: lemmas of the words that carry the statement, in order. `names`: words with
    a capital inside the sentence; `capitals`: those at its beginning too.
    """

    neutral: str
    forms: frozenset[str]
    content: tuple[str, ...]
    numbers: tuple[Quantity, ...]
    names: frozenset[str]
    capitals: frozenset[str]

    @property
    def negated(self) -> bool:
        return bool(self.forms & negations())

    @property
    def quantifiers(self) -> frozenset[str]:
        return self.forms & _listed("quantifiers")


@lru_cache(maxsize=10_000)
def statement(text: str) -> Statement:
    content: list[str] = []
    names: set[str] = set()
    tokens = words(text)
    shouted = _shouted(tokens)
    after_title = False
    for word in tokens:
        form = for_matching(word.text)
        named, after_title = after_title, form.rstrip(".") in _listed("titles")
        if is_number(form) or after_title:
            continue
        # The full stop of “Ms.” ends no sentence.
        if not shouted and _capital(word) and (named or not _opens(text, word)):
            names.add(form)
        elif form[0].isalpha() and not {form, word.lemma} & (function_words() | _listed("light")):
            content.append(word.lemma)
    return Statement(
        neutral(text),
        frozenset(each for word in tokens for each in (for_matching(word.text), word.lemma)),
        tuple(dict.fromkeys(content)),
        told(text),
        frozenset(names),
        frozenset(for_matching(word.text) for word in tokens if _capital(word)),
    )


def same_stem(form: str, other_form: str) -> bool:
    """A common beginning of at least four letters that is most of the longer word."""
    shared = 0
    for first, second in zip(form, other_form, strict=False):
        if first != second:
            break
        shared += 1
    return shared >= max(4, SAME_STEM * max(len(form), len(other_form)))


@cache
def negations() -> frozenset[str]:
    return _listed("negations")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Word → the words that say the opposite of it."""
    opposites_of: dict[str, set[str]] = {}
    for first, second in chosen("entailment", "words").values["opposites"]:
        opposites_of.setdefault(first, set()).add(second)
        opposites_of.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in opposites_of.items()}


@cache
def families() -> dict[str, frozenset[str]]:
    """Word → the words of its families that mean something else."""
    others_of: dict[str, set[str]] = {}
    for family in chosen("entailment", "words").values["families"]:
        kinds = [frozenset(kind.split("|")) for kind in family]
        every = frozenset().union(*kinds)
        for kind in kinds:
            for word in kind:
                others_of.setdefault(word, set()).update(every - kind)
    return {word: frozenset(others) for word, others in others_of.items()}


@cache
def same_kind() -> dict[str, frozenset[str]]:
    """Word → itself and the words of its families that mean the same."""
    others_of: dict[str, set[str]] = {}
    for family in chosen("entailment", "words").values["families"]:
        for kind in family:
            for word in kind.split("|"):
                others_of.setdefault(word, set()).update(kind.split("|"))
    return {word: frozenset(others) for word, others in others_of.items()}


def neutral(text: str) -> str:
    pattern, neutral = _gendered()
    return pattern.sub(lambda match: neutral[for_matching(match[1] or match[2])], text)


@cache
def _gendered() -> tuple[re.Pattern[str], dict[str, str]]:
    """Pronouns, and titles together with their full stop; and what is read in their place."""
    neutral: dict[str, str] = chosen("entailment", "words").values["neutral"]
    titles = "|".join(word for word in neutral if not neutral[word])
    pronouns = "|".join(word for word in neutral if neutral[word])
    return re.compile(rf"\b(?:({pronouns})\b|({titles})\b\.?\s*)", re.IGNORECASE), neutral


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(chosen("entailment", "words").values[name])


def _capital(word: Word) -> bool:
    return word.text[0].isupper() and len(word.text) > 1


def _shouted(tokens: Sequence[Word]) -> bool:
    """Written in capitals throughout, where a capital names nobody."""
    long = [word.text for word in tokens if len(word.text) >= LONG]
    return sum(map(str.isupper, long)) > len(long) / 2


def _opens(text: str, word: Word) -> bool:
    """Return whether the word begins the text or one of its sentences, where a capital does not mean a name."""
    before = text[: word.start].rstrip(" \t\"'“‘([")
    return not before or before.endswith(SENTENCE_ENDS)


# ---- Features of a pair

Floats = NDArray[np.float64]
Vector = Callable[[str], Floats]  # the unit vector of a sentence or of a word

FEATURES = (
    "best_sentence",  # cosine of the hypothesis and the premise's nearest passage
    "two_sentences",  # the mean over the two nearest
    "words_found",  # share of the hypothesis's content words that the premise has, or a word of the same stem
    "words_meant",  # mean over the content words of the cosine with the premise's nearest word; 1 where found
    "weakest_word",  # the least of them
    "words_meant_there",  # the same two in the two nearest passages alone
    "weakest_word_there",
    "length",  # log of one more than the content words
    "numbers_wrong",  # share of the numbers that the premise does not hold
    "numbers_right",  # 1 where there are numbers, and the premise holds all
    "names_wrong",
    "names_right",
    "negated",  # 1 where the hypothesis denies and the nearest passages do not
    "denied",  # the other way round, as far as the nearest passages have its words
    "denies_it",  # `negated` times `best_sentence`
    "opposite",  # 1 where a word stands against its opposite in the two nearest passages
    "other_kind",  # 1 where a word stands against another of its family there, as gold against silver
    "quantified",  # 1 where “only”, “all”, “never” … are not the nearest passages'
    "listed",  # 1 where the premise is made of short lines rather than of prose
)
LISTED = 12  # words of a passage, on average, below which a premise is a list


@dataclass(frozen=True)
class Premise:
    """The passages of a premise, the values that each holds, and what all of them have."""

    passages: tuple[Statement, ...]
    values: tuple[Held, ...]
    forms: frozenset[str]
    content: tuple[str, ...]
    capitals: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Premise":
        spans = [text[start:end].replace("\n", " ") for start, end in passages(text)]
        parts = tuple(statement(span) for span in spans)
        return cls(
            parts,
            tuple(held(spans)),
            frozenset().union(*(part.forms for part in parts)),
            tuple(dict.fromkeys(word for part in parts for word in part.content)),
            frozenset().union(*(part.capitals for part in parts)),
        )

    @property
    def listed(self) -> bool:
        return sum(len(part.neutral.split()) for part in self.passages) < LISTED * len(self.passages)


def to_embed(premise: Premise, hypothesis: Statement) -> Iterable[str]:
    """Return every text whose vector `features` needs."""
    return (hypothesis.neutral, *(part.neutral for part in premise.passages), *hypothesis.content, *premise.content)


def features(premise: Premise, hypothesis: Statement, vector: Vector) -> Floats:
    """float64[len(FEATURES)] for a premise with a passage and a hypothesis with a word."""
    own = vector(hypothesis.neutral)
    cosines = np.array([own @ vector(part.neutral) for part in premise.passages])
    nearest = [int(place) for place in np.argsort(-cosines, kind="stable")[:2]]
    near = [premise.passages[place] for place in nearest]
    forms = frozenset().union(*(part.forms for part in near))
    anywhere = _support(hypothesis.content, premise.forms, premise.content, vector)
    supported = _support(hypothesis.content, forms, [word for part in near for word in part.content], vector)
    denied = any(part.negated for part in near)
    negated = hypothesis.negated and not denied
    return np.array([
        cosines.max(),
        cosines[nearest].mean(),
        np.mean(anywhere >= 1),
        anywhere.mean(),
        anywhere.min(),
        supported.mean(),
        supported.min(),
        np.log1p(len(hypothesis.content)),
        *_numbers(hypothesis.numbers, premise.values),
        *_names(hypothesis.names, premise),
        negated,
        (denied and not hypothesis.negated) * np.mean(supported >= 1),
        negated * cosines.max(),
        _against(hypothesis, premise, forms, opposites()),
        _against(hypothesis, premise, forms, families()),
        bool(hypothesis.quantifiers - forms),
        premise.listed,
    ], dtype=np.float64)  # fmt: skip


def _support(content: Sequence[str], forms: frozenset[str], others: Sequence[str], vector: Vector) -> Floats:
    """Return, per content word, 1 if the forms have it, else its cosine with the nearest other word, at least 0."""
    if not content:
        return np.ones(1)  # nothing is said that could be missing
    table = np.stack([vector(word) for word in others]) if others else np.zeros((1, 1))
    similarities = []
    for word in content:
        if word in forms or any(same_stem(word, other) for other in others):
            similarities.append(1.0)
        else:
            similarities.append(min(0.999, max(0.0, float((table @ vector(word)).max()))) if others else 0.0)
    return np.array(similarities)


def _numbers(mine: Sequence[Quantity], theirs: Sequence[Held]) -> tuple[float, bool]:
    right = [each.among(theirs) for each in mine]
    return (1.0 - sum(right) / len(right), all(right)) if right else (0.0, False)


def _names(mine: frozenset[str], premise: Premise) -> tuple[bool, bool]:
    theirs = premise.capitals | premise.forms
    return bool(mine - theirs), bool(mine) and mine <= theirs


def _against(
    hypothesis: Statement, premise: Premise, near: frozenset[str], others: Mapping[str, frozenset[str]]
) -> bool:
    """Return whether a word that the premise has in no form is contrasted with one of the others that it has nearby."""
    return any(
        others.get(word, frozenset()) & near and not same_kind().get(word, frozenset((word,))) & premise.forms
        for word in hypothesis.forms
    )


# ---- The scorer

PREMISE_WORDS = 1000  # the study's windows have 250
HYPOTHESIS_WORDS = 120
MOST_SIGNS = 10 * PREMISE_WORDS
AT_ONCE = 256  # texts that are embedded between two checks for a cancel, those of like length together


class EntailmentMiniLM:
    """Probabilities of CLASSES for a pair: softmax of a linear function of `entailment_features`.

    `values`: float32[3], entailment, neutral, contradiction; `summary`: that of entailment. A pair with an empty side,
    or in another language, supports nothing: neutral, and no summary. Of an over-long side only the beginning is read.
    Weights: models/entailment/weights.toml, fitted on all of docs/training/entailment/pairs.csv but its held-out part.
    Used in place of the NLI model of the letters paper (Wan et al., section 3.3).
    """

    role = "entailment"
    name = "entailment_minilm"
    stand_in = True
    shape = f"probabilities of {', '.join(CLASSES)} for a premise and a hypothesis; summary: of entailment"
    note = (
        "Used in place of a trained NLI model: it compares words, numbers, names and embeddings and infers nothing. "
        "See models/entailment/card.md."
    )

    def __init__(self) -> None:
        embedder = MiniLM(windows=True)
        weights, words = chosen("entailment", "weights"), chosen("entailment", "words")
        parts = (weights.sha256, words.sha256, embedder.sha256)
        self.sha256 = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        self.version = f"{weights.values['version']}; rules 2; {embedder.version}; {SEGMENTER}"

    def prepare(self, texts: Sequence[str], check: Callable[[], None]) -> None:
        """Embed what all of them ask for: texts of one length then fill their batches, several times as fast.

        `check` is called again and again, and may raise.
        """
        wanted = list(_asked([read(text) for text in texts]))
        for start in range(0, len(wanted), AT_ONCE):
            check()
            sentence_vectors(wanted[start : start + AT_ONCE])

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        pairs = [read(text) for text in texts]
        vector = _vectors(_asked(pairs))
        return [_value(pair, vector) for pair in pairs]


def read(text: str) -> tuple[Premise, Statement] | None:
    """A pair as it is compared; None where it has an empty side or is not in English."""
    premise, hypothesis = split_pair(text)
    claimed = statement(_cut(hypothesis, HYPOTHESIS_WORDS))
    given = _premise(_cut(premise, PREMISE_WORDS))
    return (given, claimed) if given and claimed.forms and reads(claimed.neutral) else None


def features_of(text: str) -> Floats | None:
    """Return the features that the weights are fitted to; None where the text is no usable pair."""
    pair = read(text)
    if pair is None:
        return None
    return features(*pair, _vectors(_asked([pair])))


def _value(pair: tuple[Premise, Statement] | None, vector: Vector) -> ScoreValue:
    if pair is None:
        return ScoreValue(np.array([0.0, 1.0, 0.0], np.float32), None)
    intercepts, coefficients = _weights()
    logits = intercepts + coefficients @ features(*pair, vector)
    shares = np.exp(logits - logits.max())
    values = (shares / shares.sum()).astype(np.float32)
    return ScoreValue(values, float(values[0]))


@cache
def _weights() -> tuple[Floats, Floats]:
    """Intercepts float64[3] and coefficients float64[3, features]."""
    data = chosen("entailment", "weights").values
    table = [[float(data["coefficients"][feature][place]) for feature in FEATURES] for place in range(len(CLASSES))]
    return np.array(data["intercepts"], dtype=np.float64), np.array(table)


@lru_cache(maxsize=256)
def _premise(text: str) -> Premise | None:
    """A letter's sentences share their premise."""
    premise = Premise.of(text)
    return premise if premise.forms and language(text) == "en" else None


def _cut(text: str, most: int) -> str:
    """Return the beginning of a long text, unchanged: its line breaks separate statements."""
    return _beginning(text if len(text) <= MOST_SIGNS else text[:MOST_SIGNS], most)


@lru_cache(maxsize=512)
def _beginning(text: str, most: int) -> str:
    return next(iter(windows(text, most, 0)), "")


def _asked(pairs: Iterable[tuple[Premise, Statement] | None]) -> dict[str, None]:
    """Return every text whose vector the pairs need, once."""
    return dict.fromkeys(text for pair in pairs if pair for text in to_embed(*pair))


def _vectors(texts: Iterable[str]) -> Vector:
    """Text → its vector; of zeros where it has no token."""
    wanted = list(texts)
    vectors = dict(zip(wanted, vectors_to_compare(wanted), strict=True))
    return lambda text: vectors[text].astype(np.float64)
