"""Reading the data files that ship with the program, and a person's own files of the same kind."""

import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from core.errors import AppError
from core.own import own_files

T = TypeVar("T")


def packaged(*parts: str) -> Traversable:
    """A file or folder of the `resources` package."""
    return own_files("resources").joinpath(*parts)


def read_toml(source: Traversable | Path) -> dict[str, Any]:
    """The content of a TOML file in UTF-8, with or without a byte order mark."""
    try:
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
