"""A disk that fails at any of the first 200 calls that write or sync, while a person rates."""

import errno
import shutil
from itertools import product
from pathlib import Path

import pytest
from failing_disk import FAILING_DISK, FailingDisk, Fault
from packet_files import coordinator
from trust.report import Figure

from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project

COMPARISONS, CALLS = 14, 200
# As a person does: whoever is told that an answer was not saved gives it again.
RATE = """
from pathlib import Path
from biasprint.core.errors import AppError
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.session import open_judging
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice, save_note
from biasprint.core.project.project import Project

def until_it_works(told, do):
    for _ in range(80):
        try:
            return do()
        except AppError as error:
            told["refused"].append(str(error).splitlines()[0])
    raise SystemExit("it never works")

def opened_to_write(told, path):
    # A folder that cannot be written to now is opened read-only and says so: closed, and opened again.
    project = Project.open(path)
    if not project.read_only:
        return project
    project.close()
    raise AppError(project.read_only)

def live(path, fail, work):
    told = {"acknowledged": [], "noted": [], "refused": []}
    fail()
    project = until_it_works(told, lambda: opened_to_write(told, Path(path)))
    door = open_judging(ProjectStore(project))
    (offer,) = until_it_works(told, lambda: door.ask(offer_plans, "R01").result(60)).offers
    view = until_it_works(told, lambda: door.ask(open_session, offer.token, "R01").result(60))
    while view.comparison is not None:
        token, number = view.comparison.token, view.progress.done
        note = f"note {number} " + "n" * 2000
        until_it_works(told, lambda: door.ask(save_note, token, note).result(60))
        view = until_it_works(told, lambda: door.ask(record_choice, token, "choice", number % 3).result(60))
        told["acknowledged"].append([note, number % 3])
        assert view.progress.done == number + 1
    work()
    door.close(30)
    project.close()
    return told
"""


def faults(step: int) -> list[Fault]:
    """One call fails, or thirty; with an error, or for want of room; before anything of it is written, or half."""
    kinds = list(product((1, 30), (errno.EIO, errno.ENOSPC), (False, True)))
    return [Fault(first, *kinds[at % len(kinds)]) for at, first in enumerate(range(1, CALLS + 1, step))]


@pytest.mark.skipif(not FAILING_DISK, reason="needs a C compiler, on Linux")
@pytest.mark.parametrize("step", [37, pytest.param(1, marks=[pytest.mark.soak, pytest.mark.timeout(7200)])])
def test_where_any_call_that_writes_fails_no_acknowledged_answer_is_lost_or_twice(
    tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    folder = tmp_path / "study"
    folder.mkdir()
    path, whole = folder / "study.biasprint", tmp_path / "whole"
    coordinator(path, comparisons=COMPARISONS)
    shutil.copy2(path, whole)
    acknowledged = refused = 0
    every = faults(step)
    with FailingDisk(folder, tmp_path, RATE) as disk:
        for fault in every:
            for left in folder.iterdir():
                left.unlink()
            shutil.copy2(whole, path)
            told = disk.lived(str(path), fault)
            assert "traceback" not in told, (fault, told["traceback"])
            assert told["calls"] > fault.first, (fault, "the call that was to fail did not come")
            acknowledged += len(told["acknowledged"])
            refused += len(told["refused"])
            assert check_project(path).sound, fault
            with Project.open(path, read_only=True) as project:
                rows = project.judging.judgments(superseded=True)
            found = sorted((row.note, row.shown.index(row.chosen)) for row in rows if row.chosen is not None)
            assert found == sorted((note, card) for note, card in told["acknowledged"]), (fault, told["refused"])
            assert len(rows) == COMPARISONS, (fault, "an answer stands twice")
    assert refused, "no failure was noticed: the test shows nothing"
    figure(
        f"{len(every):,} faults at the first {CALLS} calls that write or sync: {acknowledged:,} acknowledged "
        f"answers, none lost or twice; {refused:,} failures told",
        len(every),
    )


MAKE = """
from pathlib import Path
from biasprint.core.errors import AppError
from biasprint.core.project.project import Project
import biasprint.core.project.project, biasprint.core.project.migrations, biasprint.core.project.backup

def live(path, fail, work):
    fail()
    try:
        Project.create(Path(path)).close()
        told = {"sentence": ""}
    except AppError as error:
        told = {"sentence": str(error)}
    work()
    return told
"""


@pytest.mark.skipif(not FAILING_DISK, reason="needs a C compiler, on Linux")
@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("study", errno.ENOSPC),
        ("home", errno.EIO),
        pytest.param("study", errno.EIO, marks=pytest.mark.soak),
        pytest.param("home", errno.ENOSPC, marks=pytest.mark.soak),
    ],
)
def test_where_a_project_is_made_any_call_that_fails_ends_in_a_sentence(
    tmp_path: Path, where: str, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From each of its calls on the disk fails for good: of the project, or of the data folder, which can be missed."""
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    for name in ("study", "home"):
        (tmp_path / name).mkdir()
    path = tmp_path / "study" / "study.biasprint"
    said = []
    with FailingDisk(tmp_path / where, tmp_path, MAKE) as disk:
        for first in (*range(1, 10), *range(10, 60, 10)):
            told = disk.lived(str(path), Fault(first, 1_000_000, error, half=False))
            assert "traceback" not in told, (first, told["traceback"])
            if told["sentence"] and error == errno.ENOSPC:
                assert "disk" in told["sentence"]
                assert not path.exists(), first
            said.append(told["sentence"])
            for left in path.parent.iterdir():
                left.unlink()
    assert all(said[:9]) if where == "study" else not said[-1]


REPLACE = """
from pathlib import Path
from biasprint.core.errors import AppError
from biasprint.core.machine import storage
from biasprint.core.project.project import Project
from biasprint.core.machine.files import whole_file

def write(target):
    with whole_file(target) as file:
        file.write(b"new")

def live(what, fail, work):
    target, project = Path(what), Path(what).with_name("study.biasprint")
    told = {}
    fail()
    for name, do in (("file", lambda: write(target)), ("settings", lambda: storage.write("x.json", {}))):
        try:
            do()
        except (AppError, OSError) as error:
            told[name] = [str(error), getattr(error, "filename", None)]
    with Project.open(project) as opened:
        told["banner"] = opened.read_only
    work()
    return told
"""


@pytest.mark.skipif(not FAILING_DISK, reason="needs a C compiler, on Linux")
def test_what_failed_first_is_told_where_clearing_up_fails_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a disk that fails for good and of a full one; a project on either is opened to be read."""
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")
    coordinator(tmp_path / "study.biasprint", comparisons=1)
    with FailingDisk(tmp_path, tmp_path, REPLACE) as disk:
        broken = disk.lived(str(target), Fault(1, 1_000_000, errno.EIO, half=False))
        full = disk.lived(str(target), Fault(1, 1_000_000, errno.ENOSPC, half=False))
    assert "traceback" not in broken, broken["traceback"]
    assert broken["file"] == ["[Errno 5] Input/output error", None]  # no file name: it is not that of the unlink
    assert "could not be written (Input/output error)" in broken["settings"][0]
    assert "cannot be written to: the project is open read-only" in broken["banner"]
    assert "could not be written (No space left on device)" in full["settings"][0]
    assert (
        full["banner"] == f"The disk of “{tmp_path}” is full: the project is open read-only until there is room again."
    )
    assert target.read_bytes() == b"old"
