"""A backup is put back whole and checked; what it replaces is kept beside it, whatever state that is in."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.backup import State, backups
from biasprint.core.project.connection import FileDamaged
from biasprint.core.project.drives import journal_of
from biasprint.core.project.lock import ProjectInUse
from biasprint.core.project.project import Project
from biasprint.core.project.restore import choose, held, restore
from tests.backup_trials import START, damage_a_row, session


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project with two backups: of the empty file, and with its study."""
    place = tmp_path / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    session(place, START)
    return place


def titles(path: Path) -> list[str]:
    with Project.open(path, read_only=True) as project:
        return [study.title for study in project.studies.all()]


def test_a_damaged_project_is_as_its_backup_again_and_kept_beside_it(path: Path) -> None:
    damage_a_row(path)
    session(path, START + timedelta(days=1))
    broken = path.read_bytes()
    found = held(path, JobContext())
    assert [one.backup.state for one in found] == [State.DAMAGED, State.SOUND, State.SOUND]
    assert [one.rows["prompt"] for one in found if one.rows] == [0, 0, 0]

    done = restore(path, choose(path))
    assert titles(path) == ["Letters"]
    assert done.kept is not None
    assert done.kept.parent == path.parent
    assert done.kept.read_bytes() == broken
    assert "study (before restoring 2026-11-2" in done.kept.name
    with Project.open(path) as project:  # and it can be worked on
        project.studies.add("news", "News")
    assert sorted(one.name for one in path.parent.iterdir()) == sorted([path.name, done.kept.name])


def test_a_journal_of_what_is_replaced_is_not_played_into_the_backup(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN")
        connection.execute("UPDATE study SET title = 'half done'")
        many = [("x", "y" * 400, "")] * 3_000
        connection.executemany("INSERT INTO event (kind, body, created_at) VALUES (?, ?, ?)", many)
        journal = journal_of(path).read_bytes()
        connection.execute("ROLLBACK")
    path.write_bytes(b"no database any more")  # so that nothing can be rolled back
    journal_of(path).write_bytes(journal)
    done = restore(path, choose(path))
    assert titles(path) == ["Letters"]
    assert not journal_of(path).exists()
    assert done.kept is not None
    assert done.kept.read_bytes() == b"no database any more"
    assert journal_of(done.kept).read_bytes() == journal


def test_a_project_that_was_deleted_comes_back(path: Path) -> None:
    path.unlink()
    assert restore(path, choose(path)).kept is None
    assert titles(path) == ["Letters"]


def test_a_damaged_backup_is_not_put_back(path: Path) -> None:
    before = path.read_bytes()
    damage_a_row(choose(path).path)
    with pytest.raises(FileDamaged, match="was not put back"):
        restore(path, choose(path))
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_backup_that_was_checked_since_it_was_listed_is_found_by_its_new_name(path: Path) -> None:
    with Project.open(path) as project:
        project.studies.add("news", "News")
    listed = choose(path)
    assert listed.state is State.UNCHECKED
    held(path, JobContext())
    assert restore(path, listed).backup.state is State.SOUND
    assert titles(path) == ["Letters"]


def test_an_open_project_is_not_replaced(path: Path) -> None:
    one = choose(path)
    with Project.open(path), pytest.raises(ProjectInUse):
        restore(path, one)
    assert titles(path) == ["Letters"]


def test_a_backup_is_chosen_by_its_number_its_name_or_as_any_file(path: Path) -> None:
    first = backups(path)[-1]
    assert choose(path, "1") == first == choose(path, first.path.name)
    restore(path, first)
    assert titles(path) == []
    assert choose(path, str(path)).path == path
    with pytest.raises(UsageError, match="has no backup “12345”"):
        choose(path, "12345")
    with pytest.raises(AppError, match="There is no sound backup of “other"):
        choose(path.with_name("other.biasprint"))
