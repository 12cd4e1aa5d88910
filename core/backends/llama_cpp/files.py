"""Which file a model's name stands for, and the hash that pins it."""

from dataclasses import dataclass
from pathlib import Path

from core.backends.llama_cpp import errors
from core.errors import UsageError
from core.machine.models.installed import find

ROLE = "generator"


@dataclass(frozen=True)
class Found:
    """`name`: the model's name as it is recorded; a path's is that of its file. `sha256`: of the file's bytes."""

    name: str
    path: Path
    sha256: str


def find_file(model: str) -> Found:
    """The GGUF file that a name in the catalogue, a name given by the user, or a path stands for.

    Raises `AppError` where there is none.
    """
    if not model:
        raise UsageError("llama.cpp needs a model.", hint="Give the path of a file that ends in .gguf.")
    known = find(model, roles={ROLE})
    if known.format != "gguf":
        raise errors.not_gguf(known.path.name)
    return Found(known.path.name if known.origin == "path" else known.name, known.path, known.sha256)
