"""The house list: what is always ignored and always marked, as a file, and what a bad line of it costs."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.reading import compared_with
from biasprint.core.letters.references import ReferenceLetter, ReferenceSet
from biasprint.core.letters.request import (
    MOST_BYTES,
    MOST_ENTRIES,
    HouseEntry,
    HouseList,
    entry,
    from_csv,
    house_list,
    keep,
    path_of_list,
    read_list,
    to_csv,
    write_list,
)
from biasprint.core.letters.values import LetterFigure, PartKind, Sentence

HEAD = "words,what,category,reason\n"


def marks(text: str, *entries: HouseEntry, part: PartKind = "body", start: int = 7) -> list[tuple[str, str]]:
    sentences = [Sentence(0, start, start + len(text), text, part)]
    found = HouseList(entries).applied(sentences, marks_of(sentences))
    assert all(text[one.start - start : one.end - start] == one.words for one in found)
    return [(one.category, one.words) for one in found]


def test_ignored_words_are_never_marked() -> None:
    assert marks("She is warm and talented.") == [("communal", "warm"), ("ability", "talented")]
    assert marks("She is warm and talented.", entry("warm", "ignore")) == [("ability", "talented")]
    assert marks("She is warm.", entry("warm", "ignore", "ability")) == [("communal", "warm")]
    assert marks("She is a WARM person.", entry("Warm", "ignore", "Communal")) == []


def test_an_ending_and_a_phrase_can_be_left_open() -> None:
    assert marks("She is talented.", entry("talent*", "ignore")) == []
    assert marks("Her talents grew.", entry("talent*", "ignore")) == []
    assert marks("She’s a front-desk star.", entry("front-desk star", "mark", "standout")) == [
        ("standout", "front-desk star")
    ]


def test_marked_words_are_marked_whatever_stands_around_them_and_say_why() -> None:
    one = entry("culture fit", "mark", "doubt", "It says nothing of the work.")
    text = "I am not sure of a culture fit."
    sentences = [Sentence(0, 0, len(text), text, "body")]
    (mark,) = [m for m in HouseList((one,)).applied(sentences, ()) if m.words == "culture fit"]
    assert (mark.category, mark.reason, mark.source) == ("doubt", "It says nothing of the work.", "house list")
    plain = HouseList((entry("culture fit", "mark", "doubt"),)).applied(sentences, ())
    assert plain[0].reason == "The house list marks these words as doubt-raising."
    assert marks("A culture fit.", one, part="signature") == []


def test_an_own_mark_takes_the_place_of_one_of_its_category_and_wins_over_ignoring() -> None:
    own = entry("warm person", "mark", "communal", "ours")
    assert marks("A warm person.", own) == [("communal", "warm person")]
    assert marks("A warm person.", entry("warm", "ignore"), own) == [("communal", "warm person")]


def test_an_empty_list_changes_nothing() -> None:
    assert HouseList().version == ""
    assert marks("She is warm.") == [("communal", "warm")]


def test_the_file_comes_back_as_it_was() -> None:
    found = HouseList((entry("warm", "ignore"), entry("culture fit", "mark", "doubt", '=1+1, "really"')))
    assert from_csv(to_csv(found), "x").found == found
    assert b"'=1+1" in to_csv(found)  # no formula in a spreadsheet
    assert found.version
    assert found.version != HouseList(found.entries[:1]).version


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_spreadsheet_may_separate_as_it_likes(sign: str) -> None:
    data = "words,what,category,reason\r\nwarm,ignore,,ours\r\n".replace(",", sign).encode("utf-8-sig")
    assert from_csv(data, "x").found.entries == (HouseEntry("warm", "ignore", None, "ours"),)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (",ignore,,", "it has no words"),
        ("w,ignore,,", "is no word or phrase"),
        ("(warm|cold),ignore,,", "is no word or phrase"),
        ("warm,hide,,", "is neither “ignore” nor “mark”"),
        ("warm,mark,,", "what is always marked needs a category"),
        ("warm,mark,warmth,", "there is no category “warmth”"),
        (f"warm,ignore,,{'x' * 301}", "its reason has more than 300 characters"),
        ("warm,ignore,,a,b", "it has 5 cells instead of 4"),
        ("good,ignore,,", "“good” is there already"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_used(line: str, says: str) -> None:
    read = from_csv(f"{HEAD}good,ignore,,\n{line}\n\nkind,mark,Communal,\n".encode(), "x")
    assert [one.words for one in read.found.entries] == ["good", "kind"]
    (told,) = read.left_out
    assert told.startswith("Line 3 was left out: ")
    assert says in told


def test_lines_are_counted_past_a_reason_of_several_lines() -> None:
    read = from_csv(f'{HEAD}good,ignore,,"two\nlines"\nbad,hide,,\n'.encode(), "x")
    assert [one.partition(" was")[0] for one in read.left_out] == ["Line 4"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is no house list"),
        (b"\x89PNG\r\n\x1a\n", "is not in UTF-8"),
        (b"a,b\n1,2\n", "is no house list"),
        (b"x" * (MOST_BYTES + 1), "far larger"),
    ],
)
def test_another_file_is_refused_whole(data: bytes, says: str) -> None:
    with pytest.raises(AppError, match=says) as told:
        from_csv(data, "x.csv")
    assert told.value.kept


def test_more_entries_than_a_list_may_have_are_left_out_and_it_is_said_once() -> None:
    lines = "".join(f"word{n},ignore,,\n" for n in range(MOST_ENTRIES + 5))
    read = from_csv(f"{HEAD}{lines}".encode(), "x")
    assert len(read.found.entries) == MOST_ENTRIES
    assert read.left_out == ("Line 2002 was left out: there are more than 2,000 entries.",)


def test_the_list_is_kept_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "data"))
    assert house_list().found == HouseList()
    found = HouseList((entry("warm", "ignore"),))
    keep(found)
    assert house_list().found == found
    write_list(tmp_path / "out.csv", found)
    assert read_list(tmp_path / "out.csv").found == found
    path_of_list().write_bytes(b"nonsense")
    with pytest.raises(AppError, match="is no house list"):
        house_list()
    with pytest.raises(AppError, match="There is no file"):
        read_list(tmp_path / "none.csv")


def test_an_entry_of_ones_own_says_what_is_wrong_with_it() -> None:
    with pytest.raises(UsageError, match="needs a category"):
        entry("warm", "mark")


def test_figures_whose_marks_the_list_changes_are_not_compared() -> None:
    letters = tuple(ReferenceLetter("chef", "", {"communal": 0.1, "words": 100.0}) for _ in range(20))
    reference = ReferenceSet("mine", "Mine", "made for a test.", True, letters, {}, "marks 1")
    figures = (
        LetterFigure("words", "Length", 110.0, "words", 110),
        LetterFigure("communal", "Communal", 0.4, "share of sentences", 4),
    )
    compared, said = compared_with(figures, reference, "chef", "marks 1", {"communal"})
    assert [one.name for one in compared] == ["words"]
    assert said.endswith("Left out, because the house list changes their marks here: communal.")
