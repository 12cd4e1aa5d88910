"""A fifth study, a plug-in from outside the tree, on the command line: made, imported, measured and reported."""

from collections.abc import Callable
from pathlib import Path

import pytest
import songs_plug_in
from cli_support import Answer, program

Run = Callable[..., Answer]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    site = songs_plug_in.install(tmp_path / "site")

    def with_songs(*argv: object, code: int = 0) -> Answer:
        answer = program(*argv, env={"PYTHONPATH": str(site)})
        assert answer.code == code, answer.err
        return answer

    return with_songs


def test_a_plug_in_runs_through_new_import_measure_and_report(tmp_path: Path, run: Run) -> None:
    file, table, report = tmp_path / "study.biasprint", tmp_path / "songs.csv", tmp_path / "songs.html"
    table.write_text(songs_plug_in.TABLE)
    assert run("new", file, "--study", "songs", "--json").json["studies"] == {"songs": 6}
    assert run("import", file, table, "--json").json["added"] == 5
    measured = run("measure", "songs", file, "--json", "--report", report).json
    (finding,) = measured["findings"]
    assert (finding["id"], finding["groups"], finding["n"]) == ("songs.words", ["cat", "dog"], 5)
    assert finding["estimate"] == pytest.approx(songs_plug_in.WORDS)
    assert "Longer songs" in report.read_text(encoding="utf-8")
    assert run("measure", "songs", table, "--json").json["findings"][0]["estimate"] == finding["estimate"]


def test_its_prompts_are_written_for_and_not_narrowed(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "study.biasprint"
    run("new", file, "--study", "songs")
    refused = run("prompts", file, "--study", "songs", "--theme", "stars", code=2)
    assert "The prompts of songs have no themes" in refused.err


def test_a_target_of_no_plug_in_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.compute.messages import plug_in_packages, split_target

    (tmp_path / "other.py").write_text("def run(): ...\n")
    monkeypatch.syspath_prepend(songs_plug_in.install(tmp_path / "site"))
    plug_in_packages.cache_clear()
    try:
        assert split_target("songs_study:measure", ("core",)) == ("songs_study", "measure")
        for target in ("other:run", "os:remove", "songs_studies:measure"):
            with pytest.raises(ValueError, match="is not a"):
                split_target(target, ("core",))
    finally:
        plug_in_packages.cache_clear()
