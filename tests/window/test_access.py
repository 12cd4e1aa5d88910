"""What a screen reader is told: of every panel, no control is without a name, a role and, where it has one, a state."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from accessible import Node
from jeepney import MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from person import NewPerson, Person
from test_panels import PANELS

# What can be worked with, as a screen reader calls it, and the states that such a thing must tell.
CONTROLS = {
    "push button": (), "button": (), "check box": ("checkable",), "radio button": ("checkable",), "toggle button": (),
    "combo box": (), "text": (), "entry": (), "spin button": (), "slider": (), "page tab": (), "link": (),
    "menu item": (), "list": (), "table": (), "tree": (),
}  # fmt: skip
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


@pytest.mark.parametrize("panel", PANELS)
def test_a_screen_reader_can_tell_every_control_of_a_panel(visitor: Person, panel: str) -> None:
    visitor.open_panel(panel)
    visitor.sees(PANELS[panel])
    visitor.settled()
    nodes = list(visitor.nodes())
    assert len([node for node in nodes if "focusable" in node.states]) > 5, "the panel is not seen"
    assert faults(nodes) == []


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
