"""One model in memory per role: another for the role frees the one before."""

from collections.abc import Callable, Hashable
from typing import TypeVar

Model = TypeVar("Model")

_held: dict[str, tuple[Hashable, object]] = {}


def held(role: str, key: Hashable, load: Callable[[], Model]) -> Model:
    """What was loaded for the role under this key; else the former is let go first, then this one is loaded."""
    from core.scorers.folders.device import let_go

    found = _held.get(role)
    if found is not None and found[0] == key:
        return found[1]  # type: ignore[return-value] # a key stands for one kind of model
    if found is not None:
        device = str(getattr(found[1], "device", "cpu"))
        del _held[role], found
        let_go(device)
    made = load()
    _held[role] = (key, made)
    return made


def device_of(role: str) -> str:
    """On what the role's model computes; empty while none is loaded in this process."""
    found = _held.get(role)
    return str(getattr(found[1], "device", "")) if found else ""


def release(role: str) -> None:
    """Let go of the role's model."""
    _held.pop(role, None)
