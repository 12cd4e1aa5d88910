"""Swap twins: the same letter for another name and gender, or a reason why there is none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from compare_projects import Writing, imported_letters, letters

from biasprint.core.errors import AppError
from biasprint.core.runs.compare.kinds import NO_NAME, NO_PRONOUN
from biasprint.core.studies.letters.gather import letters as measured_letters
from biasprint.core.swap import Person
from biasprint.core.swap.engine import DOUBTFUL, MIXED, REMAINS, UNCHANGED, strict_twin

KELLY, JOSEPH = Person("Kelly", pronoun="she"), Person("Joseph", pronoun="he")


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    yield made
    made.project.close()


@pytest.mark.parametrize(
    ("letter", "twin"),
    [
        ("Kelly Smith is a dancer. She loves her work, and we trust her.",
         "Joseph Smith is a dancer. He loves his work, and we trust him."),
        ("I know Kelly Smith. Ms. Smith wrote it herself; the idea was hers.",
         "I know Joseph Smith. Mr. Smith wrote it himself; the idea was his."),
        ("KELLY is a businesswoman.", "JOSEPH is a businessman."),
        ("Kelly hosts a show and has a bachelor's degree.", "Joseph hosts a show and has a bachelor's degree."),
        ("Dear Sir/Madam, Kelly gave her guests a show.", "Dear Sir/Madam, Joseph gave his guests a show."),
    ],
)  # fmt: skip
def test_name_pronouns_titles_and_nouns_change_and_the_family_name_stays(letter: str, twin: str) -> None:
    assert strict_twin(letter, KELLY, JOSEPH).text == twin
    assert strict_twin(twin, JOSEPH, KELLY).text == letter


def test_a_relation_is_a_doubt_only_where_the_pronoun_could_be_theirs() -> None:
    letter, twin = "Kelly met her brother, and she danced.", "Joseph met his brother, and he danced."
    assert strict_twin(letter, KELLY, JOSEPH).text == twin
    assert strict_twin(twin, JOSEPH, KELLY).reason == DOUBTFUL


@pytest.mark.parametrize(
    ("letter", "reason"),
    [
        ("The candidate is a dancer of great skill.", UNCHANGED),
        ("Kelly met her sister, and she danced.", DOUBTFUL),
        ("Kelly is a dancer. Dr. Brown says he trusts Kelly.", MIXED),
        ("Kelly is a dancer. Mrs. Brown is a singer.", REMAINS),
    ],
)
def test_what_cannot_be_swapped_safely_is_not_swapped(letter: str, reason: str) -> None:
    made = strict_twin(letter, KELLY, JOSEPH)
    assert (made.text, made.reason) == ("", reason)


def test_each_letter_stands_beside_its_twin_which_is_stored_once(writing: Writing) -> None:
    letters(writing)
    drawn = writing.draw("letters", kind="twin")
    assert len(drawn.drawn.comparisons) == 8
    for row in writing.project.judging.comparisons(drawn.plan_id):
        assert (row.axis, sorted(item.identity for item in row.items)) == ("twin", ["female", "male"])
        (letter,) = [item for item in row.items if item.output is not None]
        (twin,) = [item for item in row.items if item.source is not None]
        original = writing.project.outputs.get(letter.output)
        text = writing.project.texts([twin.key])[twin.key]
        assert original.fields["group"] == letter.identity != twin.identity
        name = {"male": "Joseph", "female": "Kelly"}
        assert name[letter.identity] in original.text
        assert name[twin.identity] in text
        assert text.split("Number")[1] == original.text.split("Number")[1]
    sources = writing.project.sources.page(writing.study("letters"), kind="twin")
    assert {source.kind for source in sources} == {"twin"}
    assert all(source.origin.startswith("twin of output ") for source in sources)
    again = writing.draw("letters", kind="twin")
    assert (again.made, again.plan_id) == (False, drawn.plan_id)
    assert len(writing.project.sources.page(writing.study("letters"), kind="twin")) == len(sources) == 8


def test_only_the_twins_that_are_drawn_are_stored_and_both_groups_are_originals(writing: Writing) -> None:
    letters(writing, [f"job {number}" for number in range(10)])
    drawn = writing.draw("letters", kind="twin", per_axis=10)
    assert len(writing.project.sources.page(writing.study("letters"), kind="twin")) == 10
    assert drawn.drawn.reasons == {"not drawn: enough comparisons": 10}
    groups = [item.identity for one in drawn.drawn.comparisons for item in one.items if item.output is not None]
    assert groups.count("male") == groups.count("female") == 5
    assert all(left.source is None or left.source > 0 for left in drawn.drawn.left_out)


def test_twins_are_not_measured_as_letters(writing: Writing) -> None:
    letters(writing)
    before = list(measured_letters(writing.project, writing.study("letters")))
    writing.draw("letters", kind="twin")
    assert list(measured_letters(writing.project, writing.study("letters"))) == before


def test_imported_letters_have_twins_where_name_and_group_are_known(writing: Writing) -> None:
    row = {"text": "Kelly Smith is a dancer. She loves her work.", "group": "female", "name": "Kelly Smith"}
    rows = [
        row,
        {**row, "text": row["text"] + " Really.", "name": ""},
        {**row, "text": row["text"] + " Truly.", "group": "violet"},
        {**row, "text": " "},
        {**row, "text": "A dancer of great skill."},
    ]
    imported_letters(writing, rows)
    drawn = writing.draw("letters", kind="twin")
    assert [set(texts) for texts in writing.texts(drawn)] == [
        {"Kelly Smith is a dancer. She loves her work.", "Joseph Smith is a dancer. He loves his work."}
    ]
    assert drawn.drawn.reasons == {NO_NAME: 1, NO_PRONOUN: 1, "its text is empty": 1, UNCHANGED: 1}
    (twin,) = writing.project.sources.page(writing.study("letters"), kind="twin")
    assert (twin.fields["twin_of"], twin.fields["group"], twin.fields["name"]) == ("source 1", "male", "Joseph Smith")
    assert twin.fields["engine"] == "rules 3"


def test_where_no_letter_can_be_swapped_the_commonest_reason_is_told(writing: Writing) -> None:
    imported_letters(writing, [{"text": f"Letter {number}", "group": "female"} for number in range(3)])
    with pytest.raises(AppError, match="3 of 3 texts were left out because the name of whom it is about is not known"):
        writing.draw("letters", kind="twin")
    writing.study("creativity")
    with pytest.raises(AppError, match="Only letters have swap twins"):
        writing.draw("creativity", kind="twin")
