"""What crosses the pipe between the two processes.

To the child: `CANCEL`, `WIND_DOWN`, or a pickled `(target, args, kwargs)`, which never equals one of those words.
To the parent: a pickled `(kind, value)`.
"""

import io
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal

CANCEL = b"cancel"
WIND_DOWN = b"wind down"

Kind = Literal["nothing", "ready", "report", "done", "failed", "cancelled", "out of memory"]
PLUG_INS = ("biasprint.studies", "biasprint.scorers", "biasprint.backends")  # groups of entry points
ENGINE = "biasprint.core."
PLAIN_PACKAGES = frozenset({"numpy"})


class _PlainUnpickler(pickle.Unpickler):
    """Refuses what would import a library into the window's process: results are plain data, arrays and our classes."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        package = module_name.partition(".")[0]
        if (
            not module_name.startswith(ENGINE)
            and package not in PLAIN_PACKAGES
            and package not in sys.stdlib_module_names
        ):
            raise pickle.UnpicklingError(
                f"{module_name}.{global_name} cannot leave the compute process; return plain data"
            )
        return super().find_class(module_name, global_name)


def dump(value: object) -> bytes:
    """Pickle with protocol 5, which writes an array's bytes in one piece."""
    return pickle.dumps(value, protocol=5)


def load(data: bytes) -> Any:
    """The inverse of `dump` for plain data; `pickle.UnpicklingError` for anything else."""
    return _PlainUnpickler(io.BytesIO(data)).load()


@cache
def plug_in_packages() -> frozenset[str]:
    """The packages that installed entry points of ours name: where third parties' functions may be called."""
    points = (point for group in PLUG_INS for point in entry_points(group=group))
    return frozenset(point.module.partition(".")[0] for point in points) - sys.stdlib_module_names


def split_target(target: str, packages: tuple[str, ...]) -> tuple[str, str]:
    """`"core.module:function"` → its two parts; `ValueError` for another form or a package that is not allowed.

    Allowed are `packages`, and those of installed plug-ins."""
    module, _, function = target.partition(":")
    package = module.partition(".")[0]
    if not function.isidentifier() or (package not in packages and package not in plug_in_packages()):
        raise ValueError(f"{target!r} is not a 'module:function' in {' or '.join(packages)}")
    return module, function


def resolve(target: str, packages: tuple[str, ...]) -> Callable[..., Any]:
    """The function that `target` names; imports its module, so only for the compute process."""
    module, function = split_target(target, packages)
    resolved: Callable[..., Any] = getattr(import_module(module), function)
    return resolved
