"""A bit that rotted in a stored row: every command that hands the row on or counts it says so, and leaves it out."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import biasprint

import biasprint as interface


def rot(path: Path, column: str, table: str) -> str:
    """Flip one bit in the middle of a stored text; size and time of the file stay. Return the word as it became."""
    with closing(sqlite3.connect(path)) as connection:
        texts = connection.execute(f'SELECT {column} FROM "{table}" ORDER BY rowid').fetchall()
    content, before = bytearray(path.read_bytes()), path.stat()
    stored = next(text.encode() for (text,) in texts if content.count(text.encode()) == 1 and len(text) > 20)
    letter = next(place for place in range(len(stored) // 2, len(stored)) if chr(stored[place]) in "abcdefgh02468")
    at = content.index(stored) + letter
    content[at] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return content[at - 6 : at + 6].decode()


COMMANDS = {
    "export": ("export", "FILE", "outputs", "--study", "letters", "--out", "OUT.csv"),
    "score": ("score", "FILE", "--scorer", "length"),
    "measure": ("measure", "letters", "FILE", "--json", "--report", "OUT.html"),
    "compare": ("compare", "FILE", "--axis", "gender", "--seed", "3"),
    "packet make": ("packet", "make", "FILE", "--out", "OUT", "--rater", "R01"),
    "report": ("report", "FILE", "--out", "OUT.html"),
    "replay": ("replay", "FILE", "--n", "1"),
    "pack make": ("pack", "make", "FILE", "--out", "OUT"),
}


@pytest.fixture
def known(study_file: Path) -> Path:
    """The project, closed by this machine: it is opened again without being examined."""
    biasprint("export", study_file, "prompts", "--out", study_file.with_name("prompts.csv"))
    return study_file


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flipped_bit_in_a_text_is_told_and_the_text_left_out(known: Path, name: str, tmp_path: Path) -> None:
    rotten = rot(known, "text", "output")
    out = tmp_path / "made"
    words = [str(known) if word == "FILE" else word.replace("OUT", str(out)) for word in COMMANDS[name]]

    answer = biasprint(*words, code=None)

    assert "of “study.biasprint”" in answer.err, answer.err
    assert "damaged and left out" in answer.err
    written = [
        path.read_bytes() for made in tmp_path.glob("made*") for path in (made, *made.rglob("*")) if path.is_file()
    ]
    assert all(rotten.encode() not in each for each in (*written, answer.out.encode()))


def test_a_flipped_bit_in_a_judgment_is_told_and_the_judgment_left_out(known: Path, tmp_path: Path) -> None:
    rot(known, "row_sha256", "judgment")

    assert "damaged and left out" in biasprint("export", known, "judgments", "--out", tmp_path / "j.csv").err


def test_a_sound_project_is_told_nothing(known: Path, tmp_path: Path) -> None:
    assert "damaged" not in biasprint("export", known, "outputs", "--study", "letters", "--out", tmp_path / "o.csv").err


def test_from_python_it_is_a_warning(known: Path) -> None:
    before = len(interface.open(known).outputs())
    rot(known, "text", "output")

    with pytest.warns(UserWarning, match="damaged and left out"):
        project = interface.open(known)

    assert len(project.outputs()) == before - 1
