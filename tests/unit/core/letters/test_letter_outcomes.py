"""Outcomes of a pile's candidates: read from a table, joined to its letters, and told as rates with their ratios."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.letters.pile import PileRow
from biasprint.core.letters.pile.outcomes import (
    LIMITS_OF_RATES,
    Outcomes,
    SelectionRates,
    ToldOutcome,
    rates_said,
    read_outcomes,
    selection_rates,
    with_outcomes,
    without_said,
)
from biasprint.core.metrics.proportions import rate_ratio, wilson
from biasprint.core.swap import Person

LABELS = {"male": "Male", "female": "Female"}


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def letters(group: str, chosen: int, n: int) -> list[PileRow]:
    return [
        PileRow(f"{group}{place}.txt", f"{group}{place}.txt", group=group, outcome=place < chosen) for place in range(n)
    ]


def rates(rows: Sequence[PileRow]) -> SelectionRates:
    found = selection_rates(rows)
    assert found is not None
    return found


ROWS = (
    PileRow("a.docx", "2024/a.docx", Person("Kelly", "Moreno"), group="female"),
    PileRow("b.pdf", "b.pdf", Person("Joseph", "Costa"), group="male"),
    PileRow("b.pdf", "2024/b.pdf", Person("Zoe", "Novak")),
)


def test_a_letter_is_found_by_path_by_name_without_ending_and_by_candidate(tmp_path: Path) -> None:
    named = table(tmp_path / "out.csv", "File;Invited\nA;yes\nb.pdf;No\n2024/B.PDF;1\n")
    rows, remarks = with_outcomes(ROWS, read_outcomes(named))
    # “b.pdf” is a path in the pile, before it is the name of two files.
    assert [row.outcome for row in rows] == [True, False, True]
    assert remarks == ()
    by_name = table(
        tmp_path / "people.csv", "candidate,hired,gender\nkelly moreno,hired,Male\nZoe Novak,rejected,Non-binary\n"
    )
    rows, _ = with_outcomes(ROWS, read_outcomes(by_name))
    assert [(row.outcome, row.group) for row in rows] == [(True, "male"), (None, "male"), (False, "Non-binary")]


def test_what_does_not_fit_is_said_and_the_rest_is_used(tmp_path: Path) -> None:
    text = "file,outcome\na.docx,yes\ngone.docx,no\nb.pdf,perhaps\n,yes\na,no\n"
    found = read_outcomes(table(tmp_path / "out.csv", text))
    assert found.left_out == (
        "Row 3 (line 4): “perhaps” is neither yes nor no.", "Row 4 (line 5): it names no file and no candidate.",
    )  # fmt: skip
    rows, remarks = with_outcomes(ROWS, found)
    assert [row.outcome for row in rows] == [None, None, None]
    assert remarks[2:] == (
        "1 line of “out.csv” belongs to no letter here: “gone.docx”.",
        "“out.csv” contradicts itself, or fits several letters: “2024/a.docx”.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file,remark\na,b\n", "No column of “out.csv” was recognised as outcome"),
        ("outcome,remark\nyes,b\n", "does not say of which letter"),
        ("file,outcome\na,perhaps\n", "No outcome of “out.csv” can be used."),
        ("file,outcome\n", "has no rows below its header"),
        ("", "“out.csv” is empty."),
    ],
)
def test_a_table_without_outcomes_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(AppError, match=said):
        read_outcomes(table(tmp_path / "out.csv", text))


def test_rates_have_ratios_to_the_highest_with_intervals() -> None:
    found = rates([*letters("female", 12, 40), *letters("male", 20, 38)])
    high, low = found.rates
    assert (high.group, high.chosen, high.n, high.ratio, high.ratio_interval) == ("male", 20, 38, None, None)
    assert (low.group, low.rate) == ("female", 0.3)
    expected, of_rate = rate_ratio(12, 40, 20, 38).interval.bounds, wilson(12, 40)
    assert expected is not None
    assert of_rate is not None
    assert low.ratio_interval is not None
    assert (low.ratio_interval.low, low.ratio_interval.high) == (expected.low, expected.high)
    assert (low.interval.low, low.interval.high) == (of_rate.low, of_rate.high)
    assert rates_said(found, LABELS) == (
        "Of “Female” 30 % were chosen, 12 of 40: 0.57 (95 % interval 0.32–0.98) of the rate of “Male” "
        "(53 % were chosen, 20 of 38)."
    )


def test_a_ratio_that_chance_explains_is_said_to_be_one() -> None:
    said = rates_said(rates([*letters("female", 3, 10), *letters("male", 5, 10)]), LABELS)
    assert said.endswith("So many candidates do not tell whether the rates differ by more than chance.")


def test_a_candidate_counts_once_and_what_does_not_count_is_told() -> None:
    kelly = replace(ROWS[0], outcome=True)
    twice = [kelly, replace(kelly, path_in_pile="second.txt")]
    torn = [replace(ROWS[1], outcome=True), replace(ROWS[1], path_in_pile="other.txt", outcome=False)]
    copy = replace(kelly, path_in_pile="copy.txt", same_as="2024/a.docx")
    nobody = replace(kelly, path_in_pile="x.txt", group="")
    found = rates([*twice, *torn, copy, nobody, PileRow("y", "y", group="male"), *letters("male", 1, 4)])
    assert [(one.group, one.chosen, one.n) for one in found.rates] == [("female", 1, 1), ("male", 1, 4)]
    assert without_said(found) == (
        "Not counted: 1 letter (a copy), 1 letter (no group), 1 letter (no outcome), "
        "2 letters (contradicts another letter about the candidate)."
    )


def test_without_outcomes_groups_or_anybody_chosen_there_is_no_ratio() -> None:
    assert selection_rates(ROWS) is None
    assert "has a group" in rates_said(rates([PileRow("a", "a", outcome=True)]), {})
    assert "no second group" in rates_said(rates(letters("male", 2, 3)), LABELS)
    none = rates([*letters("female", 0, 5), *letters("male", 0, 5)])
    assert rates_said(none, LABELS) == "Nobody was chosen, so that there are no rates to compare."
    assert [one.ratio for one in none.rates] == [None, None]


def test_nothing_is_called_compliant() -> None:
    said = rates_said(rates([*letters("female", 8, 10), *letters("male", 9, 10)]), LABELS) + LIMITS_OF_RATES
    assert "complian" not in said.lower()


def test_many_lines_are_joined() -> None:
    rows = [PileRow(f"{place}.txt", f"folder/{place}.txt", group="male") for place in range(2_000)]
    found = Outcomes("t", tuple(ToldOutcome(place, f"{place}", "", place % 2 == 0, "") for place in range(2_000)))
    joined, remarks = with_outcomes(rows, found)
    assert (sum(row.outcome is True for row in joined), remarks) == (1_000, ())
