"""From `compare` with practice and checks to packets, the dashboard, and a rater who is left out."""

import csv
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from fingerprint_project import project_with_texts, rated

from biasprint.core.judging.known import KnownAnswer
from biasprint.core.judging.plan import CHECK, RIGHT, PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.biasprint"
    project_with_texts(path, ["gender"], tasks=["haiku"]).close()
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def wrong_at_checks(number: int, row: ComparisonRow) -> int:
    names = [item.identity for item in row.items]
    return 1 - names.index(RIGHT) if RIGHT in names else number % 2


def right_at_checks(number: int, row: ComparisonRow) -> int:
    names = [item.identity for item in row.items]
    return names.index(RIGHT) if RIGHT in names else number % 2


def test_a_plan_teaches_and_checks_its_raters_and_who_fails_is_left_out(file: Path, tmp_path: Path):
    rows = (f"Good {n},Bad {n},None {n},a,So it is." for n in range(3))
    table = "\n".join(("text_a,text_b,text_c,answer,why", *rows, ""))
    known = write(tmp_path / "known.csv", table)
    made = biasprint(
        "compare", file, "--axis", "gender", "--per-axis", 24, "--seed", 3, "--practice", known, "--checks", known,
        "--question", "Which is truer?", "--instructions", write(tmp_path / "read.txt", "Read both."),
        "--rubric", write(tmp_path / "rubric.txt", "Truth: it is so."), "--split", 2, "--overlap", 0.5, "--json",
    ).json  # fmt: skip
    assert made["comparisons"] == {CHECK: 3, "gender": 24}
    with Project.open(file) as project:
        (plan,) = project.judging.plans()
        settings = PlanSettings.of(plan.settings)
        assert (settings.question, settings.instructions, settings.own_order) == ("Which is truer?", "Read both.", True)
        assert (settings.split, settings.overlap, settings.rubric) == (2, 0.5, (("Truth", "it is so."),))
        assert [KnownAnswer.of(one).why for one in settings.practice] == ["So it is."] * 3
    packets = biasprint("packet", "make", file, "--raters", 2, "--out", tmp_path / "out", "--json").json["packets"]
    assert [one["comparisons"] for one in packets] == [21, 21], "12 of all, 6 of one's own, 3 checks"
    with Project.open(file) as project:
        rated(project, plan.id, "A1", wrong_at_checks)
        rated(project, plan.id, "A2", right_at_checks)
    cards = {one["code"]: one for one in biasprint("raters", "list", file, "--json").json["raters"]}
    assert (cards["A1"]["checks"], cards["A2"]["checks"]) == ({"asked": 3, "passed": 0}, {"asked": 3, "passed": 3})
    assert [one["key"] for one in cards["A1"]["flags"]] == ["checks"]
    assert cards["R01"]["done"] == 0
    assert "A1: 3 of 3 hidden checks were failed" in biasprint("raters", "list", file).out
    assert "A1: 27 answers have no record of what was on the screen." in biasprint("raters", "list", file).out
    refused("raters", "exclude", file, "A1", "--unread", "--reason", "x", code=2, says="one rater, or give --unread")
    biasprint("raters", "exclude", file, "--unread", "--reason", "agreed beforehand")
    listed = biasprint("raters", "list", file, "--json").json
    assert listed["unread_excluded"]["reason"] == "agreed beforehand"
    assert listed["raters"][0]["read_to_end"] == {"unread": 0, "n": 0, "unrecorded": 27, "interval": None}
    biasprint("raters", "include", file, "--unread")
    refused("raters", "include", file, "--unread", code=2, says="not left out")
    refused("raters", "exclude", file, "A1", "--reason", " ", code=2, says="left out for a reason")
    refused("raters", "exclude", file, "nobody", "--reason", "x", code=2, says="no rater “nobody”")
    biasprint("raters", "exclude", file, "A1", "--reason", "failed every check")
    out = tmp_path / "judgments.csv"
    biasprint("export", file, "judgments", "--out", out)
    with out.open(encoding="utf-8-sig", newline="") as stream:
        assert {(row["rater"], row["excluded"]) for row in csv.DictReader(stream)} == {("A1", "1"), ("A2", "0")}
    biasprint("raters", "include", file, "A1")
    refused("raters", "include", file, "A1", code=2, says="A1 is not left out")


def test_a_practice_set_without_answers_makes_no_plan(file: Path, tmp_path: Path):
    known = write(tmp_path / "known.csv", "text_a,text_b\nGood,Bad\n")
    for option in ("--practice", "--checks"):
        told = refused("compare", file, "--axis", "gender", option, known, code=1, says="has no column “answer”")
        assert "No plan was made." in told
    with Project.open(file) as project:
        assert project.judging.plans() == ()
