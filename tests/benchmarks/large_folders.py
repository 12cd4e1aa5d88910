"""A large result folder for benchmarks: written as `core.runs.result_folder` writes it, its scores by chance."""

import json
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

from biasprint.core.runs.result_folder import FOOTER, TEXT_HASH, VALUES
from biasprint.core.runs.result_folder.scoring import BATCH_ROWS, ScoringOrder, plan
from biasprint.core.text import sha256_file

ROWS = 100_000  # of a partition
VOCABULARY, WORDS = 5_000, 52  # words that texts are made of, and of each text: about 290 characters
DATA_ROWS = 10_000  # of a row group of the data


def with_scores(folder: Path, partitions: int) -> Path:
    """The result folder, beside its data."""
    chance = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(chance.choice(letters, chance.integers(2, 9))) for _ in range(VOCABULARY)])
    data = folder / "data"
    data.mkdir(parents=True)
    for number in range(partitions):
        texts = [" ".join(row) for row in words[chance.integers(0, VOCABULARY, (ROWS, WORDS))]]
        table = pyarrow.table({"group": chance.choice(["woman", "man"], ROWS), "text": texts})
        parquet.write_table(table, data / f"{number:04}.parquet", row_group_size=DATA_ROWS)
    order = plan(data, folder / "scores", ["textblob", "refusal"]).order
    for name in sorted(path.name for path in data.iterdir()):
        _write_scores(order, name, chance)
    return order.out


def _write_scores(order: ScoringOrder, name: str, chance: np.random.Generator) -> None:
    source, target = order.source(name), order.target(name)
    values = {"textblob": chance.normal(0, 0.3, ROWS), "refusal": chance.integers(0, 2, ROWS).astype(float)}
    columns = {"group": parquet.read_table(source, columns=["group"]).column("group"), TEXT_HASH: ["0" * 64] * ROWS}
    for scorer, numbers in values.items():
        each = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(numbers.astype("f4")), 1)
        columns |= {scorer: numbers, scorer + VALUES: each.cast(pyarrow.list_(pyarrow.float32()))}
    table = pyarrow.table(columns)
    found = source.stat()
    made_from = {"sha256": sha256_file(source), "bytes": found.st_size, "changed_ns": found.st_mtime_ns}
    footer = {"input": made_from, "rows": ROWS, "failed": 0, "order": order.stated()}
    target.parent.mkdir(parents=True, exist_ok=True)
    with parquet.ParquetWriter(target, table.schema) as writer:
        writer.write_table(table, row_group_size=BATCH_ROWS)
        writer.add_key_value_metadata({FOOTER: json.dumps(footer)})
