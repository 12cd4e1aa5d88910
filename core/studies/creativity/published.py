"""The paper's own values, as a sentence beside ours."""

from functools import cache
from typing import Any

from core.prompts.resource_files import packaged, read_toml


@cache
def _values() -> dict[str, dict[str, Any]]:
    return read_toml(packaged("published", "creativity.toml"))


def published(finding_id: str, axis: str) -> str:
    """The values the paper prints for this finding on this axis, with a blank before; empty where it prints none."""
    printed = _values().get(finding_id, {})
    if axis not in printed:
        return ""
    values = ", ".join(f"{who} {value}" for who, value in printed[axis].items())
    return f" Published: {values} ({printed['note']})."
