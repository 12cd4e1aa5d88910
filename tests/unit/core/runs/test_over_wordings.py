"""Findings over several wordings of the prompts: how they vary, in how many they hold, and what is left out."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline
from scipy import stats
from simulations.wordings import EVERY, POPULATION, STUDIES, K, choices_truth

from biasprint.core.findings import Finding, OverWordings, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.means import levels_drawn_interval
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.report.evidence import over_wordings
from biasprint.core.report.questions import answered
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import MeasuredStudy, measure_project, measure_tables
from biasprint.core.runs.measure.by_generator import UNMATCHED, varied
from biasprint.core.runs.setup import add_prompts, added_study, generator_spec
from biasprint.core.studies.kit.declared import MeasureOptions

INLINE: Any = Inline()
BLOCKS = 10
Words = Callable[[str, int, str], int | None]  # wording, block, group → words of the text; None where it failed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def write(project: Project, words: Words, wordings: Sequence[str]) -> None:
    """Texts of two groups in matched blocks, in so many words."""
    study = added_study(project, "compare")
    prompts, outputs = [], []
    for block in range(BLOCKS):
        for wording in wordings:
            for group in "ab":
                fields = {"group": group, "block": f"block {block}", **({"wording": wording} if wording else {})}
                prompts.append(PromptSpec(key=f"{block}/{group}/{wording}", text=f"{block} {wording}", fields=fields))
    sets = project.prompts.add_set(study, PromptSetSpec(name="own", recipe={}, prompts=tuple(prompts)))
    writer = project.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
    spec = RunSpec(study_id=study, prompt_set_id=sets.number("prompt_set"), generator_id=writer, seed=1)
    run = project.runs.start(spec).number("run")
    for row in project.prompts.page(sets.number("prompt_set"), 0, 5000):
        block, group, wording = row.key.split("/")
        size = words(wording, int(block), group)
        text = " ".join(["word"] * (size or 0))
        failed: Any = {} if size else {"status": "error", "error": "refused", "failure": "refusal"}
        reason: Any = "stop" if size else "error"
        outputs.append(
            OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text, finish_reason=reason, **failed)
        )
    project.outputs.record_many(outputs)


def measured(project: Project, **options: Any) -> MeasuredStudy:
    asked = MeasureOptions(seed=1, scorers={"score": "length"}, **options)
    return measure_project(JobContext(), project, "compare", asked, INLINE)


def difference(result: StudyResult) -> Finding:
    (one,) = [finding for finding in result.findings if finding.id == "compare.difference"]
    return one


def noisy(*longer: int) -> tuple[Words, np.ndarray]:
    """Words of every text; `longer`: by wording, how many more those of group b have. And an array of them."""
    table = np.random.default_rng(7).integers(30, 40, (BLOCKS, len(longer), 2))
    table[:, :, 1] += np.array(longer)
    return lambda wording, block, group: int(table[block, int(wording) - 1, "ab".index(group)]), table


def test_a_finding_over_wordings_is_matched_within_each_and_says_where_it_holds(project: Project) -> None:
    words, table = noisy(12, 0, 9, -1, 0)
    write(project, words, "12345")
    result = measured(project)
    whole = difference(result.result)
    by_wording = (table[:, :, 0] - table[:, :, 1]).astype(float)
    blocks = by_wording.mean(axis=1)
    assert whole.estimate == pytest.approx(blocks.mean())
    low, high = stats.t.interval(0.95, BLOCKS - 1, blocks.mean(), stats.sem(blocks))  # a block is one unit
    assert whole.interval is not None
    assert (whole.interval.low, whole.interval.high) == pytest.approx((low, high))
    over = whole.wordings
    assert over is not None
    ends = [stats.t.interval(0.95, BLOCKS - 1, own.mean(), stats.sem(own)) for own in by_wording.T]
    assert [(one.estimate, one.low, one.high) for one in over.each] == [
        pytest.approx((own.mean(), *end)) for own, end in zip(by_wording.T, ends, strict=True)
    ]
    assert [one.side for one in over.each] == ["below" if end[1] < 0 else "none" for end in ends]
    assert (over.holds, over.measured) == (2, 5)
    levels = by_wording.mean(axis=0)
    assert (over.lowest, over.highest) == (levels.min(), levels.max())
    # se² + s²/k with Satterthwaite's freedom, written out; the standard error is read from the interval as if normal
    error, between = (high - low) / 2 / stats.norm.ppf(0.975), levels.var(ddof=1) / 5
    variance = error**2 + between
    half = stats.t.ppf(0.975, variance**2 / (between**2 / 4)) * math.sqrt(variance)
    assert over.like_these is not None
    assert (over.like_these.low, over.like_these.high) == pytest.approx((blocks.mean() - half, blocks.mean() + half))
    own_errors = np.mean([((end[1] - end[0]) / 2 / stats.norm.ppf(0.975)) ** 2 for end in ends])
    assert over.beyond_chance == pytest.approx(1 - own_errors / levels.var(ddof=1))
    said = [each.answer for each in answered("compare", result.result.findings) if each.answer.startswith("Yes")]
    assert "It holds in 2 of 5 wordings; not in wordings 2, 4 and 5." in said[0]
    assert "it holds in 2 of 5: the interval of that wording alone is on the same side of 0" in whole.note
    again = Finding.from_json(whole.to_json())
    assert again == whole


def test_one_wording_leaves_the_findings_as_they_were(project: Project) -> None:
    words, _ = noisy(12)
    write(project, lambda _, block, group: words("1", block, group), [""])
    whole = difference(measured(project).result)
    assert whole.wordings is None
    assert "wordings" not in whole.to_json()
    assert "wording" not in whole.note


def test_a_table_with_a_column_of_wordings_says_the_same(project: Project, tmp_path: Path) -> None:
    words, _ = noisy(12, 0, 9)
    write(project, words, "123")
    table = tmp_path / "texts.csv"
    rows = [
        f"{group},block {block},{wording},{' '.join(['word'] * (words(wording, block, group) or 0))}"
        for block in range(BLOCKS) for wording in "123" for group in "ab"
    ]  # fmt: skip
    table.write_text("\n".join(["group,block,wording,text", *rows]) + "\n", encoding="utf-8")
    options = MeasureOptions(seed=1, scorers={"score": "length"})
    own = difference(measure_tables(JobContext(), [table], "compare", options, INLINE).result)
    whole = difference(measured(project).result)
    assert (own.estimate, own.interval, own.wordings) == (whole.estimate, whole.interval, whole.wordings)


def test_intervals_hold_what_they_are_stated_to_be_of() -> None:
    """A short form of the simulation in docs/explanation/calibration.md: choices by 12 cases."""
    whole, _ = STUDIES[1]
    rng, held = np.random.default_rng(2), {"these": [], "like these": []}
    for _ in range(80):
        drawn = rng.integers(K, K + POPULATION, K)
        (found,) = varied(*whole(rng, 12, drawn))
        assert found.interval is not None
        assert found.wordings is not None
        assert found.wordings.like_these is not None
        these, every = (choices_truth(tuple(wordings))["yes"] for wordings in (drawn.tolist(), EVERY))
        held["these"].append(found.interval.low <= these <= found.interval.high)
        held["like these"].append(found.wordings.like_these.low <= every <= found.wordings.like_these.high)
    assert np.mean(held["these"]) > 0.88
    assert np.mean(held["like these"]) > 0.88


def test_wordings_that_disagree_are_told_though_they_cancel_out(project: Project) -> None:
    words, _ = noisy(12, -12)
    write(project, words, "12")
    result = measured(project)
    assert "the wordings disagree: above 0 in wording 2, below it in wording 1" in difference(result.result).note


def test_a_wording_without_replies_or_without_a_group_is_told_and_the_rest_is_matched(project: Project) -> None:
    words, table = noisy(12, 12, 12, 12)

    def some(wording: str, block: int, group: str) -> int | None:
        lost = wording == "4" or (wording, group) == ("3", "b") or (wording, block, group) == ("2", 0, "a")
        return None if lost else words(wording, block, group)

    write(project, some, "1234")
    result = measured(project)
    whole = difference(result.result)
    # Block 0 has its first wording alone, all others two: wording 3 has no text to be compared with, wording 4 none.
    of_blocks = [(table[at, :2, 0] - table[at, :2, 1]).mean() for at in range(1, BLOCKS)]
    assert whole.estimate == pytest.approx(np.mean([table[0, 0, 0] - table[0, 0, 1], *of_blocks]))
    assert whole.wordings is not None
    assert [one.reason is not None for one in whole.wordings.each] == [False, False, True, True]
    assert whole.wordings.measured == 2
    assert "Not measured in wording 4: it has no text to measure this in." in whole.note
    assert result.result.dropped[UNMATCHED] == BLOCKS + 1
    assert "Wording 3 has no text for b." in result.remarks
    shares = [finding.n for finding in result.result.findings if finding.id == "compare.replies"]
    assert shares == [8 * BLOCKS, 4 * BLOCKS, 4 * BLOCKS], "what was refused counts as it was"


def test_the_synthetic_author_s_wording_effect_is_found_where_it_was_planted(project: Project) -> None:
    added = add_prompts(project, "compare", design="relative_decision", wordings=5)
    spec = generator_spec("synthetic", "none", {"by_wording": "large,none,none,large,none"})
    assert spec.parameters == {"by_wording": "large,none,none,large,none"}
    run = start_run(project, prompt_set_id=added.set_id, generator=spec, seed=3)
    generate(JobContext(), project, run, INLINE)
    result = measure_project(JobContext(), project, "compare", MeasureOptions(seed=1), INLINE).result
    (whole,) = [finding for finding in result.findings if finding.title == "Relative decision: all topics"]
    assert whole.wordings is not None
    shares = [one.estimate or 0 for one in whole.wordings.each]
    assert min(shares[0], shares[3]) > 0.6 > max(shares[1], shares[2], shares[4]), shares
    (career,) = [finding for finding in result.findings if finding.title == "Relative decision: gender and career"]
    assert career.wordings is not None
    assert "alone it lies above 50 % in wording 1." in career.note


def finding(estimate: float, low: float, high: float, unit: str = "odds ratio") -> Finding:
    whole: dict[str, Any] = {"interval": {"low": low, "high": high, "level": 0.95, "method": "m"}}
    plain = Finding("x.odds_ratio", "w", "t", ("a", "b"), estimate, unit, 9).to_json()
    return Finding.from_json(plain | whole)


def test_a_ratio_varies_by_its_logarithm() -> None:
    parts = {"1": finding(2, 1, 4), "2": finding(4, 2, 8), "3": finding(1, 0.5, math.inf)}
    results: Any = {wording: StudyResult("x", 1, {}, (part,)) for wording, part in parts.items()}
    (whole,) = varied([finding(2, 1.5, 8 / 3)], results)
    over = whole.wordings
    assert over is not None
    assert over.each[2].high is None
    bounds = levels_drawn_interval(
        math.log(2), math.log(16 / 9) / 2 / stats.norm.ppf(0.975), np.log([2.0, 4, 1])
    ).bounds
    assert bounds is not None
    assert over.like_these is not None
    assert (over.like_these.low, over.like_these.high) == pytest.approx((math.exp(bounds.low), math.exp(bounds.high)))
    assert "for others like them it is" in over_wordings(whole)
    assert Finding.from_json(whole.to_json()).wordings == over


def test_a_wordings_key_that_is_none_is_no_finding() -> None:
    plain = finding(2, 1, 4).to_json()
    for wrong in ({"each": 3}, {"each": [{"wording": "1"}], "measured": 1, "like_these": None}, 7):
        with pytest.raises(ValueError, match="no finding"):
            Finding.from_json(plain | {"wordings": wrong})
    assert OverWordings((), 0).holds is None
