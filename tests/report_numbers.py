"""The numbers of a report and of a JSON answer, so that the ones can be looked for among the others."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Said of every number of its kind, and no result: levels, what no difference would be, and how reports explain them.
FIXED = (
    r"\d+ would be no difference", r"in 95 of 100 cases", r"at most 0\.05", r"at most 5 of 100",
    r"fewer than 30 items", r"95 % interval",
    r"Floor \(95 %\)", r"[\d.]+ % interval", r"< 0\.001",
)  # fmt: skip


def numbers(text: str) -> Iterator[tuple[float, int]]:
    """The numbers of a text, each with its decimals."""
    for found in re.findall(r"(?<![\w.])−?\d[\d,]*(?:\.\d+)?", text):
        plain = found.replace("−", "-").replace(",", "")
        yield float(plain), len(plain.partition(".")[2])


def is_rounded(shown: float, decimals: int, value: float) -> bool:
    """Is the one the other, or the other in per cent, with so many decimals?"""
    return any(abs(value * factor - shown) <= 0.5000001 * 10**-decimals for factor in (1, 100))


def leaves(value: Any) -> Iterator[float]:
    """Every number of a JSON value."""
    if isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def first_page(markdown: str) -> str:
    """The first page of a report in Markdown, without its title and the line below."""
    return markdown.partition("\n## ")[0].partition("\n### ")[2]


def not_in_the_answer(page: str, answer: Mapping[str, Any]) -> list[float]:
    """The numbers of a first page that the answer of `measure --json` does not have.

    Sums over its questions and the number of its findings are taken as had; so is what stands in its texts, such as
    titles and parameters.
    """
    said = re.sub("|".join(FIXED), "", page.replace("\\", ""))
    asked = answer["questions"]
    sums = [sum(one[key] for one in asked) for key in ("findings", "leading", "tested", "shown")]
    yes, tested = (sum(one[key] > 0 for one in asked) for key in ("shown", "tested"))
    few = sum(one["few"] for one in asked)
    known = {*leaves(answer), *sums, len(asked), yes, tested - yes, len(asked) - tested, few}
    written = set(numbers(json.dumps(answer, ensure_ascii=False)))
    return [
        shown
        for shown, decimals in dict.fromkeys(numbers(said))
        if (shown, decimals) not in written and not any(is_rounded(shown, decimals, value) for value in known)
    ]
