"""The main script of a child process that `core.machine.child` starts: it calls the function that the parent sends.

It begins before the module path is the program's: until then it imports nothing but the standard library.
"""

import sys
from contextlib import suppress

OUT_OF_MEMORY = 12  # a child's exit code, where memory ran out before it could say so
WORD = "--child"  # a packaged program is its own Python: this word makes it a child


def main(handle: str) -> None:
    """Run the call that the parent sends. `handle`: the number of this end of the connection, which the child has
    inherited.
    """
    from multiprocessing import connection  # not above: the window's start needs none of it

    leave_no_core_file()

    if sys.platform == "win32":
        parent = connection.PipeConnection(int(handle))
    else:
        parent = connection.Connection(int(handle))
    sys.path[:] = parent.recv()
    from biasprint.core.machine.processor import is_out_of_memory

    try:
        function, arguments = parent.recv()  # which imports the module of the function
        function(parent, *arguments)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        sys.exit(OUT_OF_MEMORY)  # without a traceback: the parent says it


def leave_no_core_file() -> None:
    """Have the system write no file of this process's memory, with somebody's texts in it, where it crashes."""
    with suppress(ImportError):  # Windows writes none
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(sys.argv[1])
