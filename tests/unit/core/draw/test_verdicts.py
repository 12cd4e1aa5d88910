"""An interval and the adjusted p beside it: said in words where they differ; how p and levels are written."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from biasprint import core
from biasprint.core.cli.measure_command import verdicts
from biasprint.core.draw import digits
from biasprint.core.draw.words import apart, null_value
from biasprint.core.findings import Adjustment, Finding, Floor, Interval
from biasprint.core.report.audit import Audited, audit_report, report_bytes
from biasprint.core.report.questions import answered
from biasprint.core.studies.kit.findings import with_benjamini_hochberg, with_holm

RATIO = Finding(
    id="letters.lexicon.odds_ratio", label="agentic", title="Agentic words: male against female",
    groups=("male", "female"), estimate=1.4, unit="odds ratio", n=120,
    interval=Interval(1.05, 1.9, 0.95, "bootstrap"), p=0.02, p_adjusted=0.18,
    adjust=Adjustment("Holm", "letters.lexicon.odds_ratio, default, 9 ratios"),
)  # fmt: skip
ALONE = "The interval is for this one number; adjusted for 9 tests it does not stand out."


def report_of(finding: Finding) -> str:
    report = audit_report(Audited("letters", "Letters", (finding,), {}))
    return report_bytes(report, ".html").decode()


def test_an_interval_beside_1_with_an_adjusted_p_above_05_is_explained_and_counts_the_tests() -> None:
    assert apart(RATIO) == ALONE
    assert apart(replace(RATIO, p_adjusted=0.04)) == ""
    assert apart(replace(RATIO, interval=Interval(0.9, 1.9, 0.95, "bootstrap"))) == ""
    assert "the other tests" in apart(replace(RATIO, adjust=None))


def test_where_the_raw_p_does_not_stand_out_either_the_two_methods_are_named() -> None:
    assert apart(replace(RATIO, p=0.07)) == (
        "The interval leaves out 1, the test by itself does not: they are made in different ways, and the test decides."
    )


def test_an_interval_that_reaches_1_beside_a_p_that_decides_is_explained() -> None:
    reaching = replace(RATIO, interval=Interval(0.98, 1.9, 0.95, "bootstrap"), p=0.001, p_adjusted=0.01)
    assert apart(reaching).startswith("The interval reaches 1, yet the test tells it apart")
    wide = replace(reaching, interval=Interval(0.98, 1.9, 0.9933, "bootstrap"))
    assert apart(wide) == "The interval is wider than the test needs: it is at 99.33 %; the adjusted p decides."


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        # A spread is above 0 without any bias: only beyond its floor, or at 0, does its interval say anything.
        ({"low": 0.05, "p_adjusted": 0.2}, False),
        ({"low": 0.15, "p_adjusted": 0.2}, True),
        ({"low": 0.05, "p_adjusted": 0.01}, False),
        ({"low": 0.0, "p_adjusted": 0.01}, True),
    ],
)
def test_a_measure_with_a_floor_is_held_against_the_floor(finding: dict[str, float], said: bool) -> None:
    floor = Floor(0.06, 0.12, finding["p_adjusted"])
    spread = replace(
        RATIO, id="creativity.abs", unit="proportion", estimate=0.2, floor=floor, p_adjusted=finding["p_adjusted"],
        interval=Interval(finding["low"], 0.3, 0.95, "χ²"),
    )  # fmt: skip
    assert bool(apart(spread)) == said


@pytest.mark.parametrize(
    ("id", "unit", "null"),
    [
        ("creativity.quality.position", "proportion", 1 / 2),  # of two cards
        ("creativity.agreement.cohen_kappa", "agreement beyond chance", 0.0),
        ("creativity.agreement.raw", "proportion", None),
        ("creativity.agreement.flips", "proportion", None),
        ("news.refusal_rate.prompts", "proportion", 0.0),
        ("letters.style.agency", "difference of shares", 0.0),
        ("letters.lexicon.odds_ratio.between_generators", "ratio of odds ratios", 1.0),
    ],
)
def test_what_comes_of_no_bias_is_known_where_it_is(id: str, unit: str, null: float | None) -> None:
    assert null_value(replace(RATIO, id=id, unit=unit)) == null


def test_without_a_test_an_interval_or_a_value_of_no_bias_nothing_is_said() -> None:
    for without in ({"p": None, "p_adjusted": None}, {"interval": None}, {"unit": "share"}):
        assert apart(replace(RATIO, **without)) == ""


def test_the_answer_the_row_of_the_report_and_the_command_line_say_it() -> None:
    (one,) = answered("letters", [RATIO])
    assert one.answer.endswith(
        "95 % interval 1.05 to 1.90; p = 0.18, adjusted for 9 tests; n = 120 letters; the interval is for this one "
        "number; adjusted for 9 tests it does not stand out)."
    )
    assert verdicts([RATIO]) == [f"letters.lexicon.odds_ratio (agentic): {ALONE}"]
    assert f"Agentic words: male against female: {ALONE}" in report_of(RATIO)


@pytest.mark.parametrize("adjust", [with_holm, None])
def test_every_way_of_adjusting_counts_its_tests(adjust: object) -> None:
    family = [replace(RATIO, label=str(at), p=0.04, p_adjusted=None, adjust=None) for at in range(5)]
    adjusted = with_holm(family, f"{RATIO.id}, default, {len(family)} ratios")
    found = adjusted if adjust else with_benjamini_hochberg([*adjusted[:4], replace(adjusted[4], p=0.9)])
    for one in found:
        if one.p == 0.04 and (one.p_adjusted or 0) > 0.05:
            assert "adjusted for 5 tests" in apart(one)


# ---- levels and p in words


def test_another_level_than_95_stands_beside_its_interval_in_every_table() -> None:
    word = replace(RATIO, id="letters.word.odds_ratio", dims={"pos": "noun"}, p_adjusted=None, adjust=None, p=None,
                   interval=Interval(1.05, 1.9, 1 - 0.05 * 20 / 150, "bootstrap"))  # fmt: skip
    assert digits.level_beside(word.interval) == "99.33 %"
    assert digits.level_beside(RATIO.interval) == ""
    (one,) = answered("letters", [word])
    assert "99.33 % interval 1.05 to 1.90, for all of its kind at once; n = 120 letters)" in one.answer
    assert "1.05–1.90 at 99.33 %" in report_of(word)
    assert word.to_json()["interval"]["level"] == pytest.approx(0.99333, abs=1e-5)


@pytest.mark.parametrize("p", [0.0, 1e-300, 0.0004, 0.00099999])
def test_p_is_never_written_as_nothing(p: float) -> None:
    assert digits.p_value(p) == "p < 0.001"


def test_one_function_writes_p() -> None:
    """No other place of the program puts a p into a text: it would come to "p = 0.000" there some day."""
    root = Path(core.__file__).parents[1]
    sources = [path for room in ("core", "desktop") for path in (root / room).rglob("*.py") if path.name != "digits.py"]
    written = re.compile(r"\bp\s*[=<]\s*\{|\{[\w.]*\bp(_value|_adjusted|value)?:[^{}]*[efg%]\}")
    found = [f"{path.name}: {line.strip()}" for path in sources for line in path.read_text("utf-8").splitlines()
             if written.search(line)]  # fmt: skip
    assert found == []
