"""A fifth study, a plug-in from outside the tree, on the command line: made, imported, measured and reported."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import songs_plug_in
from cli_support import biasprint, refused


@pytest.fixture
def songs(tmp_path: Path) -> Iterator[None]:
    with songs_plug_in.installed(tmp_path / "site"):
        yield


@pytest.mark.usefixtures("songs")
def test_a_plug_in_runs_through_new_import_measure_and_report(tmp_path: Path) -> None:
    file, table, report = tmp_path / "study.biasprint", tmp_path / "songs.csv", tmp_path / "songs.html"
    table.write_text(songs_plug_in.TABLE)
    assert biasprint("new", file, "--study", "songs", "--json").json["studies"] == {"songs": 6}
    assert biasprint("import", file, table, "--json").json["added"] == 5
    measured = biasprint("measure", "songs", file, "--json", "--report", report).json
    (finding,) = measured["findings"]
    assert (finding["id"], finding["groups"], finding["n"]) == ("songs.words", ["cat", "dog"], 5)
    assert finding["estimate"] == pytest.approx(songs_plug_in.WORDS)
    assert "Longer songs" in report.read_text(encoding="utf-8")
    assert biasprint("measure", "songs", table, "--json").json["findings"][0]["estimate"] == finding["estimate"]


@pytest.mark.usefixtures("songs")
def test_its_prompts_are_written_for_and_not_narrowed(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file, "--study", "songs")
    refused("prompts", file, "--study", "songs", "--theme", "stars", code=2, says="The prompts of songs have no themes")
