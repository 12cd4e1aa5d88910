"""List of the backends, and opening one.

A third party adds one by an entry point in the group `biasprint.backends`; its name is the backend's, its object a
module with `INFO` and `open` (see `BackendPlugin`). The program's own names cannot be taken.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from biasprint.core.backends.protocol import Backend, BackendInfo, Capabilities, Parameter
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.installation import explained
from biasprint.core.machine.plug_ins import entry_points
from biasprint.core.machine.processor import raise_out_of_memory

ENTRY_POINTS = "biasprint.backends"
OWN = {
    "synthetic": "biasprint.core.studies.author",
    "llama_cpp": "biasprint.core.backends.llama_cpp",
    "transformers": "biasprint.core.backends.transformers_local",
    "openai_compatible": "biasprint.core.backends.openai_compatible",
}

_UNKNOWN = Capabilities(streams=False, honours_seed=False, likelihood=False, offline=False, is_language_model=False)


def known() -> list[BackendInfo]:
    """All backends, the program's own first. One that cannot be loaded says so in `unavailable`."""
    return [_info(name, load) for name, load in _loaders().items()]


def open_backend(backend: str, model: str = "", parameters: Mapping[str, Parameter] | None = None) -> Backend:
    """Open a backend with a model.

    Raises `UsageError` for an unknown backend, model or parameter, `AppError` where it cannot be set up.
    """
    loaders = _loaders()
    if backend not in loaders:
        raise UsageError(f"There is no backend “{backend}”.", hint=f"Choose one of: {', '.join(loaders)}.")
    try:
        opened: Backend = loaders[backend]().open(model, dict(parameters or {}))
    except AppError:
        raise
    except Exception as error:
        raise_out_of_memory(error)
        if missing := explained(error):
            raise missing from error
        message = f"The backend “{backend}” cannot be used ({type(error).__name__}: {error})."
        raise AppError(message, hint="Install the plug-in that brings it again.", details=repr(error)) from error
    return opened


def _loaders() -> dict[str, Callable[[], Any]]:
    """Backend name → a function that imports it."""
    own: dict[str, Callable[[], Any]] = {name: partial(import_module, at) for name, at in OWN.items()}
    return own | {point.name: point.load for point in entry_points(group=ENTRY_POINTS) if point.name not in own}


def _info(name: str, load: Callable[[], Any]) -> BackendInfo:
    try:
        info = load().INFO
        if not isinstance(info, BackendInfo):
            raise TypeError("its INFO is not a BackendInfo")
    except Exception as error:
        if missing := explained(error):
            return BackendInfo(name, name, "", (), _UNKNOWN, unavailable=missing.message)
        # A broken plug-in is shown as such; it must not take the list of the others with it.
        return BackendInfo(name, name, "", (), _UNKNOWN, unavailable=f"It cannot be loaded: {error}")
    return info
