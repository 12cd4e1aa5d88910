"""Names that stand for an ethnic group in a twin: where they are from, and that nothing but the name changes."""

import pytest

from biasprint.core.errors import UsageError
from biasprint.core.prompts.name_sets import name_set_from
from biasprint.core.swap import Person
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess_pronoun import contradicts, given_pronoun
from biasprint.core.swap.name_groups import group_of_name, groups_of, name_group, name_groups, named_in

KELLY = Person("Kelly", "Moreno", "", "she")


def test_every_group_says_where_its_names_are_from_and_what_is_known_of_them() -> None:
    assert [group.key for group in name_groups()] == ["white", "black", "hispanic", "asian"]
    for group in name_groups():
        assert group.source
        assert group.claim.endswith(".")
        assert set(group.names) == {"he", "she"}
        for pronoun, names in group.names.items():
            assert len(set(names)) == len(names)
            assert all(given_pronoun(name.split()[0]) in ("", pronoun) for name in names)


def test_the_first_names_are_those_of_the_study() -> None:
    """Bertrand and Mullainathan 2004 list the call-backs of each first name: nine women's in each group."""
    first = {key: {name.split()[0] for name in name_group(key).names["she"]} for key in ("white", "black")}
    assert first["white"] == {"Emily", "Anne", "Jill", "Allison", "Sarah", "Meredith", "Laurie", "Carrie", "Kristen"}
    assert first["black"] == {"Aisha", "Keisha", "Tamika", "Lakisha", "Tanisha", "Latoya", "Kenya", "Latonya", "Ebony"}


def test_the_same_person_gets_the_same_name_of_a_group_and_another_than_their_own() -> None:
    for group in name_groups():
        named = named_in(group, KELLY)
        assert named == named_in(group, KELLY)
        assert named.pronoun == "she"
        assert named.full_name in group.names["she"]
        assert group_of_name(named) == group
        assert named_in(group, named).full_name != named.full_name
    assert group_of_name(KELLY) is None


def test_a_twin_of_another_name_changes_nothing_else() -> None:
    text = "Kelly Moreno led the team. Ms. Moreno is thorough, and her reports are clear."
    made = swap(text, KELLY, named_in(name_group("black"), KELLY))
    assert made.text == "Lakisha Washington led the team. Ms. Washington is thorough, and her reports are clear."


def test_the_family_name_stays_where_a_set_has_given_names_alone() -> None:
    cell = {"title": "Germans", "of": {"nationality": ["german"]}, "names": ["Kelly"]}
    (group,) = groups_of(
        name_set_from({"key": "a", "title": "A", "version": 1, "source": "A list", "cells": [cell]}, "")
    )
    assert (group.label, group.source, group.pronoun) == ("Germans", "A list", "")
    assert named_in(group, Person("Jo", "van Dyke", "", "they")) == Person("Kelly", "van Dyke", "", "they")
    assert named_in(group, KELLY) == KELLY  # the only name there is


def test_a_group_that_there_is_not_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no group of names") as error:
        name_group("green")
    assert "hispanic" in str(error.value.hint)


@pytest.mark.parametrize(
    ("name", "pronoun", "against"),
    [("Jamal", "she", True), ("Jamal", "he", False), ("Lakisha", "he", True), ("Jamal", "they", False),
     ("Jean", "she", False), ("Thembi", "he", False), ("", "she", False)],
)  # fmt: skip
def test_a_pronoun_contradicts_only_a_name_that_tells(name: str, pronoun: str, against: bool) -> None:
    assert contradicts(Person(name, "Field", "", pronoun)) is against  # type: ignore[arg-type]
