"""Importing a table of 100,000 rows, beside what SQLite takes for the same rows with a hash each."""

import csv
import hashlib
import random
import sqlite3
import time
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from figures import report, title
from ratios import faster, measured_in_turn

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.setup import import_table
from biasprint.core.studies.registry import table_fields
from biasprint.core.texts.exporting import read_table

pytestmark = pytest.mark.bench

ROWS = 100_000
NAME = "100,000 rows imported, processor time, beside SQLite with a hash a row"
WORDS = ("team", "leader", "warm", "kind", "result", "report", "study", "clear", "brave", "calm", "bright", "work")


def written(path: Path) -> Path:
    draw = random.Random(1)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text", "group", "prompt", "model"])
        for n in range(ROWS):
            text = f"{' '.join(draw.choices(WORDS, k=40))} {n}."
            table.writerow([text, ("male", "female")[n % 2], f"Write about case {n // 2}", ("a", "b")[n // 2 % 2]])
    return path


def test_importing_a_table(tmp_path: Path) -> None:
    table = written(tmp_path / "table.csv")

    numbers = count()

    def ours() -> None:
        read = read_table(JobContext(), table, "compare", fields=table_fields("compare"))
        with Project.create(tmp_path / f"{next(numbers)}.biasprint") as project:
            assert import_table(JobContext(), project, None, "compare", table, read).added == ROWS

    def plain() -> None:
        path = tmp_path / f"{next(numbers)}.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as store, table.open(newline="") as file:
            rows = csv.reader(file)
            next(rows)
            store.execute("CREATE TABLE t (text TEXT, who TEXT, prompt TEXT, model TEXT, hash TEXT)")
            store.execute("BEGIN")
            hashed = ((*row, hashlib.sha256(repr(row).encode()).hexdigest()) for row in rows)
            store.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", hashed)
            store.execute("COMMIT")

    title(f"Importing {ROWS:,} rows of 40 words, processor time of all threads")
    own, bound, _, _ = measured_in_turn(ours, plain, time.process_time)
    report(faster(NAME, own, "csv, sqlite3 and a SHA-256 of each row", bound))
