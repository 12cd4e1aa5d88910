"""The limits of a process that is handed strangers' files: of what reads letters, and of what renders templates."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

MEMORY = 512 * 1024 * 1024  # bytes of address space; Windows knows no such limit, and macOS does not keep to it


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
