"""Exports of judgments: the order shown, the time, the sequence, what was superseded; and a workshop's participants."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from made_once import made_once
from packet_files import IDENTITIES, answer, coordinator, copied, make, merge

from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import adjudicate
from biasprint.core.judging.packets.packet import finish_packet
from biasprint.core.project.project import Project
from biasprint.core.project.specs import JudgmentSpec, RaterSpec
from biasprint.core.report.export import export_rows
from biasprint.core.studies.creativity.columns import judgment_table_columns
from biasprint.core.tables.rows import Record
from biasprint.core.texts.exporting import columns, rows, waiting_participants


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """R01 revised one answer, took one back and skipped one; R02 answered one."""
    path = tmp_path / "study.biasprint"
    made_once("two packets merged", lambda: write(path), path)
    return path


def write(path: Path) -> None:
    plan = coordinator(path)
    one, two = make(path, plan, "R01", "R02")
    answer(one.path, (0, "choice", 0), (1, "tie", None), (0, "choice", 2), (2, "choice", 1), (2, "undone", None))
    answer(one.path, (3, "skip", None))
    answer(two.path, (0, "choice", 1))
    for made in (two, one):
        with Project.open(made.path) as inside:
            finish_packet(inside)
        merge(path, made.path)


def exported(path: Path, *, superseded: bool = False) -> list[dict[str, Any]]:
    with Project.open(path, read_only=True) as project:
        return [dict(row) for row in rows(JobContext(), project, "judgments", superseded=superseded)]


def test_the_rows_in_force_are_counted_from_one_in_each_session(project: Path) -> None:
    found = exported(project)
    told = [(row["rater"], row["sequence"], row["outcome"], row["card"], row["superseded"]) for row in found]
    assert sorted(told) == [
        ("R01", 1, "tie", None, 0), ("R01", 2, "choice", 3, 0), ("R01", 3, "skip", None, 0),
        ("R02", 1, "choice", 2, 0),
    ]  # fmt: skip
    for row in found:
        shown = row["shown"].split("|")
        assert sorted(shown) == sorted(IDENTITIES)
        assert row["card"] is None or shown[row["card"] - 1] == row["chosen"]
        assert row["judged_at"].startswith("20")
        assert row["seconds"] == 1.25


def test_the_coordinators_own_outcome_stands_beside_the_answers(project: Path) -> None:
    with Project.open(project) as opened:
        comparison = opened.judging.comparisons(opened.judging.plans()[0].id)[0]
        adjudicate(opened, comparison, "choice", 1, "")
    found = {row["comparison"]: row["adjudicated"] for row in exported(project)}
    assert found.pop(comparison.id) == comparison.items[1].identity
    assert set(found.values()) == {""}


def test_with_superseded_every_row_is_there_in_the_order_in_which_it_was_made(project: Path) -> None:
    found = [row for row in exported(project, superseded=True) if row["rater"] == "R01"]
    assert [(row["sequence"], row["outcome"], row["card"], row["superseded"]) for row in found] == [
        (1, "choice", 1, 1), (2, "tie", None, 0), (3, "choice", 3, 0), (4, "choice", 2, 1), (5, "undone", None, 1),
        (6, "skip", None, 0),
    ]  # fmt: skip


def test_the_order_of_merging_is_not_in_the_export(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    one, two = make(path, coordinator(path), "R01", "R02")
    other = copied(answer(one.path, (0, "choice", 0)), "other.bpacket")
    answer(one.path, (1, "tie", None))
    answer(other, (2, "tie", None))
    answer(two.path, (0, "none", None))
    for made in (one.path, other, two.path):
        with Project.open(made) as inside:
            finish_packet(inside)
    same = tmp_path / "same.biasprint"
    with Project.open(path) as project:
        project.save_copy(same)
    merge(path, one.path, other, two.path)
    merge(same, two.path, other, one.path, other)
    assert exported(path, superseded=True) == exported(same, superseded=True)
    assert len(exported(path)) == 4


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "parquet"])
def test_every_format_holds_the_new_columns(project: Path, tmp_path: Path, ending: str) -> None:
    import pandas

    out = tmp_path / f"judgments.{ending}"
    with Project.open(project, read_only=True) as open_one:
        every = rows(JobContext(), open_one, "judgments", superseded=True)
        export_rows(every, out, columns(open_one, "judgments"))
    if ending == "jsonl":
        found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    elif ending == "csv":
        with open(out, encoding="utf-8", newline="") as stream:
            found = list(csv.DictReader(stream))
    else:
        frame = pandas.read_excel(out) if ending == "xlsx" else pandas.read_parquet(out)
        found = frame.astype(object).where(frame.notna(), None).to_dict("records")
    last = [
        "rater_kind",
        "read_as",
        "superseded",
        "card",
        "judged_at",
        "adjudicated",
        "seen",
        "words",
        "excluded",
        "worst",
        "block",
        "recommended",
        "adaptive",
        "written_by",
        "endpoint",
        "system_prompt",
        "parameters",
        "unsealed",
        "seconds_in_view",
        "read_to_end",
        "degree",
        "confidence",
        "spans",
    ]
    assert list(found[0])[-len(last) :] == last
    by_rater = [[int(row["superseded"]) for row in found if row["rater"] == code] for code in ("R01", "R02")]
    assert by_rater == [[1, 0, 0, 1, 1, 0], [0]]
    cards = [int(row["card"]) if row["card"] not in ("", None) else None for row in found if row["rater"] == "R01"]
    assert cards == [1, None, 3, 2, None, None]


def test_a_table_is_measured_without_its_superseded_rows(project: Path) -> None:
    def measured(*, superseded: bool) -> dict[str, list[Any]]:
        records = [
            Record(number, number, {name: "" if value is None else str(value) for name, value in row.items()})
            for number, row in enumerate(exported(project, superseded=superseded), start=1)
        ]
        return judgment_table_columns(records)

    every, in_force = measured(superseded=True), measured(superseded=False)
    assert every == in_force
    assert len(every["outcome"]) == 4


def test_a_workshop_is_exported_without_telling_persons_apart_between_files(tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    plan = coordinator(path, comparisons=2, workshop=True)
    codes = [f"P-{number:02d}" for number in range(12)] + ["3"]
    with Project.open(path) as project:
        for code in codes:
            rater = project.judging.add_rater(RaterSpec(code=code)).uuid("rater")
            session = project.judging.open_session(plan, rater).uuid("session")
            for row in project.judging.comparisons(plan):
                project.judging.record(
                    JudgmentSpec(
                        session_id=session, comparison_id=row.id, outcome="tie", shown=(0, 1, 2), note=code,
                        texts_sha256=row.texts_sha256, active_seconds=1,
                    )
                )  # fmt: skip
            project.judging.reveal(session)
    numbers = []
    for _ in range(2):
        found = exported(path)
        by_code = {row["note"]: row["rater"] for row in found}
        assert len(set(by_code.values())) == len(by_code) == 10, "one number for each of two times five participants"
        assert all(rater.isdecimal() and rater not in codes for rater in by_code.values())
        assert {row["judged_at"] for row in found} == {""}
        assert [int(row["rater"]) for row in found] == sorted(int(row["rater"]) for row in found)
        numbers.append(by_code)
    with Project.open(path, read_only=True) as project:
        assert waiting_participants(project) == 3
    assert numbers[0] != numbers[1], "the same numbers again would tell persons apart across files"
