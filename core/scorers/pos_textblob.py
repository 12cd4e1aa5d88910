"""Parts of speech by TextBlob's English tagger, which needs only files of its package."""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, Word, sentences, words

# What a scorer of the role says of each word, whatever its own tag set. Names of people and places are not nouns here.
CODES = {"other": 0, "noun": 1, "adjective": 2, "verb": 3, "adverb": 4, "name": 5}
_OF_TAG = (("NNP", "name"), ("NN", "noun"), ("JJ", "adjective"), ("VB", "verb"), ("RB", "adverb"))


class TextBlobTagger:
    """The part of speech of each word of `segment.words`: float32[words] of CODES.

    A word gets the tag that it mostly has in the tagger's lexicon, an unknown one a tag by its capital and ending.
    Stands in for spaCy's trained tagger. Source: letters (Wan et al.), section 4.3.3.
    """

    role = "parts_of_speech"
    name = "pos_textblob"
    stand_in = True
    shape = f"a code for each word: {', '.join(f'{code} {name}' for name, code in CODES.items())}; no summary"
    note = "Stands in for spaCy's trained tagger, which the letters paper used."

    def __init__(self) -> None:
        self.version = f"textblob {version('textblob')}; {SEGMENTER}; rules 1"
        self.sha256 = hashlib.sha256(_lexicon_file().read_bytes()).hexdigest()

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [ScoreValue(_codes(text), None) for text in texts]


def _codes(text: str) -> NDArray[np.float32]:
    """Sentence by sentence: the tagger looks a first word up without its capital."""
    found = words(text)
    codes = [CODES[_part(tag)] for sentence in _by_sentence(text, found) for _, tag in penn_tags(sentence)]
    return np.array(codes, dtype=np.float32)


def _by_sentence(text: str, found: Sequence[Word]) -> list[list[str]]:
    """The words, split where sentences begin; all of them, also where the segmenter sees no sentence."""
    starts = np.array([start for start, _ in sentences(text)])
    groups: dict[int, list[str]] = {}
    for word, place in zip(found, np.searchsorted(starts, [word.start for word in found], side="right"), strict=True):
        groups.setdefault(int(place), []).append(word.text.replace("’", "'"))  # the lexicon has 's and n't
    return list(groups.values())


def _part(tag: str) -> str:
    return next((part for prefix, part in _OF_TAG if tag.startswith(prefix)), "other")


def penn_tags(tokens: list[str]) -> list[tuple[str, str]]:
    """The tokens of one sentence with their Penn tags."""
    tagged: list[tuple[str, str]] = _parser().find_tags(tokens)
    return tagged


@cache
def _parser() -> Any:
    from textblob.en import parser  # imports nltk

    return parser


def _lexicon_file() -> Path:
    """The tagger's lexicon inside the package, found without importing it."""
    package = find_spec("textblob")
    if package is None or package.origin is None:
        raise AppError("The package textblob is missing.", hint="Install the program again.")
    return Path(package.origin).parent / "en" / "en-lexicon.txt"
