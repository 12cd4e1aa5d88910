"""Results of promptfoo: the JSON of `promptfoo eval -o` (results of version 2 and 3), its jsonl, and its csv."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from biasprint.core.tables.logs.parts import LogFormat, Values, failed, message_text, other_version, part_missing, row
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


def rows(record: Values) -> Iterator[Values | Fault]:
    output = at_path(record, "response.output")
    provider = record["provider"]
    model = (provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else provider
    asked = message_text(at_path(record, "prompt.raw") or record["prompt"])
    more = (record.get("vars"),)
    if output in (None, ""):
        refused = at_path(record, "response.isRefusal") is True
        yield failed(refused=refused, prompt=asked, model=model, more=more)
    else:
        stopped = at_path(record, "response.finishReason")
        yield row(text=message_text(output), prompt=asked, model=model, stopped=stopped, more=more)


FORMAT = LogFormat("promptfoo", TITLE, fits, lambda _: rows, inside)


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
