"""What a screen reader is told: of every panel, no control is without a name, a role and, where it has one, a state."""

import pytest
from accessible import Node
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
