"""What backends for local models share: what a model's name stands for, and what lists of tokens begin with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.machine.models.installed import find

ROLE = "generator"


@dataclass(frozen=True)
class FoundModel:
    """`name`: as it is recorded; a path's is its last part. `sha256`: of the file, or of the folder's files that count.

    `format`: as `core.machine.models.installed` has it.
    """

    name: str
    path: Path
    sha256: str
    format: str


def find_local(model: str) -> FoundModel:
    """What a name in the catalogue, a name given by the user, or a path stands for. Raises `AppError` for nothing."""
    known = find(model, roles={ROLE})
    name = known.path.name if known.origin == "path" else known.name
    return FoundModel(name, known.path, known.sha256, known.format)


def shared_beginning(lists: Sequence[Sequence[int]]) -> list[int]:
    """The tokens with which all begin."""
    shortest = min(lists, key=len)
    for at, token in enumerate(shortest):
        if any(other[at] != token for other in lists):
            return list(shortest[:at])
    return list(shortest)
