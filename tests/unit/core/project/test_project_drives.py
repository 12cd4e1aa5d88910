"""A drive without locks, or without fsync: work goes on in a copy here, is written back whole, and nothing is lost."""

import errno
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.machine import storage
from biasprint.core.project import drives, working_copy
from biasprint.core.project.backup import backups
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.damaged import check_project
from biasprint.core.project.lock import ProjectInUse, lock_path
from biasprint.core.project.project import Project
from biasprint.core.project.restore import choose, restore
from tests.lockless import LOCKLESS, Forgetful, preloaded


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("BIASPRINT_HOME", str(home))
    monkeypatch.setattr(working_copy, "PAUSE_SECONDS", 0.01)
    return home


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "share" / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    return place


@pytest.fixture
def no_locks(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder says of every lock that it knows none."""
    refuse(monkeypatch, path.parent, errno.EOPNOTSUPP)
    return path


def refuse(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    def lock(handle: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{handle}")).is_relative_to(folder):
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(drives, "_FINE", Forgetful())
    monkeypatch.setattr(drives, "lock_for_a_moment", lock)


def titles(path: Path) -> list[str]:
    with Project.open(path, read_only=True) as project:
        return sorted(study.title for study in project.studies.all())


def files(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.ENOLCK, errno.EACCES, errno.ENOSYS])
def test_a_project_without_locks_is_worked_on_here_and_written_back(
    path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    refuse(monkeypatch, path.parent, number)
    with Project.open(path) as project:
        assert project.working is not None
        assert "has no file locks: you work on a copy on this computer" in project.working.told[0]
        assert project.read_only == ""
        assert project.path == path
        project.studies.add("news", "News")
    assert titles(path) == ["Letters", "News"]
    assert check_project(path).sound
    assert files(path) == [path.name]
    assert list((own_home / "working").iterdir()) == []


def test_without_fsync_it_is_the_same_once_a_change_was_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(handle: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{handle}")).parent == path.parent:
            raise storage.RefusedSync

    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error

    monkeypatch.setattr(drives, "_FINE", Forgetful())
    monkeypatch.setattr(storage, "sync_now", refused)
    with Project.open(path) as project, monkeypatch.context() as patch:
        assert project.working is None
        patch.setattr("biasprint.core.project.writer.execute_when_free", fail)
        with pytest.raises(NotSaved, match="cannot be told to put a file on the disk") as caught:
            project.studies.add("news", "News")
        assert "open it again" in caught.value.hint
    with Project.open(path) as project:
        assert project.working is not None
        assert drives.SYNC in project.working.told[0]
        project.studies.add("news", "News")
    assert titles(path) == ["Letters", "News"]


def test_it_is_written_back_while_it_is_open(no_locks: Path) -> None:
    told = threading.Event()
    with Project.open(no_locks) as project:
        working = project.working
        assert working is not None
        project.subscribe(lambda _: told.set() if working.written_back else None)
        project.studies.add("news", "News")
        assert told.wait(10)
        assert check_project(no_locks).rows["study"] == 2


def test_a_new_project_is_made_there(path: Path, no_locks: Path) -> None:
    new = path.with_name("new.biasprint")
    with Project.create(new) as project:
        project.studies.add("news", "News")
    assert titles(new) == ["News"]
    with pytest.raises(AppError, match="There is a file"):
        Project.create(new)


def test_two_windows_here_are_still_one_writer(no_locks: Path) -> None:
    with Project.open(no_locks), pytest.raises(ProjectInUse):
        Project.open(no_locks)
    with Project.open(no_locks):
        pass


@pytest.mark.parametrize("removed", [False, True])
def test_what_somebody_else_changed_meanwhile_is_kept_beside_ours(no_locks: Path, removed: bool) -> None:
    theirs = no_locks.with_name("theirs.biasprint")
    with Project.open(no_locks) as project:
        theirs.write_bytes(no_locks.read_bytes() + b"\0" * 4096)
        theirs.unlink() if removed else None
        no_locks.unlink() if removed else theirs.replace(no_locks)
        project.studies.add("news", "News")
    assert project.working is not None
    assert "Somebody else has changed or removed “study.biasprint” meanwhile" in project.working.told[-1]
    (ours,) = [one for one in no_locks.parent.iterdir() if "(changed here" in one.name]
    assert titles(ours) == ["Letters", "News"]
    assert no_locks.exists() is not removed


def leave(path: Path) -> None:
    """A session that was killed before it could write back."""
    child = os.fork()
    if not child:
        working_copy.PAUSE_SECONDS = 60.0
        Project.open(path).studies.add("news", "Unwritten")
        os._exit(0)
    os.waitpid(child, 0)


def test_what_a_killed_session_had_not_written_back_is_there_again(no_locks: Path) -> None:
    leave(no_locks)
    assert titles(no_locks) == ["Letters"]
    with Project.open(no_locks) as project:
        assert project.working is not None
        assert "Changes of last time" in project.working.told[-1]
    assert titles(no_locks) == ["Letters", "Unwritten"]


def test_what_a_killed_session_left_is_kept_beside_what_somebody_else_wrote(no_locks: Path) -> None:
    leave(no_locks)
    no_locks.write_bytes(no_locks.read_bytes() + b"\0" * 4096)
    with Project.open(no_locks) as project:
        assert project.working is not None
        assert "somebody else has changed the project since" in project.working.told[-1]
        assert [study.title for study in project.studies.all()] == ["Letters"]
    (ours,) = [one for one in no_locks.parent.iterdir() if "(changed here" in one.name]
    assert titles(ours) == ["Letters", "Unwritten"]


def test_a_drive_that_is_gone_at_the_end_loses_nothing(no_locks: Path) -> None:
    away = no_locks.parent.with_name("away")
    project = Project.open(no_locks)
    project.studies.add("news", "News")
    no_locks.parent.rename(away)
    no_locks.parent.touch()
    with pytest.raises(AppError, match="could not be written back") as caught:
        project.close()
    assert "Everything is kept on this computer" in caught.value.kept
    no_locks.parent.unlink()
    away.rename(no_locks.parent)
    Project.open(no_locks).close()
    assert titles(no_locks) == ["Letters", "News"]


def test_backups_are_the_projects_and_one_can_be_put_back(no_locks: Path) -> None:
    with Project.open(no_locks) as project:
        project.studies.add("news", "News")
        with pytest.raises(ProjectInUse):
            restore(no_locks, choose(no_locks))
    assert backups(no_locks)
    restore(no_locks, choose(no_locks))
    assert titles(no_locks) == ["Letters"]


def test_without_locks_in_the_data_folder_either_it_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, Path("/"), errno.ENOLCK)
    with pytest.raises(AppError, match="nor that of the data folder has file locks"):
        Project.open(path)


def test_a_drive_with_locks_is_asked_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(drives, "_FINE", set())
    monkeypatch.setattr(drives, "lock_for_a_moment", asked.append)
    for _ in range(3):
        with Project.open(path) as project:
            assert project.working is None
    assert len(asked) == 1
    assert files(path) == [path.name]
    assert not lock_path(path).exists()


@pytest.mark.soak
@pytest.mark.skipif(not LOCKLESS, reason="there is no C compiler to make locks fail with")
def test_with_locks_that_really_fail_every_way_in_works(path: Path, tmp_path: Path) -> None:
    said = preloaded(path.parent, tmp_path, errno.ENOLCK)
    assert said == "worked on here; read Letters, News; sound True; rescued 2"
    assert files(path) == ["rescued.biasprint", path.name]
