"""Scores and embeddings: compact, one row per text and scorer version. Scoring again reads texts, generates nothing."""

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.project.changes import Changes
from core.project.rows import ScoreRow, TextRow
from core.project.schema import table
from core.project.specs import ScoreSpec
from core.project.stores.common import StorePart, canonical_json, restore_text, utc_now
from core.project.stores.studies import FOR_JUDGING

score = table("score")
embedding = table("embedding")
output = table("output")
source = table("source")
prompt = table("prompt")
prompt_set = table("prompt_set")

Kind = Literal["output", "source"]


class Scores(StorePart):
    """`embeddings=True` works on the embedding table: the same questions, vectors instead of values."""

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
        """The next finished outputs, or sources, of a study that this scorer version has not scored."""
        texts, missing = _missing(kind, scorer, version, study_id, embeddings)
        statement = sa.select(texts).where(missing, texts.c.id > after_id).order_by(texts.c.id).limit(limit)
        return self._all(statement, lambda row: _text(kind, row))

    def missing(self, kind: Kind, scorer: str, version: str, *, study_id: int, embeddings: bool = False) -> int:
        """How many texts `unscored` would give in all."""
        texts, missing = _missing(kind, scorer, version, study_id, embeddings)
        return self._number(sa.select(sa.func.count()).select_from(texts).where(missing))

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
        """The scores of a scorer version, by the id of their text."""
        key = score.c[f"{kind}_id"]
        statement = (
            sa.select(score)
            .where(score.c.scorer == scorer, score.c.version == version, key > after_id)
            .order_by(key)
            .limit(limit)
        )
        return self._all(statement, _score_row)

    def embeddings(
        self, kind: Kind, embedder: str, version: str, *, after_id: int = 0, limit: int = 500
    ) -> tuple[ScoreRow, ...]:
        """The vectors of an embedder version, by the id of their text."""
        key = embedding.c[f"{kind}_id"]
        statement = (
            sa.select(embedding)
            .where(embedding.c.embedder == embedder, embedding.c.version == version, key > after_id)
            .order_by(key)
            .limit(limit)
        )
        return self._all(statement, _vector_row)

    def known(self) -> tuple[tuple[str, str, int], ...]:
        """The scorer versions that are here, with how many texts each has scored."""
        statements = (
            sa.select(score.c.scorer, score.c.version, sa.func.count()).group_by(score.c.scorer, score.c.version),
            sa.select(embedding.c.embedder, embedding.c.version, sa.func.count()).group_by(
                embedding.c.embedder, embedding.c.version
            ),
        )
        return tuple((row[0], row[1], row[2]) for statement in statements for row in self._reader.rows(statement))


def _texts(kind: Kind, study_id: int) -> tuple[sa.Table, "sa.ColumnElement[bool]"]:
    if kind == "source":
        return source, sa.and_(source.c.study_id == study_id, source.c.kind.not_in(FOR_JUDGING))
    sets = sa.select(prompt_set.c.id).where(prompt_set.c.study_id == study_id)
    prompts = sa.select(prompt.c.id).where(prompt.c.prompt_set_id.in_(sets))
    return output, sa.and_(output.c.status == "done", output.c.prompt_id.in_(prompts))


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
    return TextRow(None, row.id, text, json.loads(row.fields).get("line_break", ""))


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
    values = np.frombuffer(row.values, dtype=np.float32).reshape(json.loads(row.shape))
    return ScoreRow(row.output_id, row.source_id, values, row.summary)


def _vector_row(row: Any) -> ScoreRow:
    return ScoreRow(row.output_id, row.source_id, np.frombuffer(row.vector, dtype=np.float32), None)
