"""A plan in rounds in the window: chosen when it is drawn, and grown by a button that says what is least known."""

from collections.abc import Callable
from pathlib import Path

import pytest
from compare_projects import Writing, haikus
from packet_files import answer, finished
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from raters_bench import PATIENCE, Bench

from biasprint.core.jobs import JobContext
from biasprint.core.judging.packets.make import make_packets
from biasprint.core.judging.packets.merge import merge_packets
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.judge.setup import SetupPage
from biasprint.desktop.widgets.labels import show_words

pytestmark = pytest.mark.usefixtures("read_at_once")
Open = Callable[[Path], Bench]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A plan in rounds of eight comparisons of two models, of which R01 has answered the first; R02's packet is out."""
    made = Writing(tmp_path / "rounds.biasprint")
    for model in ("one", "other"):
        haikus(made, model, samples=4)
    plan = made.draw("creativity", kind="model", adaptive=8, seed=1).plan_id
    first, _ = make_packets(JobContext(), made.project, plan_id=plan, codes=["R01", "R02"], folder=tmp_path)
    merge_packets(JobContext(), made.project, [finished(answer(first.path, *((at, "choice", 0) for at in range(8))))])
    made.project.close()
    return made.project.path


def question(qtbot: QtBot) -> Question:
    def there() -> list[Question]:
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, Question) and one.isVisible()]

    qtbot.waitUntil(lambda: bool(there()), timeout=PATIENCE)
    return there()[0]


def test_the_next_round_is_drawn_after_a_yes_and_its_packets_go_to_the_same_raters(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    bench = Bench(qtbot, window, path)
    bench.tab("plans")
    plans = bench.panel.plans
    bench.settle()
    assert plans.next_round.isEnabled(), (plans.writable, plans.plan)
    plans.next_round.click()
    asked = question(qtbot)
    words = " ".join(label.text() for label in asked.findChildren(QLabel))
    assert "Draw round 2?" in words
    assert "Round 2: 8 comparisons, drawn from 8 answers." in words
    assert "Packets of round 1 are still out (R02)." in words
    assert bench.project.judging.count(plans.plan.id) == 8, "nothing is drawn before the answer"
    asked.risky_button.click()
    bench.settle()
    assert bench.project.judging.count(plans.plan.id) == 16
    assert "(round 2)" in plans.plans.table.rows[0].cells[0]
    plans.make.click()
    bench.settle()
    assert bench.panel.packets.make.whom.text() == "R01, R02"


def test_buttons_stay_under_the_pointer_when_the_agreement_comes_late(
    qtbot: QtBot, window: MainWindow, path: Path
) -> None:
    bench = Bench(qtbot, window, path)
    bench.tab("plans")
    plans = bench.panel.plans
    bench.settle()
    assert not plans.agreement.isHidden()
    places = []
    for said in ("", plans.agreement.text()):
        show_words(plans.agreement, said)
        bench.settle()
        places.append([button.geometry() for button in (plans.make, plans.next_round, plans.rename)])
    assert places[0] == places[1]


def test_a_plan_that_was_drawn_at_once_offers_no_round(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    made = Writing(tmp_path / "once.biasprint")
    for model in ("one", "other"):
        haikus(made, model)
    made.draw("creativity", kind="model", per_axis=3, seed=1)
    made.project.close()
    bench = Bench(qtbot, window, made.project.path)
    bench.tab("plans")
    assert bench.panel.plans.next_round.isHidden()


def test_rounds_are_chosen_with_one_box_that_says_what_they_save(qtbot: QtBot) -> None:
    page = SetupPage()
    qtbot.addWidget(page)
    assert page.rounds_note.isHidden()
    page.rounds.click()
    assert not page.rounds_note.isHidden()
    assert "fewer comparisons than with random pairs" in page.rounds_note.text()
    assert page.per_axis_label.text() == "Per axis in a round"
