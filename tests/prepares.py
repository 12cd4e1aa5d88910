"""In an environment of a test's own: `prepare` with the parts that lie in the folder named first.

Prints one line of JSON for each state told, then how it ended; `cancel` as a second word cancels at the first megabyte.
"""

import json
import os
import sys
import time
from pathlib import Path

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation import PartState, declared, pip, preparing, status


def main(folder: Path, cancels: bool) -> None:
    declared.ROOT, declared.PARTS = folder, folder / "parts.toml"
    pip.NICENESS = getattr(os, "nice", int)(0)  # nobody works beside it: no slower than the test itself
    cancelled: list[float] = []
    ctx = JobContext()

    def told(each: PartState) -> None:
        say(part=each.part.id, state=each.state, sentence=each.sentence)
        if cancels and "etching" in each.sentence and not cancelled:
            cancelled.append(time.monotonic())
            ctx.cancel()

    try:
        preparing.prepare(ctx, told)
        end = ""
    except AppError as error:
        end = str(error)
    except JobCancelled:
        say(seconds=time.monotonic() - cancelled[0])
        end = "cancelled"
    say(end=end, states={each.part.id: each.state for each in status()})


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), "cancel" in sys.argv[2:])
