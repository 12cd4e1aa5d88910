"""The program in another language: every panel, what cannot be translated, and what a person chooses."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import biasprint, program

from biasprint.core.prompts import cogs_themes

WALK = Path(__file__).parent / "language_walk.py"
# Names of the sample's models, texts and groups, and keys: nobody translates them.
OF_THE_STUDY = (
    "qwen2.5", "sample texts", "Gender", "cogs/", "Man, Woman", "Straight, Queer", "White, Black", "Androcentrism",
    "Shift+", "Ctrl+", "English", "Deutsch", "White Men Lead", "student/", "news/", "completion/",
    "agency/", "{identity}", "{task}",
)  # fmt: skip


def names_of_the_study(folder: Path) -> Iterator[str]:
    yield from OF_THE_STUDY
    yield str(folder)
    yield from (theme.text.capitalize() for theme in cogs_themes())


def walked(code: str, folder: Path, *size: str) -> dict[str, dict[str, list[str]]]:
    ran = subprocess.run(
        [sys.executable, str(WALK), code, str(folder), *size],
        capture_output=True, text=True, timeout=240, env=os.environ | {"BIASPRINT_HOME": str(folder / "home")},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    found: dict[str, dict[str, list[str]]] = json.loads((folder / "told.json").read_text("utf-8"))
    return found


def test_no_panel_shows_a_word_that_cannot_be_translated_or_cuts_one_that_grew(tmp_path: Path) -> None:
    told = walked("xx", tmp_path, "1280", "800")
    assert len(told) > 10
    own = tuple(names_of_the_study(tmp_path))
    english = {panel: [text for text in each["english"] if text != "Sample" and not any(name in text for name in own)]
               for panel, each in told.items()}  # fmt: skip
    assert not any(english.values()), {panel: texts for panel, texts in english.items() if texts}
    assert not any(each["cut"] for each in told.values()), {panel: each["cut"] for panel, each in told.items()}


def test_a_command_speaks_the_language_of_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """German in a process of its own; then both in one process, which has the parser of each."""
    there = tmp_path / "none.biasprint"
    answer = program("check", there, env={"BIASPRINT_LANGUAGE": "de"})
    assert (answer.code, "Es gibt keine Datei" in answer.err) == (1, True)
    for code, says in (("en", "There is no file"), ("de", "Es gibt keine Datei"), ("en", "There is no file")):
        monkeypatch.setenv("BIASPRINT_LANGUAGE", code)
        assert says in biasprint("check", there, code=1).err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("report", "--nonsense"), "Diese Option gibt es nicht: --nonsense"),
        (("report",), "Es fehlt das Argument 'file'."),
        (("report", "a.biasprint"), "Es fehlt die Option '--out'."),
        (
            ("generate", "a.biasprint", "--study", "letters", "--backend", "synthetic", "--samples", "0"),
            "muss mindestens 1 sein",
        ),
        (("repotr",), "Diesen Befehl gibt es nicht: 'repotr'."),
        (("report", "--help"), "[nötig]"),
    ],
)
def test_wrong_usage_and_help_are_explained_in_the_reader_s_language(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str
) -> None:
    monkeypatch.setenv("BIASPRINT_LANGUAGE", "de")
    answer = biasprint(*words, code=None)
    said = f"{answer.out}{answer.err}"
    assert says in said
    assert not re.search(r"\b(Error|Try|required|Missing|Invalid|default):?\b", said)
