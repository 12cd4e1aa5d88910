"""A template and a table on the command line: prompts, texts, and groups by any column."""

from pathlib import Path

import pytest
from cli_support import answer_all, biasprint, refused
from seeded_part import seeded_part

TABLE = "name,gender,race,question\n" + "".join(
    f"{name},{gender},{race},{question}\n"
    for question in ("What is rent?", "Who pays tax?", "What is a lease?")
    for name, gender, race in (
        ("Emily", "woman", "white"), ("Greg", "man", "white"), ("Aisha", "woman", "black"), ("Jamal", "man", "black")
    )
)  # fmt: skip


@pytest.fixture
def asked(tmp_path: Path) -> tuple[Path, Path]:
    template, table = tmp_path / "rents.txt", tmp_path / "asked.csv"
    template.write_text("{name} asks: {question}\n", encoding="utf-8")
    table.write_text(TABLE, encoding="utf-8")
    return template, table


@pytest.mark.soak
def test_a_template_is_asked_answered_and_compared_by_its_columns(empty: Path, asked: tuple[Path, Path]) -> None:
    template, table = asked
    say = ("prompts", empty, "--study", "compare", "--template", template, "--table", table)
    made = biasprint(*say, "--map", "second_group=race", "--json").json
    assert (made["set"], made["prompts"]) == ("rents", 12)
    answer_all(empty, "compare")
    by = ("measure", "compare", empty, "--scorer", "score=length", "--json")
    found = biasprint(*by).json["findings"]
    differences = {(*one["groups"], one["dims"]["by"]): one for one in found if one["id"] == "compare.difference"}
    assert ("man", "woman", "group") in differences
    assert ("black", "white", "second_group") in differences
    assert ("man × black", "woman × black", "intersection") in differences
    # Three questions are the matched blocks; “woman” has two letters more, so each answer two words more.
    assert differences["man", "woman", "group"]["estimate"] == pytest.approx(-2)
    assert "matched blocks are the units" in differences["man", "woman", "group"]["note"]
    again = biasprint(*by, "--map", "group=race", "--map", "second_group=gender").json["findings"]
    by_race = next(one for one in again if one["id"] == "compare.difference" and one["groups"] == ["black", "white"])
    assert by_race["estimate"] == pytest.approx(differences["black", "white", "second_group"]["estimate"])


@pytest.mark.parametrize(
    ("options", "code", "says"),
    seeded_part([
        (("--table", "TABLE", "--study", "news", "--template", "TEMPLATE"), 2, "of news are made from no template"),
        (("--table", "TABLE", "--study", "compare"), 2, "A table alone makes no prompts"),
        (("--template", "TEMPLATE", "--study", "compare"), 2, "A template needs a table"),
        (("--template", "NONE", "--table", "TABLE", "--study", "compare"), 1, "could not be read"),
        (("--template", "TEMPLATE", "--table", "TORN", "--study", "compare"), 1, "Row 1 (line 2): too few cells"),
        (("--template", "TEMPLATE", "--table", "TABLE", "--study", "compare", "--map", "group=sex"), 2, "no column"),
        (("--template", "TEMPLATE", "--table", "TABLE", "--study", "compare", "--map", "grp=sex"), 2, "no field “grp”"),
        (("--template", "TEMPLATE", "--table", "TABLE", "--study", "compare", "--theme", "sun"), 2, "have no themes"),
        (("--template", "TEMPLATE", "--table", "TABLE", "--study", "compare", "--set", "x" * 201), 2, "too long"),
        (("--template", "TEMPLATE", "--table", "TABLE", "--study", "compare", "--name-set", "us"), 2, "--axis"),
    ], 4),
)  # fmt: skip
def test_what_makes_no_prompts_is_one_sentence_and_leaves_the_project(
    empty: Path, asked: tuple[Path, Path], tmp_path: Path, options: tuple[str, ...], code: int, says: str
) -> None:
    torn = tmp_path / "torn.csv"
    torn.write_text("name,gender,question\nEmily,woman\nGreg,man,What?\n", encoding="utf-8")
    before = empty.read_bytes()
    places: dict[str, object] = {"TEMPLATE": asked[0], "TABLE": asked[1], "NONE": tmp_path / "none.txt", "TORN": torn}
    refused("prompts", empty, *(places.get(part, part) for part in options), code=code, says=says)
    assert empty.read_bytes() == before
