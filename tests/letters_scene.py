"""A letter for the tests of the letters panel, and ways to put it there."""

from collections.abc import Callable
from typing import cast

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.values import Document
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters import LettersPanel

PATIENCE = 90_000  # milliseconds: the first reading loads the scorers
CANARY = "Quillfeather"

LETTER = f"""North Street Print Studio

To whom it may concern,

I have worked with Kelly {CANARY} for four years. Kelly is a warm and caring colleague. In 2021 she led the \
restoration of the lithography press and secured its funding.

She received the national prize for graphic art twice. As a mother of two, Kelly balances the studio and her family. \
With some guidance she might become an exceptional artist.

I recommend our artist for the residency.

Sincerely,

Jonas Field"""
CV = (
    f"Kelly {CANARY}, artist. Led the restoration of the lithography press, 2021. Secured the funding of the press. "
    "Lives in Leeds with two children."
)


def without_marking(patch: pytest.MonkeyPatch) -> None:
    """Nothing is made ready, and no letter is marked before it is read: most tests are about its reading."""

    def check_words(ctx: JobContext, request: LetterRequest) -> Checked:
        raise AppError("No letter is marked before it is read here.")

    patch.setattr(letters, "check_words", check_words)
    for warm in ("warm_up", "warm_up_words"):
        patch.setattr(letters, warm, lambda: Operation("", lambda ctx: None, quiet=True))


def panel_of(window: MainWindow) -> LettersPanel:
    """The letters panel, in front."""
    window.show_panel("letters")
    return cast(LettersPanel, window.panels["letters"])


def opened(qtbot: QtBot, window: MainWindow, text: str = LETTER) -> LettersPanel:
    """The panel with a letter that has been read."""
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(text))
    return panel


def read_after(qtbot: QtBot, panel: LettersPanel, act: Callable[[], object]) -> None:
    """Do something and wait for the reading that follows."""
    with qtbot.waitSignal(panel.review.check.seen, timeout=PATIENCE):
        act()


def with_cv(qtbot: QtBot, panel: LettersPanel) -> None:
    read_after(qtbot, panel, lambda: panel.review.set_context(Document("cv.docx", "docx", (CV,))))


def kinds(panel: LettersPanel) -> list[str]:
    """The kinds of the marks that are drawn."""
    return [mark.kind for mark in panel.review.board.letter.text.marks()]


def words(panel: LettersPanel, kind: str) -> list[str]:
    """What marks of a kind stand under."""
    text = panel.review.board.letter.text
    return [text.text()[mark.start : mark.end] for mark in text.marks() if mark.kind == kind]
