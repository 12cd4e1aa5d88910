"""Sentiment as the news paper measures it: TextBlob's polarity, sentence by sentence."""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.scorers.checked_files import require_unchanged
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.segment import SEGMENTER, hidden, sentences

# ---- Importing TextBlob without NLTK's extras

FILES = (
    "en-context.txt", "en-entities.txt", "en-lexicon.txt", "en-morphology.txt", "en-sentiment.xml", "en-spelling.txt",
)  # fmt: skip


@cache
def english() -> Any:
    """The module `textblob.en`: tagger and sentiment. Heavy: imports NLTK.

    NLTK imports scikit-learn (and with it pandas) and scipy wherever they are installed, for classifiers and tests
    that nothing here uses: 1.6 s of processor time of the 2, for which every first letter would wait.
    """
    require_unchanged("textblob", *(f"textblob/en/{name}" for name in FILES))
    with hidden("sklearn", "scipy"):
        import textblob.en
    return textblob.en


class TextBlobSentiment:
    """Polarity of each sentence, from −1 to 1: the mean over the sentence's words that TextBlob's lexicon knows,
    after its rules for negation and intensity; 0 where it knows none.

    `values`: float32[sentences]. `summary`: their mean; None for a text without a sentence.
    Sentences are the project's own, because TextBlob's need a download; the polarity needs only files of its package.
    Source: news (Fang et al.), sentence level.
    """

    role = "sentiment"
    name = "textblob"
    stand_in = False
    shape = "polarity of each sentence, −1 to 1; summary: their mean"
    note = "The news paper's own scorer."

    def __init__(self) -> None:
        self.version = f"textblob {version('textblob')}; {SEGMENTER}"
        self.sha256 = hashlib.sha256(_lexicon_file().read_bytes()).hexdigest()

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [_score(text) for text in texts]


def _score(text: str) -> ScoreValue:
    polarities = np.array([_analyzer().analyze(text[start:end]).polarity for start, end in sentences(text)])
    return ScoreValue(polarities.astype(np.float32), float(polarities.mean()) if polarities.size else None)


@cache
def _analyzer() -> Any:

    english()
    from textblob.sentiments import PatternAnalyzer

    return PatternAnalyzer()


def _lexicon_file() -> Path:
    """The polarity lexicon inside the package, found without importing it."""
    package = find_spec("textblob")
    if package is None or package.origin is None:
        raise AppError("The package textblob is missing.", hint="Install the program again.")
    return Path(package.origin).parent / "en" / "en-sentiment.xml"
