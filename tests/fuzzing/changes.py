"""Ways to damage an input. Each is a Hypothesis strategy, so that what is found can be made small."""

import io
import json
import sqlite3
import tempfile
import tomllib
import warnings
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

MOST_CHANGES = 6
MOST_CUT = 64
# What readers stumble over: limits of numbers, signs of structure, ends of text, and what attacks a display.
TOKENS = (
    b"\0", b"\xff" * 8, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0" * 8, b"-1", b"0", b"1e999", b"-0", b"NaN", b"null",
    b"9" * 5_000, b"[" * 3_000, b'{"a":' * 2_000, b"true", b'"', b"'", b"\\", b"[", b"]", b"{", b"}", b"<", b">", b"&",
    b"<!ENTITY a SYSTEM 'file:///etc/passwd'>", b"&a;", b",", b";", b"\t", b"\r", b"\n", b"\r\n\r\n", b"=", b"%", b"..",
    b"../../../x", b"/dev/zero", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\xe2\x80\xae", b"\x1b[2J",
    b"\xf4\x90\x80\x80", b"2026-02-30", b"1979-05-27T07:32:00Z", b"0x10", b"inf", b"{{ 1/0 }}", b"$(id)", b"=1+1",
)  # fmt: skip
PARTS_OF_ZIPS = st.sampled_from((b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"))
# Offsets of two-byte and four-byte fields behind the signature of a central directory's entry.
FIELDS_OF_ZIPS = st.sampled_from((4, 6, 8, 10, 12, 16, 20, 24, 28, 30, 32, 36, 38, 42))


@st.composite
def damaged_bytes(draw: st.DrawFn, samples: Sequence[bytes]) -> bytes:
    """Bits flipped, bytes overwritten, pieces cut out, doubled or put in; sometimes the end is lost."""
    data = bytearray(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, MOST_CHANGES))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.sampled_from(("flip", "number", "cut", "double", "token", "token", "end"))):
            case "flip" if data:
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "number":
                data[at : at + 4] = draw(st.binary(min_size=1, max_size=8))
            case "cut":
                del data[at : at + draw(st.integers(1, MOST_CUT))]
            case "double":
                data[at:at] = data[at : at + draw(st.integers(1, MOST_CUT))]
            case "token":
                token = draw(st.sampled_from(TOKENS))
                data[at : at + draw(st.sampled_from((0, len(token))))] = token
            case "end" if draw(st.booleans()):
                del data[at:]
    return bytes(data)


def damaged_archive(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """A zip whose bytes are damaged, of which a part is, or whose directory states something else."""
    return st.one_of(_with_a_part(samples), _with_a_field(samples), damaged_bytes(samples))


@st.composite
def _with_a_part(draw: st.DrawFn, samples: Sequence[bytes]) -> bytes:
    parts = _unpacked(draw(st.sampled_from(samples)))
    name = draw(st.sampled_from(sorted(parts)))
    what = draw(st.sampled_from(("damage", "damage", "damage", "leave out", "rename", "twice")))
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for each, content in parts.items():
            if each != name:
                archive.writestr(zipfile.ZipInfo(each), content, zipfile.ZIP_DEFLATED)
                continue
            if what == "leave out":
                continue
            new = draw(st.sampled_from(("../" + name, "/" + name, name.upper(), ""))) if what == "rename" else name
            changed = draw(damaged_bytes([content])) if what == "damage" else content
            for _ in range(2 if what == "twice" else 1):
                archive.writestr(zipfile.ZipInfo(new), changed, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


@st.composite
def _with_a_field(draw: st.DrawFn, samples: Sequence[bytes]) -> bytes:
    data = bytearray(draw(st.sampled_from(samples)))
    places = list(_every(bytes(data), draw(PARTS_OF_ZIPS)))
    at = draw(st.sampled_from(places)) + draw(FIELDS_OF_ZIPS)
    value = draw(st.sampled_from((0, 1, 20, 84, 99, 0x7FFF, 0xFFFF)) | st.integers(0, 0xFFFF))
    data[at : at + 2] = value.to_bytes(2, "little")
    return bytes(data)


def damaged_json(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """JSON whose bytes are damaged, or in which values are others, gone or doubled."""
    return st.one_of(_with_other_data(samples, json.loads, json.dumps), damaged_bytes(samples))


def damaged_toml(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """TOML whose bytes are damaged, or in which values are others, gone or doubled."""
    from biasprint.core.prompts.resource_files import toml_text

    return st.one_of(_with_other_data(samples, tomllib.loads, toml_text), damaged_bytes(samples))


@st.composite
def _with_other_data(
    draw: st.DrawFn, samples: Sequence[bytes], read: Callable[[str], Any], write: Callable[[Any], str]
) -> bytes:
    data = read(draw(st.sampled_from(samples)).decode())
    for _ in range(draw(st.integers(1, 3))):
        inside = draw(st.sampled_from(_containers(data)))
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            continue
        key = draw(st.sampled_from(keys))
        match draw(st.sampled_from(("other", "other", "other", "gone", "twice"))):
            case "gone":
                del inside[key]
            case "twice" if isinstance(inside, list):
                inside.append(deepcopy(inside[key]))
            case _:
                inside[key] = deepcopy(draw(OF_DATA))
    try:
        return write(data).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError):  # what TOML cannot say
        return b""


def _containers(data: Any) -> list[Any]:
    inner = list(data.values()) if isinstance(data, dict) else list(data) if isinstance(data, list) else []
    return ([data] if isinstance(data, dict | list) else []) + [one for each in inner for one in _containers(each)]


def damaged_database(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """An SQLite file whose bytes are damaged, or whose values or schema somebody changed with SQL."""
    return st.one_of(_with_a_value(samples), _with_a_value(samples), damaged_bytes(samples))


# In place of a value, in a database or in data: of other kinds, and at the ends of what each kind can say.
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    (None, "", "x", -1, 0, 2**63 - 1, 1.5, 1e308, "\0", "\u202eabc", "\x1b[2J", "null", "[]", "{}", "[1]", '{"a":1}',
     "[" * 3_000, "9" * 5_000, "1" + "0" * 400, "../../x", "/dev/zero", "9999-99-99T99:99:99Z", "a" * 100_000, "nan",
     "0001-01-01T00:00:00+14:00", "inf", "{{ x }}")
)  # fmt: skip
OF_A_DATABASE = VALUES | st.sampled_from((float("inf"), b"", b"\xff\0"))
OF_DATA = VALUES | st.sampled_from((True, [], {}, [[]], {"": {}}, [1, "a", None], 10**400, -(10**400)))
SCHEMA = (
    "CREATE TABLE extra (a)", "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON event BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE f USING fts5(a)", "DROP TABLE event", "PRAGMA user_version=0", "PRAGMA user_version=99",
    "PRAGMA user_version=1", "PRAGMA application_id=0", "CREATE INDEX i ON event (kind)",
)  # fmt: skip


@st.composite
def _with_a_value(draw: st.DrawFn, samples: Sequence[bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(draw(st.sampled_from(samples)))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys=OFF")
            connection.execute("PRAGMA ignore_check_constraints=ON")
            for _ in range(draw(st.integers(1, 3))):
                _change(draw, connection)
        return path.read_bytes()


def _change(draw: st.DrawFn, connection: sqlite3.Connection) -> None:
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY 1")]
    table = draw(st.sampled_from([one for one in tables if not one.startswith("sqlite")]))
    column = draw(st.sampled_from([row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]))
    which = draw(st.sampled_from(("value", "value", "value", "value", "delete", "schema")))
    with suppress(sqlite3.Error):  # what a STRICT column does not take
        if which == "schema":
            connection.execute(draw(st.sampled_from(SCHEMA)))
        elif which == "delete":
            connection.execute(f'DELETE FROM "{table}" WHERE rowid = (SELECT min(rowid) FROM "{table}")')
        else:
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = (SELECT max(rowid) FROM "{table}")',
                (draw(OF_A_DATABASE),),
            )


def _unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _every(data: bytes, word: bytes) -> list[int]:
    found, at = [], data.find(word)
    while at >= 0:
        found.append(at)
        at = data.find(word, at + 1)
    return found
