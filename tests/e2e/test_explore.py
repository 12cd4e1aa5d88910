"""Explore through the real `main()`, by mouse and keys: points are drawn around, their texts read, the map saved."""

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from biasprint.core.project.project import Project
from biasprint.core.runs.sample import unpack_sample

HERE = Path(__file__).parent


@pytest.mark.soak
def test_points_drawn_around_lead_to_their_texts_and_the_table_is_what_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    file, saved = tmp_path / "sample.biasprint", tmp_path / "map.csv"
    unpack_sample(file)
    done = subprocess.run(
        [sys.executable, str(HERE / "explore_job.py"), str(file), str(saved), str(tmp_path)],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["around"] > 1
    assert found["selected"] == f"{found['around']:,} texts selected"
    with Project.open(file, read_only=True) as project:
        texts = {row.id: row for row in project.outputs.each()}
        (embedder,) = project.columns.embedders()
        ids, _ = project.columns.embeddings("output", embedder, 0, 10_000)
    assert found["text"] in {row.text for row in texts.values()}
    assert found["words"]
    with saved.open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == len(ids) == embedder.count
    assert [float(row["first direction"]) for row in rows] == pytest.approx(found["drawn"][0])
    assert [float(row["second direction"]) for row in rows] == pytest.approx(found["drawn"][1])
    counted = Counter(row["group"] for row in rows)
    known = Counter(texts[int(key)].identity for key in ids)
    assert counted["Gender · Woman"] == known["woman"]
