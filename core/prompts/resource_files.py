"""Reading the data files that ship with the program, and a person's own files of the same kind; and writing TOML."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file, packaged_toml

T = TypeVar("T")
LONGEST_GIVEN = 60  # characters of what is quoted from a file


@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def strict_data(kind: type[T]) -> type[T]:
    """Make a frozen dataclass of what a file holds: its fields are checked, and it has no others."""
    return dataclass(frozen=True, config=ConfigDict(extra="forbid"))(kind)  # type: ignore[return-value]  # its own type


def packaged(*parts: str) -> Traversable:
    """Return a file or folder of the `resources` package."""
    return files("biasprint.resources").joinpath(*parts)


def read_toml(source: Traversable | Path) -> dict[str, Any]:
    """Return the content of a TOML file in UTF-8, with or without a byte order mark."""
    try:
        if isinstance(source, Path):
            ordinary_file(source, follow=True)
        return parsed_toml(source.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise AppError(f"The file {source} could not be read.", hint="Check its path.", details=str(error)) from error
    except UnicodeDecodeError as error:
        message = f"The file {source} is not text in UTF-8."
        raise AppError(message, hint="Save it as UTF-8 and try again.", details=str(error)) from error
    except RecursionError as error:
        raise AppError(f"The file {source} is nested too deeply to be read.") from error
    except tomllib.TOMLDecodeError as error:
        raise AppError(
            f"The file {source} is not valid TOML: {error}.", hint="Mend that line and try again."
        ) from error


def parsed_toml(text: str) -> dict[str, Any]:
    """Return the content of TOML. Raises `TOMLDecodeError` also for a number of thousands of digits, `RecursionError`
    for deep nesting.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise tomllib.TOMLDecodeError("a number has far too many digits") from error


def from_resources(kind: type[T], *path: str) -> T:
    """Return a TOML file of the `resources` package as a `kind`. Raises `AppError` that names its first wrong field."""
    return validated(kind, read_toml(packaged(*path)), f"The file {'/'.join(path)}")


def validated(kind: type[T], data: object, where: str) -> T:
    """Return `data` as a `kind`; otherwise an `AppError` that names the first wrong field. `where` says whose data it
    is.
    """
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        # Of a list whose entries are wrong it is also said that it has too few: that follows.
        first, *others = [
            problem for problem in wrong if not (problem["type"] == "too_short" and _holds_another(problem, wrong))
        ]
        more = f" (and {len(others)} more)" if others else ""
        message = f"{where} is not valid: {_described(first)}{more}."
        hint = "Compare it with a file of the same kind that ships with the program."
        raise AppError(message, hint=hint, details="\n".join(map(_described, others))) from error


def _holds_another(outer: ErrorDetails, wrong: Sequence[ErrorDetails]) -> bool:
    depth = len(outer["loc"])
    return any(len(error["loc"]) > depth and error["loc"][:depth] == outer["loc"] for error in wrong)


def _described(wrong: ErrorDetails) -> str:
    """Return the place of an error and what is wrong. The entries of a list are counted from 1."""
    place = " → ".join(f"number {step + 1}" if isinstance(step, int) else str(step) for step in wrong["loc"])
    words = packaged_toml("prompts", "mistakes.toml").get(wrong["type"])
    sentence = wrong["msg"].removeprefix("Value error, ")
    if words is not None:
        sentence = words.format(given=str(wrong["input"])[:LONGEST_GIVEN], **wrong.get("ctx", {}))
    return f"{place}: {sentence}" if place else sentence


# ---- TOML, which Python reads and does not write

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any]) -> str:
    """Return plain data as TOML, which reads back as the same data."""
    return "\n".join(_table(table, "")) + "\n"


def _table(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield its plain values, then the tables inside it: TOML has them in this order."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict) or _is_list_of_tables(value)}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        path = f"{name}.{_key(key)}" if name else _key(key)
        for entry in [value] if isinstance(value, dict) else value:
            yield ""
            yield f"[{path}]" if isinstance(value, dict) else f"[[{path}]]"
            yield from _table(entry, path)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(entry)}' for key, entry in value.items())}}}"
    # JSON's strings are TOML's but for one sign that TOML wants escaped; its numbers and booleans are the same.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
