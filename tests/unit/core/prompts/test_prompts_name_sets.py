"""Sets of names of one's own: written as lists, begun for axes, taken of tables, kept in versions, and examples."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.definition_kinds import KINDS, NAMES, names_draft, with_alike
from biasprint.core.prompts.definitions import completed, copied, problems
from biasprint.core.prompts.drafts import named_from
from biasprint.core.prompts.letters import letters_context_less_set
from biasprint.core.prompts.library import (
    example_of,
    keep_versions,
    name_set_called,
    read_definition,
    read_library,
    save,
    write_definition,
    write_example,
)
from biasprint.core.prompts.name_sets import cells_of_table, load_name_set, name_set_from, with_cells

TABLE = [["Name", "Race", "Gender", "Source"], ["Ann", "White", "Woman", "List A"], ["Bo", "White", "man", "List A"]]


def few(**more: object) -> dict[str, object]:
    cells = [
        {"title": "Women", "of": {"gender": ["woman"]}, "names": ["Ann", "Eve"]},
        {"title": "Men", "of": {"gender": ["man"]}, "names": ["Bo"], "source": "List B"},
    ]
    return {"key": "mine", "title": "Mine", "version": 1, "source": "List A", "claim": "Known.", "cells": cells, **more}


def test_a_list_has_the_source_of_its_group_else_that_of_the_set() -> None:
    names = name_set_from(few(), "This")
    told = [[(names.sources[key].title, names.sources[key].claim) for key in cell.names] for cell in names.cells]
    assert told == [[("List A", "Known.")], [("List B", "not said")]]  # the claim is about the first list
    assert names.names_of({"gender": "woman"}) == ("Ann", "Eve")


def test_a_copy_of_the_shipped_set_has_the_same_names_in_the_same_order() -> None:
    (shipped,) = NAMES.shipped()
    made, us = NAMES.load(completed(NAMES, copied(shipped, [shipped["title"]]), ())), load_name_set("us")
    assert [(cell.of, cell.all_names) for cell in made.cells] == [(cell.of, cell.all_names) for cell in us.cells]
    assert [len(cell.names) for cell in made.cells] == [len(cell.names) for cell in us.cells]  # its sources


def test_it_is_said_why_so_many_names_are_wanted() -> None:
    found = [(one.place, one.words) for one in problems(NAMES, few()) if one.caution]
    assert found[0] == (
        ("cells", 0, "names"),
        "“Women” has 2 names: 20 or more are wanted, for with fewer what a single name does is taken for what its "
        "group does.",
    )
    assert len(found) == 2
    enough = [f"Name {number}" for number in range(20)]
    two_lists = [{"title": "Women", "of": {"gender": ["woman"]}, "names": part} for part in (enough[:9], enough[9:])]
    assert problems(NAMES, few(cells=two_lists)) == ()  # of two sources, together enough


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([{"title": "A", "of": {"race": []}, "names": ["X"]}], "“race” says no identity: write both with a colon"),
        ([{"title": "A", "of": {}, "names": ["X"]}], "Say for which identity of which axis"),
        ([{"title": "A", "of": {"race": ["a"]}, "names": []}], "Write some names."),
        (
            [
                {"title": "A", "of": {"race": ["a"]}, "names": ["Bo"]},
                {"title": "B", "of": {"race": ["b"]}, "names": ["bo"]},
            ],
            "“bo” is there twice, also at “A”",
        ),
    ],
)
def test_what_is_wrong_with_a_set_is_said_at_its_field(cells: list[object], says: str) -> None:
    assert says in " ".join(one.words for one in problems(NAMES, few(cells=cells)) if not one.caution)


def test_a_set_begins_with_the_groups_of_two_axes_as_every_axis_calls_them() -> None:
    cells = names_draft([load_axis("gender"), load_axis("race")])["cells"]
    assert len(cells) == 9
    assert (cells[0]["title"], cells[0]["of"]) == ("White man", {"gender": ["man", "male"], "race": ["white"]})
    filled = [{**cell, "names": [f"{cell['title']} {n}" for n in range(2)]} for cell in cells]
    names = name_set_from({"key": "a", "title": "A", "version": 1, "cells": filled}, "This")
    # the letters' axis says male and female
    assert with_names(load_axis("letters_gender_race"), names).identity("black-female").names[0] == "Black woman 0"


def test_a_table_becomes_groups_with_names_and_adds_to_those_that_are_there() -> None:
    cells = with_alike(cells_of_table(TABLE))
    assert [(cell["of"], cell["names"], cell["source"]) for cell in cells] == [
        ({"race": ["white"], "gender": ["woman", "female"]}, ["Ann"], "List A"),
        ({"race": ["white"], "gender": ["man", "male"]}, ["Bo"], "List A"),
    ]
    begun = names_draft([load_axis("race"), load_axis("gender")])["cells"]
    filled = with_cells(begun, cells)
    assert len(filled) == 9
    assert {cell["title"]: cell["names"] for cell in filled if cell["names"]} == {
        "Man white": ["Bo"],
        "Woman white": ["Ann"],
    }
    again = with_cells(filled, with_alike(cells_of_table([TABLE[0], ["ann", "white", "woman", "List A"]])))
    assert [len(cell["names"]) for cell in again] == [len(cell["names"]) for cell in filled]  # Ann is there


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "has no column “name”"),
        ([["race", "gender"], ["white", "man"]], "has no column “name”"),
        ([["name", "source"], ["Ann", "x"]], "no column that says whose names they are"),
        ([["name", "race"], ["Ann", ""]], "Row 2 of the table has no race."),
        ([["name", "race"]], "no names below its first row"),
    ],
)
def test_a_table_that_is_none_of_names_is_told_in_words(rows: list[list[str]], says: str) -> None:
    with pytest.raises(AppError, match=says):
        cells_of_table(rows)


def test_a_set_is_brought_in_from_a_table_and_written_for_the_command_line(tmp_path: Path) -> None:
    table = tmp_path / "my_names.csv"
    table.write_text("\n".join(",".join(row) for row in TABLE), "utf-8")
    draft = read_definition(NAMES, table)
    assert draft["title"] == "My names"
    out = tmp_path / "mine.toml"
    write_definition(NAMES, draft, out)
    assert load_name_set(out).names_of({"gender": "female"}) == ("Ann",)
    by_source = tmp_path / "us.toml"
    by_source.write_text((Path(__file__).parents[4] / "resources" / "names" / "us.toml").read_text("utf-8"), "utf-8")
    assert len(read_definition(NAMES, by_source)["cells"]) == sum(len(one.names) for one in load_name_set("us").cells)


def test_prompts_keep_the_version_of_the_set_that_their_names_are_from() -> None:
    kept = save(NAMES, few())
    axis = with_names(load_axis("gender"), name_set_from(few(cells=[*few()["cells"], THEY]), "This"))  # type: ignore[misc]
    draft = named_from(letters_context_less_set(axis=axis, names_per_group=1), name_set_called(kept.key))
    assert draft.recipe["name_set"] == {"key": "mine", "title": "Mine", "version": 1}
    assert any("20 or more are wanted" in hint for hint in draft.hints)
    keep_versions(draft)
    (own,) = read_library().own["names"]
    assert own.used
    assert save(NAMES, {**own.data, "claim": "Less is known."}).version == 2


THEY = {"title": "Others", "of": {"gender": ["non-binary"]}, "names": ["Kim"]}


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_example_is_explained_and_loads_without_a_change(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"example.{KINDS[kind].suffix}"
    write_example(KINDS[kind], path)
    assert example_of(KINDS[kind]).startswith("# ")
    kept = save(KINDS[kind], read_definition(KINDS[kind], path))  # as “Import…” and “Save” do
    assert kept.version == 1
    assert [one for one in problems(KINDS[kind], kept.data) if not one.caution] == []


@pytest.mark.parametrize(
    ("kind", "name", "text", "says"),
    [
        ("tasks", "hair.toml", example_of(KINDS["axes"]), "“hair.toml” is an axis, no task."),
        ("axes", "a.toml", example_of(KINDS["names"]), "“a.toml” is a set of names, no axis."),
        ("names", "a.toml", example_of(KINDS["documents"]), "“a.toml” is a document, no set of names."),
        ("axes", "a.csv", "a,b\n1,2\n", "“a.csv” is no axis: its name ends in .toml."),
        ("occupations", "a.toml", "", "“a.toml” is empty."),
        ("occupations", "a.txt", "\0\1", "is no text."),
        ("themes", "a.toml", "theme = 3\n", "“a.toml” is no list of themes. There is no theme."),
        ("tasks", "a.toml", "[[task]]\n[[task]]\n", "“a.toml” holds several tasks."),
        ("tasks", "a.toml", 'template = "{theme}"\nrubric = [3]\n', "“a.toml” is no task."),
        ("names", "a.csv", "a,b\n1,2\n", "has no column “name”"),
        ("names", "a.toml", "cells = [3]\n", "“a.toml” is no set of names."),
        ("names", "a.toml", 'sources = 3\ncells = [{ of = "x" }]\n', "The file a.toml is not valid"),
        ("names", "a.xlsx", "no workbook", "a.xlsx"),
        ("documents", "a.toml", 'title = "T"\n', "“a.toml” is no document."),
        ("axes", "a.toml", "identities = []\n", "a.toml is not valid: key: it is missing"),
    ],
)
def test_a_file_that_cannot_be_brought_in_is_told_in_a_sentence(
    kind: str, name: str, text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(AppError) as error:
        read_definition(KINDS[kind], path)
    assert says in error.value.message
    assert error.value.hint
    assert "Compare it with a file" not in error.value.hint
