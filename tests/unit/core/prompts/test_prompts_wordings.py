"""Prompts in several wordings: the shipped paraphrases, one's own, and what is refused."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.prompts.designs import available_designs
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.template import Template
from biasprint.core.runs.setup import draft_prompts
from biasprint.core.studies.kit.choice import PromptChoice

SETS = [
    ("creativity", {"themes": ["sun"]}),
    ("creativity", {"preset": "human"}),
    ("completion", {"domains": ["ageism"], "directions": ["SAI"]}),
    ("news", {"ideology": "Androcentrism"}),
    *[("letters", {"document": document, "occupations": ["chef"]}) for document in letter_design().documents],
    *[("compare", {"design": design}) for design in available_designs()],
]


def drafted(study: str, **choice: object) -> PromptSetDraft:
    return draft_prompts(JobContext(), None, study, PromptChoice(**choice))  # type: ignore[arg-type]


@pytest.mark.parametrize(("study", "choice"), SETS, ids=lambda value: str(value))
def test_every_shipped_prompt_has_five_wordings_with_the_same_placeholders(
    study: str, choice: dict[str, object]
) -> None:
    plain, several = drafted(study, **choice), drafted(study, **choice, wordings="all")
    templates = several.recipe["wordings"]
    assert len(templates) >= 5
    for key, text in templates[0].items():
        assert [set(Template(wording[key]).names) for wording in templates] == [set(Template(text).names)] * len(
            templates
        )
        assert len({wording[key] for wording in templates}) == len(templates), key
    first = [prompt for prompt in several.prompts if prompt.fields["wording"] == "1"]
    # Wording 1 is the set as it always was; the others are the same prompts in other words.
    assert [(prompt.key, prompt.text) for prompt in first] == [(prompt.key, prompt.text) for prompt in plain.prompts]
    assert len(several.prompts) == len(templates) * len(plain.prompts)
    assert len({prompt.text for prompt in several.prompts[: len(templates)]}) == len(templates)
    assert "wording" not in plain.prompts[0].fields
    assert "wordings" not in plain.recipe


def test_prompts_of_biographies_are_reworded_too(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(
        "text,first_name,last_name,gender,occupation\nAda Low paints. She won a prize.,Ada,Low,f,painter\n"
    )
    several = drafted("letters", biographies=table, versions=1, wordings="5")
    assert len({prompt.text for prompt in several.prompts}) == 10
    assert all("prize" in prompt.text for prompt in several.prompts)


def test_wordings_of_ones_own_are_a_text_file_or_a_copied_one(tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text("A letter for {name}, please: {gender}, {age}, {occupation}.\n", encoding="utf-8")
    draft = drafted("letters", occupations=["chef"], wordings=str(own))
    assert [prompt.key for prompt in draft.prompts[:2]] == [
        "letters/chef/20/male/Joseph",
        "letters/chef/20/male/Joseph/wording/2",
    ]
    assert draft.prompts[1].text == "A letter for Joseph, please: male, 20, chef."
    assert draft.prompts[0].fields["block"] == draft.prompts[1].fields["block"]
    template, table = tmp_path / "asked.txt", tmp_path / "people.csv"
    template.write_text("Say hello to {name}.", encoding="utf-8")
    table.write_text("name,group\nAda,f\nBob,m\n", encoding="utf-8")
    own.write_text("Greet {name}.\nin one line\n---\n{name} comes in. Say something.\n", encoding="utf-8")
    draft = drafted("compare", template=template, table=table, wordings=str(own))
    assert [prompt.text for prompt in draft.prompts[:3]] == [
        "Say hello to Ada.", "Greet Ada.\nin one line", "Ada comes in. Say something.",
    ]  # fmt: skip
    copied = tmp_path / "copied.toml"
    copied.write_text('song = ["Sing of {theme}"]\nblog = ["Post on {theme}"]\n', encoding="utf-8")
    draft = drafted("creativity", tasks=["song"], themes=["sun"], wordings=str(copied))
    assert len(draft.prompts) == 2 * 9
    assert draft.prompts[1].text == "Sing of sun"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Write to {name}, {gender}, {occupation}.", "wording 2 of “letter” lacks {age}"),
        ("For {name} {age} {gender} {occupation} {hair}.", "wording 2 of “letter” has, unlike the first, {hair}"),
        ("{name} {age} {gender} {occupation}\n{name}  {age} {gender} {occupation}", "2 and 3 of “letter” are the same"),
        ("A {name", "no partner"),
        ("", "has no wording of these prompts"),
    ],
)  # fmt: skip
def test_wordings_that_are_none_are_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    own = tmp_path / "mine.txt"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(AppError, match=sentence):
        drafted("letters", wordings=str(own))


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"study": "letters", "wordings": "6"}, "has 4 other wordings of “letter”, and 5 are needed"),
        ({"study": "letters", "wordings": "0"}, "cannot be made in 0 wordings"),
        ({"study": "letters", "wordings": "many"}, "no number of wordings"),
        ({"study": "news", "wordings": "5", "base_model": True}, "one wording only"),
    ],
)
def test_a_number_that_there_is_not_is_refused_in_a_sentence(choice: dict[str, object], sentence: str) -> None:
    with pytest.raises(AppError, match=sentence):
        drafted(**choice)  # type: ignore[arg-type]
