"""What somebody asked for when a study was measured, kept in the recipe so that it can be asked for again."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from biasprint.core.studies.kit.declared import MeasureOptions

ASKED = "asked"
# Each program start and each panel has its own word on these.
_NOT_KEPT = ("seen", "as_stored")
# What a recipe says beside it, under the option's own name or another.
_BESIDE = {
    "axes": "axes",
    "seed": "seed",
    "adjust": "adjust",
    "margin": "margin",
    "columns": "columns",
    "pooled": "pool",
}
_KEPT = [each.name for each in fields(MeasureOptions) if each.name not in _NOT_KEPT]


def asked_of(options: MeasureOptions) -> dict[str, Any]:
    """The part of a recipe that says what was asked for; empty where nothing but the usual was."""
    usual = MeasureOptions()
    found = {name: _plain(getattr(options, name)) for name in _KEPT if getattr(options, name) != getattr(usual, name)}
    return {ASKED: found} if found else {}


def asked_again(recipe: Mapping[str, Any] | None) -> MeasureOptions:
    """What was asked for, by the recipe of the findings; the usual where it says nothing.

    Recipes of before it was kept say some of it beside; the scorers and generators there are those that were used.
    """
    said = recipe or {}
    beside = {option: said[name] for name, option in _BESIDE.items() if name in said}
    asked = {name: value for name, value in said.get(ASKED, {}).items() if name in _KEPT}
    kept: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in (beside | asked).items()
    }
    return MeasureOptions(**kept)


def texts_of_study(recipe: Mapping[str, Any] | None, study: str) -> str:
    """The study whose texts the findings of `study` are about."""
    return asked_again(recipe).texts_of or study


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
