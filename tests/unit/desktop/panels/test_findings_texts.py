"""The texts behind a finding: those that it is about, told apart by what else their prompts say."""

from pathlib import Path

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.setup import added_study
from biasprint.desktop.read.findings import texts_behind


def test_texts_of_one_name_are_told_apart_by_the_fields_of_their_prompts(tmp_path: Path) -> None:
    with Project.create(tmp_path / "wards.biasprint") as project:
        study = added_study(project, "compare")
        prompts = tuple(
            PromptSpec(key=f"{ward}/{name}", text="", fields={"group": name, "name": name, "ward": ward, "unit": "A"})
            for ward in ("surgery", "oncology")
            for name in ("Kelly", "Joseph")
        )
        set_id = project.prompts.add_set(study, PromptSetSpec(name="wards", recipe={}, prompts=prompts))
        writer = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="m")).number("generator")
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=set_id.number("prompt_set"), generator_id=writer, seed=1)
        ).number("run")  # fmt: skip
        project.outputs.record_many([
            OutputSpec(run_id=run, prompt_id=item.prompt.id, sample=0, seed=1, text="She is kind.")
            for item in project.runs.pending(run)
        ])  # fmt: skip
        finding = Finding("compare.mean", "length", "Length, Kelly", ("Kelly",), 3.0, "score", 2)
        (group,) = texts_behind(JobContext(), project, "compare", finding).groups
        assert sorted(ref.title for ref in group.refs) == ["Kelly · oncology", "Kelly · surgery"]


def test_texts_behind_a_topic_are_of_that_topic_where_imported_prompts_name_none(tmp_path: Path) -> None:
    with Project.create(tmp_path / "topics.biasprint") as project:
        study = added_study(project, "creativity")
        own = {"a theme of my own": {"topic": "cosmological"}}
        prompts = tuple(
            PromptSpec(key=f"{theme}/{identity}", text="", task="haiku", theme=theme, axis="gender", identity=identity,
                       fields=own.get(theme, {}))
            for theme in ("stars", "trees", "a theme of my own", "a theme of no topic")
            for identity in ("woman", "man")
        )  # fmt: skip
        set_id = project.prompts.add_set(study, PromptSetSpec(name="imported", recipe={}, prompts=prompts))
        writer = project.runs.add_generator(GeneratorSpec(backend="imported", model="m")).number("generator")
        run = project.runs.start(
            RunSpec(study_id=study, prompt_set_id=set_id.number("prompt_set"), generator_id=writer, seed=1)
        ).number("run")  # fmt: skip
        asked = project.runs.pending(run)
        project.outputs.record_imported(run, [(item.prompt.id, 0, item.prompt.key, "") for item in asked])
        dims = {"axis": "gender", "topic": "cosmological"}
        finding = Finding(
            "creativity.distance", "woman", "Distance, woman", ("woman",), 0.5, "proportion", 2, dims=dims
        )
        groups = texts_behind(JobContext(), project, "creativity", finding).groups
        keys = [ref.key[1] for group in groups for ref in group.refs]
        texts = set(project.outputs.texts(keys).values())
    assert texts == {"stars/woman", "a theme of my own/woman"}, "what has no topic is of none"
