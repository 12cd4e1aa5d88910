"""What somebody defined stays as it was for the texts that were made with it."""

from pathlib import Path

import pytest

from biasprint.core.judging.wording import wording_of
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.cogs import Task, TaskCriterion, Theme, cogs_set
from biasprint.core.runs.setup import store_set
from biasprint.core.studies.creativity.columns import output_columns

HAIR = """key = "hair"
title = "Hair"
version = 1
[[identities]]
key = "red"
label = "Red"
phrase = "red-haired"
words = ["redhead"]
[[identities]]
key = "grey"
label = "Grey"
phrase = "grey-haired"
words = ["greybeard"]
"""


@pytest.fixture
def axis_file(tmp_path: Path) -> Path:
    path = tmp_path / "hair.toml"
    path.write_text(HAIR, encoding="utf-8")
    return path


def asked(project: Project, axis: Path) -> int:
    return store_set(project, "creativity", cogs_set(["haiku"], ["stars"], [axis])).set_id


def answered(project: Project, set_id: int) -> None:
    study = project.studies.of_kind("creativity")
    assert study is not None
    generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="none")).number("generator")
    run = RunSpec(study_id=study.id, prompt_set_id=set_id, generator_id=generator, seed=1)
    run_id = project.runs.start(run).number("run")
    prompts = project.prompts.page(set_id)
    project.outputs.record_many(
        [
            OutputSpec(run_id=run_id, prompt_id=one.id, sample=0, seed=1, text=f"About {one.identity}.")
            for one in prompts
        ]
    )


def test_an_axis_that_was_edited_stays_as_it_was_for_the_texts_that_are_there(tmp_path: Path, axis_file: Path) -> None:
    with Project.create(tmp_path / "study.biasprint") as project:
        first = asked(project, axis_file)
        answered(project, first)
        axis_file.write_text(HAIR.replace("greybeard", "silver fox").replace("grey-haired", "grey"), encoding="utf-8")
        second = asked(project, axis_file)
        assert first != second
        assert [row.version for row in project.axes.all()] == [1, 2]
        kept = project.axes.in_use()["hair"]
        assert (kept.version, kept.definition["identities"][1]["words"]) == (1, ["greybeard"])
        assert project.axes.latest()["hair"].version == 2
        before = {prompt.text for prompt in project.prompts.page(first)}
        assert any("grey-haired" in text for text in before)
        answered(project, second)  # now there are texts of the new one, which is what is measured by from here on
        assert project.axes.in_use()["hair"].version == 2


def test_the_same_axis_is_no_new_version(tmp_path: Path, axis_file: Path) -> None:
    with Project.create(tmp_path / "study.biasprint") as project:
        assert asked(project, axis_file) == asked(project, axis_file)
        assert len(project.axes.all()) == 1
        assert project.axes.in_use()["hair"].definition["title"] == load_axis(axis_file).title


def test_tasks_and_themes_of_ones_own_keep_their_words_and_topics(tmp_path: Path) -> None:
    limerick = Task("limerick", "Limerick", "Write a limerick about {theme}", (TaskCriterion("Wit", "Is it funny?"),))
    themes = ["stars", Theme("high-tides", "the tides", "sea"), Theme("bicycles", "bicycles")]
    with Project.create(tmp_path / "study.biasprint") as project:
        set_id = store_set(project, "creativity", cogs_set([limerick], themes, ["gender"])).set_id
        answered(project, set_id)
        wording = wording_of(project)
        assert wording.title("limerick", "high-tides") == "Limerick · the tides"
        assert [one.name for one in wording.criteria("limerick")] == ["Wit"]
        assert project.prompts.topics() == {"stars": "cosmological", "high-tides": "sea", "bicycles": "own"}
        columns = output_columns(project, list(project.outputs.each(OutputFilter())))
        assert dict(zip(columns["theme"], columns["topic"], strict=True)) == {
            "stars": "cosmological", "high-tides": "sea", "bicycles": "",
        }  # fmt: skip
