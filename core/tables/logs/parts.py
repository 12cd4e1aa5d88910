"""Parts that the formats of logs share: the declaration of one, the text of a message, and columns of metadata."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.tables.nested import as_text
from biasprint.core.tables.rows import Fault

Values = Mapping[str, Any]
RecordReader = Callable[[Values], Iterable[Values | Fault]]

# Reasons why a model stopped, by every name that the logs have for them → the column `reply_kind`.
_REPLY_KINDS = {
    "length": "cut off", "max_tokens": "cut off", "model_length": "cut off", "content_filter": "refusal",
    "refusal": "refusal",
}  # fmt: skip
# Where a message, or the response that holds one, keeps its text; the first that is there counts.
_TEXT_KEYS = ("content", "text", "completion", "output", "answer", "response", "generations", "choices", "message",
              "messages", "kwargs", "parts", "raw")  # fmt: skip
_DEEPEST = 12


@dataclass(frozen=True)
class LogFormat:
    """A log that another program wrote. It is recognised by its content, whatever the file is called.

    `fits`: is this record one of its? `reader`: what makes rows of each record, for a file at a path. `inside`: the
    records of a whole JSON document of this format, None for another one; it raises `AppError` for a version that
    cannot be read or a part that is missing.
    """

    name: str
    title: str
    fits: Callable[[Values], bool]
    reader: Callable[[Path], RecordReader]
    inside: Callable[[Values, Path], Sequence[Values] | None] = lambda whole, path: None


def message_text(value: Any, depth: int = 0) -> str:
    """Return the text of a reply: a plain text, a message, its parts, or the last of several messages.

    A text that holds one of these as JSON is read too. "" where there is none.
    """
    if depth > _DEEPEST or value is None:
        return ""
    if isinstance(value, str):
        inner = as_json(value)
        return (message_text(inner, depth + 1) if isinstance(inner, dict | list) else "") or value
    if isinstance(value, list):
        return _text_of_list(value, depth)
    if isinstance(value, Mapping):
        inner = next((value[key] for key in _TEXT_KEYS if value.get(key) not in (None, "", [])), None)
        return message_text(inner, depth + 1)
    return as_text(value)


def _text_of_list(items: Sequence[Any], depth: int) -> str:
    if not items:
        return ""
    parts = [part for part in items if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")]
    if parts and "role" not in parts[0]:  # the parts of one message
        return "".join(as_text(part.get("text")) for part in parts if not isinstance(part.get("text"), Mapping))
    spoken = [item for item in items if isinstance(item, Mapping) and item.get("role") == "assistant"]
    if any(isinstance(item, Mapping) and item.get("type") == "ChatGeneration" for item in items):
        return message_text(items[0], depth + 1)
    return message_text((spoken or items)[-1], depth + 1)


def prompt_text(value: Any) -> str:
    """Return the text of a prompt: of several messages the last that a user wrote."""
    if isinstance(value, str):
        inner = as_json(value)
        return prompt_text(inner) if isinstance(inner, dict | list) else value
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        return prompt_text(value["messages"])
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return prompt_text(value[0])
        asked = [item for item in value if isinstance(item, Mapping) and _role(item) in ("user", "human")]
        return message_text((asked or value)[-1]) if value else ""
    if isinstance(value, Mapping) and len(value) == 1:
        return prompt_text(next(iter(value.values())))
    return message_text(value)


def _role(message: Values) -> Any:
    kind = message.get("id")
    of_class = str(kind[-1]).removesuffix("Message").casefold() if isinstance(kind, list) and kind else None
    return message.get("role") or message.get("type") or of_class


def as_json(text: Any) -> Any:
    """Return the value that a cell holds as JSON, or the cell itself; numbers stay as they are written."""
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[", '"')):
        return text
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return text


def row(*, text: str, prompt: str = "", model: Any = None, stopped: Any = None, sample: Any = None,
        more: Iterable[Any] = ()) -> dict[str, str]:  # fmt: skip
    """Return the columns of one reply. `stopped`: why the model stopped; `more`: objects whose values get columns."""
    values = {"text": text, "prompt": prompt, "model": as_text(model), "sample": as_text(sample)}
    values = {name: value for name, value in values.items() if value or name == "text"}
    if kind := _REPLY_KINDS.get(str(stopped)):
        values["reply_kind"] = kind
    for part in more:
        if isinstance(part, Mapping):
            for name, value in part.items():
                values.setdefault(
                    name if name not in ("text", "prompt", "model") else f"metadata {name}", as_text(value)
                )
    return values


def failed(*, refused: bool = False, **columns: Any) -> dict[str, str]:
    """Return the columns of a request that gave no text."""
    return {**row(text="", **columns), "reply_kind": "refusal" if refused else "failed"}


def other_version(path: Path, title: str, version: Any, known: Sequence[str]) -> AppError:
    """Return the error for a file of a version that cannot be read."""
    return AppError(
        f"“{path.name}” is a file of {title} in version {version or 'unknown'}, which cannot be read.",
        hint=f"Versions that can be read: {', '.join(known)}. Export it as csv there.",
    )


def part_missing(path: Path, title: str, part: str) -> AppError:
    """Return the error for a file that lacks a part."""
    return AppError(
        f"“{path.name}” looks like a file of {title}, but {part} is missing.", hint="Save or export it again."
    )
