"""Creativity measured from a project and from tables: what belongs together stays together, the rest apart."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec, ScoreSpec
from biasprint.core.runs.measure import measure_tables
from biasprint.core.runs.setup import add_prompts
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import scorer_for
from biasprint.core.studies.creativity.columns import (
    harm_of,
    judgment_table_columns,
    kept_apart,
    output_table_columns,
)
from biasprint.core.studies.creativity.gather import axes_of, embedder, of_project, prepared_outputs
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.plain_measuring import whole
from biasprint.core.tables.rows import Record

GENDER = ("man", "woman", "non-binary")


class Inline:
    """Does in this process what the compute process does in its own."""

    def call(self, function: Any, *args: Any, ctx: JobContext | None = None, **named: Any) -> Any:
        return function(*args, **named)


def output(run: int, identity: str, theme: str = "stars", sample: int = 0, model: str = "m") -> OutputRow:
    return OutputRow(
        id=0, run_id=run, prompt_id=0, sample=sample, seed=0, status="done", text="", finish_reason="", error="",
        seconds=0.0, prompt_key="", task="haiku", theme=theme, axis="", identity=identity, fields={}, backend="b",
        model=model,
    )  # fmt: skip


def test_two_runs_of_the_same_prompts_keep_their_own_samples() -> None:
    rows = [
        output(run, identity, sample=sample) for run in (1, 2) for identity in ("default", "man") for sample in (0, 1)
    ]
    numbers = kept_apart(rows, [""] * len(rows))
    assert numbers == [0, 1, 0, 1, 2, 3, 2, 3]


def test_runs_without_a_prompt_in_common_pair_with_each_other() -> None:
    rows = [output(1, "default"), output(2, "man"), output(3, "default"), output(3, "man")]
    assert kept_apart(rows, [""] * 4) == [0, 0, 1, 1]


def test_another_model_or_temperature_does_not_push_samples_apart() -> None:
    rows = [output(1, "default"), output(2, "default", model="n"), output(3, "default")]
    assert kept_apart(rows, ["0", "0", "1"]) == [0, 0, 0]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def written(project: Project, temperatures: Sequence[float | None], far: Sequence[str]) -> StudyResult:
    """One run per temperature with vectors of its own; in each the identity of `far` lies far from the default."""
    added = add_prompts(project, "creativity", tasks=["haiku", "song"], axes=["gender"])
    study = project.studies.of_kind("creativity")
    assert study is not None
    info = scorer_for("embedding", None, "minilm")
    rng = np.random.default_rng(0)
    for seed, (temperature, one) in enumerate(zip(temperatures, far, strict=True)):
        parameters = {} if temperature is None else {"temperature": temperature}
        generator = project.runs.add_generator(GeneratorSpec(backend="b", model="m", parameters=parameters))
        run = project.runs.start(
            RunSpec(
                study_id=study.id, prompt_set_id=added.set_id, generator_id=generator.number("generator"), seed=seed
            )
        ).number("run")
        prompts = project.prompts.page(added.set_id, 0, 1000)
        project.outputs.record_many(
            [OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=f"A woman {seed}") for row in prompts]
        )
        vectors = {}
        for row in project.outputs.each():
            if row.run_id == run:
                centre = np.sin(np.arange(384) * (1 + len(row.task) + hash_of(row.theme)))
                vectors[row.id] = centre + rng.normal(size=384) * (1.5 if row.identity == one else 0.5)
        specs = [
            ScoreSpec(output_id=key, scorer=info.name, version=info.version, values=vector.astype(np.float32))
            for key, vector in vectors.items()
        ]
        project.scores.record_many(specs, embeddings=True)
    axes = {"gender": axes_of(project)["gender"]}
    outputs = prepared_outputs(project, study.id, axes, info, 0)
    assert outputs is not None
    found = whole(JobContext(), outputs, Inline())  # type: ignore[arg-type]
    assert found is not None
    return found


def hash_of(word: str) -> int:
    return sum(map(ord, word)) % 97


def find(result: StudyResult, name: str, **dims: str) -> Finding:
    (found,) = [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (name, "gender", "default")
        and dict(each.dims) == {"axis": "gender", **dims}
    ]
    return found


def test_two_runs_of_one_model_are_two_samples_and_none_is_dropped(project: Project) -> None:
    result = written(project, [None, None], ["woman", "man"])
    assert result.dropped == {}
    score = find(result, "creativity.rbs")
    assert score.n == 60
    assert score.n_by_group == dict.fromkeys(GENDER, 120)
    assert "Two default outputs of one prompt lie" in score.note
    assert score.power is not None
    assert score.power.detectable is not None


def test_the_generators_temperature_makes_a_sweep(project: Project) -> None:
    result = written(project, [0.0, 1.0], ["", "woman"])
    cold, hot = (find(result, "creativity.rbs", temperature=step).estimate for step in ("0", "1"))
    assert cold is not None
    assert hot is not None
    assert find(result, "creativity.rbs.trend").estimate == pytest.approx(hot - cold)
    assert hot > cold
    obvious = [f for f in result.findings if f.id == "creativity.perceptibility.suggested" and f.label == "obvious"]
    assert obvious[0].contrast == pytest.approx({"man": -1 / 3, "woman": 2 / 3, "non-binary": -1 / 3})


def records(rows: Sequence[dict[str, str]]) -> list[Record]:
    return [Record(number, number + 1, row) for number, row in enumerate(rows, start=1)]


def judgment(**values: str) -> dict[str, str]:
    row = {
        "comparison": "c",
        "rater": "r",
        "axis": "gender",
        "shown": "man|woman",
        "outcome": "choice",
        "chosen": "man",
    }
    return row | values


@pytest.mark.parametrize("shown", ["man|woman|non-binary", "man, woman, non-binary", "man;woman ; non-binary"])
def test_identities_shown_may_be_separated_by_bars_commas_or_semicolons(shown: str) -> None:
    assert judgment_table_columns(records([judgment(shown=shown)]))["shown"] == [GENDER]


def test_another_separator_is_an_error_that_names_the_right_one() -> None:
    with pytest.raises(AppError, match="Row 1: “man / woman” names one identity") as caught:
        judgment_table_columns(records([judgment(shown="man / woman")]))
    assert "man|woman|non-binary" in caught.value.hint


def test_columns_that_no_row_fills_are_left_out() -> None:
    columns = judgment_table_columns(records([judgment(), judgment(task="haiku", temperature="0.50")]))
    assert columns["task"] == ["", "haiku"]
    assert columns["temperature"] == ["", "0.5"]
    assert not {"theme", "model"} & set(columns)


@pytest.mark.parametrize("given", ["warm", "-1", "nan", "1e9"])
def test_a_temperature_that_is_none_is_an_error_that_names_its_row(given: str) -> None:
    row = {"task": "haiku", "theme": "sun", "identity": "man", "text": "x", "temperature": given}
    with pytest.raises(AppError, match=f"Row 1: “{given}” is not a temperature"):
        output_table_columns(records([row]))


def test_a_table_of_judgments_gives_the_matrix_and_the_agreement(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["comparison,rater,axis,shown,outcome,chosen,task,theme,model"]
    lines += [
        f"{model}{theme},{rater},gender,man|woman|non-binary,choice,{GENDER[rng.integers(3)]},{task},sun,{model}"
        for model in ("m1", "m2")
        for rater in ("r1", "r2")
        for task in ("haiku", "song")
        for theme in range(10)
    ]
    path = tmp_path / "judgments.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    measured = measure_tables(JobContext(), [path], "creativity", MeasureOptions(), Inline())  # type: ignore[arg-type]
    found = {(finding.id, *sorted(finding.dims)) for finding in measured.result.findings}
    for dims in (("task",), ("model",), ("rater",), ("model", "rater"), ("model", "rater", "task")):
        assert ("creativity.abs", *sorted(("axis", *dims))) in found
    assert ("creativity.agreement.gwet_ac1", "axis") in found
    assert ("creativity.agreement.gwet_ac1", "axis", "task") in found


def test_an_axis_says_which_direction_harms() -> None:
    harm = {"finding": "creativity.abs", "harmed": "woman", "direction": "lower", "words": "women are chosen less"}
    other = {"finding": "letters.weat", "harmed": "woman", "direction": "lower", "words": "not about this"}
    assert harm_of({"gender": {"identities": [], "harm": [harm, other]}, "race": {"identities": []}}) == {
        "gender": "women are chosen less"
    }


def embedded_by(project: Project, info: ScorerInfo, texts: int) -> int:
    """Outputs of a small set, so many of them with a vector of this embedder; the study's number."""
    added = add_prompts(project, "creativity", tasks=["haiku"], themes=["stars"], axes=["gender"])
    study = project.studies.of_kind("creativity")
    assert study is not None
    generator = project.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
    spec = RunSpec(study_id=study.id, prompt_set_id=added.set_id, generator_id=generator, seed=0)
    run = project.runs.start(spec).number("run")
    prompts = project.prompts.page(added.set_id, 0, 100)
    project.outputs.record_many(
        [OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=f"Stars {row.id}") for row in prompts]
    )
    vectors = np.random.default_rng(0).normal(size=(len(prompts), 8)).astype(np.float32)
    project.scores.record_many(
        [
            ScoreSpec(output_id=row.id, scorer=info.name, version=info.version, values=vector)
            for row, vector in list(zip(project.outputs.each(), vectors, strict=True))[:texts]
        ],
        embeddings=True,
    )
    return study.id


OWN = ScorerInfo("mpnet", "embedding", "all-mpnet-base-v2 0123456789ab; rules 1")


def test_the_papers_own_vectors_are_used_though_its_model_is_not_here(project: Project) -> None:
    study = embedded_by(project, OWN, 4)
    assert embedder(MeasureOptions()).stand_in
    assert embedder(MeasureOptions(), project, study) == OWN
    assert embedder(MeasureOptions(scorers={"embedding": "minilm"}), project, study).name == "minilm"
    measured, _ = of_project(JobContext(), project, study, MeasureOptions(), Inline())  # type: ignore[arg-type]
    (score,) = [f for f in measured.findings if (f.id, f.variant) == ("creativity.rbs", "default") if len(f.dims) == 1]
    assert [(used.name, used.stand_in) for used in score.scorers] == [("mpnet", False)]
    assert {each.name for each in project.columns.embedders()} == {"mpnet"}  # none was embedded again


@pytest.mark.parametrize(
    ("info", "texts"),
    [(OWN, 3), (ScorerInfo("mpnet", "embedding", "my-model 0123456789ab; rules 1"), 4)],
    ids=["one text has none", "another model"],
)
def test_other_vectors_or_too_few_are_not_taken_for_the_papers_own(
    project: Project, info: ScorerInfo, texts: int
) -> None:
    assert embedder(MeasureOptions(), project, embedded_by(project, info, texts)).name == "minilm"
