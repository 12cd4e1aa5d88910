"""Names that a person or a file gives: an odd one ends in no traceback, and an endless one in a sentence to be read."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.given import is_there, path_of

ENDLESS = "a" * 5_000


def test_home_is_put_in_and_the_home_of_nobody_stays_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert path_of("~/model.gguf") == Path("/somewhere/model.gguf")
    assert path_of("~nobody-of-this-name/model.gguf") == Path("~nobody-of-this-name/model.gguf")


def test_a_name_that_no_file_system_takes_is_not_there(tmp_path: Path) -> None:
    assert is_there(tmp_path)
    assert not is_there(tmp_path / "other")
    assert not is_there(tmp_path / ENDLESS)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        (f"There is no axis “{ENDLESS}”.", "There is no axis “aaa", "…”."),
        (f"There is no axis “{'a b ' * 2_000}”.", "There is no axis “a b a b", "…”."),
        (f"It has no texts: {ENDLESS}.", "It has no texts: aaa", "a…."),
        (f"{ENDLESS} is missing, and so is “this”.", "aaa", "a… is missing, and so is “this”."),
    ],
)
def test_of_an_endless_name_the_beginning_is_told(said: str, start: str, end: str) -> None:
    error = AppError(said)
    assert error.message.startswith(start)
    assert error.message.endswith(end)
    assert len(error.message) < 400
    assert str(error) == error.message


def test_what_a_person_can_read_stays_whole() -> None:
    said = f"“{'/folder' * 50}/letter.docx” cannot be read: " + "one word after another " * 40
    assert AppError(said).message == said
