"""What the paper reports, to show beside our own figures: lines for reference, never tests."""

from dataclasses import dataclass
from functools import cache

from core.prompts.resource_files import packaged, read_toml


@dataclass(frozen=True)
class Reference:
    """A number of the paper. None where it prints none."""

    model: str
    estimate: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    p: str = ""


@cache
def references(finding: str, label: str, axis: str = "", prompt_kind: str = "") -> tuple[Reference, ...]:
    """What the paper reports for a finding id, label, axis and prompt kind; empty where it reports nothing."""
    return tuple(
        Reference(model=model, **values)
        for item in read_toml(packaged("published", "news.toml"))["reference"]
        if (item["id"], item["label"], item.get("axis", ""), item.get("prompt_kind", ""))
        == (finding, label, axis, prompt_kind)
        for model, values in item["models"].items()
    )


def reference_line(finding: str, label: str, axis: str = "", prompt_kind: str = "") -> str:
    """The same as a sentence for a note; empty where there is nothing."""
    found = references(finding, label, axis, prompt_kind)
    listed = ", ".join(f"{item.model} {item.estimate:.4g}" for item in found)
    return f"The paper reports: {listed}." if found else ""
