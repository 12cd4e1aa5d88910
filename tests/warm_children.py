"""Compute processes of tests side by side: forked from one that has imported the large libraries already.

The program spawns each compute process, which then imports torch, spaCy and scipy by itself: about seven seconds of
processor time, and the tests need hundreds of them. What is forked here is a process of its own, without threads or
Qt, that has only imported; there is one for all test processes. The environment and module path of what is forked are
those of the test, as in a spawned one. Tests of the compute process itself and the commands that end-to-end tests start
spawn as ever (`as_the_program_does`), and so does the process that reads letters: its memory is held to less than those
libraries take. A program that a robot drives borrows that process from the tests that started it (`borrow`); in
test_first_minutes.py one spawns its own.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any

import pytest

from biasprint.core.backends.llama_cpp import native_model
from biasprint.core.compute import process
from biasprint.core.letters import files
from biasprint.core.machine import child

LENT = "BIASPRINT_TESTS_FORKSERVER"
# Processes side by side share the cores: the threads of two models wait for each other, and torch's wait by spinning.
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
LIBRARIES = (
    "scipy.stats",
    "pandas",
    "sqlalchemy",
    "spacy.lang.en",
    "torch",
    "transformers.models.bert.modeling_bert",
    "tokenizers",
    "safetensors.torch",
    "openai.types.chat",
    "anyio._backends._asyncio",
    "biasprint.core.backends.openai_compatible.writer",
    "biasprint.core.runs.measure",
    "biasprint.core.studies.letters.gather",
    "biasprint.core.studies.letters.measure",
    "biasprint.core.runs.generate",
    "biasprint.core.scorers.registry",
)


def lend(home: Mapping[str, str]) -> None:
    """For all test processes that this one starts: what their compute processes are forked from begins to import."""
    if sys.platform == "linux" and sys.version_info < (3, 14):  # later ones ask for a key besides
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**home, **ALONE}.items():
                patch.setenv(name, value)
            _begin()
        os.environ[LENT] = forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]


def prepare() -> None:
    """From now on this process forks its compute processes."""
    use_one_core()
    if LENT in os.environ:
        borrow()
    elif sys.platform == "linux":
        _fork_from(_begin())


def use_one_core() -> None:
    """For llama.cpp, as ALONE for the others."""
    native_model.cores = lambda: 1


def _begin() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__name__}_imports"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # it would look for that module nowhere else
        forkserver.ensure_running()
    return context


def borrow() -> None:
    """In a process that a process with a server started: its compute processes are forked from that one."""
    address = os.environ.get(LENT)
    if address is None:
        return
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    server._forkserver_address = address
    server._forkserver_alive_fd = os.open(os.devnull, os.O_RDONLY)  # what is forked would be told by it of another end
    server.ensure_running = lambda: None
    _fork_from(multiprocessing.get_context("forkserver"))


def _fork_from(context: Any) -> None:
    process.start = partial(_fork, context)
    files.ComputeProcess = _Spawned


@contextmanager
def as_the_program_does() -> Iterator[None]:
    """Spawn compute processes, as the program does."""
    warm = process.start
    process.start = child.start
    try:
        yield
    finally:
        process.start = warm


class _Spawned(process.ComputeProcess):
    def _living_child(self) -> process.Child:
        with as_the_program_does():
            return super()._living_child()


def _fork(context: Any, function: Callable[..., None], *arguments: object) -> "tuple[_Forked, Connection]":
    """As `child.start`, but forked, and then given the environment of the process that asks."""
    ours, theirs = context.Pipe()
    forked = context.Process(target=_settle, args=(dict(os.environ), function, (theirs, *arguments)), daemon=True)
    forked.start()
    theirs.close()
    return _Forked(forked), ours


class _Forked:
    """A process of multiprocessing, used as one of subprocess."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self.pid = process.pid
        self.kill = process.kill

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> int | None:
        self._process.join(timeout)
        return self._process.exitcode


def _settle(environment: Mapping[str, str], target: Callable[..., None], args: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    use_one_core()
    target(*args)
