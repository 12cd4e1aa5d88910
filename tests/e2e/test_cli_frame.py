"""What goes for every command: the version, quiet, and what a shell asks to complete a line."""

from pathlib import Path

import pytest
from cli_support import biasprint, program, refused
from seeded_part import seeded_part

from biasprint import core
from biasprint.core.cli import console


@pytest.fixture(autouse=True)
def loud_again():
    yield
    console.keep_quiet(False)


def test_the_version_is_one_line() -> None:
    assert biasprint("--version").out == f"biasprint {core.__version__}\n"


def test_quiet_leaves_stderr_to_what_went_wrong(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    narrow = ("--study", "creativity", "--task", "haiku", "--theme", "stars")
    write = ("generate", file, "--study", "creativity", "--backend", "synthetic", "--model", "none")
    biasprint("new", file)
    biasprint("prompts", file, *narrow)
    assert biasprint("--quiet", *write).err == ""
    assert biasprint(*write).err != "", "the next command is not quiet"
    refused("--quiet", "generate", file, "--study", "letters", *write[4:], code=1, says="no prompts for letters")


@pytest.mark.parametrize("shell", seeded_part(["bash", "zsh", "fish"], 1))
def test_a_shell_completes_commands_and_options(shell: str) -> None:
    def asked(line: str, words: int) -> str:
        answer = program(
            env={
                "_BIASPRINT_COMPLETE": f"complete_{shell}", "COMP_WORDS": line, "COMP_CWORD": str(words),
                "_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            }
        )  # fmt: skip
        assert (answer.code, answer.err) == (0, "")
        return answer.out

    assert "generate" in asked("biasprint gen", 1)
    assert "--retry-failures" in asked("biasprint generate --ret", 2)


def test_completing_loads_nothing_heavy() -> None:
    asks = {"_BIASPRINT_COMPLETE": "complete_bash", "COMP_WORDS": "biasprint measure --", "COMP_CWORD": "2"}
    loaded = program(env={**asks, "PYTHONPROFILEIMPORTTIME": "1"}).err
    assert "typer" in loaded
    for heavy in ("numpy", "PySide6", "sqlalchemy", "pandas", "torch"):
        assert f" {heavy}\n" not in loaded, heavy
