"""Children start without the current folder, whatever module path and environment the parent has."""

import os
import sys
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from biasprint.core.machine import child, current_folder

ROOT = Path(__file__).parents[4]


def tell(connection: Connection) -> None:
    """In the child: what it looks for modules in, where it works, and what its own children will be like."""
    connection.send((sys.path, os.getcwd(), sys.flags.safe_path, os.environ.get("BIASPRINT_HOME", "")))


def told_by_a_child() -> tuple[list[str], str, bool, str]:
    process, connection = child.start(tell)
    answer: tuple[list[str], str, bool, str] = connection.recv()
    process.wait(30)
    return answer


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_child_looks_for_no_module_in_the_current_and_the_temporary_folder(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = work / "plug-ins"
    monkeypatch.setattr(sys, "path", ["", str(work), ".", tempfile.gettempdir(), str(others), *sys.path])

    path, folder, safe, _ = told_by_a_child()

    assert not {"", ".", str(work), tempfile.gettempdir()}.intersection(path)
    assert str(others) in path, "what the parent was given is the child's as well"
    assert os.path.samefile(folder, sys.prefix)
    assert safe


def test_a_folder_that_pythonpath_names_whole_stays_and_one_that_it_names_empty_does_not(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(work), *sys.path])

    monkeypatch.setenv("PYTHONPATH", os.pathsep + "elsewhere")
    assert str(work) not in current_folder.module_path_without(str(work))

    monkeypatch.setenv("PYTHONPATH", str(work))
    assert str(work) in current_folder.module_path_without(str(work))


def test_the_folder_that_the_program_lies_in_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])

    assert str(ROOT) in current_folder.module_path_without(str(ROOT))


def test_a_data_folder_named_by_a_relative_path_is_the_same_for_a_child(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", "home")

    assert told_by_a_child()[3] == str(work / "home")


def test_the_current_folder_is_left_out_of_this_process_too(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [entry for entry in sys.path if os.path.isabs(entry)]
    monkeypatch.setattr(sys, "path", [str(work), "", *before])

    current_folder.leave_out()

    assert sys.path == before


def test_a_packaged_program_is_its_own_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)

    assert child._command() == [sys.executable, "--child"]
