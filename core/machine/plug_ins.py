"""Plug-ins of third parties: the entry points of installed packages, read again only where packages came or went."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint
from importlib.metadata import entry_points as read_entry_points
from pathlib import Path

Where = tuple[tuple[str, int], ...]


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, cached. Reading them opens two files of each package: 180 here, ten times a
    second for live charts.
    """
    return _read(group, tuple((place, _changed(place)) for place in sys.path))


@lru_cache(maxsize=16)
def _read(group: str, where: Where) -> tuple[EntryPoint, ...]:
    return tuple(read_entry_points(group=group))


def _changed(place: str) -> int:
    """Return when a file last came to a folder or went from it; 0 for one that is not there."""
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0
