"""The study “compare” asked of another study's texts, and of two generators against each other."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline
from scipy.stats import ttest_1samp

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, OF_GROUPS, Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.audit.again import measured_again, options_of
from biasprint.core.runs.audit.gates import parse_gate
from biasprint.core.runs.measure import MeasuredStudy, measure_project
from biasprint.core.runs.reporting import audited
from biasprint.core.studies.compare import gather as compare
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts import exporting

INLINE: Any = Inline()
BLOCKS = 10
# By generator and block, how many words the letter for her has more than the letter for him.
LONGER = {"kind": [4, 6, 5, 3, 7, 4, 6, 5, 5, 4], "plain": [1, 0, 2, 1, 0, 1, 2, 0, 1, 1]}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(compare, "_embedder", lambda options: [])  # how alike pairs are is not asked here
    with Project.create(tmp_path / "study.biasprint") as made:
        letters(made)
        yield made


def letters(project: Project) -> None:
    study = project.studies.add("letters", "Letters").number("study")
    prompts = tuple(
        PromptSpec(key=f"b{block}/{who}", text=f"A letter for {who}, {block}", axis="gender", identity=who,
                   fields={"block": f"b{block}", "group": who})
        for block in range(BLOCKS) for who in ("female", "male")
    )  # fmt: skip
    prompt_set = project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts)).number(
        "prompt_set"
    )
    for model, longer in LONGER.items():
        spec = GeneratorSpec(backend="synthetic", model=model)
        generator = project.runs.add_generator(spec).number("generator")
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=1)
        ).number("run")
        outputs = []
        for item in project.runs.pending(run):
            block, who = item.prompt.key.split("/")
            words = 20 + int(block[1:]) + (longer[int(block[1:])] if who == "female" else 0)
            outputs.append(OutputSpec(run_id=run, prompt_id=item.prompt.id, sample=0, seed=1, text="word " * words))
        project.outputs.record_many(outputs)


def measured(project: Project, **options: Any) -> MeasuredStudy:
    asked = MeasureOptions(seed=1, scorers={"score": "length"}, texts_of="letters", **options)
    return measure_project(JobContext(), project, "compare", asked, INLINE)


def difference(found: MeasuredStudy, finding_id: str, **dims: str) -> Finding:
    (one,) = [one for one in found.result.findings if one.id == finding_id and dims.items() <= one.dims.items()]
    return one


def test_another_studys_texts_are_compared_by_their_groups(project: Project) -> None:
    found = measured(project)
    for name, longer in LONGER.items():
        one = difference(found, "compare.difference", generator=name)
        assert one.groups == ("female", "male")
        assert one.estimate == pytest.approx(np.mean(longer))
        assert one.interval is not None
        own = ttest_1samp(longer, 0).confidence_interval()
        assert (one.interval.low, one.interval.high) == pytest.approx((own.low, own.high))
    about = audited(project, "compare")
    assert [one.n for one in about.asked] == [2 * BLOCKS]  # the letters' prompts
    assert about.stale == ""


def test_two_generators_are_compared_on_the_prompts_that_both_answered(project: Project) -> None:
    one = difference(measured(project, compare=("kind,plain",)), f"compare.difference{BETWEEN_GENERATORS}")
    own = np.array(LONGER["kind"]) - np.array(LONGER["plain"])
    assert one.groups == ("kind", "plain")
    assert one.estimate == pytest.approx(own.mean())
    assert one.interval is not None
    expected = ttest_1samp(own, 0).confidence_interval()  # blocks are the units that are left out in turn
    assert (one.interval.low, one.interval.high) == pytest.approx((expected.low, expected.high))
    assert one.n == 2 * BLOCKS


@pytest.mark.soak
def test_differences_of_each_group_are_told_apart_by_gates_and_by_a_replay(project: Project) -> None:
    found = measured(project, compare=("all",)).result.findings
    between = [one for one in found if one.id.endswith(BETWEEN_GENERATORS)]
    for group in ("female", "male"):
        gate = parse_gate(f"compare.mean{BETWEEN_GENERATORS}[length, {OF_GROUPS}={group}] estimate_above 9")
        (one,) = filter(gate.is_about, between)
        assert group in one.title
        assert OF_GROUPS not in one.shown_dims  # the title says it
    again = measured_again(JobContext(), project, "compare", INLINE)
    assert (len(again.findings), again.same) == (len(found), len(found))


def test_whether_groups_are_alike_is_compared_once(project: Project) -> None:
    """The difference within the margin is the difference itself, which is compared as such."""
    found = measured(project, compare=("all",)).result.findings
    assert {one.id for one in found if "equivalence" in one.id} == {"compare.equivalence"}
    assert difference_of(found).dims.get(OF_GROUPS) is None  # there is one alone


def difference_of(found: Sequence[Finding]) -> Finding:
    (one,) = [one for one in found if one.id == f"compare.difference{BETWEEN_GENERATORS}"]
    return one


def test_every_exported_finding_says_who_wrote_its_texts(project: Project) -> None:
    measured(project, compare=("all",))
    rows = list(exporting.rows(JobContext(), project, "findings"))
    assert {row["study"] for row in rows} == {"compare"}
    whose = {row["written_by"]: (row["runs"], row["endpoint"], row["parameters"]) for row in rows}
    assert whose == {"kind": ("1", "", "{}"), "plain": ("2", "", "{}"), "kind | plain": ("1 | 2", "", "{}")}

    measured(project, generators=("plain",))
    alone = list(exporting.rows(JobContext(), project, "findings"))
    assert {(row["written_by"], row["runs"]) for row in alone} == {("plain", "2")}


def test_a_replay_measures_the_same_studys_texts_again(project: Project) -> None:
    found = measured(project, generators=("kind",))
    again = options_of(project, "compare", found.recipe)
    assert (again.texts_of, again.generators) == ("letters", ("kind",))


def test_only_compare_asks_another_studys_texts(project: Project) -> None:
    with pytest.raises(UsageError, match="measures texts of its own"):
        measure_project(JobContext(), project, "letters", MeasureOptions(texts_of="news"), INLINE)
    with pytest.raises(AppError, match="The project has no news study"):
        measure_project(JobContext(), project, "compare", MeasureOptions(texts_of="news"), INLINE)
