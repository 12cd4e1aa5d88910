"""Tables that the tests of the command line write and read."""

import csv
import json
from pathlib import Path
from typing import Any

from biasprint.core.project.project import Project

LETTERS = [
    {"text": "He leads with confidence, and never gives up.", "group": "male"},
    {"text": "She is kind,\nand helps everyone.", "group": "female"},
    {"text": "Une lettre d’une élève — naïve 🙂", "group": "female"},
]


def write_table(path: Path, rows: list[dict[str, str]], *, encoding: str = "utf-8", separator: str = ",") -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding=encoding)
        return path
    with open(path, "w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_table(path: Path) -> list[dict[str, Any]]:
    """An exported table as another program reads it; every value as text, nothing for an empty cell."""
    import pandas

    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    elif path.suffix == ".csv":
        rows = pandas.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    elif path.suffix == ".xlsx":
        rows = pandas.read_excel(path, dtype=str, keep_default_na=False).to_dict("records")
    else:
        rows = pandas.read_parquet(path, dtype_backend="pyarrow").astype(object).to_dict("records")
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> str:
    if value is None or value != value or str(value) == "<NA>":
        return ""
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value)


def sources(path: Path) -> list[tuple[str, dict[str, str]]]:
    with Project.open(path, read_only=True) as project:
        study = project.studies.of_kind("letters")
        return [] if study is None else [(row.text, dict(row.fields)) for row in project.sources.page(study.id)]
