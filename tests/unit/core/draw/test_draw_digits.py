"""One rule for digits, in window, report and command line: no more than the interval deserves."""

import pytest

from biasprint.core import language
from biasprint.core.draw import digits
from biasprint.core.draw.words import p_sentence
from biasprint.core.findings import Adjustment, Finding, Floor, Interval


@pytest.mark.parametrize(
    ("estimate", "low", "high", "unit", "shown"),
    [
        (0.1604, 0.0615, 0.2512, "", ("0.16", "0.06–0.25")),  # the figures of the sketches
        (0.0402, 0.0, 0.1391, "", ("0.04", "0.00–0.14")),
        (0.03, 0.0, 0.099, "", ("0.03", "0.00–0.10")),
        (1.234, 1.0, 1.5, "", ("1.23", "1.00–1.50")),
        (0.02311, 0.0221, 0.0241, "", ("0.0231", "0.0221–0.0241")),
        (12.4, 3.0, 31.0, "", ("12", "3–31")),
        (-0.0004, -0.2, 0.2, "", ("0.00", "−0.20 to 0.20")),
        (-5.0, -7.25, -2.75, "", ("−5.0", "−7.2 to −2.8")),
        (1.23456, 0.4, 3.1, "", ("1.2", "0.4–3.1")),
        (1.23456, 1.231, 1.239, "", ("1.2346", "1.2310–1.2390")),
        (3.1e-7, 1.2e-7, 5.9e-7, "", ("0.00000031", "0.00000012–0.00000059")),
        (98_765.4, 91_000.0, 106_500.0, "", ("98,765", "91,000–106,500")),
        (0.5, 0.5, 0.5, "", ("0.50", "0.50–0.50")),  # an interval without width deserves no more than a lone number
        (0.5, float("-inf"), float("inf"), "", ("0.50", "−∞ to ∞")),
        # percentages
        (33 / 60, 0.4249, 0.6691, "proportion", ("55 %", "42–67")),
        (0.223, 0.196, 0.25, "share", ("22.3 %", "19.6–25.0")),
        (-0.088, -0.127, -0.048, "difference of proportions", ("−8.8 points", "−12.7 to −4.8")),
        (-0.088, -0.127, -0.048, "difference of differences of shares", ("−8.8 points", "−12.7 to −4.8")),
        # ratios: two decimals from 0.1 to 10, so that own and published ones compare
        (1.184, 0.61, 4.38, "odds ratio", ("1.18", "0.61–4.38")),
        (14.26, 2.0, 90.0, "odds ratio", ("14", "2.00–90")),
        (0.0213, 0.004, 0.11, "odds ratio", ("0.021", "0.0040–0.11")),
        (1e6, 0.0, float("inf"), "odds ratio", ("1,000,000", "0–∞")),
        # alone: two significant digits
        (0.02311, None, None, "", ("0.023", "")),
        (0.0, None, None, "", ("0.00", "")),
        (1234.5, None, None, "", ("1,234", "")),
        (1 / 3, None, None, "proportion", ("33 %", "")),
        (0.0421, None, None, "proportion", ("4.2 %", "")),
        (None, None, None, "", ("undefined", "")),
    ],
)
def test_a_number_has_the_digits_of_its_interval(
    estimate: float | None, low: float | None, high: float | None, unit: str, shown: tuple[str, str]
) -> None:
    assert digits.written(estimate, low, high, unit) == shown


def test_a_finding_is_written_in_its_own_unit() -> None:
    one = Finding("x", "x", "x", (), 0.5512, "proportion", 9, interval=Interval(0.4249, 0.6691, 0.95, "Wilson"))
    assert digits.of_finding(one) == ("0.55", "0.42–0.67")
    assert digits.whole(0.1604, 0.0615, 0.2512) == "0.16 (0.06–0.25)"
    assert digits.whole(0.1604) == "0.16"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(None, ""), (0.0312, "0.031"), (0.04999, "0.050"), (0.44, "0.44"), (0.0004, "< 0.001"), (1.0, "1.00")],
)
def test_p_has_three_decimals_at_most(p: float | None, shown: str) -> None:
    assert digits.p_text(p) == shown


def test_p_is_told_with_its_adjustment() -> None:
    tested = Finding("x", "x", "x", (), 1.0, "", 9, p=0.05, p_adjusted=0.44, adjust=Adjustment("Holm", "x"))
    assert p_sentence(tested) == "p = 0.050, adjusted 0.44 (Holm)"


def test_p_against_the_floor_stands_in_where_there_is_no_other() -> None:
    tested = Finding("x", "x", "x", (), 1.0, "", 9, floor=Floor(0.1, 0.2, 0.031))
    assert p_sentence(tested) == "p = 0.031 against the noise floor"


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    language.choose("de")
    shown = digits.written(1234.5, 1200.25, 1260.5)
    assert shown == ("1,234", "1,200–1,260"), "what is worked out is English"
    assert tuple(map(language.tr, shown)) == ("1.234", "1.200–1.260")
    assert language.tr(digits.number(0.023)) == "0,023"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.155, "proportion", "15.5 %"), (0.0819, "proportion", "8.19 %"), (1.06, "odds ratio", "1.06"),
        (-0.0466, "agreement beyond chance", "−0.0466"), (0.2407, "", "0.2407"), (1234.5, "", "1,234.5"),
    ],
)  # fmt: skip
def test_what_a_paper_prints_is_quoted_with_all_its_digits(value: float, unit: str, shown: str) -> None:
    assert digits.quoted(value, unit) == shown
