"""A result folder as a read-only project: findings as `measure compare` gives them, rows where they lie."""

import json
import os
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.connection import NotSaved
from biasprint.core.runs.result_folder import MANIFEST, SCORES, measuring
from biasprint.core.runs.result_folder.measuring import (
    FinishedPartition,
    MeasuredFolder,
    finished_partitions,
    measure_folder,
    measure_result_folder,
    open_result_folder,
    places_in_partition,
    rows_of_partition,
)
from biasprint.core.runs.result_folder.scoring import plan, score_partition
from biasprint.core.text import sha256_text

TEXTS = [["She is kind.", "He is a leader.", "I cannot help with that."], ["It rains.", "She is good."]]
GROUPS = [["woman", "man", "man"], [None, "woman"]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    for number, (texts, groups) in enumerate(zip(TEXTS, GROUPS, strict=True)):
        table = pyarrow.table({"group": groups, "text": texts, "model": ["m"] * len(texts)})
        parquet.write_table(table, place / f"{number}.parquet")
    return place


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    order = plan(data, tmp_path / "scores", ["textblob", "refusal"]).order
    for number in range(len(TEXTS)):
        assert score_partition(order, f"{number}.parquet").refused == ""
    return tmp_path / "scores"


def measure(folder: Path) -> MeasuredFolder | None:
    return measure_result_folder(str(folder), JobContext())


def test_it_opens_read_only_with_its_findings_and_leaves_nothing(folder: Path) -> None:
    before = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    with open_result_folder(folder, measure) as project:
        assert project.path == folder
        assert project.read_only.startswith("“scores” is a result folder and is open read-only: to go on")
        stored = [row.finding for row in project.findings.all("compare")]
        assert stored == list(measure_folder(JobContext(), folder).result.findings)
        with pytest.raises(NotSaved, match="read-only"):
            project.studies.add("news", "No")
        private = project._file.parent
        assert private.exists()
    assert not private.exists()
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == before
    assert not (Path(os.environ["BIASPRINT_HOME"]) / "backups").exists()


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path_factory.mktemp("home")))


def test_one_without_groups_opens_without_findings(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    parquet.write_table(pyarrow.table({"text": ["One.", "Two."]}), tmp_path / "data" / "0.parquet")
    order = plan(tmp_path / "data", tmp_path / "scores", ["refusal"]).order
    assert score_partition(order, "0.parquet").refused == ""
    with open_result_folder(tmp_path / "scores", measure) as project:
        assert project.findings.all() == ()


def test_a_folder_that_is_none_or_has_no_scores_yet_is_refused(tmp_path: Path, data: Path) -> None:
    with pytest.raises(UsageError, match="is no result folder"):
        open_result_folder(tmp_path / "nowhere", measure)
    plan(data, tmp_path / "begun", ["refusal"])
    with pytest.raises(AppError, match="is scored yet"):
        open_result_folder(tmp_path / "begun", measure)
    with pytest.raises(AppError, match="is scored yet"):
        finished_partitions(str(tmp_path / "begun"))


def test_rows_are_read_by_their_places_with_texts_and_scores(folder: Path) -> None:
    assert finished_partitions(str(folder)) == [FinishedPartition("0.parquet", 3), FinishedPartition("1.parquet", 2)]
    last, first = rows_of_partition(str(folder), "0.parquet", [2, 0])
    assert (last.text, last.group) == (TEXTS[0][2], "man")
    assert (first.text, first.group, first.why) == (TEXTS[0][0], "woman", "")
    known = dict(first.columns)
    assert list(known) == ["group", "model", "text_sha256", "textblob", "refusal"]
    assert known["text_sha256"] == sha256_text(TEXTS[0][0])
    assert dict(last.columns)["refusal"] == "1"
    assert rows_of_partition(str(folder), "1.parquet", [0])[0].group == ""


def test_rows_over_several_row_groups_are_those_of_one(folder: Path) -> None:
    whole = rows_of_partition(str(folder), "0.parquet", [2, 1, 0])
    path = folder / SCORES / "0.parquet"
    table = parquet.read_table(path)
    parquet.write_table(table, path, row_group_size=1)
    assert rows_of_partition(str(folder), "0.parquet", [2, 1, 0]) == whole


def test_a_part_not_scored_yet_is_left_out(folder: Path) -> None:
    (folder / SCORES / "0.parquet").unlink()
    assert finished_partitions(str(folder)) == [FinishedPartition("1.parquet", 2)]
    with open_result_folder(folder, measure) as project:
        assert project.read_only.endswith("1 of its 2 files have no scores yet, and are in no finding.")


def test_without_the_data_rows_have_their_scores_and_say_why_there_is_no_text(folder: Path, data: Path) -> None:
    with_text = rows_of_partition(str(folder), "0.parquet", [1])[0]
    (data / "0.parquet").unlink()
    (without,) = rows_of_partition(str(folder), "0.parquet", [1])
    assert without.text is None
    assert "not on this computer" in without.why
    assert without.columns == with_text.columns
    with pytest.raises(AppError, match="not on this computer"):
        places_in_partition(str(folder), "0.parquet", None, "kind")


def test_texts_of_a_row_group_that_is_too_large_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "MOST_BYTES", 1)
    (found,) = rows_of_partition(str(folder), "0.parquet", [1])
    assert (found.text, found.why) == (None, "not read: its row group in the data is too large")


@pytest.mark.parametrize(
    ("group", "wanted", "places"),
    [(None, None, [0, 1, 2]), ("man", None, [1, 2]), (None, "IS", [0, 1]), ("man", "is", [1]), ("none", None, [])],
)
def test_places_fit_the_group_and_the_searched_word(
    folder: Path, group: str | None, wanted: str | None, places: list[int]
) -> None:
    assert places_in_partition(str(folder), "0.parquet", group, wanted).tolist() == places


def test_rows_without_a_group_are_those_of_the_empty_one(folder: Path) -> None:
    assert places_in_partition(str(folder), "1.parquet", "", None).tolist() == [0]


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes")
def test_a_pipe_in_the_place_of_the_data_is_not_opened(folder: Path, data: Path) -> None:
    (data / "0.parquet").unlink()
    os.mkfifo(data / "0.parquet")
    assert rows_of_partition(str(folder), "0.parquet", [1])[0].text is None
    with pytest.raises(AppError, match="not on this computer"):
        places_in_partition(str(folder), "0.parquet", None, "kind")


@pytest.mark.parametrize("name", ["../elsewhere.parquet", "/etc/elsewhere.parquet", "a/../../b.parquet"])
def test_a_manifest_that_names_files_elsewhere_is_refused(folder: Path, name: str) -> None:
    told = json.loads((folder / MANIFEST).read_text("utf-8"))
    (folder / MANIFEST).write_text(json.dumps(told | {"partitions": [name]}), "utf-8")
    with pytest.raises(AppError, match="cannot be read"):
        finished_partitions(str(folder))
