"""Full disks, kills and flipped bits: what was acknowledged stays, and what changed is noticed."""

import errno
import os
import random
import resource
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from killed import Lives
from sqlalchemy import Connection
from trust.report import Figure

from biasprint.core.jobs import precedence
from biasprint.core.judging.session import offer_plans, open_session
from biasprint.core.judging.work import record_choice
from biasprint.core.project import writer as writing
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import NotSaved, driver_connection
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem
from biasprint.core.project.specs import (
    ComparisonSpec,
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PlanSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
)

COMPARISONS = 400


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


def make(path: Path, comparisons: int = COMPARISONS) -> tuple[str, list[str]]:
    """A project with a run of two outputs and an open session over `comparisons`; its session and comparison ids."""
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Study").number("study")
        prompts = tuple(PromptSpec(key=f"k{n}", text=f"Write {n}") for n in range(2))
        spec = PromptSetSpec(name="set", recipe={}, prompts=prompts)
        prompt_set = project.prompts.add_set(study, spec).number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="written", model="x")).number("generator")
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1)
        ).number("run")
        outputs = [
            OutputSpec(run_id=run, prompt_id=item.prompt.id, sample=0, seed=1, text=f"text {item.prompt.key}")
            for item in project.runs.pending(run)
        ]
        one, two = sorted(project.outputs.record_many(outputs).of("output"))
        items = (ComparisonItem(int(one), "a"), ComparisonItem(int(two), "b"))
        plan = project.judging.add_plan(
            PlanSpec(study_id=study, title="Plan", axis="race", seed=1),
            [
                ComparisonSpec(position=n, axis="race", task="t", theme="u", items=items, texts_sha256="0" * 64)
                for n in range(comparisons)
            ],
        ).uuid("plan")
        rater = project.judging.add_rater(RaterSpec(code="R1")).uuid("rater")
        session = project.judging.open_session(plan, rater).uuid("session")
        return session, [row.id for row in project.judging.comparisons(plan)]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An open project with a session over two comparisons."""
    path = tmp_path / "study.biasprint"
    make(path, comparisons=2)
    with Project.open(path) as opened:
        yield opened


def writer_of(project: Project) -> writing.Writer:
    assert project._writer is not None
    return project._writer


def choice(session: str, comparison: str, note: str = "") -> JudgmentSpec:
    return JudgmentSpec(
        session_id=session, comparison_id=comparison, outcome="choice", chosen=0, shown=(0, 1),
        texts_sha256="0" * 64, active_seconds=1.0, note=note,
    )  # fmt: skip


RATE = """
from pathlib import Path
from biasprint.core.project.project import Project
from tests_project_faults import choice
def live(path):
    with Project.open(Path(path)) as project:
        (session,) = project.judging.sessions()
        judged = {row.comparison_id for row in project.judging.judgments(session.id)}
        print("open", flush=True)
        for row in project.judging.comparisons(session.plan_id):
            if row.id not in judged:
                project.judging.record(choice(session.id, row.id))
                print(row.id, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill −9 is POSIX's")
@pytest.mark.parametrize(
    ("kills", "seed"), [(20, 1), pytest.param(1000, 2, marks=[pytest.mark.soak, pytest.mark.timeout(7200)])]
)
def test_killed_while_rating_nothing_acknowledged_is_lost_and_nothing_is_twice(
    tmp_path: Path, kills: int, seed: int, figure: Figure
) -> None:
    path = tmp_path / "study.biasprint"
    session, ids = make(path, comparisons=kills * 40)
    chance = random.Random(seed)
    told: list[str] = []
    with Lives(RATE.replace("from tests_project_faults import choice", f"exec(open({__file__!r}).read())")) as rater:
        for number in range(kills):
            # After the first choice every other time: on a busy machine all would be killed before it.
            wait_for = "open" if number % 2 else tuple(ids)
            told += rater.killed(path, chance.uniform(0.0, 0.05), wait_for=wait_for)
    acknowledged = [line for line in told if line != "open"]
    with Project.open(path) as project:
        found = [row.comparison_id for row in project.judging.judgments(session)]
    assert len(set(found)) == len(found), "a judgment stands twice"
    assert set(acknowledged) <= set(found), "an acknowledged judgment is lost"
    # At most the one choice that was on its way when the kill came may be there without having been acknowledged.
    assert len(found) - len(acknowledged) <= kills
    assert acknowledged, "the test killed too early to show anything"
    assert check_project(path).sound
    figure(f"{kills:,} kills, {len(acknowledged):,} acknowledged answers, none lost or twice", kills)


@pytest.mark.parametrize("where", ["file", "holder", "pages"])
def test_a_disk_that_is_full_as_a_project_is_made_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """At each of the writes: the file itself, the name of who holds it, and the pages."""
    from biasprint.core.errors import AppError

    path = tmp_path / "study.biasprint"
    reached, full = os.open, OSError(errno.ENOSPC, "No space left on device")

    def no_space(*_: object, **__: object) -> None:
        raise full

    if where == "file":
        monkeypatch.setattr(os, "open", lambda name, *more: no_space() if name == path else reached(name, *more))
    elif where == "holder":
        monkeypatch.setattr("biasprint.core.project.lock.LockHolder.me", no_space)
    else:
        told = sqlite3.OperationalError("database or disk is full")
        told.sqlite_errorcode = sqlite3.SQLITE_FULL
        monkeypatch.setattr("biasprint.core.project.project.empty_project", lambda: (_ for _ in ()).throw(told))
    with pytest.raises(AppError, match="disk is full"):
        Project.create(path)
    assert list(tmp_path.iterdir()) == []


def not_synced(folder: Path) -> None:
    raise OSError(errno.EIO, "Input/output error")


def late_failure(monkeypatch: pytest.MonkeyPatch, *, times: int = 1) -> None:
    """The next commits reach the disk, and a failure of the disk is reported for them all the same."""
    execute, left = writing.execute_when_free, [times]

    def told_late(connection: Connection, statement: str, seconds: float) -> None:
        execute(connection, statement, seconds)
        if statement == "COMMIT" and left[0]:
            left[0] -= 1
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(writing, "execute_when_free", told_late)


def test_a_commit_whose_failure_was_reported_late_is_looked_up(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (session,), (plan,) = project.judging.sessions(), project.judging.plans()
    one = project.judging.comparisons(plan.id)[0]
    late_failure(monkeypatch)
    project.judging.record(choice(session.id, one.id))  # it is there, so that nobody is told to repeat it
    assert len(project.judging.judgments(superseded=True)) == 1


def test_an_answer_that_was_said_to_be_lost_is_looked_up_before_it_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the folder cannot be synced either: the answer is not called saved, and pressed again it stands once."""
    from packet_files import coordinator

    from biasprint.core.errors import AppError
    from biasprint.core.judging.session import open_judging
    from biasprint.core.judging.store import ProjectStore

    path = tmp_path / "study.biasprint"
    coordinator(path, comparisons=2)
    with Project.open(path) as project:
        door = open_judging(ProjectStore(project))
        (offer,) = door.ask(offer_plans, "R01").result().offers
        view = door.ask(open_session, offer.token, "R01").result()
        assert view.comparison is not None
        late_failure(monkeypatch)
        monkeypatch.setattr(writing, "sync_folder", not_synced)
        with pytest.raises(AppError, match="not saved"):
            door.ask(record_choice, view.comparison.token, "choice", 0, "why").result()
        again = door.ask(record_choice, view.comparison.token, "choice", 0, "why").result()
        door.close(5)
        assert (again.progress.done, again.progress.left) == (1, 1)
        assert len(project.judging.judgments(superseded=True)) == 1


def test_a_full_disk_is_never_called_saved(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    session, ids = make(path)
    with Project.open(path) as project:
        project.judging.record(choice(session, ids[0]))
        connection = driver_connection(writer_of(project)._connection)
        # SQLite's own answer when no page can be added: SQLITE_FULL, as on a full disk.
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(NotSaved, match="disk is full"):
            project.judging.record(choice(session, ids[1], note="x" * 100_000))
        assert [row.comparison_id for row in project.judging.judgments(session)] == [ids[0]]
        connection.execute("PRAGMA max_page_count=1000000")
        project.judging.record(choice(session, ids[1], note="x" * 100_000))
        assert len(project.judging.judgments(session)) == 2
    assert check_project(path).sound


def test_rows_have_checksums_where_the_first_transaction_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lets the connection write them is made in the first transaction, and gone with it."""
    path = tmp_path / "study.biasprint"
    session, ids = make(path)
    execute = writing.execute_when_free
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL

    def fails(connection: Connection, statement: str, seconds: float) -> None:
        if statement == "COMMIT":
            raise full
        execute(connection, statement, seconds)

    with Project.open(path) as project:
        with monkeypatch.context() as patch:
            patch.setattr(writing, "execute_when_free", fails)
            with pytest.raises(NotSaved, match="disk is full"):
                project.judging.record(choice(session, ids[0]))
        project.judging.record(choice(session, ids[0]))
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT checksum IS NOT NULL FROM judgment").fetchall() == [(1,)]
    assert check_project(path).sound


def test_a_full_disk_fails_the_whole_group_and_only_it(project: Project) -> None:
    writer = writer_of(project)
    connection = driver_connection(writer._connection)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 8}")
    gate = threading.Event()

    def wait(_: object) -> Changes:
        gate.wait(30)
        return Changes()

    first = writer.submit(wait)
    futures = [
        writer.submit(lambda c, n=n: (c.exec_driver_sql(  # type: ignore[misc]
            "INSERT INTO event (kind, body, created_at) VALUES ('n', ?, '')", (f"{n}" + "y" * 20_000,)
        ), Changes())[1])
        for n in range(6)
    ]  # fmt: skip
    gate.set()
    outcomes = [future.exception(timeout=30) for future in (first, *futures)]
    kept = connection.execute("SELECT count(*) FROM event").fetchone()[0]
    acknowledged = sum(1 for outcome in outcomes[1:] if outcome is None)
    assert any(isinstance(outcome, NotSaved) for outcome in outcomes)
    assert kept == acknowledged


@pytest.mark.skipif(os.name == "nt", reason="file size limits are POSIX's")
def test_failing_writes_are_reported_and_what_was_saved_stays(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    session, ids = make(path, comparisons=30)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    saved: list[str] = []
    failed = 0
    with Project.open(path) as project:
        size = path.stat().st_size
        for number, comparison in enumerate(ids):
            limit = hard if number % 3 == 0 else size // 16 * (number % 16)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            try:
                project.judging.record(choice(session, comparison, note="n" * 3_000))
                saved.append(comparison)
            except NotSaved:
                failed += 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [row.comparison_id for row in project.judging.judgments(session)] == saved
    assert failed >= 10
    assert len(saved) >= 10
    assert check_project(path).sound


def test_one_jobs_bad_row_takes_no_other_with_it(project: Project) -> None:
    run = project.runs.all()[0].id
    good = OutputSpec(run_id=run, prompt_id=1, sample=5, seed=1, text="good")
    bad = good.model_copy(update={"prompt_id": 999, "sample": 6})
    results = [project.outputs.record(spec) for spec in (good, bad, good.model_copy(update={"sample": 7}))]
    assert [future.exception(timeout=30) is None for future in results] == [True, False, True]
    assert sorted(row.sample for row in project.outputs.each()) == [0, 0, 5, 7]


def test_a_persons_choice_goes_before_the_jobs_rows(project: Project) -> None:
    writer = writer_of(project)
    order: list[str] = []
    gate, started = threading.Event(), threading.Event()

    def job(name: str, wait: bool = False):  # type: ignore[no-untyped-def]
        def write(_: object) -> Changes:
            if wait:
                started.set()
                gate.wait(30)
            order.append(name)
            return Changes()

        return write

    futures = [writer.submit(job("first", wait=True))]
    assert started.wait(30)
    futures += [writer.submit(job(f"job {n}")) for n in range(5)]
    futures.append(writer.submit(job("choice"), urgent=True))
    gate.set()
    for future in futures:
        future.result(timeout=30)
    assert order[:2] == ["first", "choice"]


@pytest.fixture(autouse=True)
def no_key() -> Iterator[None]:
    """A test that takes precedence, as a rater's key does, leaves none behind."""
    yield
    precedence.give_back()


def test_jobs_rows_rest_while_a_key_is_answered_and_choices_do_not(project: Project) -> None:
    writer = writer_of(project)
    precedence.take(30)
    row = writer.submit(lambda _: Changes())
    for _ in range(2):
        with pytest.raises(TimeoutError):
            row.result(timeout=0.05)
        writer.submit(lambda _: Changes(), urgent=True).result(timeout=10)
        assert not row.done()
    precedence.give_back()
    row.result(timeout=10)


def test_jobs_rows_under_way_are_committed_with_the_choice_that_a_key_brings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "GROUP_SECONDS", 30.0)
    path = tmp_path / "study.biasprint"
    make(path, comparisons=1)
    started, gate, commits = threading.Event(), threading.Event(), []

    def first(_: Connection) -> Changes:
        started.set()
        assert gate.wait(30)
        return Changes.to("output", [1])

    with Project.open(path) as project:
        writer = writer_of(project)
        project.subscribe(commits.append)
        row = writer.submit(first)
        assert started.wait(30)
        precedence.take(30)
        later = writer.submit(lambda _: Changes.to("output", [2]))
        gate.set()
        with pytest.raises(TimeoutError):
            later.result(timeout=0.05)
        writer.submit(lambda _: Changes.to("judgment", ["a"]), urgent=True).result(timeout=10)
        row.result(timeout=10)
        assert not later.done()
        precedence.give_back()
        later.result(timeout=10)
    assert [dict(one.rows) for one in commits] == [{"output": {1}, "judgment": {"a"}}, {"output": {2}}]


def test_jobs_rows_under_way_are_committed_where_a_key_brings_no_choice(project: Project) -> None:
    writer = writer_of(project)

    def first(_: Connection) -> Changes:
        precedence.take(30)
        return Changes()

    writer.submit(first).result(timeout=10)
    precedence.give_back()  # the project's closing would wait for the key


def a_reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def test_a_slow_reader_delays_a_commit_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    session, ids = make(path, comparisons=2)
    with Project.open(path) as project, closing(a_reader(path)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM output").fetchone()
        release = threading.Timer(0.3, other.execute, ["COMMIT"])
        began = time.monotonic()
        release.start()
        project.judging.record(choice(session, ids[0]))
        assert time.monotonic() - began >= 0.2, "the reader was not in the way: the test shows nothing"
        assert len(project.judging.judgments(session)) == 1
        release.join()


@pytest.mark.parametrize(("mutants", "seed"), [(100, 3), pytest.param(1000, 4, marks=pytest.mark.soak)])
def test_a_flipped_bit_in_a_text_or_judgment_is_noticed(
    tmp_path: Path, mutants: int, seed: int, figure: Figure
) -> None:
    """Flip one bit in a stored text or judgment: the check notices it, or the file is refused."""
    path = tmp_path / "study.biasprint"
    session, ids = make(path, comparisons=8)
    with Project.open(path) as project:
        for comparison in ids:
            project.judging.record(choice(session, comparison, note="a note that could be changed"))
    whole = path.read_bytes()
    targets = [b"text k0", b"text k1", b"Write 0", b"a note that could be changed", b"choice"]
    places = [at + n for word in targets for at in _every(whole, word) for n in range(len(word))]
    chance = random.Random(seed)
    for _ in range(mutants):
        at, bit = chance.choice(places), chance.randrange(8)
        mutant = bytearray(whole)
        mutant[at] ^= 1 << bit
        path.write_bytes(mutant)
        try:
            noticed = not check_project(path).sound
        except Exception as error:  # a refusal is fine, but it has to be one of ours
            noticed = type(error).__module__.startswith("biasprint.core.")
        assert noticed, f"bit {bit} of byte {at} ({whole[at - 8 : at + 8]!r}) changed silently"
    figure(f"{mutants:,} flipped bits in texts and answers, none silent", mutants)


def _every(whole: bytes, word: bytes) -> list[int]:
    found, at = [], whole.find(word)
    while at >= 0:
        found.append(at)
        at = whole.find(word, at + 1)
    return found
