"""Word choice: which words are counted and compared, their ratios by hand, what is shown beside them."""

import json

import numpy as np
import pytest

from biasprint.core.findings import Finding
from biasprint.core.metrics.result import holm
from biasprint.core.studies.letters.gather import words_given
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.word_ratios import (
    PartWords,
    compared_words,
    in_categories,
    most_salient,
    part_words,
    shown,
    word_findings,
)

FILL = "We have seen this person in our house for a very long time and it was good. "


def study(
    texts: list[str], groups: list[str], blocks: list[str] | None = None, **more: object
) -> tuple[LettersTable, list[PartWords]]:
    table = letters_table(texts, groups, blocks=blocks or [], **more)  # type: ignore[arg-type]
    return table, part_words(texts, "pos_textblob")[0]


def matched(pairs: int, first: str, second: str) -> tuple[list[str], list[str], list[str]]:
    texts = [FILL + sentence for _ in range(pairs) for sentence in (first, second)]
    return texts, ["male", "female"] * pairs, [f"cell {i // 2}" for i in range(2 * pairs)]


def of(findings: list[Finding], variant: str = "default") -> dict[str, Finding]:
    return {each.label: each for each in findings if each.variant == variant}


def test_words_are_counted_letter_by_letter_without_case() -> None:
    texts = ["The Teacher praised a teacher.", "A gentle teacher had gentle teachers.", ""]
    (nouns, adjectives), english = part_words(texts, "pos_textblob")
    assert nouns.words == ("teacher", "teachers")
    assert nouns.counts.toarray().tolist() == [[2, 0], [1, 1], [0, 0]]
    assert nouns.totals.tolist() == [2, 2, 0]
    assert adjectives.counts.toarray().tolist() == [[0], [2], [0]]
    assert english.all()


def test_the_published_rule_wants_ten_in_both_and_the_default_ten_together() -> None:
    texts, groups, blocks = matched(12, "He is a teacher with courage. ", "She is a teacher with warmth. ")
    table, (nouns, _) = study(texts, groups, blocks)
    default = compared_words(nouns, table, ("male", "female"), "default")
    published = compared_words(nouns, table, ("male", "female"), "as_published")
    assert {"courage", "warmth", "teacher"} <= set(default.words)
    assert "teacher" in published.words
    assert not {"courage", "warmth"} & set(published.words)


def test_ratios_by_hand() -> None:
    # Nouns in each male letter: person, house, time, teacher, courage; in each female one: …, teacher, teacher.
    # “teacher” 12 of 60 male nouns, 24 of 60 female ones: (12/48) / (24/36) = .375; with ½: (12.5/48.5)/(24.5/36.5).
    texts, groups, blocks = matched(12, "He is a teacher with courage. ", "She is a teacher and a teacher. ")
    table, (nouns, _) = study(texts, groups, blocks)
    findings = word_findings(table, nouns, texts)
    assert of(findings, "as_published")["teacher"].estimate == pytest.approx(0.375)
    assert of(findings)["teacher"].estimate == pytest.approx((12.5 / 48.5) / (24.5 / 36.5))
    assert of(findings)["teacher"].dims == {"pos": "noun"}
    assert "12 times in letters of male, 24 in those of female" in of(findings)["teacher"].note


def test_a_word_of_one_group_alone_has_an_honest_interval() -> None:
    texts, groups, blocks = matched(30, "He is a person of courage. ", "She is a person of warmth. ")
    table, (nouns, _) = study(texts, groups, blocks)
    courage = of(word_findings(table, nouns, texts))["courage"]
    assert courage.estimate is not None
    assert courage.interval is not None
    # 30 against 0: the bootstrap alone cannot vary the 0 and would be narrow.
    assert courage.interval.high / courage.interval.low > 100
    assert courage.interval.low > 1


def test_p_is_adjusted_among_all_words_tested_and_it_says_that_words_were_chosen() -> None:
    rng = np.random.default_rng(1)
    words = ["teacher", "village", "garden", "music", "painter", "winter", "window", "river", "doctor", "market"]
    texts = [FILL + " ".join(f"We saw the {word}." for word in rng.permutation(words)[:6]) for _ in range(60)]
    table, (nouns, _) = study(texts, ["male", "female"] * 30, [str(i // 2) for i in range(60)])
    default = of(word_findings(table, nouns, texts))
    tested = compared_words(nouns, table, ("male", "female"), "default").words
    assert len(tested) > 10
    for each in default.values():
        assert each.adjust is not None
        assert each.adjust.family.endswith(f"default, {len(tested)} words")
        assert "shown for their ratios" in each.note
        assert each.p is not None
        assert each.p_adjusted is not None
        assert each.p_adjusted >= each.p
    # Holm's smallest is at least the number of words tested times the smallest p, if it is below 1.
    smallest = min(each.p for each in default.values() if each.p is not None)
    assert min(each.p_adjusted or 0 for each in default.values()) >= min(1.0, smallest)
    assert holm([smallest, *[1.0] * (len(tested) - 1)])[0] == pytest.approx(min(1.0, smallest * len(tested)))


def test_snippets_come_from_one_block_where_both_groups_use_the_word_there() -> None:
    first = ["A plain letter.", "He has a rare courage in storms."] * 6
    second = ["She has some courage in trade.", "She has quiet courage at sea."] * 6
    texts = [each for pair in zip(first, second, strict=True) for each in pair]
    table, (nouns, _) = study(texts, ["male", "female"] * 12, [str(i // 2) for i in range(24)])
    note = next(each.note for each in word_findings(table, nouns, texts) if each.label == "courage")
    assert "male: “He has a rare courage in storms.”; female: “She has quiet courage at sea.”" in note


def test_a_word_of_a_category_says_whom_it_harms() -> None:
    texts, groups, blocks = matched(12, "He is a teacher with leadership. ", "She is a teacher with a dog. ")
    table, (nouns, _) = study(texts, groups, blocks)
    found = of(word_findings(table, nouns, texts))["leadership"]
    assert "In the categories: leadership" in found.note
    assert "disadvantage of female" in found.harm


def test_three_groups_are_compared_two_by_two_in_one_family() -> None:
    texts = [FILL + f"They saw the {word}. " for _ in range(12) for word in ("teacher", "village", "garden")]
    table, (nouns, _) = study(texts, ["a", "b", "c"] * 12)
    default = [each for each in word_findings(table, nouns, texts) if each.variant == "default"]
    assert {each.groups for each in default} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert len({each.adjust.family for each in default if each.adjust}) == 1


def test_the_most_salient_are_the_extremes_above_and_below_one() -> None:
    ratios = np.array([0.1, -2.0, 3.0, 0.0, -0.5, 2.0])
    assert shown(ratios) == [2, 5, 0, 1, 4]
    high, low = most_salient(ratios[None], most=2)
    assert np.flatnonzero(high[0]).tolist() == [2, 5]
    assert np.flatnonzero(low[0]).tolist() == [1, 4]


def test_categories_of_single_words_follow_each_variant_s_rule() -> None:
    table = letters_table([""], ["male"])
    default = in_categories(["person", "son"], table.counted.lexicon, as_published=False)
    assert table.published is not None
    published = in_categories(["person", "son"], table.published.lexicon, as_published=True)
    assert default.any(axis=1).tolist() == [False, True]
    assert published.any(axis=1).tolist() == [True, True]  # “son” stands inside “person”


@pytest.mark.parametrize(
    ("texts", "groups", "reason"),
    [
        (["One letter with a teacher."], ["male"], "two groups"),
        (["One letter.", "Another letter."], ["male", "female"], "at least 10 times"),
        (["", ""], ["male", "female"], "at least 10 times"),
        (["", ""], ["", ""], "two groups"),
        (["teacher " * 30, "teacher " * 30], ["male", "female"], "more frequent"),
    ],
)
def test_bad_input_is_a_reason_and_never_a_number(texts: list[str], groups: list[str], reason: str) -> None:
    table, parts = study(texts, groups)
    found = word_findings(table, parts[0], texts)
    assert found
    for each in found:
        assert each.estimate is None
        assert reason in (each.reason or "")
        json.dumps(each.to_json(), allow_nan=False)


def test_a_seed_gives_the_same_numbers_again() -> None:
    texts, groups, blocks = matched(12, "He is a teacher with courage. ", "She is a teacher with warmth. ")
    table, (nouns, _) = study(texts, groups, blocks)
    assert word_findings(table, nouns, texts) == word_findings(table, nouns, texts)


def test_words_that_the_prompts_give_are_left_out_by_default_and_named() -> None:
    texts, groups, blocks = matched(12, "He is a chef with courage. ", "She is a chef with warmth. ")
    table, (nouns, _) = study(texts, groups, blocks)
    whole = {each.label for each in word_findings(table, nouns, texts) if each.variant == "default"}
    assert "courage" in whole
    found = word_findings(table, nouns, texts, {"courage", "chef"})
    default = [each for each in found if each.variant == "default"]
    assert "courage" not in {each.label for each in default}
    assert all("Left out, as the prompts give them: chef, courage." in each.note for each in default)


def test_prompts_give_groups_names_ages_and_occupations() -> None:
    rows = [
        {"group": "male", "gender": "male", "name": "Joseph Stone", "age": "20", "occupation": "Chef", "block": "x/20"},
        {"group": "female", "context": "She paints."},
    ]
    assert words_given(rows) == ["20", "chef", "female", "joseph", "male", "stone"]
