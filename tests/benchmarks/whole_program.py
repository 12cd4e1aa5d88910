"""The program as its entry point starts it, with somebody beside its window."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any


def run(words: Sequence[str], meet: Callable[[Any], object]) -> int:
    """Run `biasprint WORDS…`; `meet` is called with the window when it is made, before it is shown. The exit code."""
    from PySide6.QtCore import QTimer

    import biasprint.desktop.app as app

    make = app.create_window

    def make_and_meet(*arguments: Any) -> Any:
        window = make(*arguments)
        window.met = meet(window)  # kept as long as the window
        QTimer.singleShot(0, fail_at_once)
        return window

    app.create_window = make_and_meet
    from biasprint.desktop.__main__ import main

    return main(words)


def fail_at_once() -> None:
    """The window shows an unexpected error and goes on; whoever measures it must not wait for what never comes."""

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        traceback.print_exception(kind, error, trace)
        os._exit(1)

    sys.excepthook = end
