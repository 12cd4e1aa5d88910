"""Import what the panels need once the window is up, so that no panel's first show holds it.

One thread at a time imports the engine, and the others wait for it. Where two threads import a package and a module of
it at the same moment, one of them can fail (CPython issue 83065, open before Python 3.15). So a job waits for
`import_store` before it works, and a panel is loaded when `is_importing` is false.

No part of Qt is imported in a thread: PySide makes its classes when they are first named, and two threads naming them
at once crash it. The panels' own modules follow on the window's thread, one at a time.
"""

import gc
import pkgutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module

from PySide6.QtCore import QObject, QTimer

from biasprint.core.jobs import precedence
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.plots import loading
from biasprint.desktop.widgets.words import tr

# What every job stands on: the store, and the front doors of rooms, which no two threads may import at once.
STORE = (
    "biasprint.core.project.project",
    "numpy",
    "biasprint.core.compute",
    "biasprint.core.machine.installation",
    "biasprint.core.machine.models",
    "biasprint.core.prompts.designs",
    "biasprint.core.backends.llama_cpp",
    "biasprint.core.backends.openai_compatible",
    "biasprint.core.backends.transformers_local",
    "biasprint.core.tables.formats",
    "biasprint.core.letters.files",
    "biasprint.core.letters.pile",
    "biasprint.core.report.audit",
    "biasprint.core.report.figures",
    "biasprint.core.judging.packets",
    "biasprint.core.metrics",
    "biasprint.core.scorers.folders",
    "biasprint.core.studies.compare",
    "biasprint.core.studies.completion",
    "biasprint.core.studies.creativity",
    "biasprint.core.studies.letters",
    "biasprint.core.studies.news",
    "biasprint.core.runs.audit",
    "biasprint.core.runs.result_folder",
    "biasprint.core.cli",
)
ENGINE = (
    "biasprint.core.runs.live",
    "biasprint.core.runs.measure",
    "biasprint.core.runs.compare",
    "biasprint.core.runs.calibrate",
    "biasprint.core.letters.report",
    "biasprint.core.letters.word",
    "biasprint.core.studies.author",
    "biasprint.core.prompts",
    "biasprint.core.judging.session",
    "biasprint.core.judging.packets.packet",
    "biasprint.core.scorers.registry",
    "biasprint.core.tables.read",
    "biasprint.core.texts.score",
    "biasprint.core.studies.creativity.gather",
    "biasprint.core.studies.letters.gather",
    "biasprint.core.letters.reading",
    "biasprint.core.letters.twins",
    "biasprint.core.letters.suggestions",
    "biasprint.core.letters.references",
    *loading.PYTHON,
)
PACKAGES = (
    "biasprint.desktop.charts",
    "biasprint.desktop.plots",
    "biasprint.desktop.tables",
    "biasprint.desktop.wording",
    "biasprint.desktop.read",
    "biasprint.desktop.operations",
    "biasprint.desktop.dialogs",
    "biasprint.desktop.panels",
)

IDLE_SECONDS = 0.5  # since a rater's last key
LOOK_MILLISECONDS = 100  # whether that is over

_importing = threading.Lock()
_wanted = list(STORE)


class WarmUp(QObject):
    """The imports in the background. `start` returns at once; a job imports the engine, then the panels one by one."""

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
        """Start the imports. `with_engine` is called once the engine is imported, `then` when the panels are too."""
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
            gc.freeze()  # see biasprint.desktop.app
            if self._then is not None:
                self._then()


def _panels_in_steps() -> Iterator[None]:
    """Import what the panels need; each step blocks the window only for the time of one module."""
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
    parent = import_module(package)
    # What is wrong with a package is said where it is needed.
    return (
        module.name
        for module in pkgutil.walk_packages(parent.__path__, f"{parent.__name__}.", onerror=lambda name: None)
    )


def is_importing() -> bool:
    """Return whether a thread imports the store or the engine now."""
    return _importing.locked()


def import_engine() -> None:
    """Import what the panels need of the engine. Jobs that start meanwhile wait."""
    with _importing:
        for name in ENGINE:
            _import(name)


def import_store() -> None:
    """Import the store once, in the first job's thread that needs it; the others wait for it."""
    with _importing:
        while _wanted:
            _import(_wanted.pop(0))


def _import(name: str) -> None:
    with suppress(Exception):  # what is wrong with a module is said where it is needed
        import_module(name)
