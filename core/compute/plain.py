"""The messages of a child: JSON with a schema, and the bytes of arrays behind it. None of them can name code to run.

A child reads strangers' files, so that one of them may have taken it over: whatever it sends is data to be checked.
A message is the length of its JSON text in 4 bytes, the text, and the bytes that the text refers to. A value that is
no JSON scalar is `[kind, …]`. A record is one of our own dataclasses or named tuples: its class must be loaded here
already, and the types of its fields are the schema.
"""

import json
import sys
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)  # fmt: skip

from biasprint.core.errors import AppError

if TYPE_CHECKING:
    import numpy as np

LARGEST = 1 << 30  # bytes of a message
JSON_SHARE = 4  # of the largest message the part that may be JSON, which takes more memory once it is read
OURS = "biasprint.core."
NUMBERS_AND_TEXT = frozenset("biufcSU")  # kinds of arrays whose bytes are their values

_SCALARS = frozenset({NoneType, bool, int, float, str})
_CONTAINERS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_KIND_OF = {container: kind for kind, container in _CONTAINERS.items()}
_TIMES: dict[str, type[date]] = {"datetime": datetime, "date": date}

Check = Callable[[Any], bool]


class StrangeMessage(ValueError):
    """A message that no child of ours sends."""


# ---- Writing, in the child


def dump(value: object) -> bytes:
    """Return the message that says `value`. Raises `TypeError` for what is neither plain data nor our own record."""
    writer = _Writer()
    tree = writer.tree(value)
    text = json.dumps({"classes": list(writer.classes), "value": tree}, ensure_ascii=False, separators=(",", ":"))
    encoded = text.encode("utf-8", "surrogatepass")
    return b"".join((len(encoded).to_bytes(4, "big"), encoded, *writer.pieces))


class _Writer:
    def __init__(self) -> None:
        self.classes: dict[str, int] = {}
        self.pieces: list[bytes | memoryview] = []
        self._size = 0

    def tree(self, value: Any) -> Any:
        """Return `value` as JSON knows it."""
        kind: Any = type(value)
        if kind in _SCALARS:
            return value
        if kind in _KIND_OF:
            return [_KIND_OF[kind], self._trees(value)]
        if kind is dict:
            return ["dict", self._trees(value), self._trees(value.values())]
        if kind is bytes:
            return ["bytes", *self._piece(value)]
        if kind in _TIMES.values():
            return [kind.__name__, value.isoformat()]
        if isinstance(value, Enum):
            return ["enum", self._class(kind), value.name]
        if isinstance(value, AppError):
            return ["error", self._class(kind), value.message, value.hint, value.kept, value.details]
        if isinstance(value, Path):
            return ["path", str(value)]
        if kind.__module__.partition(".")[0] == "numpy":
            return self._of_numpy(value)
        return ["record", self._class(kind), [self.tree(getattr(value, name)) for name in _field_names(kind)]]

    def _trees(self, values: Collection[Any]) -> list[Any]:
        return [each if type(each) in _SCALARS else self.tree(each) for each in values]

    def _class(self, kind: type) -> int:
        if not kind.__module__.startswith(OURS) or "." in kind.__qualname__:
            raise _cannot_cross(kind)
        return self.classes.setdefault(f"{kind.__module__}:{kind.__qualname__}", len(self.classes))

    def _of_numpy(self, value: Any) -> Any:
        import numpy as np

        if isinstance(value, np.generic):
            return self.tree(value.item())
        if type(value) is not np.ndarray or value.dtype.kind not in NUMBERS_AND_TEXT:
            raise _cannot_cross(type(value))
        whole = np.ascontiguousarray(value)
        piece = self._piece(whole.reshape(-1).view(np.uint8).data if whole.size else b"")
        return ["array", value.dtype.str, list(value.shape), *piece]

    def _piece(self, data: bytes | memoryview) -> tuple[int, int]:
        start, self._size = self._size, self._size + len(data)
        self.pieces.append(data)
        return start, self._size


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    names = _names_of_record(kind)
    if names is None:
        raise _cannot_cross(kind)
    return names


def _names_of_record(kind: type) -> tuple[str, ...] | None:
    """Return the names of a record's fields in the order in which it is built; None for any other class."""
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind)) if all(field.init for field in fields(kind)) else None
    names: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return names if issubclass(kind, tuple) else None


def _cannot_cross(kind: type) -> TypeError:
    return TypeError(f"{kind.__module__}.{kind.__qualname__} cannot leave the compute process; return plain data")


# ---- Reading, in the parent


def load(message: bytes, most: int = LARGEST) -> Any:
    """Return what a message says. Raises `StrangeMessage` where it is none of `dump`, or its JSON is too long."""
    try:
        end = 4 + int.from_bytes(message[:4], "big")
        if not 4 < end <= min(len(message), most // JSON_SHARE):
            raise StrangeMessage("its length is wrong")
        said = json.loads(message[4:end].decode("utf-8", "surrogatepass"))
        classes = [_class_named(name) for name in said["classes"]]
        return _Reader(classes, memoryview(message)[end:]).value(said["value"])
    except (StrangeMessage, MemoryError):
        raise
    except Exception as error:  # of whatever is built from bytes that a stranger may have written
        raise StrangeMessage(f"{type(error).__name__}: {error}"[:200]) from error


class _Reader:
    def __init__(self, classes: list[type], pieces: memoryview) -> None:
        self._classes = classes
        self._pieces = pieces

    def value(self, tree: Any) -> Any:
        if type(tree) in _SCALARS:
            return tree
        if type(tree) is not list:
            raise StrangeMessage("a JSON object stands where a value should")
        kind, *parts = tree
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](self._values(*parts))
        if kind in _TIMES:
            return _TIMES[kind].fromisoformat(*parts)
        return self._OTHERS[kind](self, *parts)

    def _values(self, trees: list[Any]) -> list[Any]:
        return [each if type(each) in _SCALARS else self.value(each) for each in _of(list, trees)]

    def _dict(self, keys: list[Any], values: list[Any]) -> dict[Any, Any]:
        return dict(zip(self._values(keys), self._values(values), strict=True))

    def _bytes(self, start: int, end: int) -> bytes:
        if not 0 <= start <= end <= len(self._pieces):
            raise StrangeMessage("bytes are missing")
        return bytes(self._pieces[start:end])

    def _array(self, dtype: str, shape: list[int], start: int, end: int) -> "np.ndarray[Any, Any]":
        import numpy as np

        kind = np.dtype(_of(str, dtype))
        if kind.kind not in NUMBERS_AND_TEXT or kind.str != dtype:
            raise StrangeMessage("an array of what is no number")
        return np.frombuffer(bytearray(self._bytes(start, end)), kind).reshape(shape)

    def _enum(self, place: int, name: str) -> Enum:
        kind = self._classes[place]
        if not issubclass(kind, Enum):
            raise StrangeMessage("a class that is no enumeration")
        return kind[name]

    def _error(self, place: int, message: str, hint: str, kept: str, details: str) -> AppError:
        kind = self._classes[place]
        if not issubclass(kind, AppError):
            raise StrangeMessage("a class that is no error of ours")
        error = kind.__new__(kind)
        AppError.__init__(error, _text(message), hint=_text(hint), kept=_text(kept), details=_text(details))
        return error

    def _record(self, place: int, trees: list[Any]) -> object:
        kind, values = self._classes[place], self._values(trees)
        checks = _checks_of_fields(kind)
        if len(values) != len(checks):
            raise StrangeMessage(f"{kind.__qualname__} has {len(checks)} fields")
        for value, (name, check) in zip(values, checks, strict=True):
            if not check(value):
                raise StrangeMessage(f"{kind.__qualname__}.{name} is of another type")
        return kind(**{name: value for value, (name, _) in zip(values, checks, strict=True)})

    _OTHERS: Mapping[str, Callable[..., Any]] = {
        "dict": _dict, "bytes": _bytes, "array": _array, "enum": _enum, "error": _error, "record": _record,
        "path": lambda self, text: Path(_text(text)),
    }  # fmt: skip


def _class_named(name: str) -> type:
    """Return a class of ours that is loaded here; for an error that is not, `AppError`, which says the same."""
    module, _, own = name.partition(":")
    if module.startswith(OURS) and module in sys.modules:
        kind = vars(sys.modules[module]).get(own)
        if isinstance(kind, type) and kind.__module__ == module:
            return kind
    return AppError


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise StrangeMessage(f"no {kind.__name__}")
    return value


def _text(value: Any) -> str:
    text: str = _of(str, value)
    return text


# ---- The schema: the types of a record's fields, and of a function's result


@cache
def _checks_of_fields(kind: type) -> tuple[tuple[str, Check], ...]:
    names = _names_of_record(kind)
    if names is None:
        raise StrangeMessage(f"{kind.__qualname__} is no record")
    hints = get_type_hints(kind, include_extras=False)
    return tuple((name, check_of(hints[name])) for name in names)


@cache
def check_of_result(function: Callable[..., Any]) -> Check:
    """Return the check that a value is what a function says to return.

    It may be any plain data where that is not said, or said by what a plug-in's module imports for a type checker only.
    """
    try:
        return check_of(get_type_hints(function).get("return", Any))
    except NameError:
        return check_of(Any)


def check_of(hint: Any) -> Check:
    """Return the check that a value, already read, is of a type. Of a record it asks for the class alone."""
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return lambda value: True
    if hint is None or hint is NoneType:
        return lambda value: value is None
    if hint is float:
        return lambda value: type(value) is float or type(value) is int
    if isinstance(hint, NewType):
        return check_of(hint.__supertype__)
    if is_typeddict(hint):
        return lambda value: type(value) is dict
    origin, within = get_origin(hint), get_args(hint)
    if origin is None:
        return lambda value: isinstance(value, hint) and (type(value) is not bool or hint is bool)
    if origin is Annotated:
        return check_of(within[0])
    if origin is Literal:
        return lambda value: isinstance(value, Hashable) and value in within
    if origin in (Union, UnionType):
        checks = [check_of(each) for each in within]
        return lambda value: any(check(value) for check in checks)
    return _check_of_container(origin, within)


def _check_of_container(origin: Any, within: tuple[Any, ...]) -> Check:
    if issubclass(origin, tuple) and not (len(within) == 2 and within[1] is ...):
        places = [check_of(each) for each in within]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(places)
            and all(check(each) for check, each in zip(places, value, strict=True))
        )
    if issubclass(origin, Mapping):
        of_key, of_value = (check_of(each) for each in within)
        return lambda value: (
            isinstance(value, origin) and all(of_key(key) and of_value(each) for key, each in value.items())
        )
    if origin.__module__ == "numpy":
        (number,) = get_args(within[1])
        return lambda value: isinstance(value, origin) and (number is Any or issubclass(value.dtype.type, number))
    if issubclass(origin, Collection):
        of_each = check_of(within[0])
        return lambda value: isinstance(value, origin) and type(value) is not str and all(map(of_each, value))
    return lambda value: isinstance(value, origin)
