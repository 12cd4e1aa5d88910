"""The released letters with the biographies that they were written from, measured by the command line twice."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from figures import at_most, figure, title

pytestmark = pytest.mark.bench

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data")) / "letters"
TABLES = [DATA / f"df_{group}_artists_2_para_w_chatgpt.csv" for group in "fm"]
LETTERS = 110
AGAIN_BOUND = 0.15  # of the first, of which each start of two processes is most; 1,000 letters are to take 0.05


def measured() -> tuple[float, bytes]:
    """Processor seconds of the command and of its compute process, and what it says."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "biasprint", "measure", "letters", *map(str, TABLES), "--format", "wan", "--json"]
    said = subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def test_measured_again() -> None:
    if not all(path.is_file() for path in TABLES):
        pytest.skip(f"the released letters are not in {DATA}")
    first, said = measured()
    again, repeated = measured()
    title(f"{LETTERS} letters with contexts, measured by the command line, processor time")
    figure("first", first, "s")
    figure("first, of each letter", first / LETTERS, "s")
    figure("again", again, "s")
    assert repeated == said
    at_most("again, of the first", again / first, AGAIN_BOUND, "times")
