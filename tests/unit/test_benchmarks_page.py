"""The ratios of the benchmarks' page: kept by the script, with what was written by hand around them."""

import itertools
from pathlib import Path

import pytest
from benchmarks.ratios import BEGIN, END, Ratio, faster, keep, measured_in_turn, more, regressions, stored, with_rows

PAGE = "# How fast\n\nWritten by hand.\n\n## More\n\nAlso by hand.\n"
ROW = Ratio(
    "κ of 100,000 | three raters", "12 ms", "statsmodels", "24 ms", 2.0, 5, "within 1e-12", "2026-01-02, a machine"
)


def test_a_row_comes_back_from_the_page_as_it_went_in() -> None:
    page = with_rows(PAGE, [ROW])
    assert stored(page) == {ROW.name: ROW}
    assert page.startswith(PAGE.rstrip())
    assert stored(PAGE) == {}


def test_rows_that_were_not_measured_again_stay_and_the_hand_written_part_stays_around_them() -> None:
    before = f"# How fast\n\n{with_rows('', [ROW]).strip()}\n\n## By hand\n"
    other = Ratio("Holm", "1 ms", "statsmodels", "3 ms", 3.0, 5)
    after = with_rows(before, [other])
    assert list(stored(after).values()) == [ROW, other]
    assert after.startswith("# How fast\n")
    assert after.endswith("\n\n## By hand\n")
    assert (after.count(BEGIN), after.count(END)) == (1, 1)


@pytest.mark.parametrize(("ratio", "told"), [(1.61, False), (1.59, True), (4.0, False)])
def test_a_ratio_is_told_that_fell_by_more_than_a_fifth(ratio: float, told: bool) -> None:
    now = Ratio(ROW.name, "15 ms", "statsmodels", "24 ms", ratio, 5)
    assert bool(regressions({ROW.name: ROW}, [now])) is told
    assert regressions({}, [now]) == []


def test_what_is_behind_and_what_became_worse_is_said_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(with_rows(PAGE, [ROW]), encoding="utf-8")
    told = "\n".join(keep(path, [Ratio(ROW.name, "30 ms", "statsmodels", "24 ms", 0.8, 5, "", "today")]))
    assert "behind statsmodels (0.8 times)" in told
    assert "it was 2 (2026-01-02, a machine)" in told
    assert stored(path.read_text("utf-8"))[ROW.name].measured == "today"


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
    assert more("x", [10, 30, 20], "y", [20, 20, 20], "a second").ratio == 1
