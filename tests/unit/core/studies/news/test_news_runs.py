"""News brought into a project and measured there, and from tables: the same pairs give the same findings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, OutputSpec, RunSpec, SourceSpec
from biasprint.core.prompts.axes import load_axis
from biasprint.core.runs.measure import measure_project, measure_tables
from biasprint.core.runs.setup import ImportResult, add_prompts, draft_prompts, import_table, store_set
from biasprint.core.studies.kit.choice import PromptChoice
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.news.prompts import news_set
from biasprint.core.texts.exporting import read_table

HEADER = "original,generated,headline,model,prompt_kind,domain\n"
ROWS = (
    "She sang. He left.,She left.,One,a,,arts\n"
    "She sang. He left.,He left.,One,b,,arts\n"
    "He slept. He woke.,She slept. He woke.,Two,a,,sports\n"
    "She won.,,Three,a,,sports\n"
    "She sang. He left.,He sang. He left.,One,a,androcentrism,arts\n"
)


INLINE: Any = Inline()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def written(folder: Path, rows: str = ROWS, header: str = HEADER, name: str = "news.csv") -> Path:
    path = folder / name
    path.write_text(header + rows, encoding="utf-8")
    return path


def bring(project: Project, path: Path) -> ImportResult:
    ctx = JobContext()
    return import_table(ctx, project, None, "news", path, read_table(ctx, path, "news"))


def of_tables(*paths: Path, **options: Any) -> StudyResult:
    return measure_tables(JobContext(), paths, "news", MeasureOptions(**options), INLINE).result


def estimates(result: StudyResult) -> dict[tuple[Any, ...], Any]:
    def key(found: Finding) -> tuple[Any, ...]:
        return found.id, found.label, found.variant, tuple(sorted(found.dims.items()))

    return {key(f): (f.estimate, f.n, f.p) for f in result.findings if not f.id.startswith("news.document")}


def test_originals_become_sources_once_and_generated_articles_outputs(project: Project, tmp_path: Path) -> None:
    path = written(tmp_path)
    assert bring(project, path).added == 5
    study = project.studies.of_kind("news")
    assert study is not None
    sources = project.sources.page(study.id)
    assert [(row.kind, row.fields["headline"], row.text) for row in sources] == [
        ("original", "One", "She sang. He left."),
        ("original", "Two", "He slept. He woke."),
        ("original", "Three", "She won."),
    ]
    outputs = {
        (row.fields["headline"], row.model, row.fields["prompt_kind"]): row.text for row in project.outputs.each()
    }
    assert outputs["One", "b", "unbiased"] == "He left."
    assert outputs["One", "a", "androcentrism"] == "He sang. He left."
    assert outputs["Three", "a", "unbiased"] == ""
    again = bring(project, path)
    assert (again.added, again.present) == (0, 5)


def test_a_project_gives_the_findings_of_the_table_that_it_was_made_from(project: Project, tmp_path: Path) -> None:
    path = written(tmp_path)
    bring(project, path)
    options = MeasureOptions(axes=("gender",), pool=True)  # the models of both are taken as one
    measured = measure_project(JobContext(), project, "news", options, INLINE).result
    table = of_tables(path, axes=("gender",), pool=True)
    assert (measured.rows, measured.dropped) == (table.rows, table.dropped) == (5, {"empty generation": 1})
    assert estimates(measured) == estimates(table)
    assert len(project.findings.all("news")) == len(measured.findings)


def answer(project: Project, study: int, prompt_set: int, text: str) -> None:
    """One generator answers every prompt with this text."""
    generator = project.runs.add_generator(GeneratorSpec(backend="b", model="m")).number("generator")
    spec = RunSpec(study_id=study, prompt_set_id=prompt_set, generator_id=generator, seed=0)
    run = project.runs.start(spec).number("run")
    for prompt in project.prompts.page(prompt_set):
        project.outputs.record_many([OutputSpec(run_id=run, prompt_id=prompt.id, sample=0, seed=0, text=text)])


@pytest.mark.soak
def test_the_shipped_headlines_bring_originals_to_measure_against(project: Project) -> None:
    added = store_set(project, "news", news_set())
    study = project.studies.of_kind("news")
    assert study is not None
    store_set(project, "news", news_set())
    assert project.sources.count(study.id) == 64  # not twice
    answer(project, study.id, added.set_id, "She left.")
    measured = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE)
    assert measured.result.dropped == {}
    [found] = [
        f
        for f in measured.result.findings
        if f.id == "news.word.wasserstein" and f.variant == "default" and "domain" not in f.dims
    ]
    # By hand: women's share of the gender words is 1 in each article and 1/2 in each original.
    assert (found.estimate, found.n) == (0.5, 64)
    said = "64 of 64 originals: The originals that ship with the program were written by a language model"
    assert said in found.note
    assert measured.remarks[0].startswith(said)
    rates = [f for f in measured.result.findings if f.id == "news.refusal_rate"]
    assert rates
    assert not any("originals" in f.note for f in rates)


def test_a_projects_own_originals_come_before_the_shipped_ones(project: Project, tmp_path: Path) -> None:
    store_set(project, "news", news_set())
    bring(project, written(tmp_path))
    draft = draft_prompts(JobContext(), project, "news", PromptChoice())
    assert [prompt.fields["headline"] for prompt in draft.prompts] == ["One", "Two", "Three"]
    assert draft.originals == ()


def test_generated_articles_meet_their_original_by_headline(project: Project) -> None:
    added = store_set(project, "news", news_set(["One", "Two"], ideology="Androcentrism"))
    study = project.studies.of_kind("news")
    assert study is not None
    source = SourceSpec(kind="original", origin="here", row=1, text="She sang. He left.", fields={"headline": "One"})
    project.sources.add_many(study.id, [source])
    answer(project, study.id, added.set_id, "He left.")
    result = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE).result
    assert result.dropped == {"no original": 2}  # nobody has written an original for “Two”
    [found] = [
        f
        for f in result.findings
        if f.id == "news.word.wasserstein" and f.variant == "default" and f.dims["prompt_kind"] == "androcentrism"
    ]
    assert (found.estimate, found.n) == (0.5, 1)


def test_two_originals_of_one_headline_are_kept_apart(project: Project, tmp_path: Path) -> None:
    rows = "She sang.,She left.,Briefing,m,,\nHe sang.,She left.,Briefing,m,,\n"
    bring(project, written(tmp_path, rows))
    result = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE).result
    [found] = [f for f in result.findings if f.id == "news.word.wasserstein" and f.variant == "default"]
    assert (found.estimate, found.n) == (0.5, 2)


def test_a_table_without_generated_articles_is_refused_by_name(project: Project, tmp_path: Path) -> None:
    path = written(tmp_path, "She sang.,One\n", "original,headline\n")
    with pytest.raises(AppError, match="generated"):
        bring(project, path)
    with pytest.raises(AppError, match="generated"):
        of_tables(path)
    assert project.studies.of_kind("news") is None


def test_an_axis_takes_a_table_of_names(tmp_path: Path) -> None:
    people = written(tmp_path, "Ann Lee,asian\nDon Stone,white\n", "name,group\n", "people.csv")
    news = written(tmp_path, "Ann Lee met Don Stone.,Don Stone spoke.,One,m,,\n")
    result = of_tables(news, axes=(f"race={people}",))
    [found] = [f for f in result.findings if f.id == "news.word.wasserstein" and f.variant == "default"]
    assert found.estimate == pytest.approx(0.5)


def test_a_projects_own_axis_stands_before_the_shipped_one(project: Project, tmp_path: Path) -> None:
    shipped = load_axis("gender")
    definition = shipped.definition()
    definition["identities"][0]["words"] = ("chap",)
    project.axes.add(AxisSpec(key="gender", title="Gender", definition=definition))
    bring(project, written(tmp_path, "She met the chap.,The chap left.,One,m,,\n"))
    result = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE).result
    [found] = [f for f in result.findings if f.id == "news.word.wasserstein"]  # these are not the paper's words
    assert found.estimate == pytest.approx(0.5)


def test_scorers_of_another_role_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="minilm"):
        of_tables(written(tmp_path), scorers={"sentiment": "minilm"})


def test_stored_scores_are_used_and_only_missing_ones_are_made(project: Project, tmp_path: Path) -> None:
    bring(project, written(tmp_path, "She is wonderful.,She is terrible.,One,m,,\n"))
    for _ in range(2):
        result = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE).result
        [found] = [f for f in result.findings if f.id == "news.sentence.sentiment.gap" and f.variant == "default"]
        assert found.estimate == pytest.approx(2.0)  # TextBlob: terrible −1, wonderful 1
    assert sum(count for _, _, count in project.scores.known()) == 2
    assert np.isfinite(found.estimate or np.nan)


def test_a_table_of_headlines_may_bring_the_originals_that_their_articles_are_measured_against(
    project: Project, tmp_path: Path
) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("headline,original\nOne,He and she left.\nTwo,\nThree,He left.\n", encoding="utf-8")
    for _ in range(2):  # not twice
        added = add_prompts(project, "news", headlines=table)
    study = project.studies.of_kind("news")
    assert study is not None
    assert [row.text for row in project.sources.page(study.id)] == ["He and she left.", "He left."]
    assert {row.origin for row in project.sources.page(study.id)} == {"mine.csv"}
    answer(project, study.id, added.set_id, "She left.")
    measured = measure_project(JobContext(), project, "news", MeasureOptions(axes=("gender",)), INLINE)
    [found] = [
        f
        for f in measured.result.findings
        if f.id == "news.word.wasserstein" and f.variant == "default" and "domain" not in f.dims
    ]
    # By hand: women's share is 1 in each article, 1/2 and 0 in the originals; “Two” has none.
    assert (found.estimate, found.n) == (0.75, 2)
    assert "language model" not in found.note
