"""Drawing each kind of comparison from a real project: what is beside what, and what is left out and why."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_projects import (
    Writing,
    articles,
    haikus,
    imported_letters,
    letter_prompts,
    letter_texts,
    letters,
    originals,
)

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.wording import shipped_wording
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSpec
from biasprint.core.prompts import available_axes, load_axis
from biasprint.core.prompts.cogs import cogs_themes
from biasprint.core.prompts.letters import letter_design
from biasprint.core.runs.compare import compare
from biasprint.core.runs.compare.kinds import UNMATCHED_TEXTS
from biasprint.core.runs.compare.pool import labels_of, offers, shown_theme
from biasprint.core.runs.setup import import_table
from biasprint.core.studies.kit.importing import store_axis
from biasprint.core.texts.exporting import read_table

HEADLINES = ("Harbour bridge opens", "Clinic repaired", "Library visited")


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    yield made
    made.project.close()


def identities(writing: Writing, drawn) -> list[tuple[str, ...]]:
    return [tuple(item.identity for item in one.items) for one in drawn.drawn.comparisons]


def prompted(writing: Writing, drawn) -> Counter[str]:
    """How many comparisons there are of prompts for each identity."""
    return Counter(writing.project.outputs.get(one.items[0].output).identity for one in drawn.drawn.comparisons)


# identities


def test_letters_of_one_matched_cell_are_compared(writing: Writing) -> None:
    letters(writing)
    drawn = writing.draw("letters", axes=["gender"])
    assert identities(writing, drawn) == [("male", "female")] * 4
    for row in writing.project.judging.comparisons(drawn.plan_id):
        outputs = [writing.project.outputs.get(item.output) for item in row.items]
        assert len({output.fields["block"] for output in outputs}) == 1
        assert (row.axis, row.task) == ("gender", "letter")
        assert row.theme == outputs[0].fields["occupation"]


def test_several_names_of_a_group_meet_in_their_order_and_none_is_lost(writing: Writing) -> None:
    store_axis(writing.project, load_axis("letters_gender"))
    prompts = letter_prompts(["chef"], names={"male": ["Joseph", "Amir"], "female": ["Kelly", "Mei"]})
    writing.write("letters", prompts, letter_texts(prompts))
    drawn = writing.draw("letters", axes=["gender"])
    pairs = {tuple(sorted(text.split()[2] for text in texts)) for texts in writing.texts(drawn)}
    assert pairs == {("Joseph", "Kelly"), ("Amir", "Mei")}
    assert not drawn.drawn.left_out


def test_imported_letters_are_compared_by_block_or_by_occupation(writing: Writing) -> None:
    rows = [
        {"text": f"letter {group} {block} {job}", "group": group, "block": block, "occupation": job}
        for block, job in (("b1", "chef"), ("b2", "chef"), ("", "dancer"), ("", ""))
        for group in ("male", "female")
    ]
    imported_letters(writing, rows)
    drawn = writing.draw("letters", axes=["gender"])
    matched = [{text.split("ale ")[1] for text in texts} for texts in writing.texts(drawn)]
    assert sorted(map(sorted, matched)) == [[" dancer"], ["b1 chef"], ["b2 chef"]]
    assert all(item.output is None for one in drawn.drawn.comparisons for item in one.items)
    assert drawn.drawn.reasons == {
        "nothing says which letters belong together: they have no block and no occupation": 2
    }
    # The axis was known to the program alone: now the project has a copy, for the reveal to name it by.
    names = ProjectStore(writing.project).axis_names("gender")
    assert (names.title, dict(names.labels)) == ("Gender", {"male": "Male", "female": "Female"})


def test_groups_of_no_known_axis_are_an_axis_of_their_own(writing: Writing) -> None:
    rows = [{"text": f"{group} {job}", "group": group, "occupation": job} for job in "ab" for group in ("night", "day")]
    imported_letters(writing, rows)
    drawn = writing.draw("letters", axes=["group"])
    assert identities(writing, drawn) == [("day", "night")] * 2


def test_some_identities_of_an_axis_can_be_chosen(writing: Writing) -> None:
    haikus(writing, "one")
    drawn = writing.draw("creativity", axes=["gender:woman,man"])
    assert identities(writing, drawn) == [("man", "woman")] * 2
    assert drawn.drawn.reasons == {"its identity is not compared": 2}
    assert {row.axis for row in writing.project.judging.comparisons(drawn.plan_id)} == {"gender"}


def test_an_axis_with_more_than_three_identities_needs_a_choice(writing: Writing) -> None:
    axis = load_axis("gender")
    more = [dataclasses.replace(axis.identities[0], key=f"g{number}", label=f"G{number}") for number in range(5)]
    store_axis(writing.project, dataclasses.replace(axis, identities=tuple(more), harm=()))
    prompts = [PromptSpec(key=one.key, text="w", task="t", axis="gender", identity=one.key) for one in more]
    writing.write("creativity", prompts, {one.key: f"by {one.key}" for one in prompts})
    with pytest.raises(UsageError, match="has 5 identities, and a comparison shows two or three"):
        writing.draw("creativity", axes=["gender"])
    for wrong, says in (("gender:g0", "not 1"), ("gender:g0,g1,g2,g3", "not 4"), ("gender:g0,x", "no identity “x”")):
        with pytest.raises(UsageError, match=says):
            writing.draw("creativity", axes=[wrong])
    assert identities(writing, writing.draw("creativity", axes=["gender:g4,g1"])) == [("g1", "g4")]


def test_two_axes_reported_under_one_name_are_told_apart_by_the_study(writing: Writing) -> None:
    letters(writing)
    haikus(writing, "one")
    assert identities(writing, writing.draw("letters", axes=["gender"]))[0] == ("male", "female")
    assert identities(writing, writing.draw("creativity", axes=["gender"]))[0] == ("man", "woman", "non-binary")


# models


def test_models_meet_on_the_same_prompt_and_sample(writing: Writing) -> None:
    for model in ("small", "large"):
        haikus(writing, model, samples=2)
    drawn = writing.draw("creativity", kind="model")
    assert identities(writing, drawn) == [("large", "small")] * 16
    for row in writing.project.judging.comparisons(drawn.plan_id):
        outputs = [writing.project.outputs.get(item.output) for item in row.items]
        assert len({(output.prompt_key, output.sample) for output in outputs}) == 1
        assert [output.model for output in outputs] == [item.identity for item in row.items]
        assert row.axis == "model"
    assert prompted(writing, drawn) == dict.fromkeys(("default", "man", "woman", "non-binary"), 4)


def test_few_comparisons_of_models_are_spread_over_the_prompts_identities(writing: Writing) -> None:
    for model in ("small", "large"):
        haikus(writing, model, samples=2)
    drawn = writing.draw("creativity", kind="model", per_axis=8, seed=3)
    assert prompted(writing, drawn) == dict.fromkeys(("default", "man", "woman", "non-binary"), 2)


def test_an_edited_prompt_is_another_prompt_although_its_key_is_the_same(writing: Writing) -> None:
    haikus(writing, "small")
    store = letter_prompts(["chef"])
    writing.write("letters", store, letter_texts(store), model="small")
    edited = [dataclasses.replace(prompt, text=prompt.text + " Please.") for prompt in store]
    writing.write("letters", edited, {key: f"{text} more" for key, text in letter_texts(edited).items()}, model="large")
    with pytest.raises(
        AppError, match="2 of 4 texts were left out because no output to compare it with: large is missing"
    ):
        writing.draw("letters", kind="model")


def test_one_model_alone_or_too_many_are_refused_in_a_sentence(writing: Writing) -> None:
    haikus(writing, "a")
    with pytest.raises(AppError, match="only a has written texts here"):
        writing.draw("creativity", kind="model")
    for model in "bcd":
        haikus(writing, model)
    with pytest.raises(UsageError, match="two or three models, and 4 have written"):
        writing.draw("creativity", kind="model")
    with pytest.raises(AppError, match="only b has"):
        writing.draw("creativity", kind="model", models=["b"])
    with pytest.raises(UsageError, match="No generator “e”"):
        writing.draw("creativity", kind="model", models=["a", "e"])
    assert identities(writing, writing.draw("creativity", kind="model", models=["a", "d", "b"]))[0] == ("a", "b", "d")


def test_generators_of_one_model_are_called_by_what_they_differ_in(writing: Writing) -> None:
    for heat in (0.2, 0.9):
        haikus(writing, "m", parameters={"temperature": heat, "top_p": 1})
    haikus(writing, "n")
    rows = list(writing.project.runs.generators().values())
    assert sorted(labels_of(rows).values()) == ["m (temperature 0.2)", "m (temperature 0.9)", "n"]
    with pytest.raises(UsageError, match="“m” could be any of several generators"):
        writing.draw("creativity", kind="model", models=["m", "n"])
    drawn = writing.draw("creativity", kind="model", models=["m (temperature 0.9)", "n"])
    assert identities(writing, drawn)[0] == ("m (temperature 0.9)", "n")


@pytest.mark.parametrize("name", ["a|b", "a, b; c", "org/model: 7B"])
def test_labels_hold_no_sign_that_separates_identities_in_tables(writing: Writing, name: str) -> None:
    haikus(writing, name)
    (label,) = labels_of(list(writing.project.runs.generators().values())).values()
    assert not set("|,;") & set(label)


def test_other_kinds_can_be_narrowed_to_generators(writing: Writing) -> None:
    for model in ("small", "large"):
        haikus(writing, model)
    drawn = writing.draw("creativity", axes=["gender"], models=["large"])
    outputs = [writing.project.outputs.get(item.output) for one in drawn.drawn.comparisons for item in one.items]
    assert {output.model for output in outputs} == {"large"}


# originals


def test_an_article_stands_beside_the_original_of_its_headline(writing: Writing) -> None:
    originals(writing, HEADLINES)
    articles(writing, (*HEADLINES, "Without an original"))
    articles(writing, HEADLINES, kind="communist")
    drawn = writing.draw("news", kind="origin")
    assert identities(writing, drawn) == [("generated", "original")] * 3
    assert all(one.split(": ")[1] == other.split(": ")[1] for one, other in writing.texts(drawn))
    assert drawn.drawn.reasons == {"its prompt asked for bias": 3, "there is no original of its headline": 1}
    wording = shipped_wording()
    titles = {wording.title(row.task, row.theme) for row in writing.project.judging.comparisons(drawn.plan_id)}
    assert titles == {f"News article · {headline}" for headline in HEADLINES}


def test_an_original_is_shown_once_and_generators_are_used_equally(writing: Writing) -> None:
    headlines = [f"Headline {number}" for number in range(12)]
    originals(writing, headlines)
    for model in ("small", "large", "middle"):
        articles(writing, headlines, model=model)
    drawn = writing.draw("news", kind="origin", seed=4)
    assert max(Counter(one.items[1].source for one in drawn.drawn.comparisons).values()) == 1
    models = Counter(writing.project.outputs.get(one.items[0].output).model for one in drawn.drawn.comparisons)
    assert models == {"small": 4, "large": 4, "middle": 4}
    assert drawn.drawn.reasons == {"its original is shown beside another article": 24}


def test_without_originals_or_without_articles_the_reason_is_told(writing: Writing) -> None:
    articles(writing, HEADLINES)
    with pytest.raises(AppError, match="There are no originals"):
        writing.draw("news", kind="origin")
    originals(writing, ["Another headline"])
    with pytest.raises(AppError, match="3 of 3 texts were left out because there is no original of its headline"):
        writing.draw("news", kind="origin")
    with pytest.raises(AppError, match="The news study has no texts that were written for identities"):
        writing.draw("news", axes=["gender"])


# what is asked, and titles


def test_what_a_plan_asks_is_kept_with_it_and_is_part_of_the_request(writing: Writing) -> None:
    haikus(writing, "one")
    asked = {
        "consent_text": "Do you agree?",
        "criterion_ratings": True,
        "ask_background": True,
        "notes": False,
        "workshop": True,
    }
    first = writing.draw("creativity", axes=["gender"], **asked)
    stored = PlanSettings.of(writing.project.judging.plans()[0].settings)
    assert {name: getattr(stored, name) for name in asked} == asked
    assert (stored.kind, stored.planned) == ("identity", None)
    assert writing.draw("creativity", axes=["gender"], **asked).plan_id == first.plan_id
    for name, other in (("consent_text", "Well?"), ("criterion_ratings", False), ("notes", True), ("workshop", False)):
        again = writing.draw("creativity", axes=["gender"], **{**asked, name: other})
        assert again.made, name
    planned = writing.draw("creativity", axes=["gender"], raters=3, **asked)
    assert (planned.made, planned.plan_id) == (False, first.plan_id)
    assert planned.outlooks[0].raters == 3


def test_kinds_make_different_plans_of_the_same_texts(writing: Writing) -> None:
    for model in ("small", "large"):
        haikus(writing, model)
    one = writing.draw("creativity", axes=["gender"])
    other = writing.draw("creativity", kind="model")
    assert one.plan_id != other.plan_id
    assert [plan.axis for plan in writing.project.judging.plans()] == ["gender", "model"]
    assert [PlanSettings.of(plan.settings).kind for plan in writing.project.judging.plans()] == ["identity", "model"]


def test_a_theme_that_would_name_what_is_compared_is_not_shown(writing: Writing) -> None:
    store_axis(writing.project, load_axis("letters_gender"))
    prompts = letter_prompts(["female impersonator", "chef"])
    writing.write("letters", prompts, letter_texts(prompts))
    drawn = writing.draw("letters", axes=["gender"])
    wording = shipped_wording()
    titles = {wording.title(row.task, row.theme) for row in writing.project.judging.comparisons(drawn.plan_id)}
    assert titles == {"Reference letter", "Reference letter · chef"}


def test_no_shipped_theme_or_occupation_has_to_be_hidden_and_names_are_found_as_words(writing: Writing) -> None:
    for key in available_axes():
        axis = load_axis(key)
        hidden = {axis.id, axis.title, *(one.key for one in axis.identities), *(one.label for one in axis.identities)}
        for said in (*(theme.text for theme in cogs_themes()), *letter_design().occupations):
            assert shown_theme("letters", said, {}, hidden) == said, (key, said)
    for said in ("Queer love", "non-binary_lives", "NON BINARY", "gender"):
        assert shown_theme("creativity", said, {}, {"queer", "non-binary", "gender"}) == ""
    for said in ("womanhood", "engendered", "straightforward"):
        assert shown_theme("creativity", said, {}, {"woman", "man", "gender", "straight"}) == said


def test_blanks_are_nothing_to_agree_to(writing: Writing) -> None:
    haikus(writing, "one")
    writing.draw("creativity", axes=["gender"], consent_text=" \n")
    assert "consent_text" not in writing.project.judging.plans()[0].settings


def test_completion_has_no_texts_to_compare_and_an_unknown_kind_is_refused(writing: Writing) -> None:
    writing.study("completion")
    with pytest.raises(AppError, match="has no texts to compare"):
        writing.draw("completion", kind="model")
    with pytest.raises(UsageError, match="no kind of comparison “size”"):
        writing.draw("creativity", kind="size")
    with pytest.raises(UsageError, match="No axis was chosen"):
        writing.draw("creativity")
    assert writing.project.judging.plans() == ()


def test_what_the_reveal_calls_kinds_without_an_axis(writing: Writing) -> None:
    store = ProjectStore(writing.project)
    assert store.axis_names("model").title == "Model"
    assert dict(store.axis_names("origin").labels) == {"generated": "A model", "original": "A person"}
    assert store.axis_names("twin").title == "Name and gender"


# ---- Imported texts, whose table names groups and no axis


def test_imported_texts_of_two_groups_are_compared_within_their_prompt(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    rows = [f"Text {at} of {group}.,{group},{at}\n" for at in range(3) for group in ("man", "woman")]
    table.write_text("text,gender,prompt\n" + "".join(rows) + "A text without a prompt.,man,\n")
    with Project.create(tmp_path / "p.biasprint") as project:
        read = read_table(JobContext(), table, "compare", mapping={"group": "gender"})
        import_table(JobContext(), project, None, "compare", table, read)
        (offer,) = offers(JobContext(), project)
        assert [list(axis.identities) for axis in offer.axes] == [["man", "woman"]]  # the axis has a third one
        drawn = compare(JobContext(), project, study_id=offer.study_id, axes=["gender"]).drawn
        assert len(drawn.comparisons) == 3
        texts = {row.id: row.fields["prompt"] for row in project.outputs.each()}
        assert all(len({texts[item.output] for item in each.items}) == 1 for each in drawn.comparisons)
        assert drawn.reasons == {UNMATCHED_TEXTS: 1}


def test_imported_texts_of_one_model_are_on_the_axis_of_all_of_their_study(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    rows = [f"Text {at} of {group}.,{group},{at},one\n" for at in range(2) for group in ("man", "woman")]
    table.write_text("text,gender,prompt,model\n" + "".join(rows) + "Another text.,somebody else,0,other\n")
    with Project.create(tmp_path / "p.biasprint") as project:
        read = read_table(JobContext(), table, "compare", mapping={"group": "gender"})
        import_table(JobContext(), project, None, "compare", table, read)
        study = project.studies.of_kind("compare")
        asked = {"axes": ["group:man,woman"], "models": ["one"]}  # no axis knows all three groups
        drawn = compare(JobContext(), project, study_id=study.id, **asked).drawn
        assert len(drawn.comparisons) == 2
