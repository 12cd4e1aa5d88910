"""The charts of a real project: live, and never what an open rating session would betray."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from biasprint.core.compute import shared
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow
from biasprint.core.project.specs import JudgmentSpec, RaterSpec
from biasprint.core.runs.compare import compare
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.setup import add_prompts, generator_spec, study_of
from biasprint.core.scorers.registry import describe
from biasprint.core.texts.score import score
from biasprint.desktop.charts.live import affinity_figure
from biasprint.desktop.read.charts import StoredCharts

AXES = ["orientation"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "study.biasprint") as made:
        added = add_prompts(made, "creativity", tasks=["very_short_story", "blog"], themes=["rain", "stars"], axes=AXES)
        run = start_run(made, prompt_set_id=added.set_id, generator=generator_spec("synthetic", "none", {}), seed=3)
        generate(JobContext(), made, run, shared())
        compare(JobContext(), made, study_id=study_of(made, "creativity").id, axes=AXES, seed=1)
        yield made


def rate(project: Project, code: str, choices: int) -> str:
    """A rater who always chooses the text for the first identity; the session stays open."""
    (plan,) = project.judging.plans()
    rater = project.judging.add_rater(RaterSpec(code=code)).uuid("rater")
    session = project.judging.open_session(plan.id, rater).uuid("session")
    for row in project.judging.comparisons(plan.id)[:choices]:
        project.judging.record(choice(session, row))
    return session


def choice(session: str, row: ComparisonRow) -> JudgmentSpec:
    first = next(place for place, item in enumerate(row.items) if item.identity == "straight")
    return JudgmentSpec(
        session_id=session, comparison_id=row.id, outcome="choice", chosen=first, shown=(0, 1),
        texts_sha256=row.texts_sha256, active_seconds=3.0,
    )  # fmt: skip


def test_an_open_session_is_left_out_and_only_its_count_is_told(project: Project) -> None:
    charts = StoredCharts(project)
    session = rate(project, "R1", 4)
    data = charts.load(JobContext())
    assert (data.voices, data.open_sessions, data.hidden_judgments) == ((), 1, 4)
    project.judging.reveal(session)
    data = charts.load(JobContext())
    assert (data.open_sessions, data.hidden_judgments) == (0, 0)
    (voice,) = data.voices
    shares = {f.label: f.estimate for f in voice.findings if f.id == "creativity.share" and f.variant == "default"}
    assert shares == {"straight": 1.0, "queer": 0.0}
    assert (voice.title, voice.kind, voice.judged, voice.planned, voice.complete) == ("R1", "you", 4, 4, True)


def test_a_reveal_makes_the_figures_final_and_says_what_was_not_judged(project: Project) -> None:
    project.judging.reveal(rate(project, "R1", 2))
    data = StoredCharts(project).load(JobContext())
    (voice,) = data.voices
    assert (voice.judged, voice.planned, voice.complete) == (2, 4, True)
    figure = affinity_figure(data)
    assert figure.complete
    assert figure.note == "2 of 4 comparisons were judged; the others were skipped, failed or left."


def test_several_raters_have_a_voice_each_and_one_together(project: Project) -> None:
    for code in ("R1", "R2"):
        project.judging.reveal(rate(project, code, 4))
    voices = StoredCharts(project).load(JobContext()).voices
    assert [(voice.title, voice.judged) for voice in voices] == [("R2", 4), ("R1", 4), ("2 raters together", 8)]
    known = {"creativity.abs", "creativity.abs.adjusted"}  # both are drawn beside each other
    assert all(known <= {one.id for one in voice.findings} for voice in voices)


def test_letters_appear_once_they_are_counted(project: Project) -> None:
    names = ["Kelly=female", "Joseph=male"]
    added = add_prompts(project, "letters", names=names)
    run = start_run(project, prompt_set_id=added.set_id, generator=generator_spec("synthetic", "large", {}), seed=1)
    generate(JobContext(), project, run, shared())
    charts = StoredCharts(project)
    assert not charts.load(JobContext()).live["letters"]
    known = {info.name: info for info in describe()}
    for name in ("lexicon", "lexicon_published"):
        score(JobContext(), project, study_of(project, "letters").id, known[name], shared())
    letters = charts.load(JobContext()).live["letters"]
    agentic = next(f for f in letters if f.label == "agentic" and f.variant == "default")
    assert agentic.n == 120
    behind = charts.items(JobContext(), agentic)
    assert behind.total == 120
    counts = [int(item.note.split()[0]) for item in behind.items]
    assert counts == sorted(counts, reverse=True)
    assert all(item.text for item in behind.items)


def test_the_texts_behind_a_share_are_those_that_were_chosen(project: Project) -> None:
    project.judging.reveal(rate(project, "R1", 4))
    charts = StoredCharts(project)
    (voice,) = charts.load(JobContext()).voices
    by_label = {f.label: f for f in voice.findings if f.id == "creativity.share" and f.variant == "default"}
    assert charts.items(JobContext(), by_label["straight"]).total == 4
    assert charts.items(JobContext(), by_label["queer"]).total == 0
