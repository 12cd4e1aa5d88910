"""Scores are kept by text and version, to the last digit, and whatever happens to their file costs only time."""

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.scorers import kept, registry
from biasprint.core.scorers.kept import FILE, Keep, KeptScores, completed, kept_scores, rows_of, whole_numbers
from biasprint.core.scorers.protocol import ScoreValue

TEXTS = ["She led the team.", "", "A lone \ud800 surrogate.", "CV\x1fShe led the team."]


def value(*numbers: float, summary: float | None = None) -> ScoreValue:
    return ScoreValue(np.array(numbers, dtype=np.float32), summary)


def some(of: Sequence[str] = TEXTS) -> dict[str, ScoreValue]:
    chance = np.random.default_rng(1)
    return {text: value(*chance.random(5), summary=float(chance.random())) for text in of}


def kept_in(path: Path, reader: str, texts: Sequence[str]) -> dict[str, ScoreValue]:
    with closing(KeptScores(path)) as store:
        return store.known(reader, texts)


def stored(path: Path, values: Mapping[str, ScoreValue], reader: str = "scorer 1") -> None:
    with closing(KeptScores(path)) as store:
        store.keep(reader, values)


def same(one: ScoreValue, other: ScoreValue) -> bool:
    return one.summary == other.summary and one.values.tobytes() == other.values.tobytes()


def test_what_comes_back_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    values = {**some(), "none": value(), "whole": whole_numbers([7, 2**31 - 1, -1, 0])}
    stored(tmp_path / FILE, values)
    found = kept_in(tmp_path / FILE, "scorer 1", [*values, "never seen"])
    assert found.keys() == values.keys()
    assert all(same(found[text], each) for text, each in values.items())
    assert rows_of(found["whole"], 2) == [[7, 2**31 - 1], [-1, 0]]


def test_another_version_knows_nothing_of_it(tmp_path: Path) -> None:
    stored(tmp_path / FILE, some())
    assert kept_in(tmp_path / FILE, "scorer 2", TEXTS) == {}


def test_the_file_holds_no_text(tmp_path: Path) -> None:
    stored(tmp_path / FILE, {"Marguerite led the choir.": value(1.0)})
    content = (tmp_path / FILE).read_bytes()
    assert b"Marguerite" not in content
    assert b"choir" not in content


@pytest.mark.parametrize("column", ["body", "checksum", "text"])
def test_a_damaged_row_is_as_good_as_absent(tmp_path: Path, column: str) -> None:
    stored(tmp_path / FILE, some())
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        (content,) = file.execute(f"SELECT {column} FROM score WHERE id = 1").fetchone()
        changed = bytes([content[0] ^ 1]) + content[1:]
        file.execute(f"UPDATE score SET {column} = ? WHERE id = 1", (changed,))
        file.commit()
    assert kept_in(tmp_path / FILE, "scorer 1", TEXTS).keys() == set(TEXTS[1:])


def test_a_row_of_another_version_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    stored(tmp_path / FILE, some())
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        file.execute("UPDATE reader SET version = 'scorer 2'")
        file.commit()
    assert kept_in(tmp_path / FILE, "scorer 2", TEXTS) == {}


@pytest.mark.parametrize("where", [0, 2000, 4096 + 8])
def test_a_damaged_file_is_made_anew(tmp_path: Path, where: int) -> None:
    path = tmp_path / FILE
    stored(path, some([str(number) for number in range(500)]))
    content = bytearray(path.read_bytes())
    content[where : where + 3000] = os.urandom(3000)
    path.write_bytes(content)
    values = some()
    with closing(KeptScores(path)) as store:
        store.known("scorer 1", ["1"])
        store.keep("scorer 1", values)
        store.store()
        store.keep("scorer 1", values)
    found = kept_in(path, "scorer 1", TEXTS)
    assert all(same(each, values[text]) for text, each in found.items())
    assert found.keys() == values.keys()


def test_two_processes_at_once_lose_no_more_than_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PATIENCE_SECONDS", 0.0)
    path, values = tmp_path / FILE, some()
    with closing(KeptScores(path)) as mine, closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("BEGIN EXCLUSIVE")
        mine.keep("scorer 1", values)
        mine.store()
        theirs.execute("COMMIT")
        mine.keep("scorer 1", {"later": value(1.0)})
    assert kept_in(path, "scorer 1", [*TEXTS, "later"]).keys() == {"later"}
    stored(path, values)
    assert kept_in(path, "scorer 1", TEXTS).keys() == values.keys()


def test_on_a_full_disk_what_is_known_is_read_and_nothing_raised(tmp_path: Path) -> None:
    path = tmp_path / FILE
    stored(path, some())
    with closing(KeptScores(path)) as store:
        assert store._connection is not None
        store._connection.execute("PRAGMA max_page_count = 1")  # SQLite then says that the disk is full
        store.keep("scorer 1", some([str(number) for number in range(2000)]))
        store.store()
        assert store.known("scorer 1", TEXTS).keys() == set(TEXTS)
    assert kept_in(path, "scorer 1", ["1"]) == {}


def test_without_a_folder_nothing_is_kept_and_nothing_raised(tmp_path: Path) -> None:
    path = tmp_path / "no such folder" / FILE
    stored(path, some())
    assert kept_in(path, "scorer 1", TEXTS) == {}


def test_a_full_file_gives_up_its_oldest_rows_and_none_of_the_new_ones(tmp_path: Path) -> None:
    path, most = tmp_path / FILE, 100_000
    old, new = ([f"{age} {number}" for number in range(1000)] for age in ("old", "new"))
    for start in range(0, 1000, 100):
        with closing(KeptScores(path, most)) as store:
            store.keep("scorer 1", some(old[start : start + 100]))
    full = path.stat().st_size
    with closing(KeptScores(path, most)) as store:
        for start in range(0, 1000, 50):
            store.keep("scorer 1", some(new[start : start + 50]))
            store.store()
        first = store.known("scorer 1", new[:50])
    assert first.keys() == set(new[:50])
    assert len(kept_in(path, "scorer 1", old)) < len(kept_in(path, "scorer 1", new))
    assert path.stat().st_size < most + 50_000
    assert full > most / 2


class Noting:
    """Scores a text by its length, and notes what it was asked."""

    role = name = "noting"
    sha256 = None
    stand_in = True
    shape = "the length"

    def __init__(self) -> None:
        self.version = "1"
        self.asked: list[str] = []

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        self.asked += texts
        return [value(len(text), summary=len(text) / 3) for text in texts]


@pytest.fixture
def noting(monkeypatch: pytest.MonkeyPatch) -> Noting:
    scorer = Noting()
    monkeypatch.setattr(registry, "_loaded", lambda name: scorer)
    return scorer


def test_a_text_is_scored_once_by_a_version(noting: Noting) -> None:
    with kept_scores():
        first = registry.score_batch("noting", TEXTS)[1]
    with kept_scores():
        again = registry.score_batch("noting", [*TEXTS, "a new one", *TEXTS])[1]
    assert sorted(noting.asked) == sorted([*TEXTS, "a new one"])
    assert all(same(one, other) for one, other in zip(first, again, strict=False))
    assert [each.summary for each in again] == [len(text) / 3 for text in (*TEXTS, "a new one", *TEXTS)]
    noting.version = "2"
    with kept_scores():
        registry.score_batch("noting", TEXTS)
    assert len(noting.asked) == 2 * len(TEXTS) + 1


def test_outside_of_a_measure_nothing_is_kept(noting: Noting) -> None:
    registry.score_batch("noting", TEXTS)
    registry.score_batch("noting", TEXTS)
    assert noting.asked == sorted(TEXTS, key=len) * 2
    assert not list(Path.home().rglob(FILE))


def test_a_scorer_without_a_version_scores_anew(noting: Noting) -> None:
    noting.version = ""
    for _ in range(2):
        with kept_scores():
            registry.score_batch("noting", TEXTS)
    assert len(noting.asked) == 2 * len(TEXTS)


def test_a_model_that_knows_its_version_once_loaded_is_kept_by_that(tmp_path: Path) -> None:
    versions = iter(["unloaded", "on a processor", "on a processor"])

    def make(new: Sequence[str], keep: Keep) -> None:
        keep(dict.fromkeys(new, value(1.0)))

    with kept_scores():
        completed(lambda: next(versions), ["a"], make)
        assert completed(lambda: next(versions), ["a"], lambda new, keep: pytest.fail("made twice"))
