"""Results of promptfoo: the JSON of `promptfoo eval -o` (results of version 2 and 3), its jsonl, and its csv."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biasprint.core.tables.logs.parts import (
    LogFormat,
    RecordReader,
    Values,
    failed,
    message_text,
    other_version,
    part_missing,
    row,
)
from biasprint.core.tables.nested import as_text, at_path
from biasprint.core.tables.rows import Fault

TITLE = "promptfoo"
VERSIONS = ("2", "3")
_COLUMN = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL)  # [provider] prompt
_VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]\s?(?:\(\d[\d.]*\)\s?)?")


def fits(record: Values) -> bool:
    return {"provider", "prompt", "vars"} <= record.keys() and bool({"response", "error"} & record.keys())


def inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The results of a JSON file."""
    results = whole.get("results")
    if not isinstance(results, Mapping) or not ({"evalId", "config"} & whole.keys() or "stats" in results):
        return None
    if (version := as_text(results.get("version"))) not in VERSIONS:
        raise other_version(path, TITLE, version, VERSIONS)
    if not isinstance(results.get("results"), list):
        raise part_missing(path, TITLE, "the list of results")
    return results["results"]  # type: ignore[no-any-return]


def reader(path: Path) -> RecordReader:
    """Rows of results. Two providers of one name and prompt, such as one model at two temperatures, get numbers."""
    names: dict[str, str] = {}  # of each column of the evaluation, which promptfoo numbers as promptIdx
    used: Counter[tuple[str, str]] = Counter()

    def rows(record: Values) -> Iterator[Values | Fault]:
        provider = record["provider"]
        model = as_text((provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else provider)
        column = as_text(record.get("promptIdx"))
        if column and column not in names:
            used[of := (model, as_text(record.get("promptId") or at_path(record, "prompt.label")))] += 1
            names[column] = model if used[of] == 1 else f"{model} ({used[of]})"
        output = at_path(record, "response.output")
        asked = message_text(at_path(record, "prompt.raw") or record["prompt"])
        columns: dict[str, Any] = {"prompt": asked, "model": names.get(column, model), "more": (record.get("vars"),)}
        if output in (None, ""):
            yield failed(refused=at_path(record, "response.isRefusal") is True, **columns)
        else:
            yield row(text=message_text(output), stopped=at_path(record, "response.finishReason"), **columns)

    return rows


FORMAT = LogFormat("promptfoo", TITLE, fits, reader, inside)


# ---- csv: a column of texts for each provider and prompt, with the verdict before each text


def fits_csv(record: Values) -> bool:
    return any(_COLUMN.fullmatch(name) and _VERDICT.match(as_text(cell)) for name, cell in record.items())


def csv_rows(record: Values) -> Iterator[Values | Fault]:
    columns = {name: hit for name in record if (hit := _COLUMN.fullmatch(name))}
    others = {name: cell for name, cell in record.items() if name not in columns}
    for name, hit in columns.items():
        verdict = _VERDICT.match(cell := as_text(record[name]))
        text = cell[verdict.end() :] if verdict else cell
        if verdict and verdict[1] == "ERROR":
            yield failed(prompt=_filled(hit[2], others), model=hit[1], more=(others,))
        else:
            yield row(text=text, prompt=_filled(hit[2], others), model=hit[1], more=(others,))


def _filled(template: str, values: Values) -> str:
    return re.sub(r"{{\s*(\w+)\s*}}", lambda hit: as_text(values.get(hit[1], hit[0])), template)


CSV = LogFormat("promptfoo_csv", f"{TITLE} (csv)", fits_csv, lambda _: csv_rows)
