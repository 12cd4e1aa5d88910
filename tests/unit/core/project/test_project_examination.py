"""A large file that this machine has not seen is read while it is examined, and written to only once it has passed."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project import backup, gate
from biasprint.core.project import project as project_module
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import FileDamaged
from biasprint.core.project.project import Project

WAIT = 10.0


class HeldExaminer:
    """Examines when it is let, as another process would that takes its time; a test that fails is not kept waiting."""

    def __init__(self) -> None:
        self.go_on, self.asked = threading.Event(), threading.Event()

    def __call__(self, path: Path, ctx: JobContext) -> None:
        self.asked.set()
        until = time.monotonic() + WAIT
        while not self.go_on.wait(0.01) and time.monotonic() < until:
            ctx.check()
        gate.examine_file(path, ctx)


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setattr(project_module, "BESIDE_FROM_BYTES", 0)
    monkeypatch.setattr(project_module, "BEGIN_AFTER_SECONDS", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project that came from elsewhere."""
    place = tmp_path / "study.biasprint"
    with Project.create(place) as project:
        project.studies.add("letters", "Letters")
    forget_all()
    return place


def forget_all() -> None:
    """As on a machine that has not seen the file, nor has a backup of it."""
    shutil.rmtree(os.environ["BIASPRINT_HOME"])


def refer_to_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("INSERT INTO draft VALUES ('no session', 'no comparison', '', '', x'')")


def told(project: Project) -> Callable[[], None]:
    """Waits until the examination has ended: the project says so."""
    over = threading.Event()
    project.subscribe(lambda _: over.set())

    def wait() -> None:
        assert over.wait(WAIT)

    return wait


def add_beside(project: Project, title: str) -> "Future[Changes]":
    """Add a study from another thread."""
    future: Future[Changes] = Future()

    def add() -> None:
        try:
            future.set_result(project.studies.add("news", title))
        except AppError as error:
            future.set_exception(error)

    threading.Thread(target=add, daemon=True).start()
    return future


def test_it_is_read_at_once_and_written_only_when_it_has_passed(path: Path) -> None:
    before, examiner = path.read_bytes(), HeldExaminer()
    with Project.open(path, examiner=examiner) as project:
        over = told(project)
        assert [study.title for study in project.studies.all()] == ["Letters"]
        added = add_beside(project, "News")
        assert examiner.asked.wait(WAIT)
        assert not added.done()
        assert path.read_bytes() == before
        assert backup.backups(path) == []
        examiner.go_on.set()
        over()
        added.result(WAIT)
        assert [study.title for study in project.studies.all()] == ["Letters", "News"]
        assert len(backup.backups(path)) == 1  # as it came
    assert gate.is_known(path)


def test_one_that_does_not_pass_takes_no_write_and_gives_no_row_any_more(path: Path) -> None:
    refer_to_nothing(path)
    before, examiner = path.read_bytes(), HeldExaminer()
    with Project.open(path, examiner=examiner) as project:
        over = told(project)
        added = add_beside(project, "News")
        examiner.go_on.set()
        over()
        assert project.examination is not None
        assert isinstance(project.examination.refusal, FileDamaged)
        with pytest.raises(FileDamaged, match="is damaged"):
            added.result(WAIT)
        with pytest.raises(FileDamaged, match="is damaged"):
            project.studies.add("news", "Later")
        with pytest.raises(FileDamaged, match="is damaged"):
            project.studies.all()
    assert path.read_bytes() == before
    assert not gate.is_known(path)
    assert backup.backups(path) == []


def test_a_read_that_would_never_end_ends_when_the_file_is_refused(path: Path) -> None:
    """Pages that lead in a circle give rows for ever; here a statement does."""
    refer_to_nothing(path)
    examiner = HeldExaminer()
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with Project.open(path, examiner=examiner) as project:
        begun: Future[None] = Future()

        def read() -> None:
            def one(connection: object) -> None:
                examiner.go_on.set()
                connection.exec_driver_sql(endless).fetchall()  # type: ignore[attr-defined]

            try:
                project.studies._reader.run(one)
            except AppError as error:
                begun.set_exception(error)

        threading.Thread(target=read, daemon=True).start()
        with pytest.raises(FileDamaged, match="is damaged"):
            begun.result(WAIT)


def test_closed_before_the_end_it_is_examined_at_the_next_opening(path: Path) -> None:
    with Project.open(path, examiner=HeldExaminer()) as project:
        assert len(project.studies.all()) == 1
    assert not gate.is_known(path)


def test_closing_waits_for_what_was_to_be_written(path: Path) -> None:
    examiner = HeldExaminer()
    project = Project.open(path, examiner=examiner)
    ordered = threading.Event()
    written = project.studies._writer.submit(lambda _: Changes.to("study", [7]))
    closing_it = threading.Thread(target=lambda: (ordered.set(), project.close()))
    closing_it.start()
    assert ordered.wait(WAIT)
    examiner.go_on.set()
    closing_it.join(WAIT)
    assert written.result(WAIT).of("study") == {7}
    assert gate.is_known(path)


def test_read_only_it_is_examined_beside_too_and_stays_as_it_is(path: Path) -> None:
    refer_to_nothing(path)
    before, examiner = path.read_bytes(), HeldExaminer()
    with Project.open(path, read_only=True, examiner=examiner) as project:
        over = told(project)
        assert len(project.studies.all()) == 1
        examiner.go_on.set()
        over()
        with pytest.raises(FileDamaged):
            project.studies.all()
    assert path.read_bytes() == before


def never(path: Path, ctx: JobContext) -> None:
    raise AssertionError("examined beside")


def with_extra_trigger(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TRIGGER evil AFTER INSERT ON judgment BEGIN DELETE FROM judgment; END")


def test_a_foreign_schema_is_refused_before_anything_is_read(path: Path) -> None:
    with_extra_trigger(path)
    before = path.read_bytes()
    with pytest.raises(AppError, match="structure of a Biasprint project"):
        Project.open(path, examiner=never)
    assert path.read_bytes() == before


def test_one_that_was_written_with_a_log_is_examined_before_it_is_converted(path: Path) -> None:
    refer_to_nothing(path)
    whole = bytearray(path.read_bytes())
    whole[18:20] = b"\x02\x02"
    path.write_bytes(whole)
    with pytest.raises(AppError):
        Project.open(path, examiner=never)


def test_a_small_or_known_file_or_one_without_an_examiner_is_not_examined_beside(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.open(path) as project:
        assert project.examination is None
    with Project.open(path, examiner=never) as project:  # known by now
        assert project.examination is None
    forget_all()
    monkeypatch.setattr(project_module, "BESIDE_FROM_BYTES", path.stat().st_size + 1)
    with Project.open(path, examiner=never) as project:
        assert project.examination is None
