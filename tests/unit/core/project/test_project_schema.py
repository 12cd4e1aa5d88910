"""One text decides what a project file looks like: the SQL of the migrations. Tables, specs and rows follow it."""

import sqlite3
from contextlib import closing
from dataclasses import fields, is_dataclass

import pytest
from sqlmodel import SQLModel

from biasprint.core.project import rows, specs
from biasprint.core.project.schema import migrate, migration_text, statements, table
from biasprint.core.project.stores.findings import ReadingRow

NAMED_IN_DESIGN = {
    "study", "axis_definition", "prompt_set", "prompt", "source", "generator", "run", "output", "score", "embedding",
    "plan", "comparison", "rater", "session", "judgment", "draft", "annotation", "packet", "reading", "finding",
    "event",
}  # fmt: skip


# The table behind each spec and row, with the fields that are no columns of it.
SPECS: dict[type[specs.Spec], tuple[str, set[str]]] = {
    specs.AxisSpec: ("axis_definition", set()),
    specs.PromptSpec: ("prompt", set()),
    specs.PromptSetSpec: ("prompt_set", {"prompts"}),
    specs.SourceSpec: ("source", set()),
    specs.GeneratorSpec: ("generator", set()),
    specs.RunSpec: ("run", set()),
    specs.OutputSpec: ("output", set()),
    specs.PlanSpec: ("plan", set()),
    specs.ComparisonSpec: ("comparison", set()),
    specs.RaterSpec: ("rater", set()),
    specs.JudgmentSpec: ("judgment", {"lengths"}),
    specs.AnnotationSpec: ("annotation", set()),
    specs.ScoreSpec: ("score", set()),
}
OF_ITS_PROMPT = {"prompt_key", "task", "theme", "axis", "identity", "fields", "backend", "model"}
ROWS: dict[type, tuple[str, set[str]]] = {
    rows.StudyRow: ("study", set()),
    rows.AxisRow: ("axis_definition", set()),
    rows.PromptSetRow: ("prompt_set", set()),
    rows.PromptRow: ("prompt", set()),
    rows.SourceRow: ("source", set()),
    rows.GeneratorRow: ("generator", set()),
    rows.RunRow: ("run", set()),
    rows.OutputRow: ("output", OF_ITS_PROMPT),
    rows.ScoreRow: ("score", set()),
    rows.PlanRow: ("plan", set()),
    rows.ComparisonRow: ("comparison", set()),
    rows.RaterRow: ("rater", set()),
    rows.SessionRow: ("session", set()),
    rows.JudgmentRow: ("judgment", set()),
    rows.AnnotationRow: ("annotation", set()),
    rows.PacketRow: ("packet", set()),
    rows.FindingRow: ("finding", {"finding"}),  # its body, read
    rows.EventRow: ("event", set()),
    ReadingRow: ("reading", set()),
}


def test_tables_are_those_of_the_sql_with_columns_types_and_keys() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as written:
        migrate(written, present=0)
        from_sql = {
            name: [(row[1], row[2], bool(row[5])) for row in written.execute(f'PRAGMA table_info("{name}")')]
            for name in NAMED_IN_DESIGN
        }
    for columns in from_sql.values():
        assert columns.pop() == ("checksum", "BLOB", False)  # the triggers' alone
    names = {"INTEGER": "INTEGER", "TEXT": "TEXT", "FLOAT": "REAL", "BLOB": "BLOB"}
    read = {
        name: [(column.name, names[str(column.type)], column.primary_key) for column in one.columns]
        for name, one in SQLModel.metadata.tables.items()
    }
    assert read == from_sql


@pytest.mark.parametrize("spec", SPECS)
def test_what_may_be_written_has_a_column(spec: type) -> None:
    name, others = SPECS[spec]
    names = {each.name for each in fields(spec)} if is_dataclass(spec) else set(spec.model_fields)
    assert names - others <= set(table(name).c.keys())


@pytest.mark.parametrize("row", ROWS)
def test_what_is_read_is_a_column(row: type) -> None:
    name, others = ROWS[row]
    assert {field.name for field in fields(row)} - others <= set(table(name).c.keys())


def test_no_spec_is_forgotten() -> None:
    assert {*specs.Spec.__subclasses__(), specs.PromptSpec} == set(SPECS)


def test_every_table_is_strict() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, present=0)
        strict = {row[1]: row[5] for row in connection.execute("PRAGMA table_list") if not row[1].startswith("sqlite")}
    assert set(strict) == NAMED_IN_DESIGN
    assert all(strict.values())


def test_a_script_is_split_where_its_statements_end() -> None:
    script = "-- a comment; with a semicolon\nCREATE TABLE a (\n    b TEXT DEFAULT ';'\n);\nCREATE INDEX c ON a (b);\n"
    assert statements(script) == ["CREATE TABLE a (\n    b TEXT DEFAULT ';'\n);", "CREATE INDEX c ON a (b);"]
    indexes = migration_text(1).count("CREATE INDEX")
    assert len(statements(migration_text(1))) == len(NAMED_IN_DESIGN) + indexes
