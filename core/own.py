"""The program's own modules and data by the names that its source uses.

Installed beside other packages, the program's `core` is `biasprint.core` (core/python/biasprint/_names.py). Import
statements need not know; a name in a text, such as "core.studies.letters:STUDY", is looked up here.
"""

from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType

from core.imports import ABOVE, OURS, packages_first

PACKAGE = f"{ABOVE}."
PREFIX = __name__.removesuffix("core.own")


def source_name(name: str) -> str:
    """The name that the source uses: `core.text` for `biasprint.core.text` too."""
    rest = name.removeprefix(PACKAGE)
    return rest if rest.partition(".")[0] in OURS else name


def own_name(name: str) -> str:
    """The name under which a module is imported here; that of another package is given back as it is."""
    rest = source_name(name)
    return PREFIX + rest if rest.partition(".")[0] in OURS else name


def own_module(name: str) -> ModuleType:
    """The module of that name, imported."""
    packages_first(own_name(name))
    return import_module(own_name(name))


def own_files(package: str) -> Traversable:
    """The folder of a package of ours, with its data."""
    return files(own_name(package))
