"""A folder for those who work with data sets: rows as JSON lines, a card that people and hubs read, and Croissant.

Card: the README of a data set as Hugging Face's hub reads it (YAML above the words). Croissant: MLCommons' description
of data sets in JSON-LD, version 1.0 (http://mlcommons.org/croissant/1.0), read 2026-11; tried with mlcroissant 1.1.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from biasprint.core import __version__
from biasprint.core.errors import AppError
from biasprint.core.machine.files import not_written, whole_folder
from biasprint.core.report.export import ExportReport, Row, export_rows
from biasprint.core.text import sha256_file

FORMAT = "dataset"  # the command line's name of it
CARD, CROISSANT = "README.md", "croissant.json"
CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/", "extract": "cr:extract",
    "field": "cr:field", "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty", "fileSet": "cr:fileSet",
    "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
    "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
    "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated",
    "replace": "cr:replace", "sc": "https://schema.org/", "separator": "cr:separator", "source": "cr:source",
    "subField": "cr:subField", "transform": "cr:transform", "rai": "http://mlcommons.org/croissant/RAI/",
    "examples": {"@id": "cr:examples", "@type": "@json"}, "equivalentProperty": "cr:equivalentProperty",
    "samplingRate": "cr:samplingRate",
}  # fmt: skip
SOURCE = "https://github.com/biasprint/biasprint"
LIMITS = (
    "The texts were written by language models about people of named groups, to be compared. They can be unfair or "
    "hurtful; they are not examples to learn from. Codes stand for the people who judged. Say under which licence you "
    "hand the folder on: none is stated here."
)


def write_dataset(rows: Iterable[Row], folder: Path, columns: Sequence[str], what: str) -> ExportReport:
    """Write the folder, whole or not at all. `what`: “judgments” and the like.

    Raises `AppError` where the folder holds something or cannot be written.
    """
    if folder.is_symlink() or folder.exists():
        raise AppError(f"“{folder.name}” is there already.", kept="It stays as it is.", hint="Name a new folder.")
    try:
        with whole_folder(folder) as part:
            (part / "data").mkdir(parents=True)
            path = part / "data" / f"{what}.jsonl"
            report = export_rows(rows, path, columns)
            kinds = _kinds(path, columns)
            described = _croissant(what, path, kinds)
            (part / CROISSANT).write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", "utf-8")
            (part / CARD).write_text(_card(what, report.rows, kinds), "utf-8")
    except OSError as error:
        raise not_written(folder, error) from error
    return report


def _kinds(path: Path, columns: Sequence[str]) -> dict[str, str]:
    """Return the type of each column by its values: a number where all that are there are numbers."""
    seen: dict[str, set[type]] = {name: set() for name in columns}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            for name, value in json.loads(line).items():
                if value not in ("", None):
                    seen[name].add(type(value))
    return {name: _kind(name, types) for name, types in seen.items()}


def _kind(name: str, types: set[type]) -> str:
    if name.endswith("_at"):
        return "sc:DateTime"
    if types == {bool}:
        return "sc:Boolean"
    if types == {int}:
        return "sc:Integer"
    return "sc:Float" if types and types <= {int, float} else "sc:Text"


def _croissant(what: str, path: Path, kinds: Mapping[str, str]) -> dict[str, Any]:
    file = {
        "@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": f"data/{path.name}",
        "encodingFormat": "application/jsonlines",
        "sha256": sha256_file(path), "contentSize": f"{path.stat().st_size} B",
    }  # fmt: skip
    fields = [
        {
            "@type": "cr:Field", "@id": f"{what}/{name}", "name": name, "dataType": kind,
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": name}},
        }
        for name, kind in kinds.items()
    ]  # fmt: skip
    return {
        "@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"biasprint-{what}", "description": f"{what.capitalize()} of a Biasprint project. {LIMITS}",
        "version": "1.0.0", "datePublished": datetime.now(UTC).date().isoformat(), "url": SOURCE,
        "creator": {"@type": "sc:Organization", "name": f"Biasprint {__version__}"},
        "distribution": [file],
        "recordSet": [{"@type": "cr:RecordSet", "@id": what, "name": what, "field": fields}],
    }  # fmt: skip


def _card(what: str, rows: int, kinds: Mapping[str, str]) -> str:
    listed = "\n".join(f"| `{name}` | {kind.removeprefix('sc:').lower()} |" for name, kind in kinds.items())
    return (
        "---\n"
        f"pretty_name: {what.capitalize()} of a Biasprint project\n"
        "tags:\n- biasprint\n- social bias\n- human evaluation\n"
        f"configs:\n- config_name: {what}\n  data_files: data/{what}.jsonl\n"
        "---\n\n"
        f"# {what.capitalize()}\n\n{rows:,} rows, exported by Biasprint {__version__}.\n\n{LIMITS}\n\n"
        f"What each column means: docs/reference/tables.md of the program. `{CROISSANT}` describes the same for "
        f"programs.\n\n| column | type |\n|---|---|\n{listed}\n"
    )
