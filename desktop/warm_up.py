"""Imports what the panels will need once the window is up, so that no panel's first show holds it.

The store and the engine in threads. Nothing of Qt there: PySide makes its classes when they are first named, and two
threads naming them at once crash it (seen). The panels' own modules follow on the window's thread, one at a time.
"""

import gc
import pkgutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from core.jobs import precedence
from core.own import own_module
from desktop.jobs import JobRunner
from desktop.plots import loading
from desktop.widgets.words import tr

STORE = ("core.project.project", "numpy")  # what every job stands on
ENGINE = (
    "core.prompts",
    "core.judging.blind",
    "core.scorers.registry",
    "core.tables.read",
    "core.runs.score",
    "core.runs.measure.creativity",
    "core.runs.measure.letters",
    "core.runs.letter_check",
    "core.documents.suggestions",
    "core.documents.references",
    *loading.PYTHON,
)
PACKAGES = (
    "desktop.charts",
    "desktop.plots",
    "desktop.tables",
    "desktop.wording",
    "desktop.read",
    "desktop.operations",
    "desktop.dialogs",
    "desktop.panels",
)

IDLE_SECONDS = 0.5  # since a rater's last key
LOOK_MILLISECONDS = 100  # whether that is over

_importing = threading.Lock()
_wanted = list(STORE)


class WarmUp(QObject):
    """`start` returns at once; the engine comes in a job of its own, then the panels one by one."""

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._left: Iterator[None] = iter(())
        self._with_engine: Callable[[], object] | None = None
        self._then: Callable[[], object] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)

    def start(
        self, then: Callable[[], object] | None = None, *, with_engine: Callable[[], object] | None = None
    ) -> None:
        """`with_engine` is called once the engine is there, `then` when the panels are too."""
        self._then, self._with_engine = then, with_engine
        self._runner.start(tr("Getting ready"), lambda ctx: import_engine(), on_done=self._go_on, quiet=True)

    def _go_on(self, _: object) -> None:
        if self._with_engine is not None:
            self._with_engine()
        self._left = _panels_in_steps()
        self._timer.start()

    def _step(self) -> None:
        if precedence.idle_seconds < IDLE_SECONDS:  # a rater presses keys: none of them waits for an import
            self._timer.setInterval(LOOK_MILLISECONDS)
            return
        self._timer.setInterval(0)
        try:
            next(self._left)
        except StopIteration:
            self._timer.stop()
            gc.freeze()  # see desktop.garbage
            if self._then is not None:
                self._then()


def _panels_in_steps() -> Iterator[None]:
    """Import what the panels need; each step holds the window for as little as one module takes."""
    with suppress(ImportError):  # what is wrong with it is said where it is needed
        yield from loading.steps()
    for package in PACKAGES:
        for name in modules_of(package):
            _import(name)
            yield


def modules_of(package: str) -> Iterator[str]:
    """Yield the names of a package's modules and of those in the packages below it.

    A package below is imported when the name after its own is asked for, so that each step costs one module.
    """
    found_at = own_module(package)
    # What is wrong with a package is said where it is needed.
    return (
        found.name
        for found in pkgutil.walk_packages(found_at.__path__, f"{found_at.__name__}.", onerror=lambda name: None)
    )


def import_engine() -> None:
    """Import what the panels will need of the engine; a job that needs a part of it sooner imports that itself."""
    for name in ENGINE:
        _import(name)


def import_store() -> None:
    """Import the store, once, in whichever job's thread comes first; the others wait for it.

    Two threads that import the same packages at once can see half of one, where its modules import each other (seen
    with pydantic). Of the program's own this cannot happen: see core.imports.
    """
    with _importing:
        while _wanted:
            _import(_wanted.pop(0))


def _import(name: str) -> None:
    with suppress(Exception):  # what is wrong with a module is said where it is needed
        own_module(name)
