"""Which file a model's name stands for."""

from core.backends.llama_cpp import errors
from core.backends.local_model import FoundModel, find_local
from core.errors import UsageError


def find_file(model: str) -> FoundModel:
    """The GGUF file that a name or a path stands for. Raises `AppError` where there is none."""
    if not model:
        raise UsageError("llama.cpp needs a model.", hint="Give the path of a file that ends in .gguf.")
    found = find_local(model)
    if found.format != "gguf":
        raise errors.not_gguf(found.path.name)
    return found
