"""Large libraries kept out while another is imported that takes them along, although nobody here asks for them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """As if the packages were not installed; one that is imported already stays."""
    away = [package for package in packages if package not in sys.modules]
    for package in away:
        sys.modules[package] = None  # type: ignore[assignment]  # what Python takes for “cannot be imported”
    try:
        yield
    finally:
        for package in away:
            del sys.modules[package]
