"""llama.cpp: a language model on this computer, from one GGUF file.

What is here before the first text is plain Python: the file's head and its chat template are checked, and nothing of
llama.cpp is imported. From the first text on, native code runs in whatever process asked; the program asks in its
model process.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.backends.llama_cpp.info import INFO, installed
from core.backends.protocol import Parameter

if TYPE_CHECKING:
    from core.backends.llama_cpp.writer import LlamaCpp

__all__ = ["INFO", "open"]


def open(model: str, parameters: Mapping[str, Parameter]) -> "LlamaCpp":
    """A model by name or by the path of its GGUF file. Parameters: see `options.Options`.

    Raises `UsageError` for a parameter or a context that cannot be, `AppError` where llama.cpp is not installed, where
    there is no such file, or where the file or its chat template is damaged or hostile.
    """
    from core.backends.llama_cpp import errors
    from core.backends.llama_cpp.files import find_file
    from core.backends.llama_cpp.gguf_check import check_file
    from core.backends.llama_cpp.options import read_options
    from core.backends.llama_cpp.writer import LlamaCpp

    if not installed():
        raise errors.not_installed()
    options = read_options(parameters)
    found = find_file(model)
    return LlamaCpp(found, check_file(found.path), options)
