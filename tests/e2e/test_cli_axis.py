"""`axis` from the command line: two axes crossed into a file, which prompts are then made from."""

from pathlib import Path

import pytest
from cli_support import biasprint, refused

from biasprint.core.prompts import load_axis

ONE = 'key = "hair"\ntitle = "Hair"\nversion = 1\n[[identities]]\nkey = "red"\nlabel = "Red"\nphrase = "red"\n'
TWO = ONE + '[[identities]]\nkey = "grey"\nlabel = "Grey"\nphrase = "grey"\n'


def test_two_axes_are_crossed_into_a_file_that_letters_are_asked_for_by(empty: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    made = biasprint("axis", "cross", "letters_gender", "race", "--names", "us", "--out", out, "--json").json
    assert (made["axis"], made["crosses"]) == ("gender_race", ["gender", "race"])
    assert {one["key"]: one["phrase"] for one in made["identities"]}["black-female"] == "black female"
    assert min(one["names"] for one in made["identities"]) >= 20
    assert "Lakisha" in load_axis(out).identity("black-female").names
    told = biasprint("axis", "check", out).out
    assert "black-female" in told
    prompts = biasprint("prompts", empty, "--study", "letters", "--axis", out, "--names-in-turn", 2, "--json").json
    assert prompts["prompts"] == 6 * 5 * 12


def test_an_own_axis_is_crossed_with_a_phrase_and_a_set_without_its_names_is_told(tmp_path: Path) -> None:
    own, out = tmp_path / "hair.toml", tmp_path / "both.toml"
    own.write_text(TWO, encoding="utf-8")
    say = ("axis", "cross", own, "gender", "--phrase", "{gender} with {hair} hair", "--names", "us", "--key", "mine")
    answer = biasprint(*say, "--out", out)
    assert "The set of names us has none for: Man red" in answer.err
    assert load_axis(out).identity("woman-grey").phrase == "woman with grey hair"
    assert load_axis(out).id == "mine"
    before = out.read_bytes()
    refused(*say, "--out", out, code=1, says="There is a file")
    assert out.read_bytes() == before
    biasprint(*say, "--out", out, "--replace")


@pytest.mark.parametrize(
    ("first", "options", "code", "says"),
    [
        (ONE, (), 1, "at least two identities to compare, and this one has 1"),
        (TWO + 'names = ["Ann", "ann"]\n', (), 1, "a name is there twice: “ann”"),
        (TWO + "words = []\n", (), 1, "the list of words of “Grey” is empty"),
        (TWO.replace('"hair"', '"gender"'), (), 2, "cannot be crossed"),
        (TWO, ("--phrase", "{hairs} {gender}"), 1, "Did you mean {hair}?"),
        (TWO, ("--phrase", "{hair}"), 1, "{gender} is missing"),
        (TWO, ("--names", "uk"), 2, "There is no set of names “uk”"),
        (TWO, ("--key", "a b"), 1, "is not valid: key"),
    ],
)
def test_what_cannot_be_crossed_is_said_and_nothing_is_written(
    tmp_path: Path, first: str, options: tuple[str, ...], code: int, says: str
) -> None:
    own, out = tmp_path / "hair.toml", tmp_path / "both.toml"
    own.write_text(first, encoding="utf-8")
    refused("axis", "cross", own, "gender", *options, "--out", out, code=code, says=says)
    assert not out.exists()


def test_the_shipped_axes_are_listed() -> None:
    assert "letters_gender_race" in biasprint("axis", "list").out
    listed = {one["axis"]: one for one in biasprint("axis", "list", "--json").json["axes"]}
    assert [one["key"] for one in listed["race"]["identities"]] == ["white", "black", "asian"]
