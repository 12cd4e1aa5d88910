"""What can write here: the backends, the models on this computer, and the endpoints it knows."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.errors import AppError
from core.jobs import JobContext

if TYPE_CHECKING:
    from core.backends.protocol import BackendInfo
    from core.machine.endpoints import Endpoint
    from core.project.project import Project
    from desktop.operations.prompts import StoredSet

ROLE = "generator"


@dataclass(frozen=True)
class LocalModel:
    """A model on this computer. `trouble` says why it cannot be used now; empty where it can."""

    name: str
    title: str
    format: str
    trouble: str = ""


@dataclass(frozen=True)
class Writers:
    """Everything there is to choose from. `trouble`: why models or endpoints could not be read."""

    backends: "tuple[BackendInfo, ...]" = ()
    models: tuple[LocalModel, ...] = ()
    endpoints: "tuple[Endpoint, ...]" = field(default_factory=tuple)
    trouble: str = ""


def read_writers(ctx: JobContext) -> Writers:
    """Look at what is here. Files of models that are new or have changed are hashed, which may take a while."""
    from core.backends.registry import known
    from core.machine.endpoints import endpoints
    from core.machine.models.installed import installed

    models: tuple[LocalModel, ...] = ()
    kept: tuple[Endpoint, ...] = ()
    troubles = []
    try:
        # First what can be used; the model that comes with the program after the real ones.
        here = sorted(installed(ROLE), key=lambda one: (bool(one.trouble), one.origin == "bundled"))
        models = tuple(LocalModel(one.name, one.title, one.format, one.trouble) for one in here)
    except AppError as error:
        troubles.append(str(error))
    try:
        kept = tuple(endpoints())
    except AppError as error:
        troubles.append(str(error))
    return Writers(tuple(known()), models, kept, " ".join(troubles))


def refusals(ctx: JobContext, project: "Project", sets: "Sequence[StoredSet]") -> dict[tuple[int, str], str]:
    """Set and backend → why it cannot write that set. What is no language model is asked for the first prompt."""
    from core.backends.protocol import Request
    from core.backends.registry import known, open_backend

    refused = {}
    for info in known():
        if info.unavailable or info.capabilities.is_language_model or not info.capabilities.offline:
            continue  # to ask it would take a while, or go over the network
        with closing(open_backend(info.name, info.models[0] if info.models else "")) as writer:
            for one in sets:
                for prompt in project.prompts.page(one.id, 0, 1):
                    facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis}
                    fields = {**facts, "identity": prompt.identity, **prompt.fields}
                    asked = Request(prompt.key, prompt.text, 0, fields=fields)
                    if error := writer.generate(asked, lambda text: None, ctx.check).error:
                        refused[one.id, info.name] = error
    return refused
