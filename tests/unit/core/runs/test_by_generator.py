"""Several generators in one project: each measured by itself, pooled on request, compared on common prompts."""

import csv
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline
from scipy.stats import ttest_rel

from biasprint.core.compute import ComputeCrashed
from biasprint.core.draw.words import null_value
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import MeasuredStudy, measure_project, measure_tables, measuring
from biasprint.core.runs.measure.between import SPREAD
from biasprint.core.runs.measure.by_generator import TextsToMeasure, compared
from biasprint.core.runs.reporting import audited
from biasprint.core.runs.sample import unpack_sample
from biasprint.core.runs.setup import generator_spec, store_set
from biasprint.core.scorers import registry
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.creativity.columns import output_columns
from biasprint.core.studies.kit.declared import ALL, InputTable, MeasureOptions
from biasprint.core.studies.kit.study import Study
from biasprint.core.studies.news.prompts import news_set
from biasprint.core.studies.registry import studies
from biasprint.core.texts.generators import POOLED, generators_of

INLINE: Any = Inline()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def drafted(every: int = 1) -> Any:
    whole = completion_set(["beauty"], ["ASA"])
    return replace(whole, prompts=whole.prompts[::every])


def generated(project: Project, dial: str, *, seed: int = 3, draft: Any = None) -> None:
    prompts = store_set(project, "completion", draft or drafted())
    spec = generator_spec("synthetic", dial, {})
    generate(JobContext(), project, start_run(project, prompt_set_id=prompts.set_id, generator=spec, seed=seed), INLINE)


def measured(project: Project, **options: Any) -> MeasuredStudy:
    return measure_project(JobContext(), project, "completion", MeasureOptions(seed=1, **options), INLINE)


def bare(findings: Any, generator: str = "") -> list[dict[str, Any]]:
    """As JSON, without what says whose they are."""
    told = []
    for one in findings:
        if not generator or one.dims.get("generator") == generator:
            dims = {name: value for name, value in one.dims.items() if name not in ("generator", "model")}
            told.append(replace(one, dims=dims).to_json())
    return told


def one_of(findings: Any, finding_id: str, label: str, **dims: str) -> Finding:
    (found,) = [
        one for one in findings if (one.id, one.label, one.variant) == (finding_id, label, "default")
        and dims.items() <= one.dims.items() and set(one.dims) == {"direction", "domain", *dims}
    ]  # fmt: skip
    return found


def test_each_generator_gives_what_it_gives_alone_and_the_recipe_says_who(project: Project, tmp_path: Path) -> None:
    generated(project, "large", draft=drafted(10))
    alone = measured(project)
    assert all("generator" not in one.dims for one in alone.result.findings)
    (recipe,) = alone.recipe["generators"]
    assert (recipe["name"], recipe["backend"], recipe["seeds"], recipe["n"]) == ("large", "synthetic", [3], 99)
    generated(project, "none", draft=drafted(10))
    both = measured(project)
    assert bare(both.result.findings, "large") == bare(alone.result.findings)
    assert {one.dims["generator"] for one in both.result.findings} == {"large", "none"}
    assert {one.dims["model"] for one in both.result.findings} == {"large", "none"}  # they differ in it
    assert both.result.rows == 198
    assert [one["name"] for one in both.recipe["generators"]] == ["large", "none"]
    only = measured(project, generators=("larg",))
    assert bare(only.result.findings, "large") == bare(alone.result.findings)
    assert {one.dims["generator"] for one in only.result.findings} == {"large"}
    with pytest.raises(UsageError, match="No generator “gpt” wrote texts here"):
        measured(project, generators=("gpt",))


def test_pooled_findings_are_one_of_each_over_all_generators_and_say_what_was_pooled(
    project: Project, tmp_path: Path
) -> None:
    generated(project, "large", draft=drafted(10))
    generated(project, "none", draft=drafted(10))
    each, pooled = measured(project), measured(project, pool=True)
    assert {"generator", "model"} & {name for one in pooled.result.findings for name in one.dims} == set()
    assert all("Pooled, as asked: large (99 texts); none (99 texts)." in one.note for one in pooled.result.findings)
    assert pooled.recipe["pooled"] is True
    likelihood = one_of(pooled.result.findings, "completion.likelihood", "PPL")
    mine = [one_of(each.result.findings, "completion.likelihood", "PPL", model=name, generator=name)
            for name in ("large", "none")]  # fmt: skip
    assert likelihood.n == sum(one.n for one in mine)
    assert likelihood.estimate == pytest.approx(sum((one.estimate or 0) * one.n for one in mine) / likelihood.n)
    # The same from a table that names the models.
    table = tmp_path / "replies.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        rows = [{**row.fields, "response": row.text, "model": row.model} for row in project.outputs.each()]
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    of_table = measure_tables(JobContext(), [table], "completion", MeasureOptions(seed=1, pool=True), INLINE)

    def of_texts(findings: Iterable[Finding]) -> list[Finding]:
        """Those on texts: a table does not say why a reply has none."""
        missing = re.compile(r" ?Texts that are missing: .*?\)\.")
        return [replace(one, note=missing.sub("", one.note).strip()) for one in findings if ".replies" not in one.id]

    assert bare(of_texts(of_table.result.findings)) == bare(of_texts(pooled.result.findings))
    assert of_table.recipe["pooled"] is True


def test_a_process_that_dies_ends_the_measure_and_leaves_no_generator_out(project: Project) -> None:
    class Dying(Inline):
        def call(self, function: Any, /, *args: Any, **options: Any) -> Any:
            if len(self.calls) == dies_after:
                self.calls.append(function)  # the next one works again
                raise ComputeCrashed("There was not enough memory for this computation.")
            return super().call(function, *args, **options)

    for dial in ("large", "none"):
        generated(project, dial, draft=drafted(10))
    whole = Inline()
    options = MeasureOptions(seed=1, compare=(ALL,), sensitivity=True)
    measure_project(JobContext(), project, "completion", options, whole)  # type: ignore[arg-type]
    assert len(whole.calls) > 1
    for dies_after in range(len(whole.calls)):  # noqa: B007 - of the class above
        with pytest.raises(ComputeCrashed):
            measure_project(JobContext(), project, "completion", options, Dying())  # type: ignore[arg-type]


def test_pooled_samples_of_one_prompt_by_two_generators_are_different_samples(project: Project) -> None:
    haikus(project, "m", lambda at, key: 10)
    haikus(project, "n", lambda at, key: 12)
    rows = list(project.pooled(POOLED).outputs.each())
    assert {row.model for row in rows} == {POOLED}
    columns = output_columns(project, rows)
    keys = list(zip(columns["model"], (row.prompt_key for row in rows), columns["sample"], strict=True))
    assert len(set(keys)) == len(keys) == 48
    assert {row.model for row in project.outputs.each()} == {"m", "n"}  # the project itself is as it was


def test_two_seeds_of_a_generator_are_samples_of_it(project: Project) -> None:
    generated(project, "none", seed=1, draft=drafted(10))
    generated(project, "none", seed=2, draft=drafted(10))
    found = measured(project)
    assert all("generator" not in one.dims for one in found.result.findings)
    (recipe,) = found.recipe["generators"]
    assert (recipe["seeds"], recipe["n"]) == ([1, 2], 198)


def test_a_planted_difference_of_two_authors_is_found(project: Project) -> None:
    generated(project, "large", draft=drafted(3))
    generated(project, "none", draft=drafted(3))
    found = measured(project, compare=("all",)).result.findings
    differences = [one for one in found if one.id.endswith(BETWEEN_GENERATORS)]
    assert {one.id for one in differences} >= {
        f"completion.delta{BETWEEN_GENERATORS}",
        f"completion.likelihood{BETWEEN_GENERATORS}",
    }
    delta = one_of(differences, f"completion.delta{BETWEEN_GENERATORS}", "delta_P")
    own = {
        name: one_of(found, "completion.delta", "delta_P", model=name, generator=name).estimate
        for name in ("large", "none")
    }
    assert delta.groups == ("large", "none")
    assert delta.estimate == pytest.approx(own["large"] - own["none"])  # type: ignore[operator]
    assert delta.interval is not None
    assert delta.interval.low > 0.1
    assert delta.p_adjusted is not None
    assert delta.p_adjusted < 0.001
    assert delta.adjust is not None
    assert delta.adjust.family.startswith(f"completion.delta{BETWEEN_GENERATORS}, ")
    spread = one_of(differences, f"completion.delta{BETWEEN_GENERATORS}", "omnibus")
    assert (spread.p, spread.interval, spread.reason) == (None, None, f"interval: {SPREAD}")
    assert delta.n == 330
    assert "330 prompts that both answered" in delta.note


@pytest.mark.soak
def test_generators_without_a_common_prompt_are_said_and_the_rest_is_done(project: Project) -> None:
    whole = drafted()
    generated(project, "large", draft=replace(whole, prompts=whole.prompts[:99], name="one"))
    generated(project, "none", draft=replace(whole, prompts=whole.prompts[99:198], name="other"))
    generated(project, "small", draft=replace(whole, prompts=whole.prompts[:150], name="both"))
    found = measured(project, compare=("all",))
    assert found.undone == ("large and none were not compared: no prompt was answered by both.",)
    pairs = {one.groups for one in found.result.findings if one.id.endswith(BETWEEN_GENERATORS)}
    assert pairs == {("large", "small"), ("none", "small")}
    (some,) = {
        one.n
        for one in found.result.findings
        if one.id.endswith(BETWEEN_GENERATORS) and one.groups == ("none", "small")
    }
    assert some == 51


def test_a_comparison_needs_two_and_no_pool(project: Project) -> None:
    generated(project, "large", draft=drafted(10))
    with pytest.raises(UsageError, match="One generator cannot be compared"):
        measured(project, compare=("all",))
    generated(project, "none", draft=drafted(10))
    with pytest.raises(UsageError, match="pooled cannot be compared"):
        measured(project, compare=("all",), pool=True)
    with pytest.raises(UsageError, match="One generator cannot be compared"):
        measured(project, compare=("none",))


MEAN = """
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.studies.kit.declared import InputTable
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.fields import FieldSpec


def measure(columns, seed, scores):
    lengths = [len(text) for text in columns["text"]]
    mean = sum(lengths) / len(lengths)
    return StudyResult("lengths", len(lengths), {}, (
        Finding("lengths.mean", "mean", "Mean length", (), mean, "characters", len(lengths)),
        Finding("lengths.odds", "odds", "Odds", (), mean, "odds ratio", len(lengths)),
    ))


class Lengths(Study):
    kind, title, findings = "lengths", "Lengths", ("lengths.*",)
    inputs = (InputTable("lengths", measure, fields=(FieldSpec("text", True),)),)


STUDY = Lengths()
"""


@pytest.fixture
def lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A study from outside the tree whose one finding is a mean."""
    from biasprint.core.studies.registry import studies

    place = tmp_path / "plug_in"
    made = place / "lengths_study-1.dist-info"
    made.mkdir(parents=True)
    (place / "lengths_study.py").write_text(MEAN)
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: lengths-study\nVersion: 1\n")
    (made / "entry_points.txt").write_text("[biasprint.studies]\nlengths = lengths_study:STUDY\n")
    (made / "top_level.txt").write_text("lengths_study\n")
    monkeypatch.syspath_prepend(str(place))
    studies.cache_clear()
    yield
    studies.cache_clear()


def test_of_a_mean_it_is_the_paired_t_test_over_prompts_for_a_plug_ins_study_too(
    project: Project, lengths: None
) -> None:
    study = project.studies.add("lengths", "Lengths").number("study")
    prompts = tuple(PromptSpec(key=f"p{n}", text=f"Write {n}.") for n in range(30))
    rng = np.random.default_rng(5)
    written = {"long": rng.integers(20, 90, 30), "short": rng.integers(10, 70, 30)}
    sets = project.prompts.add_set(study, PromptSetSpec(name="all", recipe={}, prompts=prompts)).number("prompt_set")
    for model, sizes in written.items():
        key = project.runs.add_generator(GeneratorSpec(backend="b", model=model)).number("generator")
        run = project.runs.start(RunSpec(study_id=study, prompt_set_id=sets, generator_id=key, seed=1)).number("run")
        project.outputs.record_many(
            [
                OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text="x" * int(size))
                for row, size in zip(project.prompts.page(sets), sizes, strict=True)
            ]
        )
    found = measure_project(JobContext(), project, "lengths", MeasureOptions(compare=("long, short",)), INLINE)
    mean, odds = [one for one in found.result.findings if one.id.endswith(BETWEEN_GENERATORS)]
    known = ttest_rel(written["long"], written["short"])
    interval = known.confidence_interval(0.95)
    assert mean.interval is not None
    assert mean.p == pytest.approx(known.pvalue, rel=1e-6)
    assert (mean.interval.low, mean.interval.high) == pytest.approx((interval.low, interval.high))
    assert mean.unit == "characters"
    assert odds.unit == "ratio of odds ratios"
    assert odds.interval is not None
    assert odds.estimate == pytest.approx(written["long"].mean() / written["short"].mean())
    assert math.sqrt(odds.interval.low * odds.interval.high) == pytest.approx(odds.estimate)


def test_the_window_compares_with_the_texts_that_were_read_and_opens_exactly_those(project: Project) -> None:
    from biasprint.desktop.operations.studies import study_facts
    from biasprint.desktop.panels.findings.studies import said_of
    from biasprint.desktop.read.findings import StoredFindings

    whole = drafted()
    generated(project, "large", draft=replace(whole, prompts=whole.prompts[:60], name="one"))
    generated(project, "none", draft=replace(whole, prompts=whole.prompts[30:90], name="other"))
    measured(project, compare=("all",))
    source = StoredFindings(project)
    (before,) = source.measurements(JobContext())
    assert (before.new_texts, before.texts) == (0, 120)
    lines = source.load(JobContext()).lines
    between = next(line for line in lines if line.finding.id == f"completion.likelihood{BETWEEN_GENERATORS}")
    likelihood = next(line for line in lines if line.finding.id == "completion.likelihood" and line.finding.n)
    opened = [source.texts(JobContext(), line) for line in (between, likelihood)]
    columns = {group.key: [ref.block for ref in group.refs] for group in opened[0].groups}
    assert set(columns) == {"large", "none"}
    assert len(columns["large"]) == len(columns["none"]) == 30  # the prompts that both answered
    assert set(columns["large"]) == set(columns["none"])  # so that they are shown in pairs
    generated(project, "none", seed=9, draft=replace(whole, prompts=whole.prompts[:40], name="more"))
    (after,) = source.measurements(JobContext())
    assert (after.new_texts, after.texts) == (40, 160)
    assert said_of(after).startswith("120 of 160 texts measured ")
    (facts,) = study_facts(JobContext(), project)
    assert facts.said.endswith("measured on 120 of 160 texts")
    assert [source.texts(JobContext(), line) for line in (between, likelihood)] == opened


# ---- sets of runs, other studies, judgments


@pytest.mark.soak
def test_generators_that_wrote_news_are_compared(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "biasprint.core.studies.news.gather.scorers_of", lambda options: {}
    )  # words alone, which no model reads
    whole = news_set()
    prompts = store_set(project, "news", replace(whole, prompts=whole.prompts[:6]))
    for dial in ("large", "none"):
        run = start_run(project, prompt_set_id=prompts.set_id, generator=generator_spec("synthetic", dial, {}), seed=3)
        generate(JobContext(), project, run, INLINE)
    (pair,) = combinations(generators_of(project, project.runs.get(run).study_id), 2)
    study = project.runs.get(run).study_id
    texts = TextsToMeasure(project, study, measuring("news"), MeasureOptions(axes=("gender",)), INLINE)
    found, undone = compared(JobContext(), texts, [pair])
    assert undone == []
    words = [one for one in found if one.id == f"news.words_per_article{BETWEEN_GENERATORS}"]
    lengths = [
        np.mean([len(row.text.split()) for row in project.outputs.each() if row.model == model])
        for model in ("large", "none")
    ]
    (generated_words,) = [one for one in words if one.label == "generated" and not one.dims]
    assert generated_words.estimate == pytest.approx(lengths[0] - lengths[1])


def haikus(project: Project, model: str, length: Any, *, seed: int = 1) -> None:
    """A run that writes so many words for each of 24 prompts."""
    study = project.studies.of_kind("compare")
    study_id = study.id if study else project.studies.add("compare", "Any").number("study")
    prompts = tuple(
        PromptSpec(key=f"p{n}/{who}", text=f"Write {n} for {who}.", fields={"group": who})
        for n in range(12)
        for who in ("woman", "man")
    )
    sets = project.prompts.add_set(study_id, PromptSetSpec(name="all", recipe={}, prompts=prompts)).number("prompt_set")
    key = project.runs.add_generator(GeneratorSpec(backend="b", model=model)).number("generator")
    run = project.runs.start(RunSpec(study_id=study_id, prompt_set_id=sets, generator_id=key, seed=seed)).number("run")
    project.outputs.record_many(
        [
            OutputSpec(
                run_id=run, prompt_id=row.id, sample=0, seed=0, text=" ".join(["word"] * length(number, row.key))
            )
            for number, row in enumerate(project.prompts.page(sets, limit=99))
        ]
    )


def counted(project: Project, **options: Any) -> MeasuredStudy:
    asked = MeasureOptions(scorers={"score": "length"}, **options)
    return measure_project(JobContext(), project, "compare", asked, INLINE)


def test_a_generators_own_runs_are_measured_by_themselves(project: Project) -> None:
    haikus(project, "m", lambda at, key: 10)
    haikus(project, "m", lambda at, key: 12, seed=2)
    found = counted(project, generators=("run:2",)).result
    assert {one.dims["generator"] for one in found.findings} == {"m, run 2"}
    assert found.rows == 24
    with pytest.raises(UsageError, match="cannot be compared with itself"):
        counted(project, compare=("run:1",))
    with pytest.raises(UsageError, match="share run 1"):
        counted(project, compare=("run:1,run:1+2",))


class Choosy:
    """A plug-in's scorer that breaks on one text."""

    role, name, version, sha256, stand_in, shape = "length", "choosy", "1", None, False, "words"

    def score(self, texts: Any) -> Any:
        if any(text == " ".join(["word"] * 13) for text in texts):
            raise AppError("Thirteen words.")
        return [ScoreValue(np.array([len(text)], dtype=np.float32), float(len(text))) for text in texts]


def test_a_scorer_that_breaks_on_one_text_costs_it_alone_however_often_it_is_measured(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = registry._factories()
    monkeypatch.setattr(registry, "_factories", lambda: {**own, "choosy": Choosy})

    class Lengths(Study):
        kind, title = "lengths", "Lengths"
        inputs = (InputTable("compare", measure_project, scorers=("length",)),)

    haikus(project, "m", lambda at, key: 10 + at)
    found = project.studies.of_kind("compare")
    assert found is not None
    options = MeasureOptions(scorers={"length": "choosy"})
    for _ in range(2):  # then there is nothing to score but the one text
        (prepared,) = Lengths().prepared(JobContext(), project, found.id, options, INLINE)
        assert prepared.remarks == (
            "choosy failed on 1 text, which has no score from it: Thirteen words.",
        )  # fmt: skip
        assert sum(value is None for value in prepared.args[2]["length"]) == 1
    registry.load.cache_clear()


# ---- what is not tested between generators


def test_every_measure_with_a_noise_floor_is_declared_a_spread_or_has_a_sign(tmp_path: Path) -> None:
    spreads = {spread for study in studies().values() for spread in study.spreads}
    file = tmp_path / "Sample.biasprint"
    unpack_sample(file)
    with Project.open(file, read_only=True) as project:
        found = [
            finding
            for study in ("letters", "completion", "creativity")
            for finding in audited(project, study).findings
            if finding.floor is not None
        ]
    assert {finding.id for finding in found} >= {"creativity.rbs", "creativity.abs"}
    unsaid = {
        finding.id
        for finding in found
        if not spreads & {finding.id, f"{finding.id}[{finding.label}]"}
        and null_value(replace(finding, floor=None)) != 0
    }
    assert unsaid == set()
