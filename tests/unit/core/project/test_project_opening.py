"""Missing, foreign, newer, damaged, read-only, locked: each is told in one sentence, and nothing is changed."""

import multiprocessing
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from crash_disk import leave_a_hot_journal
from trust.report import Figure

from biasprint.core.errors import AppError
from biasprint.core.project import backup, gate
from biasprint.core.project.connection import APPLICATION_ID, SCHEMA_VERSION, NotSaved
from biasprint.core.project.damaged import check_project
from biasprint.core.project.lock import ProjectInUse, is_held, lock_path
from biasprint.core.project.project import Project

NOBODY = 65534


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    return place


@pytest.fixture
def folder_for_all() -> Iterator[Path]:
    """A folder that anybody can reach; pytest's own are closed to all but its user."""
    folder = Path(tempfile.mkdtemp(prefix="biasprint-test-"))
    folder.chmod(0o755)
    yield folder
    (folder / "projects").chmod(0o755)
    shutil.rmtree(folder)


def forget_all() -> None:
    """As on a machine that has not seen the file."""
    (Path(os.environ["BIASPRINT_HOME"]) / "known-projects.json").unlink(missing_ok=True)


def alter(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def as_a_plain_user(work: Callable[[], None]) -> None:
    """Run `work` where permissions count: in a child that has given up root, if we are root."""

    def child() -> None:
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        work()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="There is no file"):
        Project.open(tmp_path / "none.biasprint")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="is a folder"):
        Project.open(tmp_path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "It is empty"),
        (b"name,text\n1,2\n", "not an SQLite database"),
        (b"\x89PNG\r\n" + bytes(200), "not an SQLite"),
    ],
)
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "other.biasprint"
    path.write_bytes(content)
    with pytest.raises(AppError, match=why):
        Project.open(path)
    assert path.read_bytes() == content
    assert not lock_path(path).exists()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.biasprint"
    alter(path, "CREATE TABLE t (a)", "PRAGMA application_id=77", "PRAGMA user_version=1")
    before = path.read_bytes()
    with pytest.raises(AppError, match="belongs to another program"):
        Project.open(path)
    assert path.read_bytes() == before


def test_a_newer_file_names_the_format_it_needs_and_stays_as_it_is(path: Path) -> None:
    alter(path, f"PRAGMA user_version={SCHEMA_VERSION + 3}")
    before = path.read_bytes()
    with pytest.raises(AppError, match=f"newer Biasprint: it needs format {SCHEMA_VERSION + 3}"):
        Project.open(path)
    with pytest.raises(AppError, match="newer Biasprint"):
        Project.open(path, read_only=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON judgment BEGIN DELETE FROM judgment; END",
        "CREATE VIEW extra AS SELECT * FROM output",
        "CREATE TABLE extra (a)",
        "CREATE INDEX extra ON output (text)",
        "ALTER TABLE output ADD COLUMN extra TEXT",
        "DROP TABLE draft",
        "CREATE VIRTUAL TABLE extra USING fts5(a)",
    ],
)
def test_only_the_exact_schema_is_accepted(path: Path, statement: str) -> None:
    alter(path, statement)
    before = path.read_bytes()
    with pytest.raises(AppError, match="structure of a Biasprint project"):
        Project.open(path)
    assert path.read_bytes() == before


def test_a_schema_rewritten_by_hand_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'draft'")
    with pytest.raises(AppError, match="structure of a Biasprint project"):
        Project.open(path)


def test_a_reference_to_nothing_is_refused_on_a_machine_that_has_not_seen_the_file(path: Path) -> None:
    alter(path, "PRAGMA foreign_keys=OFF", "INSERT INTO draft VALUES ('no session', 'no comparison', '', '', x'')")
    forget_all()
    with pytest.raises(AppError, match="is damaged"):
        Project.open(path)


def test_a_file_changed_elsewhere_is_examined_again(path: Path) -> None:
    assert gate.is_known(path)
    alter(path, "UPDATE study SET title = 'other'")
    assert not gate.is_known(path)


def test_a_truncated_file_is_refused_and_its_backups_are_named(path: Path) -> None:
    with Project.open(path):
        pass
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AppError, match="damaged"):
        Project.open(path)
    assert backup.backups(path)[0].path.read_bytes()[:16] == b"SQLite format 3\x00"


def test_a_project_is_never_overwritten_by_a_new_one(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(AppError, match="There is a file"):
        Project.create(path)
    assert path.read_bytes() == before


def test_a_second_opening_is_refused_and_the_holder_named(path: Path) -> None:
    with Project.open(path):
        with pytest.raises(ProjectInUse, match="already open in another window of yours") as caught:
            Project.open(path)
        assert caught.value.holder is not None
        assert caught.value.holder.pid == os.getpid()
        with Project.open(path, read_only=True) as reading:
            assert reading.studies.all()[0].title == "Letters"
    assert not is_held(path)


def test_a_killed_holder_leaves_no_lock(path: Path) -> None:
    ready, tell = multiprocessing.Pipe()

    def hold() -> None:
        Project.open(path)
        tell.send("open")
        multiprocessing.Event().wait()

    process = multiprocessing.get_context("fork").Process(target=hold)
    process.start()
    assert ready.recv() == "open"
    with pytest.raises(ProjectInUse):
        Project.open(path)
    process.kill()
    process.join()
    with Project.open(path) as project:
        assert project.read_only == ""


@pytest.mark.parametrize("races", [5, pytest.param(100, marks=pytest.mark.soak)])
def test_of_many_that_open_at_once_one_writes(path: Path, races: int, figure: Figure) -> None:
    context = multiprocessing.get_context("fork")
    start, hold = context.Barrier(4), context.Barrier(4)
    outcomes = context.Queue()

    def race() -> None:
        start.wait()
        try:
            project = Project.open(path)
        except ProjectInUse:
            outcomes.put("in use")
            hold.wait()
        else:
            outcomes.put("mine")
            hold.wait()
            project.close()

    for _ in range(races):
        racers = [context.Process(target=race) for _ in range(4)]
        for racer in racers:
            racer.start()
        found = sorted(outcomes.get(timeout=60) for _ in racers)
        for racer in racers:
            racer.join()
        assert found == ["in use"] * 3 + ["mine"]
    figure(f"{races} races of four, one writer in each", races)


def test_read_only_takes_no_writes_and_leaves_every_byte(path: Path) -> None:
    before = path.read_bytes()
    with Project.open(path, read_only=True) as project:
        assert project.read_only
        with pytest.raises(NotSaved, match="read-only"):
            project.studies.add("news", "No")
        copy = project.save_copy(path.with_name("copy.biasprint"))
    assert path.read_bytes() == before
    with Project.open(copy) as project:
        project.studies.add("news", "Yes")
        assert len(project.studies.all()) == 2


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's here")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_or_folder_that_may_not_be_written_is_opened_read_only(
    what: str, monkeypatch: pytest.MonkeyPatch, folder_for_all: Path
) -> None:
    home, folder = folder_for_all / "home", folder_for_all / "projects"
    for place in (home, folder):
        place.mkdir()
    home.chmod(0o777)
    path = folder / "study.biasprint"
    with Project.create(path) as project:
        project.studies.add("letters", "Letters")
    monkeypatch.setenv("BIASPRINT_HOME", str(home))
    path.chmod(0o444 if what == "file" else 0o666)
    folder.chmod(0o777 if what == "file" else 0o555)
    before = path.read_bytes()

    def work() -> None:
        with Project.open(path) as project:
            assert "read-only" in project.read_only, project.read_only
            assert project.studies.all()[0].title == "Letters"
            with pytest.raises(NotSaved):
                project.studies.add("news", "No")

    as_a_plain_user(work)
    assert path.read_bytes() == before


def test_a_half_done_transaction_is_not_shown_where_the_file_must_not_be_touched(path: Path) -> None:
    leave_a_hot_journal(path)
    before = path.read_bytes()
    with Project.open(path, read_only=True) as project:
        assert [study.title for study in project.studies.all()] == ["Letters"]
    assert check_project(path).sound
    assert path.read_bytes() == before
    with Project.open(path) as project:
        assert [study.title for study in project.studies.all()] == ["Letters"]
    assert not path.with_name(path.name + "-journal").exists()


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biasprint.core.project import schema

    path = tmp_path / "old.biasprint"
    alter(path, f"PRAGMA application_id={APPLICATION_ID}")
    before = path.read_bytes()
    monkeypatch.setattr(schema, "migration_text", lambda version: "CREATE TABLE a (b);\nCREATE TABLE a (b);\n")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, pytest.raises(sqlite3.Error):
        schema.migrate(connection, present=0)
    assert path.read_bytes() == before


GOLDEN = Path(__file__).parents[3] / "data"


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_golden_file_of_each_format_opens_and_is_sound(tmp_path: Path, version: int) -> None:
    path = tmp_path / "golden.biasprint"
    path.write_bytes((GOLDEN / f"schema-v{version}.biasprint").read_bytes())
    report = check_project(path)
    assert report.sound
    assert [report.rows[table] for table in ("prompt", "source", "output", "judgment")] == [2, 1, 2, 2]
    with Project.open(path) as project:
        assert [row.text for row in project.outputs.each()] == ["A first text.", "A second text, with a lone \ud800."]
        (judgment,) = project.judging.judgments()
        assert (judgment.outcome, judgment.chosen, judgment.note) == ("choice", 1, "after a second look")
        assert judgment.detail == {}
    assert check_project(path) == report  # upgraded by now, its hashes as they were
    assert version in {gate.read_header(kept.path) for kept in backup.backups(path)}  # as it was


def test_an_older_file_with_more_than_its_format_has_is_refused_before_it_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "golden.biasprint"
    path.write_bytes((GOLDEN / "schema-v1.biasprint").read_bytes())
    alter(path, "CREATE TRIGGER a AFTER INSERT ON output BEGIN DELETE FROM judgment; END")
    before = path.read_bytes()
    with pytest.raises(AppError, match="does not have the structure"):
        Project.open(path)
    assert path.read_bytes() == before
