"""How far raters follow planted recommendations: by hand, per identity and rater, and who resists."""

import json

import numpy as np
import pytest

from biasprint.core.findings import Finding
from biasprint.core.project.rows import ALONE
from biasprint.core.studies.creativity.adjusted import RECOMMENDED, swayed
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

PAIR = ("man", "woman")
AXES = {"gender": list(PAIR)}
Answer = tuple[str, str, str]  # recommended, outcome, chosen


def table(by_rater: dict[str, list[Answer]], **columns: tuple[object, ...]) -> JudgmentTable:
    """The answers of each rater to the comparisons c0, c1, …"""
    rows = [(rater, f"c{at}", *one) for rater, given in by_rater.items() for at, one in enumerate(given)]
    rater, comparison, recommended, outcome, chosen = zip(*rows, strict=True)
    n = len(rows)
    return JudgmentTable(
        comparison, rater, ("gender",) * n, (PAIR,) * n, outcome, chosen, recommended=recommended, **columns
    )


def by_id(found: list[Finding]) -> dict[tuple[str, str], Finding]:
    json.dumps([one.to_json() for one in found], allow_nan=False)
    return {(one.id, one.label): one for one in found}


def following(rate: float, seed: int, comparisons: int = 40) -> list[Answer]:
    """Half beside a recommendation; it is followed so often, and otherwise either text is chosen."""
    rng = np.random.default_rng(seed)
    advised = rng.permutation([*(PAIR[at % 2] for at in range(comparisons // 2)), *[ALONE] * (comparisons // 2)])
    return [
        (str(one), "choice", str(one) if one != ALONE and rng.random() < rate else PAIR[int(rng.integers(2))])
        for one in advised
    ]


def test_the_estimates_are_those_counted_by_hand() -> None:
    given: list[Answer] = [
        ("man", "choice", "man"), ("man", "choice", "man"), ("man", "tie", ""), ("woman", "choice", "man"),
        (ALONE, "choice", "man"), (ALONE, "choice", "woman"), (ALONE, "choice", "woman"), (ALONE, "choice", "woman"),
        (ALONE, "skip", ""), ("", "choice", "man"),
    ]  # fmt: skip
    found = by_id(swayed(table({"R01": given}), AXES))
    # Of men 2 of 3 beside a recommendation, the tie counting, and 1 of 4 without one; of women 0 of 1 and 3 of 4.
    assert found["creativity.sway.identity", "man"].estimate == pytest.approx(2 / 3 - 1 / 4)
    assert found["creativity.sway.identity", "woman"].estimate == pytest.approx(0 - 3 / 4)
    # 2 of 4 followed; alone, men are chosen 1 of 4 and weigh 3/4 as in the recommendations, women 3 of 4 and weigh 1/4.
    whole = found["creativity.sway", "gender"]
    assert whole.estimate == pytest.approx(2 / 4 - (1 / 4 * 3 / 4 + 3 / 4 * 1 / 4))
    assert (whole.n, dict(whole.n_by_group)) == (8, {"recommended": 4, "not recommended": 4})
    assert dict(whole.dropped) == {"skip": 1}
    assert "It holds for this rater only." in whole.note
    assert found["creativity.sway.rater", "R01"].estimate == whole.estimate
    assert ("creativity.sway.resist", "R01") not in found, "there are no others"


def test_who_follows_is_found_with_an_interval_and_who_resists_is_named() -> None:
    raters = {f"R{at:02d}": following(0.9, at) for at in range(1, 9)}
    raters["R09"] = following(0.0, 9)
    found = by_id(swayed(table(raters), AXES))
    whole = found["creativity.sway", "gender"]
    assert whole.interval is not None
    assert whole.interval.low < 0.45 * 8 / 9 < whole.interval.high
    assert whole.p_adjusted is not None
    assert whole.p_adjusted < 0.001
    assert {one.adjust.family for key, one in found.items() if key[0] == "creativity.sway.identity" and one.adjust} == {
        "creativity.sway.identity, axis gender, 2 identities"
    }
    resisting = {key[1]: one.note for key, one in found.items() if key[0] == "creativity.sway.resist"}
    assert resisting["R09"] == "R09 resists: follows less than the others."
    assert sum("resists" in note for note in resisting.values()) == 1


def test_where_nobody_follows_nothing_is_found() -> None:
    found = by_id(swayed(table({f"R{at:02d}": following(0.0, at) for at in range(8)}), AXES))
    assert all(one.p_adjusted is None or one.p_adjusted > 0.05 for one in found.values())


def test_repeats_and_plans_without_an_arm_are_left_out() -> None:
    given = following(0.9, 1, 8)
    again = ("",) * 6 + ("c0", "c1")
    found = by_id(swayed(table({"R01": given}, repeat_of=again), AXES))
    assert found["creativity.sway", "gender"].n == 6
    assert found["creativity.sway", "gender"].dropped["hidden repeat"] == 2
    assert swayed(table({"R01": [("", "choice", "man")] * 4}), AXES) == []


def test_preferences_are_measured_without_the_answers_beside_a_recommendation() -> None:
    judgments = table({f"R{at:02d}": following(1.0, at, 20) for at in range(6)})
    result = measure_judgments(judgments, axes=AXES, resamples=99, parts=True)
    shares = [one for one in result.findings if one.id == "creativity.share" and dict(one.dims) == {"axis": "gender"}]
    assert {one.n for one in shares} == {60}
    assert (result.rows, result.dropped[RECOMMENDED]) == (120, 60)


def test_who_always_follows_and_never_otherwise_chooses_so_is_tested_by_the_draw() -> None:
    given = [(one, "choice", "woman" if one == "woman" else "man") for one in ("woman", ALONE) * 6]
    found = by_id(swayed(table({"R01": given, "R02": given}), AXES))["creativity.sway.identity", "woman"]
    assert found.estimate == 1
    assert found.p == pytest.approx(2 / 924**2)  # C(12, 6) draws of each rater
    assert "the draw itself" in found.note
