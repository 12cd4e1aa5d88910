"""What the table of metrics says of each one, and how its answers are read."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

Args = tuple[Any, ...]
EDGES = ("empty", "one item", "one group", "ties", "constant")
# What an edge may give: numbers; None with a reason; None alone, where the docstring says so; a ValueError.
DEFINED, UNDEFINED, NONE, REFUSED = "defined", "undefined", "none", "refused"


@dataclass(frozen=True)
class Case:
    """One metric. A text in place of a check says why there is nothing to check.

    `items`: places of arguments whose first axes hold the same items; they are reordered together. `relabel`: makes
    the arguments with groups renamed, and what that does to the answer. `scale`: places that are multiplied by a
    number, and what that number does to the answer. `edges`: arguments and what they give. `nan`: places where one
    NaN is put. `about`: how far answers may lie apart, because they are resampled.
    """

    metric: Callable[..., Any]
    args: Args
    items: Sequence[tuple[int, ...]] | str
    relabel: tuple[Callable[..., Args], Callable[[Any], Any]] | str
    scale: tuple[tuple[int, ...], Callable[[Any, float], Any]] | str
    edges: Mapping[str, tuple[Args, str] | str]
    nan: tuple[int, ...] | str
    call: Callable[..., Any] | None = None
    read: Callable[[Any], Any] | None = None
    about: float = 1e-9

    @property
    def name(self) -> str:
        return f"{self.metric.__module__.rpartition('.')[2]}.{self.metric.__name__}"

    def result(self, args: Args) -> Any:
        return (self.call or self.metric)(*args)

    def answer(self, args: Args) -> Any:
        """The part of the result that the checks compare: by default value and p, or the whole."""
        return (self.read or value_and_p)(self.result(args))

    def kind(self, args: Args) -> str:
        """Which of the four an input gives; fails where None has no reason, or an estimate is NaN."""
        try:
            result = self.result(args)
        except ValueError as error:
            return REFUSED if str(error) else "refused without a word"
        assert all(np.isfinite(flat(result))), f"{self.name} gives {result}"
        if result is None:
            return NONE
        if None not in leaves((self.read or value_and_p)(result)):
            return DEFINED
        return UNDEFINED if any(reasons(result)) else NONE


def value_and_p(result: Any) -> Any:
    if is_dataclass(result):
        return tuple(getattr(result, name) for name in ("value", "p") if hasattr(result, name))
    return result


def leaves(result: Any) -> Iterator[Any]:
    """Every number and None in a result, texts and truth values left out."""
    if is_dataclass(result):
        result = [getattr(result, field.name) for field in fields(result)]
    if isinstance(result, np.ndarray):
        result = result.ravel().tolist()
    if isinstance(result, Mapping):
        result = list(result.values())
    if isinstance(result, list | tuple):
        for part in result:
            yield from leaves(part)
    elif not isinstance(result, str | bool | np.bool_):
        yield result


def flat(result: Any) -> list[float]:
    return [float(leaf) for leaf in leaves(result) if leaf is not None]


def reasons(result: Any) -> Iterator[str]:
    if is_dataclass(result):
        yield getattr(result, "reason", "")
        yield from reasons([getattr(result, field.name) for field in fields(result)])
    elif isinstance(result, list | tuple):
        for part in result:
            yield from reasons(part)


def bounds_of(result: object) -> object:
    return result.bounds and (result.bounds.low, result.bounds.high)


def moments(draws: np.ndarray) -> tuple[float, float]:
    return float(draws.mean()), float(draws.std())


def joined(chunks: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(list(chunks))


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


# What relabelling and scaling do to an answer of value and p, or of numbers.


def same(answer: Any, factor: float = 1.0) -> Any:
    return answer


def negated(answer: Any) -> Any:
    value, *rest = answer
    return (-value, *rest)


def inverted(answer: Any) -> Any:
    value, *rest = answer
    return (1 / value, *rest)


def scaled(answer: Any, factor: float) -> Any:
    value, *rest = answer
    return (value * factor, *rest)


def multiplied(answer: Any, factor: float) -> Any:
    return np.asarray(answer) * factor


def swapped(first: Any, second: Any, *rest: Any) -> Args:
    return (second, first, *rest)


def columns_reversed(table: np.ndarray, *rest: Any) -> Args:
    return (table[:, ::-1], *rest)


def array(*values: Any) -> np.ndarray:
    return np.array(values)


NO_ITEMS = "it takes summaries, not items"
NO_GROUPS = "it knows no groups"
COUNTS = "counts have no unit of measurement"
WHOLE = "whole numbers cannot be NaN"
EMPTY = np.array([], dtype=np.float64)
NOBODY = np.array([], dtype=np.int64)
