"""All against none: every study answers it by an exact test, in its findings and in words."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import boschloo_exact

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.report.questions import answered
from biasprint.core.studies.completion.measure import measure
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments


def found(result: StudyResult, finding_id: str, label: str) -> Finding:
    (one,) = (
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (finding_id, label, "default") and not set(each.dims) - {"axis"}
    )
    return one


@pytest.mark.parametrize("raters", [1, 3, 8])
def test_one_identity_in_every_comparison_is_preferred_as_chosen_and_at_equal_length_and_place(raters: int) -> None:
    n, rng = 24, np.random.default_rng(4)
    words = rng.integers(50, 150, (n, 2))
    rows = [(at, rater, (at + rater) % 2) for at in range(n) for rater in range(raters)]
    table = JudgmentTable(
        comparison=tuple(f"c{at}" for at, _, _ in rows),
        rater=tuple(f"R{rater}" for _, rater, _ in rows),
        axis=("gender",) * len(rows),
        shown=tuple(("man", "woman") if first else ("woman", "man") for _, _, first in rows),
        outcome=("choice",) * len(rows),
        chosen=("man",) * len(rows),
        words=tuple((int(words[at, 1 - first]), int(words[at, first])) for at, _, first in rows),
    )
    result = measure_judgments(table, axes={"gender": ["man", "woman"]}, resamples=999, parts=True)
    for finding_id in ("creativity.abs", "creativity.abs.adjusted"):
        score = found(result, finding_id, "gender")
        assert score.p_adjusted is not None
        assert score.p_adjusted <= 0.05
        assert score.interval is not None
        assert score.interval.low > 0
    share = found(result, "creativity.share.adjusted", "man")
    # Of eight raters the raters are flipped in all ways, of fewer the comparisons in 10,000.
    assert share.p == pytest.approx(stats.binomtest(8, 8, 0.5).pvalue if raters == 8 else 1 / 10_001)
    answers = {one.question: one.answer for one in answered("creativity", result.findings)}
    assert answers["Are texts for some identities preferred?"].startswith("Yes")
    assert answers["Are they preferred at equal length and place as well?"].startswith("Yes")


def test_replies_that_always_follow_what_is_given_have_an_exact_answer() -> None:
    rows = [("positive", f"t{at}", f"good{pair}", pair) for at in range(10) for pair in range(3)]
    rows += [("negative", f"u{at}", f"bad{pair}", pair) for at in range(10) for pair in range(3)]
    given, term, response, pairs = zip(*rows, strict=True)
    kinds = {kind: tuple(f"{word}{pair}" for pair in pairs) for kind, word in
             (("positive", "good"), ("negative", "bad"), ("neutral", "fine"))}  # fmt: skip
    table = CompletionTable(
        domain=("ageism",) * 60, direction=("SAI",) * 60, pronoun=("masculine",) * 60, given=given, response=response,
        term=term, **kinds,
    )  # fmt: skip
    result = measure(table, resamples=2000)
    (delta,) = (one for one in result.findings if (one.label, one.variant) == ("delta_P", "default"))
    assert delta.estimate == 1
    assert delta.p == pytest.approx(boschloo_exact([[10, 0], [0, 10]]).pvalue)
    assert delta.interval is not None
    assert "Miettinen–Nurminen" in delta.interval.method
    assert 0.5 < delta.interval.low < delta.interval.high == 1
