"""The start of every child process: no file of the folder that a person works in is executed there.

`python -c` and `python -m` look for modules in the current folder first, where a stranger's `signal.py` would
replace Python's own. So a child of ours

- is a Python with `-P`, and so are the Pythons that it starts (`PYTHONSAFEPATH`),
- works in the folder of the Python installation, so that paths which it is given must be absolute,
- gets this process's module path without the current and the temporary folder.

`start` calls a function in a child; the parent's main script is not run there. `python` is the command of any
other Python. `limit_once` and `at_most` hold a child that is handed strangers' files to less memory.
"""

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection, Pipe
from typing import Any

from biasprint.core.machine import child_main, keys
from biasprint.core.machine.current_folder import module_path_without

FOLDER = sys.prefix
END_SECONDS = 1.0
MEMORY = 512 * 1024 * 1024  # bytes of address space; Windows knows no such limit, and macOS does not keep to it

_running: set["subprocess.Popen[bytes]"] = set()


def python(*words: str, executable: str = sys.executable) -> list[str]:
    """Return the command of a Python that looks for no module in the current folder; `FOLDER` is the one to start it
    in.
    """
    return [executable, "-P", *words]


def start(function: Callable[..., None], *arguments: object) -> "tuple[subprocess.Popen[bytes], Connection]":
    """Return a child that calls `function(connection, *arguments)`, and this end of the connection.

    `function` is one of a module, and the arguments can be pickled. The child ends with this process. Raises `OSError`.
    """
    ours, theirs = Pipe()
    try:
        process = subprocess.Popen(
            [*_command(), str(theirs.fileno())],
            cwd=FOLDER, env=_environment(), stdin=subprocess.DEVNULL, **_inheriting(theirs),
        )  # fmt: skip
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()  # else the end of the child would not be seen as the end of the connection
    _remember(process)
    with suppress(OSError):  # of a child that has ended already, which the next use of the connection tells
        ours.send(module_path_without(os.getcwd(), tempfile.gettempdir()))
        ours.send((function, arguments))
    return process, ours


def is_stopped(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether a signal has stopped a child that was not continued since. Unknown, so False, on Windows and on
    macOS before Python 3.13.
    """
    if sys.platform == "win32" or not hasattr(os, "waitid"):
        return False
    with suppress(ChildProcessError):  # it has ended, and somebody knows already
        # Without WEXITED and with WNOWAIT: its end, and this very news, are left for whoever asks next.
        return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
    return False


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, child_main.WORD]
    flags = {"-I": "isolated", "-E": "ignore_environment", "-s": "no_user_site", "-B": "dont_write_bytecode"}
    options = [option for option, flag in flags.items() if getattr(sys.flags, flag)]
    return python(*options, *(f"-W{option}" for option in sys.warnoptions), str(child_main.__file__))


def environment(**others: str) -> dict[str, str]:
    """Return this process's environment for another program, without the key of an endpoint, and with `others`."""
    return {name: value for name, value in os.environ.items() if name != keys.ENVIRONMENT} | others


def _environment() -> dict[str, str]:
    home = os.environ.get("BIASPRINT_HOME")
    whole = {"BIASPRINT_HOME": os.path.abspath(home)} if home else {}
    return environment(**whole, PYTHONSAFEPATH="1")


def _inheriting(theirs: Connection) -> dict[str, Any]:
    if sys.platform != "win32":
        return {"pass_fds": (theirs.fileno(),)}
    os.set_handle_inheritable(theirs.fileno(), True)
    return {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [theirs.fileno()]})}


def _remember(process: "subprocess.Popen[bytes]") -> None:
    for each in tuple(_running):
        if each.poll() is not None:
            _running.discard(each)
    _running.add(process)


@atexit.register
def _end_children() -> None:
    for process in tuple(_running):
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def limit_this_process() -> None:
    """Hold this process to `MEMORY`, from here on. It never writes a file either."""
    try:
        import resource
    except ImportError:  # Windows: time and sizes are limited there, memory is not
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


@cache
def limit_once() -> None:
    """Limit this process, as the first step of whatever it is asked for."""
    limit_this_process()


@contextmanager
def at_most(room: int) -> Iterator[None]:
    """Hold this process, within the block, to so many bytes of address space more than it has now. On Linux."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as pages:
            size = int(pages.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    known = [limit for limit in (soft, hard, size + room) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
