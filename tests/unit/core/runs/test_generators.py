"""Who wrote a study's texts: names that tell generators apart, and what is told of each."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec, SourceSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.texts.generators import chosen, generator_names, generators_of, named_texts, written_by_these


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def study_with_prompts(project: Project, kind: str = "letters") -> tuple[int, int]:
    study = project.studies.add(kind, kind).number("study")
    prompts = (PromptSpec(key="a", text="Write a."), PromptSpec(key="b", text="Write b."))
    return study, project.prompts.add_set(study, PromptSetSpec(name="set", recipe={}, prompts=prompts)).number(
        "prompt_set"
    )


def wrote(
    project: Project, study: int, prompts: int, *, model: str = "m", backend: str = "openai_compatible", seed: int = 1,
    texts: int = 2, revision: str = "", **parameters: Any,
) -> int:  # fmt: skip
    spec = GeneratorSpec(backend=backend, model=model, parameters=parameters, revision=revision)
    generator = project.runs.add_generator(spec).number("generator")
    run = project.runs.start(RunSpec(study_id=study, prompt_set_id=prompts, generator_id=generator, seed=seed)).number(
        "run"
    )
    ids = [row.id for row in project.prompts.page(prompts)]
    project.outputs.record_many(
        [OutputSpec(run_id=run, prompt_id=key, sample=0, seed=1, text=f"{model} {seed}") for key in ids[:texts]]
    )
    return run


def test_the_first_of_a_model_has_its_name_and_each_later_one_says_how_it_differs(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    wrote(project, study, prompts, model="small", temperature=0.2)
    wrote(project, study, prompts, model="large", temperature=0.2, system="Be fair to\neverybody whom you write about.")
    wrote(project, study, prompts, model="large", temperature=0.2)
    wrote(project, study, prompts, model="large", temperature=0.2, system="Be brief.")
    wrote(project, study, prompts, model="warm", temperature=0.2, base_url="http://here")
    wrote(project, study, prompts, model="warm", temperature=1.0, base_url="http://here")
    wrote(project, study, prompts, model="gpt-4", backend="imported")
    assert [one.name for one in generators_of(project, study)] == [
        "small",
        "large",
        "large, no system prompt",
        "large, system prompt “Be brief.”",
        "warm",
        "warm, temperature 1",
        "imported: gpt-4",
    ]


def test_a_name_stays_whoever_joins_later_and_no_two_are_the_same(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    before: list[str] = []
    for model, how in (
        ("m", {"endpoint": "here"}), ("m", {"endpoint": "there"}), ("m", {"endpoint": "there", "revision": "abc"}),
        ("n", {"stop": ["a"]}), ("n", {"stop": ["b"]}),
        ("t", {"threads": 1}), ("t", {"threads": 2}),  # says nothing of a text, and is another row all the same
    ):  # fmt: skip
        wrote(project, study, prompts, model=model, **how)
        names = list(generator_names(project).values())
        assert names[:-1] == before
        before = names
    assert before == ["m", "m, endpoint there", "m, revision abc", "n", "n, stop ['b']", "t", "t, no. 7"]


def test_a_set_of_addresses_is_said_with_the_name_of_its_endpoint_and_another_set_is_another(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    wrote(project, study, prompts, endpoint="lab", base_url="http://a/v1")
    wrote(project, study, prompts, endpoint="lab", base_url="http://a/v1 http://b/v1")
    wrote(project, study, prompts, base_url="http://a/v1 http://b/v1")
    found = generators_of(project, study)
    assert [one.endpoint for one in found] == ["lab", "lab (http://a/v1, http://b/v1)", "http://a/v1, http://b/v1"]
    assert [one.name for one in found][:2] == ["m", "m, endpoint lab (http://a/v1, http://b/v1)"]
    assert len({one.name for one in found}) == 3


def test_two_seeds_are_runs_of_one_generator(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    first = wrote(project, study, prompts, seed=1, endpoint="here", system="Be fair.", temperature=0.5, revision="r1")
    second = wrote(project, study, prompts, seed=2, texts=1, endpoint="here", system="Be fair.", temperature=0.5,
                   revision="r1")  # fmt: skip
    (one,) = generators_of(project, study)
    assert (one.seeds, one.runs, one.n) == ((1, 2), (first, second), 3)
    assert (one.endpoint, one.system_prompt, one.parameters) == ("here", "Be fair.", {"temperature": 0.5})
    assert (one.backend, one.model, one.revision) == ("openai_compatible", "m", "r1")
    assert one.first <= one.last
    assert one.to_json()["seeds"] == [1, 2]


def test_letters_of_tables_have_the_generator_that_their_table_names(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    wrote(project, study, prompts, model="gpt-4")
    letters = [("gpt-4", "a"), ("gpt-4", "b"), ("", "c")]
    project.sources.add_many(
        study,
        [SourceSpec(kind="letter", origin="t.csv", row=row, text=text, fields={"model": model} if model else {})
         for row, (model, text) in enumerate(letters)],
    )  # fmt: skip
    project.sources.add_many(study, [SourceSpec(kind="context", origin="t.csv", row=9, text="a CV")])
    found = sorted(generators_of(project, study), key=lambda one: one.name)
    assert [(one.name, one.n) for one in found] == [("gpt-4", 2), ("imported", 1), ("imported: gpt-4", 2)]
    view = written_by_these(project, found[2:])
    assert [row.text for row in view.sources.page(study)] == ["a", "b", "a CV"]
    assert view.outputs.count(OutputFilter(study_id=study)) == 0
    generated = written_by_these(project, found[:1])
    assert [row.text for row in generated.sources.page(study)] == ["a CV"]
    assert generated.outputs.count() == len(list(generated.outputs.each())) == len(generated.outputs.ids()) == 2


def test_a_failed_text_is_nobodys_and_outputs_are_chosen_by_run(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    run = wrote(project, study, prompts, model="a", texts=1)
    wrote(project, study, prompts, model="b")
    other = wrote(project, study, prompts, model="c", texts=0)
    (first,) = [row.id for row in project.prompts.page(prompts)][:1]
    project.outputs.record_many([OutputSpec(run_id=other, prompt_id=first, sample=0, seed=1, status="error", text="")])
    assert [one.name for one in generators_of(project, study)] == ["a", "b"]
    assert project.outputs.count(OutputFilter(run_ids=(run, other))) == 2
    assert [row.model for row in project.outputs.page(where=OutputFilter(run_ids=(run,)))] == ["a"]


def test_generators_are_named_whole_in_part_or_several_with_commas(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    wrote(project, study, prompts, model="small")
    wrote(project, study, prompts, model="warm", temperature=0.2)
    wrote(project, study, prompts, model="warm", temperature=1.0)
    known = generators_of(project, study)

    def names(*words: str) -> list[str]:
        return [one.name for one in chosen(known, words)]

    assert names("SMALL") == ["small"]
    assert names("small, temperature 1") == ["small", "warm, temperature 1"]
    assert names("warm, temperature 1,small") == ["warm, temperature 1", "small"]
    assert names("small", "warm, temperature 1, small") == ["small", "warm, temperature 1"]
    assert names("warm") == ["warm"]  # a whole name, though another one begins with it
    with pytest.raises(UsageError, match=r"“m” names 3 generators"):
        names("m")
    with pytest.raises(UsageError, match=r"No generator “large” wrote texts here") as told:
        names("small,large")
    assert "“small”" in told.value.hint


def test_imported_outputs_and_letters_of_one_model_are_one_generator(project: Project) -> None:
    study, prompts = study_with_prompts(project)
    wrote(project, study, prompts, model="gpt-4", backend="imported")
    letter = SourceSpec(kind="letter", origin="t.csv", row=1, text="a", fields={"model": "gpt-4"})
    project.sources.add_many(study, [letter])
    (one,) = generators_of(project, study)
    assert (one.name, one.n) == ("imported: gpt-4", 3)
    view = written_by_these(project, [one])
    assert (view.outputs.count(), [row.text for row in view.sources.page(study)]) == (2, ["a"])


# ---- sets of runs


def test_runs_are_named_by_number_or_by_when_they_were_begun(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    study, prompts = study_with_prompts(project)
    days = iter(("2026-03-02", "2026-03-30", "2026-06-01", "2026-06-02"))
    real = project.runs.all
    for model, seed in (("m", 1), ("m", 2), ("m", 3), ("other", 1)):
        wrote(project, study, prompts, model=model, seed=seed)
    begun = {run.id: next(days) for run in real()}
    monkeypatch.setattr(
        project.runs, "all", lambda: tuple(replace(run, created_at=f"{begun[run.id]}T10:00:00Z") for run in real())
    )
    known = generators_of(project, study)

    def named(*words: str) -> list[tuple[str, tuple[int, ...], int]]:
        return [(one.name, one.runs, one.n) for one in named_texts(project, study, known, words)]

    assert named("run:1, run:3") == [("m, run 1", (1,), 2), ("m, run 3", (3,), 2)]
    assert named("run:1+2,other") == [("m, runs 1 and 2", (1, 2), 4), ("other", (4,), 2)]
    assert named("date:2026-03", "date:2026-06-01") == [
        ("m, 2026-03", (1, 2), 4), ("m, 2026-06-01", (3,), 2),
    ]  # fmt: skip
    assert named("date:2026-03-30..2026-06-01") == [("m, 2026-03-30 to 2026-06-01", (2, 3), 4)]
    (june,) = named_texts(project, study, known[1:], ["date:2026-06"])
    assert (june.name, june.seeds, june.runs) == ("other, 2026-06", (1,), (4,))
    for wrong, why in (
        ("run:9", "“run:9” names no run of this study"), ("run:x", "is no set of runs"),
        ("date:May", "“date:May” is no date"), ("date:2025", "“date:2025” names no run"),
        ("date:2026-06", "“date:2026-06” names runs of 2 generators"),
        ("run:1,date:2026-03", "“m, run 1” and “m, 2026-03” share run 1"), ("m,run:2", "share run 2"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=why):
            named(wrong)
