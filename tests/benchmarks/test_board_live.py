"""The live board is brought up to date ten times a second beside a run, and neither the window nor the run minds."""

from pathlib import Path

import pytest
from board_project import WANTED, with_letters
from children import answer_of
from figures import at_least, at_most, figure, spread, title

pytestmark = pytest.mark.bench

FRAME_MILLISECONDS, LONGEST_MILLISECONDS = 16.0, 50.0
UPDATES_PER_SECOND = 10.0
GROWTH = 1.05  # of the memory, from the middle of 10,000 letters to their end: nothing is kept of a text
KEPT_RATE = 0.95
KEY_MILLISECONDS = (
    5.0  # that a key press may take longer beside a board than without one: less than the clock's own noise
)


def test_ten_thousand_letters_come_to_a_board(tmp_path: Path) -> None:
    path = tmp_path / "letters.biasprint"
    with_letters(path)
    answer = answer_of("board_live.py", path)
    arriving, rates = answer["arriving"], answer["rates"]
    own, clock = spread(arriving["own"]), spread(arriving["clock"])
    title(f"Live board, {answer['texts']:,} letters, 200 a second asked for, in {answer['seconds']:.0f} s")
    figure("window's thread held by its own work", own, f"ms; p99 {own.p99:.1f}")
    figure("the same by the clock", clock, f"ms; p99 {clock.p99:.1f}")
    for part, took in arriving["parts"].items():
        if took:
            figure(f"    {part}", spread(took), "ms")
    opening = spread(answer["opening"]["own"])
    figure("opening of the board, longest hold by own work", opening.max, "ms")
    figure("memory at the start, each quarter and the end", spread(answer["memory"]), "MB")
    with_board, without = spread(rates["with"]), spread(rates["without"])
    figure("texts a second of a model of 50 ms a text, no board", without, "")
    figure("the same beside the board", with_board, "")
    at_least("letters that came", answer["texts"], 10_000, "")
    assert answer["texts"] <= WANTED
    updates = len(arriving["parts"]["reading shown"]) / answer["seconds"]
    at_least("updates of the board", updates, UPDATES_PER_SECOND, "a second")
    row = "live board, 10,000 letters: window's thread held in one turn, p99"
    at_most("hold by own work, p99", own.p99, FRAME_MILLISECONDS, "ms", row)
    at_most("hold by own work, longest", own.max, LONGEST_MILLISECONDS, "ms")
    at_most("memory at the end beside that at the middle", answer["memory"][-1] / answer["memory"][2], GROWTH, "times")
    at_least("rate of writing beside that without a board", with_board.median / without.median, KEPT_RATE, "times")


def test_a_key_press_while_judging_does_not_mind_a_board_that_was_watched(tmp_path: Path) -> None:
    from large_projects import with_comparisons

    path = tmp_path / "judged.biasprint"
    with_comparisons(path, 2_000)
    title("Key to the next comparison painted, a run writing 20 texts a second")
    found = {}
    for before in ("none", "board", "none again", "board again"):
        copy = path.with_name(f"{before}.biasprint")
        copy.write_bytes(path.read_bytes())
        found[before] = spread(answer_of("board_keys.py", copy, before.split()[0])["alone"])
        figure(f"board watched before: {before}", found[before], f"ms; p99 {found[before].p99:.1f}")
    without = min(found["none"].median, found["none again"].median)
    beside = min(found["board"].median, found["board again"].median)
    at_most("median with a board, beyond that without", max(0.0, beside - without), KEY_MILLISECONDS, "ms")
