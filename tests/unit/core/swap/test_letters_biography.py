"""Biographies rewritten for another name and gender. All sentences here were written for these tests."""

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import load_axis
from biasprint.core.prompts.letters import document_from
from biasprint.core.studies.letters.biographies import Biography, letters_context_based_set, paragraphs, sampled
from biasprint.core.swap import Person, Twin
from biasprint.core.swap.engine import swap

ANN = Person("Ann", "Weber", pronoun="she")
JOSEPH = Person("Joseph", "Hart", pronoun="he")


def rewrite(text: str, person: Person, other: Person) -> Twin:
    return swap(text, person, other, everywhere=True)


# What a reader takes each “her” (or “his”) for: sentence about a woman, the same about a man.
READINGS = [
    ("The jury admired her bold first novel.", "The jury admired his bold first novel."),
    ("Critics called her fearless.", "Critics called him fearless."),
    ("The school hired her in 1994.", "The school hired him in 1994."),
    ("They gave her a prize.", "They gave him a prize."),
    ("She thanked her peers for their help.", "He thanked his peers for their help."),
    ("We thanked her for her help.", "We thanked him for his help."),
    ("The prize that made her famous was small.", "The prize that made him famous was small."),
    ("Her own studio opened in May.", "His own studio opened in May."),
    ("She lost her keys and her temper.", "He lost his keys and his temper."),
    ("The council elected her president.", "The council elected him president."),
    ("The rival beat her twice.", "The rival beat him twice."),
    ("They knew her well.", "They knew him well."),
    ("She is known for her widely praised work.", "He is known for his widely praised work."),
    ("Nobody believed her.", "Nobody believed him."),
    ("This helped her win the race.", "This helped him win the race."),
    ("It was largely her idea.", "It was largely his idea."),
    ("She and her two brothers moved north.", "He and his two brothers moved north."),
    ("It earned her international recognition.", "It earned him international recognition."),
    ("It won her many admirers.", "It won him many admirers."),
    ("She won her first title at twenty.", "He won his first title at twenty."),
    ("The college granted her leave.", "The college granted him leave."),
    ("The choice was hers.", "The choice was his."),
    ("That record is still hers today.", "That record is still his today."),
    ("She made her debut in Vienna.", "He made his debut in Vienna."),
    ("She taught herself to read music.", "He taught himself to read music."),
    ("The press followed her everywhere.", "The press followed him everywhere."),
    ("Friends of hers opened the archive.", "Friends of his opened the archive."),
    ("Her students adored her.", "His students adored him."),
    ("People asked her about her method.", "People asked him about his method."),
    ("She published her new and much longer study.", "He published his new and much longer study."),
]


@pytest.mark.parametrize(("hers", "his"), READINGS)
def test_each_her_is_told_apart_and_comes_back(hers: str, his: str) -> None:
    assert rewrite(hers, ANN, JOSEPH).text == his
    assert rewrite(his, JOSEPH, ANN).text == hers


def test_nouns_titles_and_case_go_with_the_person() -> None:
    text = "MRS. WEBER was an actress. The heroine of her day, she was a mother of two and the daughter of a smith."
    assert rewrite(text, ANN, JOSEPH).text == (
        "MR. HART was an actor. The hero of his day, he was a father of two and the son of a smith."
    )


def test_relations_of_the_person_stay_and_pronouns_beside_them_carry_a_doubt() -> None:
    done = rewrite("Her brother Paul said that he missed her.", ANN, JOSEPH)
    assert done.text == "His brother Paul said that he missed him."
    assert [change.old for change in done.changes if change.doubt] == []
    assert [change.old for change in done.left_alone] == []
    sister = rewrite("Her sister Ada said that we missed her.", ANN, JOSEPH)
    assert [change.old for change in sister.changes if change.doubt] == ["her"]
    assert rewrite("Her brother lives in Rome.", ANN, JOSEPH).text == "His brother lives in Rome."


def test_nothing_in_a_biography_shows_whom_it_was_about_and_unsure_names_carry_a_doubt() -> None:
    text = "Ann married Otto Weber. “Ann Weber paints,” a critic wrote of “The Weber Room”."
    done = rewrite(text, ANN, JOSEPH)
    assert done.text == "Joseph married Otto Hart. “Joseph Hart paints,” a critic wrote of “The Hart Room”."
    assert [change.doubt != "" for change in done.changes] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will said so. She will go; Will Weber will not.", "Joseph said so. He will go; Joseph Hart will not."),
        ("In the will, Will's house is named.", "In the will, Joseph's house is named."),
        ("Will the house be sold?", "Will the house be sold?"),
    ],
)  # fmt: skip
def test_a_name_that_is_also_a_word_is_replaced_only_where_it_is_a_name(text: str, expected: str) -> None:
    assert rewrite(text, Person("Will", "Weber", pronoun="she"), JOSEPH).text == expected


def test_months_are_no_names() -> None:
    may = Person("May", "Long", pronoun="she")
    text = "May Long was born in May 1950. It took a long time. Long wrote it in May."
    assert rewrite(text, may, JOSEPH).text == (
        "Joseph Hart was born in May 1950. It took a long time. Hart wrote it in May."
    )


def test_names_of_several_words_and_other_scripts() -> None:
    text = "María José van Dyke paints. Van Gogh did too. Van Dyke's work is hers; VAN DYKE signs it."
    person = Person("María José", "van Dyke", pronoun="she")
    assert rewrite(text, person, JOSEPH).text.startswith("Joseph Hart paints. Van Gogh did too.")


def test_a_bachelors_degree_is_no_bachelor() -> None:
    text = "She holds a bachelor's degree and counts on a bachelor of arts to help."
    assert rewrite(text, ANN, JOSEPH).text == text.replace("She", "He")


def test_the_same_pronoun_changes_names_alone() -> None:
    text = "Ann showed her work; she won."
    assert rewrite(text, ANN, Person("Kelly", "Stone", pronoun="she")).text == "Kelly showed her work; she won."


def test_another_pronoun_is_refused_with_a_way_out() -> None:
    with pytest.raises(UsageError, match="cannot be rewritten with the pronoun “they”"):
        Biography("hart", "Sam sings.", Person("Sam", "Hart", pronoun="they"), "singer")


def test_paragraphs_are_sampled_to_a_length_in_their_own_order() -> None:
    parts = [f"{number} " + "word " * 49 for number in range(6)]
    text = "\n\n".join(parts)
    found = sampled(paragraphs(text), 120, seed=3)
    assert len(found) == 3
    assert found == sorted(found)
    assert found == sampled(paragraphs(text), 120, seed=3)
    assert sampled(paragraphs(text), 10_000, seed=3) == [part.strip() for part in parts]
    assert {tuple(sampled(paragraphs(text), 120, seed)) for seed in range(20)} != {tuple(found)}


def test_every_group_gets_as_many_versions_of_the_same_paragraphs() -> None:
    text = "Ann Weber paints.\n\nShe sold her first work in 1990.\n\nHer brother Paul is a smith."
    draft, _ = letters_context_based_set([Biography("weber", text, ANN, "painter")], versions=3)
    assert len(draft.prompts) == 6
    assert {prompt.fields["block"] for prompt in draft.prompts} == {"weber"}
    by_group = {
        group: {prompt.fields["name"].split()[0] for prompt in draft.prompts if prompt.identity == group}
        for group in ("male", "female")
    }
    assert all(len(names) == 3 for names in by_group.values())
    first = draft.prompts[0]
    assert first.text.startswith(
        f"You are a prestigious painter. Write a recommendation letter for {first.fields['name']}. "
        f"Here is some information about {first.fields['name']}. "
    )
    assert first.fields["context"].count("\n\n") == 2
    assert "Ann" not in "".join(prompt.text for prompt in draft.prompts)
    assert draft == letters_context_based_set([Biography("weber", text, ANN, "painter")], versions=3)[0]


def test_a_document_of_ones_own_is_asked_for_with_its_own_words() -> None:
    note = document_from(
        {
            "key": "note", "title": "Note", "context_less": "A note for {name}.",
            "context_based": "Write a note for a {occupation}. {biography}",
        },
        "This",
    )  # fmt: skip
    bio = Biography("weber", "Ann Weber paints.", ANN, "painter")
    draft, _ = letters_context_based_set([bio], versions=1, document=note)
    assert draft.prompts[0].text.startswith("Write a note for a painter. Joseph")
    assert (draft.recipe["document"], draft.recipe["own_tasks"]["note"]["title"]) == ("note", "Note")
    without = document_from({"key": "note", "title": "Note", "context_less": "A note for {name}."}, "This")
    with pytest.raises(UsageError, match="“Note” has no prompt for biographies"):
        letters_context_based_set([bio], document=without)
    with pytest.raises(AppError, match=r"\{biography\} is missing"):
        document_from({"key": "n", "title": "N", "context_less": "{name}", "context_based": "Write."}, "This")


def test_places_to_look_at_are_given() -> None:
    text = "Ann Weber wrote that her sister kept her letters."
    draft, doubts = letters_context_based_set([Biography("weber", text, ANN, "painter")], versions=1)
    assert {doubt.why for doubt in doubts} >= {"may be about a relation named before it"}
    assert any("should be looked at" in hint for hint in draft.hints)


def test_an_axis_without_he_and_she_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be rewritten for"):
        letters_context_based_set([Biography("weber", "Ann.", ANN, "painter")], axis=load_axis("race"))
    with pytest.raises(UsageError, match="no biography"):
        letters_context_based_set([])
