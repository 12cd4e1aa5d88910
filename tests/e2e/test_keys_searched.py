"""A planted key, searched after real work: in lists of processes, files, what was printed, exports and reports."""

import base64
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from bad_server import Answer as Served
from bad_server import Asked, BadServer, error, good
from cli_support import ROOT, biasprint

from biasprint.core.machine import keys

LOOK_EVERY = 30  # requests
KEY = "sk-canary-7Qw2zX9vB4nM1kL8"
AS_TYPED = ROOT / "tests" / "e2e" / "main_with_key.py"
pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc to look into")


# ---- The search


def forms(key: str) -> list[bytes]:
    """The key as it may be written: plain, in UTF-16, in Base64 at each of three places, percent-encoded, backwards."""
    plain = key.encode()
    shifted = [base64.b64encode(b"x" * shift + plain)[4 if shift else 0 : -4] for shift in range(3)]
    return [plain, key.encode("utf-16-le"), plain.hex().encode(), plain[::-1], *shifted]


def whole(data: bytes) -> Iterator[bytes]:
    """The bytes, and what is packed in them: the parts of a zip, and every stream that zlib can read."""
    yield data
    for begin in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        with suppress(zlib.error):
            yield zlib.decompressobj().decompress(data[begin.start() :])


def holds(data: bytes) -> bool:
    return any(form in each for each in whole(data) for form in forms(KEY))


def files_with_key(*places: Path) -> list[str]:
    found = []
    for path in itertools.chain.from_iterable(place.rglob("*") for place in places):
        if not path.is_file() or path.is_symlink():
            continue
        parts = [path.read_bytes()]
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                parts += [packed.read(name) for name in packed.namelist()]
        found += [str(path)] if any(map(holds, parts)) or KEY in path.name else []
    return found


class Processes:
    """What every process shows of itself to others, looked at while a server is asked."""

    def __init__(self) -> None:
        self.may_show: int | None = None  # a process that was started with it in its environment
        self.looks = 0
        self.seen: set[str] = set()

    def look(self) -> None:
        self.looks += 1
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ", "comm"):
                with suppress(OSError):
                    given = int(process.name) == self.may_show and name == "environ"
                    if KEY.encode() in (process / name).read_bytes() and not given:
                        self.seen.add(f"{name} of {(process / 'cmdline').read_bytes()!r}")


# ---- The work


@pytest.mark.soak
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "of the environment"])
@pytest.mark.parametrize("much", [False, True], ids=["little", "much"])
def test_a_key_is_nowhere_after_real_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: bool, much: bool
) -> None:
    """It is typed, or of the environment of the one process that was started with it. `much`: reports and a pack."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("BIASPRINT_HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(work))
    monkeypatch.delenv(keys.ENVIRONMENT, raising=False)
    file, processes, asked_with = work / "study.biasprint", Processes(), set()

    def served(asked: Asked) -> Served:
        asked_with.add(asked.headers["authorization"])
        if len(server.requests) % LOOK_EVERY == 0:
            processes.look()
        if len(server.requests) == LOOK_EVERY:  # one failure: after several the program lets a server rest
            return error("500 Server Error", f"the key {KEY} met a fault")
        return good()

    biasprint("new", file, "--study", "letters")
    with BadServer(served) as server:
        biasprint("endpoints", "add", "lab", "--url", server.url)
        write = ("generate", file, "--study", "letters", "--backend", "openai_compatible", "--model", "m")
        with subprocess.Popen(
            [sys.executable, *(map(str, [AS_TYPED] if typed else ["-m", "biasprint"])), *map(str, write),
             "--endpoint", "lab", "--json"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ if typed else os.environ | {keys.ENVIRONMENT: KEY},
        ) as process:  # fmt: skip
            processes.may_show = None if typed else process.pid
            printed = [*process.communicate(KEY.encode() if typed else None)]
        assert process.returncode == 0, printed
    assert asked_with == {f"Bearer {KEY}"}
    assert processes.looks >= 120 // LOOK_EVERY
    commands: list[tuple[object, ...]] = [
        *(("export", file, "outputs", "--out", work / f"outputs.{name}") for name in ("csv", "jsonl", "xlsx")),
        ("audit-file", file, "--out", work / "audit.toml"),
    ]
    if much:
        commands += [
            ("measure", "letters", file),
            *(("report", file, "--out", work / f"report.{name}") for name in ("pdf", "html", "md")),
            ("export", file, "outputs", "--out", work / "outputs.parquet"),
            ("pack", "make", file, "--out", work / "pack"),
        ]
    for words in commands:
        answer = biasprint(*words)
        printed += [answer.out.encode(), answer.err.encode()]

    assert processes.seen == set()
    assert files_with_key(home, work) == []
    assert not [text for text in printed if holds(text)]


def test_a_child_that_crashes_while_it_holds_a_key_does_not_print_it(tmp_path: Path) -> None:
    script = (
        "import ctypes, faulthandler, os, sys\n"
        "import compute_targets\n"
        "from biasprint.core.compute import models, ComputeCrashed\n"
        "from biasprint.core.machine.keys import use_session_keys\n"
        "models().call(use_session_keys, {'lab': sys.stdin.read()})\n"
        "try:\n    models().call(compute_targets.crash_in_c)\n"
        "except ComputeCrashed as crash:\n    print(crash, crash.details)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=KEY, capture_output=True, text=True, cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), keys.ENVIRONMENT: KEY},
    )  # fmt: skip
    assert "SIGSEGV" in done.stdout, done.stderr
    assert KEY not in done.stdout + done.stderr


# ---- The search finds one


def test_a_planted_key_would_be_found(tmp_path: Path) -> None:
    places: dict[str, bytes] = {
        "plain.log": f"… {KEY} …".encode(),
        "wide.txt": KEY.encode("utf-16-le"),
        "packed.pdf": b"stream " + zlib.compress(f"(Tj {KEY})".encode()),
        "header.txt": base64.b64encode(f"user:{KEY}".encode()),
    }
    for name, data in places.items():
        (tmp_path / name).write_bytes(data)
    with zipfile.ZipFile(tmp_path / "table.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("sheet.xml", KEY)
    with closing(sqlite3.connect(tmp_path / "freelist.biasprint")) as connection:  # of a row that was deleted
        connection.execute("PRAGMA secure_delete = OFF")  # else SQLite may write zeros over what is deleted
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(json.dumps({"key": KEY, "n": n}),) for n in range(500)])
        connection.commit()
        connection.execute("DELETE FROM t")
        connection.commit()
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0
    (tmp_path / f"{KEY}.txt").touch()

    assert len(files_with_key(tmp_path)) == len(places) + 3
    for where in ({"args": [KEY]}, {"env": os.environ | {"SECRET": KEY}}):
        processes = Processes()
        words: Any = where.get("args", [])
        child = subprocess.Popen(
            [sys.executable, "-c", "print(flush=True); input()", *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=where.get("env"),
        )  # fmt: skip
        assert child.stdout is not None
        child.stdout.readline()
        processes.look()
        child.communicate(b"\n")
        assert len(processes.seen) == 1
