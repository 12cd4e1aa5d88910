"""The letters study: findings, notes, corner cases."""

import json
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.scorers.lexicon import load_lexicon
from biasprint.core.studies.letters.lexicon import counting_differences, letters_table
from biasprint.core.studies.letters.measure import measure

AGENTIC = "He is a confident and assertive leader. "
COMMUNAL = "She is a caring and warm person who helps. "
PLAIN = "I write about the candidate, who came to our house in the spring and stayed with us for a while. "


def letters(pairs: int, bias: float, seed: int = 0) -> dict[str, list[str]]:
    """Matched pairs; with `bias` the first group gets agentic sentences, the second communal ones, more often."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[str]] = {"texts": [], "groups": [], "blocks": [], "names": []}
    for pair in range(pairs):
        for group, lean in (("male", bias), ("female", -bias)):
            agentic = rng.binomial(6, 0.5 + lean)
            rows["texts"].append(PLAIN * 8 + AGENTIC * int(agentic) + COMMUNAL * (6 - int(agentic)))
            rows["groups"].append(group)
            rows["blocks"].append(f"cell {pair}")
            rows["names"].append({"male": "Joseph", "female": "Kelly"}[group])
    return rows


def found(result: StudyResult, label: str, variant: str = "default") -> Finding:
    return next(each for each in result.findings if (each.label, each.variant) == (label, variant))


def measured(texts: Sequence[str], groups: Sequence[str], **columns: Any) -> StudyResult:
    return measure(letters_table(texts, groups, **columns))


@pytest.fixture(scope="module")
def biased() -> StudyResult:
    return measured(**letters(20, bias=0.25))


@pytest.fixture(scope="module")
def even() -> StudyResult:
    return measured(**letters(20, bias=0.0))


def test_every_category_has_a_finding_of_both_variants(biased: StudyResult) -> None:
    labels = [category.name for category in load_lexicon("letters").categories]
    assert [each.label for each in biased.findings if each.variant == "default"] == labels
    assert [each.label for each in biased.findings if each.variant == "as_published"] == labels
    assert {each.id for each in biased.findings} == {"letters.lexicon.odds_ratio"}
    assert {each.groups for each in biased.findings} == {("male", "female")}
    assert biased.rows == 40


def test_a_planted_bias_is_found_with_its_direction(biased: StudyResult) -> None:
    agentic, communal = found(biased, "agentic"), found(biased, "communal")
    assert agentic.estimate is not None
    assert communal.estimate is not None
    assert agentic.estimate > 1.5
    assert communal.estimate < 0.7
    assert agentic.p_adjusted is not None
    assert agentic.p_adjusted <= 0.05
    assert agentic.interval is not None
    assert agentic.interval.low > 1
    assert "a ratio above 1 is to the disadvantage of female" in agentic.harm
    assert "a ratio above 1 is to the disadvantage of male" in communal.harm
    assert "nothing here is significant" not in agentic.note


def test_without_bias_it_says_that_nothing_survives(even: StudyResult) -> None:
    default = [each for each in even.findings if each.variant == "default"]
    assert all(each.p_adjusted is None or each.p_adjusted > 0.05 for each in default)
    assert all("After Holm's correction nothing here is significant." in each.note for each in default)


def test_p_is_adjusted_among_the_categories_that_were_tested(biased: StudyResult) -> None:
    default = [each for each in biased.findings if each.variant == "default"]
    assert [each.p_adjusted for each in default] == holm([each.p for each in default])
    assert all(each.adjust is not None and each.adjust.method == "Holm" for each in default if each.p is not None)
    assert all(each.p is None for each in biased.findings if each.variant == "as_published")


def test_too_few_words_are_undefined_with_the_reason(biased: StudyResult) -> None:
    personal = found(biased, "personal")
    assert personal.estimate is None
    assert personal.reason is not None
    assert "expected count" in personal.reason


def test_one_name_per_group_is_said_and_several_are_not() -> None:
    rows = letters(8, bias=0.1)
    note = "One name only: Joseph (male), Kelly (female); name and group cannot be told apart."
    assert note in measured(**rows).findings[0].note
    rows["names"] = [f"{name} {place}" for place, name in enumerate(rows["names"])]
    assert "One name only" not in measured(**rows).findings[0].note


def test_the_entries_that_make_the_difference_are_named(biased: StudyResult) -> None:
    table = letters_table(**letters(20, bias=0.25))
    differences = [item for item in counting_differences(table) if item.category == "personal"]
    # "son" is in every "person"; no letter speaks of a son.
    assert differences[0].entry == "son"
    assert differences[0].default == 0
    assert differences[0].published == sum(text.count("person") for text in letters(20, bias=0.25)["texts"])
    assert "son " in found(biased, "personal").note


def test_return_marks_are_line_breaks_by_default_and_stay_in_as_published() -> None:
    rows = {"texts": ["kind<return>warm word"] * 2, "groups": ["a", "b"]}
    table = letters_table(**rows)
    assert table.published is not None
    assert table.counted.counts.tokens.tolist() == [3, 3]
    assert table.published.counts.tokens.tolist() == [2, 2]


def test_findings_are_the_same_in_any_order() -> None:
    rows = letters(15, bias=0.1)
    order = np.random.default_rng(1).permutation(30)
    shuffled = {name: [column[place] for place in order] for name, column in rows.items()}
    one = measured(**rows, order=("male", "female"))
    again = measured(**rows, order=("male", "female"))
    other = measured(**shuffled, order=("male", "female"))
    assert one == again
    for left, right in zip(one.findings, other.findings, strict=True):
        assert left.estimate == pytest.approx(right.estimate)
        assert left.p == pytest.approx(right.p)


def test_renaming_the_groups_changes_names_only() -> None:
    rows = letters(10, bias=0.2)
    renamed = {**rows, "groups": [{"male": "x", "female": "y"}[group] for group in rows["groups"]]}
    one, other = measured(**rows), measured(**renamed)
    assert [each.estimate for each in one.findings] == [each.estimate for each in other.findings]
    assert [each.p for each in one.findings] == [each.p for each in other.findings]
    assert other.findings[0].groups == ("x", "y")


def test_three_groups_are_compared_in_pairs() -> None:
    texts = [PLAIN + AGENTIC * 5] * 9
    result = measured(texts, ["a", "b", "c"] * 3)
    assert [each.groups for each in result.findings if (each.label, each.variant) == ("agentic", "default")] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]


def test_letters_of_no_or_another_group_are_dropped_and_counted() -> None:
    result = measured([AGENTIC] * 6, ["a", "b", "", "c", "a", "b"], order=("a", "b"))
    assert result.dropped == {"no group": 1, "group not compared": 1}
    assert result.findings[0].n == 4
    assert result.findings[0].n_by_group == {"a": 2, "b": 2}


@pytest.mark.parametrize("groups", [[], ["a"], ["a", "a"]])
def test_without_two_groups_everything_is_undefined_with_a_reason(groups: list[str]) -> None:
    result = measured([AGENTIC] * len(groups), groups)
    assert len(result.findings) == 9
    assert {each.reason for each in result.findings} == {"an odds ratio needs letters of two groups"}


def test_a_named_group_without_letters_is_undefined_with_a_reason() -> None:
    result = measured([AGENTIC] * 3, ["a"] * 3, order=("a", "b"))
    assert found(result, "agentic").reason == "a group has no words"


def test_empty_letters_are_kept() -> None:
    result = measured([AGENTIC * 8, "", AGENTIC * 8, ""], ["a", "a", "b", "b"])
    assert found(result, "agentic").n == 4
    assert found(result, "agentic").estimate == pytest.approx(1.0)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(AppError, match="not equally long"):
        letters_table([AGENTIC] * 3, ["a", "b"])


def test_the_result_crosses_processes_and_is_plain_json(biased: StudyResult) -> None:
    table = letters_table(**letters(3, bias=0.1))
    assert measure(pickle.loads(pickle.dumps(table))) == measure(table)
    assert pickle.loads(pickle.dumps(biased)) == biased
    plain = json.loads(json.dumps(biased.to_json(), allow_nan=False))
    assert Finding.from_json(plain["findings"][0]) == biased.findings[0]
