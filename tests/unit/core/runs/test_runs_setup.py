"""Setting a project up: prompt sets, their versions, and the axes that identities belong to."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSetSpec, PromptSpec
from biasprint.core.runs.setup import add_prompts, added_study, newest_set, study_of
from biasprint.core.studies.kit.importing import shipped_axes


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def test_a_set_that_was_made_again_can_be_named_by_its_version(project: Project) -> None:
    for task in ("haiku", "song", "haiku"):
        last = add_prompts(project, "creativity", tasks=[task], themes=["stars"])
    assert last.version == 1  # it was there
    assert newest_set(project, "creativity").version == 2
    assert newest_set(project, "creativity", "CoGS").version == 2
    assert newest_set(project, "creativity", "CoGS@1").id == last.set_id
    with pytest.raises(UsageError, match="no prompt set “CoGS@3”") as error:
        newest_set(project, "creativity", "CoGS@3")
    assert error.value.hint == "There are: CoGS@1, CoGS@2."


def test_prompts_of_an_import_are_never_written_for(project: Project) -> None:
    study = added_study(project, "creativity")
    spec = PromptSetSpec(name="imported: a.csv 0123", recipe={}, prompts=(PromptSpec(key="k", text=""),))
    project.prompts.add_set(study, spec)
    with pytest.raises(AppError, match="has no prompts for creativity"):
        newest_set(project, "creativity")
    with pytest.raises(AppError, match="has no prompts for creativity"):
        newest_set(project, "creativity", "imported: a.csv 0123")


def test_a_study_that_the_program_does_not_know_is_another_mistake_than_one_that_is_not_there(project: Project) -> None:
    with pytest.raises(UsageError, match="There is no study “poems”"):
        newest_set(project, "poems")
    with pytest.raises(AppError, match="has no prompts for letters"):
        newest_set(project, "letters")
    with pytest.raises(AppError, match="has no letters study"):
        study_of(project, "letters")
    assert project.studies.all() == ()


def test_a_study_is_added_once(project: Project) -> None:
    assert added_study(project, "letters") == added_study(project, "letters") == study_of(project, "letters").id
    assert [study.title for study in project.studies.all()] == ["Reference letters"]


@pytest.mark.parametrize(
    ("identities", "axes"),
    [
        ({"man", "woman", "default"}, {"gender": ["man", "woman", "non-binary"]}),
        ({"man", "queer"}, {}),  # one of an axis tells nothing
        ({"man", "woman", "straight", "queer", "martian"}, {
            "gender": ["man", "woman", "non-binary"], "orientation": ["straight", "queer"],
        }),
        ({"male", "female"}, {"sex": ["male", "female", "intersex"]}),  # the letters' axis is reported as gender
    ],
)  # fmt: skip
def test_identities_tell_which_shipped_axes_they_are_of(identities: set[str], axes: dict[str, list[str]]) -> None:
    assert shipped_axes(identities) == axes
