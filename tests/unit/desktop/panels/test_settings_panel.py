"""The settings panel is built from the description; what is chosen holds at once."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop import theme
from biasprint.desktop.app import command_again, environment_again
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS
from biasprint.desktop.panels.settings import KeyButton, Percent, SettingsPanel
from biasprint.desktop.settings import DEFAULT_KEYS, KEY_ACTIONS, SETTINGS, Settings


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(tuple(entry for entry in PANELS if entry.key == "settings"))


@pytest.fixture
def panel(window: MainWindow) -> SettingsPanel:
    panel = window.panels["settings"]
    assert isinstance(panel, SettingsPanel)
    return panel


def key_button(panel: SettingsPanel, action: str) -> KeyButton:
    title = next(known.title for known in KEY_ACTIONS if known.name == action)
    return next(b for b in panel.key_map.findChildren(KeyButton) if b.accessibleName().startswith(f"{title}: "))


def test_every_setting_has_a_named_field_with_its_value(panel: SettingsPanel):
    assert set(panel.fields) == {setting.key for setting in SETTINGS}
    assert all(field.accessibleName() for field in panel.fields.values())


def test_choosing_a_theme_dresses_the_program(qtbot: QtBot, panel: SettingsPanel):
    field = panel.fields["theme"]
    assert isinstance(field, QComboBox)
    field.setFocus()
    qtbot.keyClicks(field, "High")
    assert panel.shell.settings.get("theme") == "contrast"
    assert theme.current().name == "contrast"


def test_another_language_offers_to_start_again_with_the_new_setting(
    qtbot: QtBot, panel: SettingsPanel, window: MainWindow, monkeypatch: pytest.MonkeyPatch
):
    field = panel.fields["language"]
    assert isinstance(field, QComboBox)
    assert not panel.again.isVisibleTo(panel)
    field.setFocus()
    qtbot.keyClicks(field, "Deutsch")
    assert panel.shell.settings.get("language") == "de"
    assert panel.again.isVisibleTo(panel)
    left: list[bool] = []
    monkeypatch.setattr(window.leaving, "begin", lambda: left.append(window.leaving.again))
    panel.again.click()
    assert left == [True]
    window.leaving.ask()
    assert left == [True, False]  # leaving as ever starts nothing


def test_the_program_starts_anew_with_its_project_and_takes_the_language_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("BIASPRINT_LANGUAGE", "en")
    assert "BIASPRINT_LANGUAGE" not in environment_again()
    command = command_again(tmp_path / "none.biasprint")
    assert command[-2:] == ["gui", str(tmp_path / "none.biasprint")]
    ran = subprocess.run(
        [*command[:-2], "check", command[-1]], capture_output=True, text=True, env=environment_again(), check=False
    )
    assert "There is no file" in ran.stderr


def test_text_size_is_chosen_with_the_keyboard(qtbot: QtBot, panel: SettingsPanel):
    field = panel.fields["font_percent"]
    assert isinstance(field, Percent)
    qtbot.keyClick(field.slider, Qt.Key.Key_Right)
    assert panel.shell.settings.get("font_percent") == 110
    assert field.number.text() == "110 %"
    assert theme.current().scale == 1.1


def test_switch_holds_at_once(qtbot: QtBot, panel: SettingsPanel):
    field = panel.fields["reduced_motion"]
    assert isinstance(field, QCheckBox)
    field.click()
    assert theme.reduced_motion()
    field.click()
    assert not theme.reduced_motion()


def test_a_change_from_elsewhere_is_shown(panel: SettingsPanel):
    panel.shell.settings.set("font_percent", 170)
    field = panel.fields["font_percent"]
    assert isinstance(field, Percent)
    assert field.slider.value() == 17


def test_what_is_chosen_is_on_disk_a_moment_later(qtbot: QtBot, panel: SettingsPanel):
    settings = panel.shell.settings
    settings.set("theme", "dark")
    qtbot.waitUntil(lambda: settings.path.exists() and not settings.unsaved)
    assert Settings(settings.path).get("theme") == "dark"


def test_a_key_is_remapped_by_pressing_it(qtbot: QtBot, panel: SettingsPanel):
    button = key_button(panel, "tie")
    button.click()
    assert button.text() == "Press a key…"
    qtbot.keyClick(button, Qt.Key.Key_T)
    assert panel.shell.settings.keys()["tie"] == ("T",)
    assert key_button(panel, "tie").text() == "T"


def test_escape_leaves_the_key_as_it_was(qtbot: QtBot, panel: SettingsPanel):
    button = key_button(panel, "tie")
    button.click()
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert button.text() == "0"
    assert panel.shell.settings.keys() == DEFAULT_KEYS


def test_a_taken_key_is_said_and_nothing_changes(qtbot: QtBot, panel: SettingsPanel):
    button = key_button(panel, "tie")
    button.click()
    qtbot.keyClick(button, Qt.Key.Key_S)
    assert "“Skip”" in panel.key_map.message.text()
    assert panel.shell.settings.keys() == DEFAULT_KEYS


def test_the_windows_own_key_is_said_and_nothing_changes(panel: SettingsPanel):
    panel.key_map.remap("tie", "0", "Ctrl+K")
    assert "the window" in panel.key_map.message.text()
    assert panel.shell.settings.keys() == DEFAULT_KEYS


def test_the_usual_keys_come_back(qtbot: QtBot, panel: SettingsPanel):
    panel.key_map.remap("tie", "0", "T")
    panel.key_map.reset.click()
    assert panel.shell.settings.keys() == DEFAULT_KEYS
    assert key_button(panel, "tie").text() == "0"


def test_one_of_two_keys_is_remapped_alone(panel: SettingsPanel):
    panel.key_map.remap("back", "B", "K")
    assert panel.shell.settings.keys()["back"] == ("K", "Ctrl+Z")


@pytest.mark.parametrize(
    ("found", "told"),
    [("9.1", "Version 9.1 is out."), ("", "This is the newest version"), (None, "cannot be reached. Try")],
)
def test_a_new_version_is_looked_for_only_when_somebody_asks(
    qtbot: QtBot, panel: SettingsPanel, monkeypatch: pytest.MonkeyPatch, found: str | None, told: str
):
    asked = []

    def newest(ctx: JobContext) -> str:
        asked.append(ctx)
        if found is None:
            raise AppError("The package index cannot be reached.", hint="Try later.")
        return found

    monkeypatch.setattr("biasprint.desktop.panels.settings.newest_version", newest)
    assert asked == []
    panel.look_for_new.click()
    qtbot.waitUntil(lambda: told in panel.new_note.text())
    assert panel.look_for_new.isEnabled()


def test_names_are_given_their_room_at_every_size_of_the_text(qtbot: QtBot, panel: SettingsPanel):
    field = panel.fields["theme"]
    qtbot.waitUntil(lambda: field.x() > 280)
    panel.shell.settings.set("font_percent", 200)
    qtbot.waitUntil(lambda: field.x() > 560)
    panel.shell.settings.set("font_percent", 100)
    qtbot.waitUntil(lambda: field.x() < 400)
