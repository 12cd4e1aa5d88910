"""Settings are kept whole; a damaged file is put aside and said, never lost and never fatal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.desktop import settings as store_module
from biasprint.desktop.settings import DEFAULT_KEYS, RESERVED, SETTINGS, Settings, conflicts, normal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def test_defaults_hold_where_there_is_no_file(path: Path):
    settings = Settings(path)
    assert {one.key: settings.get(one.key) for one in SETTINGS} == {one.key: one.default for one in SETTINGS}
    assert settings.keys() == DEFAULT_KEYS
    assert settings.notice == ""
    assert not path.exists()


def test_what_was_chosen_is_there_at_the_next_start(path: Path):
    settings = Settings(path)
    settings.set("theme", "dark")
    settings.set("font_percent", 150)
    settings.set_keys({**DEFAULT_KEYS, "tie": ("T",)})
    settings.save()
    again = Settings(path)
    assert (again.get("theme"), again.scale, again.keys()["tie"]) == ("dark", 1.5, ("T",))


def test_a_change_is_told_and_waits_to_be_saved(qtbot: QtBot, path: Path):
    settings = Settings(path)
    with qtbot.waitSignal(settings.changed) as changed:
        settings.set("theme", "contrast")
    assert changed.args == ["theme"]
    assert settings.unsaved
    settings.save()
    assert not settings.unsaved


def test_choosing_the_same_again_changes_nothing(qtbot: QtBot, path: Path):
    settings = Settings(path)
    with qtbot.assertNotEmitted(settings.changed):
        settings.set("theme", settings.get("theme"))


@pytest.mark.parametrize(
    ("key", "value"),
    [("theme", "pink"), ("font_percent", 79), ("font_percent", 201), ("font_percent", True), ("reduced_motion", 1)],
)
def test_a_value_that_is_none_of_the_settings_is_refused(path: Path, key: str, value: object):
    with pytest.raises(ValueError, match=key):
        Settings(path).set(key, value)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"[1, 2]", b'"text"', b"\xff\xfe\x00", b"nul\x00l", b'{"theme": ' * 100_000],
    ids=["empty", "cut off", "a list", "a text", "not utf-8", "nul", "bottomless"],
)
def test_a_damaged_file_is_put_aside_and_said(path: Path, damaged: bytes):
    path.parent.mkdir()
    path.write_bytes(damaged)
    settings = Settings(path)
    assert settings.get("theme") == "system"
    assert "settings.json.bad" in settings.notice
    assert path.with_name("settings.json.bad").read_bytes() == damaged
    settings.set("theme", "dark")
    settings.save()
    assert Settings(path).get("theme") == "dark"
    assert Settings(path).notice == ""


@pytest.mark.parametrize(
    "data",
    [
        {"theme": "pink", "font_percent": 5000, "reduced_motion": "yes"},
        {"theme": None, "font_percent": "100", "keys": "B", "recent": "x"},
        {"keys": {"tie": "0", "none": [], "skip": [3], "back": ["no such key"]}, "recent": [1, None]},
    ],
)
def test_a_wrong_value_in_the_file_means_the_default(path: Path, data: dict[str, object]):
    path.parent.mkdir()
    path.write_text(json.dumps(data))
    settings = Settings(path)
    assert {one.key: settings.get(one.key) for one in SETTINGS} == {one.key: one.default for one in SETTINGS}
    assert settings.keys() == DEFAULT_KEYS
    assert settings.recent() == []


def test_what_a_newer_version_kept_is_not_lost(path: Path):
    path.parent.mkdir()
    path.write_text(json.dumps({"theme": "dark", "from_the_future": [1, 2]}))
    settings = Settings(path)
    settings.set("font_percent", 120)
    settings.save()
    assert json.loads(path.read_text())["from_the_future"] == [1, 2]


def test_a_failed_write_leaves_the_old_file_and_says_so(path: Path, monkeypatch: pytest.MonkeyPatch):
    settings = Settings(path)
    settings.set("theme", "dark")
    settings.save()
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module.os, "fsync", full)
    settings.set("theme", "light")
    with pytest.raises(AppError) as raised:
        settings.save()
    assert raised.value.kept
    assert raised.value.hint
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]
    assert settings.unsaved
    assert settings.get("theme") == "light"


def test_recent_projects_are_newest_first_not_endless_and_without_repeats(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(store_module, "MOST_RECENT", 10)
    settings = Settings(path)
    files = [tmp_path / f"{number}.biasprint" for number in range(12)]
    for file in [*files, files[5]]:
        settings.add_recent(file)
    assert settings.recent() == [files[5], *(files[number] for number in (11, 10, 9, 8, 7, 6, 4, 3, 2))]
    settings.forget_recent(files[5])
    assert files[5] not in settings.recent()


def test_the_usual_keys_do_not_conflict():
    assert conflicts(DEFAULT_KEYS) == {}
    assert not RESERVED & {key for keys in DEFAULT_KEYS.values() for key in keys}
    assert all(normal(key) == key for keys in DEFAULT_KEYS.values() for key in keys)


def test_a_key_for_two_actions_is_a_conflict(path: Path):
    key_map = {**DEFAULT_KEYS, "tie": ("S",)}
    assert conflicts(key_map) == {"S": ["tie", "skip"]}
    with pytest.raises(ValueError, match="S"):
        Settings(path).set_keys(key_map)


def test_a_key_that_the_window_needs_is_a_conflict():
    assert conflicts({**DEFAULT_KEYS, "note": ("Ctrl+K",)}) == {"Ctrl+K": ["note", "window"]}


def test_an_action_without_a_key_is_refused(path: Path):
    with pytest.raises(ValueError, match="missing"):
        Settings(path).set_keys({**DEFAULT_KEYS, "note": ()})


def test_conflicting_keys_in_the_file_mean_the_usual_ones(path: Path):
    path.parent.mkdir()
    path.write_text(json.dumps({"keys": {"tie": ["S"]}}))
    assert Settings(path).keys() == DEFAULT_KEYS


def test_keys_are_written_one_way(path: Path):
    settings = Settings(path)
    settings.set_keys({**DEFAULT_KEYS, "back": ("ctrl+z", "y")})
    assert settings.keys()["back"] == ("Ctrl+Z", "Y")


def test_settings_live_in_the_programs_own_folder(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert own_home in Settings().path.parents
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path))
    assert Settings().path == tmp_path / "settings.json"


def test_while_a_rater_is_blind_recent_projects_are_not_here_and_stay_in_the_file(path: Path):
    settings = Settings(path)
    settings.add_recent(Path("/studies/castle.biasprint"))
    settings.save()
    later: list[Callable[[], object]] = []
    settings.conceal(later.append)
    assert settings.recent() == []
    settings.set("theme", "dark")
    settings.save()
    kept = Settings(path)
    assert (kept.get("theme"), kept.recent()) == ("dark", [Path("/studies/castle.biasprint")])
    later[0]()
    assert (settings.get("theme"), settings.recent()) == ("dark", [Path("/studies/castle.biasprint")])


def test_a_recent_project_that_was_not_saved_yet_is_saved_after_the_rating(path: Path):
    settings = Settings(path)
    settings.add_recent(Path("/studies/castle.biasprint"))
    later: list[Callable[[], object]] = []
    settings.conceal(later.append)
    settings.save()
    later[0]()
    assert settings.unsaved
    settings.save()
    assert Settings(path).recent() == [Path("/studies/castle.biasprint")]
