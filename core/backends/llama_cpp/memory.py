"""How much memory a model needs, and how much there is."""

import ctypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BYTES_PER_NUMBER = 2  # keys and values are kept as 16-bit floats


def cache_bytes(metadata: Mapping[str, Any], context: int) -> int:
    """What the keys and values of a context take: 2 · layers · context · heads of keys · head size · 2 bytes.

    An upper estimate: layers that keep a window or a state only take less.
    """
    kind = metadata["general.architecture"]

    def number(key: str, otherwise: int) -> int:
        value = metadata.get(f"{kind}.{key}", otherwise)
        return max(value, default=otherwise) if isinstance(value, tuple) else int(value)

    heads = max(1, number("attention.head_count", 1))
    kept = number("attention.head_count_kv", heads)
    head = number("attention.key_length", number("embedding_length", 1) // heads)
    return 2 * number("block_count", 1) * context * kept * head * _BYTES_PER_NUMBER


def free_bytes() -> int | None:
    """The memory that could be taken now; None where this system does not say."""
    if sys.platform == "win32":
        return _free_on_windows()
    about = Path("/proc/meminfo")
    if about.exists():
        for line in about.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:  # all there is, where what is free is not told
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _free_on_windows() -> int | None:
    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_uint32), ("load", ctypes.c_uint32)] + [
            (name, ctypes.c_uint64) for name in ("all", "free", "page", "page_free", "own", "own_free", "extended")
        ]

    status = Status(length=ctypes.sizeof(Status))
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009 - it exists on Windows only
    return int(status.free) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
