"""llama.cpp: a language model on this computer, from one GGUF file.

Up to the first text this package is plain Python: it checks the file's header and its chat template, and does not
import llama.cpp. From the first text on, native code runs in whatever process asked; the program asks in its model
process.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from biasprint.core.backends.llama_cpp.options import info, installed
from biasprint.core.backends.local_model import FoundModel, find_local
from biasprint.core.backends.protocol import BackendInfo, Parameter
from biasprint.core.errors import UsageError

if TYPE_CHECKING:
    from biasprint.core.backends.llama_cpp.writer import LlamaCpp


INFO: BackendInfo  # asked for each time it is used


def __getattr__(name: str) -> BackendInfo:
    if name == "INFO":
        return info()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(model: str, parameters: Mapping[str, Parameter]) -> "LlamaCpp":
    """A model by name or by the path of its GGUF file. Parameters: see `options.Options`.

    Raises `UsageError` for a parameter or a context that cannot be, `AppError` where llama.cpp is not installed, where
    there is no such file, or where the file or its chat template is damaged or hostile.
    """
    from biasprint.core.backends.llama_cpp import errors
    from biasprint.core.backends.llama_cpp.gguf import check_file
    from biasprint.core.backends.llama_cpp.options import read_options
    from biasprint.core.backends.llama_cpp.writer import LlamaCpp

    if not installed():
        raise errors.not_installed()
    options = read_options(parameters)
    model_file = find_file(model)
    return LlamaCpp(model_file, check_file(model_file.path), options)


def find_file(model: str) -> "FoundModel":
    """Find the GGUF file that a name or a path means. Raises `AppError` where there is none."""
    from biasprint.core.backends.llama_cpp import errors

    if not model:
        raise UsageError("llama.cpp needs a model.", hint="Give the path of a file that ends in .gguf.")
    model_found = find_local(model)
    if model_found.format != "gguf":
        raise errors.not_gguf(model_found.path.name)
    return model_found
