"""docs/command-line.md: every command on the page runs, in the page's order, and its lists are the program's."""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import pytest
from cli_support import ROOT, biasprint

from biasprint.core.backends.registry import known
from biasprint.core.findings import Finding
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.registry import studies
from biasprint.core.texts.exporting import FINDING, JUDGMENT, JUDGMENT_END, OUTPUT, OUTPUT_END, PROMPT, SCORE

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def shown_commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def line_of(row: str) -> str:
    """The row of a table of fields or columns that begins with `row`, without its first cell."""
    (line,) = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", section("Fields"), re.MULTILINE)
    return str(line)


def cells(row: str) -> list[str]:
    """The code words in that row."""
    return re.findall(r"`([^`]+)`", line_of(row))


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


@pytest.mark.usefixtures("few_letters")
def test_every_command_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = shown_commands()
    assert {command for _, command, *_ in shown} == {
        "new", "prompts", "generate", "replay", "compare", "score", "measure", "import", "export", "check",
        "endpoints", "packet", "raters", "report", "axis", "names", "example", "restore",
    }  # fmt: skip
    for program, *argv in shown:
        assert program == "biasprint"
        answer = biasprint(*argv)
        assert answer.out
        if "--json" in argv:
            json.loads(answer.out)
    made = {path.name for path in tmp_path.iterdir()}
    assert made >= {"study.biasprint", "letters.html", "findings.xlsx", "letters.csv", "scores.csv", "prompts.parquet"}


def test_the_page_explains_every_command_that_there_is() -> None:
    titles = re.findall(r"^### ([\w-]+) ", section("Commands") + "\n", re.MULTILINE)
    listed = re.findall(r"^  ([a-z-]+) ", biasprint("--help").out.split("Commands:")[1], re.MULTILINE)
    assert set(listed) - {"gui", "demo"} == set(titles)


@pytest.mark.parametrize(
    ("what", "columns"),
    [
        ("prompts", PROMPT),
        ("outputs", (*OUTPUT, *OUTPUT_END)),
        ("scores", SCORE),
        ("judgments", (*JUDGMENT, *JUDGMENT_END)),
        ("findings", FINDING),
    ],
)
def test_the_page_lists_the_exported_columns(what: str, columns: Sequence[str]) -> None:
    assert cells(what) == list(columns)


def test_the_page_lists_every_key_of_a_finding_in_its_order() -> None:
    keys = re.findall(r"^\| `(\w+)` \|", section("Findings"), re.MULTILINE)
    assert sorted(keys) == sorted(field.name for field in fields(Finding))


def test_the_page_lists_every_finding_scorer_and_backend() -> None:
    named = set(re.findall(r"`([a-z_]+\.[a-z_.…]+)`", section("Findings")))
    for study in studies().values():
        for finding in study.findings:
            listed = {each.replace("…", "*") for each in named}
            start = finding.removesuffix("*")
            assert finding in listed or any(each.startswith(start) for each in listed), f"{finding} is not on the page"
    for each in [*(info.name for info in describe()), *(info.name for info in known())]:
        assert f"`{each}`" in section("Commands")


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("letters", "letters"),
        ("outputs", "creativity, outputs"),
        ("judgments", "creativity, judgments"),
        ("news", "news"),
        ("completion", "completion"),
        ("compare", "compare"),
    ],
)
def test_the_page_lists_the_fields_that_each_study_reads(kind: str, row: str) -> None:
    (table,) = [table for study in studies().values() for table in study.inputs if table.name == kind]
    listed = re.sub(r";.*", "", line_of(row))
    words = re.findall(r"`([^`]+)`", listed)
    assert words[: len(table.required)] == list(table.required)
    assert set(words) == {*table.required, *table.optional}
