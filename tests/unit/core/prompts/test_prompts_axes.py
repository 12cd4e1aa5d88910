from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts import Axis, available_axes, load_axis

OWN = """
key = "hair"
title = "Hair colour"
version = 3
identities = [
  { key = "red", label = "Red-haired", phrase = "red-haired", words = ["redhead"] },
  { key = "grey", label = "Grey-haired", phrase = "grey-haired" },
]
"""


def test_the_papers_axes_have_the_papers_identities() -> None:
    # Kumar et al., section 4.1, and Wan et al., appendix C.
    identities = {key: [each.key for each in load_axis(key).identities] for key in available_axes()}
    assert identities["race"] == ["white", "black", "asian"]
    assert identities["gender"] == ["man", "woman", "non-binary"]
    assert identities["orientation"] == ["straight", "queer"]
    assert identities["letters_gender"] == ["male", "female"]


def test_the_axes_that_the_papers_miss_are_shipped_too() -> None:
    missed = {"age", "disability", "religion", "sex", "nationality", "socioeconomic_status", "education"}
    assert missed <= set(available_axes())


@pytest.mark.parametrize("key", available_axes())
def test_a_shipped_axis_is_named_as_its_file_and_survives_storing(key: str) -> None:
    axis = load_axis(key)
    assert axis.key == key
    again = Axis(**axis.definition())
    assert again == axis
    assert again.sha256 == axis.sha256


def test_both_gender_axes_are_reported_as_gender() -> None:
    assert load_axis("gender").id == load_axis("letters_gender").id == "gender"


def test_the_letters_names_begin_with_the_published_pair() -> None:
    axis = load_axis("letters_gender")
    assert [identity.names[0] for identity in axis.identities] == ["Joseph", "Kelly"]
    assert all(len(set(identity.names)) >= 4 for identity in axis.identities)


def test_an_axis_of_ones_own_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "hair.toml"
    path.write_bytes(b"\xef\xbb\xbf" + OWN.encode())  # with a byte order mark, as some editors write it
    axis = load_axis(str(path))
    assert axis.identity("red").words == ("redhead",)
    assert axis.version == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('key = "grey"', 'key = "red"'), "two identities have the key"),
        (('key = "grey"', 'key = "default"'), "default"),
        (('key = "grey"', 'key = "light/grey"'), "identities → number 2 → key"),
        (('phrase = "red-haired"', 'phrase = ""'), "identities → number 1 → phrase: it is empty"),
        (("version = 3", "version = 0"), "version: it must be 1 or more"),
        (("version = 3", "version = 3\ncolour = 1"), "colour: nothing is known by this name here"),
        (('title = "Hair colour"', ""), "title: it is missing"),
        (('words = ["redhead"]', 'words = "redhead"'), "number 1 → words: it must be a list in [ ]"),
        (("identities = [", 'identities = [] \nx = ["a",'), "identities"),
        (("]\n", ']\n[[harm]]\nfinding = "f"\nharmed = "blue"\ndirection = "lower"\nwords = "w"\n'), "blue"),
        (('key = "hair"', "key = hair"), "not valid TOML"),
    ],
)
def test_a_wrong_axis_file_is_refused_naming_what_is_wrong(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    path = tmp_path / "hair.toml"
    before, after = change
    head, found, tail = OWN.rpartition(before)
    assert found
    path.write_text(head + after + tail, encoding="utf-8")
    with pytest.raises(AppError) as caught:
        load_axis(path)
    assert says in str(caught.value)
    assert "hair.toml" in str(caught.value)


def test_a_missing_or_unreadable_axis_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no axis “hair”"):
        load_axis("hair")
    with pytest.raises(AppError, match="could not be read"):
        load_axis(tmp_path / "none.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes('title = "Größe"'.encode("latin-1"))
    with pytest.raises(AppError, match="UTF-8"):
        load_axis(latin)


def test_the_same_definition_has_the_same_hash_and_another_has_another(tmp_path: Path) -> None:
    path = tmp_path / "hair.toml"
    path.write_text(OWN, encoding="utf-8")
    first = load_axis(path).sha256
    path.write_text("# a comment\n" + OWN, encoding="utf-8")
    assert load_axis(path).sha256 == first
    path.write_text(OWN.replace("redhead", "ginger"), encoding="utf-8")
    assert load_axis(path).sha256 != first
