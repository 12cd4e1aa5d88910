"""Going to a panel that names identities, whoever is in the middle of rating: the question is answered with a look."""

from pytestqt.qtbot import QtBot

from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow

PATIENCE = 60_000


def show_anyway(qtbot: QtBot, window: MainWindow, key: str) -> None:
    window.show_panel(key)

    def questions() -> list[Question]:
        return [one for one in window.findChildren(Question) if one.isVisible()]

    qtbot.waitUntil(lambda: window.current == key or bool(questions()), timeout=PATIENCE)
    for question in questions():
        question.risky_button.click()
    qtbot.waitUntil(lambda: window.current == key, timeout=PATIENCE)
