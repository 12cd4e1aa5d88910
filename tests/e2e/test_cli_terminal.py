"""Names of others on a terminal: whatever command prints them, the terminal gets nothing that it would obey."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint
from packet_files import answer, coordinator, finished, make, merge
from past_the_program import sql

EVIL = "Kelly\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202eX"
OBEYED = {*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160)), "\u202e"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with this name in every column of words that a file can bring."""
    path = tmp_path / "evil.biasprint"
    (made,) = make(path, coordinator(path, comparisons=2), "R01")
    merge(path, finished(answer(made.path, (0, "tie", None))))
    with closing(sql(path)) as connection:
        connection.execute("UPDATE plan SET title = ?", (EVIL,))
        connection.execute("UPDATE rater SET code = ?", (EVIL,))
        connection.execute("UPDATE study SET title = ?", (EVIL,))
        connection.execute("UPDATE generator SET model = ?", (EVIL,))
        connection.commit()
    return path


def obeyed(text: str) -> set[str]:
    return OBEYED & set(text)


COMMANDS = (
    ("check", "FILE"), ("packet", "list", "FILE"), ("raters", "list", "FILE"), ("packet", "seats", "FILE"),
    ("packet", "merge", "FILE", "BAD"), ("packet", "decide", "FILE", EVIL, EVIL, "--neither"),
    ("packet", "count", "FILE", EVIL), ("packet", "make", "FILE", "--out", "OUT", "--plan", f"{EVIL}?"),
    ("letter", "BAD"), ("check", "BAD"), ("new", "BAD"), ("measure", EVIL, "FILE"), (EVIL,), ("run", "BAD"),
    ("score", "BAD", "--scorer", EVIL), ("export", "FILE", "judgments", "--out", EVIL), ("models", "add", EVIL),
    ("import", "FILE", "BAD", "--map", f"{EVIL}=x"), ("compare", "FILE", "--axis", EVIL),
)  # fmt: skip


def test_no_command_hands_the_terminal_what_it_would_obey(project: Path, tmp_path: Path) -> None:
    bad = tmp_path / f"{EVIL}.bpacket"
    bad.write_bytes(b"nothing")
    put = {"FILE": str(project), "BAD": str(bad), "OUT": str(tmp_path / "made")}
    for command in COMMANDS:
        for more in ((), ("--json",)):
            answer = biasprint(*(put.get(word, word) for word in command), *more, code=None)
            assert (obeyed(answer.out), obeyed(answer.err)) == (set(), set()), command
            assert "Traceback" not in answer.err, command


def test_json_keeps_the_name_that_it_shows(project: Path) -> None:
    answer = biasprint("packet", "list", project, "--json")
    assert obeyed(answer.out) == set()
    assert json.loads(answer.out)["packets"][0]["code"] == EVIL
