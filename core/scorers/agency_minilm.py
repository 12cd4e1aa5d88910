"""Agency of each sentence, and agency and communion of a text, by a small head on the packaged MiniLM.

The head is a softmax regression over three classes. It was trained on sentences that were written for this project
in docs/training/agency; models/agency/card.md has its accuracies and its limits.

It reads a sentence without what tells the gender of the person it is about: “he”, “she” and names become “they”, every
other form “their” or “themselves”, and gendered nouns a neutral one. So swapping a pronoun, a noun or a listed name
changes nothing that the head sees. The lists: models/agency/neutral.toml.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from biasprint.core.cache import BatchCache
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.scorers.bert import MiniLM, sentence_vectors
from biasprint.core.scorers.embedding import Probabilities, SoftmaxHead, read_head
from biasprint.core.scorers.group_words import ANY_NAME
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, chosen, has_style, style_value
from biasprint.core.scorers.segment import SEGMENTER, sentences

# ---- A sentence without gender

NAME_WORDS = 3  # behind a given name or a title: a middle name, an initial, a family name
CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*\w"
INITIAL = r"[A-Z]\."
# “St. Peter” and “San Antonio” are rarely the person a letter is about.
NO_PERSON_AFTER = ("St ", "St. ", "San ", "Saint ")


@dataclass(frozen=True)
class NeutralWords:
    """`version`: changes whenever a sentence could be put otherwise."""

    version: str
    sha256: str
    words: dict[str, str]
    person: re.Pattern[str]
    gendered: re.Pattern[str]


def neutral(sentence: str) -> str:
    """“Ms. Kelly Watson knows her team.” → “They knows their team.” The head was trained on sentences put so."""
    rules = neutral_words()
    plain = sentence.replace("’", "'")
    return " ".join(rules.gendered.sub(_word, rules.person.sub(_person, plain)).split())


@cache
def neutral_words() -> NeutralWords:
    """Raises `AppError` where the list is missing or broken."""
    file = chosen("agency", "neutral")
    words: dict[str, str] = file.values["words"]
    return NeutralWords(
        version=f"neutral words {file.values['version']}, rules 1",
        sha256=file.sha256,
        words=words,
        person=_person_pattern(file.values["titles"], file.values["given_names"]["names"]),
        gendered=re.compile(rf"\b(?:{_any(words)})\b", re.IGNORECASE),
    )


def _person_pattern(titles: list[str], names: list[str]) -> re.Pattern[str]:
    """A title with a name behind it, or a given name, with further names and a possessive ending."""
    guards = "".join(f"(?<!{re.escape(word)})" for word in NO_PERSON_AFTER)
    further = rf"(?:\s+(?!(?:He|She|They|His|Her|Their)\b)(?:{CAPITAL}|{INITIAL}))"
    titled = rf"(?:{_any(titles)})\.?{further}{{1,{NAME_WORDS + 1}}}"
    named = rf"(?:{_any(names)})\b{further}{{0,{NAME_WORDS}}}"
    return re.compile(rf"{guards}\b(?:{titled}|{named})('s?(?!\w))?")


def _person(match: re.Match[str]) -> str:
    whole = match.group()
    starts = not match.string[: match.start()].strip(" \t\n\"'“”‘’([")
    word = "their" if match[1] or re.search(r"'s?$", whole) else "they"
    return word.capitalize() if starts else word


def _word(match: re.Match[str]) -> str:
    given = match.group()
    instead = neutral_words().words[given.lower()]
    return instead[:1].upper() + instead[1:] if given[0].isupper() else instead


def _any(words: dict[str, str] | list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


CLASSES = ("agentic", "communal", "neutral")
KEPT_SENTENCES = 50_000  # 20 MB
WEIGHTS_SHA256 = "6dcf6fabe5653f0b05edc9814f6ba28dc193a64153fb0e9071b84f8ee1923240"


class AgencyMiniLM:
    """The probability that a sentence is agentic, against communal and neutral, for each sentence of a text.

    `values`: float32[sentences], of the project's segmenter; `summary`: the share of agentic sentences, None for a
    text without a sentence or not in English. softmax(W e(s) + b)[agentic] with e the embedding of the sentence put
    without gender (`agency_words.neutral`). A sentence that is neither agentic nor communal counts as not agentic: it
    stays in the denominator, for the paper's share is of all sentences. A sentence without a word is neutral.
    Used in place of the paper's BERT classifier of two classes.
    Source: letters (Wan et al.), section 3.2.2, appendix F.2.
    """

    role = "agency"
    name = "agency_minilm"
    stand_in = True
    shape = "probability of each sentence that it is agentic, 0 to 1; summary: the share of agentic sentences"
    note = "Used in place of the paper's classifier: a small head on MiniLM. See models/agency/card.md."

    def __init__(self, weights: Traversable | None = None, sha256: str = WEIGHTS_SHA256) -> None:
        """`weights`: a head in a file; the program's own by default. Nothing is loaded before the first `score`."""
        self._file = weights or files("biasprint.models").joinpath("agency", "head.safetensors")
        # Letters repeat sentences, a twin most of its letter's, and a table those of the project that it came from.
        self._known: BatchCache[str, Probabilities] = BatchCache(KEPT_SENTENCES)
        self.sha256 = sha256
        head = f"head {sha256[:12]}; {neutral_words().version}"
        self.version = f"{head} ({neutral_words().sha256[:12]}); {MiniLM(windows=True).version}; {SEGMENTER}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        spans = [sentences(text) if has_style(text) else None for text in texts]
        every = [
            text[start:end] for text, text_spans in zip(texts, spans, strict=True) for start, end in text_spans or ()
        ]
        agentic = iter(self.probabilities(every)[:, CLASSES.index("agentic")])
        return [
            NOTHING if text_spans is None else style_value([next(agentic) for _ in text_spans]) for text_spans in spans
        ]

    def probabilities(self, sentences: Sequence[str]) -> Probabilities:
        """The probabilities of CLASSES, float64[sentences, 3]. Raises `AppError` where a model cannot be loaded."""
        known = self._known.get([neutral(sentence) for sentence in sentences], self._made)
        return np.array(known, dtype=np.float64).reshape(len(sentences), len(CLASSES))

    def _made(self, plain: list[str]) -> Probabilities:
        """Return the probabilities of sentences without gender. Each depends on its own sentence alone: cacheable."""
        probabilities = np.zeros((len(plain), len(CLASSES)))
        probabilities[:, CLASSES.index("neutral")] = 1.0
        places = [place for place, text in enumerate(plain) if any(map(str.isalnum, text))]
        vectors = sentence_vectors([plain[place] for place in places])
        for place, vector in zip(places, vectors, strict=True):
            if vector.size:
                probabilities[place] = self._head.of(vector)
        return probabilities

    @cached_property
    def _head(self) -> SoftmaxHead:
        return read_head(self._file, self.sha256, "agency")


# ---- Agency and communion in a text

# Designs ask about people with these names, and the head reads a name that it does not know as a word of the sentence:
# from one name to another the gap of a text moved by up to 0.07.
NAME_SET = "us"


class AgencyBalance:
    """The share of agentic sentences, that of communal ones, and the first minus the second.

    A sentence is of the likeliest of three classes of `AgencyMiniLM`; a neutral one counts in the denominator alone.
    It is read without the names of the set that designs take theirs from.
    `values`: float32[3], in the order of `labels`; `summary`: the gap, −1 to 1; None for a text without a sentence
    or not in English. Used in place of the two-class classifier of Wan & Chang 2025 (LABE), by which every sentence is
    one or the other.
    """

    role = "agency_balance"
    name = "agency_balance"
    stand_in = True
    labels = ("agentic", "communal", "agentic less communal")
    shape = "shares of sentences: agentic, communal, and the first minus the second; summary: the last"
    note = "Used in place of the classifier of Wan and Chang 2025: a small head on MiniLM, with neutral sentences."

    @cached_property
    def _head(self) -> AgencyMiniLM:
        return AgencyMiniLM()

    @property
    def version(self) -> str:
        return f"balance 2, names {NAME_SET} {load_name_set(NAME_SET).version}; {self._head.version}"

    @property
    def sha256(self) -> str:
        return self._head.sha256

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [self._of(text) if has_style(text) else NOTHING for text in texts]

    def _of(self, text: str) -> ScoreValue:
        read = [_names().sub(ANY_NAME, text[start:end]) for start, end in sentences(text)]
        likeliest = self._head.probabilities(read).argmax(axis=1)
        agentic, communal = (float((likeliest == CLASSES.index(name)).mean()) for name in ("agentic", "communal"))
        return ScoreValue(np.array([agentic, communal, agentic - communal], dtype=np.float32), agentic - communal)


@cache
def _names() -> re.Pattern[str]:
    names = (name for cell in load_name_set(NAME_SET).cells for name in cell.all_names)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w-])")
