"""The contract of `import`: kinds of tables, mappings, the layout of Wan et al., and rows that are named."""

from pathlib import Path

import pytest
from cli_support import biasprint
from cli_tables import LETTERS, sources, write_table

from biasprint.core.project.project import Project


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("plain.csv", {}),
        ("tabs.tsv", {"separator": "\t"}),
        ("semicolons.csv", {"separator": ";"}),
        ("lines.jsonl", {}),
        ("mark.csv", {"encoding": "utf-8-sig"}),
        ("wide.csv", {"encoding": "utf-16"}),
    ],
)
def test_import_takes_texts_exactly_from_every_kind_of_table(
    empty: Path, tmp_path: Path, name: str, options: dict[str, str]
) -> None:
    table = write_table(tmp_path / name, LETTERS, **options)  # type: ignore[arg-type]
    answer = biasprint("import", empty, table, "--study", "letters", "--json").json
    assert set(answer) == {
        "study", "rows", "added", "present", "dropped", "mapping", "guessed", "encoding", "problems",
    }  # fmt: skip
    assert (answer["study"], answer["rows"], answer["added"], answer["present"]) == ("letters", 3, 3, 0)
    assert sources(empty) == [(row["text"], {"group": row["group"]}) for row in LETTERS]


def test_import_of_the_same_file_adds_nothing_twice(empty: Path, tmp_path: Path) -> None:
    table = write_table(tmp_path / "letters.csv", LETTERS)
    biasprint("import", empty, table, "--study", "letters")
    again = biasprint("import", empty, table, "--json").json  # the project has one study: it need not be named
    assert (again["added"], again["present"]) == (0, 3)
    assert len(sources(empty)) == 3


def test_import_maps_columns_and_shows_which_it_guessed(empty: Path, tmp_path: Path) -> None:
    rows = [{"who": row["group"], "body of the letter": row["text"], "Job": "chef"} for row in LETTERS]
    table = write_table(tmp_path / "letters.csv", rows)
    mapped = ("--map", "group=who", "--map", "text=body of the letter")
    answer = biasprint("import", empty, table, "--study", "letters", *mapped, "--json")
    assert answer.json["mapping"] == {"text": "body of the letter", "group": "who", "occupation": "Job"}
    assert answer.json["guessed"] == ["occupation"]
    assert "text ← body of the letter" in answer.err
    assert sources(empty)[0][1] == {"group": "male", "occupation": "chef"}


def test_import_reads_the_layout_of_wan(empty: Path, tmp_path: Path) -> None:
    rows = [
        {"name": name, "gender": gender, "age": "30", "occupation": "chef", "chatgpt_gen": f"Dear all,<return>{name}."}
        for name, gender in (("Kelly", "F"), ("Joseph", "M"))
    ]
    table = write_table(tmp_path / "clg.csv", rows)
    assert biasprint("import", empty, table, "--format", "wan", "--json").json["added"] == 2
    text, fields = sources(empty)[0]
    assert text == "Dear all,<return>Kelly."
    assert {name: fields[name] for name in ("group", "name", "occupation", "block")} == {
        "group": "female", "name": "Kelly", "occupation": "chef", "block": "30 / chef",
    }  # fmt: skip


def test_import_names_each_row_that_is_not_as_it_should_be_by_its_number(empty: Path, tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nA first letter,male\n,\n,female\nA first letter,male\nAnother,female,extra\n")
    answer = biasprint("import", empty, table, "--study", "letters", "--json")
    told = [(problem["number"], problem["reason"], problem["kept"]) for problem in answer.json["problems"]]
    assert told == [
        (2, "empty row", False), (3, "no text", False), (4, "duplicate", True), (5, "too many cells", False),
    ]  # fmt: skip
    assert (answer.json["rows"], answer.json["added"]) == (5, 2)
    assert answer.json["dropped"] == {"empty row": 1, "no text": 1, "too many cells": 1}
    assert "Row 3 (line 4): no text (left out)" in answer.err
    assert "Row 4 (line 5): duplicate; the same as row 1 (kept)" in answer.err


def test_import_of_creative_writing_brings_shipped_axes_and_keeps_samples(empty: Path, tmp_path: Path) -> None:
    rows = [
        {"task": "haiku", "theme": "stars", "identity": identity, "text": f"{identity} {sample}", "model": "m"}
        for identity in ("default", "man", "woman", "non-binary")
        for sample in range(2)
    ]
    table = write_table(tmp_path / "creative.csv", rows)
    assert biasprint("import", empty, table, "--study", "creativity", "--json").json["added"] == 8
    with Project.open(empty, read_only=True) as project:
        assert list(project.axes.latest()) == ["gender"]
        found = {(row.axis, row.identity, row.sample, row.model): row.text for row in project.outputs.each()}
    assert found["gender", "woman", 1, "m"] == "woman 1"
    assert found["", "default", 0, "m"] == "default 0"
    assert len(found) == 8


FORMATS = Path(__file__).parents[1] / "data" / "formats"


@pytest.mark.parametrize("name", ["inspect.eval", "promptfoo.csv", "hf_disk", "two_sheets.xlsx"])
def test_import_reads_what_other_programs_wrote(empty: Path, name: str) -> None:
    answer = biasprint("import", empty, FORMATS / name, "--study", "compare", "--json").json
    assert (answer["added"], answer["problems"]) == (4, [])
    again = biasprint("import", empty, FORMATS / name, "--study", "compare", "--json").json
    assert (again["added"], again["present"]) == (0, 4)


def test_a_path_a_sheet_and_a_header_row_can_be_named(empty: Path, tmp_path: Path) -> None:
    mapped = ("--map", "text=response.body.choices.0.message.content", "--map", "group=custom_id.0")
    batch = biasprint("import", empty, FORMATS / "batch_output.jsonl", "--study", "compare", *mapped, "--json").json
    assert (batch["added"], batch["mapping"]["group"]) == (4, "custom_id.0")
    sheet = biasprint("measure", "compare", FORMATS / "two_sheets.xlsx", "--sheet", "Data", "--scorer", "score=length")
    assert "4 of 4 rows" in sheet.err
    refused = biasprint("measure", "compare", FORMATS / "sep.csv", "--header-row", "40", code=1)
    assert "Row 40 must name the columns" in refused.err
    length = ("--scorer", "length", "--map", "text=notes", "--sheet", "Notes", "--json")
    assert len(biasprint("score", FORMATS / "two_sheets.xlsx", *length).json["scores"]) == 1
    assert "are for tables" in biasprint("score", empty, "--scorer", "length", "--sheet", "Notes", code=2).err
    (tmp_path / "t.csv").write_text("a,b\nc,d\ntext,group\nHello there,x\nBye then,y\n")
    (tmp_path / "a.toml").write_text(
        '[[texts]]\nstudy = "compare"\ntable = "t.csv"\nheader_row = 3\n[outputs]\nproject = "a.biasprint"\n'
        '[[measure]]\nstudy = "compare"\nscorers = {score = "length"}\n'
    )
    assert biasprint("run", tmp_path / "a.toml", "--json").json["texts"][0]["added"] == 2


def test_a_table_with_a_column_for_each_model_is_imported_and_compared(empty: Path, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("prompt,gpt-4,llama,qwen\nOne?,He is bold,She is kind,It is\nTwo?,Yes indeed,No,Perhaps not\n")
    answer = biasprint("import", empty, path, "--study", "compare", "--map", "text=gpt-4|qwen", "--json").json
    assert (answer["added"], answer["mapping"]["group"]) == (4, "gpt-4|qwen")
    measured = biasprint("measure", "compare", empty, "--scorer", "score=length", "--json").json
    assert measured["rows"] == 4
    assert "Each of the columns “gpt-4”" in biasprint("measure", "compare", path, "--scorer", "score=length").err


def test_more_than_ten_thousand_rows_of_a_group_without_prompts_are_imported(tmp_path: Path) -> None:
    table, project = tmp_path / "texts.csv", tmp_path / "study.biasprint"
    rows = [f"{'man' if at == 0 else 'woman'},Text {at}." for at in range(10_002)]
    table.write_text("\n".join(["group,text", *rows]), encoding="utf-8")
    biasprint("new", project)
    assert biasprint("import", project, table, "--study", "compare", "--json").json["added"] == len(rows)
