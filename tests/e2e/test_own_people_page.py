"""docs/own-people.md: its files are valid, and its commands run in their order, from a file to findings."""

import re
import shlex
from pathlib import Path

import pytest
from cli_support import ROOT, answer_all, biasprint

from biasprint.core.prompts import load_axis
from biasprint.core.prompts.name_sets import load_name_set

PAGE = (ROOT / "docs" / "own-people.md").read_text(encoding="utf-8")
FILE = re.compile(r"`(\w+\.(?:toml|txt|csv))`[^\n]*\n\n```(?:toml|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_the_worked_example_runs_from_its_files_to_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = dict(FILE.findall(PAGE))
    assert set(files) == {
        "hair.toml", "short.toml", "names.toml", "limerick.toml", "themes.toml", "note.toml", "jobs.txt", "rents.txt",
        "asked.csv",
    }  # fmt: skip
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    assert load_axis("short.toml").identity("black-woman").phrase == "Black woman"
    assert load_name_set("names.toml").names_of({"religion": "muslim"}) == ("Fatma", "Zeynep")
    said = {}
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            program, *argv = shlex.split(line)
            assert program == "biasprint"
            if argv[:2] == ["measure", "compare"] and "answered" not in said:
                said["answered"] = answer_all(Path("study.biasprint"), "compare")
            said[line] = biasprint(*argv).out
    # one task × two themes × (nobody, red-haired, grey-haired)
    assert ": 6 prompts" in next(out for line, out in said.items() if "--task limerick.toml" in line)
    exported = Path("outputs.csv").read_text(encoding="utf-8")
    assert "question" in exported.splitlines()[0]
    assert "What is a deposit?" in exported
    by_race = next(out for line, out in said.items() if line.endswith("--map group=race"))
    assert "black : white" in by_race
