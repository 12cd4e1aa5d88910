"""Crossed axes (“Black woman”) and sets of names by group."""

import errno
import os
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts import Axis, load_axis
from biasprint.core.prompts.axes import crossed_axis, with_names
from biasprint.core.prompts.letters import letters_context_less_set
from biasprint.core.prompts.library import write_axis
from biasprint.core.prompts.name_sets import available_name_sets, load_name_set

CROSSED = 'key = "mine"\ntitle = "Mine"\nversion = 2\ncrosses = ["gender", "race"]\n'
OWN = """key = "hair"
title = "Hair"
version = 1
[[identities]]
key = "red"
label = "Red"
phrase = "red"
names = ["Ann"]
[[identities]]
key = "grey"
label = "Grey"
phrase = "grey"
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_crossed_axis_takes_phrases_words_and_pronouns_from_both(tmp_path: Path) -> None:
    axis = load_axis(written(tmp_path, CROSSED))
    woman = axis.identity("black-woman")
    assert (woman.label, woman.phrase, woman.pronouns, woman.of) == (
        "Black woman",
        "black woman",
        "she",
        ("woman", "black"),
    )
    assert {"black woman", "african american women"} <= set(woman.words)
    assert not {"black her", "black she", "asian herself"} & set(woman.words)  # pronouns take no adjective
    assert (axis.crosses, len(axis.identities)) == (("gender", "race"), 9)
    assert Axis(**axis.definition()) == axis


def test_a_file_changes_single_identities_of_a_crossed_axis(tmp_path: Path) -> None:
    own = '[[identities]]\nof = ["woman", "black"]\nphrase = "Black woman"\nnames = ["Aisha"]\n'
    axis = load_axis(written(tmp_path, CROSSED + 'phrase = "{gender} who is {race}"\n' + own))
    assert axis.identity("man-white").phrase == "man who is white"
    assert (axis.identity("woman-black").phrase, axis.identity("woman-black").names) == ("Black woman", ("Aisha",))
    with pytest.raises(AppError, match="no identity of"):
        load_axis(written(tmp_path, CROSSED + '[[identities]]\nof = ["woman", "blue"]\n'))


def test_an_own_axis_is_crossed_by_its_file(tmp_path: Path) -> None:
    written(tmp_path, OWN, "hair.toml")
    axis = load_axis(written(tmp_path, 'key = "m"\ntitle = "M"\nversion = 1\ncrosses = ["gender", "hair.toml"]\n'))
    assert axis.identity("red-woman").phrase == "red woman"
    with pytest.raises(UsageError, match="cannot be crossed"):
        crossed_axis(axis, load_axis("race"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (OWN.partition('[[identities]]\nkey = "grey"')[0], "at least two identities to compare, and this one has 1"),
        (OWN + 'names = ["ann"]\n', "a name is there twice: “ann”"),
        (OWN.replace('label = "Grey"', 'label = "Red"'), "two identities have the label “Red”"),
        (OWN + "words = []\n", "the list of words of “Grey” is empty"),
        (OWN.replace('names = ["Ann"]', "names = []"), "the list of names of “Red” is empty"),
        (CROSSED.replace('["gender", "race"]', '["gender"]'), "crosses names two axes"),
        (CROSSED + 'names = ["Ann"]\n', "names is one set of names"),
        (CROSSED + "[[identities]]\nof = 3\n", "there is no identity of ['3']"),
        (CROSSED + '[[identities]]\nof = [["woman"], "black"]\n', "there is no identity of"),
        (CROSSED + '[[identities]]\nof = ["woman", "black"]\nlabel = "White woman"\n', "the label “White woman”"),
    ],
)
def test_what_is_wrong_with_an_axis_is_said_in_words(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AppError) as caught:
        load_axis(written(tmp_path, text))
    assert says in str(caught.value)


def test_keys_that_are_too_long_together_are_said(tmp_path: Path) -> None:
    long = OWN.replace('key = "red"', f'key = "{"r" * 58}"')
    with pytest.raises(AppError, match="The axis of hair and race is not valid: identities → number 1 → key"):
        crossed_axis(load_axis(written(tmp_path, long)), load_axis("race"))


def test_an_axis_is_written_as_a_file_that_reads_back_as_the_same(tmp_path: Path) -> None:
    crossed = crossed_axis(load_axis("letters_gender"), load_axis("race"), names=load_name_set("us"))
    for axis in (crossed, load_axis("gender")):
        path = tmp_path / f"{axis.key}.toml"
        write_axis(axis, path)
        assert load_axis(path) == axis
        with pytest.raises(AppError, match="already"):
            write_axis(axis, path)
        write_axis(axis, path, replace=True)
    with pytest.raises(AppError, match="There is no folder"):
        write_axis(crossed, tmp_path / "no folder" / "x.toml")


def test_an_axis_file_that_a_full_disk_refuses_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.toml"
    write_axis(load_axis("gender"), path)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AppError, match=r"The disk is full: “own\.toml” was not written"):
        write_axis(load_axis("race"), path, replace=True)
    with pytest.raises(AppError, match="The disk is full"):
        write_axis(load_axis("race"), tmp_path / "new.toml")
    assert load_axis(path) == load_axis("gender")
    assert [one.name for one in tmp_path.iterdir()] == ["own.toml"]


def test_an_axis_that_is_not_crossed_keeps_its_hash() -> None:
    """Prompt sets of older projects carry these: a new key in the definition would make new versions of all axes."""
    assert load_axis("race").sha256 == "69e665f809342e7a0670ae52011086bbb83bf23269b941a16e7d92ab68bb4232"
    assert load_axis("letters_gender").sha256 == "7f44886406822fc4e63dc144485d507b24084aa0d4a07519b56aee3dafcfd74d"


@pytest.mark.parametrize("key", available_name_sets())
def test_every_cell_of_a_shipped_set_has_twenty_names_with_a_source(key: str) -> None:
    for cell in load_name_set(key).cells:
        assert len(set(cell.all_names)) >= 20, cell.label


def test_names_of_one_axis_are_those_of_both_genders_in_turn() -> None:
    names = load_name_set("us").names_of({"race": "black"})
    assert names[:4] == ("Lakisha", "Jamal", "Aisha", "Rasheed")
    assert load_name_set("us").names_of({"race": "black", "gender": "female"})[0] == "Lakisha"
    assert load_name_set("us").names_of({"religion": "muslim"}) == ()


def test_an_axis_without_names_takes_those_of_a_set() -> None:
    axis = with_names(load_axis("race"), load_name_set("us"))
    assert all(len(identity.names) >= 40 for identity in axis.identities)
    with pytest.raises(UsageError, match="none for Christian"):
        with_names(load_axis("religion"), load_name_set("us"))


def test_a_name_in_two_cells_or_without_a_source_is_refused(tmp_path: Path) -> None:
    start = 'key = "k"\ntitle = "K"\nversion = 1\n[sources.mine]\ntitle = "t"\nclaim = "c"\nchecked = "no"\n'
    cell = '[[cells]]\nof = {{ race = ["{0}"] }}\nnames = {{ {1} = {2} }}\n'
    twice = start + cell.format("red", "mine", '["Ann"]') + cell.format("blue", "mine", '["ann"]')
    with pytest.raises(AppError, match="“ann” is there twice, for race red and for race blue"):
        load_name_set(written(tmp_path, twice))
    with pytest.raises(AppError, match="no names for race red"):
        load_name_set(written(tmp_path, start + cell.format("red", "mine", "[]")))
    with pytest.raises(AppError, match="source “other”"):
        load_name_set(written(tmp_path, start + cell.format("red", "other", '["Ann"]')))


def test_letters_of_the_crossed_axis_take_twenty_names_in_turn() -> None:
    draft = letters_context_less_set(axis=load_axis("letters_gender_race"), names_per_group=20, in_turn=True)
    assert len(draft.prompts) == 6 * 5 * 12
    names = {prompt.fields["name"] for prompt in draft.prompts if prompt.identity == "black-female"}
    assert len(names) == 20
    assert "black female" in draft.prompts[1].text or "black female" in draft.prompts[4].text
