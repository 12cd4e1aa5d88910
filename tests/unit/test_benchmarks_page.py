"""The table of benchmarks: written by the script, with the text around it left as it is."""

import itertools
from pathlib import Path

import pytest
from benchmarks.ratios import (
    BEGIN,
    END,
    NOT_MEASURED,
    ROWS,
    Ratio,
    faster,
    keep,
    measured_in_turn,
    more,
    regressions,
    stored,
    with_rows,
)

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "docs" / "tables" / "benchmarks.md"
MOST_WORDS = 150  # of the text around the table
PAGE = "# How fast\n\nWritten by hand.\n\n## More\n\nAlso by hand.\n"
ROW = Ratio("κ of 100,000 | three raters", "12 ms", "statsmodels: 24 ms; results equal", 2.0, "2026-01-02, a machine")
OTHER = Ratio("Holm", "1 ms", "statsmodels: 3 ms", 3.0)
NAMES = (ROW.name, OTHER.name)


def test_a_row_comes_back_from_the_page_as_it_went_in() -> None:
    page = with_rows(PAGE, [ROW], NAMES[:1])
    assert stored(page) == {ROW.name: ROW}
    assert page.startswith(PAGE.rstrip())
    assert stored(PAGE) == {}


def test_a_row_without_a_figure_says_so_until_it_is_measured() -> None:
    page = with_rows(PAGE, [ROW], ("Holm", ROW.name))
    assert f"| Holm | {NOT_MEASURED} |" in page
    assert stored(page) == {ROW.name: ROW}
    assert list(stored(with_rows(page, [OTHER], ("Holm", ROW.name)))) == ["Holm", ROW.name]


def test_rows_that_were_not_measured_again_stay_and_so_does_the_text_around_them() -> None:
    before = f"# How fast\n\n{with_rows('', [ROW], NAMES).strip()}\n\n## By hand\n"
    after = with_rows(before, [OTHER], NAMES)
    assert list(stored(after).values()) == [ROW, OTHER]
    assert after.startswith("# How fast\n")
    assert after.endswith("\n\n## By hand\n")
    assert (after.count(BEGIN), after.count(END)) == (1, 1)


@pytest.mark.parametrize(("ratio", "reported"), [(1.61, False), (1.59, True), (4.0, False)])
def test_a_ratio_that_fell_by_more_than_a_fifth_is_reported(ratio: float, reported: bool) -> None:
    now = Ratio(ROW.name, "15 ms", "statsmodels: 24 ms", ratio)
    assert bool(regressions({ROW.name: ROW}, [now])) is reported
    assert regressions({}, [now]) == []


def test_the_end_of_a_run_says_what_is_below_one_what_became_worse_and_what_no_row_is(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(with_rows(PAGE, [ROW], NAMES[:1]), encoding="utf-8")
    slower = Ratio(ROW.name, "30 ms", "statsmodels: 24 ms", 0.8, "today")
    lines = "\n".join(keep(path, [slower, OTHER], NAMES[:1]))
    assert "1 of 1 rows of page.md were measured." in lines
    assert "Below 1: 1.\n  κ of 100,000 | three raters: 0.8 (statsmodels: 24 ms)" in lines
    assert "it was 2 (2026-01-02, a machine)" in lines
    assert "no row of the table:\n  Holm" in lines
    assert stored(path.read_text("utf-8")) == {ROW.name: slower}


def test_the_two_take_turns_and_the_ratio_is_the_median_of_rounds() -> None:
    order: list[str] = []
    clock = itertools.count()
    ours, theirs, found, expected = measured_in_turn(
        lambda: order.append("ours") or 1, lambda: order.append("peer") or 2, lambda: float(next(clock))
    )
    assert order == ["peer", "ours", "ours", "peer"] * 2 + ["peer", "ours"]
    assert (ours, theirs, found, expected) == ([1.0] * 5, [1.0] * 5, 1, 2)
    with pytest.raises(ValueError, match="rounds"):
        measured_in_turn(lambda: 1, lambda: 1, lambda: 0.0, rounds=4)
    # Round by round: 2, 3 and 8 times, not the medians of the two beside each other.
    assert faster("x", [1, 2, 1], "y", [2, 6, 8]).ratio == 3
    assert more("x", [10, 30, 20], "y", [20, 20, 20], "a second", "equal").against == "y: 20 a second; results equal"


def test_the_page_has_the_rows_of_the_table_and_few_words_around_them() -> None:
    page = BENCHMARKS.read_text(encoding="utf-8")
    assert with_rows(page, []) == page
    assert set(stored(page)) <= set(ROWS)
    assert len(set(ROWS)) == len(ROWS)
    assert len((page[: page.index(BEGIN)] + page[page.index(END) + len(END) :]).split()) <= MOST_WORDS
