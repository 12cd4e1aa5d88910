"""What may be chosen when a study is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """`axes`: only these; all where empty. `scorers`: role → name, where another than the default is wanted."""

    axes: tuple[str, ...] = ()
    scorers: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
