"""The processor and the free memory: cores, bytes, and settings for reproducible sums and for compiling.

Only the standard library, and no module of ours: run.py needs it before anything is installed.
"""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

_CPU_INFO = Path("/proc/cpuinfo")
# The processors with AMX have all of these. Many virtual machines name AMX, and end the program that uses it (SIGILL).
_WITHOUT_AMX = "-DGGML_NATIVE=OFF " + " ".join(
    f"-DGGML_{name}=ON" for name in ("AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16")
)


@cache
def features() -> frozenset[str]:
    """Return the features that Linux lists of the first processor, with its maker's name; empty elsewhere."""
    try:
        lines = _CPU_INFO.read_text("utf-8", "replace").split("\n\n", 1)[0].splitlines()
    except OSError:
        return frozenset()
    rows = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return frozenset([*rows.get("flags", "").split(), rows.get("vendor_id", "")])


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keep_sums_alike(environment: MutableMapping[str, str] = os.environ, known: frozenset[str] | None = None) -> None:
    """Let Intel's library give a row of a matrix product the same last bit beside any other rows, in any thread.

    By default it picks kernels by the number of rows, and parts sums among threads: a text's score then depends on the
    texts beside it. Its strict mode is for Intel's own processors; on others it would be slow, and the sums are alike
    as they are (tests hold that). To be called before torch computes; what a person has set stays.
    """
    known = features() if known is None else known
    if "GenuineIntel" in known and "avx2" in known:
        environment.setdefault("MKL_CBWR", f"{'AVX512' if 'avx512bw' in known else 'AVX2'},STRICT")


def for_compilers(environment: Mapping[str, str] = os.environ, known: frozenset[str] | None = None) -> dict[str, str]:
    """Return the extra environment variables for compiling llama.cpp: none where a person has set options."""
    known = features() if known is None else known
    if "CMAKE_ARGS" in environment or "amx_tile" not in known or platform.system() != "Linux":
        return {}
    return {"CMAKE_ARGS": _WITHOUT_AMX}


def free_bytes() -> int | None:
    """Return the bytes of memory that could be taken now; None where this system does not say."""
    if sys.platform == "win32":
        return _free_on_windows()
    about = Path("/proc/meminfo")
    if about.exists():
        for line in about.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:  # all memory, where the system does not say what is free
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


SCARCE = 16 << 20  # bytes, of which native code may want more at once
_NO_MEMORY = (  # of libraries and loaders, which say so each in its own words
    "out of memory", "allocate memory", "allocate lock", "not enough memory", "bad_alloc", "start new thread",
    "map segment", "memory allocation",
)  # fmt: skip


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that it came of, says that memory ran out."""
    while error is not None:
        text = str(error).lower()
        said = isinstance(error, RuntimeError | OSError | ImportError) and any(words in text for words in _NO_MEMORY)
        if said or isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        error = error.__cause__ or error.__context__
    return False


def memory_left(pid: int, counted: str = "VmSize") -> float:
    """Return how many bytes of its bound a process has not taken; infinity where it has none, or none that is known.

    `counted`: the line of /proc that says what it has, or had at most (“VmPeak”).
    """
    if sys.platform == "linux":
        import resource

        with suppress(OSError):  # it has ended, or is another person's by now
            most, _ = resource.prlimit(pid, resource.RLIMIT_AS)
            if most != resource.RLIM_INFINITY:
                lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
                return most - 1024 * next((int(line.split()[1]) for line in lines if line.startswith(counted)), 0)
    return inf


def raise_out_of_memory(error: BaseException) -> None:
    """Raise `MemoryError` where an error comes of too little memory: no file, model or plug-in is to blame then.

    Native code without memory may fail in any way, so any error counts where nearly all was taken.
    """
    if is_out_of_memory(error) or memory_left(os.getpid(), "VmPeak") < SCARCE:
        raise MemoryError from error


def _free_on_windows() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_uint32), ("load", ctypes.c_uint32)] + [
            (name, ctypes.c_uint64) for name in ("all", "free", "page", "page_free", "own", "own_free", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 - it exists on Windows only
    return int(status.free) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
