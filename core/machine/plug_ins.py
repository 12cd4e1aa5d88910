"""Plug-ins of third parties: the entry points of installed packages, read again only where packages came or went.

A package that brings some is named to the person before any of it is loaded, once for each version and place.
"""

import sys
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint
from importlib.metadata import entry_points as read_entry_points
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.machine import storage

FILE = "plug-ins.json"
KINDS = {"biasprint.backends": "backend", "biasprint.scorers": "scorer", "biasprint.studies": "study"}  # by group
Where = tuple[tuple[str, int], ...]


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, cached. Reading them, those of all groups, opens two files of each package:
    180 here, ten times a second for live charts.
    """
    places = tuple((place, _changed(place)) for place in sys.path)
    return tuple(point for point in _read(places) if point.group == group)


@lru_cache(maxsize=4)
def _read(where: Where) -> tuple[EntryPoint, ...]:
    found = read_entry_points()
    return tuple(point for group in sorted(found.groups) for point in found.select(group=group))


def _changed(place: str) -> int:
    """Return when a file last came to a folder or went from it; 0 for one that is not there."""
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0


def news() -> tuple[str, ...]:
    """Return a sentence for each package with plug-ins that was not named before. To be asked before one is loaded."""
    brought: dict[str, list[str]] = {}
    for group, kind in KINDS.items():
        for point in entry_points(group):
            if point.dist is not None:
                place = Path(str(point.dist.locate_file("")))
                package = f"“{point.dist.name}” {point.dist.version} (in {place})"
                brought.setdefault(package, []).append(f"the {kind} “{point.name}”")
    if not brought:
        return ()
    named: set[str] = set()
    with suppress(AppError, OSError), storage.change(FILE) as data:  # where it cannot be kept, it is named again
        before = data.get("named")
        named = set(before) if isinstance(before, list) else set()
        data["named"] = sorted(brought)
    return tuple(
        f"A plug-in is installed: the package {package} brings {', '.join(what)}. "
        "It runs as part of this program; if you do not know it, uninstall it."
        for package, what in brought.items()
        if package not in named
    )
