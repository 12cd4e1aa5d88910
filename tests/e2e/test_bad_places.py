"""The program in bad places: a sentence and exit code 1, or a window that works; never a traceback or an abort."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import biasprint, refused
from display import Display, missing_programs
from seeded_part import seeded_part

from biasprint.core.project.project import Project
from biasprint.core.runs.sample import unpack_sample

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "biasprint")  # the one place that says how it is started
STRANGE = 'it\'s "quoted"\nand \U0001f98a $(two) lines.biasprint'
PATIENCE_SECONDS = 60.0
pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays and mounts of Linux"),
    pytest.mark.timeout(180),
]
on_a_display = pytest.mark.skipif(bool(missing_programs()), reason="what tests/window needs is missing")


def may_mount() -> bool:
    asked = ("unshare", "-m", "true")
    return shutil.which(asked[0]) is not None and not subprocess.run(asked, capture_output=True).returncode


in_a_place = pytest.mark.skipif(not may_mount(), reason="only root may mount a read-only or full disk to try it on")
# A shell that makes the folder in $0 read-only, or a full disk, for itself and what it starts.
PLACES = {
    "read-only": 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"',
    "full": 'mount -t tmpfs -o size=64k none "$0" && { head -c 1M /dev/zero >"$0/fill" 2>/dev/null; exec "$@"; }',
}


def start(home: Path, *words: object, within: tuple[str, ...] = (), **variables: str) -> "subprocess.Popen[str]":
    """Start the program as its user would, with a home and an environment without a display but in `variables`."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "BIASPRINT_HOME", "XDG_DATA_HOME", "XAUTHORITY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"PYTHONPATH": str(ROOT), "HOME": str(home), "XDG_SESSION_TYPE": "tty", **variables}
    command = [*within, *PROGRAM, *map(str, words)]
    return subprocess.Popen(
        command, env=environment, cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(program: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Its exit code, answer and complaint; nothing in them is for developers."""
    try:
        out, err = program.communicate(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()
        pytest.fail(f"it does not end: {program.communicate()}")
    assert "Traceback" not in err, err
    assert "not foreseen" not in err, err
    assert "Aborted" not in err, err
    return program.returncode, out, err


def placed(place: str, folder: Path) -> tuple[str, ...]:
    return ("unshare", "-m", "sh", "-c", PLACES[place], str(folder))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("project") / "study.biasprint"
    unpack_sample(file)
    return file


# ---- displays


@pytest.fixture
def dying_display() -> Iterator[str]:
    """An X server that takes each connection and closes it."""
    folder = Path("/tmp/.X11-unix")
    folder.mkdir(exist_ok=True)
    number = next(number for number in range(700, 800) if not (folder / f"X{number}").exists())
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / f"X{number}"))
        server.listen()

        def take_and_close() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=take_and_close, daemon=True).start()
        yield f":{number}"
        server.shutdown(socket.SHUT_RDWR)
    (folder / f"X{number}").unlink()


@pytest.mark.parametrize("words", seeded_part([["gui"], ["gui", "study.biasprint"], []], 1))
def test_no_display_and_a_dying_one_are_said(tmp_path: Path, dying_display: str, words: list[str]) -> None:
    nothing, dying = start(tmp_path, *words), start(tmp_path, *words, DISPLAY=dying_display)
    code, out, err = ended(nothing)
    assert (code, out) == (1, "")
    assert err.startswith("There is no display here to open a window on")
    code, out, err = ended(dying)
    assert (code, out) == (1, "")
    assert err.startswith(f"The display “{dying_display}” does not answer, or does not let this program in.")


@pytest.fixture
def screen() -> Iterator[Display]:
    with Display(1280, 800, managed=False) as display:
        yield display


@pytest.fixture
def runtime() -> Iterator[str]:
    """A folder for sockets, whose paths may have 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="run-", dir="/tmp") as folder:
        yield folder


@on_a_display
@in_a_place
def test_with_its_home_on_a_full_disk_the_window_opens(tmp_path: Path, screen: Display, runtime: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    program = start(home, "gui", within=placed("full", home), DISPLAY=f":{screen.number}", XDG_RUNTIME_DIR=runtime)
    screen.xdotool("search", "--sync", "--onlyvisible", "--name", "^Biasprint$")
    program.send_signal(signal.SIGINT)
    assert ended(program)[0] == 0


# ---- folders and names


@on_a_display
@in_a_place
@pytest.mark.parametrize("words", seeded_part([["gui"], ["gui", "study.biasprint"], ["demo"]], 1))
def test_a_home_that_is_read_only_opens_no_window_and_says_why(
    tmp_path: Path, screen: Display, words: list[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    code, out, err = ended(start(home, *words, within=placed("read-only", home), DISPLAY=f":{screen.number}"))
    assert (code, out) == (1, "")
    assert err.startswith(f"The program may not write to its data folder “{home}")
    assert "Nothing was changed." in err
    assert "BIASPRINT_HOME" in err
    assert len(err.splitlines()) == 1


@in_a_place
@pytest.mark.parametrize("place", seeded_part(PLACES, 1))
def test_commands_work_beside_a_bad_home_or_say_what_is_wrong_with_it(
    tmp_path: Path, project: Path, place: str
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    (work / "letter.txt").write_text("I recommend Mary Miller. She is a warm and caring teacher.", encoding="utf-8")
    shutil.copy(project, work)
    commands: list[list[object]] = [
        ["new", work / "new.biasprint"],
        ["check", work / project.name],
        ["letter", work / "letter.txt"],
    ]
    for command in commands:
        code, _, err = ended(start(home, *command, within=placed(place, home)))
        assert code in (0, 1), err
        if code:
            assert str(home) in err, err
            assert "Nothing was changed." in err


@in_a_place
@pytest.mark.parametrize(
    ("place", "says"), seeded_part([("read-only", "could not be made"), ("full", "disk is full")], 1)
)
def test_a_folder_that_takes_nothing_is_said_by_what_writes_there(
    tmp_path: Path, project: Path, place: str, says: str
) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    for command in (["new", bad / "new.biasprint"], ["demo", "--headless", "--out", bad / "demo"]):
        code, out, err = ended(start(tmp_path, *command, within=placed(place, bad)))
        assert (code, out) == (1, "")
        assert says in err, err


def test_a_file_in_the_place_of_the_demos_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "demo").touch()
    code, out, err = ended(start(tmp_path, "demo", "--headless", "--out", tmp_path / "demo"))
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == f"The folder “{tmp_path / 'demo'}” could not be made (File exists)."


def test_a_name_with_quotes_line_ends_and_emoji_stays_in_its_sentence(tmp_path: Path) -> None:
    file = tmp_path / STRANGE
    shown = str(file).replace("\n", " ")
    assert biasprint("new", file).out == f"Made {shown}.\n"
    checked = biasprint("check", file).out
    assert checked.startswith(f"{shown} is sound")
    assert len(checked.splitlines()) == 1
    refused("measure", "letters", file, code=1, says="")
    said = refused("letter", file, code=1, says="")
    assert said.startswith(f"“{file.name}”".replace("\n", " "))
    with Project.open(file, read_only=True) as opened:
        assert opened.path.name == STRANGE
