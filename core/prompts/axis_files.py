"""Axes written as files that a person can edit: TOML, read back by `core.prompts.axes.load_axis`."""

from pathlib import Path
from typing import Any

from core.errors import AppError
from core.prompts.axes import Axis
from core.prompts.resource_files import toml_text

HEAD = "# An axis of Biasprint: change it, and give this file's path where an axis is asked for (docs/own-people.md).\n"


def axis_text(axis: Axis) -> str:
    """The axis as a file, with everything said outright. What is empty is left out."""
    plain = _filled(axis.definition())
    plain["identities"] = [_filled(identity) for identity in plain["identities"]]
    if axis.harm:
        plain["harm"] = [_filled(harm) for harm in plain["harm"]]
    return HEAD + toml_text(plain)


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value not in ("", (), [])}


def write_axis(axis: Axis, path: Path, *, replace: bool = False) -> None:
    """Write the axis's file. Raises `AppError` where there is a file already, unless it may be replaced."""
    try:
        with path.open("w" if replace else "x", encoding="utf-8", newline="\n") as stream:
            stream.write(axis_text(axis))
    except FileExistsError as error:
        raise AppError(
            f"There is a file {path} already.", kept="It was left as it is.", hint="Choose another name, or --replace."
        ) from error
    except OSError as error:
        raise AppError(
            f"The file {path} could not be written.", hint="Check its folder.", details=str(error)
        ) from error
