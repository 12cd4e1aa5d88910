"""Docstrings, messages and pages are written in plain words: `docs/wording.py` holds the list of those that are not."""

from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest

WORDING = run_path(str(Path(__file__).parents[2] / "docs" / "wording.py"))
complaints: Callable[..., list[str]] = WORDING["complaints"]


def places(path: str, text: str) -> list[tuple[int, str]]:
    """Return the line and the word of each finding in a text."""
    return [(word.line, word.word) for word in WORDING["words"](path, text)]


def test_the_product_and_its_pages_have_no_listed_word() -> None:
    assert complaints(WORDING["check"](), WORDING["NOT_YET"]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('def f():\n    """What a row holds."""', [(2, "What")]),
        ('def f():\n    """Return the row.\n\n    How it is stored stands in the table."""', [(4, "stands")]),
        ('raise UsageError("The file is read anew.")', [(1, "anew")]),
        ('raise UsageError(\n    "It says nothing "\n    f"of {name}."\n)', [(2, 'nothing " f"of')]),
        ("x = 1  # the hash of today", [(1, "of today")]),
    ],
)
def test_a_riddling_word_in_python_is_found_with_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert places("core/planted.py", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    """Return the stand-in whose score stands out; `told` gets each remark."""',
        'LABEL = "What stands in the row"',
        'LABEL = """What stands in the row"""',
    ],
)
def test_ordinary_uses_of_the_same_words_are_left_alone(text: str) -> None:
    assert places("core/planted.py", text) == []


def test_a_page_is_read_as_a_whole() -> None:
    assert places("docs/how-to/planted.md", "# Measure\n\nIt stands in\nfor the model.") == [(3, "stands in for")]


def test_an_allowance_must_be_the_number_of_findings() -> None:
    planted = list(WORDING["words"]("desktop/panels/planted.py", "# anew\n# of today"))
    assert complaints(planted, {"desktop": 9, "desktop/panels": 2}) == [
        "desktop: 0 findings where NOT_YET allows 9: lower it"
    ]
    assert len(complaints(planted, {"desktop": 0, "desktop/panels": 1})) == 3
    assert [line.split(" ")[0] for line in complaints(planted, {"core": 0})] == [
        "desktop/panels/planted.py:1:",
        "desktop/panels/planted.py:2:",
    ]


@pytest.mark.parametrize(
    ("command", "folder", "line"),
    [
        ("first-lines", "core/errors.py", "core/errors.py:"),
        ("strings", "core/cli/own_commands.py", "Check an axis"),
        ("locals", "core/errors.py", " "),
    ],
)
def test_a_list_shows_what_a_folder_says(
    command: str, folder: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert WORDING["main"](command, folder) == 0
    assert line in capsys.readouterr().out


def test_a_check_of_a_folder_names_place_and_word_and_fails(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main: Callable[..., int] = WORDING["main"]
    monkeypatch.setitem(main.__globals__, "ROOT", tmp_path)
    (tmp_path / "core").mkdir()
    module = tmp_path / "core" / "planted.py"
    module.write_text("\n# Read anew.", encoding="utf-8")
    assert main("check", "core") == 1
    assert capsys.readouterr().out == "core/planted.py:2: anew → again\n"
    module.write_text("\n# Read again.", encoding="utf-8")
    assert main("check", "core") == 0
