"""Reference sets: figures without texts, kept by name, compared only with figures that the same versions made."""

import json
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import ScorerUse
from biasprint.core.letters import references
from biasprint.core.letters.categories import version_of_marks as marks_version
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.occupations import guess_occupation, occupation_key, same_occupation
from biasprint.core.letters.pile.read import reference_of_letters
from biasprint.core.letters.reading import compared_with, read_letter
from biasprint.core.letters.references import ReferenceLetter, ReferenceSet, from_bytes, to_bytes
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import LetterFigure
from biasprint.core.prompts.letters import letter_design

ROOT = Path(__file__).resolve().parents[4]
LETTER = "I recommend Kelly Moreno. She is a warm colleague, and she led the restoration of the press."
FORMALITY = ScorerUse("formality", "formality_f", "1")


def reference_set(count: int = 21, **changes: Any) -> ReferenceSet:
    """Letters for chefs with 100, 101, … words and formality 0.5."""
    letters = tuple(
        ReferenceLetter("chef", "female", {"words": 100.0 + n, "formality": 0.5, "agentic": 0.1}) for n in range(count)
    )
    made = ReferenceSet(
        "mine", "Mine", "made for a test.", True, letters, {"formality": "formality_f 1"}, "marks 1",
    )  # fmt: skip
    return replace(made, **changes)


FIGURES = (
    LetterFigure("words", "Length", 110.0, "words", 110),
    LetterFigure("formality", "Formal", 0.5, "share of sentences", 4, scorer=FORMALITY),
    LetterFigure("agentic", "Agentic", 0.4, "share of sentences", 4),
    LetterFigure("communal", "Communal", None, "share of sentences", 0, reason="the letter has no body"),
)


def test_a_figure_is_placed_among_the_letters_for_its_occupation() -> None:
    compared, said = compared_with(FIGURES, reference_set(), "Chefs", "marks 1")
    by_name = {one.name: one for one in compared}
    assert set(by_name) == {"words", "formality", "agentic"}
    words = by_name["words"]
    assert (words.n, words.below) == (21, 10.5 / 21)
    assert (words.middle_low, words.middle_high) == (102.0, 118.0)
    assert words.outside == ""
    assert (by_name["agentic"].outside, by_name["agentic"].below) == ("high", 1.0)
    assert said == "Compared with 21 letters for chef: made for a test."


@pytest.mark.parametrize(
    ("occupation", "letters"), [("pastry chef", 21), ("Pastry Chefs", 21), ("apprentice chef", 0), ("chef de rang", 0)]
)
def test_a_kind_of_an_occupation_is_placed_among_the_letters_for_the_wider_one(occupation: str, letters: int) -> None:
    compared, said = compared_with(FIGURES, reference_set(), occupation, "marks 1")
    assert {one.n for one in compared} == ({letters} if letters else set())
    expected = f"Compared with 21 letters for chef, as there are none for {occupation.lower()}: made for a test."
    assert (said == expected) == bool(letters)


@pytest.mark.parametrize(("machine_made", "said"), [(True, ""), (False, "high")])
def test_lying_outside_is_something_to_look_at_beside_letters_that_people_wrote(machine_made: bool, said: str) -> None:
    compared, _ = compared_with(FIGURES, reference_set(stand_in=machine_made), "chef", "marks 1")
    (agentic,) = (one for one in compared if one.name == "agentic")
    assert (agentic.outside, agentic.stands_out) == ("high", said)


def test_figures_of_other_versions_are_left_out_and_the_sentence_says_so() -> None:
    newer = replace(FIGURES[1], scorer=replace(FORMALITY, version="2"))
    compared, said = compared_with((FIGURES[0], newer, FIGURES[2]), reference_set(), "chef", "marks 2")
    assert [one.name for one in compared] == ["words"]
    assert said.endswith("Left out, because another version made the reference's figures: formal, agentic.")


@pytest.mark.parametrize(
    ("reference", "occupation", "says"),
    [
        (None, "chef", "No reference letters are chosen."),
        (reference_set(), " ", "The occupation is not known"),
        (
            reference_set(),
            "surgeon",
            "There is no reference for this occupation: “Mine” has no letters for “surgeon”, but for “chef”.",
        ),
        (reference_set(19), "chef", "“Mine” has 19 letters for “chef”: too few to compare with (20 are needed)."),
    ],
)
def test_why_nothing_is_compared_is_said(reference: ReferenceSet | None, occupation: str, says: str) -> None:
    compared, said = compared_with(FIGURES, reference, occupation, "marks 1")
    assert compared == ()
    assert said.startswith(says)


def test_occupations_are_the_same_in_singular_plural_and_any_case() -> None:
    assert same_occupation("Artists", "artist")
    assert occupation_key(" air  traffic Controllers ") == "air traffic controller"
    assert not same_occupation("chef", "writer")
    assert not same_occupation("", "")


def test_the_reason_of_an_occupation_cuts_no_word_in_two() -> None:
    text = "I supervised Kelly for four years. Quite extraordinarily, Kelly worked as a nurse."
    words = guess_occupation(text).reason.removeprefix("It says “… ").removesuffix("”.").split()
    assert words[-1] == "nurse"
    assert set(words) <= set(text.removesuffix(".").split())


@pytest.mark.parametrize(
    ("text", "occupation", "likely"),
    [
        ("Kelly is a 40 year old chef who cooks.", "chef", True),
        ("I worked with her as a gifted pastry chef in Lyon.", "pastry chef", True),
        ("He applies for the position of software engineer.", "", False),
        ("As a professor of law, I have taught many. Kelly is a diligent student.", "student", True),
        ("Her students and colleagues admire her.", "", False),
        ("She is a role model and a team player.", "", False),
        ("Dear Professor Field, I recommend Kelly.", "", False),
        ("It rains.", "", False),
        ("She is a hard worker and a good judge of people.", "", False),
        ("As a nurse she is calm. Her husband is a surgeon at the same hospital.", "nurse", True),
        ("My daughter, who is an architect, had him build it. He worked as a carpenter.", "carpenter", True),
        ("Her boyfriend was a cook with us. She began as a waitress.", "waitress", True),
        ("Among the eight software engineers I have supervised, she is the best.", "software engineer", True),
        ("He's a certified welder, and the inspector from the state agrees.", "welder", True),
        ("She has cooked for our family for five years. My sister is a paediatrician.", "", False),
        ("Since 2015 he has been hospital chaplain at St. Brendan's.", "hospital chaplain", True),
        ("As county archivist I was responsible. They were our first conservator in years.", "conservator", True),
        ("She was a senior ward assistant with us, and our best assistant.", "ward assistant", True),
        ("He was employed as a temporary worker. As an operator he was steady.", "", False),
        ("He came to us as an apprentice plumber.", "apprentice plumber", True),
        ("She might become an outstanding manager.", "", False),
        ("We lose our pastry chef with sorrow, and one of us is a paramedic.", "pastry chef", True),
        ("Ann Reed was a field ranger and later section leader under me.", "section leader", True),
        ("I was her line manager. She came to us as our textile conservator.", "textile conservator", True),
        ("She was a weaver in Lyon. She has been our conservator since 2015.", "conservator", True),
        ("There were eleven midwives, of whom Priscilla Anane was one.", "midwife", True),
        ("Ann Reed drove our mobile library. Her husband Carl Reed, a retired teacher, helped.", "", False),
        ("He is Seventh-day Adventist and a Methodist by birth.", "", False),
        ("Sofia has been our receptionist since the clinic opened. My own doctor knows her.", "receptionist", True),
    ],
)
def test_an_occupation_is_guessed_from_where_the_letter_says_it(text: str, occupation: str, likely: bool) -> None:
    found = guess_occupation(text)
    assert (found.occupation, found.likely) == (occupation, likely)
    assert found.reason


def test_a_set_comes_back_from_its_file_as_it_was() -> None:
    first = reference_set(3)
    made = replace(first, letters=(*first.letters, ReferenceLetter("“chef”", "", {"words": 1.5}, "a model")))
    data = to_bytes(made)
    assert from_bytes(data, "mine") == made
    assert to_bytes(from_bytes(data, "mine")) == data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda content: content.pop("marks"), "is not valid"),
        (lambda content: content.update(format=2), "made by a newer version"),
        (lambda content: content["letters"][0].pop(), "is damaged"),
        (lambda content: content["letters"][0].__setitem__(3, "many"), "is damaged"),
        (lambda content: content["letters"][0].__setitem__(3, 1e999), "is damaged"),
        (lambda content: content["columns"].reverse(), "is damaged"),
    ],
)
def test_a_damaged_file_is_told_in_a_sentence(change: Any, says: str) -> None:
    content = json.loads(to_bytes(reference_set(2)))
    change(content)
    with pytest.raises(AppError, match=says):
        from_bytes(json.dumps(content).encode(), "mine")


@pytest.mark.parametrize("data", [b"", b"\xff", b"[" * 100_000, b"[1]"])
def test_what_is_no_set_at_all_is_told_too(data: bytes) -> None:
    with pytest.raises(AppError, match="reference set"):
        from_bytes(data, "mine")


def test_sets_are_kept_listed_and_removed_by_name() -> None:
    references.save(reference_set())
    assert references.reference("mine") == reference_set()
    references.save(reference_set(30))
    assert [(one.name, one.letters) for one in references.references()] == [("bundled", 720), ("mine", 30)]
    references.remove("mine")
    assert [one.name for one in references.references()] == ["bundled"]
    with pytest.raises(UsageError, match="no reference set “mine”"):
        references.reference("mine")
    with pytest.raises(UsageError, match="no reference set “mine”"):
        references.remove("mine")


@pytest.mark.parametrize("name", ["", "../x", "a/b", "bundled", ".hidden", "x" * 61, "con", "a "])
def test_a_name_that_is_no_file_name_everywhere_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        references.save(reference_set(name=name))


def test_the_set_in_use_is_the_chosen_one_while_it_is_there() -> None:
    assert references.in_use() == references.BUNDLED
    with pytest.raises(UsageError):
        references.use("mine")
    one = ReferenceLetter("printer", "female", {"words": 300.0})
    references.save(replace(references.reference(references.BUNDLED), name="mine", letters=(one,)))
    references.use("mine")
    assert references.in_use() == "mine"
    assert [one.name for one in references.references()] == ["bundled", "mine"], "the choice is no set"
    references.remove("mine")
    assert references.in_use() == references.BUNDLED
    references.save(replace(references.reference(references.BUNDLED), name="mine", letters=(one, one)))
    assert len(references.reference("mine").letters) == 2, "a set that was made again is read again"
    references.use(references.BUNDLED)
    assert references.in_use() == references.BUNDLED


def test_a_damaged_set_is_listed_with_what_is_wrong() -> None:
    references.save(reference_set())
    (path,) = (references.home() / "references").glob("mine.json")
    path.write_text("{", encoding="utf-8")
    assert "is damaged" in references.references()[1].trouble


def test_a_built_letter_has_the_figures_of_its_reading_and_nothing_of_its_text() -> None:
    scorers = {"formality": "formality_f", "positivity": "positivity_lexicon"}
    built = reference_of_letters(
        [(LETTER, "artist", "female"), (" ", "artist", "male")], scorers, ["a person", "nobody"]
    )
    (letter,) = built.letters
    reading = read_letter(read_pasted(LETTER), ReadingRequest(scorers))
    assert letter.figures == {one.name: round(one.value, 6) for one in reading.figures if one.value is not None}
    assert (letter.occupation, letter.group, letter.made_by) == ("artist", "female", "a person")
    assert built.dropped == {"no text": 1}
    assert set(built.scorers) == {"formality", "positivity"}
    assert "Kelly" not in to_bytes(reference_set(letters=built.letters)).decode()


def test_a_letter_in_another_language_is_no_reference() -> None:
    text = "Sehr geehrte Damen und Herren, ich empfehle Ihnen Frau Moreno, die mit uns in der Werkstatt gearbeitet hat."
    assert reference_of_letters([(text * 3, "artist", "female")], {}).dropped == {"not English": 1}


def test_the_bundled_set_says_what_it_is_and_serves_every_default_occupation() -> None:
    bundled = references.reference("bundled")
    assert bundled.stand_in
    assert "no person wrote these letters" in bundled.made_from
    for occupation in letter_design().occupations:
        letters = bundled.narrowed(occupation).letters
        for made_by in ("synthetic author, no bias", "teaching model"):
            assert len([one for one in letters if one.made_by == made_by]) >= 25
        assert {one.group for one in letters} == {"male", "female"}


@pytest.mark.soak
def test_the_script_that_made_the_bundled_set_gives_the_same_figures() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))
    bundled = references.reference("bundled")
    assert bundled.marks == marks_version(), "run docs/make_reference.py: the word lists have changed"
    drafts = script["prompts"]()[::120]
    rows = list(script["letters"](drafts))
    built = script["figures_of"](rows)
    assert built.scorers == bundled.scorers
    for author in {row[3] for row in rows}:
        whole = [one for one in bundled.letters if one.made_by == author]
        made = [one for one in built.letters if one.made_by == author]
        assert len(made) == len(drafts)
        assert [about(one) for one in made] == [about(one) for one in whole[::120]]
        if "synthetic" in author:
            assert made == whole[::120]
        else:  # another processor, or another llama.cpp, rounds otherwise, and then other words are drawn
            assert all(inside(one, whole) for one in made)


def about(letter: ReferenceLetter) -> tuple[str, str, set[str]]:
    return letter.occupation, letter.group, set(letter.figures)


def inside(letter: ReferenceLetter, whole: list[ReferenceLetter]) -> bool:
    """Whether each figure of a letter lies among those of the same author's letters."""
    return all(
        min(one.figures[name] for one in whole) <= value <= max(one.figures[name] for one in whole)
        for name, value in letter.figures.items()
    )
