"""Values inside nested records: dotted paths such as `response.body.choices.0.message.content`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

DEEPEST = 10  # parts of a path
MOST_ITEMS = 10  # of a list that paths lead into


def leaf_paths(value: object, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the dotted path of every plain value in an object, in its order; the parts of a list are numbers from 0."""
    parts: Iterator[tuple[str, object]]
    if isinstance(value, Mapping):
        parts = iter(value.items())
    elif isinstance(value, list):
        parts = ((str(place), part) for place, part in enumerate(value[:MOST_ITEMS]))
    else:
        yield prefix
        return
    if depth < DEEPEST:
        for name, part in parts:
            yield from leaf_paths(part, f"{prefix}.{name}" if prefix else name, depth + 1)


def at_path(record: Mapping[str, Any] | list[Any], path: str) -> Any:
    """Return the value at a dotted path, None where there is none. A key that holds the dots itself goes first."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    value: Any = record
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def as_text(value: object) -> str:
    """Return a value as a cell: a text as it is, "" for null, everything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
