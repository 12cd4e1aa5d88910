"""Tasks, themes, documents and occupations of a person's own: read from files, refused in words, kept with prompts."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.judging.wording import wording_of
from biasprint.core.project.project import Project
from biasprint.core.prompts.cogs import cogs_set, cogs_tasks
from biasprint.core.prompts.letters import letters_context_less_set, occupations_of
from biasprint.core.runs.setup import added_study, store_set

TASK = """key = "limerick"
title = "Limerick"
template = "Write a limerick about {theme}"
rubric = [{ name = "Rhyme", explanation = "It rhymes a, a, b, b, a." }, { name = "Wit" }]
"""
THEMES = '[[theme]]\nkey = "tides"\ntext = "the tides"\n[[theme]]\nkey = "rust"\ntext = "rust"\n'
DOCUMENT = """key = "cover_note"
title = "Cover note"
context_less = "Write a note that recommends {name}, a {gender} {occupation}."
occupations = ["baker", "pilot"]
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_own_tasks_and_themes_stand_beside_the_shipped_ones(tmp_path: Path) -> None:
    task, themes = written(tmp_path, TASK), written(tmp_path, THEMES, "themes.toml")
    draft = cogs_set(["haiku", task], ["stars", themes], ["gender"])
    keys = {prompt.key: prompt.text for prompt in draft.prompts}
    assert len(keys) == 2 * 3 * 4
    assert keys["cogs/limerick/tides/default"] == "Write a limerick about the tides"
    assert "write a limerick about rust" in keys["cogs/limerick/rust/gender/woman"]


def test_what_raters_are_told_of_an_own_task_stays_as_it_was_when_its_texts_were_asked_for(tmp_path: Path) -> None:
    with Project.create(tmp_path / "study.biasprint") as project:
        store_set(project, "creativity", cogs_set([written(tmp_path, TASK)], ["stars"], ["gender"]))
        written(tmp_path, TASK.replace("Rhyme", "Metre"))
        wording = wording_of(project)  # when a session begins
        assert wording.title("limerick", "stars") == "Limerick · stars"
        assert [one.name for one in wording.criteria("limerick")] == ["Rhyme", "Wit"]
        shipped = next(task for task in cogs_tasks() if task.key == "haiku")
        assert [one.name for one in wording.criteria("haiku")] == [one.name for one in shipped.rubric]
        again = store_set(project, "creativity", cogs_set([str(tmp_path / "mine.toml")], ["stars"], ["gender"]))
        assert again.version == 2  # the old one is kept
        added_study(project, "creativity")
        assert [row.recipe["own_tasks"]["limerick"]["rubric"][0][0] for row in project.prompts.sets()] == [
            "Rhyme",
            "Metre",
        ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TASK.replace("{theme}", "{them}"), "Did you mean {theme}?"),
        (TASK.replace(" about {theme}", ""), "{theme} is missing"),
        (TASK.replace("Wit", "Rhyme"), "the rubric of “Limerick” names “Rhyme” twice"),
        (TASK.partition("rubric")[0] + "rubric = []\n", "rubric: at least 1 are needed, there are 0"),
        (TASK.replace("limerick", "haiku"), "The key of the task “haiku” is taken"),
        ("task = 3\n", "has no task"),
        (TASK + 'colour = "red"\n', "colour"),
    ],
)
def test_what_is_wrong_with_a_task_is_said_in_words(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AppError) as caught:
        cogs_set([written(tmp_path, text)], ["stars"], ["gender"])
    assert says in str(caught.value)


def test_two_themes_of_one_key_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="the key “rust” twice"):
        cogs_set(["haiku"], [written(tmp_path, THEMES.replace("tides", "rust"))], ["gender"])


def test_a_document_without_names_asks_nothing_twice(tmp_path: Path) -> None:
    asked = DOCUMENT.replace("{name}, a {gender}", "a {gender}")
    draft = letters_context_less_set(document=written(tmp_path, asked), names_per_group=2)
    assert len({prompt.text for prompt in draft.prompts}) == len(draft.prompts) == 2 * 2
    assert draft.hints == ()


def test_a_document_of_ones_own_is_asked_of_its_own_occupations(tmp_path: Path) -> None:
    draft = letters_context_less_set(document=written(tmp_path, DOCUMENT))
    assert [prompt.text for prompt in draft.prompts] == [
        "Write a note that recommends Joseph, a male baker.",
        "Write a note that recommends Kelly, a female baker.",
        "Write a note that recommends Joseph, a male pilot.",
        "Write a note that recommends Kelly, a female pilot.",
    ]  # the age is not in the prompt, so that it would be asked five times over
    assert {prompt.task for prompt in draft.prompts} == {"cover_note"}
    listed = written(tmp_path, "# of the town\nbarber\n\ntailor\n", "jobs.txt")
    assert occupations_of(["chef", listed]) == ("chef", "barber", "tailor")
    few = letters_context_less_set(document=written(tmp_path, DOCUMENT), occupations=occupations_of([listed]))
    assert {prompt.fields["occupation"] for prompt in few.prompts} == {"barber", "tailor"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DOCUMENT.replace("{name}, a {gender} {occupation}", "an {occupation}"), "asks the same for every group"),
        (DOCUMENT.replace("{gender}", "{sex}"), "{sex} is not a placeholder here"),
        (DOCUMENT.replace('key = "cover_note"\n', ""), "it has no key"),
        (DOCUMENT.replace("cover_note", "letter"), "the key “letter” is a shipped document's"),
        (DOCUMENT + "ages = [0]\n", "ages"),
    ],
)
def test_what_is_wrong_with_a_document_is_said_in_words(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AppError) as caught:
        letters_context_less_set(document=written(tmp_path, text))
    assert says in str(caught.value)
