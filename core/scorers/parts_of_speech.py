"""Parts of speech of a letter's words: by spaCy's trained pipeline as in the paper, or by TextBlob's tagger instead.

Formality by Heylighen and Dewaele's F, from parts of speech: the stand-in for a trained classifier.

F = (nouns + adjectives + prepositions + articles − pronouns − verbs − adverbs − interjections + 100) / 2, each as a
percentage of the words: 0 for a text that leans on its situation in every word, 100 for one that never does.
Source: Heylighen and Dewaele 2002, “Variation in the contextuality of language: an empirical measure”.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from math import exp, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.machine.models import installed as models
from biasprint.core.machine.models.layout import sha256_of
from biasprint.core.machine.processor import raise_out_of_memory
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, chosen, has_style, style_value
from biasprint.core.scorers.segment import (
    LONE_SURROGATE,
    SEGMENTER,
    Word,
    _pieces,
    _spacy_safe,
    import_spacy,
    sentences,
    words,
)
from biasprint.core.scorers.textblob_sentiment import english

FEWEST_WORDS = 4  # of a shorter sentence each word would weigh 17 points or more
MOST_WORDS = 1000  # read of one sentence, so that an endless line costs little
ARTICLES = frozenset(("a", "an", "the"))
# Penn tags that raise F and that lower it. A possessive 's, a number and a conjunction do neither.
RAISES = re.compile(r"NN|JJ|IN|TO")
LOWERS = re.compile(r"PRP|WP|EX|VB|MD|RB|WRB|UH")


class FormalityF:
    """The probability that a sentence is formal: 1 / (1 + exp(−slope (F − threshold))).

    `values`: float32[sentences]; `summary`: the share of formal sentences, None for a text without a sentence or not
    in English. A sentence of fewer than four words is too short for percentages and takes its whole text's F; one
    without a word says nothing formal: 0. Threshold and slope: models/formality/chosen.toml, chosen on the development
    part of docs/training/formality/sentences.csv.
    Used in place of a classifier trained on GYAFC. Source: letters (Wan et al.), section 3.2.2.
    """

    role = "formality"
    name = "formality_f"
    stand_in = True
    shape = "probability of each sentence that it is formal, 0 to 1; summary: the share of formal sentences"
    note = "Used in place of a trained classifier: it counts parts of speech. See models/formality/card.md."

    def __init__(self) -> None:
        data = chosen("formality")
        self.sha256 = data.sha256
        self.version = f"{data.values['version']}; rules 1; {TextBlobTagger().version}"
        self._threshold, self._slope = float(data.values["threshold"]), float(data.values["slope"])

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [self._value(text) if has_style(text) else NOTHING for text in texts]

    def _value(self, text: str) -> ScoreValue:
        tagged = [_tagged(text[start:end]) for start, end in sentences(text)]
        whole = f_score(pair for sentence in tagged for pair in sentence)
        scores = (f_score(sentence) if len(sentence) >= FEWEST_WORDS else whole for sentence in tagged)
        return style_value(
            self._probability(score) if sentence else 0.0 for score, sentence in zip(scores, tagged, strict=True)
        )

    def _probability(self, score: float) -> float:
        return 1 / (1 + exp(-self._slope * (score - self._threshold)))


def f_score(tagged: Iterable[tuple[str, str]]) -> float:
    """F of words with their Penn tags, 0 to 100; NaN for no word."""
    count, balance = 0, 0
    for word, tag in tagged:
        count += 1
        if RAISES.match(tag) or (tag == "DT" and word.lower() in ARTICLES):
            balance += 1
        elif LOWERS.match(tag):
            balance -= 1
    return (100 * balance / count + 100) / 2 if count else nan


def _tagged(sentence: str) -> list[tuple[str, str]]:
    """The words of a sentence with their Penn tags."""
    if not any(map(str.isalnum, sentence)):
        return []  # and the tokenizer is spared a wall of signs
    tokens = [word.text.replace("’", "'") for word in words(sentence)[:MOST_WORDS]]  # the lexicon has 's and n't
    return [(word, tag) for word, tag in penn_tags(tokens)]


# ---- TextBlob

# What a scorer of the role says of each word, whatever its own tag set. Names of people and places are not nouns here.
CODES = {"other": 0, "noun": 1, "adjective": 2, "verb": 3, "adverb": 4, "name": 5}
_OF_TAG = (("NNP", "name"), ("NN", "noun"), ("JJ", "adjective"), ("VB", "verb"), ("RB", "adverb"))


class TextBlobTagger:
    """The part of speech of each word of `segment.words`: float32[words] of CODES.

    A word gets the tag that it mostly has in the tagger's lexicon, an unknown one a tag by its capital and ending.
    Used in place of spaCy's trained tagger. Source: letters (Wan et al.), section 4.3.3.
    """

    role = "parts_of_speech"
    name = "pos_textblob"
    stand_in = True
    shape = f"a code for each word: {', '.join(f'{code} {name}' for name, code in CODES.items())}; no summary"
    note = "Used in place of spaCy's trained tagger, which the letters paper used."

    def __init__(self) -> None:
        self.version = f"textblob {version('textblob')}; {SEGMENTER}; rules 1"
        self.sha256 = hashlib.sha256(_lexicon_file().read_bytes()).hexdigest()

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [ScoreValue(_codes(text), None) for text in texts]


def _codes(text: str) -> NDArray[np.float32]:
    """Sentence by sentence: the tagger looks a first word up without its capital."""
    tokens = words(text)
    codes = [CODES[_part(tag)] for sentence in _by_sentence(text, tokens) for _, tag in penn_tags(sentence)]
    return np.array(codes, dtype=np.float32)


def _by_sentence(text: str, tokens: Sequence[Word]) -> list[list[str]]:
    """The words, split where sentences begin; all of them, also where the segmenter sees no sentence."""
    starts = np.array([start for start, _ in sentences(text)])
    groups: dict[int, list[str]] = {}
    for word, place in zip(tokens, np.searchsorted(starts, [word.start for word in tokens], side="right"), strict=True):
        groups.setdefault(int(place), []).append(word.text.replace("’", "'"))  # the lexicon has 's and n't
    return list(groups.values())


@cache
def _part(tag: str) -> str:
    return next((part for prefix, part in _OF_TAG if tag.startswith(prefix)), "other")


def penn_tags(tokens: list[str]) -> list[tuple[str, str]]:
    """The tokens of one sentence with their Penn tags."""
    tagged: list[tuple[str, str]] = _parser().find_tags(tokens)
    return tagged


@cache
def _parser() -> Any:
    return english().parser


def _lexicon_file() -> Path:
    """The tagger's lexicon inside the package, found without importing it."""
    package = find_spec("textblob")
    if package is None or package.origin is None:
        raise AppError("The package textblob is missing.", hint="Install the program again.")
    return Path(package.origin).parent / "en" / "en-lexicon.txt"


# ---- spaCy

# Installed as a package, beside the one that the catalogue knows. The smallest first: its tags are as good.
PIPELINES = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
UNUSED = ("parser", "ner", "senter", "lemmatizer")
HOW_TO_GET = f"Get it: biasprint models get {PIPELINES[0]}"
_OF_POS = {"NOUN": "noun", "ADJ": "adjective", "VERB": "verb", "AUX": "verb", "ADV": "adverb", "PROPN": "name"}


ROLE = "parts_of_speech"


class SpacyTagger:
    """The part of speech of each word of `segment.words`: float32[words] of CODES, as the TextBlob tagger gives it.

    A word has the tag of the token that it begins in. Source: letters (Wan et al.), section 4.3.3.
    """

    role = "parts_of_speech"
    name = "pos_spacy"
    stand_in = False
    shape = f"a code for each word: {', '.join(f'{code} {name}' for name, code in CODES.items())}; no summary"
    note = "spaCy's trained tagger, which the letters paper used."

    @property
    def unavailable(self) -> str:
        try:
            place()
        except AppError as error:
            return str(error)
        return ""

    @property
    def version(self) -> str:
        data = installed()
        return f"{called(data)}; {SEGMENTER}; rules 1" if data else ""

    @property
    def sha256(self) -> str | None:
        """The hash of the tagger's and the word vectors' weights together."""
        data = installed()
        if data is None:
            return None
        weights = [data / part / "model" for part in ("tok2vec", "transformer", "tagger")]
        return hashlib.sha256("".join(sha256_of(path) for path in weights if path.is_file()).encode()).hexdigest()

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        pipeline = _pipeline(place())
        return [ScoreValue(_spacy_codes(pipeline, text), None) for text in texts]


def place() -> Path:
    """Return the folder of the pipeline's data. Raises `AppError` where there is none."""
    data = installed()
    if data is None:
        raise AppError(
            "No trained English pipeline of spaCy is on this computer.",
            hint=HOW_TO_GET,
        )
    return data


def installed() -> Path | None:
    """Find the pipeline without importing anything: that of the catalogue or one added, else an installed package."""
    model = models.for_role(ROLE)
    return model.path if model is not None else _in_a_package()


def _in_a_package() -> Path | None:
    """The data lies in a folder named with its version."""
    for name in PIPELINES:
        spec = find_spec(name)
        for package in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
            try:
                version = json.loads((package / "meta.json").read_text(encoding="utf-8"))["version"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            data = package / f"{name}-{version}"
            if (data / "config.cfg").is_file():
                return data
    return None


def called(data: Path) -> str:
    """Return name and version of a pipeline, such as “en_core_web_sm-3.8.0”: a package's folder is called so."""
    if data.name.startswith(PIPELINES):
        return data.name
    try:
        meta = json.loads((data / "meta.json").read_text(encoding="utf-8"))
        return f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError):
        return data.name


@cache
def _pipeline(data: Path) -> Any:
    return loaded(data, UNUSED)


def loaded(data: Path, unused: Sequence[str]) -> Any:
    """Load a pipeline without the `unused` parts of it. Raises `AppError` where it cannot be loaded."""
    import_spacy()
    import spacy

    try:
        return spacy.load(data, exclude=list(unused))
    except Exception as error:  # another version of spaCy, a damaged file
        raise_out_of_memory(error)
        raise AppError(
            f"spaCy's pipeline “{data.name}” cannot be loaded.",
            hint="Get the one for this version of spaCy: biasprint models get en_core_web_sm",
            details=f"{type(error).__name__}: {error}"[:2000],
        ) from error


def _spacy_codes(pipeline: Any, text: str) -> NDArray[np.float32]:
    begins: list[int] = []
    codes: list[int] = []
    for start, end in _pieces(text):
        for token in pipeline(_spacy_safe(text[start:end])):
            begins.append(start + token.idx)
            codes.append(CODES[_OF_POS.get(token.pos_, "other")])
    tokens = np.searchsorted(np.array(begins), [word.start for word in words(text)], side="right") - 1
    return np.array(codes, dtype=np.float32)[tokens] if len(tokens) else np.zeros(0, np.float32)


# ---- The parser of spaCy, for sentences of letters

PARSER_UNUSED = ("ner", "senter", "lemmatizer", "attribute_ruler")


class ParsedWord(NamedTuple):
    """Characters `start` to `end` of the sentence, Penn tag, relation to the word `head` (its own number: a root)."""

    start: int
    end: int
    tag: str
    relation: str
    head: int


_kept: BatchCache[str, tuple[ParsedWord, ...]] = BatchCache(5_000)  # by the sentence


@cache
def parsing_pipeline(data: Path) -> Any:
    """Load the pipeline with its parser. Raises `AppError` where it has none or cannot be loaded."""
    found = loaded(data, PARSER_UNUSED)
    if "parser" not in found.pipe_names:
        raise AppError(f"spaCy's pipeline “{data.name}” has no parser.", hint=HOW_TO_GET)
    return found


def parsed(sentences: Sequence[str]) -> list[tuple[ParsedWord, ...]] | None:
    """Return the words of each sentence; None where no parser is installed, or it cannot be loaded."""
    if installed() is None:
        return None
    try:
        return _kept.get(sentences, _parsed)
    except AppError:
        return None


def _parsed(sentences: Sequence[str]) -> Iterator[tuple[ParsedWord, ...]]:
    safe = (LONE_SURROGATE.sub("\ufffd", sentence) for sentence in sentences)
    for read in parsing_pipeline(place()).pipe(safe):
        yield tuple(
            ParsedWord(token.idx, token.idx + len(token), token.tag_, token.dep_, token.head.i) for token in read
        )


def parser_version() -> str:
    """Return name and version of the installed pipeline, such as “en_core_web_sm-3.8.0”; "" where there is none."""
    data = installed()
    return called(data) if data is not None else ""
