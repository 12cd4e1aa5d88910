"""What may be chosen when a study is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Options:
    """`axes`: only these; all where empty. `scorers`: role → name, where another than the default is wanted.

    `adjust`: how p is adjusted for many tests, holm or bh (Benjamini–Hochberg).
    """

    axes: tuple[str, ...] = ()
    scorers: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    adjust: Literal["holm", "bh"] = "holm"
