"""The agreement between raters as findings: by axis and task, with what is left out and the paper's values."""

import json

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

RACE = ("white", "black", "asian")
IDS = {
    f"creativity.agreement.{name}" for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "cohen_kappa", "raw")
}


def judged(ratings: np.ndarray, tasks: list[str] | None = None, **columns: tuple[str, ...]) -> JudgmentTable:
    """Choices of every rater on every comparison of the race axis; −1 is a tie."""
    comparisons, raters = ratings.shape
    rows = [(comparison, rater) for comparison in range(comparisons) for rater in range(raters)]
    chosen = [ratings[row] for row in rows]
    return JudgmentTable(
        comparison=tuple(f"c{comparison}" for comparison, _ in rows),
        rater=tuple(f"r{rater}" for _, rater in rows),
        axis=("race",) * len(rows),
        shown=(RACE,) * len(rows),
        outcome=tuple("tie" if choice < 0 else "choice" for choice in chosen),
        chosen=tuple("" if choice < 0 else RACE[choice] for choice in chosen),
        task=tuple(tasks[comparison] for comparison, _ in rows) if tasks else (),
        **columns,
    )


def agreement(result: StudyResult) -> list[Finding]:
    return [finding for finding in result.findings if finding.id in IDS]


def measured(table: JudgmentTable) -> StudyResult:
    return measure_judgments(table, axes={"race": RACE}, resamples=200, parts=True)


def test_every_measure_is_there_with_an_interval_for_these_raters() -> None:
    ratings = np.random.default_rng(0).integers(0, 3, (40, 3))
    found = agreement(measured(judged(ratings)))
    whole = [finding for finding in found if finding.label == "race" and finding.variant == "default"]
    assert {finding.id for finding in whole} == IDS
    for finding in whole:
        assert finding.interval is not None
        assert finding.n == 40
        assert finding.dims == {"axis": "race"}
        assert "these 3 raters, not for others" in finding.note
        assert finding.p is None
    fleiss = next(finding for finding in whole if finding.id.endswith("fleiss_kappa"))
    assert fleiss.estimate == pytest.approx(fleiss_kappa(aggregate_raters(ratings, 3)[0]))
    json.dumps([finding.to_json() for finding in found], allow_nan=False)


def test_each_pair_of_raters_has_its_kappa_and_the_mean_is_theirs() -> None:
    found = agreement(measured(judged(np.random.default_rng(1).integers(0, 3, (40, 3)))))
    cohen = {finding.label: finding for finding in found if finding.id.endswith("cohen_kappa")}
    assert set(cohen) == {"race", "r0 / r1", "r0 / r2", "r1 / r2"}
    pairs = [finding.estimate for label, finding in cohen.items() if label != "race"]
    assert cohen["race"].estimate == pytest.approx(np.mean(pairs))
    assert cohen["r0 / r2"].groups == ("r0", "r2")


def test_the_papers_values_stand_beside_the_published_variant() -> None:
    found = agreement(measured(judged(np.random.default_rng(2).integers(0, 3, (12, 3)))))
    (published,) = [finding for finding in found if finding.variant == "as_published"]
    assert "three people 0.0426" in published.note
    assert published.interval is None
    assert published.reason == "interval: the paper gives none"


def test_one_rater_is_no_agreement_and_says_so() -> None:
    found = agreement(measured(judged(np.random.default_rng(3).integers(0, 3, (12, 1)))))
    assert {finding.id for finding in found} == IDS
    assert {finding.reason for finding in found} == {"only one rater chose"}


def test_ties_are_gaps_and_comparisons_with_one_choice_are_counted() -> None:
    ratings = np.random.default_rng(4).integers(0, 3, (20, 3))
    ratings[:3, 1:] = -1
    found = {finding.id: finding for finding in agreement(measured(judged(ratings))) if finding.label == "race"}
    raw = found["creativity.agreement.raw"]
    assert raw.n == 17
    assert raw.dropped == {"tie": 6, "comparison not judged by enough of these raters": 3}


def test_all_on_one_identity_is_undefined_with_its_reason() -> None:
    found = {finding.id: finding for finding in agreement(measured(judged(np.zeros((12, 3), dtype=int))))}
    assert found["creativity.agreement.fleiss_kappa"].estimate is None
    assert "same identity" in str(found["creativity.agreement.fleiss_kappa"].reason)
    assert found["creativity.agreement.raw"].estimate == pytest.approx(1)
    interval = found["creativity.agreement.raw"].interval
    assert interval is not None
    assert (interval.high, interval.method) == (1, "Wilson")


def test_by_task_only_where_comparisons_carry_one() -> None:
    ratings = np.random.default_rng(5).integers(0, 3, (24, 3))
    by_task = [f for f in agreement(measured(judged(ratings, ["haiku", "song"] * 12))) if "task" in f.dims]
    assert {finding.dims["task"] for finding in by_task} == {"haiku", "song"}
    haiku = next(f for f in by_task if f.id.endswith("fleiss_kappa") and f.dims["task"] == "haiku")
    assert haiku.estimate == pytest.approx(fleiss_kappa(aggregate_raters(ratings[::2], 3)[0]))
    assert not any("task" in finding.dims for finding in agreement(measured(judged(ratings))))
