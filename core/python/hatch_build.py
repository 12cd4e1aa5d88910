"""Tell hatchling where the package `biasprint` itself lies, which holds the four folders in a wheel."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackageItself(BuildHookInterface):  # type: ignore[type-arg]
    """Add `core/python/biasprint` to a wheel; an editable installation has the path to `core/python` instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build_data["force_include"]["core/python/biasprint"] = "biasprint"
