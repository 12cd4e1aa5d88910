"""Scores from outside the program: Python functions of one's own, and texts and word lists as LangFair 0.8.0 has
them.

Functions are for `biasprint.measure` and `biasprint.score`: one text in, one number out. They run where they were
written, not in the compute process: a function may be a lambda, or hold a client of its own.

LangFair's measures (`biasprint.core.metrics.similarity`) split words by NLTK. Where sentences end, and NLTK takes off
full stops, is decided by a rule, because NLTK's own model needs a download: around rare abbreviations a token can come
out differently.
"""

import hashlib
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.given import packaged_toml
from biasprint.core.scorers.group_words import ABBREVIATIONS
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue
from biasprint.core.scorers.segment import hidden

Function = Callable[[str], object]
_SHAPE = "what the function gives; summary: the same"
_in_use: dict[str, "FunctionScorer"] = {}


class FunctionScorer:
    """A function, and what it gave: no text is scored twice. A text for which it fails has no value, and a reason.

    A function that is an object may have more: `score_all(texts)` → ratings and reasons by text, for what is better
    asked at once; `version`, `sha256` and `remark`, a sentence for whoever reads the scores.
    """

    def __init__(self, name: str, function: Function) -> None:
        self.name = name
        self._function = function
        self._given: dict[str, float | bool | None] = {}
        self._failed: dict[str, str] = {}

    @property
    def info(self) -> ScorerInfo:
        """Describe it by the hash of its source; shares are compared where it gives nothing but True and False."""
        given = [value for value in self._given.values() if value is not None]
        sha256 = _hash(self._function)
        yes_or_no = bool(given) and all(isinstance(value, bool) for value in given)
        return ScorerInfo(
            self.name, "score", getattr(self._function, "version", f"Python function {sha256[:12]}"), sha256,
            shape=_SHAPE, yes_or_no=yes_or_no,
        )  # fmt: skip

    @property
    def remark(self) -> str:
        """A sentence of its own to read beside its scores; mostly none."""
        return str(getattr(self._function, "remark", ""))

    def score(self, texts: Sequence[str]) -> tuple[list[ScoreValue], dict[int, str]]:
        """Return a value per text, and place → reason for texts that it fails on. Raises `AppError` where that is all.

        Blank texts have nothing to score.
        """
        error = self._call(dict.fromkeys(text for text in texts if text.strip()))
        failed = {place: self._failed[text] for place, text in enumerate(texts) if text in self._failed}
        if error is not None and len(failed) == sum(bool(text.strip()) for text in texts):
            why = next(iter(failed.values())).rstrip(".")
            raised = not isinstance(error, AppError)
            raise AppError(f"“{self.name}” fails on every text: {why}.", hint=TAKES if raised else "") from error
        values = [self._given.get(text) for text in texts]
        return [_NOTHING if value is None else _value(float(value)) for value in values], failed

    def _call(self, texts: Iterable[str]) -> Exception | None:
        """Score what is new, in its order, and return the last error."""
        last: Exception | None = None
        new = [text for text in texts if text not in self._given]
        if hasattr(self._function, "score_all") and new:
            numbers, failed = self._function.score_all(new)
            self._given |= numbers
            self._failed |= failed
            return next((AppError(reason) for reason in failed.values()), None)
        for text in new:
            try:
                self._given[text] = _number(self._function(text))
                self._failed.pop(text, None)
            except Exception as error:
                last = error
                self._failed[text] = f"{type(error).__name__}: {error}"[:200]
        return last


TAKES = "Give a function that takes a text and returns a number, True, False or None."
_NOTHING = ScoreValue(np.zeros(0, np.float32), None)


def _value(number: float) -> ScoreValue:
    return ScoreValue(np.array([number], np.float32), number)


def _number(value: Any) -> float | bool | None:
    """Return what a function gave as a number: also one of numpy; NaN and pandas' NA are none."""
    if hasattr(value, "item") and callable(value.item) and getattr(value, "size", 1) == 1:
        value = value.item()
    if value is None or type(value).__name__ == "NAType" or isinstance(value, bool):
        return None if not isinstance(value, bool) else value
    if not isinstance(value, Real):
        raise TypeError(f"it gave {value!r}, which is no number"[:150])
    number = float(value)
    if number != number:
        return None
    if not isfinite(number):
        raise ValueError("it gave an endless number")
    return number


def _hash(function: Function) -> str:
    """Return a hash of the source, or of the compiled code where there is none; of an object that of its class."""
    stated = getattr(function, "sha256", None)
    if isinstance(stated, str) and len(stated) == 64:
        return stated
    try:
        content = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        content = f"{code.co_code!r} {code.co_consts!r}" if code else type(function).__qualname__
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


# ---- For the length of a call


@contextmanager
def in_use(functions: Mapping[str, Function]) -> Iterator[None]:
    """Let measures find these functions by name."""
    before = dict(_in_use)
    _in_use.update({name: FunctionScorer(name, function) for name, function in functions.items()})
    try:
        yield
    finally:
        _in_use.clear()
        _in_use.update(before)


def function_of(name: str) -> FunctionScorer | None:
    """The function in use by this name."""
    return _in_use.get(name)


def name_of(function: Function, taken: Sequence[str]) -> str:
    """Return what a function is called: by its own name, with a number where that is taken."""
    own = str(getattr(function, "__name__", type(function).__name__)).strip("<>").replace(",", " ")
    number = 1
    while (name := own if number == 1 else f"{own} {number}") in taken:
        number += 1
    return name


# ---- LangFair

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
    data = packaged_toml("lexicons", "langfair.toml")
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
