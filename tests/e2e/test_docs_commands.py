"""Every command that README and docs show runs, page by page, in a folder with the files that the page shows."""

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from cli_support import answer_all, biasprint
from docs_pages import DOCS, NOT_RUN, WRITTEN, Block, blocks, files_of, name_of, pages

from biasprint.core.prompts import load_axis
from biasprint.core.prompts.name_sets import load_name_set

REASONS = ("asks for a key", "builds", "installs", "needs", "opens a window", "runs the tests", "tests/")


def commands(block: Block) -> list[list[str]]:
    return [words for line in block.text.splitlines() if (words := shlex.split(line, comments=True))]


def shown(page: Path, *, run: bool) -> list[Block]:
    return [block for block in blocks(page) if block.language == "sh" and block.info.startswith(NOT_RUN) != run]


QUOTES = DOCS / "tutorials" / "check-a-letter.md"  # a page that quotes what its commands answer
RUN = [page for page in pages() if shown(page, run=True)]


@pytest.mark.usefixtures("few_letters")
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_every_command_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in files_of(page).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    answers = []
    for block in shown(page, run=True):
        assert block.info in ("", WRITTEN)
        if block.info == WRITTEN:
            answer_all(Path("study.biasprint"), "compare")
        for program, *argv in commands(block):
            assert program == "biasprint"
            answer = biasprint(*argv)
            assert answer.out, argv
            answers.append(answer.out)
            if "--json" in argv:
                json.loads(answer.out)
    if page == QUOTES:
        quoted = [" ".join(words.split()) for words in re.findall(r"“([^”…]+)”", page.read_text(encoding="utf-8"))]
        assert [words for words in quoted if words not in "".join(answers)] == []


def test_a_block_that_is_not_run_says_why_and_names_commands_that_there_are() -> None:
    listed = {line.split()[0] for line in biasprint("--help").out.split("Commands:")[1].splitlines() if line.strip()}
    counted: Counter[str] = Counter()
    for page in pages():
        for block in shown(page, run=False):
            why = block.info.removeprefix(NOT_RUN)
            assert why.startswith(REASONS), f"{name_of(page)}: {why}"
            counted[why] += 1
            asked = [words[1] for words in commands(block) if words[0] == "biasprint" and words[1] != "--help"]
            assert set(asked) <= listed, name_of(page)
    assert sum(counted.values()) < 2 * len(RUN), counted


def test_the_pages_show_most_commands() -> None:
    ran = {words[1] for page in RUN for block in shown(page, run=True) for words in commands(block)}
    listed = {
        line.split()[0] for line in biasprint("--help").out.split("Commands:")[1].splitlines() if line.startswith("  ")
    }
    assert len(ran) > len(listed) / 2, listed - ran


def test_the_files_of_own_people_are_read_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = files_of(DOCS / "how-to" / "ask-about-your-own-people.md")
    monkeypatch.chdir(tmp_path)
    Path("short.toml").write_text(files["short.toml"], encoding="utf-8")
    Path("names.toml").write_text(files["names.toml"], encoding="utf-8")
    assert load_axis("short.toml").identity("black-woman").phrase == "Black woman"
    assert load_name_set("names.toml").names_of({"religion": "muslim"}) == ("Fatma", "Zeynep")
