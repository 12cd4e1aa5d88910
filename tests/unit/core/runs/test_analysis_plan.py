"""An analysis plan is locked with what was known then, and findings say what was planned and what came after."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline
from past_the_program import sql
from statsmodels.stats.multitest import multipletests

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, Interval
from biasprint.core.jobs import JobContext
from biasprint.core.project.damaged import check_project
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.report.audit import answer_json, audit_report
from biasprint.core.report.blocks import Heading, ReportTable
from biasprint.core.report.planned import (
    PlanLock,
    PlannedFinding,
    parse_meant,
    result_words,
    state_sentences,
    within_margin,
)
from biasprint.core.runs.analysis_plan import (
    LOCKED,
    analysis_plan,
    example_plan,
    lock_plan,
    parse_plan,
    read_plan,
    why_edited,
)
from biasprint.core.runs.measure import MeasuredStudy, measure_project
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.setup import added_study
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.registry import studies

INLINE: Any = Inline()
REFUSED = "I'm sorry, but I can't help with that request."
GROUPS = "abc"
PLAN = """
analysis_plan = 1
study = "compare"
{more}
[[findings]]
finding = "compare.difference[length, first=a, second=b]"
margin = 3.0

[[findings]]
finding = "compare.difference[length, first=a, second=c]"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        write(made)
        yield made


def write(project: Project, blocks: int = 12) -> None:
    """Texts of three groups, those of b longer; the third text of each group is a refusal."""
    study = added_study(project, "compare")
    rng = np.random.default_rng(4)
    prompts, texts = [], []
    for block in range(blocks):
        for group in GROUPS:
            prompts.append(PromptSpec(key=f"{block}/{group}", text=f"Write {block}.", fields={"group": group}))
            size = 30 + int(rng.integers(0, 12)) + (6 if group == "b" else 0)
            words = " ".join(f"word{number}" for number in rng.integers(0, 999, size))
            texts.append(REFUSED if block == 2 else words)
    made = PromptSetSpec(name="all", recipe={}, prompts=tuple(prompts))
    sets = project.prompts.add_set(study, made).number("prompt_set")
    writer = project.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=sets, generator_id=writer, seed=1)).number("run")
    by_key = {row.key: row.id for row in project.prompts.page(sets, 0, 5000)}
    project.outputs.record_many(
        [
            OutputSpec(run_id=run, prompt_id=by_key[prompt.key], sample=0, seed=0, text=text, finish_reason="stop")
            for prompt, text in zip(prompts, texts, strict=True)
        ]
    )


def measured(project: Project) -> MeasuredStudy:
    asked = MeasureOptions(seed=1, scorers={"score": "length"})
    return measure_project(JobContext(), project, "compare", asked, INLINE)


def lock(project: Project, text: str = PLAN.format(more="")) -> PlanLock:
    return lock_plan(project, parse_plan(text, "plan.toml"), text)


def differences(result: MeasuredStudy) -> dict[tuple[str, ...], Finding]:
    return {each.groups: each for each in result.result.findings if each.id == "compare.difference"}


def test_a_plan_locked_before_scoring_sets_the_family_and_leaves_every_other_number(project: Project) -> None:
    before = differences(measured(project))
    with Project.create(project.path.with_name("fresh.biasprint")) as fresh:
        write(fresh)
        assert not lock(fresh).known.results
        after = differences(measured(fresh))
        planned = [("a", "b"), ("a", "c")]
        by_hand = multipletests([before[pair].p for pair in planned], method="holm")[1]
        assert [after[pair].p_adjusted for pair in planned] == pytest.approx(list(by_hand))
        assert {after[pair].adjust.family for pair in planned} == {"2 planned tests"}  # type: ignore[union-attr]
        assert after["b", "c"] == before["b", "c"], "what was not planned keeps the family of all"
        for pair in planned:
            usual = replace(after[pair], p_adjusted=before[pair].p_adjusted, adjust=before[pair].adjust)
            assert usual == before[pair]
        assert before["a", "b"].p_adjusted != after["a", "b"].p_adjusted


def test_a_plan_locked_when_results_are_known_changes_no_p(project: Project) -> None:
    before = measured(project).result.findings
    locked = lock(project)
    assert (locked.known.texts, locked.known.scored, locked.known.judgments) == (36, 36, 0)
    assert locked.known.findings == len(before)
    assert measured(project).result.findings == before
    (said, *_) = state_sentences(analysis_plan(project, "compare"), {})  # type: ignore[arg-type]
    assert "when results could be known already: 36 of 36 texts scored" in said
    rows = table(project)
    assert all(" – planned late" in row[0] for row in rows)


def table(project: Project) -> tuple[tuple[str, ...], ...]:
    """The table of what was planned, on the first page of the report."""
    blocks = audit_report(audited(project, "compare")).pages[0].blocks
    places = [at for at, block in enumerate(blocks) if isinstance(block, Heading) and block.text == "What was planned"]
    return next(block.rows for block in blocks[places[0] :] if isinstance(block, ReportTable))  # type: ignore[return-value]


def test_page_one_and_json_tell_planned_findings_first_in_their_order_then_what_came_after(project: Project) -> None:
    text = PLAN.format(more="texts = 40") + '\n[[findings]]\nfinding = "compare.impact_ratio"\n'
    lock(project, text)
    measured(project)
    rows = table(project)
    assert [row[0].partition(".")[0] for row in rows] == ["1", "2", "3"]
    assert rows[0][0].startswith("1. Length, a minus b")
    assert rows[2][3] == "not computed: there is no compare.impact_ratio among what was measured."
    answer = answer_json(audited(project, "compare"))
    planned = {
        tuple(each["groups"]): each["planned"] for each in answer["findings"] if each["id"] == "compare.difference"
    }
    assert [planned[pair]["place"] for pair in (("a", "b"), ("a", "c"))] == [1, 2]
    assert planned["b", "c"] is None
    assert answer["planned"]["before_scoring"]
    assert [each["findings"] for each in answer["planned"]["findings"]] == [1, 1, 0]
    assert answer["planned"]["exploratory"] == sum(each["planned"] is None for each in answer["findings"])
    page = " ".join(map(str, audit_report(audited(project, "compare")).pages[0].blocks))
    assert "40 texts were planned, 36 were read." in page
    assert "Not planned, exploratory:" in page


def test_without_a_plan_nothing_is_said_of_one(project: Project) -> None:
    measured(project)
    answer = answer_json(audited(project, "compare"))
    assert not {"planned", "findings"} & answer.keys()
    assert "What was planned" not in str(audit_report(audited(project, "compare")).pages[0].blocks)


def test_exclusions_are_applied_and_counted(project: Project) -> None:
    lock(project, PLAN.format(more='exclusions = ["refusals", "cut texts"]'))
    result = measured(project).result
    assert dict(result.dropped) == {"refusals, by the analysis plan": 3}
    assert (result.rows, differences(measured(project))["a", "b"].n) == (36, 22)
    replies = [each for each in result.findings if each.id == "compare.replies" and each.label == "refusal"]
    assert all(each.estimate == pytest.approx(1 / 12) for each in replies if each.groups)


def test_a_later_lock_adds_a_row_and_says_what_changed(project: Project) -> None:
    first = lock(project)
    measured(project)
    amended = PLAN.format(more="").replace("second=c", "first=b, second=c").replace("first=a, first=b", "first=b")
    second = lock(project, amended)
    plan = analysis_plan(project, "compare")
    assert plan is not None
    assert [each.sha256 for each in plan.locks] == [first.sha256, second.sha256]
    status = [(entry.meant.dims["second"], entry.before_scoring, entry.dropped is not None) for entry in plan.entries]
    assert status == [("b", True, False), ("c", False, False), ("c", True, True)]
    said = " ".join(state_sentences(plan, {}))
    assert "Amended on" in said
    assert "added compare.difference[length, first=b, second=c]" in said.lower()
    after = differences(measured(project))
    assert after["a", "c"].adjust.family == "2 planned tests", "leaving one out does not shrink the family"  # type: ignore[union-attr]
    assert "planned" not in after["b", "c"].adjust.family  # type: ignore[union-attr]


def test_an_amendment_of_the_exclusions_after_scoring_ends_what_was_planned_before_it(project: Project) -> None:
    lock(project)
    measured(project)
    lock(project, PLAN.format(more='exclusions = ["refusals"]'))
    plan = analysis_plan(project, "compare")
    assert plan is not None
    assert [entry.before_scoring for entry in plan.entries] == [False, False]


def test_before_any_result_a_plan_may_change_freely(project: Project) -> None:
    lock(project)
    lock(project, PLAN.format(more='exclusions = ["refusals"]'))
    plan = analysis_plan(project, "compare")
    assert plan is not None
    assert [(entry.before_scoring, entry.dropped) for entry in plan.entries] == [(True, None), (True, None)]


# ---- Bad input


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("compare.difference[length, first=a, second=b]", "compare.diference"), "there are compare.difference"),
        (("margin = 3.0", "margin = -1"), "findings → number 1 → margin: it must be more than 0"),
        (("margin = 3.0", "margn = 1"), "nothing is known by this name here"),
        (('study = "compare"', 'study = "letter"'), "letters"),
        (("analysis_plan = 1", "analysis_plan = "), "TOML"),
        (('study = "compare"', 'study = "compare"\nlevel = 1.5'), "level: it must be less than 1"),
        (('study = "compare"', 'study = "compare"\nexclusions = ["short"]'), "“short” is none of"),
        (("second=c", "second=b"), "is planned twice"),
        (("compare.difference[length, first=a, second=b]", "compare.impact_ratio"), None),
        (("[length, first=a, second=b]", "[length, first=]"), "is not a label and dims"),
    ],
)
def test_what_is_no_plan_is_refused_in_one_sentence(tmp_path: Path, change: tuple[str, str], says: str | None) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN.format(more="").replace(*change, 1))
    if says is None:
        read_plan(file)
        return
    with pytest.raises(AppError) as refused:
        read_plan(file)
    assert says in str(refused.value)


def test_the_margin_of_a_ratio_is_a_factor(tmp_path: Path) -> None:
    text = PLAN.format(more="").replace("compare.difference[length, first=a, second=b]", "compare.impact_ratio")
    with pytest.raises(UsageError, match="is a factor: give a number above 1"):
        parse_plan(text.replace("3.0", "0.2"), "plan.toml")


def test_a_plan_of_another_study_is_not_locked(project: Project) -> None:
    text = 'analysis_plan = 1\nstudy = "news"\n[[findings]]\nfinding = "news.refusal_rate"\n'
    with pytest.raises(UsageError, match="The plan is for the study “news”; this project has: compare"):
        lock(project, text)
    assert not project.events.of_kind(LOCKED)


def test_the_same_plan_is_locked_once(project: Project) -> None:
    lock(project)
    with pytest.raises(AppError, match="This plan is locked already, since"):
        lock(project)
    assert len(project.events.of_kind(LOCKED)) == 1


def test_a_plan_edited_after_its_lock_is_told_from_the_locked_one(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(b"\xef\xbb\xbf" + PLAN.format(more="").replace("\n", "\r\n").encode())
    lock_plan(project, *read_plan(file))
    plan = analysis_plan(project, "compare")
    assert plan is not None
    assert why_edited(plan, file) == ""
    file.write_bytes(file.read_bytes().replace(b"3.0", b"9.0"))
    assert why_edited(plan, file).startswith("“plan.toml” is not the plan that was locked on ")


def altered(path: Path, change: Mapping[str, Any], which: int = 0) -> None:
    """Change stored locks behind the program's back, with a row that is whole as JSON."""
    connection = sql(path)
    rows = connection.execute("SELECT id, body FROM event WHERE kind = ? ORDER BY id", (LOCKED,)).fetchall()
    number, body = rows[which]
    connection.execute("UPDATE event SET body = ? WHERE id = ?", (json.dumps(json.loads(body) | change), number))
    connection.commit()
    connection.close()


def test_a_stored_lock_that_was_altered_counts_no_more(project: Project) -> None:
    lock(project)
    lock(project, PLAN.format(more="texts = 36"))
    path = project.path
    project.close()
    altered(path, {"text": PLAN.format(more="level = 0.5")})
    with Project.open(path) as again:
        plan = analysis_plan(again, "compare")
        assert plan is not None
        assert [each.plan.texts for each in plan.locks] == [36]
        assert "was altered or damaged after its lock" in plan.troubles[0]
        assert measured(again).result.findings, "measuring goes on"
        assert "was altered or damaged" in str(audit_report(audited(again, "compare")).pages[0].blocks)


def test_a_lock_that_was_taken_out_is_missed(project: Project) -> None:
    lock(project)
    lock(project, PLAN.format(more="texts = 36"))
    path = project.path
    project.close()
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM event WHERE id = (SELECT min(id) FROM event WHERE kind = ?)", (LOCKED,))
    connection.commit()
    connection.close()
    with Project.open(path) as again:
        plan = analysis_plan(again, "compare")
        assert plan is not None
        assert "is missing" in plan.troubles[0]


@pytest.mark.parametrize("body", ["'{'", "replace(body, 'margin', 'mbrgin')"], ids=["no JSON", "a flipped bit"])
def test_a_row_that_is_damaged_is_told_and_found_by_the_check(project: Project, body: str) -> None:
    lock(project)
    lock(project, PLAN.format(more="texts = 36"))
    path = project.path
    project.close()
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE event SET body = {body} WHERE id = (SELECT max(id) FROM event)")
    connection.commit()
    connection.close()
    assert any(problem.table == "event" for problem in check_project(path).problems)
    with Project.open(path) as again:
        plan = analysis_plan(again, "compare")
        assert plan is not None
        assert any("a lock of a plan may be among them" in said for said in plan.troubles)


# ---- The example, and margins


@pytest.mark.parametrize("study", sorted(studies()))
def test_the_example_of_every_study_can_be_locked(study: str, project: Project) -> None:
    plan = parse_plan(example_plan(project, study), "plan.toml")
    assert plan.study == study
    every = example_plan(project, study).replace("# [[findings]]", "[[findings]]").replace("# finding =", "finding =")
    assert len(parse_plan(every, "plan.toml").findings) >= len(plan.findings)


def of(estimate: float, low: float, high: float, unit: str = "difference") -> Finding:
    return Finding(
        "x.difference" if unit != "ratio" else "x.odds_ratio", label="l", title="t", groups=("a", "b"),
        estimate=estimate, unit=unit, n=9, interval=Interval(low, high, 0.95, "t"), p=0.01, p_adjusted=0.02,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("finding", "margin", "inside"),
    [
        (of(0.1, -0.1, 0.2), 0.2, "inside"),
        (of(0.1, -0.1, 0.21), 0.2, "open"),
        (of(0.5, 0.3, 0.7), 0.2, "outside"),
        (of(-0.5, -0.7, -0.3), 0.2, "outside"),
        (of(1.1, 0.8, 1.25, "ratio"), 1.25, "inside"),  # 1 / 1.25 = 0.8
        (of(1.1, 0.79, 1.25, "ratio"), 1.25, "open"),
        (of(0.5, 0.4, 0.7, "ratio"), 1.25, "outside"),
        (of(0.5, 0.4, 0.7, "ratio"), 0.9, None),
        (of(0.5, 0.4, 0.7), None, None),
    ],
)
def test_an_interval_is_inside_outside_or_open(finding: Finding, margin: float | None, inside: str | None) -> None:
    assert within_margin(finding, margin) == inside


def test_the_level_of_the_plan_decides(project: Project) -> None:
    entry = PlannedFinding(parse_meant("x.difference"), 0.2, 0.01, lock(project))
    assert result_words(entry, of(0.5, 0.3, 0.7)) == "not shown; beyond the margin of 0.2"
    assert result_words(replace(entry, level=0.05), of(0.5, 0.3, 0.7)) == "shown; beyond the margin of 0.2"
