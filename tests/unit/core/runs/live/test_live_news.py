"""Articles followed one by one beside their originals: differences and refusals with the digits of the measure."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from live_scene import Quick, compared, measured, store, tally_of

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.live import LiveTally
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.runs.setup import import_table, study_of
from biasprint.core.scorers.registry import score_batch
from biasprint.core.studies.kit.live import Restart
from biasprint.core.studies.news.gather import PER_SENTENCE
from biasprint.core.studies.news.live import NewsTally
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.score import Kind, score

SENTENCES = (
    "She sang a lovely song.", "He left in anger.", "His brother was a terrible man.", "Her mother was kind.",
    "The black nurse smiled.", "The white teacher shouted.", "The bus was late.",
)  # fmt: skip


def articles(seed: int, stories: int) -> str:
    """Two models and a biased prompt, some headlines written for twice, a refusal, an empty text and a foreign one."""
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(SENTENCES, rng.integers(2, 6)))

    rows = []
    for story in range(stories):
        original = text()
        for model, kind, times in (("a", "", 1 + story % 2), ("b", "", 1), ("a", "androcentrism", 1)):
            rows += [f"{original},{text()},Story {story},{model},{kind},{('arts', 'sports')[story % 2]}"] * times
        if story < 2:
            rows.append(f"{original},{('I cannot write this article.', '')[story]},Story {story},b,,arts")
    return "original,generated,headline,model,prompt_kind,domain\n" + "\n".join(rows) + "\n"


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def bring(project: Project, path: Path) -> None:
    import_table(JobContext(), project, None, "news", path, read_table(JobContext(), path, "news"))


def scored(project: Project) -> None:
    for info in scorers_needed("news"):
        assert PER_SENTENCE in info.shape
        score(JobContext(), project, study_of(project, "news").id, info, Quick())  # type: ignore[arg-type]


def test_the_last_value_is_the_measured_one(project: Project, tmp_path: Path) -> None:
    tally: LiveTally | None = None
    for part, stories in enumerate((3, 7)):  # some before the first look, some while it is watched
        path = tmp_path / f"news{part}.csv"
        path.write_text(articles(part, stories).replace("Story", f"Story {part}"), encoding="utf-8")
        bring(project, path)
        tally = tally or tally_of(project, "news")
        tally.catch_up(JobContext())
        words = [one for one in tally.values() if one.key.id == "news.word.difference"]
        assert words  # before anything is scored
        scored(project)
        tally.catch_up(JobContext())
    assert tally is not None
    values = tally.values()
    rates = tally.rates()
    assert 0 < max(rates.scored.values()) <= rates.texts  # the ten originals are counted by themselves
    assert set(rates.scored_sources.values()) == {10}
    assert {"news.sentence.sentiment.difference", "news.sentence.toxicity.difference"} <= {one.key.id for one in values}
    assert {one.key.dims for one in values if one.key.id == "news.refusal_rate"} >= {
        (("prompt_kind", "unbiased"), ("generator", "imported: a")), (("generator", "imported: b"),)
    }  # fmt: skip
    assert compared(values, measured(project, "news")) > 60


def test_what_needs_all_articles_has_a_sentence(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text(articles(0, 3), encoding="utf-8")
    bring(project, path)
    tally = tally_of(project, "news")
    tally.catch_up(JobContext())
    of_each = [one for one in tally.values() if one.key.id == "news.document.wasserstein"]
    assert [dict(one.key.dims)["generator"] for one in of_each] == ["imported: a", "imported: b"]
    for topics in of_each:
        assert topics.estimate is None
        said = "topics are found over all articles; it needs all texts at once: it is measured at the end"
        assert topics.reason == said


def test_distances_have_the_floor_that_the_measure_finds_for_all_articles_together(
    project: Project, tmp_path: Path
) -> None:
    rng, path = np.random.default_rng(3), tmp_path / "news.csv"
    rows = [",".join(" ".join(rng.choice(SENTENCES, 8)) for _ in range(2)) + f",Story {story}" for story in range(60)]
    path.write_text("\n".join(["original,generated,headline", *rows]), encoding="utf-8")
    bring(project, path)
    scored(project)
    tally = tally_of(project, "news")
    tally.catch_up(JobContext())
    live = {one.key.id: one for one in tally.values() if one.key.label == "gender" and one.floor is not None}
    assert set(live) == {"news.word.wasserstein", "news.sentence.sentiment.gap", "news.sentence.toxicity.gap"}
    for finding in measured(project, "news"):
        if finding.label == "gender" and finding.id in live and finding.variant == "default":
            value = live.pop(finding.id)
            assert finding.floor is not None
            assert value.floor == pytest.approx(finding.floor.mean, rel=0.1)
            assert value.low is not None
            assert value.low < (value.estimate or 0) < (value.high or 0)
    assert not live


def test_an_article_that_came_before_its_original_is_paired_with_it(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text(articles(0, 5), encoding="utf-8")
    bring(project, path)
    rows = project.outputs.page()
    sources = project.sources.page(study_of(project, "news").id)
    tally = NewsTally(project, study_of(project, "news").id, Quick())  # type: ignore[arg-type]
    for row in rows:
        tally.text(row)
    tally.settle(JobContext())
    with pytest.raises(Restart):
        tally.source(sources[0])


def test_sentences_without_a_score_are_left_out_as_by_the_measure(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text(articles(0, 6), encoding="utf-8")
    bring(project, path)
    study = study_of(project, "news")
    for info in scorers_needed("news"):
        kinds: tuple[Kind, Kind] = ("output", "source")
        for kind in kinds:
            rows = project.scores.unscored(kind, info.name, info.version, study_id=study.id)
            _, values = Quick().call(score_batch, info.name, [row.text for row in rows])
            found = {}
            for row, value in zip(rows, values, strict=True):
                scores = value.values.copy()
                scores[len(row.text) % 3 :: 3] = np.nan  # the same in texts that are equal
                if len(scores):
                    found[kind, row.key] = scores
            store(project, info, found)
    tally = tally_of(project, "news")
    tally.catch_up(JobContext())
    assert compared(tally.values(), measured(project, "news")) > 60
