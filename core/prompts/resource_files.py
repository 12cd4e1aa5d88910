"""Reading the data files that ship with the program, and a person's own files of the same kind; and writing TOML."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from core.errors import AppError
from core.given import ordinary_file
from core.own import own_files

T = TypeVar("T")


def packaged(*parts: str) -> Traversable:
    """A file or folder of the `resources` package."""
    return own_files("resources").joinpath(*parts)


def read_toml(source: Traversable | Path) -> dict[str, Any]:
    """The content of a TOML file in UTF-8, with or without a byte order mark."""
    try:
        if isinstance(source, Path):
            ordinary_file(source, follow=True)
        return tomllib.loads(source.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise AppError(f"The file {source} could not be read.", hint="Check its path.", details=str(error)) from error
    except UnicodeDecodeError as error:
        message = f"The file {source} is not text in UTF-8."
        raise AppError(message, hint="Save it as UTF-8 and try again.", details=str(error)) from error
    except tomllib.TOMLDecodeError as error:
        raise AppError(
            f"The file {source} is not valid TOML: {error}.", hint="Mend that line and try again."
        ) from error


def validated(kind: type[T], data: object, where: str) -> T:
    """`data` as a `kind`; otherwise an `AppError` that names the first wrong field. `where` says whose data it is."""
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        more = f" (and {len(others)} more)" if others else ""
        message = f"{where} is not valid: {_said(first)}{more}."
        hint = "Compare it with a file of the same kind that ships with the program."
        raise AppError(message, hint=hint, details="\n".join(map(_said, others))) from error


def _said(wrong: ErrorDetails) -> str:
    place = " → ".join(str(step) for step in wrong["loc"])
    said = wrong["msg"].removeprefix("Value error, ")
    if wrong["type"] == "too_short":
        wanted = wrong["ctx"]
        said = f"at least {wanted['min_length']} are needed, there are {wanted['actual_length']}"
    return f"{place}: {said}" if place else said


# ---- TOML, which Python reads and does not write

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any]) -> str:
    """Plain data as TOML, which reads back as the same data."""
    return "\n".join(_table(table, "")) + "\n"


def _table(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """Its plain values, then the tables inside it: TOML has them in this order."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict) or _of_tables(value)}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        path = f"{name}.{_key(key)}" if name else _key(key)
        for one in [value] if isinstance(value, dict) else value:
            yield ""
            yield f"[{path}]" if isinstance(value, dict) else f"[[{path}]]"
            yield from _table(one, path)


def _of_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, dict) for one in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())}}}"
    # JSON's strings are TOML's but for one sign that TOML wants escaped; its numbers and booleans are the same.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
