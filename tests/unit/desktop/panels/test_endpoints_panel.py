"""The endpoints page: keeping, testing and forgetting an endpoint, and a key that never comes out again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import keyring.backend
import pytest
from bad_server import Answer, Asked, BadServer, error, good
from empty_home import only
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.compute import models
from biasprint.core.errors import AppError
from biasprint.core.machine import endpoints, keys, offline
from biasprint.core.machine.endpoints import Endpoint, Price, endpoint, endpoint_of, save
from biasprint.core.machine.storage import home
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.models import EndpointsPage, ModelsPanel
from biasprint.desktop.panels.models.endpoint_form import USUAL, Editor

CANARY = "sk-canary-0123456789abcdef"
PATIENCE = 60_000
ENTRIES = only("home", "models", "settings", "outputs")


class Ring(keyring.backend.KeyringBackend):
    """A key ring in memory."""

    priority = 1

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.held[service, username]


@pytest.fixture(autouse=True)
def computer(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    monkeypatch.delenv(keys.ENVIRONMENT, raising=False)
    monkeypatch.setattr(keys, "_session", {})


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    made = Ring()
    monkeypatch.setattr(keys, "_chosen_ring", lambda: made)
    return made


@pytest.fixture
def model_process() -> Iterator[None]:
    yield
    models().close()


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(ENTRIES, panel="models")


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> EndpointsPage:
    window.show_panel("models", page="endpoints")
    panel = window.panels["models"]
    assert isinstance(panel, ModelsPanel)
    settle(qtbot, window)
    return panel.endpoints


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)


def dialog(kind: type[Editor] | type[Question]) -> QWidget:
    (found,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()]
    return found


def open_editor(page: EndpointsPage, name: str = "") -> Editor:
    (page.cards[name].edit if name else page.new if page.cards else page.nothing.button).click()
    editor = dialog(Editor)
    assert isinstance(editor, Editor)
    return editor


def keep(qtbot: QtBot, window: MainWindow, editor: Editor) -> None:
    with qtbot.waitSignal(editor.kept, timeout=PATIENCE):
        editor.go.click()
    settle(qtbot, window)


def add(qtbot: QtBot, window: MainWindow, page: EndpointsPage, address: str, key: str = "") -> None:
    editor = open_editor(page)
    editor.form.name.setText("lab")
    editor.form.address.setText(address)
    editor.form.key.setText(key)
    keep(qtbot, window, editor)


# keeping


def test_without_endpoints_the_page_says_what_to_do(page: EndpointsPage):
    assert page.nothing.isVisible()
    assert page.nothing.button.text() == "Add an endpoint…"


def test_further_addresses_are_kept_one_on_each_line_and_an_edit_leaves_their_own_limits(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage
):
    urls = ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1", "http://127.0.0.1:3/v1"]
    save(endpoint_of("lab", urls[:2], [4, 16]))
    page.read()
    settle(qtbot, window)
    assert page.cards["lab"].address.text() == ", ".join(urls[:2])
    editor = open_editor(page, "lab")
    assert editor.form.others.toPlainText() == urls[1]
    editor.form.others.setPlainText(f"{urls[1]}\n\n{urls[2]}")
    editor.form.key.setText(" ".join([CANARY] * 2))
    editor.go.click()
    assert_trouble(qtbot, editor, "2 keys were given for the 3 addresses")
    editor.form.key.setText(f"{CANARY} sk-b sk-c")
    keep(qtbot, window, editor)
    assert endpoint("lab") == endpoint_of("lab", urls, [4, 16, 4])
    assert [keys.key_for("lab", url) for url in urls] == [CANARY, "sk-b", "sk-c"]


def test_plain_http_is_asked_about_at_a_further_address_too(page: EndpointsPage):
    editor = open_editor(page)
    editor.form.address.setText("https://lab.example.org/v1")
    assert not editor.form.confirm.isVisible()
    editor.form.others.setPlainText("http://lab.example.org/v1")
    assert editor.form.confirm.isVisible()
    editor.close()


def assert_trouble(qtbot: QtBot, editor: Editor, words: str) -> None:
    qtbot.waitUntil(lambda: words in editor.trouble.text.text(), timeout=PATIENCE)


def test_an_endpoint_is_kept_with_its_limits_and_prices(qtbot: QtBot, window: MainWindow, page: EndpointsPage):
    editor = open_editor(page)
    editor.form.name.setText("lab")
    editor.form.address.setText("https://lab.example.org/v1/chat/completions")
    editor.form.at_once.setValue(3)
    editor.form.seconds.setValue(60)
    editor.form.retries.setValue(1)
    assert editor.form.prices.rows == []  # no price is made up
    row = editor.form.prices.add_row()
    for field, text in zip(row.fields, ("small", "0,15", "0.6", "eur"), strict=True):
        field.setText(text)
    keep(qtbot, window, editor)
    price = Price(0.15, 0.6, "EUR")
    assert endpoints.endpoint("lab") == Endpoint(
        "lab", "https://lab.example.org/v1", 3, 60.0, 1, prices={"small": price}
    )
    card = page.cards["lab"]
    assert card.facts.text() == "3 requests at once · 60 s for a text · 1 retry"
    assert card.prices.text() == "For a million tokens: small: 0.15 in, 0.6 EUR out."
    assert card.key.text() == "no key"
    assert page.nothing.isHidden()


def test_changing_one_begins_with_what_is_kept_and_keeps_its_name(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage
):
    kept = Endpoint("lab", "https://a.example.org/v1", 2, 0.5, 0, prices={"m": Price(1, 2, "USD")})
    endpoints.save(kept)
    page.read()
    settle(qtbot, window)
    editor = open_editor(page, "lab")
    assert not editor.form.name.isEnabled()
    assert editor.form.endpoint() == kept  # a deadline of half a second is shown as one and kept as it is
    editor.form.prices.rows[0].remove.click()
    editor.form.address.setText("https://b.example.org/v1")
    keep(qtbot, window, editor)
    assert endpoints.endpoint("lab") == Endpoint("lab", "https://b.example.org/v1", 2, 0.5, 0)


@pytest.mark.parametrize(
    ("name", "address", "said"),
    seeded_part(
        [
            ("", "https://a.example.org/v1", "An endpoint needs a short name."),
            ("there", "https://a.example.org/v1", "There is an endpoint “there” already."),
            ("a", "ftp://a.example.org", "That is not the address of an endpoint."),
            ("a", "https://me:secret@a.example.org/v1", "holds more than an address"),
            ("a", "http://a.example.org/v1", "reached over plain http"),
        ],
        2,
    ),
)
def test_what_cannot_be_is_said_in_the_dialog(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, name: str, address: str, said: str
):
    endpoints.save(Endpoint("there", "https://there.example.org/v1"))
    page.read()
    settle(qtbot, window)
    editor = open_editor(page)
    editor.form.name.setText(name)
    editor.form.address.setText(address)
    editor.go.click()
    assert said in editor.trouble.text.text()
    assert editor.trouble.more.text()
    assert editor.isVisible()
    assert [one.name for one in endpoints.endpoints()] == ["there"]
    editor.reject()


@pytest.mark.parametrize(
    ("fields", "said"),
    seeded_part(
        [
            (("", "1", "2", "EUR"), "A price names no model."),
            (("m", "dear", "2", "EUR"), "“dear” is not a price."),
            (("m", "1", "", "EUR"), "“” is not a price."),
            (("m", "-1", "2", "EUR"), "is not a price"),
            (("m", "1", "2", "€"), "The currency is not a code."),
        ],
        2,
    ),
)
def test_a_price_that_is_none_is_said(page: EndpointsPage, fields: tuple[str, ...], said: str):
    editor = open_editor(page)
    editor.form.name.setText("lab")
    editor.form.address.setText("https://a.example.org/v1")
    for field, text in zip(editor.form.prices.add_row().fields, fields, strict=True):
        field.setText(text)
    editor.go.click()
    assert said in editor.trouble.text.text()
    editor.reject()


def test_plain_http_elsewhere_is_confirmed_and_this_computer_needs_no_confirming(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage
):
    editor = open_editor(page)
    editor.form.name.setText("lab")
    editor.form.address.setText("http://127.0.0.1:9/v1")
    assert editor.form.confirm.isHidden()
    editor.form.address.setText("http://10.0.0.7:8000/v1")
    assert not editor.form.confirm.isHidden()
    editor.form.confirm.click()
    keep(qtbot, window, editor)
    assert endpoints.endpoint("lab").plain_http_confirmed
    assert not page.cards["lab"].plain.isHidden()
    assert page.cards["lab"].local.isHidden()


def test_usual_addresses_fill_in_the_address_and_an_empty_name(page: EndpointsPage):
    editor = open_editor(page)
    for _, name, address in USUAL:
        editor.form.usual[name].click()
        assert editor.form.address.text() == address
    assert editor.form.name.text() == USUAL[0][1]
    editor.reject()


def test_a_list_of_endpoints_that_cannot_be_read_is_said(qtbot: QtBot, window: MainWindow, page: EndpointsPage):
    (home() / endpoints.FILE).write_text('{"endpoints": [{"name": 3}]}', "utf-8")
    page.read()
    qtbot.waitUntil(page.trouble.isVisible, timeout=PATIENCE)
    assert page.trouble.text.text() == "The list of endpoints cannot be read."


def test_the_palette_adds_an_endpoint_from_the_other_page(qtbot: QtBot, window: MainWindow):
    panel = window.panels["models"]
    (command,) = [one for one in panel.commands() if one.title == "Add an endpoint…"]
    command.run()
    page = panel.endpoints
    qtbot.waitUntil(lambda: any(isinstance(one, Editor) for one in QApplication.topLevelWidgets()), timeout=PATIENCE)
    editor = dialog(Editor)
    assert editor.form.where.text()  # where the key would be kept is known by then
    assert page.isVisible()
    editor.reject()


# keys


def test_a_key_goes_into_the_key_ring_and_is_forgotten_with_its_endpoint(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, ring: Ring
):
    page.read()
    settle(qtbot, window)
    editor = open_editor(page)
    assert editor.form.where.text() == keys.WHERE["key ring"]
    assert editor.form.key.echoMode() == QLineEdit.EchoMode.Password
    editor.reject()
    add(qtbot, window, page, "https://a.example.org/v1", CANARY)
    assert ring.held == {("biasprint", "lab"): CANARY}
    assert "key ring" in window.status.notice.whole_text()
    card = page.cards["lab"]
    assert card.key.text() == "key kept"
    card.remove.click()
    question = dialog(Question)
    question.risky_button.click()
    qtbot.waitUntil(lambda: not page.cards, timeout=PATIENCE)
    assert ring.held == {}
    assert keys.session_keys() == {}
    assert page.nothing.isVisible()


def test_without_a_key_ring_it_is_said_that_the_key_lasts_for_the_session(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage
):
    editor = open_editor(page)
    assert "until the program closes" in editor.form.where.text()
    editor.reject()
    add(qtbot, window, page, "https://a.example.org/v1", CANARY)
    assert "until the program closes" in window.status.notice.whole_text()


def test_a_kept_key_stays_or_is_forgotten_and_is_never_in_the_field(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, ring: Ring
):
    add(qtbot, window, page, "https://a.example.org/v1", CANARY)
    editor = open_editor(page, "lab")
    assert editor.form.key.text() == ""
    assert editor.form.moves.isHidden()
    editor.form.address.setText("https://elsewhere.example.org/v1")
    assert "sent to this other server" in editor.form.moves.text()
    keep(qtbot, window, editor)
    assert keys.key_for("lab") == CANARY
    editor = open_editor(page, "lab")
    editor.form.forget.click()
    keep(qtbot, window, editor)
    assert keys.key_for("lab") is None
    assert ring.held == {}
    assert page.cards["lab"].key.text() == "no key"


def test_an_impossible_key_changes_nothing(qtbot: QtBot, window: MainWindow, page: EndpointsPage):
    editor = open_editor(page)
    editor.form.name.setText("lab")
    editor.form.address.setText("https://a.example.org/v1")
    editor.form.key.setText("two words")
    editor.go.click()
    qtbot.waitUntil(editor.trouble.isVisible, timeout=PATIENCE)
    assert editor.trouble.text.text() == "That cannot be a key."
    assert editor.go.isEnabled()
    assert endpoints.endpoints() == []
    editor.reject()


def test_a_key_from_the_environment_is_said_to_be_one(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(keys.ENVIRONMENT, CANARY)
    endpoints.save(Endpoint("lab", "https://a.example.org/v1"))
    page.read()
    settle(qtbot, window)
    assert page.cards["lab"].key.text() == "key from BIASPRINT_API_KEY"


def test_the_key_is_in_no_widget_no_file_and_no_job(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, file: Path, tmp_path: Path, model_process: None
):
    def refuse(asked: Asked) -> Answer:
        return error("401 Unauthorized", f"wrong key {asked.headers.get('authorization')}")

    handles = []
    window.jobs.started.connect(handles.append)
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    with BadServer(refuse) as server:
        add(qtbot, window, page, server.url, CANARY)
        card = page.cards["lab"]
        card.test.click()
        qtbot.waitUntil(lambda: card.result.isVisible(), timeout=PATIENCE)
        settle(qtbot, window)
        sent = {asked.headers.get("authorization") for asked in server.requests}
    assert sent == {f"Bearer {CANARY}"}  # so the search below looks for something that was in use
    editor = open_editor(page, "lab")
    everything = [text for widget in QApplication.allWidgets() for text in texts_of(widget)]
    assert any("lab" in text for text in everything)
    assert not [text for text in everything if CANARY in text]
    editor.reject()
    window.settings.save()
    for handle in handles:
        assert CANARY not in f"{handle.title} {handle.result_text} {handle.error} {handle.result} {handle.objectName()}"
    window.session.close()
    settle(qtbot, window)
    with Project.open(file) as project:
        assert project.path == file
    written = [one for folder in (home(), tmp_path) for one in folder.rglob("*") if one.is_file()]
    assert any(one.name == endpoints.FILE for one in written)
    assert not [one for one in written if CANARY.encode() in one.read_bytes()]


def texts_of(widget: QWidget) -> list[str]:
    """Whatever a widget shows or says."""
    found = [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle()]
    found += [widget.objectName(), widget.statusTip(), widget.whatsThis()]
    if isinstance(widget, QLineEdit | QLabel | QAbstractButton):
        found.append(widget.text())
    if isinstance(widget, QLineEdit):
        found.append(widget.placeholderText())
    if isinstance(widget, QComboBox):
        found += [widget.itemText(n) for n in range(widget.count())]
    return found


# testing


def test_a_test_says_that_it_answers_and_names_its_models(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, model_process: None
):
    with BadServer(lambda _: good()) as server:
        add(qtbot, window, page, server.url, CANARY)
        card = page.cards["lab"]
        card.model.setEditText("small")
        card.test.click()
        assert card.test.text() == "Testing…"
        assert not card.test.isEnabled()
        qtbot.waitUntil(lambda: card.result.isVisible(), timeout=PATIENCE)
        settle(qtbot, window)
        assert {asked.headers.get("authorization") for asked in server.requests} == {f"Bearer {CANARY}"}
    assert card.result.tone == "ok"
    assert card.result.text.text().startswith("“small” answers in ")
    assert card.models.text() == "Models: large, small"
    assert [card.model.itemText(n) for n in range(card.model.count())] == ["large", "small"]
    assert card.model.currentText() == "small"
    assert card.test.isEnabled()
    assert card.test.text() == "Test"


def test_a_test_that_fails_says_why_in_a_sentence(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, model_process: None
):
    add(qtbot, window, page, "http://127.0.0.1:1/v1")
    card = page.cards["lab"]
    card.test.click()
    qtbot.waitUntil(lambda: card.result.isVisible(), timeout=PATIENCE)
    assert card.result.tone == "danger"
    assert "Nothing answers" in card.result.text.text()
    settle(qtbot, window)
    editor = open_editor(page, "lab")
    editor.form.address.setText("http://127.0.0.1:2/v1")
    keep(qtbot, window, editor)
    assert card.result.isHidden()  # it spoke of another address


def test_a_test_that_breaks_is_said_on_the_card(
    qtbot: QtBot, window: MainWindow, page: EndpointsPage, monkeypatch: pytest.MonkeyPatch
):
    def broken() -> object:
        raise AppError("The model process could not be started.", hint="Try again.")

    monkeypatch.setattr("biasprint.core.compute.models", broken)
    add(qtbot, window, page, "http://127.0.0.1:1/v1")
    card = page.cards["lab"]
    card.test.click()
    qtbot.waitUntil(lambda: card.result.isVisible(), timeout=PATIENCE)
    assert card.result.text.text() == "The model process could not be started. Try again."


def test_nothing_is_asked_while_the_offline_switch_is_on(qtbot: QtBot, window: MainWindow, page: EndpointsPage):
    add(qtbot, window, page, "http://127.0.0.1:1/v1")
    card = page.cards["lab"]
    window.connections.switch(True)
    qtbot.waitUntil(lambda: not card.test.isEnabled(), timeout=PATIENCE)
    assert "offline switch is on" in card.test.toolTip()
    window.connections.switch(False)
    qtbot.waitUntil(card.test.isEnabled, timeout=PATIENCE)


# the look


@pytest.mark.parametrize("scale", seeded_part([1.0, 2.0], 1))
def test_every_control_is_named_reached_by_tab_and_not_cut(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, page: EndpointsPage, scale: float
):
    theme.apply(qapp, "light", scale)
    window.resize(1280, 720)
    for name in ("lab", "other"):
        endpoints.save(Endpoint(name, "https://a.example.org/v1"))
    page.read()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: all(card.isVisible() for card in page.cards.values()))
    buttons = [one for one in page.findChildren(QAbstractButton) if one.isVisible()]
    assert len({one.accessibleName() or one.text() for one in buttons}) == len(buttons)
    for button in buttons:
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert button.width() >= button.minimumSizeHint().width()
    editor = open_editor(page, "lab")
    editor.form.prices.add_row()
    qtbot.waitUntil(lambda: editor.form.prices.rows[0].model.isVisible())
    for field in editor.findChildren(QLineEdit):
        assert field.accessibleName() or field.objectName().startswith("qt_")
    assert editor.width() <= window.width()
    assert editor.height() <= window.height()
    editor.reject()


def test_a_name_made_to_break_the_page_is_one_safe_line(qtbot: QtBot, window: MainWindow, page: EndpointsPage):
    endpoints.save(Endpoint("<b>bold</b>", "https://a.example.org/v1"))
    page.read()
    settle(qtbot, window)
    card = page.cards["<b>bold</b>"]
    assert card.name.text() == "<b>bold</b>"
    assert card.name.textFormat() == Qt.TextFormat.PlainText
