"""A project with 1,000,000 outputs opens to a usable first page in 2 s and 400 MB."""

import os
from pathlib import Path

import pytest
from children import answer_of
from figures import at_most, figure, spread, title
from large_projects import with_outputs

from core.project.backup import backup_folder

pytestmark = pytest.mark.bench

OUTPUTS = 1_000_000
RUNS = 5


def test_a_million_outputs_open_to_a_first_page(tmp_path: Path) -> None:
    path = tmp_path / "large.biasprint"
    with_outputs(path, OUTPUTS)
    unseen = answer_of("open_project.py", path)  # examined page by page; closing it makes it known
    assert unseen["count"] == OUTPUTS
    answers = [answer_of("open_project.py", path) for _ in range(RUNS)]
    title(f"Opening {OUTPUTS:,} outputs, a file of {path.stat().st_size / 1e6:,.0f} MB")
    figure("a file this machine has not seen (every page examined)", unseen["usable"], "s")
    figure("a known file, opened", spread([one["opened"] for one in answers]), "s")
    at_most("a known file, usable first page, median", spread([a["usable"] for a in answers]).median, 2.0, "s")
    at_most("memory at most", max(one["megabytes"] for one in answers), 400, "MB")
    for backup in backup_folder(path).glob("*"):
        os.unlink(backup)
