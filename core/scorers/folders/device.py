"""On what a model computes, and the one model per role that stays in memory."""

import gc
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from biasprint.core.errors import UsageError
from biasprint.core.machine.processor import keep_sums_alike

# ---- Batches

keep_sums_alike()  # before whatever imports this module computes with torch

BATCH = 16  # larger ones are slower on a processor
# The kernels of matrix products treat rows that do not fill a group of four otherwise, unless there are many.
GROUP = 4
ENOUGH_ROWS = 16


def batches(lengths: Sequence[int], most: int = BATCH) -> Iterator[list[int]]:
    """Places of equal length, at most `most` at a time, the shortest first; every place once."""
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for _, group in groupby(by_length, key=lambda place: lengths[place]):
        equal = list(group)
        for start in range(0, len(equal), most):
            yield equal[start : start + most]


def filled(count: int, length: int) -> int:
    """Return how many sequences of this length to compute for `count`; the last is repeated to fill a small batch.

    Sequences of 16 tokens and more have the same sums in any number; shorter ones in multiples of four that have 16
    tokens together. Four single words with their two marks are 12, and had others than eight of them.
    """
    return count if length >= ENOUGH_ROWS else whole_groups(max(count, -(-ENOUGH_ROWS // length)))


def whole_groups(count: int) -> int:
    """`count`, rounded up to a multiple of four."""
    return -(-count // GROUP) * GROUP


CHOICES = ("auto", "cpu", "cuda", "mps")


def chosen(wanted: str = "auto") -> str:
    """cuda, mps or cpu. Imports torch. Raises `UsageError` for a device that is not here."""
    import torch

    here = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        return "cuda" if here["cuda"] else "cpu"  # Apple's gives other numbers for some models: only when asked for
    if not here.get(wanted, False):
        devices = ", ".join(name for name, is_here in here.items() if is_here)
        raise UsageError(f"There is no device “{wanted}” here.", hint=f"Choose one of: auto, {devices}.")
    return wanted


def in_words(device: str) -> str:
    """Return the device's name in words, for a note beside a result."""
    return {"cpu": "the processor", "cuda": "the graphics processor", "mps": "Apple's graphics processor"}.get(
        device, device
    )


def let_go(device: str) -> None:
    """Give a graphics processor's memory back after a model was dropped."""
    gc.collect()
    if device == "cuda":
        import torch

        torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether a library reports, in one of its ways, that memory ran out."""
    text = str(error).lower()
    is_memory = any(words in text for words in ("out of memory", "can't allocate memory", "cannot allocate memory"))
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError | OSError) and is_memory)


Model = TypeVar("Model")

_held: dict[str, tuple[Hashable, object]] = {}


def held(role: str, key: Hashable, load: Callable[[], Model]) -> Model:
    """Return the model loaded for the role under this key; otherwise release the former one and load this one."""

    loaded = _held.get(role)
    if loaded is not None and loaded[0] == key:
        return loaded[1]  # type: ignore[return-value] # a key stands for one kind of model
    if loaded is not None:
        device = str(getattr(loaded[1], "device", "cpu"))
        del _held[role], loaded
        let_go(device)
    made = load()
    _held[role] = (key, made)
    return made


def device_of(role: str) -> str:
    """Return the device of the role's model; empty while none is loaded in this process."""
    loaded = _held.get(role)
    return str(getattr(loaded[1], "device", "")) if loaded else ""


def release(role: str) -> None:
    """Let go of the role's model."""
    _held.pop(role, None)
