"""Large libraries kept out while another is imported that takes them along, although nobody here asks for them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Hide the packages as if they were not installed; one that is imported already stays."""
    away = [package for package in packages if package not in sys.modules]
    for package in away:
        sys.modules[package] = None  # type: ignore[assignment]  # what Python takes for “cannot be imported”
    try:
        yield
    finally:
        for package in away:
            del sys.modules[package]


@contextmanager
def in_place_of(module: str, **names: object) -> Iterator[None]:
    """Replace the module of a package by one with these names only; a module that is imported already stays."""
    away = [name for name in (module.rpartition(".")[0], module) if name not in sys.modules]
    for name in away:
        sys.modules[name] = ModuleType(name)
    if module in away:
        sys.modules[module].__dict__.update(names)
    try:
        yield
    finally:
        for name in away:
            del sys.modules[name]
