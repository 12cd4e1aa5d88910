"""The limits of a process that is handed strangers' files: of what reads letters, and of what renders templates."""

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
