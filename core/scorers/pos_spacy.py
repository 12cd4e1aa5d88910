"""Parts of speech by spaCy's trained English pipeline, where one is installed."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.machine.models.hashes import sha256_of
from core.scorers.pos_textblob import CODES
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, _pieces, _spacy_safe, words

# The smallest first: its tags are as good, and it is the usual one.
PIPELINES = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
UNUSED = ("parser", "ner", "senter", "lemmatizer")
_OF_POS = {"NOUN": "noun", "ADJ": "adjective", "VERB": "verb", "AUX": "verb", "ADV": "adverb", "PROPN": "name"}


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
        found = _installed()
        return f"{found.name}; {SEGMENTER}; rules 1" if found else ""

    @property
    def sha256(self) -> str | None:
        """Of the tagger's and the word vectors' weights together."""
        found = _installed()
        if found is None:
            return None
        weights = [found / part / "model" for part in ("tok2vec", "transformer", "tagger")]
        return hashlib.sha256("".join(sha256_of(path) for path in weights if path.is_file()).encode()).hexdigest()

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        pipeline = _pipeline(place())
        return [ScoreValue(_codes(pipeline, text), None) for text in texts]


def place() -> Path:
    """The folder of the installed pipeline's data. Raises `AppError` where none is installed."""
    found = _installed()
    if found is None:
        raise AppError(
            "None of spaCy's trained English pipelines is installed.",
            hint="Install one: python -m spacy download en_core_web_sm",
        )
    return found


def _installed() -> Path | None:
    """Found without importing anything; the data lies in a folder named with its version."""
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


@cache
def _pipeline(data: Path) -> Any:
    import spacy

    try:
        return spacy.load(data, exclude=list(UNUSED))
    except Exception as error:  # another version of spaCy, a damaged file
        raise AppError(
            f"spaCy's pipeline “{data.name}” cannot be loaded.",
            hint="Install the one for this version of spaCy: python -m spacy download en_core_web_sm",
            details=f"{type(error).__name__}: {error}"[:2000],
        ) from error


def _codes(pipeline: Any, text: str) -> NDArray[np.float32]:
    begins: list[int] = []
    codes: list[int] = []
    for start, end in _pieces(text):
        for token in pipeline(_spacy_safe(text[start:end])):
            begins.append(start + token.idx)
            codes.append(CODES[_OF_POS.get(token.pos_, "other")])
    tokens = np.searchsorted(np.array(begins), [word.start for word in words(text)], side="right") - 1
    return np.array(codes, dtype=np.float32)[tokens] if len(tokens) else np.zeros(0, np.float32)
