"""Functions that the tests run in the compute process: each behaves, or misbehaves, in one way."""

import ctypes
import logging
import os
import signal
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING

from biasprint.core.compute import shared, worker
from biasprint.core.errors import AppError, UsageError
from biasprint.core.text import sha256_text

if TYPE_CHECKING or not worker.is_at_work():  # the many children of the tests do without, who asks them does not
    from biasprint.core.letters.values import Document

FOREVER = 60.0


class ForeignError(AppError):
    """As a plug-in might define: not a class of core."""

    def __init__(self, code):
        super().__init__(f"code {code}", hint="Ask the plug-in.")


def pid():
    return os.getpid()


def add(left, right=0):
    return left + right


def double(array):
    array *= 2  # in place: what arrives is writable
    return array


def modules():
    return sorted(sys.modules)


def surroundings():
    return {
        "niceness": os.nice(0),
        "sigint": signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
        "environment": dict(os.environ),
        "daemon threads": all(thread.daemon for thread in threading.enumerate() if thread.name != "MainThread"),
    }


def import_heavy():
    import scipy.stats  # noqa: F401

    return "scipy.stats" in sys.modules


def make_loaded(name, loaded={}):  # noqa: B006 - the default outlives the call, as a loaded model does
    loaded.setdefault(name, len(loaded))
    return dict(loaded)


def spin_forever():
    """Never reports, never sleeps."""
    deadline = time.monotonic() + FOREVER
    while time.monotonic() < deadline:
        pass


def hold_the_interpreter_forever(started):
    """In C, without letting any other thread of its process run: not even the one that would hear of a cancel."""
    worker.report(0, None, started)
    ctypes.PyDLL(None).sleep(int(FOREVER))


def count(total):
    for done in range(1, total + 1):
        worker.report(done, total, f"item {done}")
    return total


def count_until_cancelled(ctx):
    deadline = time.monotonic() + FOREVER
    done = 0
    while time.monotonic() < deadline:
        ctx.check()
        done += 1
        ctx.report(done, partial={"done": done})


def report_until_cancelled():
    deadline = time.monotonic() + FOREVER
    while time.monotonic() < deadline:
        worker.report(1, None, "still here")


def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


def exit_at_once():
    os._exit(3)


def crash_in_c():
    ctypes.string_at(0)


def run_out_of_memory():
    import numpy as np

    return np.ones(1 << 60, dtype=np.uint8)


def describe_a_scorer_that_takes_all_memory():
    from biasprint.core.scorers import registry

    registry.OWN["greedy"] = (f"{__name__}:take_all_memory", {})
    return registry.described("greedy").unavailable


def take_all_memory():
    return text_of(1 << 60)


def spin_without_any_memory():
    """As Python does that has no memory left for the error that says so."""
    hold_to(0)
    eaten = []
    for size in (1 << 20, 1 << 12, 1 << 8):
        try:
            while True:
                eaten.append(bytearray(size))
        except MemoryError:
            pass
    spin_forever()


def fail_strangely_without_memory():
    """As native code does that takes no notice of what it did not get."""
    hold_to(1 << 20)
    try:
        while True:
            _eaten.append(bytearray(1 << 12))
    except MemoryError:
        _eaten.clear()
    raise SystemError("error return without exception set")


_eaten = []


def hold_to(room):
    """Hold this process to so many bytes more than it has."""
    import resource

    from biasprint.core import findings  # noqa: F401 - so that the next call needs nothing

    with open("/proc/self/statm", encoding="ascii") as pages:
        now = int(pages.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + room, now + room))


def text_of(length):
    return "x" * length


def as_a_library_says_it():
    raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried …")


def many_threads():
    over = threading.Event()
    try:
        for _ in range(100):
            threading.Thread(target=over.wait, daemon=True).start()
    finally:
        over.set()


def leave():
    sys.exit(5)


def divide(left, right):
    return left / right


def refuse():
    raise UsageError("There is no such model.", hint="Choose another.", kept="Nothing was changed.")


def refuse_foreign():
    raise ForeignError(7)


def return_a_lock():
    return threading.Lock()


def return_a_librarys_object():
    import psutil

    return psutil.virtual_memory()


def call_again():
    return shared().call(sha256_text, "a")


def chatter():
    import numpy as np

    sys.stdout.write("a library's greeting\n")
    os.write(1, b"and another\n")
    logging.getLogger("pdfminer.pdfpage").warning("a remark on a page")
    warnings.warn("a remark on precision", RuntimeWarning, stacklevel=1)
    np.float64(1.0) / np.float64(0.0)  # numpy remarks by itself
    return "the answer"


def needs_a_part_that_is_not_there(missing="scipy"):
    """As where an installation is not complete: every part waits, and a module of one of them is asked for."""
    from biasprint.core.machine.installation import PartState, state

    state.status = lambda part: (PartState(part, "waiting", ""),)
    raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)


def work_a_while(ctx):
    for done in range(20):
        ctx.report(done, 20)
        time.sleep(0.01)
    return os.getpid()


def write_to_the_parent(data: bytes, times: int = 1) -> "Document":
    """Write past the program, as code that a file brought along would. The handle is the child's last word."""
    for _ in range(times):
        left = memoryview(data)
        while left:
            left = left[os.write(int(sys.argv[-1]), left) :]
    time.sleep(FOREVER)
    raise AssertionError


def limit_of_core_files():
    import resource

    return resource.getrlimit(resource.RLIMIT_CORE)


def held(connection, room, function, *arguments):
    """Be a child of the program that has so many bytes beside what it starts with."""
    hold_to(room)
    function(connection, *arguments)
