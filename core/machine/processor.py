"""The processor: its cores, and settings for reproducible sums and for compiling.

Only the standard library, and no module of ours: run.py needs it before anything is installed.
"""

import os
import platform
from collections.abc import Mapping, MutableMapping
from functools import cache
from pathlib import Path

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
