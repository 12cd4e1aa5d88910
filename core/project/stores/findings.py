"""Scores and embeddings, findings, events, readings and annotations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.project.changes import Changes
from biasprint.core.project.rows import AnnotationRow, EventRow, FindingRow, ScoreRow, TextRow
from biasprint.core.project.schema import table
from biasprint.core.project.specs import AnnotationSpec, ScoreSpec
from biasprint.core.project.stores.common import (
    StorePart,
    canonical_json,
    chunks,
    following,
    json_list,
    json_object,
    json_part,
    made,
    new_uuid,
    utc_now,
)
from biasprint.core.project.stores.studies import FOR_JUDGING
from biasprint.core.text import restore_text

# ---- Findings with the recipe that made them, and the log of events

finding = table("finding")
event = table("event")


class Findings(StorePart):
    def replace(self, study: str, measurement: str, recipe: dict[str, Any], findings: Sequence[Finding]) -> Changes:
        """Store the findings of a measurement in place of what it found before."""
        rows = [
            {
                "study": study,
                "finding_id": item.id,
                "label": item.label,
                "variant": item.variant,
                "body": canonical_json(item.to_json()),
                "recipe": canonical_json(recipe),
                "measurement": measurement,
                "created_at": utc_now(),
            }
            for item in findings
        ]

        def write(connection: Connection) -> Changes:
            same = (finding.c.study == study) & (finding.c.measurement == measurement)
            connection.execute(sa.delete(finding).where(same))
            if rows:
                connection.execute(sa.insert(finding), rows)
            ids = connection.execute(sa.select(finding.c.id).where(same)).scalars().all()
            return Changes.to("finding", ids)

        return self._writer.write(write)

    def page(self, after_id: int, limit: int, study: str | None = None) -> tuple[FindingRow, ...]:
        """Return the next findings by id."""
        statement = following(sa.select(finding), finding.c.id, after_id, limit)
        if study is not None:
            statement = statement.where(finding.c.study == study)
        return self._all(statement, _finding)

    def all(self, study: str | None = None) -> tuple[FindingRow, ...]:
        """Return every finding, read in short transactions: a study can have thousands.

        Read again where a measurement was replaced meanwhile, so that no two measurements are mixed.
        """
        state = self._state()
        while True:
            rows = tuple(chunks(lambda after, limit: self.page(after, limit, study), lambda row: row.id))
            before, state = state, self._state()
            if state == before:
                return rows

    def last(self, study: str) -> FindingRow | None:
        """Return the last finding of a study, for when and how it was measured."""
        statement = sa.select(finding).where(finding.c.study == study).order_by(finding.c.id.desc()).limit(1)
        return self._one(statement, _finding)

    def _state(self) -> tuple[Any, ...]:
        latest = sa.select(sa.func.count(), sa.func.max(finding.c.created_at)).select_from(finding)
        return tuple(self._reader.run(lambda connection: connection.execute(latest).one()))


class Events(StorePart):
    def add(self, kind: str, body: dict[str, Any]) -> Changes:
        values = {"kind": kind, "body": canonical_json(body), "created_at": utc_now()}
        return self._insert(event, values, urgent=False)

    def recent(self, limit: int = 100) -> tuple[EventRow, ...]:
        return self._all(sa.select(event).order_by(event.c.id.desc()).limit(limit), _event)

    def of_kind(self, kind: str) -> tuple[EventRow, ...]:
        """Return every event of a kind, the oldest first."""
        return self._all(sa.select(event).where(event.c.kind == kind).order_by(event.c.id), _event)


_event = made(EventRow)


def _finding(row: Any) -> FindingRow:
    body = json_object(row.body)
    return FindingRow(
        row.id, row.study, row.measurement, body, Finding.from_json(body), json_object(row.recipe), row.created_at
    )


# ---- Readings of letters that a person chose to keep. A reading is never changed; checking again adds another

reading = table("reading")
comparison = table("comparison")


@dataclass(frozen=True)
class ReadingRow:
    """A stored check of a letter, with its `result`. `source_id`: its text; None where only the reading was kept."""

    id: str
    source_id: int | None
    title: str
    document_sha256: str
    result: Mapping[str, Any]
    created_at: str


@dataclass(frozen=True)
class ReadingHead:
    """A stored check of a letter without what it found."""

    id: str
    source_id: int | None
    title: str
    created_at: str


class Readings(StorePart):
    """Readings by id. Nothing comes here but by the person's own act."""

    def add(self, title: str, document_sha256: str, result: Mapping[str, Any], source_id: int | None) -> Changes:
        """Keep a reading, as JSON values, of the letter with this hash, whose text may be a source of the project."""
        values = {
            "id": new_uuid(),
            "source_id": source_id,
            "title": title,
            "document_sha256": document_sha256,
            "result": canonical_json(result),
            "created_at": utc_now(),
        }
        return self._insert(reading, values)

    def all(self) -> tuple[ReadingRow, ...]:
        """Return every reading, the oldest first."""
        return self._all(sa.select(reading).order_by(reading.c.created_at, reading.c.id), _row)

    def get(self, reading_id: str) -> ReadingRow | None:
        return self._one(sa.select(reading).where(reading.c.id == reading_id), _row)

    def latest(self) -> tuple[ReadingHead, ...]:
        """Return the readings that no later one follows, the newest first."""
        follows = json_part(reading.c.result, "$.follows")
        followed = sa.select(follows).where(follows.is_not(None))
        statement = (
            sa.select(reading.c.id, reading.c.source_id, reading.c.title, reading.c.created_at)
            .where(reading.c.id.not_in(followed))
            .order_by(reading.c.created_at.desc(), reading.c.id)
        )
        return self._all(statement, lambda row: ReadingHead(*row))

    def remove_letter(self, reading_id: str) -> Changes:
        """Delete a letter: this reading, those that it follows, and their texts with whatever was measured of them.

        The bytes are overwritten in the file. `AppError` where a comparison shows one of the texts.
        """

        def write(connection: Connection) -> Changes:
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
            mine = _chain(connection, reading_id)
            others = sa.select(reading.c.source_id).where(
                reading.c.id.not_in(mine), reading.c.source_id.is_not(None)
            )  # fmt: skip
            texts = sa.select(reading.c.source_id).where(reading.c.id.in_(mine), reading.c.source_id.not_in(others))
            sources = set(connection.execute(texts).scalars())
            if _compared(connection, sources):
                raise AppError(
                    "A comparison shows this letter: without its text the judgments of it could not be understood.",
                    kept="Nothing was deleted.", hint="Remove the plan first, where nobody has begun it.",
                )  # fmt: skip
            changes = Changes.to("reading", mine)
            connection.execute(sa.delete(reading).where(reading.c.id.in_(mine)))
            for measured in (score, embedding):
                connection.execute(sa.delete(measured).where(measured.c.source_id.in_(sources)))
            connection.execute(sa.delete(source).where(source.c.id.in_(sources)))
            return changes | Changes.to("source", sources) if sources else changes

        return self._writer.write(write, urgent=True)


def _chain(connection: Connection, reading_id: str) -> list[str]:
    """Return a reading and those that it follows, back to the first."""
    ids: list[str] = []
    following: str | None = reading_id
    follows = json_part(reading.c.result, "$.follows")
    while following is not None and following not in ids:
        row = connection.execute(sa.select(reading.c.id, follows).where(reading.c.id == following)).first()
        if row is None:
            break
        ids.append(row[0])
        following = row[1]
    return ids


def _compared(connection: Connection, sources: Collection[int]) -> bool:
    """Return whether a card of a comparison shows one of the sources."""
    items = comparison.c["items"]
    cards = sa.func.json_each(sa.case((sa.func.json_valid(items) == 1, items), else_="[]")).table_valued("value")
    showing = sa.func.json_extract(cards.c.value, "$.source").in_(sources)
    query = sa.select(comparison.c.id).select_from(comparison.join(cards, sa.true())).where(showing)
    return connection.execute(query).first() is not None


_row = made(ReadingRow)


# ---- Statements beside the judgments: criterion ratings, perceptibility, decisions. They are only ever added

annotation = table("annotation")


class Annotations(StorePart):
    def add(self, spec: AnnotationSpec) -> Changes:
        """Add a statement, at once; on disk when this returns."""
        return self.add_many([spec])

    def add_many(self, specs: Sequence[AnnotationSpec]) -> Changes:
        """Add statements. One whose id is here already stays as it is, so that merging again adds nothing."""
        rows = [_values(spec) for spec in specs]

        def write(connection: Connection) -> Changes:
            added = [
                row["id"]
                for row in rows
                if connection.execute(insert(annotation).values(row).on_conflict_do_nothing(["id"])).rowcount
            ]
            return Changes.to("annotation", added)

        return self._writer.write(write, urgent=True)

    def of_kind(
        self, kind: str, *, target: str | None = None, rater_id: str | None = None, superseded: bool = False
    ) -> tuple[AnnotationRow, ...]:
        """Return the statements of one kind in the order of time; those that a later one superseded only where asked
        for.
        """
        later = annotation.alias("later")
        statement = sa.select(annotation).where(annotation.c.kind == kind)
        if target is not None:
            statement = statement.where(annotation.c.target == target)
        if rater_id is not None:
            statement = statement.where(annotation.c.rater_id == rater_id)
        if not superseded:
            statement = statement.where(~sa.exists().where(later.c.supersedes == annotation.c.id))
        return self._all(statement.order_by(annotation.c.created_at, annotation.c.id), annotation_row)


def _values(spec: AnnotationSpec) -> dict[str, Any]:
    return spec.model_dump() | {
        "id": spec.id or new_uuid(),
        "value": canonical_json(spec.value),
        "created_at": spec.created_at or utc_now(),
    }


annotation_row = made(AnnotationRow)


# ---- Scores and embeddings: compact, one row per text and scorer version. Scoring again generates nothing

score = table("score")
embedding = table("embedding")
output = table("output")
source = table("source")
prompt = table("prompt")
prompt_set = table("prompt_set")

Kind = Literal["output", "source"]


class Scores(StorePart):
    """Scores of texts. `embeddings=True` works on the embedding table: the same questions, vectors instead of
    values.
    """

    def unscored(
        self,
        kind: Kind,
        scorer: str,
        version: str,
        *,
        study_id: int,
        after_id: int = 0,
        limit: int = 500,
        embeddings: bool = False,
    ) -> tuple[TextRow, ...]:
        """Return the next finished outputs, or sources, of a study that this scorer version has not scored."""
        texts, missing = _missing(kind, scorer, version, study_id, embeddings)
        statement = following(sa.select(texts).where(missing), texts.c.id, after_id, limit)
        return self._all(statement, lambda row: _text(kind, row))

    def missing(self, kind: Kind, scorer: str, version: str, *, study_id: int, embeddings: bool = False) -> int:
        """Return how many texts `unscored` would give in all."""
        texts, missing = _missing(kind, scorer, version, study_id, embeddings)
        return self._counted(sa.select(sa.func.count()).select_from(texts).where(missing), texts)

    def record_many(self, specs: Sequence[ScoreSpec], *, embeddings: bool = False) -> Changes:
        """Store scores and wait until they are on disk; those there already stay."""

        def write(connection: Connection) -> Changes:
            into = embedding if embeddings else score
            new = insert(into).on_conflict_do_nothing().returning(into.c.id)  # made once: it takes longer than a row
            added: list[int] = []
            for spec in specs:
                values = _vector(spec) if embeddings else _score(spec)
                added += connection.execute(new, values).scalars()
            return Changes.to(into.name, added)

        return self._writer.write(write)

    def page(
        self, kind: Kind, scorer: str, version: str, *, after_id: int = 0, limit: int = 500
    ) -> tuple[ScoreRow, ...]:
        """Return the scores of a scorer version, by the id of their text."""
        mine = sa.select(score).where(score.c.scorer == scorer, score.c.version == version)
        return self._all(following(mine, score.c[f"{kind}_id"], after_id, limit), _score_row)

    def embeddings(
        self, kind: Kind, embedder: str, version: str, *, after_id: int = 0, limit: int = 500
    ) -> tuple[ScoreRow, ...]:
        """Return the vectors of an embedder version, by the id of their text."""
        mine = sa.select(embedding).where(embedding.c.embedder == embedder, embedding.c.version == version)
        return self._all(following(mine, embedding.c[f"{kind}_id"], after_id, limit), _vector_row)

    def between(
        self, after_id: int, last_id: int, scorers: Mapping[str, str], *, embeddings: bool = False
    ) -> tuple[tuple[int, str, ScoreRow], ...]:
        """Return id, scorer and score of the rows that these scorers (name → version) stored after one id, up to
        another.
        """
        name, build = ("embedder", _vector_row) if embeddings else ("scorer", _score_row)
        return self._all(
            _between(tuple(scorers.items()), embeddings),
            lambda row: (row.id, getattr(row, name), build(row)),
            {"first": after_id + 1, "last": last_id},
        )

    def known(self) -> tuple[tuple[str, str, int], ...]:
        """Return the scorer versions that are here, with how many texts each has scored."""
        return tuple(
            (name, version, count)
            for of, column in ((score, score.c.scorer), (embedding, embedding.c.embedder))
            for (name, version), count in sorted(self._grouped(of, (column, of.c.version)).items())
        )


@lru_cache(maxsize=16)
def _between(scorers: tuple[tuple[str, str], ...], embeddings: bool) -> "sa.Select[Any]":
    """Return the statement, built once for each set of scorers: a live board asks ten times a second."""
    of, name = (embedding, embedding.c.embedder) if embeddings else (score, score.c.scorer)
    # The plus keeps SQLite on the range of ids: by the index of scorers it reads every score each time.
    ranged = sa.literal_column(f"+{of.name}.{name.name}", sa.Text)
    wanted = sa.or_(*((ranged == key) & (of.c.version == version) for key, version in scorers))
    ids = of.c.id.between(sa.bindparam("first"), sa.bindparam("last"))
    return sa.select(of).where(ids, wanted).order_by(of.c.id)


def _texts(kind: Kind, study_id: int) -> tuple[sa.Table, "sa.ColumnElement[bool]"]:
    # A sum has no index: by an index SQLite would gather and sort all of a study's texts to give the next few.
    if kind == "source":
        return source, sa.and_(source.c.study_id + 0 == study_id, source.c.kind.not_in(FOR_JUDGING))
    sets = sa.select(prompt_set.c.id).where(prompt_set.c.study_id == study_id)
    prompts = sa.select(prompt.c.id).where(prompt.c.prompt_set_id.in_(sets))
    return output, sa.and_(output.c.status == "done", (output.c.prompt_id + 0).in_(prompts))


def _missing(
    kind: Kind, scorer: str, version: str, study_id: int, embeddings: bool
) -> tuple[sa.Table, "sa.ColumnElement[bool]"]:
    texts, belongs = _texts(kind, study_id)
    scores, name = (embedding, embedding.c.embedder) if embeddings else (score, score.c.scorer)
    mine = sa.select(scores.c.id).where(
        name == scorer, scores.c.version == version, scores.c[f"{kind}_id"] == texts.c.id
    )
    return texts, sa.and_(belongs, ~mine.exists())


def _text(kind: Kind, row: Any) -> TextRow:
    text = restore_text(row.text, row.escaped)
    if kind == "output":
        return TextRow(row.id, None, text)
    return TextRow(None, row.id, text, json_object(row.fields).get("line_break", ""))


def _score(spec: ScoreSpec) -> dict[str, Any]:
    values = np.ascontiguousarray(spec.values, dtype=np.float32)
    return {
        "output_id": spec.output_id,
        "source_id": spec.source_id,
        "scorer": spec.scorer,
        "version": spec.version,
        "shape": canonical_json(list(values.shape)),
        "values": values.tobytes(),
        "summary": spec.summary,
        "created_at": utc_now(),
    }


def _vector(spec: ScoreSpec) -> dict[str, Any]:
    return {
        "output_id": spec.output_id,
        "source_id": spec.source_id,
        "embedder": spec.scorer,
        "version": spec.version,
        "vector": np.ascontiguousarray(spec.values, dtype=np.float32).tobytes(),
        "created_at": utc_now(),
    }


def _score_row(row: Any) -> ScoreRow:
    values = np.frombuffer(row.values, dtype=np.float32).reshape(json_list(row.shape))
    return ScoreRow(row.output_id, row.source_id, values, row.summary)


def _vector_row(row: Any) -> ScoreRow:
    return ScoreRow(row.output_id, row.source_id, np.frombuffer(row.vector, dtype=np.float32), None)
