"""Judging in the self-test: the real panel, by its keys."""

from typing import TYPE_CHECKING

from desktop.self_test.hand import Hand
from desktop.self_test.telling import Failed

if TYPE_CHECKING:
    from desktop.panels.judge.panel import JudgePanel

KEYS = ("1", "2", "0", "X", "S", "1", "2", "1")  # two choices, a tie, none, a skip, and three choices


def judge(hand: Hand, panel: "JudgePanel", facts: list[str]) -> None:
    """As a rater does: start, press keys, look at the overview, reveal."""
    hand.wait(lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled(), "judging")
    panel.start.start.click()
    for number, key in enumerate(KEYS, start=1):
        hand.wait(lambda n=number: _is_on(panel, n), f"comparison {number}")
        hand.press(key)
    hand.wait(lambda: _is_on(panel, len(KEYS) + 1), "the next comparison")
    panel.progress_link.click()
    hand.wait(lambda: panel.pages.currentWidget() is panel.end and not panel.control.busy, "the overview")
    panel.end.reveal.click()
    panel.end.sure.click()
    hand.wait(lambda: panel.pages.currentWidget() is panel.reveal_page and not panel.control.busy, "the reveal")
    outcomes = [row.outcome for row in hand.project.judging.judgments()]
    if sorted(outcomes) != sorted(["choice"] * 5 + ["tie", "none", "skip"]):
        raise Failed(f"Other judgments are stored than were given: {outcomes}")
    facts.append(f"{len(KEYS)} comparisons by their keys, and revealed")


def _is_on(panel: "JudgePanel", number: int) -> bool:
    view = panel.control.view
    shown = panel.pages.currentWidget() is panel.work and not panel.control.busy
    return shown and view is not None and view.comparison is not None and view.comparison.ordinal == number
