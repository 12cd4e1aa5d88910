"""The colours of a figure: those of a theme, or names that the page around it gives a colour."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Theme = Literal["light", "dark", "page"]

# The second cue of a series, so that no one depends on colour: a marker, and a dash for lines.
MARKERS = ("circle", "square", "triangle", "bar", "cross", "star", "plus", "diamond")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "10 4", "4 2 1 2", "1 3", "12 3 3 3")


@cache
def _tokens() -> Mapping[str, Any]:
    return tomllib.loads(files("resources").joinpath("report", "palette.toml").read_text(encoding="utf-8"))


def colors(theme: Theme) -> dict[str, str]:
    """By name (“ink”, “floor”, “series-1” …). In the theme `page` a colour is a CSS variable: see `page_style`."""
    tokens = _tokens()["light" if theme == "page" else theme]
    flat = {name: value for name, value in tokens.items() if isinstance(value, str)}
    flat |= {f"series-{place}": color for place, color in enumerate(tokens["series"], 1)}
    return {name: f"var(--{name})" for name in flat} if theme == "page" else flat


def page_style() -> str:
    """The colours as CSS variables, dark where the reader's system is."""

    def declared(theme: Theme) -> str:
        return " ".join(f"--{name}: {color};" for name, color in colors(theme).items())

    return f":root {{ {declared('light')} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {declared('dark')} }} }}"
