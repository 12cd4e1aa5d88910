"""Axes written as files that a person can edit: TOML, read back by `biasprint.core.prompts.axes.load_axis`."""

import os
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.prompts.axes import Axis
from biasprint.core.prompts.library import write_text
from biasprint.core.prompts.resource_files import toml_text

HEAD = (
    "# An axis of Biasprint: change it, and give this file's path where an axis is asked for "
    "(docs/how-to/ask-about-your-own-people.md).\n"
)


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
    """Write the axis's file, whole or not at all. `AppError` where there is one already, unless it may be replaced."""
    if not replace and os.path.lexists(path):
        raise AppError(
            f"There is a file {path} already.", kept="It was left as it is.", hint="Choose another name, or --replace."
        )
    write_text(path, axis_text(axis))
