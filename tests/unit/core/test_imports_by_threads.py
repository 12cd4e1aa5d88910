"""Imports by several threads at once, in a process of its own whose packages are made for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys, threading, time
from importlib.machinery import PathFinder, SourceFileLoader
from core import imports

imports.OURS = frozenset({"house"})
if sys.argv[1] == "safe":
    imports.for_threads()
    imports.for_threads()
begun, wrong = threading.Event(), []

class Slow(SourceFileLoader):
    def create_module(self, spec):  # its lock is held, and it is not among the modules yet
        begun.set()
        time.sleep(1)  # meanwhile the other thread is on its way to the part
        return None

class Finder:
    def find_spec(self, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path)
        if name == "house.room":
            spec.loader = Slow(name, spec.origin)
        return spec

def take(statement):
    try:
        exec(statement)
    except Exception as error:
        wrong.append(type(error).__name__)

sys.meta_path.insert(0, Finder())
package = threading.Thread(target=take, args=("import house.room",))
package.start()
assert begun.wait(10)
part = threading.Thread(target=take, args=("import house.room.part",))
part.start()
for each in (package, part):
    each.join(20)
    assert not each.is_alive()
print(*wrong or ["right", sys.modules["house.room"].PART])
"""
FILES = {
    "house/__init__.py": "",
    "house/room/__init__.py": "from house.room.part import PART\n",
    "house/room/part.py": "PART = 7\n",
}


def outcome(folder: Path, how: str) -> str:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT)))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, how], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_package_and_what_lies_in_it_may_be_imported_at_once(tmp_path: Path) -> None:
    assert outcome(tmp_path, "safe") == "right 7"


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="Python does it by itself")
def test_without_it_python_fails(tmp_path: Path) -> None:
    """Else the test above tells nothing."""
    assert "DeadlockError" in outcome(tmp_path, "as it is")
