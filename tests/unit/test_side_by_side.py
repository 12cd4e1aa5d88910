"""`--processes`: forked test processes run each test once, and whatever ends in one of them is reported."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no process can be forked here")

TESTS = Path(__file__).parents[1]
CONFTEST = """
import os
import pytest
import side_by_side

def pytest_sessionstart(session):
    session.config.pluginmanager.register(side_by_side.SideBySide(session.config, 3))

@pytest.fixture(scope="module")
def of_module(tmp_path_factory, request):
    yield tmp_path_factory.mktemp("made")
    with open(os.environ["SEEN"], "a") as seen:
        print("put away", request.module.__name__, file=seen)

@pytest.fixture(autouse=True)
def noted(request):
    with open(os.environ["SEEN"], "a") as seen:
        print("ran", os.environ["PYTEST_XDIST_WORKER"], request.node.nodeid, file=seen)
"""
FINE = """
def test_one(of_module): assert of_module.is_dir()
def test_two(of_module): print("not shown")
def test_three(of_module): pass
"""


def run(folder: Path, *words: str, **files: str) -> tuple[int, str, list[str]]:
    """Run pytest on these files; its exit code, what it said, and what the tests noted."""
    (folder / "conftest.py").write_text(CONFTEST)
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    (seen := folder / "seen").touch()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *words, str(folder)],
        env={**os.environ, "SEEN": str(seen), "PYTHONPATH": f"{TESTS}:{TESTS.parent / 'core' / 'python'}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, seen.read_text().splitlines()


def test_every_test_is_run_once_and_a_file_stays_in_one_process(tmp_path: Path) -> None:
    code, said, seen = run(tmp_path, **dict.fromkeys("abcde", FINE))
    assert (code, said.splitlines()[-1].split(" in ")[0]) == (0, "15 passed")
    ran = [line.split() for line in seen if line.startswith("ran")]
    assert len({test for _, _, test in ran}) == len(ran) == 15
    assert len({(worker, test.split("::")[0]) for _, worker, test in ran}) == 5
    assert sorted(line for line in seen if line.startswith("put away")) == [f"put away test_{name}" for name in "abcde"]


def test_what_fails_is_reported_with_what_it_printed(tmp_path: Path) -> None:
    broken = "def test_x(): print('seen before it'); assert 1 + 1 == 3\ndef test_y(): pass"
    code, said, _ = run(tmp_path, a=FINE, b=broken)
    assert code == 1
    assert "seen before it" in said
    assert "assert (1 + 1) == 3" in said
    assert re.search(r"^FAILED .*test_b.py::test_x", said, re.MULTILINE)
    assert "1 failed, 4 passed" in said


def test_a_process_that_is_killed_fails_its_test_and_the_others_go_on(tmp_path: Path) -> None:
    killed = "import os, signal\ndef test_x(): os.kill(os.getpid(), signal.SIGKILL)\ndef test_y(): pass"
    code, said, seen = run(tmp_path, a=killed, b=FINE, c=FINE)
    assert code == 1
    assert re.search(r"^FAILED .*test_a.py::test_x", said, re.MULTILINE)
    assert "the file's other tests were not run" in said
    assert "1 failed, 6 passed" in said
    assert not any("test_y" in line for line in seen)


def test_it_stops_at_the_first_failure_where_that_is_asked_for(tmp_path: Path) -> None:
    slow = "import time\ndef test_x(): time.sleep(60)"
    code, said, _ = run(tmp_path, "-x", a="def test_x(): assert False", b=slow)
    assert (code, "1 failed" in said) == (1, True)
    assert "stopping after 1 failures" in said


def test_what_cannot_be_collected_is_an_error(tmp_path: Path) -> None:
    code, said, seen = run(tmp_path, a="import nothing_of_this_name", b=FINE)
    assert code == 2
    assert "nothing_of_this_name" in said
    assert seen == []
