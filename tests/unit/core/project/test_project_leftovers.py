"""What a killed process left lying is gone at the next start; what is somebody else's, or still in use, stays."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from biasprint.core.machine import files as leftovers
from biasprint.core.machine.storage import home

# Stops in the middle of a copy beside the project, with a private copy in the temporary folder, and waits to be killed.
AT_WORK = """
import sys, time
from pathlib import Path
from biasprint.core.project import copies

class Stuck(Exception):
    pass

path = Path(sys.argv[1])
private = copies.private_copy(path)
begun = copies.os.replace
def stop(part, target):
    Path(str(part) + "-journal").touch()
    print(private.parent, part, sep="\\n", flush=True)
    time.sleep(60)
copies.os.replace = stop
copies.copy_project(path, path.with_name("copy.biasprint"))
"""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    path.write_bytes((Path(__file__).parents[3] / "data" / "schema-v3.biasprint").read_bytes())
    strangers = [tmp_path / ".copy-other.part", tmp_path / "temporary" / "biasprint-other", tmp_path / "study.part"]
    for stranger in strangers:
        stranger.write_text("somebody's")
    at_work = subprocess.Popen([sys.executable, "-c", AT_WORK, str(path)], stdout=subprocess.PIPE, text=True)
    assert at_work.stdout is not None
    private, part = (Path(at_work.stdout.readline().strip()) for _ in range(2))
    journal = part.with_name(part.name + "-journal")
    assert [private.is_dir(), part.is_file(), journal.is_file()] == [True] * 3

    leftovers.clear_leftovers()
    assert [private.is_dir(), part.is_file()] == [True] * 2  # its process is at work

    at_work.kill()
    at_work.wait()
    leftovers._CLEARED.clear()  # as at the next start
    leftovers.clear_leftovers()
    assert not any(one.exists() for one in (private, part, journal))
    assert all(stranger.read_text() == "somebody's" for stranger in strangers)
    assert list((home() / "unfinished").iterdir()) == []
    assert path.exists()


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_neither_links_nor_other_names_are_followed_from_a_list(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "precious.txt").write_text("kept")
    (tmp_path / "link.part").symlink_to(mine)
    folder = home() / "unfinished"
    folder.mkdir()
    (folder / f"{leftovers._host()}-dead.txt").write_text(f'"{tmp_path / "link.part"}"\n"{mine}"\nno json\n')
    leftovers.clear_leftovers()
    assert (mine / "precious.txt").read_text() == "kept"
    assert (tmp_path / "link.part").is_symlink()
    assert list(folder.iterdir()) == []


# Every write is refused as by a disk that is full.
FULL = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
from biasprint.core.machine.files import unfinished
unfinished(Path(sys.argv[1]))
print("went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are POSIX")
def test_a_disk_too_full_to_note_what_is_begun_stops_no_work_and_is_silent_at_the_end(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "a.part")], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "went on\n", "")
    assert list((home() / "unfinished").iterdir()) == []
