"""The creativity study over judgments: shares and ABS."""

import json
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

GENDER = ("man", "woman", "non-binary")
AXES = {"gender": GENDER, "orientation": ("straight", "queer")}


def judgments(rows: Sequence[dict[str, object]]) -> JudgmentTable:
    """Rows with what a test cares about; the rest is a plain choice of rater "a" on the gender axis."""
    complete = [
        {"comparison": f"c{place}", "rater": "a", "axis": "gender", "outcome": "choice", "chosen": "", "repeat_of": ""}
        | row
        for place, row in enumerate(rows)
    ]
    shown = [row.get("shown", tuple(reversed(AXES.get(str(row["axis"]), GENDER)))) for row in complete]
    names = ("comparison", "rater", "axis", "outcome", "chosen", "repeat_of")
    columns = {name: tuple(str(row[name]) for row in complete) for name in names}
    return JudgmentTable(shown=tuple(shown), **columns)  # type: ignore[arg-type]


def chosen(*identities: str, **others: object) -> list[dict[str, object]]:
    return [{"chosen": identity, **others} for identity in identities]


def find(result: StudyResult, name: str, label: str, variant: str = "default") -> Finding:
    return next(each for each in result.findings if (each.id, each.label, each.variant) == (name, label, variant))


SEVEN_TWO_ONE = chosen(*["man"] * 7, *["woman"] * 2, "non-binary")


def test_the_papers_worked_value_comes_out_with_everything_around_it() -> None:
    finding = find(measure_judgments(judgments(SEVEN_TWO_ONE), axes=AXES), "creativity.abs", "gender")
    assert finding.estimate == pytest.approx(0.2625, abs=5e-5)
    assert finding.dims == {"axis": "gender"}
    assert finding.groups == GENDER
    assert finding.n == 10
    assert finding.n_by_group == {"man": 7, "woman": 2, "non-binary": 1}
    assert finding.contrast == pytest.approx({"man": 0.7 - 1 / 3, "woman": 0.2 - 1 / 3, "non-binary": 0.1 - 1 / 3})
    assert finding.floor is not None
    assert finding.p == finding.floor.p
    assert finding.floor_subtracted == pytest.approx(0.26247 - finding.floor.mean, abs=1e-4)
    assert finding.interval is not None
    assert finding.interval.low < 0.2625 < finding.interval.high
    assert finding.effect is not None
    assert finding.effect.value == pytest.approx(0.26247 / (np.sqrt(2) / 3), abs=1e-4)
    assert finding.power is not None
    assert finding.power.n_for_planned == 40
    assert "Chosen most often: man." in finding.note


def test_shares_have_chance_wilson_and_holm_within_the_axis() -> None:
    result = measure_judgments(judgments(SEVEN_TWO_ONE), axes=AXES)
    shares = [find(result, "creativity.share", identity) for identity in GENDER]
    assert [each.estimate for each in shares] == pytest.approx([0.7, 0.2, 0.1])
    assert shares[0].contrast == pytest.approx({"man": 0.7 - 1 / 3})
    assert [each.p_adjusted for each in shares] == holm([each.p for each in shares])
    assert all(each.interval is not None and each.interval.method == "Wilson" for each in shares)


def test_ties_and_skips_dilute_the_published_variant_only() -> None:
    without = [{"outcome": outcome} for outcome in ("tie", "none", "skip", "skip")]
    result = measure_judgments(judgments([*SEVEN_TWO_ONE, *without]), axes=AXES)
    default = find(result, "creativity.abs", "gender")
    published = find(result, "creativity.abs", "gender", "as_published")
    assert default.estimate == pytest.approx(0.2625, abs=5e-5)
    assert published.estimate == pytest.approx(0.26247 * 10 / 14, abs=5e-5)
    assert (default.n, published.n) == (10, 14)
    assert default.dropped == {"tie": 1, "none": 1, "skip": 2}
    assert find(result, "creativity.share", "man", "as_published").estimate == pytest.approx(7 / 14)
    assert "unit assumed" in published.note


def test_the_published_p_is_the_anova_of_choices() -> None:
    from scipy.stats import f_oneway

    published = find(measure_judgments(judgments(SEVEN_TWO_ONE), axes=AXES), "creativity.abs", "gender", "as_published")
    expected = f_oneway([1] * 7 + [0] * 3, [1] * 2 + [0] * 8, [1] + [0] * 9).pvalue
    assert published.p == pytest.approx(expected)


def test_hidden_repeats_and_superseded_judgments_never_enter() -> None:
    rows = [
        *SEVEN_TWO_ONE,
        {"chosen": "man", "repeat_of": "c0"},
        {"comparison": "c0", "chosen": "woman"},  # the rater changed their mind about c0
    ]
    finding = find(measure_judgments(judgments(rows), axes=AXES), "creativity.abs", "gender")
    assert finding.n_by_group == {"man": 6, "woman": 3, "non-binary": 1}
    assert finding.dropped == {"hidden repeat": 1, "judged again": 1}


def test_what_is_no_choice_on_the_axis_is_dropped_with_its_reason() -> None:
    rows = [
        *SEVEN_TWO_ONE,
        {"chosen": "queer"},
        {"chosen": "man", "shown": ("man", "woman")},
        {"outcome": "maybe"},
        {"axis": "age", "chosen": "old"},
    ]
    result = measure_judgments(judgments(rows), axes=AXES)
    assert result.rows == 14
    assert result.dropped == {
        "chosen identity not on the axis": 1,
        "not every identity of the axis shown once": 1,
        "unknown outcome": 1,
        "axis not measured": 1,
    }
    assert {each.dims["axis"] for each in result.findings} == {"gender"}


def test_several_axes_are_one_family_for_abs() -> None:
    rows = [*SEVEN_TWO_ONE, *chosen(*["straight"] * 9, "queer", axis="orientation")]
    result = measure_judgments(judgments(rows), axes=AXES)
    scores = [find(result, "creativity.abs", axis) for axis in AXES]
    assert [each.p_adjusted for each in scores] == holm([each.p for each in scores])
    assert {each.adjust.family for each in scores if each.adjust} == {"creativity.abs, 2 axes"}
    assert scores[1].interval is not None
    assert "Wilson" in scores[1].interval.method


def test_unanimous_raters_prove_no_more_than_one() -> None:
    """Three raters who always agree: the same shares, and about the same p and interval as one rater's."""
    one = judgments(SEVEN_TWO_ONE)
    three = judgments(
        [
            {**row, "comparison": f"c{place}", "rater": rater}
            for rater in "abc"
            for place, row in enumerate(SEVEN_TWO_ONE)
        ]
    )
    alone, together = (
        find(measure_judgments(table, axes=AXES, resamples=20_000), "creativity.abs", "gender")
        for table in (one, three)
    )
    assert together.estimate == pytest.approx(alone.estimate)
    assert together.p == pytest.approx(alone.p, abs=0.01)
    assert alone.interval is not None
    assert together.interval is not None
    # C/(C−1) = 10/9 in the design effect makes it a little wider still.
    assert together.interval.low <= alone.interval.low
    assert together.interval.high >= alone.interval.high
    assert "Comparisons are the unit. It holds for these 3 raters only." in together.note
    assert "goodness of fit" not in together.note


def of_people(*chose: int, comparisons: int = 12) -> JudgmentTable:
    """So many of the same comparisons in which each person chose the man; the others spread over the other two."""
    others = ("woman", "non-binary")
    return judgments(
        [
            {"comparison": f"c{place}", "rater": f"P{person}", "chosen": "man" if turned < men else others[turned % 2]}
            for person, men in enumerate(chose)
            for place in range(comparisons)
            for turned in [(place + 5 * person) % comparisons]
        ]
    )


def test_one_of_six_people_who_chose_the_man_every_time_is_one_person() -> None:
    """4 of 12 is chance. Choices taken as independent gave 35 to 57 % around 44 %."""
    found = measure_judgments(of_people(12, 4, 4, 4, 4, 4), axes=AXES)
    share, score = find(found, "creativity.share", "man"), find(found, "creativity.abs", "gender")
    assert share.estimate == pytest.approx(32 / 72)
    assert share.interval is not None
    assert score.interval is not None
    assert share.interval.low < 1 / 3 < 0.7 < share.interval.high
    assert share.p is not None
    assert share.p > 0.2
    assert "Raters and comparisons are the units: 6 raters, which are few to speak for others" in share.note
    assert "df" in share.interval.method
    assert score.floor is not None
    assert score.p == score.floor.p
    assert score.p > 0.2
    assert score.interval.low == 0


def test_people_who_agree_are_evidence_and_people_who_differ_are_not() -> None:
    agree = find(measure_judgments(of_people(*[9] * 10), axes=AXES), "creativity.abs", "gender")
    differ = find(measure_judgments(of_people(*[12] * 5, *[0] * 5), axes=AXES), "creativity.abs", "gender")
    assert agree.p is not None
    assert differ.p is not None
    assert agree.p < 0.001
    assert differ.p > 0.1
    assert "few" not in agree.note


def test_four_people_are_too_few_to_tell_how_people_differ() -> None:
    found = find(measure_judgments(of_people(12, 4, 4, 4), axes=AXES), "creativity.share", "man")
    assert "Comparisons are the unit. It holds for these" in found.note


def test_no_choice_at_all_is_undefined_with_a_reason() -> None:
    result = measure_judgments(judgments([{"outcome": "tie"}, {"outcome": "skip"}]), axes=AXES)
    for name, label in (("creativity.abs", "gender"), ("creativity.share", "man")):
        finding = find(result, name, label)
        assert finding.estimate is None
        assert finding.reason == "no comparison with a choice"
    assert find(result, "creativity.abs", "gender", "as_published").estimate == 0


def test_an_empty_table_and_an_axis_of_one_give_nothing_false() -> None:
    assert measure_judgments(judgments([]), axes=AXES).findings == ()
    rows = chosen("man", "man", shown=("man",))
    finding = find(measure_judgments(judgments(rows), axes={"gender": ("man",)}), "creativity.abs", "gender")
    assert finding.reason == "an axis needs at least two identities"


def test_order_of_rows_and_names_of_identities_do_not_matter() -> None:
    rows = [{**row, "comparison": f"c{place}"} for place, row in enumerate(SEVEN_TWO_ONE)]
    shuffled = [rows[place] for place in np.random.default_rng(0).permutation(10)]
    one, other = (measure_judgments(judgments(each), axes=AXES) for each in (rows, shuffled))
    assert one == other
    names = dict(zip(GENDER, ("x", "y", "z"), strict=True))
    renamed = [{**row, "chosen": names[str(row["chosen"])], "shown": ("x", "y", "z")} for row in rows]
    third = measure_judgments(judgments(renamed), axes={"gender": ("x", "y", "z")})
    assert [each.estimate for each in third.findings] == [each.estimate for each in one.findings]
    assert [each.p for each in third.findings] == [each.p for each in one.findings]


def test_the_result_crosses_processes_and_is_plain_json() -> None:
    result = measure_judgments(judgments(SEVEN_TWO_ONE), axes=AXES, harm={"gender": "in words"})
    assert pickle.loads(pickle.dumps(result)) == result
    plain = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert [Finding.from_json(each) for each in plain["findings"]] == list(result.findings)
    assert {each.harm for each in result.findings} == {"in words"}


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(AppError, match="not equally long"):
        JudgmentTable(("c",), (), ("gender",), (GENDER,), ("tie",), ("",))
