"""The stylesheet: a template in resources/styles with ${token} placeholders, filled from the tokens."""

import dataclasses
import functools
from importlib.resources import files
from string import Template

from desktop.theme.tokens import Tokens

LENGTHS = (2, 4, 6, 8, 10, 12, 16, 20, 24)


@functools.cache
def _template() -> Template:
    return Template((files("resources") / "styles" / "app.qss").read_text("utf-8"))


def stylesheet(tokens: Tokens, images: str) -> str:
    """The stylesheet of a theme; `images` is the folder of its coloured indicator images.

    An unknown placeholder in the template raises KeyError, rather than being left standing.
    """
    values: dict[str, object] = {
        field.name: getattr(tokens, field.name) for field in dataclasses.fields(tokens) if field.name != "series"
    }
    for size in ("reading", "control", "note", "heading", "title", "display"):
        values[f"{size}_px"] = f"{getattr(tokens, size)}px"
    for length in LENGTHS:
        values[f"s{length}"] = f"{tokens.px(length)}px"
    # A focus ring is one pixel wider than the hairline: the padding gives that pixel, so that nothing moves.
    for length in (6, 8):
        values[f"s{length}_less"] = f"{tokens.px(length) - 1}px"
    # Qt draws square corners where a radius exceeds half the height: the note's line is the lower bound.
    values["chip_radius"] = f"{tokens.note * 3 // 4}px"
    values["radio_radius"] = f"{tokens.px(16) // 2 + 1}px"
    return _template().substitute(values, images=images)
