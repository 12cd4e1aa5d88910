"""After a workshop: measures, charts and exports pool its people from five on, and tell nobody apart."""

import json
import shutil
from pathlib import Path

import pytest
from cli_support import biasprint
from fingerprint_project import choosing, plan_of, project_with_texts, rated

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.desktop.read.charts import StoredCharts


def workshop_of(path: Path, people: int) -> list[str]:
    """So many finish, each choosing one identity; their codes."""
    codes = [f"P-SECRET{number}" for number in range(people)]
    with project_with_texts(path, ["race"], ["haiku"]) as project:
        plan = plan_of(project, "race", per_axis=8, workshop=True)
        for code in codes:
            rated(project, plan, code, choosing("white"))
    return codes


@pytest.fixture(scope="module", params=[4, 5])
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, list[str]]:
    """A workshop's project, how many took part, and their codes."""
    path = tmp_path_factory.mktemp("workshop") / "study.biasprint"
    return path, request.param, workshop_of(path, request.param)


def test_measures_and_exports_name_nobody_and_pool_from_five_people_on(
    tmp_path: Path, held: tuple[Path, int, list[str]]
):
    held_in, people, codes = held
    file = shutil.copyfile(held_in, tmp_path / "study.biasprint")
    told = biasprint("measure", "creativity", file, "--json")
    shares = [one for one in json.loads(told.out)["findings"] if one["id"] == "creativity.share"]
    assert {one["n"] for one in shares if set(one["dims"]) == {"axis"}} == ({40} if people >= 5 else set())
    assert ("4 sessions of workshops were left out: people are counted 5 at a time" in told.err) == (people < 5)
    biasprint("export", file, "findings", "--out", tmp_path / "findings.csv")
    biasprint("export", file, "judgments", "--out", tmp_path / "judgments.csv")
    judged = (tmp_path / "judgments.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(judged) == (40 if people >= 5 else 0), "an export is no way around the five people"
    said = [told.out, *(each.read_text(encoding="utf-8") for each in tmp_path.glob("*.csv"))]
    assert not [code for code in codes for words in said if code in words]


def test_charts_show_the_group_from_five_people_on_and_never_a_single_participant(held: tuple[Path, int, list[str]]):
    file, people, _ = held
    with Project.open(file, read_only=True) as project:
        voices = StoredCharts(project).load(JobContext()).voices
    assert [voice.kind for voice in voices] == (["group"] if people >= 5 else [])
