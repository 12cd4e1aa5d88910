"""Support of a letter's sentences by the context, and the passage nearest to each. Runs in the compute process.

Sentences of a letter that can be checked against a CV: the rules of `core.scorers.entailment`, then a head on MiniLM
that separates praise and formalities from what can be looked up.

The letters study keeps to the rules alone: what it compares is the style of praise that no context supports.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from biasprint.core.cache import BatchCache
from biasprint.core.findings import ScorerUse
from biasprint.core.letters.parts import LANGUAGES
from biasprint.core.letters.values import DIFFERS, LACKS, Sentence, Support, Verdict
from biasprint.core.scorers import entailment, facts
from biasprint.core.scorers.bert import sentence_vectors, vectors_to_compare
from biasprint.core.scorers.entailment import Kind
from biasprint.core.scorers.entailment_minilm import neutral
from biasprint.core.scorers.group_words import ANY_NAME
from biasprint.core.scorers.protocol import ScorerInfo, chosen, reads
from biasprint.core.scorers.registry import score_batch
from biasprint.core.swap import Person

NO_CLAIM_FROM = (
    0.6  # the probability from which on a sentence claims nothing; chosen by leaving out one letter after the other
)
KEPT_SENTENCES = 20_000

_known: BatchCache[str, float] = BatchCache(KEPT_SENTENCES)


def claim_kinds(texts: Sequence[str]) -> list[Kind]:
    """Return the kind of each sentence. Remove names first: here one name is as good as another."""
    by_rule = [entailment.kind_of(text) for text in texts]
    asked = [text for text, kind in zip(texts, by_rule, strict=True) if kind == "claim"]
    shares = iter(_known.get([neutral(text) for text in asked], _probabilities))
    return [("opinion" if next(shares) >= NO_CLAIM_FROM else "claim") if kind == "claim" else kind for kind in by_rule]


def claims_version() -> str:
    return f"{entailment.version()}; {chosen('claims', 'head').values['version']}, from {NO_CLAIM_FROM:g}"


def _probabilities(texts: Sequence[str]) -> list[float]:
    """Return the probability that each sentence claims nothing; 0 for one in another language."""
    weight, bias = _head()
    return [
        float(1 / (1 + np.exp(-(weight @ vector.astype(np.float64) + bias)))) if vector.size and reads(text) else 0.0
        for text, vector in zip(texts, sentence_vectors(texts), strict=True)
    ]


@cache
def _head() -> tuple[NDArray[np.float64], float]:
    values = chosen("claims", "head").values
    return np.array(values["weight"], dtype=np.float64), float(values["bias"])


# ---- Names left out of what is compared

# ---- The name that a CV begins with

_WORD = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:[’'.-][^\W\d_]+)*"
_PARTICLE = r"(?:van|von|der|den|de|da|di|del|la|le|bin|al|ter|zu)"
_TITLES = r"(?:Dr|Prof|Professor|Mr|Mrs|Ms|Miss|Mx|Sir|Dame|Doctor|Rev|Captain|Capt)"
_INITIAL = r"[A-Z]\."
_NICKNAME = r"[(\"“‘']+\s*[^\W\d_]+\s*[)\"”’']+"
_NEXT = rf"(?:\s+(?:{_PARTICLE}\s+)*(?:{_INITIAL}|{_NICKNAME}|{_WORD}))"
_LABEL = r"(?:(?:full\s+)?name\s*:\s*)?"
BEGINS = re.compile(
    rf"(?i:{_LABEL}(?:{_TITLES}\b\.?\s+)*)(?P<name>{_WORD}(?:,\s+{_WORD}{_NEXT}{{0,2}}|{_NEXT}{{0,5}}))"
)
HEADINGS = re.compile(r"(?:curriculum vitae|cv|r[ée]sum[ée]|profile|(?:personal )?(?:details|data)|about me)\W*", re.I)
MOST_LINES = 3  # a CV's name stands at its very top


def name_at_top(context: str) -> str:
    """Return the name that a CV or a biography begins with, unchanged; "" where it begins otherwise."""
    lines = [line.strip() for line in context.split("\n") if line.strip()][:MOST_LINES]
    for line in lines:
        if HEADINGS.fullmatch(line):
            continue
        name_line = BEGINS.match(line)
        if not name_line:
            return ""
        name, behind = name_line["name"], line[name_line.end() :].strip()
        alone = not behind or behind[0] in ",(–—-|/·"
        words = re.findall(r"[^\W\d_]{2,}", name)
        return name if len(words) > 1 and (alone or behind[0].islower()) else ""
    return ""


# ---- Names as pronouns

FEWEST_SIGNS = 2  # an initial is no name


def names_of(person: Person, context: str) -> frozenset[str]:
    """The words that name the candidate. Of the guessed name only those that the CV does not have further down: there
    they name a place, a firm or a prize.
    """
    top = name_at_top(context)
    below = context.replace(top, " ", 1) if top else ""
    guessed = {word for word in _words(person.full_name) if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", below)}
    return frozenset(guessed | _words(top))


def unnamed(text: str, names: frozenset[str]) -> str:
    """The text with a pronoun wherever it names the candidate, title and all: “Dr. MORENO’s” becomes “their”."""
    pattern = _pattern(sorted(names, key=lambda name: (-len(name), name)))
    return pattern.sub(lambda match: "their" if match["of"] else "they", text) if pattern else text


def with_one_name(text: str, names: frozenset[str]) -> str:
    """The text with one and the same name wherever it names the candidate: “Dr. MORENO’s” becomes “Kelly's”.

    Scorers of style count a pronoun as a word of another kind than a name, so that they get no pronoun for it.
    """
    pattern = _pattern(sorted(names, key=lambda name: (-len(name), name)))
    return pattern.sub(lambda match: f"{ANY_NAME}'s" if match["of"] else ANY_NAME, text) if pattern else text


def _words(name: str) -> set[str]:
    """“O'Leary-Voss” is known by its parts, too."""
    whole = re.findall(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*", name)
    every = {part for word in whole for part in (word, *word.split("-"))}
    particle = re.compile(_PARTICLE)
    return {word.replace("’", "'") for word in every if len(word) >= FEWEST_SIGNS and not particle.fullmatch(word)}


def _pattern(names: Sequence[str]) -> re.Pattern[str] | None:
    """Names match in any case, but with a capital at their beginning: “grace” names nobody."""
    if not names:
        return None
    own = rf"(?=[^\W\d_a-zß-öø-ÿ])(?i:{'|'.join(_form(name) for name in names)})(?![^\W_])"
    between = rf"(?:\s+(?:{_INITIAL}\s+|{_PARTICLE}\s+|{_NICKNAME}\s+)*|-|,\s+)"
    before = rf"(?:(?i:{_TITLES})\b\.?\s+)*(?:(?i:{_PARTICLE})\s+)*"
    return re.compile(rf"(?<![\w-]){before}{own}(?:{between}{own})*(?P<of>['’][sS]?(?!\w))?")


def _form(name: str) -> str:
    return re.escape(name).replace("'", "['’]")


SAID: dict[str, tuple[Verdict, str]] = {
    "entailment": ("grounded", "A passage of the context says so."),
    "neutral": ("unsupported", "Nothing in the context says so."),
    "contradiction": ("contradicted", "The context seems to say otherwise."),
}
NO_CLAIM = {
    "greeting": "A greeting, a name or a heading: it claims nothing.",
    "opinion": "What the writer thinks, wishes or does: no context could support it.",
    "acquaintance": "How the writer knows the candidate: a context need not say it.",
}
STAND_IN_WORDS = 1_000  # all of a CV: a number that is not in one part of it may stand in another
_verdicts: BatchCache[tuple[str, str, str], tuple[str, float]] = BatchCache(20_000)  # by scorer, context and sentence


def language_of(context: str) -> str:
    """The English name of the language of a context that cannot be compared; "" where it is English, or empty."""
    code = entailment.language(context) if context.strip() else "en"
    return "" if code == "en" else LANGUAGES.get(code, "another language than English")


def support_of(
    body: Sequence[Sentence], context: str, scorer: str, person: Person | None = None
) -> tuple[tuple[Support, ...], tuple[ScorerUse, ...]]:
    """Return the verdict on every sentence of the body. Without a context there is none, and the reason says so.

    `score` is the scorer's probability of entailment by the best window of the context. Facts are compared first: a
    claim with another year, number or name than the context is never grounded, whatever the scorer says. `person`:
    whom the letter is about. Their names are read as pronouns in the letter and in the context, so that a name alone,
    or a married name, decides nothing. Source: letters (Wan et al.), section 3.3.
    """
    names = names_of(person or Person(), context)
    plain = unnamed(context, names)
    why = _why_not(plain, scorer)
    if why:
        return tuple(Support(each.index, "no context", "", 0, 0, None, why) for each in body), ()
    texts = [unnamed(sentence.text, names) for sentence in body]
    kinds = claim_kinds(texts)
    asked = [place for place, kind in enumerate(kinds) if kind == "claim"]
    judged, use = _judged(scorer, plain, [texts[place] for place in asked])
    nearest = _nearest(context, names, [texts[place] for place in asked])
    supports = [
        Support(sentence.index, "not a claim", "", 0, 0, None, NO_CLAIM.get(kind, ""))
        for sentence, kind in zip(body, kinds, strict=True)
    ]
    for place, (verdict, score), (start, end) in zip(asked, judged, nearest, strict=True):
        verdict_words, reason = SAID[verdict]
        differs = facts.difference(plain, texts[place])
        if differs is not None and verdict_words != "contradicted":
            verdict_words, reason = "unsupported", f"{DIFFERS if differs.given else LACKS}: {differs.words}."
        supports[place] = Support(body[place].index, verdict_words, context[start:end], start, end, score, reason)
    return tuple(supports), (use,)


def _why_not(context: str, scorer: str) -> str:
    if not scorer:
        return "No scorer for entailment is here."
    if not context.strip():
        return "There is no context to check against."
    language = language_of(context)
    return f"The context seems to be {language}, which cannot be compared." if language else ""


def _judged(scorer: str, context: str, texts: Sequence[str]) -> tuple[list[tuple[str, float]], ScorerUse]:
    info = ScorerInfo(**score_batch(scorer, [])[0])
    windows = entailment.windows(context, STAND_IN_WORDS) if info.stand_in else entailment.windows(context)

    def judge(new: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, float]]:
        _, values = score_batch(scorer, [entailment.pair(window, text) for *_, text in new for window in windows])
        for place in range(0, len(values), len(windows)):
            own = [value.values for value in values[place : place + len(windows)]]
            verdict = entailment.judged(own)
            if info.stand_in and verdict == "contradiction":  # only a model made for it may say so
                verdict = "neutral"
            yield verdict, float(max(value[0] for value in own))

    verdicts = _verdicts.get([(scorer, context, text) for text in texts], judge)
    use = info.use()
    return verdicts, replace(use, version=f"{use.version}; {claims_version()}; {facts.version()}")


def _nearest(context: str, names: frozenset[str], texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return for each text the place of the context's sentence with the greatest cosine to it.

    Both are read without gender, as entailment reads them: the nearest passage is none the nearer for a pronoun.
    """
    spans, passages = _passages(context, names)
    if not texts:
        return []
    own = np.stack(_vectors(texts))
    return [spans[int(place)] for place in (own @ passages.T).argmax(axis=1)]


@lru_cache(maxsize=8)
def _passages(context: str, names: frozenset[str]) -> tuple[list[tuple[int, int]], np.ndarray]:
    spans = entailment.passages(context)
    return spans, np.stack(_vectors([unnamed(context[start:end], names) for start, end in spans]))


def _vectors(texts: Sequence[str]) -> list[np.ndarray]:
    return vectors_to_compare([neutral(text) for text in texts])
