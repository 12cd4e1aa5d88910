"""The linter of group words: collisions, names that are words, entries that never match, coverage."""

from biasprint.core.prompts.axes import Axis, Identity, load_axis
from biasprint.core.studies.news.table import lint_groups


def axis(*identities: Identity) -> Axis:
    return Axis(key="team", title="Team", version=1, identities=identities)


def test_a_word_of_two_groups_is_reported_with_both() -> None:
    red = Identity(key="red", label="Red", phrase="red", words=("red", "crew"))
    blue = Identity(key="blue", label="Blue", phrase="blue", words=("blue", "Crew"))
    lint = lint_groups(axis(red, blue))
    assert lint.collisions == {"crew": ("red", "blue")}
    assert not lint.clean


def test_names_that_are_also_words_are_reported_and_others_are_not() -> None:
    names = {"Grace": "black", "Mark": "white", "Grace Hopper": "white", "Oluwaseun": "black"}
    assert lint_groups(load_axis("race"), names).ordinary == ("Grace", "Mark")


def test_an_entry_without_a_word_can_never_match() -> None:
    red = Identity(key="red", label="Red", phrase="red", words=("red", "♀"))
    blue = Identity(key="blue", label="Blue", phrase="blue", words=("blue",))
    assert lint_groups(axis(red, blue)).impossible == ("♀",)


def test_texts_show_what_is_never_found_and_how_far_the_words_reach() -> None:
    red = Identity(key="red", label="Red", phrase="red", words=("red", "scarlet"))
    blue = Identity(key="blue", label="Blue", phrase="blue", words=("blue",))
    lint = lint_groups(axis(red, blue), texts=["Red and blue.", "Red.", "Nothing.", "Nor here."])
    assert lint.unused == ("scarlet",)
    assert lint.coverage == {"red": 0.5, "blue": 0.25}
    assert lint.mentioned == 0.5


def test_the_shipped_axes_of_the_paper_are_clean() -> None:
    assert lint_groups(load_axis("gender")).clean
    assert lint_groups(load_axis("race")).clean
