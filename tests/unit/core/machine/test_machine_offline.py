"""The offline switch, and the guard that makes it true for every socket of a process."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.machine import offline, storage


@pytest.fixture(autouse=True)
def program_home(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    return own_home / "program"


def run(code: str, **env: str) -> str:
    """What a program with the guard prints."""
    whole = f"import socket\nfrom biasprint.core.machine import offline\noffline.guard_sockets()\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", whole],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRY = """
def attempt(what):
    try:
        what()
        return "open"
    except OSError as error:
        return type(error).__name__
"""


def test_it_is_off_until_it_is_switched_on_and_all_see_it() -> None:
    assert (offline.is_on(), offline.set_by()) == (False, "")
    offline.switch(True)
    assert (offline.is_on(), offline.set_by()) == (True, "switch")
    assert run("print(offline.is_on())") == "True"
    offline.switch(False)
    assert not offline.is_on()


def test_switching_keeps_the_other_settings() -> None:
    storage.write(offline.FILE, {"other": 1})
    offline.switch(True)
    assert storage.read(offline.FILE) == {"offline": True, "other": 1}


@pytest.mark.parametrize(("value", "on"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_the_environment_stands_above_the_switch(monkeypatch: pytest.MonkeyPatch, value: str, on: bool) -> None:
    monkeypatch.setenv(offline.VARIABLE, value)
    assert offline.is_on() is on
    offline.switch(True)
    assert offline.is_on()


def test_a_setting_that_cannot_be_read_counts_as_on(program_home: Path) -> None:
    offline.switch(False)
    (program_home / offline.FILE).write_text("{broken")
    assert offline.is_on()
    offline.switch(False)
    assert not offline.is_on()


def test_a_needed_connection_is_refused_in_a_sentence() -> None:
    offline.require_connection("the download of “x”")
    offline.switch(True)
    with pytest.raises(AppError) as error:
        offline.require_connection("the download of “x”")
    assert error.value.message == "The download of “x” needs a connection, and the offline switch is on."
    assert "biasprint offline off" in error.value.hint


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket()",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_INET6)",
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 80)",
        "socket.gethostbyname('localhost')",
        "__import__('urllib.request').request.urlopen('http://127.0.0.1:9/')",
    ],
)
def test_every_way_to_the_network_is_refused_while_it_is_on(attempt: str) -> None:
    code = f"{TRY}\nprint(attempt(lambda: {attempt}))"
    assert run(code, BIASPRINT_OFFLINE="1") in ("NoConnection", "URLError")


def test_the_refusal_says_in_a_sentence_what_to_do() -> None:
    code = "try:\n    socket.socket()\nexcept OSError as error:\n    print(error)"
    said = run(code, BIASPRINT_OFFLINE="1")
    assert said.startswith("The offline switch is on: the program makes no connection.")
    assert "BIASPRINT_OFFLINE" in said


def test_a_socket_that_was_open_before_cannot_be_used_after() -> None:
    code = f"""{TRY}
opened = socket.socket()
offline.switch(True)
print(attempt(lambda: opened.connect(("127.0.0.1", 9))), attempt(lambda: opened.bind(("127.0.0.1", 0))))
offline.switch(False)
print(attempt(lambda: opened.connect(("127.0.0.1", 9))), attempt(socket.socket))
"""
    assert run(code).splitlines() == ["NoConnection NoConnection", "ConnectionRefusedError open"]


def test_without_the_switch_the_guard_lets_everything_through() -> None:
    assert (
        run(f"{TRY}\nprint(attempt(socket.socket), attempt(lambda: socket.getaddrinfo('127.0.0.1', 1)))") == "open open"
    )


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no AF_UNIX")
def test_sockets_and_pipes_between_processes_still_work() -> None:
    code = """
import multiprocessing
one, other = socket.socketpair()
one.sendall(b"x")
near, far = multiprocessing.get_context("spawn").Pipe()
near.send("y")
print(other.recv(1).decode() + far.recv())
"""
    assert run(code, BIASPRINT_OFFLINE="1") == "xy"


def test_network_libraries_take_the_refusal_as_a_failed_connection() -> None:
    pytest.importorskip("httpx")
    code = """
import httpx
try:
    httpx.get("http://127.0.0.1:9/")
except httpx.ConnectError as error:
    print("offline switch" in str(error))
"""
    assert run(code, BIASPRINT_OFFLINE="1") == "True"


def test_the_switch_is_not_asked_for_what_is_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(offline, "is_on", lambda: asked.append(1) or False)
    offline._hook("import", ("os",))
    offline._hook("open", ("x", "r", 0))
    offline._hook("socket.gethostname", ())
    assert not asked
    offline._hook("socket.__new__", (None, socket.AF_INET, socket.SOCK_STREAM, 0))
    assert asked


def test_two_changes_at_once_both_last() -> None:
    def change(key: str) -> None:
        for number in range(20):
            with storage.change("shared.json") as data:
                data[f"{key}{number}"] = number

    threads = [threading.Thread(target=change, args=(key,)) for key in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(storage.read("shared.json")) == 60


def test_a_change_that_fails_writes_nothing() -> None:
    storage.write("x.json", {"a": 1})
    with pytest.raises(ZeroDivisionError), storage.change("x.json") as data:
        data["a"] = 1 / 0
    assert storage.read("x.json") == {"a": 1}


def test_a_lock_is_free_again_when_its_process_is_killed(program_home: Path) -> None:
    code = (
        "import os\nfrom biasprint.core.machine.storage import locked\n"
        "with locked('x.lock'):\n    print('held')\n    os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 9, done.stderr
    with storage.locked("x.lock", patience=0):
        pass


def test_a_lock_that_another_process_holds_is_said(program_home: Path) -> None:
    code = """
import sys
from biasprint.core.machine.storage import locked
with locked("x.lock"):
    print("held", flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(storage.Busy, match="Another window or command"), storage.locked("x.lock", patience=0):
        pass
    holder.communicate("")
