"""The messages that cross the pipe between the two processes.

To the child: `CANCEL`, `WIND_DOWN`, or a pickled `(module, name, args)`, which never equals one of those words. To the
parent: a pickled `(kind, value)`.
"""

import io
import pickle
import sys
from typing import Any, Literal

CANCEL = b"cancel"
WIND_DOWN = b"wind down"

Kind = Literal["nothing", "ready", "report", "done", "failed", "cancelled", "out of memory"]
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
    """Return the inverse of `dump` for plain data; `pickle.UnpicklingError` for anything else."""
    return _PlainUnpickler(io.BytesIO(data)).load()


def place_of(function: object) -> tuple[str, str]:
    """Return the module and the name by which another process imports `function`.

    Raises `TypeError` for what it cannot import so: a lambda, a function in a function, a method, a `partial`, and
    anything of the main script, which a child does not run.
    """
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    importable = (
        isinstance(module, str)
        and isinstance(name, str)
        and module != "__main__"
        and getattr(sys.modules.get(module), name, None) is function
    )
    if not importable:
        raise TypeError(f"{function!r} cannot be called in another process; define it at the top of a module.")
    return str(module), str(name)
