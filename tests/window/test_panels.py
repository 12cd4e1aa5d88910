"""Every panel, as a picture that somebody has approved."""

import re
from collections.abc import Callable

import pytest
from person import NewPerson, Person

PANELS = {  # what stands there when everything was read
    "Home": "It holds 36 comparisons",
    "Prompts": "In this project",
    "Generate": "Queue and runs",
    "Judge": "36 comparisons",
    "Raters": "qwen2.5-coder-1.5b-instruct (model)",
    "Charts": "Whose outputs are chosen",
    "Explore": "1,704 texts",
    "Letters": "Check a letter",
    "Fingerprint": "Model judges",
    "Findings": "1,506 findings",
    "Outputs": "1,684 outputs",
    "Models": "Teaching model",
    "Settings": "Appearance",
}
TIME = re.compile(r"\b\d\d:\d\d\b")


@pytest.fixture(scope="module")
def visitor(new_person_for_all: NewPerson) -> Person:
    """Somebody who has opened the sample."""
    person = new_person_for_all()
    person.start()
    person.click("Close this message")  # the offer of a tour, which the second start has no more
    person.click("Open the sample")
    person.sees("Sample — Biasprint")
    return person


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_looks_as_approved(visitor: Person, compare: Callable[..., None], panel: str) -> None:
    visitor.open_panel(panel)
    visitor.sees(PANELS[panel])
    visitor.settled()
    times = [node.seen for node in visitor.nodes() if TIME.search(node.name)]
    compare(visitor.picture(), f"panel-{panel.lower()}", *times)


@pytest.mark.parametrize("panel", PANELS)
def test_f1_opens_the_page_of_a_panel(visitor: Person, panel: str) -> None:
    visitor.open_panel(panel)
    visitor.press("F1")
    visitor.sees(f"Help: {panel}")
    visitor.press("Escape")
    visitor.sees_no(f"Help: {panel}")


def test_f1_opens_the_page_of_a_dialog(visitor: Person) -> None:
    visitor.open_panel("Home")
    visitor.click("New audit…")
    visitor.sees("What is asked")
    visitor.press("F1")
    visitor.sees("“Generate and measure” writes a small set of texts")
    visitor.press("Escape")
    visitor.sees_no("Help: New audit")
    visitor.press("Escape")
    visitor.sees_no("What is asked")
