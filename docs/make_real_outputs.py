"""Make docs/sample_making/rows: the letters and the judgments that a real language model wrote for the sample project.

    python docs/make_real_outputs.py WORK.biasprint [--only letters|judging]

It needs the model (biasprint models get qwen2.5-coder-1.5b-instruct) and half an hour of two cores. Stopped, it goes
on: what came back is kept in the project WORK.biasprint, by the jobs that everybody's runs go through. Each text is
asked for once, and what fails a filter stays. docs/make_sample.py then puts the rows into the sample.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "core" / "python"))

from biasprint.core.compute import models, shared  # noqa: E402
from biasprint.core.jobs import JobContext, Progress  # noqa: E402
from biasprint.core.project.project import Project  # noqa: E402
from sample_making.real import ASKED, ROWS, ask, rows_of  # noqa: E402
from sample_making.rows import packed  # noqa: E402
from sample_making.whole import add_planted  # noqa: E402

SECONDS_BETWEEN_LINES = 30


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", choices=ASKED, action="append")
    asked = parser.parse_args()
    with Project.open(asked.work) if asked.work.exists() else Project.create(asked.work) as project:
        if not project.judging.plans():
            add_planted(JobContext(), project, shared())
        for name in asked.only or ASKED:
            ask(JobContext(told(name)), project, name, models())
            file = ROWS / f"{name}.jsonl.gz"
            file.write_bytes(packed(rows_of(project, name)))
            print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes", flush=True)


def told(name: str) -> Callable[[Progress], None]:
    begun, last = time.monotonic(), 0.0

    def tell(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > SECONDS_BETWEEN_LINES:
            last = now
            print(f"{name}: {progress.done} of {progress.total}, {now - begun:.0f} s", flush=True)

    return tell


if __name__ == "__main__":
    main()
