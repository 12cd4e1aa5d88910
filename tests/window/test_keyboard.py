"""The main task of every panel, by the keyboard alone: no test here moves the pointer."""

from collections.abc import Callable

import pytest
from person import NewPerson, Person

pytestmark = pytest.mark.soak
DARK = 90  # of 255: the mean of a dark screen is below


@pytest.fixture(scope="module")
def person(new_person_for_all: NewPerson) -> Person:
    """Somebody without a mouse, who has opened the sample."""
    someone = new_person_for_all(1280, 800)
    someone.start()
    someone.sees("Open the sample", seconds=60)
    press_on(someone, "Open the sample")
    someone.sees("Sample — Biasprint", seconds=90)
    someone.settled()
    return someone


def press_on(person: Person, name: str, key: str = "Return", *, role: str = "", back: bool = False) -> None:
    """Go to a thing by Tab, and press a key on it."""
    person.tab_to(name, role=role, back=back)
    person.press(key)


def go_to(person: Person, panel: str) -> None:
    """Go to a panel by its entry in the command palette, and see that it is there."""
    person.do(f"Go to {panel}")
    person.until(lambda: rail(person).get(panel), f"panel {panel}")
    person.settled()


def rail(person: Person) -> dict[str, bool]:
    """The panels that the program itself lists, and which of them shows."""
    (panels,) = [node for node in person.nodes() if node.name == "Panels"]
    return {node.name: "checked" in node.states for node in panels.children if node.role == "radio button"}


def home(person: Person) -> None:
    press_on(person, "Check a letter")
    person.until(lambda: rail(person)["Letters"], "the panel that the door leads to")


def prompts(person: Person) -> None:
    press_on(person, "Add to the project")
    person.sees("CoGS, version 2", seconds=60)


def generate(person: Person) -> None:
    press_on(person, "Start", back=True)
    person.sees("Generating: synthetic author")


def judge(person: Person) -> None:
    press_on(person, "Start")
    person.sees("0 of 36")
    person.press("1")
    person.sees("1 of 36")
    press_on(person, "Choose B", "space")
    person.sees("2 of 36")
    person.press("Escape")


def raters(person: Person) -> None:
    person.tab_to("Plans", role="page tab list")
    person.press("Right")
    person.sees("For whom")
    press_on(person, "Make packets")
    person.sees("3 packets were made", seconds=60)


def charts(person: Person) -> None:
    person.tab_to("Whose outputs are chosen", role="graphic")
    person.press("Down", "Return")
    person.sees("Texts behind the figure")


def explore(person: Person) -> None:
    press_on(person, "Select", "space")


def letters(person: Person) -> None:
    person.tab_to("Paste a letter", role="text")
    person.write("Anna is a kind and helpful colleague. She is a brilliant scientist.")
    press_on(person, "Check this text")
    person.sees("What to look at", seconds=60)


def fingerprint(person: Person) -> None:
    press_on(person, "See fingerprint:")
    person.sees("The model’s fingerprint", seconds=60)


def findings(person: Person) -> None:
    person.tab_to("Findings", role="table")
    person.press("Return", "Down", "Return")
    person.sees("Back to the findings", seconds=60)


def outputs(person: Person) -> None:
    person.tab_to("Outputs", role="table")
    person.press("Down", "Down")
    person.sees("Text of the output")


def models(person: Person) -> None:
    press_on(person, "Offline switch", "space")
    person.sees("Offline switch on")
    person.press("space")
    person.sees_no("Offline switch on")


def settings(person: Person) -> None:
    person.tab_to("Colour theme", role="combo box")
    person.press("End")
    person.until(lambda: person.display.picture().mean() < DARK, "high contrast")
    person.press("Home")
    person.until(lambda: person.display.picture().mean() > DARK, "light")


TASKS: dict[str, Callable[[Person], None]] = {
    "Home": home, "Charts": charts, "Findings": findings, "Explore": explore, "Outputs": outputs, "Letters": letters,
    "Fingerprint": fingerprint, "Models": models, "Settings": settings, "Raters": raters, "Prompts": prompts,
    "Generate": generate, "Judge": judge,
}  # fmt: skip


def test_every_panel_has_a_task_here(person: Person) -> None:
    """A new panel fails until its task can be done by the keyboard."""
    assert set(rail(person)) == set(TASKS)


@pytest.mark.parametrize("panel", TASKS)
def test_the_main_task_of_a_panel_is_done_by_the_keyboard_alone(person: Person, panel: str) -> None:
    go_to(person, panel)
    TASKS[panel](person)
    assert person.clicks == 0
