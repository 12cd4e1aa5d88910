"""Logs of inspect_ai: `.json`, and `.eval`, an archive with one file for each sample (its log format, version 2)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biasprint.core.tables.logs.parts import (
    LogFormat,
    Values,
    failed,
    message_text,
    other_version,
    part_missing,
    prompt_text,
    row,
)
from biasprint.core.tables.nested import at_path
from biasprint.core.tables.rows import Fault

TITLE = "inspect_ai"
VERSIONS = ("1", "2")
ATTACHED = "attachment://"


def fits(record: Values) -> bool:
    return {"id", "epoch", "input", "output"} <= record.keys()


def inside(whole: Values, path: Path) -> Sequence[Values] | None:
    """The samples of a `.json` log."""
    if not (isinstance(whole.get("eval"), Mapping) and "version" in whole):
        return None
    check_header(whole, path)
    if not isinstance(whole.get("samples"), list):
        raise part_missing(path, TITLE, "the list of samples")
    return whole["samples"]  # type: ignore[no-any-return]


def check_header(whole: Values, path: Path) -> None:
    """Raise `AppError` for a log of a version that is not known."""
    if str(whole.get("version")) not in VERSIONS:
        raise other_version(path, TITLE, whole.get("version"), VERSIONS)


def rows(record: Values) -> Iterator[Values | Fault]:
    attachments = record.get("attachments")
    missing: list[str] = []
    output = _attached(record.get("output"), attachments, missing)
    asked = _attached(record.get("input"), attachments, missing)
    if missing:
        yield Fault("attachment is missing", f"the log names “{missing[0][:40]}” and does not hold it")
        return
    scores = {f"score {name}": at_path(score, "value") for name, score in (record.get("scores") or {}).items()}
    columns: dict[str, Any] = {
        "prompt": prompt_text(asked),
        "model": at_path(output, "model") if isinstance(output, Mapping) else None,
        "more": (record.get("metadata"), {"id": record.get("id"), "epoch": record.get("epoch"), **scores}),
    }
    text = message_text(at_path(output, "choices.0.message") or at_path(output, "completion")) if output else ""
    stopped = at_path(output, "choices.0.stop_reason") if output else None
    if record.get("error") or (not text and stopped == "content_filter"):
        yield failed(refused=stopped == "content_filter", **columns)
    else:
        yield row(text=text, stopped=stopped, **columns)


def _attached(value: Any, attachments: Any, missing: list[str]) -> Any:
    """Return the value with every long text that the log keeps apart in its place."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        name = value.removeprefix(ATTACHED)
        if isinstance(attachments, Mapping) and name in attachments:
            return attachments[name]
        missing.append(name)
        return ""
    if isinstance(value, Mapping):
        return {key: _attached(part, attachments, missing) for key, part in value.items()}
    return [_attached(part, attachments, missing) for part in value] if isinstance(value, list) else value


FORMAT = LogFormat("inspect_ai", TITLE, fits, lambda _: rows, inside)
