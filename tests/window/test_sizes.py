"""Small screens, large pixels, and the dark."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from accessible import overlap
from display import Pixels
from person import NewPerson, Person, cut


@dataclass(frozen=True)
class Look:
    """A screen, and how the program is started on it."""

    name: str
    width: int
    height: int
    scale: int = 1
    dark: bool = False


LOOKS = (
    Look("1280x720", 1280, 720),
    Look("1024x600", 1024, 600),
    Look("scale-2", 1440, 900, scale=2),
    Look("dark", 1280, 720, dark=True),
)
DARK = 90  # of 255: the mean of a dark screen is below
CONTROLS = ("push button", "check box", "text")


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_the_window_fits_its_screen_and_all_of_a_comparison_is_in_it(
    new_person: NewPerson, compare: Callable[..., None], look: Look
) -> None:
    person = new_person(look.width, look.height, fill=False)
    person.start(scale=look.scale)
    person.until(lambda: any("It holds 36 comparisons" in node.name for node in person.nodes()), "the sample's card")
    left, top, width, height = person.window_box()
    assert left >= 0
    assert top >= 0
    assert left + width <= look.width, "the window is wider than its screen"
    assert top + height <= look.height, "the window is higher than its screen"
    if look.dark:
        go_dark(person)
    compare(window(person), f"home-{look.name}")

    person.click("Rate the sample", within="Rate outputs")
    person.click("Start")
    person.sees("0 of 36")
    cards = {name: person.find(name) for name in ("Choose A", "Choose B", "Choose C")}
    cut_off = [node.name for node in person.nodes() if node.role in CONTROLS and node.name and not node.whole]
    assert cut_off == []
    assert len({node.box[1] for node in cards.values()}) == 1, "the cards stand side by side"
    assert shares_no_room(person) == []
    person.move_pointer_away()
    compare(window(person), f"comparison-{look.name}")


def go_dark(person: Person) -> None:
    person.open_panel("Settings")
    person.tab_to("Colour theme", role="combo box")
    person.press("Home", "Down", "Down")
    person.until(lambda: person.display.picture().mean() < DARK, "a dark screen")
    person.open_panel("Home")


def window(person: Person) -> Pixels:
    """The picture of the window without its frame."""
    return cut(person.picture(), next(iter(person.windows())).box)


def shares_no_room(person: Person) -> list[tuple[str, str]]:
    """Pairs of controls that cover each other."""
    controls = [node for node in person.nodes() if node.role in ("push button", "check box") and node.in_sight]
    return [
        (one.name, other.name)
        for place, one in enumerate(controls)
        for other in controls[place + 1 :]
        if one not in other.above() and other not in one.above() and min(overlap(one.seen, other.seen)[2:]) > 0
    ]
