"""A folder whose drive has no locks: for a child process, in which the C library's calls fail there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

LOCKLESS = shutil.which("cc") is not None and sys.platform == "linux"
FAILING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int there(int handle) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    const char *folder = getenv("LOCKLESS_FOLDER");
    if (length < 0 || !folder) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int refused(void) { errno = atoi(getenv("LOCKLESS_ERROR")); return -1; }

int flock(int handle, int what) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "flock");
    return there(handle) ? refused() : next(handle, what);
}

static int control(const char *name, int handle, int what, void *with) {
    int (*next)(int, int, ...) = dlsym(RTLD_NEXT, name);
    if ((what == F_SETLK || what == F_SETLKW || what == F_GETLK) && there(handle)) return refused();
    return next(handle, what, with);
}

int fcntl(int handle, int what, ...) {
    va_list list; va_start(list, what); void *with = va_arg(list, void *); va_end(list);
    return control("fcntl", handle, what, with);
}

int fcntl64(int handle, int what, ...) {
    va_list list; va_start(list, what); void *with = va_arg(list, void *); va_end(list);
    return control("fcntl64", handle, what, with);
}
"""
EVERY_WAY_IN = """
import sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from biasprint.core.project import drives
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.rescue import rescue_project

from tests.lockless import Forgetful

drives._FINE = Forgetful()
path = Path(sys.argv[1]) / "study.biasprint"
with Project.open(path) as project:
    where = "worked on here" if project.working else "in place"
    project.studies.add("news", "News")
with Project.open(path, read_only=True) as project:
    read = ", ".join(sorted(study.title for study in project.studies.all()))
rescued = rescue_project(path, path.with_name("rescued.biasprint")).saved["study"]
print(f"{where}; read {read}; sound {check_project(path).sound}; rescued {rescued}")
"""


class Forgetful(set[int]):
    """Remembers no drive: in tests one has folders with locks and folders without."""

    def __contains__(self, device: object) -> bool:
        return False


def preloaded(folder: Path, scratch: Path, error: int) -> str:
    """What a process says that opens, reads, checks and rescues `study.biasprint` where every lock fails so."""
    source, library = scratch / "failing.c", scratch / "failing.so"
    source.write_text(FAILING, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    surroundings = {"LD_PRELOAD": str(library), "LOCKLESS_FOLDER": str(folder), "LOCKLESS_ERROR": str(error)}
    child = [sys.executable, "-c", EVERY_WAY_IN, str(folder), *sys.path]
    done = subprocess.run(child, env=os.environ | surroundings, capture_output=True, text=True, timeout=120)
    return done.stdout.strip() or done.stderr
