"""Compute processes of tests side by side: forked from one that has imported the large libraries already.

The program spawns each compute process, which then imports torch, spaCy and scipy by itself: about seven seconds of
processor time, and the tests need hundreds of them. What is forked here is a process of its own, without threads or
Qt, that has only imported; its environment and module path are those of the test, as in a spawned one. Tests of
the compute process itself and whole programs that end-to-end tests start spawn as ever (`as_the_program_does`), and so
does the process that reads letters: its memory is held to less than those libraries take.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import forkserver
from types import SimpleNamespace
from typing import Any

import pytest

from core.compute import process
from core.documents import files

LIBRARIES = (
    "scipy.stats",
    "sqlalchemy",
    "spacy",
    "textblob",
    "torch",
    "transformers.models.bert.modeling_bert",
    "tokenizers",
    "safetensors.torch",
    "core.runs.measure",
    "core.runs.generate",
    "core.scorers.registry",
)


def prepare() -> None:
    """From now on this process forks its compute processes; what they are forked from begins to import."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__name__}_imports"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # it would look for that module nowhere else
        forkserver.ensure_running()
    process.multiprocessing = SimpleNamespace(get_context=lambda _method: _Warm(context))
    files.ComputeProcess = _Spawned


def possible() -> bool:
    """Only among several test processes: alone, a test that needs little would wait for all that is imported."""
    return sys.platform == "linux" and "PYTEST_XDIST_WORKER" in os.environ


@contextmanager
def as_the_program_does() -> Iterator[None]:
    """Spawn compute processes, as the program does."""
    warm = process.multiprocessing
    process.multiprocessing = multiprocessing
    try:
        yield
    finally:
        process.multiprocessing = warm


class _Spawned(process.ComputeProcess):
    def _living_child(self) -> process.Child:
        with as_the_program_does():
            return super()._living_child()


class _Warm:
    """A context of multiprocessing whose processes are forked and then get the environment of the one that asked."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.Pipe = context.Pipe

    def Process(self, *, target: Callable[..., None], args: tuple[Any, ...], **named: Any) -> Any:
        return self._context.Process(target=_settle, args=(dict(os.environ), target, args), **named)


def _settle(environment: Mapping[str, str], target: Callable[..., None], args: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*args)
