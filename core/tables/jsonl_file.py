"""Reading jsonl: one JSON object a line. Texts, and numbers too, are kept exactly as written."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.jobs import JobContext
from core.tables.encoding import Encoding, misfit, open_text, watch
from core.tables.rows import Fault, RawRow, excerpt

HEADER_ROWS = 1000  # keys are looked for in this many first rows
BLANK = Fault("empty row")


@dataclass(frozen=True)
class JsonlFile:
    """A jsonl file whose keys are known."""

    path: Path
    encoding: Encoding
    columns: tuple[str, ...]

    @classmethod
    def open(cls, path: Path, encoding: Encoding) -> "JsonlFile":
        """Collect the keys of the first rows that are not blank. Raises `AppError` if no line holds an object."""
        filled = (parsed for _, parsed in _parse(path, encoding, None) if parsed != BLANK)
        found = list(islice(filled, HEADER_ROWS))
        objects = [parsed for parsed in found if isinstance(parsed, dict)]
        if not found:
            raise AppError(f"“{path.name}” has no rows.", hint="Check that it was saved completely.")
        if not objects:
            raise AppError(
                f"No line of “{path.name}” is a JSON object.",
                hint='Each line must hold one row, like {"text": "…", "group": "…"}.',
            )
        return cls(path, encoding, tuple(dict.fromkeys(key for row in objects for key in row)))

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Every line with the values of the wanted keys ("" where one is absent or null)."""
        for number, (line, parsed) in enumerate(_parse(self.path, self.encoding, ctx), start=1):
            if isinstance(parsed, Fault):
                yield RawRow(number, line, fault=parsed)
                continue
            values = [parsed.get(column) for column in wanted]
            odd = next((column for column, value in zip(wanted, values, strict=True) if _is_nested(value)), None)
            if odd is not None:
                yield RawRow(number, line, fault=Fault("not a text", f"“{odd}” holds a list or an object"))
            else:
                yield RawRow(number, line, tuple(_as_text(value) for value in values))


def _parse(path: Path, encoding: Encoding, ctx: JobContext | None) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    with open_text(path, encoding, newline="\n") as stream:  # only \n ends a line: texts may hold U+2028 or \r
        for number, line in enumerate(stream, start=1):
            watch(stream, path, number, ctx)
            yield number, _parse_line(line, encoding)


def _parse_line(line: str, encoding: Encoding) -> dict[str, Any] | Fault:
    if not line.strip():
        return BLANK
    if why := misfit(line, encoding):
        return Fault("wrong encoding", why, excerpt(line))
    try:
        parsed = _DECODER.decode(line)
    except _KeyTwice as error:
        return Fault("key given twice", str(error), excerpt(line))
    except (ValueError, RecursionError) as error:
        return Fault("not valid JSON", str(error), excerpt(line))
    return parsed if isinstance(parsed, dict) else Fault("not a JSON object", excerpt=excerpt(line))


class _KeyTwice(Exception):
    """The parser would keep the last value and lose the first without a word."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _KeyTwice(next(f"“{key}”" for key in keys if keys.count(key) > 1))
    return result


# Numbers stay as they are written: no rounding, and no limit on their length.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _as_text(value: str | bool | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
