"""Installing only llama.cpp, the local-model engine, where the program was installed without it or that install failed.

No restart is needed afterwards: the package is looked up again whenever a model is opened.
"""

import importlib
import sys
import time

from biasprint.core.backends.llama_cpp.options import installed
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation import declared, parts, pip
from biasprint.core.machine.installation.declared import requirements
from biasprint.core.machine.installation.preparing import why_not
from biasprint.core.machine.offline import require_connection

__all__ = ["install", "why_not"]

TITLE = "The local-model engine"
KEPT = "Everything that needs no GGUF file works without it."


def install(ctx: JobContext) -> None:
    """Let pip fetch and compile it; cancelling ends pip with all that it started. Does nothing where it is here.

    Raises `NoConnection` while the offline switch is on, `AppError` where it cannot be installed, with the reason.
    """
    if installed():
        return
    if reason := why_not():
        raise AppError(f"{TITLE} cannot be installed here: {reason}.", kept=KEPT)
    require_connection("installing the local-model engine")
    part = next(each for each in parts() if each.id == "engine")
    start, note = time.monotonic(), "looking for it"

    def look() -> None:
        ctx.step(round(time.monotonic() - start), note=note)

    def told(step: pip.PipStep) -> None:
        nonlocal note
        note = step.words

    with declared.waited_for(sys.prefix, look) as locked:
        outcome = pip.run(requirements(part), look=look, told=told, gently=True, inherits=[locked.fileno()])
    importlib.invalidate_caches()
    if outcome.code != 0 or not installed():
        trouble = pip.trouble(outcome.said)
        raise AppError(
            f"{TITLE} could not be installed: {trouble.why}.", kept=KEPT, hint=trouble.hint, details=outcome.said
        )
