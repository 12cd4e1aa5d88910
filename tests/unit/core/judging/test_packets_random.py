"""Random histories of packets, merged in random orders and twice: always the same state, and nothing lost.

A packet is rated, copied half-way, and both copies go on: answers agree, differ, replace each other or are taken back.
"""

import itertools
import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packet_files import coordinator, make
from past_the_program import sql
from sqlalchemy import Connection
from trust.report import Figure

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.decisions import open_conflicts
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.core.project import writer
from biasprint.core.project.connection import engine_for
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AnnotationSpec, JudgmentSpec
from biasprint.core.project.stores.chain import sign_judgment
from biasprint.core.project.stores.judging import DECISION, _judgment_values, judgment
from biasprint.core.project.stores.packets import _seal

COMPARISONS, RATERS = 2, ("R01", "R02")
ANSWERS = (("choice", 0), ("choice", 2), ("tie", None), ("undone", None))
ALL_TABLES = ("rater", "session", "judgment", "annotation", "packet", "plan", "comparison", "draft")

# One step in the life of one rater's files: which file (of those there are), then what.
Said = tuple[int, str, int, tuple[str, int | None]]
SAY = st.tuples(st.integers(0, 5), st.just("say"), st.integers(0, COMPARISONS - 1), st.sampled_from(ANSWERS))
END = st.tuples(st.integers(0, 5), st.sampled_from(["finish", "copy"]), st.just(0), st.just(ANSWERS[0]))
COPY = (0, "copy", 0, ANSWERS[0])
# Rated, copied half-way, and both copies go on; in between one may be finished, or copied again.
LIFE = st.builds(
    lambda before, copies, after, ends: [*before, *copies, *after, *ends],
    st.lists(SAY, max_size=2), st.lists(st.just(COPY), min_size=1, max_size=2),
    st.lists(st.one_of(SAY, SAY, SAY, END), min_size=2, max_size=6), st.lists(END, max_size=2),
)  # fmt: skip
LIVES = st.tuples(LIFE, LIFE)


@dataclass
class Life:
    """A file: the judgments in it, by key, with what each supersedes, its comparison and its answer."""

    path: Path
    finished: bool = False
    rows: dict[str, tuple[str | None, str, str, str]] = field(default_factory=dict)

    def head(self, comparison: str) -> str | None:
        replaced = {row[0] for row in self.rows.values()}
        return next((key for key, row in self.rows.items() if row[1] == comparison and key not in replaced), None)


@dataclass(frozen=True)
class Made:
    """The coordinator's project with a packet for each rater, all as they were sent out."""

    project: Path
    packets: tuple[Path, ...]
    comparisons: tuple[str, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("random")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        opened = writer._open
        patch.setattr(writer, "_open", lambda path: _careless(opened(path)))  # what is durable is another test's
        plan = coordinator(folder / "canary.biasprint", comparisons=COMPARISONS)
        packets = tuple(one.path for one in make(folder / "canary.biasprint", plan, *RATERS))
        with Project.open(folder / "canary.biasprint") as project:
            keys = tuple(row.id for row in project.judging.comparisons(plan))
        yield Made(folder / "canary.biasprint", packets, keys)


def _careless(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("PRAGMA synchronous=OFF")
    return connection


@contextmanager
def writing(path: Path) -> Iterator[Connection]:
    with engine_for(lambda: _careless(sql(path))).connect() as connection:
        yield connection


def live(made: Made, folder: Path, lives: Sequence[Sequence[Said]]) -> list[Life]:
    """All the files that came to be."""
    files = []
    for sent, steps in zip(made.packets, lives, strict=True):
        own = [Life(Path(shutil.copyfile(sent, folder / f"0-{sent.name}")))]
        for number, (which, what, comparison, (outcome, card)) in enumerate(steps, start=1):
            life = own[which % len(own)]
            if what == "copy":
                path = folder / f"{number}-{sent.name}"
                own.append(Life(Path(shutil.copyfile(life.path, path)), life.finished, dict(life.rows)))
            elif not life.finished:
                with writing(life.path) as connection:
                    if what == "finish":
                        life.finished = True
                        finish(connection, number)
                    elif outcome != "undone" or life.head(made.comparisons[comparison]) is not None:
                        say(connection, life, made.comparisons[comparison], outcome, card)
        files += own
    return files


def say(connection: Connection, life: Life, comparison: str, outcome: str, card: int | None) -> None:
    (session,) = connection.exec_driver_sql("SELECT id FROM session").one()
    items, digest = connection.exec_driver_sql(
        "SELECT items, texts_sha256 FROM comparison WHERE id = ?", (comparison,)
    ).one()
    before = life.head(comparison)
    spec = JudgmentSpec(
        session_id=session, comparison_id=comparison, outcome=outcome, chosen=card, shown=(0, 1, 2),
        texts_sha256=digest, active_seconds=1, supersedes=before,
    )  # fmt: skip
    values = _judgment_values(spec)
    connection.execute(judgment.insert().values(values))
    sign_judgment(connection, session, values["row_sha256"])
    texts = dict(connection.exec_driver_sql("SELECT id, text FROM source").fetchall())
    meant = outcome if card is None else texts[json.loads(items)[card]["source"]].rstrip(" ")
    life.rows[values["id"]] = (before, comparison, meant, values["created_at"])


def finish(connection: Connection, day: int) -> None:
    (session,) = connection.exec_driver_sql("SELECT id FROM session").one()
    (packet,) = connection.exec_driver_sql("SELECT id FROM packet").one()
    connection.exec_driver_sql(f"UPDATE session SET revealed_at = '2026-05-{30 - day}'")
    _seal(connection, packet, session)


def merged(
    made: Made, folder: Path, name: str, batches: Sequence[Sequence[Path]], decision: AnnotationSpec | None, at: int
) -> dict[str, list[Any]]:
    """The state after merging in these batches, with a decision put in before batch `at`, or at the end."""
    target = Path(shutil.copyfile(made.project, folder / name))
    with Project.open(target) as project:
        for number, batch in enumerate(batches):
            if decision is not None and number == at:
                project.annotations.add(decision)
            report = merge_packets(JobContext(), project, batch, accept_held=True)
            assert [one.refused for one in report.files] == ["" for _ in batch]
        if decision is not None and at >= len(batches):
            project.annotations.add(decision)
        in_force = sorted(row.id for row in project.judging.judgments())
        conflicts = [(one.comparison_id, [row.id for row in one.heads]) for one in open_conflicts(project)]
    return {**rows_of(target), "in force": in_force, "conflicts": conflicts, "meant": meant(target)}


def rows_of(path: Path) -> dict[str, list[Any]]:
    """Every row, without what only tells when and in which order files were merged."""
    found: dict[str, list[Any]] = {}
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        for table in ALL_TABLES:
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
            for row in rows:
                row.pop("sequence", None)
                row.pop("checksum")
                if table == "packet" and row["direction"] == "merged":
                    row.pop("created_at")
            found[table] = sorted((sorted(row.items()) for row in rows), key=repr)
    return found


def meant(path: Path) -> list[tuple[str, str]]:
    """By judgment what it says: the text that was chosen, or the outcome."""
    with closing(sqlite3.connect(path)) as connection:
        texts = dict(connection.execute("SELECT id, text FROM output"))
        items = {key: json.loads(value) for key, value in connection.execute("SELECT id, items FROM comparison")}
        rows = connection.execute("SELECT id, comparison_id, outcome, chosen FROM judgment").fetchall()
    return sorted(
        (key, outcome if chosen is None else texts[items[comparison][chosen]["output"]])
        for key, comparison, outcome, chosen in rows
    )


Row = tuple[str | None, str, str, str]
Places = dict[tuple[str, str], list[tuple[str, Row]]]


def heads_of(files: Sequence[Life]) -> Places:
    """By rater and comparison the rows that no row of any file supersedes: worked out from the files alone."""
    union = {key: (life.path.name.split("-", 1)[1], row) for life in files for key, row in life.rows.items()}
    replaced = {row[0] for _, row in union.values()}
    places: Places = {}
    for key, (sent, row) in union.items():
        if key not in replaced:
            places.setdefault((sent, row[1]), []).append((key, row))
    return places


def differ(heads: Sequence[tuple[str, Row]]) -> bool:
    return len({row[2] for _, row in heads}) > 1


def expected_in_force(files: Sequence[Life], decided: AnnotationSpec | None) -> tuple[list[str], int]:
    """By the rules; and how many conflicts are open."""
    counting, conflicts = [], 0
    for heads in heads_of(files).values():
        keys = {key for key, _ in heads}
        if not differ(heads):
            counting.append(min(heads, key=lambda head: (head[1][3], head[0]))[0])
        elif decided is not None and keys <= set(decided.value["heads"]):
            counting += [key for key in keys if key == decided.value["judgment"]]
        else:
            conflicts += 1
    return sorted(counting), conflicts


counter = itertools.count()


def holds(made: Made, folder: Path, lives: Sequence[Sequence[Said]], data: st.DataObject) -> None:
    folder = folder / f"example-{next(counter)}"
    folder.mkdir()
    files = live(made, folder, lives)
    paths = [life.path for life in files]
    before = {path: path.read_bytes() for path in paths}
    decision = _decision(files, data)
    one = merged(made, folder, "one.biasprint", [paths], decision, 1)
    again = data.draw(st.lists(st.sampled_from(paths), max_size=3), label="files that come twice")
    shuffled = data.draw(st.permutations([*paths, *again]), label="order")
    cut = data.draw(st.integers(0, len(shuffled)), label="first batch")
    batches = [shuffled[:cut], shuffled[cut:]]
    other = merged(made, folder, "other.biasprint", batches, decision, data.draw(st.integers(0, 2), label="decided"))
    assert other == one
    assert one["meant"] == sorted({(key, row[2]) for life in files for key, row in life.rows.items()}), "lost or turned"
    wanted, conflicts = expected_in_force(files, decision)
    assert one["in force"] == wanted
    assert len(one["conflicts"]) == conflicts
    assert {path: path.read_bytes() for path in paths} == before
    shutil.rmtree(folder)


def _decision(files: Sequence[Life], data: st.DataObject) -> AnnotationSpec | None:
    """A decision on one of the conflicts that the files give, over all of its heads or, as from before, over some."""
    found = sorted(
        (place, sorted(key for key, _ in heads)) for place, heads in heads_of(files).items() if differ(heads)
    )
    if not found or not data.draw(st.booleans(), label="decide"):
        return None
    index = data.draw(st.integers(0, len(found) - 1), label="conflict")
    (sent, comparison), heads = found[index]
    with closing(sqlite3.connect(next(one.path for one in files if one.path.name.endswith(sent)))) as connection:
        (session,) = connection.execute("SELECT id FROM session").fetchone()
    named = data.draw(st.lists(st.sampled_from(range(len(heads))), min_size=1, unique=True), label="named")
    chosen = data.draw(st.sampled_from([None, *named]), label="chosen")
    value = {"judgment": None if chosen is None else heads[chosen], "heads": [heads[one] for one in named]}
    return AnnotationSpec(
        id="11111111-1111-4111-8111-111111111111", created_at="2026-05-01", kind=DECISION,
        target=f"{session}/{comparison}", value=value,
    )  # fmt: skip


def _run(made: Made, folder: Path, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(LIVES, st.data())
    def check(lives: Sequence[Sequence[Said]], data: st.DataObject) -> None:
        holds(made, folder, lives, data)

    check()


def test_the_order_of_merging_does_not_matter_and_nothing_is_lost(made: Made, tmp_path: Path, figure: Figure) -> None:
    _run(made, tmp_path, 3)
    figure("3 random merges, the same in every order", 3)


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_the_order_of_merging_does_not_matter_in_a_thousand_merges(made: Made, tmp_path: Path, figure: Figure) -> None:
    _run(made, tmp_path, 1_000)
    figure("1,000 random merges, the same in every order", 1_000)
