"""Live figures are read in the window's process: nothing heavy may be imported there for them."""

import subprocess
import sys
from pathlib import Path

import pytest

from biasprint import core

FOLLOWS_THE_SAMPLE = """
import sys
from pathlib import Path

import pytest
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.live import LiveTally
from biasprint.core.runs.sample import unpack_sample

unpack_sample(Path(sys.argv[1]))
with Project.open(Path(sys.argv[1])) as project:
    for study in project.studies.all():
        tally = LiveTally(project, study)
        tally.catch_up(JobContext())
        print(study.kind, len(tally.values()))
print("heavy:", *sorted({"scipy", "statsmodels", "sklearn", "pandas", "torch", "spacy"} & set(sys.modules)))
"""


@pytest.mark.soak
def test_the_sample_is_followed_without_a_heavy_import(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FOLLOWS_THE_SAMPLE, str(tmp_path / "Sample.biasprint")]
    said = subprocess.run(command, cwd=Path(core.__file__).parents[1], capture_output=True, text=True, check=True)
    *studies, heavy = said.stdout.split("\n")[:-1]
    assert {line.split()[0] for line in studies} == {"creativity", "letters", "completion"}
    assert all(int(line.split()[1]) > 0 for line in studies)
    assert heavy == "heavy:"
