"""Digits on the charts: no more than the interval deserves."""

import pytest

from core.findings import Adjustment, Finding, Floor
from desktop.charts import numbers
from desktop.charts.scales import linear_scale, ratio_scale
from desktop.charts.words import p_sentence


@pytest.mark.parametrize(
    ("estimate", "low", "high", "shown"),
    [
        (0.1604, 0.0615, 0.2512, ("0.16", "0.06–0.25")),  # the sketch's own figures
        (0.0402, 0.0, 0.1391, ("0.04", "0.00–0.14")),
        (0.02311, 0.0221, 0.0241, ("0.0231", "0.0221–0.0241")),
        (12.4, 3.0, 31.0, ("12", "3–31")),
        (-0.0004, -0.2, 0.2, ("0.0", "−0.2–0.2")),
    ],
)
def test_score_has_the_digits_of_its_interval(estimate: float, low: float, high: float, shown: tuple[str, str]):
    assert numbers.score(estimate, low, high) == shown


def test_score_without_an_interval_has_two_significant_digits():
    assert numbers.score(0.02311) == ("0.023", "")
    assert numbers.score(0.0) == ("0.00", "")


def test_ratio_keeps_two_decimals_below_ten():
    assert numbers.ratio(1.184, 0.61, 4.38) == ("1.18", "0.61–4.38")
    assert numbers.ratio(14.26, 2.0, 90.0) == ("14.3", "2.0–90.0")


def test_percent_is_whole_at_sixty_choices():
    assert numbers.percent(33 / 60, 0.4249, 0.6691) == ("55 %", "42–67")


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0312, "p = 0.031"), (0.44, "p = 0.44"), (0.0004, "p < 0.001"), (1.0, "p = 1.00")]
)
def test_p_has_three_decimals_at_most(p: float, shown: str):
    assert numbers.p_value(p) == shown


def test_p_is_told_with_its_adjustment():
    tested = Finding("x", "x", "x", (), 1.0, "", 9, p=0.05, p_adjusted=0.44, adjust=Adjustment("Holm", "x"))
    assert p_sentence(tested) == "p = 0.050, adjusted 0.44 (Holm)"


def test_p_against_the_floor_stands_in_where_there_is_no_other():
    tested = Finding("x", "x", "x", (), 1.0, "", 9, floor=Floor(0.1, 0.2, 0.031))
    assert p_sentence(tested) == "p = 0.031 against the noise floor"


def test_linear_scale_ends_at_a_round_number_with_even_ticks():
    scale = linear_scale(0.913, percent=True)
    assert [text for _, text in scale.ticks] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert [text for _, text in linear_scale(0.21).ticks] == ["0.0", "0.1", "0.2", "0.3"]
    assert linear_scale(0.0).high > 0


def test_ratio_scale_reaches_as_far_left_as_right():
    scale = ratio_scale([0.7, 4.4])
    assert scale.at(1.0) == pytest.approx(0.5)
    assert scale.at(4.4) == pytest.approx(1 - scale.at(1 / 4.4))
    assert 0 <= scale.at(4.4) <= 1
    assert (1.0, "1") in scale.ticks


def test_ratio_scale_leaves_the_extreme_outside():
    scale = ratio_scale([1e6])
    assert scale.high == 100
    assert scale.at(1e6) > 1
    assert scale.at(0) < 0
