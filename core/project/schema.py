"""From any older schema to the present one: ordered SQL files, each in one explicit transaction, after a backup."""

import sqlite3
from importlib.resources import files
from typing import Any

import sqlalchemy as sa
from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from core.project.connection import APPLICATION_ID, SCHEMA_VERSION


def migration_text(version: int) -> str:
    """The DDL that makes schema `version` out of the one before."""
    return files("core.project").joinpath("migrations", f"m{version:03d}.sql").read_text(encoding="utf-8")


def migrate(connection: sqlite3.Connection, *, present: int, wanted: int = SCHEMA_VERSION) -> None:
    """Bring a file of schema `present` (0: empty) up to `wanted`; a failure leaves the file as it was."""
    for version in range(present + 1, wanted + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements(migration_text(version)):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def statements(script: str) -> list[str]:
    """The statements of an SQL script, comments before them left out."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines():
        if not pending and (not line.strip() or line.lstrip().startswith("--")):
            continue
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if pending.strip():
        raise ValueError(f"the script ends inside a statement: {pending[:60]!r}")
    return found


def expected_schema(version: int = SCHEMA_VERSION) -> list[tuple[str, str, str, str | None]]:
    """`sqlite_schema` of a file of that version: the one text that foreign files are held against."""
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        migrate(connection, present=0, wanted=version)
        return schema_of(connection)


def schema_of(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


# ---- The SQLModel mapping of `migrations/m001.sql`; a test compares the two. It builds statements, never live rows


def reference(column: str, **options: Any) -> Any:
    return Field(foreign_key=column, **options)


class Study(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    title: str
    settings: str
    created_at: str


class AxisDefinition(SQLModel, table=True):
    __tablename__ = "axis_definition"
    __table_args__ = (UniqueConstraint("key", "version"), UniqueConstraint("key", "sha256"))
    id: int | None = Field(default=None, primary_key=True)
    key: str
    version: int
    title: str
    definition: str
    sha256: str
    created_at: str


class PromptSet(SQLModel, table=True):
    __tablename__ = "prompt_set"
    __table_args__ = (UniqueConstraint("study_id", "name", "version"), UniqueConstraint("study_id", "name", "sha256"))
    id: int | None = Field(default=None, primary_key=True)
    study_id: int = reference("study.id")
    name: str
    version: int
    recipe: str
    sha256: str
    created_at: str


class Prompt(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("prompt_set_id", "key"),)
    id: int | None = Field(default=None, primary_key=True)
    prompt_set_id: int = reference("prompt_set.id")
    key: str
    text: str
    text_sha256: str
    escaped: int
    task: str
    theme: str
    axis: str
    identity: str
    fields: str


class Source(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("study_id", "origin", "row"),)
    id: int | None = Field(default=None, primary_key=True)
    study_id: int = reference("study.id")
    kind: str
    origin: str
    row: int
    text: str
    text_sha256: str
    escaped: int
    fields: str
    created_at: str


class Generator(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    backend: str
    model: str
    parameters: str
    revision: str
    sha256: str = Field(unique=True)
    created_at: str


class Run(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("prompt_set_id", "generator_id", "seed"),)
    id: int | None = Field(default=None, primary_key=True)
    study_id: int = reference("study.id")
    prompt_set_id: int = reference("prompt_set.id")
    generator_id: int = reference("generator.id")
    seed: int
    samples: int
    recipe: str
    program_version: str
    created_at: str


class Output(SQLModel, table=True):
    __table_args__ = (
        UniqueConstraint("run_id", "prompt_id", "sample"),
        CheckConstraint("status IN ('done', 'error')"),
        Index("output_by_prompt", "prompt_id"),
    )
    id: int | None = Field(default=None, primary_key=True)
    run_id: int = reference("run.id")
    prompt_id: int = reference("prompt.id")
    sample: int
    seed: int
    status: str
    text: str
    text_sha256: str
    escaped: int
    finish_reason: str
    error: str
    usage: str
    seconds: float
    created_at: str
    failure: str = Field(default="", sa_column_kwargs={"server_default": ""})
    detail: str = Field(default="{}", sa_column_kwargs={"server_default": "{}"})


class Score(SQLModel, table=True):
    __table_args__ = (
        UniqueConstraint("scorer", "version", "output_id"),
        UniqueConstraint("scorer", "version", "source_id"),
        CheckConstraint("(output_id IS NULL) <> (source_id IS NULL)"),
    )
    id: int | None = Field(default=None, primary_key=True)
    output_id: int | None = reference("output.id", default=None)
    source_id: int | None = reference("source.id", default=None)
    scorer: str
    version: str
    shape: str
    values: bytes
    summary: float | None
    created_at: str


class Embedding(SQLModel, table=True):
    __table_args__ = (
        UniqueConstraint("embedder", "version", "output_id"),
        UniqueConstraint("embedder", "version", "source_id"),
        CheckConstraint("(output_id IS NULL) <> (source_id IS NULL)"),
    )
    id: int | None = Field(default=None, primary_key=True)
    output_id: int | None = reference("output.id", default=None)
    source_id: int | None = reference("source.id", default=None)
    embedder: str
    version: str
    vector: bytes
    created_at: str


class Plan(SQLModel, table=True):
    id: str = Field(primary_key=True)
    study_id: int = reference("study.id")
    title: str
    axis: str
    seed: int
    settings: str
    created_at: str


class Comparison(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("plan_id", "position"),)
    id: str = Field(primary_key=True)
    plan_id: str = reference("plan.id")
    position: int
    axis: str
    task: str
    theme: str
    items: str
    texts_sha256: str
    repeat_of: str | None = reference("comparison.id", default=None)


class Rater(SQLModel, table=True):
    __table_args__ = (CheckConstraint("kind IN ('person', 'model')"),)
    id: str = Field(primary_key=True)
    code: str = Field(unique=True)
    kind: str
    background: str
    created_at: str


class Session(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("plan_id", "rater_id"),)
    id: str = Field(primary_key=True)
    plan_id: str = reference("plan.id")
    rater_id: str = reference("rater.id")
    consent_text: str
    consent_at: str
    opened_at: str
    revealed_at: str | None


class Judgment(SQLModel, table=True):
    __table_args__ = (
        CheckConstraint("outcome IN ('choice', 'tie', 'none', 'skip', 'undone')"),
        CheckConstraint("(outcome = 'choice') = (chosen IS NOT NULL)"),
        Index("judgment_by_session", "session_id", "comparison_id"),
        Index("judgment_by_comparison", "comparison_id"),
        Index("judgment_by_superseded", "supersedes"),
    )
    sequence: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    session_id: str = reference("session.id")
    comparison_id: str = reference("comparison.id")
    outcome: str
    chosen: int | None
    shown: str
    texts_sha256: str
    note: str
    active_seconds: float
    supersedes: str | None = reference("judgment.id", default=None)
    created_at: str
    row_sha256: str
    detail: str = Field(default="{}", sa_column_kwargs={"server_default": "{}"})


class Draft(SQLModel, table=True):
    session_id: str = reference("session.id", primary_key=True)
    comparison_id: str = reference("comparison.id", primary_key=True)
    note: str
    updated_at: str


class Annotation(SQLModel, table=True):
    __table_args__ = (
        Index("annotation_by_target", "target", "kind"),
        Index("annotation_by_superseded", "supersedes"),
    )
    id: str = Field(primary_key=True)
    kind: str
    target: str
    rater_id: str | None = reference("rater.id", default=None)
    value: str
    supersedes: str | None = reference("annotation.id", default=None)
    created_at: str


class Packet(SQLModel, table=True):
    __table_args__ = (CheckConstraint("direction IN ('made', 'merged')"),)
    id: str = Field(primary_key=True)
    plan_id: str = reference("plan.id")
    rater_id: str = reference("rater.id")
    direction: str
    file_sha256: str
    manifest: str
    created_at: str


class Reading(SQLModel, table=True):
    id: str = Field(primary_key=True)
    source_id: int | None = reference("source.id", default=None)
    title: str
    document_sha256: str
    result: str
    created_at: str


class Finding(SQLModel, table=True):
    __table_args__ = (Index("finding_by_measurement", "study", "measurement"),)
    id: int | None = Field(default=None, primary_key=True)
    study: str
    finding_id: str
    label: str
    variant: str
    body: str
    recipe: str
    measurement: str
    created_at: str


class Event(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    body: str
    created_at: str


def table(model: type[SQLModel]) -> sa.Table:
    """The table behind a model, for building statements."""
    return SQLModel.metadata.tables[str(model.__tablename__)]
