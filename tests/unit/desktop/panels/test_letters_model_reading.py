"""The dialog in which a language model reads the letter shows what it names, and says what was left out."""

from types import SimpleNamespace

from letters_scene import PATIENCE
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from biasprint.core.letters import ModelReading, ReadingRequest
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.values import Mark
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters.generator_dialog import ModelReadingDialog
from biasprint.desktop.widgets import Label

READING = ModelReading(
    "a model (llama_cpp)",
    (Mark("health", 0, 11, 0, "her bad hip", "an ailment", "", passage=True),),
    {"not in the letter's text": 2}, "…", "stop", "abc",
)  # fmt: skip


def test_a_models_reading_is_shown_beside_the_programs_own(window: MainWindow, qtbot: QtBot) -> None:
    letter = read_pasted("I have worked with Maria Kowalski for six years, and she never complains about her bad hip.")
    about = Checked(LetterRequest(letter, ReadingRequest()), read_letter(letter, ReadingRequest()), {})
    dialog = ModelReadingDialog(window, about, window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: dialog.picker.info is not None, timeout=PATIENCE)
    ready = SimpleNamespace(why_not=lambda offline: "no model is chosen", info=dialog.picker.info)
    dialog.picker, before = ready, dialog.picker  # type: ignore[assignment]
    assert dialog.reason() == "no model is chosen"
    dialog.picker = before
    dialog._done(READING)
    assert "2 of its lines were left out" in dialog.summary.text()
    assert "counts nowhere" in dialog.summary.text()
    assert [label.text() for label in dialog.page.findChildren(Label)] == ["Health (1)", "“her bad hip”: an ailment"]
    assert not dialog.passages.isHidden()
    dialog.close()
