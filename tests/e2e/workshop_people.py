"""A project to hold a workshop with, in which every hidden name occurs nowhere else, and what people do in one."""

import threading
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import AxisSpec, GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec
from biasprint.core.runs.compare import compare
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.workshop.room import WorkshopRoom

IDENTITIES = {
    "zqhallidentone": "Zqhalllabelone",
    "zqhallidenttwo": "Zqhalllabeltwo",
    "zqhallidentthree": "Zqhalllabelthree",
}
MARKS = {
    "zqhallidentone": "A",
    "zqhallidenttwo": "Another",
    "zqhallidentthree": "One",
}  # with what the texts of each begin
# A process that computes is polite: where others leave little of the processor, it is minutes until it has started.
PATIENCE = 200_000
CONSENT = "You may stop at any time."


def make_project(path: Path, *, comparisons: int = 20, workshop: bool = True, consent: str = "") -> None:
    """Haiku on so many themes for each identity, and a workshop's plan over them."""
    themes = [f"thing{number}" for number in range(comparisons)]
    with Project.create(path) as project:
        study = project.studies.add("creativity", "Creativity").number("study")
        identities = [{"key": key, "label": label} for key, label in IDENTITIES.items()]
        project.axes.add(AxisSpec(key="zqhallaxis", title="Zqhallaxistitle", definition={"identities": identities}))
        prompts = tuple(
            PromptSpec(
                key=f"zqhallprompt/{place}/{name}",
                text=f"zqhallprompt {name}",
                task="haiku",
                theme=place,
                axis="zqhallaxis",
                identity=name,
            )
            for place in themes
            for name in IDENTITIES
        )
        set_id = project.prompts.add_set(study, PromptSetSpec(name="zqhallset", recipe={}, prompts=prompts))
        generator = project.runs.add_generator(GeneratorSpec(backend="synthetic", model="zqhallmodel"))
        run = project.runs.start(
            RunSpec(
                study_id=study,
                prompt_set_id=set_id.number("prompt_set"),
                generator_id=generator.number("generator"),
                seed=1,
            )
        ).number("run")
        for row in project.prompts.page(set_id.number("prompt_set"), 0, 1_000):
            text = f"{MARKS[row.identity]} haiku of {row.theme},\nthe line that says it again,\nand number {row.id}."
            project.outputs.record(OutputSpec(run_id=run, prompt_id=row.id, sample=0, seed=0, text=text)).result()
        if workshop:
            compare(
                JobContext(), project, study_id=study, axes=["zqhallaxis"], seed=2, workshop=True, consent_text=consent
            )


class People:
    """The window, and what the people in a workshop do there: keys where they are, clicks elsewhere."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot = qtbot
        self.window = window
        self.clicks = 0

    def wait(self, until: Callable[[], Any]) -> None:
        self.qtbot.waitUntil(lambda: bool(until()), timeout=PATIENCE)

    def settle(self) -> None:
        """Until no job's thread is left: one that has told its result still has a moment to live, with what it told."""
        self.wait(lambda: not any(one.name == "job" for one in threading.enumerate()))
        QApplication.processEvents()  # the end of the last one is told by an event

    def click(self, widget: QWidget) -> None:
        assert widget.isVisible()
        assert widget.isEnabled()
        self.clicks += 1
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def press(self, key: str | Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key where the keyboard is; then what it brings, if anything."""
        if QApplication.focusWidget() is None:  # off screen no window manager gives it back after a dialog
            self.window.activateWindow()
        QTest.keyClick(QApplication.focusWidget() or self.window.focusWidget() or self.window, key, modifier)
        if self.room is not None and self.room.seat is not None:
            self.wait(lambda: self.room is None or self.room.seat is None or not self.room.seat.control.busy)

    @property
    def room(self) -> WorkshopRoom | None:
        return self.window.kiosk

    @property
    def page(self) -> QWidget | None:
        return self.room.pages.currentWidget() if self.room is not None else None

    @property
    def seat(self) -> Any:
        assert self.room is not None
        assert self.room.seat is not None
        return self.room.seat

    def hold(self, pin: str = "") -> None:
        """Begin a workshop from the fingerprint panel, as whoever leads it does."""
        self.window.show_panel("fingerprint")
        setup = self.setup()
        self.wait(lambda: setup.start.isEnabled())
        setup.pin.setText(pin)
        self.click(setup.start)
        self.wait(lambda: self.page is not None and self.page is self.room.welcome)  # type: ignore[union-attr]

    def setup(self) -> Any:
        """The page that sets a workshop up."""
        from biasprint.desktop.panels.workshop.setup import WorkshopSetup

        panel = self.window.panels["fingerprint"]
        panel.offer_workshop()
        return panel.findChild(WorkshopSetup)

    def sit_down(self) -> None:
        assert self.room is not None
        self.wait(lambda: self.page is self.room.welcome)  # type: ignore[union-attr]
        self.press(Qt.Key.Key_Return)
        self.wait(lambda: self.room.seat is not None and self.page is self.room.seat)  # type: ignore[union-attr]

    def judge(self, choose: Callable[[Sequence[str]], int], most: int = 1_000) -> None:
        """Choose by the texts, with the keys 1, 2 and 3, until nothing is left or so many were judged."""
        while self.seat.pages.currentWidget() is self.seat.work and most > 0:
            texts = [card.reading.text() for card in self.seat.work.cards.shown]
            self.press("123"[choose(texts)])
            most -= 1

    def see(self) -> None:
        """To one's own picture."""
        self.press(Qt.Key.Key_Return)
        self.wait(lambda: self.seat.picture.pages.currentWidget() is self.seat.picture.view)

    def rate_all(self, choose: Callable[[Sequence[str]], int]) -> None:
        self.sit_down()
        self.judge(choose)
        self.see()

    def next_person(self) -> None:
        self.click(self.seat.picture.done)
        self.wait(lambda: self.page is self.room.welcome)  # type: ignore[union-attr]

    def leave(self, pin: str = "") -> None:
        """Out of the workshop, to the page of who leads it."""
        from biasprint.desktop.panels.workshop.room import LeaveDialog

        self.window.close()
        dialog = self.room.findChild(LeaveDialog)  # type: ignore[union-attr]
        assert dialog is not None
        dialog.pin.setText(pin)
        self.click(dialog.leave)

    def counts(self) -> str:
        assert self.room is not None
        room = self.room
        self.wait(lambda: room.facilitator.counts.text() not in ("", "Counting…"))
        return room.facilitator.counts.text()


def always_one(texts: Sequence[str]) -> int:
    """A preference for texts that were written for the first identity."""
    return next(index for index, text in enumerate(texts) if text.startswith(f"{MARKS['zqhallidentone']} "))


def in_turn() -> Callable[[Sequence[str]], int]:
    """No preference: the identities in turn, wherever their texts stand."""
    marks = cycle(MARKS.values())

    def choose(texts: Sequence[str]) -> int:
        mark = next(marks)
        return next(index for index, text in enumerate(texts) if text.startswith(f"{mark} "))

    return choose
