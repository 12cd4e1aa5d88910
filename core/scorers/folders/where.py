"""Which model on this computer a scorer loads, and what to say where there is none. Light."""

from core.errors import AppError
from core.machine.models import installed
from core.machine.models.installed import InstalledModel

GET = "Get it in the models panel, or add a folder."


def model_for(role: str) -> InstalledModel | None:
    """The model that a scorer of this role loads; None where there is none."""
    return installed.for_role(role)


def needed(role: str) -> InstalledModel:
    """Raises `AppError` where there is none, or where it is no folder."""
    model = model_for(role)
    if model is None:
        raise AppError("Its model is not on this computer.", hint=GET)
    if model.format == "gguf":
        raise AppError(f"“{model.name}” is a GGUF file, which only writes texts.", hint=GET)
    return model


def papers_own(model: InstalledModel) -> bool:
    """Whether it is the very model that a paper used: got from the catalogue, or by the hash that is recorded."""
    return installed.is_papers_own(model)
