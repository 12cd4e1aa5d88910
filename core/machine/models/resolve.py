"""Which scorer is the best that can run here, by role, and whether it stands in for the paper's own."""

from dataclasses import dataclass
from importlib.util import find_spec

from core.errors import UsageError
from core.machine.models import catalogue, installed, records
from core.machine.models.catalogue import CatalogueRole


@dataclass(frozen=True)
class Choice:
    """What fills a role. `stand_in`: it is not what the paper used. `model`: the name of the model that it loads, if
    any. `because` says in a sentence why it is this one.
    """

    role: str
    scorer: str
    stand_in: bool
    model: str
    because: str


def best(role: str) -> str:
    """The name of the best scorer that can run here for a role. Raises `UsageError` for a role without scorers."""
    return choose(role).scorer


def choose(role: str) -> Choice:
    """What `best` takes, and why: the user's preference, else the paper's own, else another model for the role, else
    the stand-in. Raises `UsageError` for a role that there is not or that no scorer fills.
    """
    known = catalogue.role(role)
    if not known.scorer:
        raise UsageError(f"No scorer fills the role “{role}”.", hint="It is for what writes texts.")
    if known.stand_in and records.preferred().get(role) == known.stand_in:
        return Choice(role, known.stand_in, True, "", f"{known.stand_in} is preferred here.")
    missing = _missing(known)
    if not known.takes_models:
        return _without_models(known, missing)
    model = installed.for_role(role)
    if model is None:
        return Choice(role, known.stand_in, True, "", "What the paper used is not on this computer.")
    if missing:
        return Choice(role, known.stand_in, True, "", f"{model.name} is here, and {missing} is not installed.")
    if installed.is_papers_own(model):
        return Choice(role, known.scorer, False, model.name, f"{model.title} is what the paper used.")
    return Choice(role, known.scorer, True, model.name, f"{model.title} is here; the paper used another.")


def _without_models(known: CatalogueRole, missing: str) -> Choice:
    if missing and known.stand_in:
        return Choice(known.key, known.stand_in, True, "", f"{missing} is not installed.")
    return Choice(known.key, known.scorer, False, "", "It is installed, and what the paper used.")


def _missing(known: CatalogueRole) -> str:
    """A module that the role's scorer lacks here; empty where it lacks none. Found without importing anything."""
    for module in known.needs:
        if find_spec(module) is None:
            return module
    if known.needs_one_of and not any(find_spec(module) for module in known.needs_one_of):
        return f"any of {', '.join(known.needs_one_of)}"
    return ""
