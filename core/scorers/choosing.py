"""Which of the scorers here does the work of a role: the one that was asked for, or the best."""

from biasprint.core.errors import UsageError
from biasprint.core.machine.models import records
from biasprint.core.machine.models.installed import best
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import describe, preference, usable


def scorer_for(role: str, chosen: str | None, default: str) -> ScorerInfo:
    """The scorer of a role: the one that was asked for, or the default."""
    known = {info.name: info for info in describe()}
    info = known.get(chosen or default)
    if info is None or info.role != role:
        fitting = ", ".join(name for name, other in known.items() if other.role == role)
        raise UsageError(f"There is no scorer “{chosen}” for {role}.", hint=f"Choose from: {fitting}.")
    return info


def best_scorer(role: str, chosen: str | None = None) -> ScorerInfo | None:
    """The scorer that was chosen for a role; else the best that can be used here; None where there is none.

    The best is what this computer prefers, else the paper's own, else a plug-in, else another model, else a stand-in.
    Raises `UsageError` for a choice that there is not.
    """
    found = usable(role)
    if chosen and not found:
        raise UsageError(f"There is no scorer for {role} here.", hint=f"Leave out --scorer {role}={chosen}.")
    if chosen:
        return scorer_for(role, chosen, chosen)
    preferred = records.preferred().get(role)
    try:
        resolved = best(role)
    except UsageError:  # a role that only a plug-in knows
        resolved = ""
    return min(
        found,
        key=lambda info: (info.name != preferred, *preference(info), info.name != resolved),
        default=None,
    )
