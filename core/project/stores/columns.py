"""Columns of large tables as arrays, for pictures of everything: rows of a million texts would take minutes."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from biasprint.core.project.schema import table
from biasprint.core.project.stores.common import StorePart, following

output = table("output")
source = table("source")
score = table("score")
embedding = table("embedding")

AT_ONCE = 2_000  # rows in one read transaction, at most

Kind = Literal["output", "source"]
Ids = NDArray[np.int64]
Values = NDArray[np.float32]


@dataclass(frozen=True)
class OutputColumns:
    """Finished outputs by id: prompt and run of each, and its length in characters.

    `last_id`: after which to read on; None at the end.
    """

    ids: Ids
    prompts: Ids
    runs: Ids
    lengths: Ids
    last_id: int | None


@dataclass(frozen=True)
class OutputPlaces:
    """Outputs by id, failed ones too: prompt and run of each, and whether it failed."""

    ids: Ids
    prompts: Ids
    runs: Ids
    failed: NDArray[np.bool_]


class LastIds(NamedTuple):
    """The last id of each table; 0 where it is empty."""

    output: int
    source: int
    score: int
    embedding: int


LAST_IDS = sa.select(
    *(
        sa.select(sa.func.coalesce(sa.func.max(of.c.id), 0)).scalar_subquery()
        for of in (output, source, score, embedding)
    )
)


@dataclass(frozen=True)
class Measured:
    """A scorer's or an embedder's name and version, and how many texts it has measured."""

    name: str
    version: str
    count: int


class Columns(StorePart):
    """Pages by id, each in a read transaction of its own; an empty page is the end."""

    def outputs(self, after_id: int = 0, limit: int = AT_ONCE) -> OutputColumns:
        """Return the finished ones among the next `limit` outputs."""
        done = sa.case((output.c.status == "done", 1), else_=0)
        columns = (output.c.id, output.c.prompt_id, output.c.run_id, sa.func.length(output.c.text), done)
        statement = following(sa.select(*columns), output.c.id, after_id, limit)
        rows = np.array([tuple(row) for row in self._reader.rows(statement)], dtype=np.int64).reshape(-1, 5)
        ids, prompts, runs, lengths, _ = rows[rows[:, 4] == 1].T
        return OutputColumns(ids, prompts, runs, lengths, int(rows[-1, 0]) if len(rows) else None)

    def places(self, after_id: int = 0, limit: int = AT_ONCE) -> OutputPlaces:
        """Return the next `limit` outputs."""
        failed = sa.case((output.c.status == "error", 1), else_=0)
        columns = (output.c.id, output.c.prompt_id, output.c.run_id, failed)
        statement = following(sa.select(*columns), output.c.id, after_id, limit)
        rows = np.array([tuple(row) for row in self._reader.rows(statement)], dtype=np.int64).reshape(-1, 4)
        ids, prompts, runs, marks = rows.T
        return OutputPlaces(ids, prompts, runs, marks.astype(bool))

    def last_output(self) -> int:
        """Return the last id there is."""
        return self._number(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0)))

    def last_ids(self) -> LastIds:
        """Return the last ids at one moment: a score among them has its text among them too."""
        (row,) = self._reader.rows(LAST_IDS)
        return LastIds(*row)

    def scores(self, kind: Kind, of: Measured, after_id: int = 0, limit: int = AT_ONCE) -> tuple[Ids, Values]:
        """Return the ids of scored texts, and the summary of each; not a number where the scorer gave none."""
        key = score.c[f"{kind}_id"]
        mine = sa.select(key, score.c.summary).where(score.c.scorer == of.name, score.c.version == of.version)
        rows = self._reader.rows(following(mine, key, after_id, limit))
        summaries = [np.nan if row[1] is None else row[1] for row in rows]
        return np.array([row[0] for row in rows], dtype=np.int64), np.array(summaries, dtype=np.float32)

    def embeddings(self, kind: Kind, of: Measured, after_id: int = 0, limit: int = AT_ONCE) -> tuple[Ids, Values]:
        """Return the ids of embedded texts, and the vector of each as a row."""
        key = embedding.c[f"{kind}_id"]
        mine = sa.select(key, embedding.c.vector).where(
            embedding.c.embedder == of.name, embedding.c.version == of.version
        )
        rows = self._reader.rows(following(mine, key, after_id, limit))
        if not rows:
            return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
        vectors = [np.frombuffer(row[1], dtype="<f4") for row in rows]
        return np.array([row[0] for row in rows], dtype=np.int64), np.stack(vectors)

    def scorers(self) -> tuple[Measured, ...]:
        """Return the scorers that have scored texts of the project."""
        return self._measured(score, score.c.scorer)

    def embedders(self) -> tuple[Measured, ...]:
        """Return the embedders that have embedded texts of the project."""
        return self._measured(embedding, embedding.c.embedder)

    def _measured(self, of: sa.Table, name: "sa.Column[Any]") -> tuple[Measured, ...]:
        counts = self._grouped(of, (name, of.c.version))
        return tuple(Measured(key, version, count) for (key, version), count in sorted(counts.items()))
