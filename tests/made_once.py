"""What several tests begin with is made once in a process of tests; each test finds a copy in its place."""

from collections.abc import Callable, Hashable
from pathlib import Path

_kept: dict[Hashable, list[bytes]] = {}


def made_once(what: Hashable, make: Callable[[], object], *paths: Path) -> None:
    """Do what `make` does, which is to write these files, and close them; the next time for `what` they are copied."""
    if what not in _kept:
        make()
        _kept[what] = [path.read_bytes() for path in paths]
        return
    for path, content in zip(paths, _kept[what], strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
