"""The program: `biasprint [FILE]` opens the window, `biasprint COMMAND` does everything that needs none.

Kept light: the window must be up at once.
"""

from biasprint.core.machine import current_folder

current_folder.leave_out()  # before any module is imported that a stranger's file could shadow

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from biasprint.core.machine import child_main
from biasprint.core.machine.offline import guard_sockets
from biasprint.desktop.opening import open_window

COMPLETING = "_BIASPRINT_COMPLETE"  # a shell asks for completions: it names the words in variables, and no argument


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return the exit code: 0 done, 1 a failure that the message explains, 2 wrong usage."""
    if getattr(sys, "frozen", False):
        from multiprocessing import freeze_support

        freeze_support()  # for libraries that start processes with it
    guard_sockets()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [child_main.WORD] and len(arguments) == 2:
        child_main.main(arguments[1])
        return 0
    if arguments in ([], ["gui"]) and COMPLETING not in os.environ:
        return open_window(None)
    file = arguments[1:] if arguments[:1] == ["gui"] else arguments  # biasprint FILE opens it: no command has a dot
    if len(file) == 1 and not file[0].startswith("-") and (file != arguments or is_named_file(file[0])):
        return open_window(Path(file[0]))
    if arguments[:1] == ["--self-test"] and arguments[1:] in ([], ["start"]):  # for whoever packages the program
        return self_test(start=len(arguments) == 2)
    try:
        from biasprint.desktop.commands import run
    except KeyboardInterrupt:  # before there is anybody to tell it better
        return 1
    return run(arguments)


def is_named_file(word: str) -> bool:
    """Return whether a word of the command line is the path of a file, by its ending and by its being there."""
    path = Path(word)
    return bool(path.suffix) and path.exists()


def self_test(*, start: bool) -> int:
    """Try everything, or measure how long a start takes. This option is not listed among the commands."""
    if start:
        from biasprint.desktop.start_time import run as run_start

        return run_start()
    from biasprint.desktop.self_test import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
