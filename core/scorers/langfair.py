"""Texts as LangFair 0.8.0 splits them, for its measures in `biasprint.core.metrics.similarity`, and its word lists.

Words are split by NLTK as there. Where sentences end, and NLTK takes off full stops, is decided by a rule, because
NLTK's own model needs a download: around rare abbreviations a token can come out differently.
"""

import importlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from biasprint.core.scorers.group_words import ABBREVIATIONS
from biasprint.core.scorers.segment import hidden

_NO_WORD = re.compile(r"[^a-z0-9]+")
_DIGITS = re.compile(r"\d+")
_EDGES = re.compile(r"^[^A-Za-z<>$]+|[^A-Za-z<>$]+$")
_END = re.compile(r"(\S*?)[.!?]+[\"'”’)\]]*\s+")
SHORT = 3  # characters of a word that is not stemmed


@dataclass(frozen=True)
class LangFairWords:
    """`groups`: a word list of each group, the first one the numerator. `targets`: adjectives and professions."""

    groups: Mapping[str, tuple[str, ...]]
    targets: Mapping[str, tuple[str, ...]]
    stop: frozenset[str]


@cache
def langfair_words() -> LangFairWords:
    """resources/lexicons/langfair.toml."""
    text = files("biasprint.resources").joinpath("lexicons", "langfair.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    groups = {name: tuple(words) for name, words in data["groups"].items()}
    targets = {name: tuple(data[name]) for name in ("adjective", "profession")}
    return LangFairWords(groups, targets, frozenset(data["stop"]))


def rouge_tokens(text: str) -> list[str]:
    """Runs of a–z and 0–9 in lower case, those of more than three characters stemmed by Porter's rules."""
    tokens = [word for word in _NO_WORD.sub(" ", text.lower()).split(" ") if word]
    return [_stem(word) if len(word) > SHORT else word for word in tokens]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


def word_tokens(text: str) -> list[str]:
    """NLTK's words and signs of a text, sentence by sentence."""
    return [token for sentence in _sentences(text) for token in _tokenizer().tokenize(sentence)]


def _sentences(text: str) -> list[str]:
    """Ended by a full stop, a question or an exclamation mark and a blank; not after “mr.”, “p.m.” or an initial."""
    sentences, start = [], 0
    for end in _END.finditer(text):
        before = end[1].lower().lstrip("([“‘\"'")
        if not (before in ABBREVIATIONS or "." in before or (len(before) == 1 and before != "i")):
            sentences.append(text[start : end.end()].strip())
            start = end.end()
    return [sentence for sentence in (*sentences, text[start:].strip()) if sentence]


def bleu_tokens(text: str) -> list[str]:
    return word_tokens(text.lower())


def company_tokens(text: str) -> list[str]:
    """Return tokens for co-occurrence: lower case, digits as NUMBER, no signs at the edges, no empty token."""
    tokens = (_EDGES.sub("", _DIGITS.sub("NUMBER", token.lower())) for token in word_tokens(text))
    return [token for token in tokens if token]


@cache
def _tokenizer() -> Any:
    return _nltk("nltk.tokenize.destructive").NLTKWordTokenizer()


@cache
def _stemmer() -> Any:
    return _nltk("nltk.stem.porter").PorterStemmer()


def _nltk(module: str) -> Any:
    with hidden("sklearn", "scipy"):  # NLTK takes them along for what nothing here uses
        return importlib.import_module(module)
