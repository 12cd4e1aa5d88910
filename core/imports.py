"""Imports by several threads at once: a package before what lies in it, as Python does by itself from 3.15 on.

An earlier Python takes the lock of a module, and then that of the package around it. Where one thread imports a package
whose front door imports a module, and another thread that module, each may wait for what the other has; Python sees it,
and one of the two fails or goes on with half a module (CPython issue 83065). The program's own imports wait for the
package first, while they have no lock of what lies in it. Five threads that each imported all of the engine in an order
of its own failed in 3 of 142 trials without it, and in none of 142 with it.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

OURS = frozenset({"core", "desktop", "resources", "models"})
ABOVE = "biasprint"  # where they lie in an installation beside other packages


def packages_first(name: str) -> None:
    """Import the packages around a module of ours, the outermost first; nothing where it is there already."""
    if name in sys.modules or name.partition(".")[0] not in (*OURS, ABOVE):
        return
    end = name.find(".")
    while end > 0:
        import_module(name[:end])
        end = name.find(".", end + 1)


def for_threads() -> None:
    """From now on every import statement of this process takes packages first; once is enough."""
    earlier = builtins.__import__
    if getattr(earlier, "takes_packages_first", False):
        return

    def import_with_packages_first(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if not level:
            packages_first(name)
        return earlier(name, globals, locals, fromlist, level)

    import_with_packages_first.takes_packages_first = True  # type: ignore[attr-defined]
    builtins.__import__ = import_with_packages_first
