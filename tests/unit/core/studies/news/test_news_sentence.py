"""The sentence level of the news study: gaps of sentiment and toxicity worked by hand, floors, scorers of plug-ins."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.scorers import registry
from biasprint.core.studies.news.level import design_of
from biasprint.core.studies.news.level_findings import level_findings
from biasprint.core.studies.news.measure import NewsRequest, measure_rows
from biasprint.core.studies.news.mentions import (
    SentenceScores,
    default_scorer,
    measure_sentences,
    scale_note,
    score_sentences,
    sentence_floors,
    undefined_findings,
)
from biasprint.core.studies.news.table import NewsTable, group_axis, news_table

USE = ScorerUse("sentiment", "by hand", "1")
SHE, HE, IT = "She spoke.", "He spoke.", "It rained."
HERE = Path(__file__).parents[4]


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scorers of news_targets, through the registry's door for plug-ins."""
    folder = tmp_path / "plug_in-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: plug-in\nVersion: 1.0\n")
    lines = ["[biasprint.scorers]", "rude = news_targets:CountsRudeWords", "broken = news_targets:MiscountsSentences"]
    (folder / "entry_points.txt").write_text("\n".join([*lines, ""]))
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


def table(generated: Sequence[str], original: Sequence[str]) -> NewsTable:
    headlines = [f"headline {row}" for row in range(len(original))]
    return news_table(original, generated, [group_axis("gender")], headlines=headlines)


def measured(made: NewsTable, scores: SentenceScores, role: str = "sentiment", resamples: int = 400) -> list[Finding]:
    [axis] = made.axes
    design = design_of(made)
    level, sides = measure_sentences(made, axis, scores, role)
    return level_findings(level, design, sentence_floors(level, sides, design, 0, resamples))


def by_hand(generated: Sequence[Sequence[float]], original: Sequence[Sequence[float]]) -> SentenceScores:
    return SentenceScores(
        USE, {"generated": tuple(map(np.array, generated)), "original": tuple(map(np.array, original))}
    )


def one(found: Sequence[Finding], name: str, label: str, variant: str = "default") -> Finding:
    [match] = [
        finding
        for finding in found
        if finding.id.endswith(f".{name}") and finding.label == label and finding.variant == variant
    ]
    return match


# Two pairs. First: women .4 and .2 (mean .3) against .1, men −.2 against .2. Second: women −.5 against .3, no men.
MADE = ([f"{SHE} {SHE} {HE} {IT}", f"{SHE} {IT}"], [f"{SHE} {HE}", f"{SHE} {HE}"])
SCORES = ([[0.4, 0.2, -0.2, 0.9], [-0.5, 0.9]], [[0.1, 0.2], [0.3, 0.8]])


def test_the_gap_is_the_mean_of_the_largest_difference_in_each_pair() -> None:
    # Equation 5: max(|.3 − .1|, |−.2 − .2|) = .4 and |−.5 − .3| = .8.
    found = one(measured(table(*MADE), by_hand(*SCORES)), "gap", "gender")
    assert found.estimate == pytest.approx((0.4 + 0.8) / 2)
    assert found.n == 2
    assert found.contrast == pytest.approx({"woman": (0.2 - 0.8) / 2, "man": -0.4})
    assert found.scorers == (USE,)


def test_prejudice_is_lower_sentiment_among_pairs_with_the_group_on_both_sides() -> None:
    found = measured(table(*MADE), by_hand(*SCORES))
    women, men = one(found, "prejudice_share", "woman"), one(found, "prejudice_share", "man")
    assert (women.estimate, women.n) == (0.5, 2)
    assert (men.estimate, men.n, men.dropped) == (1.0, 1, {"group not on both sides": 1})
    assert one(found, "prejudice_drop", "woman").estimate == pytest.approx(0.8)
    assert one(found, "difference", "woman").estimate == pytest.approx((0.2 - 0.8) / 2)


def test_of_toxicity_more_is_worse() -> None:
    # The same numbers as toxicity: women worse in the first pair, by .2; men in none.
    found = measured(table(*MADE), by_hand(*SCORES), "toxicity")
    assert one(found, "prejudice_share", "woman").estimate == 0.5
    assert one(found, "prejudice_drop", "woman").estimate == pytest.approx(0.2)
    assert one(found, "prejudice_share", "man").estimate == 0.0
    drop = one(found, "prejudice_drop", "man")
    assert (drop.estimate, drop.reason) == (None, "in no pair does the group fare worse than in the original")
    assert one(found, "difference", "woman").harm.startswith("Above 0")


def test_the_floor_deals_sentences_about_one_group_alone() -> None:
    # One pair, women .1 and .3 against .5; the man's sentence is alone on its side. Three ways to choose two of three:
    # means .2, .3, .4 against .5, .3, .1 give |Δ| = .3, 0, .3, mean .2.
    made = table([f"{SHE} {SHE}"], [f"{SHE} {HE}"])
    found = one(measured(made, by_hand([[0.1, 0.3]], [[0.5, 0.9]]), resamples=6_000), "gap", "gender")
    assert found.estimate == pytest.approx(0.3)
    assert found.floor is not None
    assert found.floor.mean == pytest.approx(0.2, abs=0.01)
    assert found.floor.p == pytest.approx(2 / 3, abs=0.03)


def test_the_originals_central_range_stands_beside_the_gap() -> None:
    made = table([SHE] * 11, [SHE] * 11)
    scores = by_hand([[0.0]] * 11, [[value / 10] for value in range(11)])
    level, sides = measure_sentences(made, made.axes[0], scores, "sentiment")
    # Deciles of 0, .1, … 1: from .1 to .9.
    assert scale_note(level, sides["original"]) == "Central 80 % of the originals: Woman 0.10 to 0.90."


def test_neutral_articles_leave_the_level_undefined() -> None:
    found = measured(table([IT], [IT]), by_hand([[0.5]], [[-0.5]]))
    assert {finding.estimate for finding in found} == {None}
    assert all("no group with sentences on both sides" in (finding.reason or "") for finding in found)


def test_sentences_are_scored_by_textblob_and_each_article_once() -> None:
    made = table(["She is wonderful. He is terrible."] * 2, ["She is here. He is here."] * 2)
    scores = score_sentences(made, default_scorer("sentiment"))
    # TextBlob's lexicon: wonderful 1.0, terrible −1.0; nothing in the original.
    assert [values.tolist() for values in scores.sides["generated"]] == [[1.0, -1.0]] * 2
    assert [values.tolist() for values in scores.sides["original"]] == [[0.0, 0.0]] * 2
    assert scores.use.name == "textblob"


def test_stored_values_are_taken_instead_of_scoring() -> None:
    made = table(["She sang. He sang."], ["She sang."])
    known = {"She sang. He sang.": np.array([0.25, -0.25]), "She sang.": np.array([0.5])}
    scores = score_sentences(made, "textblob", known=known)
    assert scores.sides["generated"][0].tolist() == [0.25, -0.25]


@pytest.mark.usefixtures("plug_in")
def test_a_plug_in_that_scores_texts_is_given_each_sentence() -> None:
    made = table(["She is a fool. SHE SHOUTED! He slept."], ["She is here. He is an idiot."])
    scores = score_sentences(made, default_scorer("toxicity"))
    generated, original = scores.sides["generated"][0], scores.sides["original"][0]
    assert generated[0] == pytest.approx(1 / 4)
    assert np.isnan(generated[1])  # no value is no zero
    assert original[1] == pytest.approx(1 / 4)
    found = measured(made, scores, "toxicity")
    assert one(found, "difference", "woman").estimate == pytest.approx(0.25)
    assert one(found, "difference", "man").estimate == pytest.approx(-0.25)
    assert found[0].scorers[0].stand_in


@pytest.mark.usefixtures("plug_in")
def test_a_scorer_that_miscounts_sentences_is_named() -> None:
    with pytest.raises(AppError, match="“broken” gave 99 values for a text of 1 sentences"):
        score_sentences(table([SHE], [SHE]), "broken")


def test_without_a_scorer_the_findings_say_so() -> None:
    found = undefined_findings(group_axis("gender"), "toxicity", "there is no scorer")
    assert {finding.id for finding in found} == {
        f"news.sentence.toxicity.{name}" for name in ("gap", "prejudice_share", "prejudice_drop", "difference")
    }
    assert {finding.reason for finding in found} == {"there is no scorer"}


@pytest.mark.usefixtures("plug_in")
def test_the_study_takes_the_scorers_that_are_asked_for() -> None:
    columns = {"originals": ["She is here. He is here."] * 3, "generated": ["She is a fool. He is here."] * 3}
    result = measure_rows(columns, NewsRequest(axes=("gender",), scorers={"toxicity": "rude"}))
    found = {(finding.id, finding.label): finding for finding in result.findings if finding.variant == "default"}
    assert found["news.sentence.toxicity.gap", "gender"].estimate == pytest.approx(0.25)
    assert found["news.sentence.sentiment.gap", "gender"].scorers[0].name == "textblob"
