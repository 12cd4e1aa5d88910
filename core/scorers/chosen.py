"""What a stand-in was given on the development part of its set: thresholds and weights, as data in models/<role>/."""

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from core.errors import AppError

REINSTALL = "Install the program again."


@dataclass(frozen=True)
class Chosen:
    """`sha256`: of the files as they were read."""

    values: dict[str, Any]
    sha256: str


@cache
def chosen(role: str, *names: str) -> Chosen:
    """models/<role>/<name>.toml, several merged into one. Raises `AppError` where one is missing or broken."""
    content = b""
    values: dict[str, Any] = {}
    for name in names or ("chosen",):
        place = files("models").joinpath(role, f"{name}.toml")
        try:
            read = place.read_bytes()
            values |= tomllib.loads(read.decode("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise AppError(f"The file {name}.toml of the {role} stand-in cannot be read.", hint=REINSTALL) from error
        content += read
    return Chosen(values, hashlib.sha256(content).hexdigest())
