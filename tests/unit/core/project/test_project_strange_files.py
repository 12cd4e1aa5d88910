"""A stranger's file, and what came with it, harms nothing else: not when opened, checked, exported or merged."""

import os
import random
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from trust.report import Figure

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.judging.packets.merge import read_packet
from biasprint.core.project.backup import back_up, backups
from biasprint.core.project.damaged import check_project
from biasprint.core.project.drives import JOURNAL_MAGIC
from biasprint.core.project.lock import ProjectInUse, ProjectReplaced, is_held, lock_path
from biasprint.core.project.project import Project

SECTOR = 512
DATA = Path(__file__).parents[3] / "data"
GOLDEN = DATA / "schema-v1.biasprint"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("BIASPRINT_HOME", str(home))
    return home


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "theirs" / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    return place


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the person who opens the stranger's project."""
    place = tmp_path / "thesis.txt"
    place.write_text("five years of work", encoding="utf-8")
    return place


def hot_journal(*, pages: int = 1, names: Path | None = None, page_bytes: int = 4096) -> bytes:
    """A journal that SQLite rolls back: its head, no pages, and the record of a super-journal."""
    head = JOURNAL_MAGIC + struct.pack(">IIIII", 0, 1, pages, SECTOR, page_bytes)
    journal = head.ljust(SECTOR, b"\0")
    if names is not None:
        name = os.fsencode(names)
        journal += struct.pack(">I", 0x40000000 // 4096 + 1) + name
        journal += struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + JOURNAL_MAGIC
    return journal


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


DOORS: dict[str, Callable[[Path], object]] = {
    "open": lambda path: Project.open(path).close(),
    "read": lambda path: Project.open(path, read_only=True).close(),
    "check": check_project,
    "merge": read_packet,
}


def test_the_attack_works_on_plain_sqlite(path: Path, victim: Path) -> None:
    """Otherwise the tests below would show nothing."""
    victim.write_bytes(b"no journal, and no name of ours in it")
    pages = path.stat().st_size // 4096
    beside(path, "-journal").write_bytes(hot_journal(pages=pages, names=victim))
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error):
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    assert not victim.exists()


@pytest.mark.parametrize("door", DOORS)
def test_a_journal_that_names_another_file_deletes_nothing(path: Path, victim: Path, door: str) -> None:
    journal = beside(path, "-journal")
    journal.write_bytes(hot_journal(pages=path.stat().st_size // 4096, names=victim))
    before = path.read_bytes(), journal.read_bytes()
    with pytest.raises(AppError, match="names other files to delete"):
        DOORS[door](path)
    assert victim.read_text(encoding="utf-8") == "five years of work"
    assert (path.read_bytes(), journal.read_bytes()) == before
    assert not is_held(path)


def test_a_journal_without_a_page_size_blows_a_file_up_on_plain_sqlite(path: Path) -> None:
    """Otherwise the test below would show nothing: 0 stands for the page size of the database."""
    beside(path, "-journal").write_bytes(hot_journal(pages=1000, page_bytes=0))
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.Error):
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    assert path.stat().st_size == 1000 * 4096


@pytest.mark.parametrize("page_bytes", [4096, 0])
@pytest.mark.parametrize("door", DOORS)
def test_a_journal_cannot_blow_the_file_up(path: Path, door: str, page_bytes: int) -> None:
    size = path.stat().st_size
    beside(path, "-journal").write_bytes(hot_journal(pages=12_000_000, page_bytes=page_bytes))
    with pytest.raises(AppError, match="asks for a larger file"):
        DOORS[door](path)
    assert path.stat().st_size == size


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("door", DOORS)
def test_companions_that_are_links_are_not_followed(path: Path, victim: Path, door: str, ending: str) -> None:
    beside(path, ending).symlink_to(victim)
    with pytest.raises(AppError, match=f"{ending}.*lies beside"):
        DOORS[door](path)
    assert victim.read_text(encoding="utf-8") == "five years of work"


def test_a_companion_with_two_names_is_not_taken(path: Path, victim: Path) -> None:
    os.link(victim, beside(path, "-journal"))
    with pytest.raises(AppError, match="has another name too"):
        Project.open(path)
    assert victim.read_text(encoding="utf-8") == "five years of work"


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_lock_file_that_is_another_file_is_not_written_to(
    path: Path, victim: Path, link: Callable[[Path, Path], None]
) -> None:
    link(victim, lock_path(path))
    with pytest.raises(AppError, match=r"was not (followed|written to)"):
        Project.open(path)
    assert victim.read_text(encoding="utf-8") == "five years of work"
    assert is_held(path) is False


def socket_at(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as made:
        made.bind(os.path.relpath(path))


STRANGE: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "a link": (lambda place, project: place.symlink_to(project), "is a link"),
    "a pipe": (lambda place, _: os.mkfifo(place), "is a pipe"),
    "a socket": (lambda place, _: socket_at(place), "is a socket"),
    "a folder": (lambda place, _: place.mkdir(), "is a folder"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.timeout(20)
def test_what_is_no_ordinary_file_is_refused_before_it_is_opened(path: Path, kind: str, door: str) -> None:
    make, says = STRANGE[kind]
    place = path.with_name("other.biasprint")
    make(place, path)
    with pytest.raises(AppError, match=says):
        DOORS[door](place)
    assert not lock_path(place).exists()


def test_a_device_is_refused() -> None:
    with pytest.raises(AppError, match="is a device"):
        Project.open(Path("/dev/zero"), read_only=True)


def test_a_file_of_holes_is_refused_at_once(tmp_path: Path, path: Path) -> None:
    sparse = tmp_path / "huge.biasprint"
    shutil.copy(path, sparse)
    os.truncate(sparse, 50_000_000_000)
    with pytest.raises(AppError, match="says it has 50 GB"):
        Project.open(sparse, read_only=True)


def test_to_read_what_a_person_named_a_link_to_a_file_is_followed(tmp_path: Path, victim: Path) -> None:
    link, pipe = tmp_path / "link.txt", tmp_path / "pipe.txt"
    link.symlink_to(victim)
    assert ordinary_file(link, follow=True).st_size == victim.stat().st_size
    os.mkfifo(pipe)
    link.unlink()
    link.symlink_to(pipe)
    with pytest.raises(AppError, match="is a pipe"):
        ordinary_file(link, follow=True)


# ---- Locks


def test_a_deleted_lock_lets_nobody_else_in(path: Path) -> None:
    with Project.open(path) as project:
        lock_path(path).unlink()
        with pytest.raises(ProjectInUse):
            Project.open(path)
        project.studies.add("news", "News")
        assert lock_path(path).exists()  # taken anew at the first change
    assert not lock_path(path).exists()


def test_another_name_of_an_open_project_lets_nobody_else_in(path: Path) -> None:
    other = path.with_name("other.biasprint")
    os.link(path, other)
    with Project.open(path):
        assert is_held(other)
        with pytest.raises(ProjectInUse):
            Project.open(other)


def test_on_a_drive_that_numbers_no_files_two_projects_are_open_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biasprint.core.project.lock._identity", lambda project: (7, 0))
    with Project.open(path), Project.create(path.with_name("other.biasprint")) as other:
        assert other.studies.add("news", "News").number("study")


def test_a_project_whose_number_is_not_told_for_a_moment_is_still_the_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.open(path) as project:
        monkeypatch.setattr("biasprint.core.project.lock._identity", lambda project: (0, 0))  # held by a virus scanner
        assert project.studies.add("news", "News").number("study")


def test_a_journal_that_is_just_being_deleted_is_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(place: Path) -> os.stat_result:
        raise PermissionError(13, "Access is denied", str(place))

    monkeypatch.setattr("biasprint.core.project.drives.ordinary_file", denied)  # as Windows says of it
    with Project.open(path) as project:
        assert project.studies.all()


def test_a_project_with_a_very_long_name_is_backed_up(tmp_path: Path) -> None:
    place = tmp_path / f"{'ü' * 110}.biasprint"  # 220 bytes and the ending
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    assert back_up(place) in backups(place)


@pytest.mark.parametrize("moved", [True, False])
def test_a_project_that_is_replaced_while_it_is_open_takes_no_change(path: Path, moved: bool) -> None:
    copy = path.with_name("copy.biasprint")
    shutil.copy(path, copy)
    with Project.open(path) as project:
        path.rename(path.with_name("moved.biasprint")) if moved else os.replace(copy, path)
        with pytest.raises(ProjectReplaced, match="the last change was not saved"):
            project.studies.add("news", "News")
    for left in path.parent.glob("*.biasprint"):
        with Project.open(left, read_only=True) as project:
            assert [study.title for study in project.studies.all()] == ["Letters"]


POLLING = """
import sys
from pathlib import Path
from biasprint.core.project.lock import is_held
print("ready", flush=True)
looks = 0
while not Path(sys.argv[2]).exists():
    is_held(Path(sys.argv[1]))
    looks += 1
print(looks)
"""


def looks_while_opened(path: Path, end: Path, times: int) -> int:
    """How often another process looked whether the project is open, while it was opened so many times."""
    end.unlink(missing_ok=True)
    looking = [sys.executable, "-c", POLLING, path, end]
    with subprocess.Popen(looking, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        try:
            for _ in range(times):
                with Project.open(path):
                    pass
        finally:
            end.touch()
        return int(other.stdout.readline())


def test_who_only_looks_whether_a_project_is_open_keeps_nobody_out(path: Path, tmp_path: Path) -> None:
    assert looks_while_opened(path, tmp_path / "end", times=60) > 0


@pytest.mark.soak
def test_ten_thousand_looks_keep_nobody_out(path: Path, tmp_path: Path, figure: Figure) -> None:
    looks = opened = 0
    while looks < 10_000:
        looks += looks_while_opened(path, tmp_path / "end", times=200)
        opened += 200
    figure(f"{looks:,} looks from another process, {opened} openings, none refused", looks)


# ---- An upgrade that was killed

UPGRADE = """
import os, signal, sys
from pathlib import Path
from biasprint.core.project import schema
from biasprint.core.project.connection import connect
steps = iter(range(int(sys.argv[2])))
def counted(script, whole=schema.statements):
    for statement in whole(script):
        if next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        yield statement
schema.statements = counted
connection = connect(Path(sys.argv[1]), writable=True)
connection.execute("PRAGMA cache_size=1")  # so that half of the upgrade is in the file by then
schema.migrate(connection, present=1)
"""


@pytest.mark.parametrize("steps", [1, 9])
def test_an_upgrade_that_was_killed_is_rolled_back_and_done_again(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "old.biasprint"
    shutil.copy(GOLDEN, path)
    killed = subprocess.run([sys.executable, "-c", UPGRADE, path, str(steps)], capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert beside(path, "-journal").stat().st_size > 0
    assert check_project(path).sound
    with Project.open(path) as project:
        assert project.studies.all()
        project.studies.add("news", "News")
    assert not beside(path, "-journal").exists()
    assert check_project(path).sound


# Upgrades one copy after another, each said before it begins, and tells how long each took.
UPGRADES = """
import sys, time
from pathlib import Path
from biasprint.core.project import schema
from biasprint.core.project.connection import connect
for name in sys.argv[1:]:
    connection = connect(Path(name), writable=True)
    connection.execute("PRAGMA cache_size=1")
    print("begins", flush=True)
    began = time.perf_counter()
    schema.migrate(connection, present=int(Path(name).stem[0]))
    print(time.perf_counter() - began, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")
@pytest.mark.parametrize("kills", [1, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(1800)])])
def test_an_upgrade_that_is_killed_at_any_moment_is_done_by_the_next_start(
    tmp_path: Path, kills: int, figure: Figure
) -> None:
    chance, half_done = random.Random(kills), 0
    for version in (1, 2, 3):
        for _ in range(kills):
            first, path = (tmp_path / f"{version}{which}.biasprint" for which in "ab")
            for copy in (first, path):
                shutil.copy(DATA / f"schema-v{version}.biasprint", copy)
            command = [sys.executable, "-c", UPGRADES, first, path]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as upgrading:
                assert upgrading.stdout is not None
                upgrading.stdout.readline()
                took = float(upgrading.stdout.readline())
                upgrading.stdout.readline()
                time.sleep(chance.uniform(0, took))
                upgrading.kill()
            journal = beside(path, "-journal")
            half_done += journal.exists() and journal.stat().st_size > 0
            with Project.open(path) as project:
                assert project.studies.all()
            assert check_project(path).sound
            for copy in (first, path):
                copy.unlink()
    assert half_done or kills < 10, "no upgrade was killed in the middle: the test shows nothing"
    figure(f"{3 * kills} kills in upgrades of three formats, {half_done} half done; all were done afterwards", kills)
