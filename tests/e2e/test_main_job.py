"""The main job through the real `main()`: prompts → generate → judge by keys → reveal → charts, closed and reopened."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.project.check import check_project
from biasprint.core.project.project import Project

HERE = Path(__file__).parent


def drive(folder: Path, pictures: Path, which: str) -> dict[str, Any]:
    """One start of the program, driven by `main_job.py`; what it found on its screens."""
    done = subprocess.run(
        [sys.executable, str(HERE / "main_job.py"), str(folder), str(pictures), which],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def both_starts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("audit")
    pictures = tmp_path_factory.mktemp("pictures")
    first = drive(folder, pictures, "first")
    second = drive(folder, pictures, "second")
    return folder / "audit.biasprint", pictures, first, second


@pytest.mark.soak
def test_two_tasks_are_generated_and_thirty_comparisons_judged_by_keys(both_starts: Any) -> None:
    _, _, first, _ = both_starts
    assert first["prompts"] == 2 * 6 * 9
    assert first["outputs"] == [108, 108, 0]
    assert first["pressed"] == 30
    assert first["first"]["judged"] == 30


@pytest.mark.soak
def test_the_charts_show_the_shares_that_the_file_holds(both_starts: Any) -> None:
    path, _, first, _ = both_starts
    chosen: dict[str, list[int]] = {}
    with Project.open(path, read_only=True) as project:
        (plan,) = project.judging.plans()
        comparisons = {row.id: row for row in project.judging.comparisons(plan.id)}
        for row in project.judging.judgments():
            comparison = comparisons[row.comparison_id]
            for index, item in enumerate(comparison.items):
                counted = chosen.setdefault(f"{comparison.axis} {item.identity}", [0, 0])
                counted[0] += index == row.chosen
                counted[1] += 1
    shown = first["first"]["shares"]
    assert {name: [pytest.approx(times / n), n] for name, (times, n) in chosen.items()} == shown


@pytest.mark.soak
def test_everything_is_there_again_after_closing_and_reopening(both_starts: Any) -> None:
    path, _, first, second = both_starts
    assert second["second"] == first["first"]
    assert check_project(path).sound
    assert not path.with_name(path.name + ".lock").exists()


@pytest.mark.soak
def test_the_title_bar_says_nothing_while_judging(both_starts: Any) -> None:
    _, _, first, _ = both_starts
    assert first["title while judging"] == "Biasprint"
    assert "audit" in first["title after the reveal"]


@pytest.mark.soak
def test_every_step_left_a_picture(both_starts: Any) -> None:
    _, pictures, _, _ = both_starts
    names = {picture.stem for picture in pictures.iterdir()}
    assert names == {
        "home-first-start", "new-audit", "prompts", "generate", "draw", "judge-start", "judge", "judge-end",
        "judge-reveal", "charts-preferences", "charts-affinity", "home", "outputs",
    }  # fmt: skip
