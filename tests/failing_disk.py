"""A disk that fails: for a child process, in which the C library's calls that write or sync fail in one folder."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAILING_DISK = shutil.which("cc") is not None and sys.platform == "linux"
# Calls in the folder are counted from `disk_fails` on. Of a write that fails half may have been written before.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static volatile int counting, calls, first, many, error, half;
static __thread int inside;

void disk_fails(int at, int number, int with, int by_half) {
    calls = 0; first = at; many = number; error = with; half = by_half; counting = 1;
}
int disk_calls(void) { return calls; }
void disk_works(void) { counting = 0; }

static int ours(const char *path) {
    const char *folder = getenv("FAILING_FOLDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(const char *path) {
    if (!counting || !ours(path)) return 0;
    int call = __sync_add_and_fetch(&calls, 1);
    return call >= first && call < first + many;
}

static int handle_fails(int handle) {
    char link[64], path[4096];
    if (!counting) return 0;
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = kept;
    if (length < 0) return 0;
    path[length] = 0;
    return fails(path);
}

#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define WRITES(name, more, ...) \
    ssize_t name(int handle, const void *from, size_t size more) { \
        if (handle_fails(handle)) { \
            if (half && size > 1) NEXT(name)(handle, from, size / 2 __VA_ARGS__); \
            errno = error; return -1; \
        } \
        return NEXT(name)(handle, from, size __VA_ARGS__); \
    }
#define COMMA ,
WRITES(write, )
WRITES(pwrite, COMMA off_t at, COMMA at)
WRITES(pwrite64, COMMA off64_t at, COMMA at)

#define SYNCS(name, ...) \
    int name(int handle __VA_OPT__(,) __VA_ARGS__) { \
        if (handle_fails(handle)) { errno = error; return -1; }
SYNCS(fsync) return NEXT(fsync)(handle); }
SYNCS(fdatasync) return NEXT(fdatasync)(handle); }
SYNCS(ftruncate, off_t size) return NEXT(ftruncate)(handle, size); }
SYNCS(ftruncate64, off64_t size) return NEXT(ftruncate64)(handle, size); }

int unlink(const char *path) {
    if (fails(path) && error != ENOSPC) { errno = error; return -1; }  /* a full disk deletes */
    return NEXT(unlink)(path);
}
"""
# `live(argument)` is defined by the code that comes first, and returns what is told of it.
SERVE = """
import ctypes, json, os, sys
disk = ctypes.CDLL(None)
for line in sys.stdin:
    fault = json.loads(line)
    pid = os.fork()
    if pid == 0:
        try:
            told = live(fault["argument"], lambda: disk.disk_fails(*fault["fails"]), disk.disk_works)
            told["calls"] = disk.disk_calls()
        except BaseException:
            import traceback
            told = {"traceback": traceback.format_exc()}
        print(json.dumps(told), flush=True)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if status:
        print(json.dumps({"traceback": f"ended with {status}"}), flush=True)
"""


@dataclass(frozen=True)
class Fault:
    """From the `first` call that writes or syncs on, `many` fail with `error`; `half`: after half of it was written."""

    first: int
    many: int
    error: int
    half: bool


class FailingDisk:
    """`code` defines `live(argument, fail, work)`: it calls `fail` and `work`, and returns a dictionary."""

    def __init__(self, folder: Path, scratch: Path, code: str) -> None:
        source, library = scratch / "failing_disk.c", scratch / "failing_disk.so"
        source.write_text(SHIM, encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        # Only a process of one thread may fork: numpy starts others for linear algebra.
        surroundings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}{SERVE}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | surroundings | {"LD_PRELOAD": str(library), "FAILING_FOLDER": str(folder)},
        )

    def __enter__(self) -> "FailingDisk":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def lived(self, argument: str, fault: Fault) -> dict[str, Any]:
        """What a life of its own told. `calls`: how many calls wrote or synced from `fail` on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        fails = (fault.first, fault.many, fault.error, int(fault.half))
        self._process.stdin.write(json.dumps({"argument": argument, "fails": fails}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the process that makes lives ended"
        told: dict[str, Any] = json.loads(line)
        return told
