"""What of a project stays in memory for each letter that is written: by the writing alone, and with a board beside it.

python board_memory.py PROJECT alone|board [TEXTS] [lines]: prints, as JSON, the bytes for each letter that Python holds
after a collection, from a quarter of the letters to the last, and with "lines" where most of them were allocated.
"""

import gc
import sys
import tracemalloc
from pathlib import Path

from board_live import Writer
from children import tell

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.desktop.read.board import StoredBoard

TEXTS, STEP = 4_000, 20


def main(path: Path, what: str, texts: int = TEXTS, *, lines: bool = False) -> None:
    with Project.open(path) as project:
        board = StoredBoard(project) if what == "board" else None
        writer, held = Writer(project), []
        before = None
        tracemalloc.start(1)
        for quarter in range(1, 5):
            while writer.written * 4 < texts * quarter:
                writer.write(STEP)
                if board is not None:
                    board.load(JobContext())
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
            if lines and quarter == 1:
                before = tracemalloc.take_snapshot()
        if before is not None:
            for line in tracemalloc.take_snapshot().compare_to(before, "lineno")[:25]:
                sys.stderr.write(f"{line}\n")
    tell({"letters": texts, "bytes a letter": (held[-1] - held[0]) / (texts * 3 / 4), "held": held})


if __name__ == "__main__":
    more = sys.argv[3:]
    main(
        Path(sys.argv[1]), sys.argv[2], int(next((one for one in more if one.isdigit()), TEXTS)), lines="lines" in more
    )
