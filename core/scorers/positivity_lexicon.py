"""Positivity by VADER's lexicon and its rules for negation and intensity: the stand-in for a trained classifier."""

import hashlib
import importlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from math import exp
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.machine.installation import explained
from biasprint.core.scorers.checked_files import require_unchanged
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.segment import SEGMENTER, sentences
from biasprint.core.scorers.stand_in import NOTHING, chosen, has_style, style_value

PACKAGE = "vaderSentiment"
# Read of one sentence, because VADER takes the square of the words, and makes words of every emoji.
MOST_WORDS = 300
MOST_SIGNS = 40  # of one word


class PositivityLexicon:
    """The probability that a sentence is positive: 1 / (1 + exp(−slope (compound − threshold))).

    VADER's compound, −1 to 1, sums the ratings of the words it knows, turned round after a negation and strengthened
    or weakened by words of degree. `values`: float32[sentences]; `summary`: the share of positive sentences, None for
    a text without a sentence or not in English. A neutral sentence does not count as positive, whereas SST-2 knows no
    neutral ones. Threshold and slope: models/positivity/chosen.toml, chosen on the development part of its set.
    Stands in for a classifier trained on SST-2. Source: letters (Wan et al.), section 3.2.2.
    """

    role = "positivity"
    name = "positivity_lexicon"
    stand_in = True
    shape = "probability of each sentence that it is positive, 0 to 1; summary: the share of positive sentences"
    note = "Stands in for a classifier trained on SST-2: it looks words up. See models/positivity/card.md."

    def __init__(self) -> None:
        data = chosen("positivity")
        lexicon = _package_folder() / "vader_lexicon.txt"
        self.sha256 = hashlib.sha256(lexicon.read_bytes() + data.sha256.encode()).hexdigest()
        self.version = f"{data.values['version']}; rules 1; {PACKAGE} {version(PACKAGE)}; {SEGMENTER}"
        self._threshold, self._slope = float(data.values["threshold"]), float(data.values["slope"])

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [self._value(text) if has_style(text) else NOTHING for text in texts]

    def _value(self, text: str) -> ScoreValue:
        compounds = (compound(text[start:end]) for start, end in sentences(text))
        return style_value(1 / (1 + exp(-self._slope * (each - self._threshold))) for each in compounds)


def compound(sentence: str) -> float:
    """VADER's compound of a sentence; 0 where it knows none of its words."""
    found = sentence.replace("’", "'").split(maxsplit=MOST_WORDS)[:MOST_WORDS]  # its negations are written with '
    read = " ".join(word[:MOST_SIGNS] for word in found)
    return float(_analyzer().polarity_scores(read)["compound"])


@cache
def _analyzer() -> Any:
    require_unchanged(PACKAGE, f"{PACKAGE}/vader_lexicon.txt", f"{PACKAGE}/emoji_utf8_lexicon.txt")
    return importlib.import_module(f"{PACKAGE}.{PACKAGE}").SentimentIntensityAnalyzer()


def _package_folder() -> Path:
    """Where the package lies, found without importing it."""
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        missing = AppError(f"The package {PACKAGE} is missing.", hint=f"Install it: pip install {PACKAGE}")
        raise explained(ModuleNotFoundError(name=PACKAGE)) or missing
    return Path(package.origin).parent
