"""A template and a table become a prompt set: columns, blocks, identities, and what is refused in words."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from biasprint.core.errors import AppError
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.from_template import TemplateRow, TemplateTable, placeholder, template_set
from biasprint.core.prompts.name_sets import load_name_set

ASK = "{name} asks: {question} Answer in one line."
ROWS = [
    {"name": name, "gender": gender, "question": question, "Asked in": place}
    for question, place in (("What is rent?", "Leeds"), ("Who pays tax?", "York"))
    for name, gender in (("Emily", "woman"), ("Greg", "man"))
]


FEW_NAMES = (
    "A group has 1 name: 20 or more are wanted, for with fewer what a single name does is taken for what its group "
    "does."
)


def table(rows: list[Mapping[str, str]] = ROWS, **fields: str) -> TemplateTable:  # type: ignore[assignment]
    numbered = tuple(TemplateRow(number, row) for number, row in enumerate(rows, start=1))
    return TemplateTable(tuple(rows[0]), numbered, fields or {"group": "gender"}, "“asked.csv”")


def test_each_row_is_a_prompt_with_its_columns_and_rows_that_differ_in_the_group_alone_are_a_block() -> None:
    draft = template_set(ASK, table(), name="Rents", task="compare")
    assert draft.prompts[0].text == "Emily asks: What is rent? Answer in one line."
    assert draft.prompts[0].fields == {
        "name": "Emily", "gender": "woman", "question": "What is rent?", "Asked_in": "Leeds", "group": "woman",
        "block": "What is rent?",
    }  # fmt: skip
    assert [prompt.fields["block"] for prompt in draft.prompts] == ["What is rent?"] * 2 + ["Who pays tax?"] * 2
    assert [prompt.identity for prompt in draft.prompts] == ["woman", "man", "woman", "man"]
    assert draft.hints == (FEW_NAMES,)


def test_a_prompt_keeps_its_key_when_rows_are_added_before_it() -> None:
    before = template_set(ASK, table(), name="Rents", task="compare")
    more = [{"name": "Anne", "gender": "woman", "question": "What is rent?", "Asked in": "Hull"}, *ROWS]
    after = template_set(ASK, table(more), name="Rents", task="compare")
    assert {prompt.key for prompt in before.prompts} < {prompt.key for prompt in after.prompts}


def test_without_a_shared_column_each_prompt_is_its_own_block() -> None:
    draft = template_set("Describe {name}.", table(ROWS[:2]), name="People", task="compare")
    assert [prompt.fields["block"] for prompt in draft.prompts] == [prompt.key for prompt in draft.prompts]


def test_rows_without_a_group_are_asked_about_every_identity_with_its_names_in_turn() -> None:
    axis = with_names(load_axis("letters_gender_race"), load_name_set("us"))
    questions = [{"question": f"Question {number}?"} for number in range(3)]
    asked = replace(table(questions), fields={})
    draft = template_set("{name}, a {identity}: {question}", asked, name="Q", task="compare", axis=axis)
    assert len(draft.prompts) == 3 * 6
    black = [prompt for prompt in draft.prompts if prompt.identity == "black-female"]
    assert [prompt.text for prompt in black][:2] == [
        "Lakisha, a black female: Question 0?", f"{axis.identity('black-female').names[1]}, a black female: Question 1?"
    ]  # fmt: skip
    assert {prompt.fields["block"] for prompt in draft.prompts} == {"Question 0?", "Question 1?", "Question 2?"}
    assert (black[0].axis, black[0].fields["group"], draft.axes) == (axis.id, "black-female", (axis,))


def test_groups_are_named_by_key_or_label_of_the_axis() -> None:
    rows = [{**row, "gender": row["gender"].title()} for row in ROWS]
    draft = template_set(ASK, table(rows), name="Q", task="letter", axis=load_axis("gender"))
    assert [prompt.fields["group"] for prompt in draft.prompts[:2]] == ["woman", "man"]
    with pytest.raises(AppError, match=r"Row 2 of “asked.csv”: “ghost” is no identity of the axis gender"):
        template_set(
            ASK, table([ROWS[0], {**ROWS[1], "gender": "ghost"}]), name="Q", task="letter", axis=load_axis("gender")
        )


@pytest.mark.parametrize(
    ("text", "rows", "says"),
    [
        ("{nam} asks.", ROWS, "{nam} is not a placeholder here. Did you mean {name}?"),
        ("Write a poem.", ROWS, "The template uses no column"),
        (ASK, [*ROWS, {**ROWS[0], "name": " "}], "Row 5 of “asked.csv” has nothing in the column “name”"),
        (ASK, [{**row, "gender": ""} for row in ROWS], "Rows 1, 2, 3, 4 of “asked.csv” have nothing in the column “g"),
        ("{question}", ROWS, "Row 2 of “asked.csv” makes the same prompt for “woman” and “man”"),
        (ASK, [{**row, "score": "1"} for row in ROWS], "“score” of “asked.csv” has a name that studies read"),
        (ASK, [{**row, "asked-in": "x"} for row in ROWS], "“Asked in”"),
        (ASK, [{**row, "": "x"} for row in ROWS], "has no name"),
    ],
)
def test_what_cannot_be_made_is_said_in_words(text: str, rows: list[Mapping[str, str]], says: str) -> None:
    if "asked-in" in rows[0]:
        rows = [{name.replace("asked-in", "Asked-in"): cell for name, cell in row.items()} for row in rows]
    with pytest.raises(AppError) as caught:
        template_set(text, table(rows), name="Q", task="compare")
    assert says in str(caught.value)


def test_where_one_name_stands_for_a_group_it_is_said_and_with_twenty_names_not() -> None:
    rows = [{"gender": group, "name": f"{group} {n}"} for group in ("man", "woman") for n in range(20)]
    assert template_set("{name} asks.", table(rows), name="Q", task="compare").hints == ()
    assert (
        template_set("{name} asks.", table(rows[:-1]), name="Q", task="compare").hints[0].startswith("A group has 19")
    )


def test_rows_that_are_there_twice_are_taken_once_and_told() -> None:
    draft = template_set(ASK, table([*ROWS, ROWS[1]]), name="Q", task="compare")
    assert (len(draft.prompts), draft.hints) == (4, ("Row 5 repeats an earlier row and was taken once.", FEW_NAMES))
    apart = template_set(ASK, table([*ROWS, {**ROWS[1], "Asked in": "Hull"}]), name="Q", task="compare")
    assert apart.hints[0].startswith("1 prompt was made by two rows that differ in columns that the template does not")


def test_columns_are_named_as_placeholders_can_be() -> None:
    assert [placeholder(each) for each in ("Age group", "2nd name", "ort", "a-b ", "  ")] == [
        "Age_group", "_2nd_name", "ort", "a_b", "",
    ]  # fmt: skip
