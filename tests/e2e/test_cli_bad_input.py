"""Tables, names and options that cannot be used: one clear sentence, the right exit code, and nothing changed."""

import json
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from seeded_part import seeded_part

from biasprint.core.project.project import Project
from biasprint.core.prompts import Template, TemplateError

WRITE = ("--backend", "synthetic", "--model", "large")


@pytest.mark.parametrize("study", ["letters", "creativity"])
@pytest.mark.parametrize("command", ["import", "measure"])
def test_a_table_without_the_column_says_which_field_and_which_columns_are_there(
    empty: Path, tmp_path: Path, command: str, study: str
) -> None:
    table = tmp_path / "odd.csv"
    table.write_text("a,b\n1,2\n")
    argv = ("import", empty, table, "--study", study) if command == "import" else ("measure", study, table)
    missing = "text" if study == "letters" else "task"
    said = refused(*argv, code=1, says=f"No column of “odd.csv” was recognised as {missing}")
    assert f"Map one with {missing}=column. Columns there: a, b." in said
    said = refused(*argv, "--map", f"{missing}=c", code=1, says=f"has no column “c”, asked for as {missing}")
    assert "Columns there: a, b." in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--map", "text"), "“text” is no mapping"),
        (("--map", "text=a", "--map", "text=b"), "mapped twice"),
        (("--map", "colour=a"), "There is no field “colour”"),
        (("--format", "nobody"), "There is no format “nobody”"),
        (("--format", "wan", "--map", "text=a"), "The format wan brings its own column for text"),
    ],
)
def test_a_wrong_mapping_or_format_is_wrong_usage(
    empty: Path, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("a,b\n1,2\n")
    refused("import", empty, table, "--study", "letters", *options, code=2, says=says)
    refused("measure", "letters", table, *options, code=2, says=says)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    seeded_part(
        [
            ("nothing.csv", b"", "“nothing.csv” is empty"),
            ("header.csv", b"text,group\n", "has no rows below its header"),
            ("commas.csv", b"text,group\n,\n,\n", "None of the 2 rows of “commas.csv” can be used"),
            ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "a picture"),
            ("book.xlsx", b"PK\x03\x04" + bytes(100), "is not an xlsx workbook"),
            ("page.html", b"<html></html>", "is not a kind of table that can be read"),
        ],
        2,
    ),
)
def test_a_table_without_a_usable_row_is_refused_and_changes_nothing(
    empty: Path, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    table = tmp_path / name
    table.write_bytes(content)
    before = empty.read_bytes()
    for argv in (
        ("import", empty, table, "--study", "letters"),
        ("measure", "letters", table),
        ("score", table, "--scorer", "textblob"),
    ):
        refused(*argv, code=1, says=says)
    assert empty.read_bytes() == before


def test_a_table_of_another_encoding_than_was_named_says_what_to_do(empty: Path, tmp_path: Path) -> None:
    table = tmp_path / "latin.csv"
    table.write_bytes("text,group\nCafé,male\n".encode("latin-1"))
    argv = ("import", empty, table, "--study", "letters", "--encoding")
    said = refused(*argv, "utf-8", code=1, says="None of the 1 rows of “latin.csv” can be used.")
    assert "Save the file as UTF-8, or name its encoding." in said
    refused(*argv, "klingon", code=2, says="klingon")
    assert biasprint(*argv, "latin-1", "--json").json["added"] == 1


def test_a_table_with_mixed_encodings_gives_its_sound_rows_and_names_the_others(empty: Path, tmp_path: Path) -> None:
    table = tmp_path / "mixed.csv"
    table.write_bytes(
        "text,group\nCafé in UTF-8,male\n".encode() + "Café in Latin-1,female\n".encode("latin-1") + b"Plain,female\n"
    )
    answer = biasprint("import", empty, table, "--study", "letters", "--json")
    assert (answer.json["rows"], answer.json["added"]) == (3, 2)
    assert answer.json["dropped"] == {"wrong encoding": 1}
    assert "Row 2 (line 3): wrong encoding" in answer.err
    assert "Caf\\xe9 in Latin-1" in answer.err


@pytest.mark.parametrize(
    ("rows", "says"),
    seeded_part(
        [
            ("haiku,stars,martian,text,\n", "identities of no known axis: martian"),
            ("haiku,stars,man,text,\n", "identities of no known axis: man"),  # alone: no axis can be told from it
            ("haiku,stars,man,one,0\nhaiku,stars,woman,x,0\nhaiku,stars,man,two,0\n", "Row 3 is sample 0 of the same"),
            ("haiku,stars,man,one,first\nhaiku,stars,woman,x,0\n", "Row 1: “first” is not a sample number"),
            ("haiku,stars,man,one,10000\nhaiku,stars,woman,x,0\n", "Row 1: “10000” is not a sample number"),
            (f"haiku,{'long ' * 60},man,one,\nhaiku,s,woman,x,\n", "Row 1: task and theme are too long"),
        ],
        2,
    ),
)
def test_creative_writing_that_cannot_be_stored_whole_is_not_stored_at_all(
    empty: Path, tmp_path: Path, rows: str, says: str
) -> None:
    table = tmp_path / "creative.csv"
    table.write_text("task,theme,identity,text,sample\n" + rows)
    before = empty.read_bytes()
    said = refused("import", empty, table, "--study", "creativity", code=1, says=says)
    assert "Nothing was imported." in said
    assert empty.read_bytes() == before


def test_creative_writing_of_no_known_axis_is_not_measured_as_nothing(tmp_path: Path) -> None:
    table = tmp_path / "creative.csv"
    table.write_text("task,theme,identity,text\nhaiku,stars,default,A text\nhaiku,stars,martian,Another\n")
    refused("measure", "creativity", table, code=1, says="No axis has two identities in these outputs")


@pytest.mark.parametrize("study", seeded_part(["texts", "judgments", "letter", "headlines"], 2))
def test_a_study_that_cannot_be_imported_leaves_no_study_behind(empty: Path, tmp_path: Path, study: str) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nA letter,male\n")
    before = empty.read_bytes()
    refused("import", empty, table, "--study", study, code=2, says=f"“{study}” has no import")
    assert empty.read_bytes() == before


def test_a_table_for_a_project_with_two_studies_or_none_must_say_for_which(empty: Path, tmp_path: Path) -> None:
    table = tmp_path / "letters.csv"
    table.write_text("text,group\nA letter,male\n")
    refused("import", empty, table, code=2, says="Which study does the table belong to?")
    for study in ("letters", "creativity"):
        biasprint("prompts", empty, "--study", study)
    refused("import", empty, table, code=2, says="Which study does the table belong to?")


UNKNOWN = [
    (("measure", "poems", "FILE"), "There is no study “poems”"),
    (("new", "OTHER", "--study", "poems"), "There is no study “poems” to start"),
    (("prompts", "FILE", "--study", "poems"), "There is no study “poems”"),
    (("generate", "FILE", "--study", "poems", *WRITE), "There is no study “poems”"),
    (("compare", "FILE", "--axis", "zodiac"), "The project has no axis “zodiac”"),
    (("prompts", "FILE", "--study", "creativity", "--axis", "zodiac"), "There is no axis “zodiac”"),
    (("prompts", "FILE", "--study", "creativity", "--axis", "race", "--axis", "race"), "given twice"),
    (("prompts", "FILE", "--study", "creativity", "--task", "haikuu"), "Did you mean haiku?"),
    (("prompts", "FILE", "--study", "creativity", "--theme", "zzz"), "There is no theme “zzz”"),
    (("prompts", "FILE", "--study", "creativity", "--name", "Kelly=female"), "The prompts of creativity have no names"),
    (("prompts", "FILE", "--study", "letters", "--task", "haiku"), "The prompts of letters have no tasks"),
    (("prompts", "FILE", "--study", "letters", "--name", "Kelly"), "is not a name with its group"),
    (("prompts", "FILE", "--study", "letters", "--name", "Kelly=martian"), "has no identity martian"),
    (("generate", "FILE", "--study", "letters", "--backend", "oracle", "--model", "x"), "There is no backend “oracle”"),
    (("generate", "FILE", "--study", "letters", "--backend", "synthetic", "--model", "huge"), "has no model “huge”"),
    (("generate", "FILE", "--study", "letters", *WRITE, "--prompts", "mine"), "There is no prompt set “mine”"),
    (("score", "FILE", "--scorer", "oracle"), "There is no scorer “oracle”"),
    (("score", "FILE", "--scorer", "textblob", "--out", "OTHER"), "--map and --out are for tables"),
    (("measure", "creativity", "FILE", "--scorer", "embedding=oracle"), "There is no scorer “oracle” for embedding"),
    (("compare", "FILE", "--axis", "gender", "--title", "x" * 201), "The title is too long"),
]


@pytest.mark.parametrize(("argv", "says"), seeded_part(UNKNOWN, 4), ids=[says[:40] for _, says in UNKNOWN])
def test_a_name_that_does_not_exist_is_wrong_usage_and_says_what_does(
    study_file: Path, argv: tuple[str, ...], says: str
) -> None:
    other = study_file.with_name("other.biasprint")
    before = study_file.read_bytes()
    places: dict[str, object] = {"FILE": study_file, "OTHER": other}
    refused(*(places.get(part, part) for part in argv), code=2, says=says)
    assert study_file.read_bytes() == before
    assert not other.exists()


WRONG = [
    ((), "Missing argument"),
    (("--nonsense",), "No such option: --nonsense"),
    (("--study", "letters"), "Missing option '--backend'"),
    (("--study", "letters", *WRITE, "--seed", "-1"), "Invalid value for '--seed'"),
    (("--study", "letters", *WRITE, "--seed", str(2**63)), "Invalid value for '--seed'"),
    (("--study", "letters", *WRITE, "--seed", "one"), "Invalid value for '--seed'"),
    (("--study", "letters", *WRITE, "--samples", "0"), "Invalid value for '--samples'"),
    (("--study", "letters", *WRITE, "--samples", "10001"), "Invalid value for '--samples'"),
    (("--study", "letters", *WRITE, "--temperature", "nan"), "Invalid value for '--temperature'"),
    (("--study", "letters", *WRITE, "--temperature", "9"), "Invalid value for '--temperature'"),
]


@pytest.mark.parametrize(("options", "says"), WRONG)
def test_wrong_options_are_told_in_the_words_of_the_help(study_file: Path, options: tuple[str, ...], says: str) -> None:
    argv = ("generate", study_file, *options) if options else ("generate",)
    said = refused(*argv, code=2, says=says)
    assert "Try 'biasprint generate --help' for help." in said


def test_unknown_commands_and_parts_are_wrong_usage(study_file: Path) -> None:
    refused("divine", code=2, says="No such command 'divine'")
    refused("export", study_file, "secrets", "--out", "x.csv", code=2, says="'prompts', 'outputs', 'scores'")
    refused("export", study_file, "prompts", code=2, says="Missing option '--out'")
    refused("score", study_file, code=2, says="No scorer was named.")


@pytest.mark.parametrize(
    "command", seeded_part(["new", "prompts", "compare", "generate", "check", "import", "score", "export"], 2)
)
def test_every_command_explains_itself(command: str) -> None:
    said = biasprint(command, "--help").out
    assert said.startswith(f"Usage: biasprint {command} [OPTIONS]")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("generate", "FILE", "--study", "letters", *WRITE), "The project has no prompts for letters."),
        (("measure", "letters", "FILE"), "The project has no letters study."),
        (("compare", "FILE", "--axis", "gender"), "The project has no creativity study."),
        (("export", "FILE", "outputs", "--study", "letters", "--out", "OUT"), "The project has no letters study."),
    ],
)
def test_work_that_needs_something_first_says_what(empty: Path, argv: tuple[str, ...], says: str) -> None:
    places: dict[str, object] = {"FILE": empty, "OUT": empty.with_name("out.csv")}
    assert "biasprint prompts FILE --study" in refused(*(places.get(p, p) for p in argv), code=1, says=says)


def test_an_empty_study_is_not_measured_as_nothing(empty: Path) -> None:
    for study in ("letters", "creativity"):
        biasprint("prompts", empty, "--study", study)
    refused("measure", "letters", empty, code=1, says="No letter has been counted yet.")
    refused("measure", "creativity", empty, code=1, says="There is nothing to measure yet.")
    refused("compare", empty, "--axis", "race", code=1, says="There are no outputs to compare on this axis.")


@pytest.mark.parametrize(
    ("template", "place"),
    [("Write about {theme}\nfor {thme}.", "line 2, column 5"), ("{task} {", "line 1, column 8")],
)
def test_a_template_with_an_unknown_placeholder_says_where_it_is(template: str, place: str) -> None:
    with pytest.raises(TemplateError, match=place):
        Template(template).require(known=("task", "theme"), needed=("task", "theme"))


def test_texts_that_no_encoding_holds_are_measured_and_told(tmp_path: Path) -> None:
    table = tmp_path / "odd.jsonl"
    rows = [{"text": f"half a sign \ud83d {n}", "group": group} for n in range(2) for group in ("male", "fe\ud800")]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for encoding in ("utf-8", "ascii", "cp1252"):  # what a terminal or a pipe may be set to
        answer = biasprint("measure", "letters", table, "--json", encoding=encoding)
        assert answer.json["findings"][0]["groups"] == ["male", "fe\ud800"]
        assert "male : fe\\ud800" in biasprint("measure", "letters", table, encoding=encoding).out


def test_marks_of_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "[bold]:smile:[/x].biasprint"
    assert "[bold]:smile:[/x].biasprint" in refused("check", file, code=1, says="There is no file")
    biasprint("new", file)
    table = tmp_path / "[red] :warning:.csv"
    table.write_text("text,group\nA letter,[bold]a\nAnother,:smile:\n,b\n")
    answer = biasprint("import", file, table, "--study", "letters")
    assert "Row 3 (line 4): no text" in answer.err
    measured = biasprint("measure", "letters", table)
    assert "[bold]a : :smile:" in measured.out


def test_a_project_keeps_what_it_had_when_an_import_is_refused_half_way(study_file: Path, tmp_path: Path) -> None:
    table = tmp_path / "creative.csv"
    # The first model's rows are sound, the second one's are not.
    table.write_text(
        "task,theme,identity,text,sample,model\n"
        "haiku,stars,man,one,0,a\nhaiku,stars,woman,two,0,a\nhaiku,stars,man,x,0,b\nhaiku,stars,man,y,0,b\n"
    )
    with Project.open(study_file, read_only=True) as project:
        before = project.outputs.count()
    refused("import", study_file, table, "--study", "creativity", code=1, says="Row 4 is sample 0 of the same prompt")
    with Project.open(study_file, read_only=True) as project:
        assert project.outputs.count() == before
