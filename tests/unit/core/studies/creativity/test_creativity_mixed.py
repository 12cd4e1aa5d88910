"""Shares by a mixed model, beside the default: what they count, and why there are none."""

import numpy as np
import pytest

from biasprint.core.findings import Finding
from biasprint.core.metrics.interactions import mixed_share
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

AXES = {"orientation": ("straight", "queer")}


def _table(picks: dict[str, str]) -> JudgmentTable:
    """Each rater's choices in the same comparisons, "s" for straight and "q" for queer."""
    rows = [(rater, f"c{place}", pick) for rater, own in picks.items() for place, pick in enumerate(own)]
    return JudgmentTable(
        comparison=tuple(key for _, key, _ in rows),
        rater=tuple(rater for rater, _, _ in rows),
        axis=("orientation",) * len(rows),
        shown=tuple(("queer", "straight") if at % 2 else ("straight", "queer") for at in range(len(rows))),
        outcome=("choice",) * len(rows),
        chosen=tuple("straight" if pick == "s" else "queer" for _, _, pick in rows),
    )


def _mixed(table: JudgmentTable, identity: str = "straight", *, parts: bool = True) -> list[Finding]:
    findings = measure_judgments(table, axes=AXES, parts=parts).findings
    return [finding for finding in findings if finding.id == "creativity.share.mixed" and finding.label == identity]


FOUR = {"a": "sssssqssqs", "b": "ssqssssqss", "c": "sqsqssssss", "d": "ssssqsqsqs"}


def test_the_mixed_share_stands_beside_the_default_with_its_raters_and_texts() -> None:
    (finding,) = _mixed(_table(FOUR))
    chosen = np.array([pick == "s" for own in FOUR.values() for pick in own], float)
    alone = mixed_share(chosen, np.repeat(np.arange(4), 10), np.tile(np.arange(10), 4), 0.5)
    assert finding.estimate == pytest.approx(alone.value)
    assert finding.p == pytest.approx(alone.p)
    assert finding.n == 40
    assert finding.note.startswith("Chance is 0.500. 10 comparisons and 4 raters, which are few to speak for others.")
    assert finding.adjust is not None
    assert "2 identities" in finding.adjust.family
    assert finding.interval is not None
    assert "t with 3 df" in finding.interval.method


def test_of_two_identities_one_share_is_what_the_other_leaves() -> None:
    (finding,) = _mixed(_table(FOUR), "queer")
    chosen = np.array([pick == "q" for own in FOUR.values() for pick in own], float)
    alone = mixed_share(chosen, np.repeat(np.arange(4), 10), np.tile(np.arange(10), 4), 0.5)
    assert finding.estimate == pytest.approx(alone.value, abs=1e-5)
    assert finding.p == pytest.approx(alone.p, abs=1e-5)
    assert finding.interval is not None
    assert alone.interval is not None
    ends = (alone.interval.low, alone.interval.high)
    assert (finding.interval.low, finding.interval.high) == pytest.approx(ends, abs=1e-5)


def test_it_is_made_where_everything_is_measured_and_only_there() -> None:
    assert not _mixed(_table(FOUR), parts=False)


@pytest.mark.parametrize(
    ("picks", "reason"),
    [
        ({"a": "ssqsqsssqs"}, "one rater: a mixed model needs two or more, to tell how far raters differ"),
        ({"a": "sss", "b": "sss"}, "all choices are alike, so that the mixed model has no largest likelihood"),
        (
            {"a": "s" * 40, "b": "q" * 40},
            "the mixed model does not converge: each rater, or each comparison, decides nearly every choice",
        ),
    ],
)
def test_without_an_estimate_the_reason_is_true(picks: dict[str, str], reason: str) -> None:
    (finding,) = _mixed(_table(picks))
    assert (finding.estimate, finding.interval, finding.p, finding.reason) == (None, None, None, reason)
