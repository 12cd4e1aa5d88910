"""The import of pyqtgraph in steps: at once it would block the window for three quarters of a second.

Nothing here imports it before the first step; `biasprint.desktop.warm_up` takes a step in each turn of the event loop.
"""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from types import ModuleType

NAME = "pyqtgraph"
PYTHON = (  # what it imports of Python itself, and Qt has no part in: may be imported in any thread before
    "colorama",
    "cProfile",
    "multiprocessing.connection",
    "pydoc",
    "socket",
    "subprocess",
    "sysconfig",
    "xml.etree.ElementTree",
)
QT = ("PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets", "PySide6.QtSvg")
NAMES_A_STEP = 25

_begun: Iterator[None] | None = None


def steps() -> Iterator[None]:
    """Import pyqtgraph in steps, on the window's thread. All callers share one course of steps."""
    global _begun
    if _begun is None:
        _begun = _course()
    return _begun


def finish() -> None:
    """Import what remains now."""
    for _ in steps():
        pass


def _course() -> Iterator[None]:
    if NAME in sys.modules:
        return
    for name in ("numpy", *PYTHON):
        import_module(name)
        yield
    for name in QT:
        yield from _touch(import_module(name))
    yield from _statements()


def _touch(module: ModuleType) -> Iterator[None]:
    """Name a module's attributes in steps: PySide makes a class when it is first named, and pyqtgraph names all."""
    for place, name in enumerate(dir(module)):
        with suppress(AttributeError):
            getattr(module, name)
        if place % NAMES_A_STEP == 0:
            yield


def _statements() -> Iterator[None]:
    """Run the package's `__init__` statement by statement: most are imports of one module each."""
    spec = importlib.util.find_spec(NAME)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {NAME!r}", name=NAME)
    source = spec.loader.get_source(NAME) if hasattr(spec.loader, "get_source") else None
    if source is None:  # a frozen program keeps no source
        import_module(NAME)
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    try:
        for statement in ast.parse(source).body:
            exec(compile(ast.Module([statement], []), spec.origin or NAME, "exec"), module.__dict__)
            yield
    except BaseException:
        sys.modules.pop(NAME, None)
        raise
