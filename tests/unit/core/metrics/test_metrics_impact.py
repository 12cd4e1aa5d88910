"""Impact ratios by category, held to aedt-audit's own numbers and to a hand calculation."""

import json
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from biasprint.core.metrics.grouped import above_median, impact_ratios

DATA = Path(__file__).parents[3] / "data" / "aedt_audit.json"
COLUMNS = {"sex": (0,), "race_ethnicity": (1,), "both": (0, 1)}


@pytest.mark.parametrize("kind", ["selected", "above_median"])
@pytest.mark.parametrize("by", COLUMNS)
def test_numbers_equal_those_of_aedt_audit_on_its_own_example(kind: str, by: str) -> None:
    given = json.loads(DATA.read_text(encoding="utf-8"))
    people, yes = [], []
    for sex, race, n, selected, above in given["people"]:
        own = "" if sex == "unknown" else sex
        people += [(own, race)] * n
        chosen = selected if kind == "selected" else above
        yes += [True] * chosen + [False] * (n - chosen)
    expected = {
        ("" if sex == "unknown" else sex, race): rest
        for sex, race, *rest in given["tables"][kind]
        if {"sex": not race, "race_ethnicity": not sex, "both": bool(sex and race)}[by]
    }
    found = impact_ratios(np.array(yes), [tuple(person[place] for place in COLUMNS[by]) for person in people])
    assert len(found.rates) == len(expected) > 2
    for rate in found.rates:
        sex, race = {"sex": (*rate.category, ""), "race_ethnicity": ("", *rate.category), "both": rate.category}[by]
        n, chosen, share_selected, share, excluded, ratio = expected[sex, race]
        assert (rate.n, rate.selected, rate.small) == (n, chosen, excluded)
        assert rate.rate == pytest.approx(share_selected, abs=1e-11)
        assert rate.share == pytest.approx(share, abs=1e-11)
        assert rate.ratio.value == pytest.approx(ratio, abs=1e-11)


def test_small_and_unknown_categories_are_counted_and_never_the_highest() -> None:
    # 1 of 101 is below 2 % and was chosen; so were both people of whom the sex is not known.
    people = [("woman",)] * 58 + [("man",)] * 40 + [("other",)] + [("",)] * 2
    chosen = [True] * 29 + [False] * 29 + [True] * 30 + [False] * 10 + [True] * 3
    found = impact_ratios(np.array(chosen), people)
    assert [(rate.category, rate.n, rate.small, rate.unknown) for rate in found.rates] == [
        (("man",), 40, False, False), (("other",), 1, True, False), (("woman",), 58, False, False),
        (("",), 2, True, True),
    ]  # fmt: skip
    assert found.highest == ("man",)
    assert found.unknown == 2
    # By hand: 29/58 over 30/40.
    assert found.rates[2].ratio.value == pytest.approx(0.5 / 0.75)
    assert found.rates[2].ratio.interval.bounds is not None
    known = confint_proportions_2indep(29, 58, 30, 40, method="score", compare="ratio", correction=True)
    assert found.rates[2].ratio.interval.bounds.low == pytest.approx(known[0], rel=1e-6)
    assert found.rates[2].ratio.interval.bounds.high == pytest.approx(known[1], rel=1e-6)


def test_a_score_at_the_median_does_not_lie_above_it() -> None:
    assert above_median(np.array([1.0, 2.0, 2.0, 3.0])).tolist() == [False, False, False, True]


def test_nobody_selected_leaves_ratios_undefined_with_the_reason() -> None:
    found = impact_ratios(np.zeros(4, dtype=bool), [("a",), ("a",), ("b",), ("b",)])
    assert {rate.ratio.value for rate in found.rates} == {None}
    assert found.rates[0].ratio.reason == "the second rate is 0"
