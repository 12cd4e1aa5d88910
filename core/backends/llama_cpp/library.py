"""llama.cpp's own functions, loaded when they are first needed, and its log."""

import ctypes
import importlib
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.info import installed

OLDEST = "0.3.36"  # of llama-cpp-python: in older ones some functions have other parameters
_LOG_LINES = 40
_LONGEST_NOTE = 100_000
_STDERR = 2
_log: deque[str] = deque(maxlen=_LOG_LINES)
_kept: list[Any] = []  # the callback, which native code holds on to, and what says that it is set


def library() -> Any:
    """The module with llama.cpp's functions. Raises `AppError` where it is not installed or does not start."""
    if not installed():
        raise errors.not_installed()
    with suppress(PackageNotFoundError):  # a packaged program brings a version that fits
        there = version("llama_cpp_python")
        if _numbers(there) < _numbers(OLDEST):
            raise errors.too_old(there, OLDEST)
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")  # else it calls a debugger to its deathbed
    try:
        native = importlib.import_module("llama_cpp.llama_cpp")
    except Exception as error:  # a wrong build fails in many ways
        raise errors.cannot_import(error) from error
    if not _kept:
        callback = native.llama_log_callback(_note)
        native.llama_log_set(callback, ctypes.c_void_p(0))
        native.llama_backend_init()
        _kept.append(callback)
    return native


def log() -> str:
    """The last lines that llama.cpp wrote: for the details of a message, never for stdout."""
    return "".join(_log)


def clear_log() -> None:
    _log.clear()


@contextmanager
def quiet() -> Iterator[None]:
    """What native code writes to stderr by itself, past the log, is added to the log instead."""
    try:
        kept = os.dup(_STDERR)
    except OSError:  # a windowed program may have none
        yield
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), _STDERR)
        try:
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            file.seek(0)
            _log.extend(file.read(_LONGEST_NOTE).decode("utf-8", "replace").splitlines(keepends=True))


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".")[:3] if part.isdecimal()]


def _note(level: int, text: bytes, data: Any) -> None:
    _log.append(text.decode("utf-8", "replace"))
