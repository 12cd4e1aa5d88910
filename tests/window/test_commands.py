"""The installed commands, each started once, away from the source."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from person import NewPerson

SECONDS_AT_MOST = 30
SIDE_BY_SIDE = 2
# What a command does without arguments, where that is more than to say how it is used.
LIGHTLY = {"prepare": ("--status",), "demo": ("--help",)}  # the demo has a test of its own
LISTED = re.compile(r"^  ([a-z][a-z-]*)  ", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A neutral folder and home, where nothing is."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def commands(command: Path, folder: Path) -> list[str]:
    """The commands that the help lists."""
    help_text = run(command, folder, "--help").stdout
    listed = LISTED.findall(help_text.partition("Commands:")[2])
    assert {"new", "letter", "gui", "demo", "packet"} <= set(listed)
    return listed


def run(command: Path, folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a command without a display; one that takes too long is an error."""
    variables |= {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run(
        [str(command), *arguments], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=SECONDS_AT_MOST,
    )  # fmt: skip


def wrong_ends(command: Path, folder: Path, lines: list[tuple[str, ...]], codes: set[int]) -> list[str]:
    """Run command lines side by side; those that end by a signal, with a traceback, or with another code."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        ends = list(threads.map(lambda line: run(command, folder, *line), lines))
    return [
        f"{' '.join(line)}: {end.returncode}, {end.stdout[-300:]}{end.stderr[-300:]}"
        for line, end in zip(lines, ends, strict=True)
        if end.returncode not in codes or "Traceback" in end.stdout + end.stderr or not end.stdout + end.stderr
    ]


def test_every_command_says_how_it_is_used(command: Path, folder: Path, commands: list[str]) -> None:
    assert wrong_ends(command, folder, [(name, "--help") for name in commands], {0}) == []


def test_every_command_without_arguments_answers_or_says_what_is_missing(
    command: Path, folder: Path, commands: list[str]
) -> None:
    lines = [(name, *LIGHTLY.get(name, ())) for name in commands]
    assert wrong_ends(command, folder, lines, {0, 1, 2}) == []


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":4711"}], ids=["none", "dead"])
def test_without_a_display_the_window_says_so_in_a_sentence(
    command: Path, folder: Path, display: dict[str, str]
) -> None:
    end = run(command, folder, **display)
    assert end.returncode == 1
    assert "display" in end.stderr
    assert "Traceback" not in end.stderr
    assert len(end.stderr.strip().splitlines()) <= 2, end.stderr


@pytest.mark.parametrize("name", ["Anna's “best”", "two\nlines", "🙂 – ünï"], ids=["quotes", "line end", "emoji"])
def test_a_project_of_any_name_opens(new_person: NewPerson, name: str) -> None:
    person = new_person()
    project = person.folder / f"{name}.biasprint"
    person.command("new", project)
    person.start("gui", project)
    person.find("Prompts", within="Panels")
    person.quit()
    assert project.stat().st_size > 0
