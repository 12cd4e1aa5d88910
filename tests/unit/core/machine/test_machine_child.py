"""Children start without the current folder, whatever module path and environment the parent has."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
from child_facts import tell

from biasprint.core.machine import child, current_folder

SOURCE = Path(__file__).parents[4] / "core" / "python"


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
    monkeypatch.setattr(sys, "path", [str(SOURCE), *sys.path])

    assert str(SOURCE) in current_folder.module_path_without(str(SOURCE))


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
