"""transformers: a language model on this computer, from a folder with safetensors weights.

Pickles are never opened and program code in the folder is never run. Opening checks the folder; the weights are loaded
when the first text is asked for, in whatever process asked; the program asks in its model process.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from biasprint.core.backends.protocol import BackendInfo, Parameter
from biasprint.core.backends.transformers_local.options import info, why_not
from biasprint.core.errors import AppError

if TYPE_CHECKING:
    from biasprint.core.backends.transformers_local.writer import TransformersWriter


INFO: BackendInfo  # asked for each time it is used


def __getattr__(name: str) -> BackendInfo:
    if name == "INFO":
        return info()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(model: str, parameters: Mapping[str, Parameter]) -> "TransformersWriter":
    """A model by name or by the path of its folder. Parameters: see `options.Options`.

    Raises `UsageError` for a parameter or a context that cannot be, `AppError` where there is no such folder, where it
    is no model that can be loaded safely, or where its chat template is damaged or hostile.
    """
    from biasprint.core.backends.transformers_local.options import read_options
    from biasprint.core.backends.transformers_local.writer import TransformersWriter, find_folder

    if reason := why_not():
        raise AppError("No folder can be opened here.", hint=reason)
    options = read_options(parameters)
    return TransformersWriter(find_folder(model), options)
