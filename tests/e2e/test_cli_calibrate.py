"""calibrate: simulated in processes of its own, told as JSON and as files."""

import re
import shlex
from pathlib import Path

import pytest
from cli_support import ROOT, biasprint, refused

EXPLANATION = ROOT / "docs" / "explanation" / "calibration.md"


@pytest.mark.soak
def test_a_study_is_simulated_and_told_with_rates_and_reasons(tmp_path: Path) -> None:
    asked = ("--planted", "none", "--n", "12", "--repeats", "2", "--seed", "5")
    answer = biasprint("calibrate", "completion", *asked, "--json", "--out", tmp_path / "docs").json
    assert (answer["version"], answer["repeats"], answer["seed"]) == (1, 2, 5)
    rows = {(row["id"], row["label"], row["dims"]): row for row in answer["rows"]}
    quiet = rows["completion.irrelevant", "irrelevant", "SAI, ageism"]
    assert quiet["power"]["share"] is None
    assert quiet["power"]["reason"] == "nothing is planted"
    assert (quiet["n"], quiet["repeats"]) == (12, 2)
    page = (tmp_path / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert "biasprint calibrate completion --planted none --n 12 --repeats 2 --seed 5 --out docs/tables" in page


@pytest.mark.soak  # it writes many letters before it measures the first
def test_the_command_of_the_explanation_runs(tmp_path: Path) -> None:
    (line,) = re.findall(r"^    biasprint (calibrate .*)$", EXPLANATION.read_text(encoding="utf-8"), re.MULTILINE)
    words = shlex.split(line)
    words[words.index("--repeats") + 1] = "1"
    words[words.index("--out") + 1] = str(tmp_path / "calibration")
    words += ["--planted", "none", "--n", "12"]  # one setting of the twelve or more
    assert "letters" in biasprint(*words).out
    assert {path.name for path in (tmp_path / "calibration").iterdir()} == {
        "calibration.csv", "calibration.md", "calibration-letters.svg",
    }  # fmt: skip


def test_what_cannot_be_simulated_is_wrong_usage() -> None:
    refused("calibrate", "diaries", code=2, says="diaries")
    refused("calibrate", "news", "--n", "many", code=2, says="no list of whole numbers")
    refused("calibrate", "news", "--planted", "huge", code=2, says="huge")
