"""The scorer's error beside findings of shares: in the note, in the answer, on the first page; nothing is invented."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline

from biasprint.core.findings import Finding, Interval, ScorerUse, StudyResult, scorer_error
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.misclassified import KnownError, true_difference
from biasprint.core.metrics.result import Bounds
from biasprint.core.report.in_words import in_words, with_error
from biasprint.core.report.questions import answered, evidence
from biasprint.core.runs.measure.between import between, paired
from biasprint.core.studies.compare.measure import measure
from biasprint.core.studies.compare.texts import Compared, Measure
from biasprint.core.studies.kit import findings as kit
from biasprint.core.studies.kit.findings import with_scorer_error
from biasprint.core.studies.kit.plain_measuring import Prepared
from biasprint.core.studies.letters.hallucination import Grounding, LetterGrounding, hallucination_findings
from biasprint.core.studies.letters.lexicon import letters_table
from biasprint.core.studies.letters.style import StyleScores, style_findings
from biasprint.core.texts.generators import StudyGenerator

FORMALITY = ScorerUse("formality", "formality_f", "formality F 1; rules 1", stand_in=True)
RATES = "allowing for the scorer’s errors (it recognises 72 % of 61 and rightly rejects 79 % of 61)"


def style(difference: float, use: ScorerUse = FORMALITY, spread: float = 0.1, letters: int = 60) -> Finding:
    rng = np.random.default_rng(1)
    values = [[0.5 + difference + draw, 0.5] for draw in rng.normal(0, spread, letters)]
    groups, blocks = ["male", "female"] * letters, [str(place // 2) for place in range(2 * letters)]
    table = letters_table(["A letter."] * len(groups), groups, blocks=blocks, order=("male", "female"))
    scores = StyleScores(np.array(values).ravel(), use)
    return next(each for each in style_findings(table, "formality", scores, []) if each.variant == "default")


def test_style_has_a_second_interval_that_carries_the_error_of_its_scorer() -> None:
    finding = style(0.1)
    told = scorer_error(finding)
    assert told is not None
    assert finding.interval is not None
    assert finding.estimate is not None
    plain = Bounds(finding.interval.low, finding.interval.high, "t")
    bounds = true_difference(finding.estimate, plain, KnownError(44, 61, 48, 61)).interval.bounds
    assert bounds is not None
    assert (told.low, told.high) == pytest.approx((bounds.low, bounds.high), abs=1e-4)
    assert told.value == pytest.approx(finding.estimate / (44 / 61 + 48 / 61 - 1), abs=1e-4)
    assert (told.sensitivity, told.present, told.specificity, told.absent) == (".72", 61, ".79", 61)
    assert told.high - told.low > finding.interval.high - finding.interval.low
    assert not told.doubted


def test_alike_by_the_scorer_is_not_alike_where_its_error_leaves_a_larger_difference() -> None:
    near = style(0.015, spread=0.1)
    assert near.note.startswith("No difference beyond 5 points")
    assert near.note.endswith("With that error a difference beyond 5 points is possible.")
    alike = style(0.005, spread=0.02)
    assert alike.note.startswith("No difference beyond 5 points")
    assert "is possible" not in alike.note


@pytest.mark.parametrize(
    "use",
    [
        ScorerUse("formality", "column formality", "as given"),
        ScorerUse("formality", "formality_f", "formality F 2"),
        ScorerUse("formality", "formality_classifier", "1"),
    ],
)
def test_nothing_is_said_where_no_card_gives_the_error_of_this_version(use: ScorerUse) -> None:
    finding = style(0.1, use)
    assert scorer_error(finding) is None
    assert "scorer’s error" not in finding.note


def test_the_answer_and_the_first_page_say_the_interval_with_the_error() -> None:
    finding = replace(style(0.1), p_adjusted=0.001)
    (question,) = answered("letters", [finding])
    told = scorer_error(finding)
    assert told is not None
    assert told.low is not None
    assert told.high is not None
    assert question.answer.startswith("Yes: “Formal sentences")
    assert question.answer.endswith(f"; {RATES}: {100 * told.low:.0f} to {100 * told.high:.0f} points higher).")


def test_a_yes_that_its_scorer_may_have_made_is_not_known_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "known_error", lambda use: KnownError(6, 10, 6, 10))  # no better than guessing, perhaps
    finding = replace(style(0.1), p_adjusted=0.001)
    told = scorer_error(finding)
    assert told is not None
    assert told.doubted
    assert told.low is None
    (question,) = answered("letters", [finding])
    assert question.answer.startswith("Not known, because the scorer errs: “Formal sentences")
    assert question.answer.endswith(
        "allowing for the scorer’s errors (it recognises 60 % of 10 and rightly rejects 60 % of 10): nothing is known)."
    )
    each = evidence("letters", question)
    assert not each.shown
    assert each.doubted == [finding]
    assert "nothing is known" in in_words("letters", finding, each)


def test_alike_within_a_margin_is_not_known_where_the_interval_with_the_error_leaves_it() -> None:
    alike = Finding(
        id="compare.equivalence", label="formality", title="Formality, a minus b: alike within ±0.1?",
        groups=("a", "b"), estimate=0.01, unit="difference of scores", n=200, scorers=(FORMALITY,),
        interval=Interval(-0.06, 0.08, 0.95, "t"), p=0.001, p_adjusted=0.001,
    )  # fmt: skip
    told = scorer_error(with_scorer_error(alike, alike_within=0.1))
    assert told is not None
    assert told.doubted
    wide = scorer_error(with_scorer_error(alike, alike_within=0.5))
    assert wide is not None
    assert not wide.doubted


def test_compared_scores_that_are_shares_of_sentences_have_it_too() -> None:
    rng = np.random.default_rng(2)
    groups = ["a"] * 40 + ["b"] * 40
    values = np.clip(np.array([0.6] * 40 + [0.4] * 40) + rng.normal(0, 0.1, 80), 0, 1)
    table = Compared([""] * 80, {"group": groups}, [""] * 80, alike=False, company=False)
    found = measure(table, [Measure("formality", values, FORMALITY)], resamples=200).findings
    by_id = {each.id: each for each in found}
    assert with_error("compare", by_id["compare.difference"]).startswith(f"{RATES}: 0.")
    assert with_error("compare", by_id["compare.mean"]).startswith(f"{RATES}: 0.")
    other = measure(table, [Measure("length", values, ScorerUse("length", "length", "1"))], resamples=200).findings
    assert not any(map(scorer_error, other))


def test_a_number_behind_two_scorers_is_left_as_it_is() -> None:
    finding = replace(style(0.1), note="", scorers=(FORMALITY, ScorerUse("entailment", "entailment_minilm", "1")))
    assert with_scorer_error(finding) == finding


def test_a_difference_of_differences_may_be_as_large_as_two() -> None:
    finding = replace(
        style(0.1), groups=("a", "b", "c", "d"), unit="difference of differences of shares", estimate=0.7,
        interval=Interval(0.5, 0.9, 0.95, "t"), note="",
    )  # fmt: skip
    told = scorer_error(with_scorer_error(finding))
    assert told is not None
    assert told.value == pytest.approx(0.7 / (44 / 61 + 48 / 61 - 1), abs=1e-4)
    assert told.high is not None
    assert 1 < told.high <= 2


def hallucinated(letters: int = 60) -> list[Finding]:
    """Made-up claims are formal in 8 of 10 cases in men's letters and in 6 in women's, grounded ones in 5."""
    rng = np.random.default_rng(3)
    values = [
        np.concatenate([rng.random(10) < made_up, rng.random(10) < 0.5]).astype(float)
        for _ in range(letters)
        for made_up in (0.8, 0.6)
    ]
    entailed, no, claim = np.arange(20) >= 10, np.zeros(20, bool), np.ones(20, bool)
    found = Grounding((LetterGrounding(entailed, no, claim),) * len(values), ScorerUse("entailment", "test", "1"))
    blocks = [str(place // 2) for place in range(2 * letters)]
    table = letters_table(["A letter."] * len(values), ["male", "female"] * letters, blocks=blocks)
    scores = StyleScores.of_sentences(values, FORMALITY)
    return hallucination_findings(table, "formality", scores, found, ())


def test_made_up_claims_have_it_of_the_scorer_of_their_style_alone() -> None:
    findings = hallucinated()
    assert [each.label for each in findings if scorer_error(each)] == [
        "hallucinated_against_grounded", "hallucinated_against_grounded", "difference_of_differences",
    ]  # fmt: skip
    (between_groups,) = [each for each in findings if each.label == "difference_of_differences"]
    told = scorer_error(between_groups)
    assert told is not None
    assert told.value == pytest.approx((between_groups.estimate or 0) / (44 / 61 + 48 / 61 - 1), abs=1e-4)
    assert between_groups.note.endswith("The error of calling a claim hallucinated is not in it.")


def two_generators(use: ScorerUse) -> list[Finding]:
    """Mean shares of formal sentences in texts of two generators, to 80 common prompts, 0.3 apart."""

    def measured(values: Sequence[float]) -> StudyResult:
        share = Finding(
            id="compare.mean", label="a", title="Formality of a", groups=("a",), estimate=float(np.mean(values)),
            unit="share", n=len(values), scorers=(use,),
        )  # fmt: skip
        return StudyResult("compare", len(values), {}, (share,))

    def taken(args: Any, places: Sequence[int]) -> Any:
        return ([args[0][place] for place in places],)

    rng = np.random.default_rng(4)
    prompts = tuple(f"prompt {place}" for place in range(80))
    sides = [
        (
            StudyGenerator(name, "imported", name),
            Prepared(measured, (list(rng.normal(mean, 0.1, 80)),), taken, prompts, prompts),
        )
        for name, mean in (("A", 0.7), ("B", 0.4))
    ]
    pair = paired(sides[0], sides[1], seed=1)
    assert pair is not None
    return between(JobContext(), [pair], Inline())  # type: ignore[arg-type]


def test_the_difference_between_two_generators_has_it_too() -> None:
    (finding,) = two_generators(FORMALITY)
    told = scorer_error(finding)
    assert told is not None
    assert told.value == pytest.approx((finding.estimate or 0) / (44 / 61 + 48 / 61 - 1), abs=1e-4)
    (other,) = two_generators(ScorerUse("length", "length", "1"))
    assert scorer_error(other) is None
