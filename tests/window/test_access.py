"""What a screen reader is told: of every panel, no control is without a name, a role and, where it has one, a state."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import numpy as np
import pytest
from accessible import Node
from display import Pixels
from jeepney import MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from person import NewPerson, Person, cut
from test_panels import PANELS

# What can be worked with, as a screen reader calls it, and the states that such a thing must tell.
CONTROLS = {
    "push button": (), "button": (), "check box": ("checkable",), "radio button": ("checkable",), "toggle button": (),
    "combo box": (), "text": (), "entry": (), "spin button": (), "slider": (), "page tab": (), "link": (),
    "menu item": (), "list": (), "table": (), "tree": (),
}  # fmt: skip
# Commands that lead to a panel, and those whose dialog of files is Qt's own.
ELSEWHERE = (
    "All commands…", "Start a workshop…", "Own people and texts…", "Save a report…", "New project…", "Open…",
    "Open a result folder…", "Save a copy…",
)  # fmt: skip
FLASH, FLASH_SECONDS = 0.1, 4.0
FLASH_PIXELS = 341 * 256 // 4  # a quarter of ten degrees of sight
NO_ROLES = ("", "unknown", "invalid", "filler")


@pytest.fixture(scope="module")
def visitor(new_person_for_all: NewPerson) -> Person:
    """Somebody who has opened the sample."""
    person = new_person_for_all()
    person.start()
    person.click("Open the sample")
    person.sees("Sample — Biasprint")
    return person


def faults(nodes: list[Node]) -> list[str]:
    """Return what a screen reader could not tell of these, in words."""
    found = []
    for node in nodes:
        if "focusable" not in node.states or not node.in_sight:
            continue
        what = f"{node.role} at {node.box} in {' < '.join(above.name or above.role for above in node.above())[:120]}"
        if node.role in NO_ROLES and not node.name:
            found.append(f"no role: “{node.name}”, {what}")
        if node.role in CONTROLS and not node.name.strip():
            found.append(f"no name: {what}")
        lacking = [state for state in CONTROLS.get(node.role, ()) if state not in node.states]
        if lacking:
            found.append(f"no {lacking[0]}: “{node.name}”, {what}")
    return found


def unexplained(nodes: list[Node]) -> list[str]:
    """Return boxes without a description, texts that are neither read nor edited, and buttons disabled unsaid why."""
    found = []
    for node in nodes:
        told = f"{node.role} “{node.name}” at {node.box}"
        if node.role == "combo box" and node.in_sight and not node.description.strip():  # its name is the chosen text
            found.append(f"no description: {told}")
        if node.role == "text" and "multi line" in node.states and not {"editable", "read only"} & node.states:
            found.append(f"neither to be edited nor to be read: {told}")
        pressed = node.role in ("push button", "check box", "radio button") and node.in_sight
        if pressed and node.name and "enabled" not in node.states and not node.description.strip():
            found.append(f"disabled without a reason: {told}")
    return found


@pytest.mark.parametrize("panel", PANELS)
def test_a_screen_reader_can_tell_every_control_of_a_panel(visitor: Person, panel: str) -> None:
    visitor.open_panel(panel)
    visitor.until(lambda: any(PANELS[panel] in node.name for node in visitor.nodes()), f"{panel}, in sight or below")
    visitor.settled()
    nodes = list(visitor.nodes())
    assert len([node for node in nodes if "focusable" in node.states]) > 5, "the panel is not seen"
    assert faults(nodes) == []
    (rail,) = [node for node in nodes if node.name == "Panels"]
    assert [node.name for node in rail.children if node.name in PANELS] == list(PANELS), "everywhere in this order"
    assert [node.name for node in rail.children if "checked" in node.states] == [panel]
    assert {node.role for node in rail.children if "checkable" in node.states} == {"radio button"}


@pytest.mark.soak
@pytest.mark.parametrize("panel", PANELS)
def test_boxes_texts_and_disabled_buttons_of_a_panel_say_what_they_are(visitor: Person, panel: str) -> None:
    visitor.open_panel(panel)
    visitor.settled()
    assert unexplained(list(visitor.nodes())) == []


@pytest.mark.soak
def test_a_screen_reader_can_tell_menus_and_dialogs(visitor: Person) -> None:
    """Every command that asks something further: what opens can be told, and Escape leaves it."""
    visitor.open_panel("Home")
    visitor.press("ctrl+k")
    visitor.sees("Search commands", role="text")
    offered: dict[str, None] = {}
    while new := dict.fromkeys(node.name for node in visitor.nodes() if node.role == "list item").keys() - offered:
        offered |= dict.fromkeys(new)
        visitor.press(*["Down"] * len(new))
        visitor.picture()
    commands = [name for name in offered if name.endswith("…")]
    assert len(commands) >= 8
    visitor.press("Escape")
    found = {}
    for command in ("the menu", *commands):
        if command == "the menu":
            visitor.click("Biasprint")
        elif command not in ELSEWHERE:
            visitor.do(command)
        else:
            continue
        visitor.picture()
        windows = visitor.windows()
        wrong = faults([node for window in windows for node in window.all()])
        wrong += [f"a {window.role} without a title" for window in windows if not window.name.strip()]
        if wrong:
            found[command] = wrong
        visitor.press("Escape")
        visitor.until(lambda: len(visitor.windows()) == 1, f"the end of “{command}”")
        visitor.picture()
    assert found == {}


@pytest.mark.soak
def test_choices_are_radio_buttons_and_texts_are_to_be_read(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("Open the sample")
    person.sees("Sample — Biasprint")
    person.open_panel("Judge")
    person.click("Start")
    person.sees("0 of 36")
    nodes = list(person.nodes())
    answers = {node.name: node for node in nodes if node.name in ("Choose A", "Choose B", "Choose C", "Tie", "Skip")}
    assert {node.role for node in answers.values()} == {"radio button"}
    assert len(answers) == 5
    texts = [node for node in nodes if node.name in ("Text A", "Text B", "Text C")]
    assert len(texts) == 3
    assert all({"multi line", "read only"} <= node.states and len(node.text) > 20 for node in texts)
    assert faults(nodes) == []


@pytest.mark.soak
def test_messages_are_said_and_the_keyboard_stays_where_it_is(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.sees("Open the sample")
    broken = person.folder / "Broken.biasprint"
    broken.write_text("no project")
    with closing(person.hearing()) as heard:
        person.press("ctrl+o")
        person.choose_file(broken)
        error = person.until(lambda: heard.said(1), "an error that is said")
        assert "Broken.biasprint" in error
        person.click("Open the sample")
        person.sees("Sample — Biasprint")
        person.open_panel("Prompts")
        person.click("Add to the project")
        assert "108 prompts" in person.until(lambda: heard.said(1), "what was done is said")


@pytest.mark.soak
def test_a_press_that_ends_elsewhere_does_nothing(visitor: Person) -> None:
    visitor.open_panel("Home")
    visitor.press_and_leave("New project…")
    visitor.press_and_leave("Judge", within="Panels")
    visitor.open_panel("Settings")
    visitor.press_and_leave("Reduce motion", role="check box")
    nodes = list(visitor.nodes())
    assert len(visitor.windows()) == 1
    assert [node.name for node in nodes if node.role == "radio button" and "checked" in node.states] == ["Settings"]
    assert not any(node.name == "Reduce motion" and "checked" in node.states for node in nodes)


@pytest.mark.soak
def test_a_key_that_is_typed_is_told_to_nobody(visitor: Person) -> None:
    visitor.open_panel("Models")
    visitor.click("Endpoints", role="page tab")
    visitor.click("Add an endpoint…")
    visitor.click("Key", role="text")
    visitor.write("canary-1234")
    visitor.until(lambda: visitor.find("Key", role="text").text, "signs in the field")
    assert not [words for words in visitor.texts() if "canary" in words]
    visitor.press("Escape")


@pytest.mark.soak
def test_a_screen_reader_is_told_the_language(new_person: NewPerson) -> None:
    for code, words in (("en", "Open the sample"), ("de", "Beispiel öffnen")):
        person = new_person()
        person.start(LANGUAGE=code, LC_ALL=f"{code}_{'US' if code == 'en' else code.upper()}.UTF-8")
        person.sees(words)
        assert person.language().startswith(code)


@pytest.mark.soak
def test_nothing_flashes_while_texts_are_written(visitor: Person) -> None:
    """No more than three times a second (WCAG 2.2, 2.3.1): opposing changes of a tenth of the lightest, by pixel."""
    visitor.open_panel("Generate")
    visitor.click("Start")
    visitor.sees("Generating: synthetic author")
    visitor.click("Charts", within="Panels")
    start, shown = time.monotonic(), []
    while time.monotonic() - start < FLASH_SECONDS:
        shown.append(luminances(visitor.display.picture()[::2, ::2]))
    seconds = time.monotonic() - start
    steps = np.diff(np.stack(shown), axis=0)
    turns = np.where(np.abs(steps) >= FLASH, np.sign(steps), 0)
    flashes = np.minimum((turns > 0).sum(axis=0), (turns < 0).sum(axis=0))
    assert 4 * int(np.count_nonzero(flashes > 3 * seconds)) < FLASH_PIXELS


@pytest.mark.soak
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_words_and_bars_can_be_seen_in_a_picture_of_the_screen(visitor: Person, theme: str) -> None:
    """Of each line of words, and of each scroll bar: the strongest contrast with the ground around it."""
    visitor.open_panel("Settings")
    visitor.do(f"Theme: {theme}")
    visitor.move_pointer_away()
    picture = visitor.picture()
    labels = [node for node in visitor.nodes() if node.role == "label" and node.name and node.whole and node.in_sight]
    bars = [node for node in visitor.nodes() if node.role == "scroll bar" and node.in_sight]
    assert len(labels) > 10
    assert bars
    pale = {node.name: ratio for node in labels if (ratio := strongest(cut(picture, node.seen))) < 4.5}
    assert pale == {}
    assert [bar.box for bar in bars if strongest(cut(picture, bar.seen)) < 3] == []


def strongest(part: Pixels) -> float:
    """The highest contrast of a pixel with the most common colour, as WCAG 2.2 defines it."""
    luminance = luminances(part).ravel()
    shades, counts = np.unique(luminance.round(4), return_counts=True)
    ground = shades[counts.argmax()]
    return float(((np.maximum(luminance, ground) + 0.05) / (np.minimum(luminance, ground) + 0.05)).max())


def luminances(part: Pixels) -> "np.ndarray":
    values = part / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


def test_a_thing_without_a_name_is_found() -> None:
    """The test above can fail."""
    box = (0, 0, 10, 10)
    silent = Node("", "", "push button", "", box, box, frozenset({"focusable", "enabled"}))
    assert faults([silent]) == ["no name: push button at (0, 0, 10, 10) in "]


def test_nothing_moves_where_the_system_asks_for_it(new_person: NewPerson) -> None:
    """Not even a caret blinks; without that wish it does, which shows that this test can see it."""
    calm, usual = new_person(), new_person()
    with desktop_portal(calm, {"reduced-motion": ("u", 1)}):
        calm.start()
        for person in (usual, calm):
            if person is usual:
                person.start()
            person.sees("Open the sample")
            person.press("ctrl+k")
            person.sees("Search commands", role="text")
        assert changed_pixels(usual) > 0
        calm.until(lambda: changed_pixels(calm) == 0, "a screen on which nothing moves")


def changed_pixels(person: Person, seconds: float = 1.4) -> int:
    """How many pixels change by themselves in a time in which a caret blinks twice."""
    person.picture()
    first, changed = person.display.picture(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        changed = max(changed, int(np.count_nonzero((person.display.picture() != first).any(axis=2))))
    return changed


@contextmanager
def desktop_portal(person: Person, settings: dict[str, tuple[str, object]]) -> Iterator[None]:
    """A desktop's portal on the person's bus, which knows these settings."""
    with open_dbus_connection(person.variables()["DBUS_SESSION_BUS_ADDRESS"]) as bus:
        bus.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop"))
        over = threading.Event()

        def answer() -> None:
            while not over.is_set():
                try:
                    question = bus.receive(timeout=0.2)
                except TimeoutError:
                    continue
                if question.header.message_type is MessageType.method_call:
                    key = question.body[-1]
                    reply = (
                        new_method_return(question, "v", (("v", settings[key]),))
                        if key in settings
                        else new_error(question, "org.freedesktop.portal.Error.NotFound")
                    )
                    bus.send(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
