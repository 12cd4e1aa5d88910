"""`analysis-plan`: a plan is written, locked and shown, and `measure` begins with what was planned."""

import random
from pathlib import Path

import pytest
from cli_support import biasprint, refused

PLAN = 'analysis_plan = 1\nstudy = "compare"\ntexts = 24\n[[findings]]\nfinding = "compare.difference"\nmargin = 3\n'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A project with imported texts of two groups, those of b longer."""
    chance = random.Random(3)
    words = {"a": 30, "b": 44}
    rows = [
        f'{group},{block},"{" ".join(f"word{chance.randint(0, 999)}" for _ in range(n + chance.randint(0, 6)))}"'
        for block in range(12)
        for group, n in words.items()
    ]
    table, file = tmp_path / "texts.csv", tmp_path / "study.biasprint"
    table.write_text("\n".join(["group,block,text", *rows]))
    biasprint("new", file)
    biasprint("import", file, table, "--study", "compare")
    return file


def test_a_plan_locked_before_scoring_comes_first_in_every_answer(study: Path) -> None:
    plan, report = study.with_name("plan.toml"), study.with_name("report.md")
    biasprint("analysis-plan", "new", study, "--out", plan)
    assert "compare.difference" in plan.read_text()
    refused("analysis-plan", "new", study, "--out", plan, code=1, says="There is a file")
    plan.write_text(PLAN)
    locked = biasprint("analysis-plan", "lock", study, plan, "--json").json
    assert locked["before_scoring"]
    assert locked["known"] == {"texts": 24, "scored": 0, "judgments": 0, "findings": 0}
    asked = ("measure", "compare", study, "--scorer", "score=length")
    said = biasprint(*asked, "--report", report).out
    assert said.startswith("The analysis plan was locked on ")
    assert said.index("shown; beyond the margin of 3") < said.index("24 rows read")
    page = report.read_text()
    assert page.index("What was planned") < page.index("What was found")
    assert locked["sha256"] in page
    answer = biasprint(*asked, "--json").json
    assert [each["planned"]["place"] for each in answer["findings"] if each["id"] == "compare.difference"] == [1]
    assert [each["planned"] for each in answer["findings"] if each["id"] == "compare.mean"] == [None, None]
    assert answer["planned"]["sha256"] == locked["sha256"]


def test_what_was_edited_or_comes_late_is_said(study: Path) -> None:
    plan = study.with_name("plan.toml")
    plan.write_text(PLAN)
    refused("analysis-plan", "show", study, code=1, says="No analysis plan was locked")
    biasprint("analysis-plan", "lock", study, plan)
    refused("analysis-plan", "lock", study, plan, code=1, says="This plan is locked already")
    assert biasprint("analysis-plan", "show", study, plan).out.count("[[findings]]") == 1
    biasprint("measure", "compare", study, "--scorer", "score=length")
    plan.write_text(PLAN.replace("margin = 3", "margin = 30"))
    answer = biasprint("analysis-plan", "show", study, plan, code=1)
    assert "“plan.toml” is not the plan that was locked on " in answer.err
    late = biasprint("analysis-plan", "lock", study, plan).out
    assert "when results could be known already: 24 of 24 texts scored, 4 findings." in late
    shown = biasprint("analysis-plan", "show", study, plan).out
    assert "Amended on " in shown
    assert "another margin for compare.difference" in shown.lower()


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (("compare.difference", "compare.diference"), 2, "there are compare.difference"),
        (("margin = 3", "margin = -3"), 1, "it must be more than 0"),
        (("compare", "news"), 2, "there are news."),
        (('study = "compare"', 'study = "poems"'), 2, "poems"),
    ],
)
def test_a_wrong_plan_is_one_sentence_and_locks_nothing(
    study: Path, change: tuple[str, str], code: int, says: str
) -> None:
    plan = study.with_name("plan.toml")
    plan.write_text(PLAN.replace(*change, 1))
    refused("analysis-plan", "lock", study, plan, code=code, says=says)
    refused("analysis-plan", "show", study, code=1, says="No analysis plan was locked")
