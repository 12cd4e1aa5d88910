"""calibrate: simulated in processes of its own, told as JSON and as files."""

from pathlib import Path

from cli_support import biasprint, refused


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
    assert "biasprint calibrate completion --planted none --n 12 --repeats 2 --seed 5 --out docs" in page


def test_what_cannot_be_simulated_is_wrong_usage() -> None:
    refused("calibrate", "compare", code=2, says="cannot be calibrated")
    refused("calibrate", "news", "--n", "many", code=2, says="no list of whole numbers")
    refused("calibrate", "news", "--planted", "huge", code=2, says="huge")
