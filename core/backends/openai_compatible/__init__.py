"""Endpoints: servers that speak as OpenAI's does, on this computer or elsewhere.

Importing this is light; the openai package is loaded when an endpoint is opened.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from biasprint.core.backends.openai_compatible.settings import info, why_not
from biasprint.core.backends.protocol import BackendInfo, Parameter
from biasprint.core.errors import AppError
from biasprint.core.machine.offline import require_connection

if TYPE_CHECKING:
    from biasprint.core.backends.openai_compatible.writer import EndpointWriter


INFO: BackendInfo  # asked for each time it is used


def __getattr__(name: str) -> BackendInfo:
    if name == "INFO":
        return info()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(model: str, parameters: Mapping[str, Parameter]) -> "EndpointWriter":
    """The endpoint that `parameters` name (`endpoint`, or `base_url`), for one of its models. Nothing is sent yet.

    Raises `UsageError` for an unknown endpoint or parameter, `AppError` where connections are switched off, the
    address is not safe, or the openai package is missing.
    """
    from biasprint.core.backends.openai_compatible.settings import settings_of

    if reason := why_not():
        raise AppError("Endpoints cannot be used here.", hint=reason)
    settings = settings_of(model, parameters)
    settings.endpoint.require_safe()
    require_connection(f"the endpoint “{settings.endpoint.name}”")
    from biasprint.core.backends.openai_compatible.writer import EndpointWriter

    return EndpointWriter(settings, [settings.key_of(address) for address in settings.endpoint.addresses])
