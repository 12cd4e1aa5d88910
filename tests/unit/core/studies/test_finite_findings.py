"""Every number of a finding is finite, whatever small and odd tables are measured; one that is not is left out."""

import json
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from trust.report import Figure

from biasprint.core import findings
from biasprint.core.draw import digits
from biasprint.core.findings import LARGEST, Effect, Finding, Floor, Interval, Power, StudyResult
from biasprint.core.metrics.grouped import hedges_g
from biasprint.core.metrics.means import paired_difference, two_sample_difference
from biasprint.core.studies.compare.measure import measure as measure_compared
from biasprint.core.studies.compare.texts import Compared, Measure
from biasprint.core.studies.creativity import affinity
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import agreed_judgments, measure_judgments
from biasprint.core.texts.exporting import finding_row

NAN, INFINITE = float("nan"), float("inf")


def judged(chance: random.Random) -> StudyResult:
    """A few people, and perhaps a model, on a few comparisons; with ties, repeats, texts without words and more."""
    axes = {axis: [f"{axis} {n}" for n in range(chance.choice((2, 3, 4)))] for axis in ("gender", "race")}
    people = [f"R{n}" for n in range(chance.choice((1, 2, 2, 3)))]
    raters = [*people, *(["M"] if chance.random() < 0.4 else [])]
    alike, worst, ranked, empty = (chance.random() < 0.4 for _ in range(4))
    without = chance.choice((0, 0, 0.3))
    rows: list[dict[str, Any]] = []
    for comparison in range(chance.choice((1, 2, 3, 4, 6, 12))):
        axis = chance.choice(list(axes))
        shown = chance.sample(axes[axis], chance.choice((2, min(3, len(axes[axis])))))
        for rater in raters:
            for again in range(chance.choice((1, 1, 2))):
                order = chance.sample(shown, len(shown))
                outcome = chance.choices(("choice", "tie", "none", "skip"), (1, without, without, without))[0]
                chosen = (shown[0] if alike else order[0]) if outcome == "choice" else ""
                other = [one for one in order if one != chosen]
                by_model = rater == "M"
                rows.append({
                    "comparison": f"c{comparison}{'r' if again and not by_model else ''}",
                    "repeat_of": f"c{comparison}" if again and not by_model else "",
                    "rater": rater, "rater_kind": "model" if by_model else "person", "axis": axis,
                    "shown": tuple(order), "outcome": outcome, "chosen": chosen,
                    "task": chance.choice(("haiku", "story")), "theme": "stars", "model": chance.choice("AAB"),
                    "words": tuple(0 if empty else chance.choice((1, 90, 200, 10**9)) for _ in order),
                    "worst": chance.choice(other) if worst and len(order) == 3 and chosen else "",
                    "block": f"b{comparison % 3}", "ranked": axis if ranked else "",
                    "seconds": chance.choice((0, 5.0, 1e9)),
                })  # fmt: skip
    table = JudgmentTable(**{name: tuple(row[name] for row in rows) for name in rows[0]})
    asked: dict[str, Any] = {"axes": axes, "seed": 1, "resamples": 40, "adjusted": True}
    parts = measure_judgments(table, parts=True, **asked)
    agreed = agreed_judgments(table, **asked)
    return StudyResult("creativity", parts.rows, {}, (*parts.findings, *agreed.findings))


def compared(chance: random.Random) -> StudyResult:
    """A handful of texts of a few groups, with scores that do not vary, or hardly, or beyond what can be squared."""
    n = chance.choice((1, 2, 3, 4, 6, 10))
    rng = np.random.default_rng(chance.randrange(2**32))
    scores = chance.choice((
        np.full(n, 3.0), rng.integers(0, 2, n).astype(float), rng.normal(size=n), rng.normal(size=n) * 1e200,
        rng.normal(size=n) * 1e-200, np.where(rng.random(n) < 0.5, np.nan, 1.0), np.append(np.zeros(n - 1), 1e12),
    ))  # fmt: skip
    table = Compared(
        [chance.choice(("he works", "she is kind", "")) for _ in range(n)],
        {"group": [chance.choice(("a", "b", "c", "")) for _ in range(n)]},
        [chance.choice(("", "one", f"b{place // 2}")) for place in range(n)],
        units=[chance.choice(("", f"u{place // 2}")) for place in range(n)] if chance.random() < 0.5 else (),
        embeddings=[None if chance.random() < 0.2 else rng.normal(size=4) for _ in range(n)],
    )
    rates = Measure("rate", (rng.random(n) < 0.5).astype(float), yes_or_no=True)
    return measure_compared(table, [Measure("score", scores), rates], seed=1, resamples=40)


@pytest.mark.parametrize("measured", [judged, compared])
@pytest.mark.parametrize(
    ("tables", "seed"), [(12, 0), pytest.param(600, 1000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_of_any_table_every_number_is_finite(
    measured: Callable[[random.Random], StudyResult],
    tables: int,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    figure: Figure,
) -> None:
    left_out: list[str] = []
    mend = findings._without_endless
    monkeypatch.setattr(findings, "_without_endless", lambda one: left_out.append(one["id"]) or mend(one))
    for at in range(seed, seed + tables):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # squares of 1e200
            result = measured(random.Random(at))
        json.dumps(result.to_json(), allow_nan=False)
        assert not left_out or measured is compared, f"table {at}"  # of choices none may even be made
    figure(f"{tables} random small tables of {measured.__name__} texts, every number finite")


def finding(**changed: Any) -> Finding:
    whole: dict[str, Any] = {
        "id": "x.y", "label": "a", "title": "A", "groups": ("a", "b"), "estimate": 0.5, "unit": "share", "n": 3,
        "interval": Interval(0.1, 0.9, 0.95, "t"), "p": 0.2, "effect": Effect("d", 0.3), "contrast": {"a": 0.1},
        "floor": Floor(0.1, 0.2, 0.3), "power": Power(0.4, 9),
    }  # fmt: skip
    return Finding(**{**whole, **changed})


@pytest.mark.parametrize("number", [NAN, INFINITE, -INFINITE, np.float64("nan"), 1e305])
def test_an_estimate_that_is_no_finite_number_is_undefined_and_says_so(number: float) -> None:
    found = finding(estimate=number)
    assert (found.estimate, found.interval, found.p, found.effect, found.contrast) == (None,) * 5
    assert found.reason == "it is no finite number"
    assert Finding.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False))) == found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("interval", Interval(-INFINITE, 0.9, 0.95, "t")),
        ("p", NAN),
        ("p_adjusted", NAN),
        ("effect", Effect("d", INFINITE)),
        ("contrast", {"a": NAN}),
        ("floor", Floor(NAN, 0.2, 0.3)),
        ("floor_subtracted", INFINITE),
        ("power", Power(INFINITE, None)),
    ],
)
def test_any_other_such_number_is_left_out_alone_and_this_is_told(name: str, value: Any) -> None:
    found = finding(**{name: value}, note="As before.")
    assert getattr(found, name) is None
    assert found.estimate == 0.5
    assert found.note.startswith("As before. Left out, as it is no finite number: ")
    assert (found.reason == "interval: an end of it is no finite number") == (name == "interval")
    json.dumps(found.to_json(), allow_nan=False)


def test_the_interval_of_a_ratio_may_have_no_upper_end() -> None:
    """A word of one group alone: null in JSON, ∞ on the page, and read again as it was."""
    found = finding(unit="odds ratio", interval=Interval(4.2, INFINITE, 0.95, "score"), estimate=31.0)
    assert found.interval == Interval(4.2, INFINITE, 0.95, "score")
    stored = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert stored["interval"]["high"] is None
    assert Finding.from_json(stored) == found
    assert digits.of_finding(found) == ("31", "4.20–∞")
    row = finding_row(found, "letters", {})
    assert (row["low"], row["high"]) == (4.2, None)


def test_a_stored_finding_with_such_a_number_is_damaged_and_not_mended() -> None:
    stored = finding().to_json()
    assert Finding.from_json(stored) == finding()
    without = {
        name: value for name, value in stored.items() if name not in ("harm", "note", "source", "dims", "reason")
    }
    assert Finding.from_json(without) == finding()  # as a version would store it that did not know of them
    for damaged in ({"estimate": NAN}, {"p": 10 * LARGEST}, {"interval": {**stored["interval"], "low": -INFINITE}}):
        with pytest.raises(ValueError, match="no finding"):
            Finding.from_json({**stored, **damaged})


def test_one_text_against_two_has_no_standardised_difference() -> None:
    """With one degree of freedom Hedges' correction is Γ(½) / (√½ Γ(0)) = 0."""
    assert hedges_g(np.array([1.0]), np.array([2.0, 3.0])) is None


def test_units_whose_squares_are_nothing_do_not_vary() -> None:
    tiny = np.array([1e-200, 2e-200, 4e-200])
    assert paired_difference(tiny, 2 * tiny).p is None
    assert two_sample_difference(tiny, tiny[::-1]).p is None


def test_a_model_that_is_shown_four_cards_has_its_places_counted() -> None:
    four = ("a", "b", "c", "d")
    orders = [four, four[::-1]]
    table = JudgmentTable(("c",) * 2, ("M",) * 2, ("race",) * 2, tuple(orders), ("choice",) * 2, ("a", "d"),
                          rater_kind=("model",) * 2)  # fmt: skip
    result = measure_judgments(table, axes={"race": four}, resamples=40, parts=True)
    places = [one for one in result.findings if one.id == affinity.POSITION]
    assert [one.label for one in places] == ["first", "second", "third", "4th"]


def test_an_interval_without_a_width_is_none_and_why() -> None:
    finding = Finding(
        id="compare.mean", label="x", title="X", groups=("a",), estimate=1.0, unit="score", n=8,
        interval=Interval(1.0, 1.0, 0.95, "t, df 7"),
    )  # fmt: skip
    assert (finding.interval, finding.estimate) == (None, 1.0)
    assert finding.reason == "interval: nothing varies between the units, so that it would have no width"
    assert Finding.from_json(finding.to_json()) == finding
