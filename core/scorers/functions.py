"""Python functions as scorers, for `biasprint.measure` and `biasprint.score`: one text in, one number out.

They run where they were written, not in the compute process: a function may be a lambda, or hold a client of its own.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue

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
