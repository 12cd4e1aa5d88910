"""The sample project is whole: comparisons, letters and scores, and nobody's choices end up in the next person's."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.compute import shared
from core.jobs import JobContext
from core.project.check import check_project
from core.project.project import Project
from core.project.specs import RaterSpec
from core.runs import sample
from core.runs.measure import measure_project
from core.studies.study import MeasureOptions


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("BIASPRINT_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def path(home: Path) -> Path:
    return sample.open_sample(JobContext(), shared())


def test_it_has_twelve_comparisons_on_each_axis_over_many_tasks(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        (plan,) = project.judging.plans()
        comparisons = project.judging.comparisons(plan.id)
    assert Counter(row.axis for row in comparisons) == {"race": 12, "gender": 12, "orientation": 12}
    assert len({row.task for row in comparisons}) >= 4
    assert {len(row.items) for row in comparisons if row.axis == "orientation"} == {2}


def test_its_letters_are_the_synthetic_authors_and_every_text_is_scored(path: Path) -> None:
    with Project.open(path, read_only=True) as project:
        scored = {scorer: texts for scorer, _, texts in project.scores.known()}
        generators = {(row.backend, row.model) for row in project.runs.generators().values()}
    assert scored == {"lexicon": 120, "lexicon_published": 120, "textblob": 252, "minilm": 132}
    assert generators == {("written", "sample texts"), ("synthetic", "medium")}
    assert check_project(path).sound


def test_the_planted_bias_of_its_letters_is_found(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.biasprint"
    copy.write_bytes(path.read_bytes())
    with Project.open(copy) as project:
        measured = measure_project(JobContext(), project, "letters", MeasureOptions(), shared())
        stored = [row.body["label"] for row in project.findings.all("letters")]
    found = {f.label: f for f in measured.result.findings if f.variant == "default"}
    assert found["agentic"].interval is not None
    assert found["agentic"].interval.low > 1
    assert found["communal"].interval is not None
    assert found["communal"].interval.high < 1
    assert stored == [f.label for f in measured.result.findings]


def test_what_one_person_did_is_not_in_the_prepared_sample(path: Path) -> None:
    with Project.open(path) as project:
        project.judging.add_rater(RaterSpec(code="R1"))
    assert sample.open_sample(JobContext(), shared()) == path
    with Project.open(path, read_only=True) as mine:
        assert [rater.code for rater in mine.judging.raters()] == ["R1"]
    prepared = sample.prepared_sample(JobContext(), shared())
    with Project.open(prepared, read_only=True) as untouched:
        assert untouched.judging.raters() == ()
