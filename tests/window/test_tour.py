"""The tour of three minutes, taken by somebody who has just installed the program, with the keyboard alone."""

import hashlib

from person import NewPerson, Person

STOPS = 8


def stops(person: Person, key: str) -> None:
    """Go from the first stop to the end by one key."""
    for place in range(1, STOPS + 1):
        person.sees(f"Tour, {place} of {STOPS}", seconds=60)
        person.press(key)
    person.sees_no("Tour,")


def test_the_tour_is_offered_once_and_taken_by_keys_alone(new_person: NewPerson) -> None:
    person = new_person(1024, 700)
    person.start()
    person.sees("New here?")
    person.click("Take the tour")
    stops(person, "Right")
    person.sees("See the bias in written text")
    person.sees_no("New here?")
    person.quit()
    person.start()
    person.sees("Needs a project with comparisons")
    person.sees_no("New here?")


def test_the_tour_is_left_by_escape_and_the_own_project_is_as_it_was(new_person: NewPerson) -> None:
    person = new_person(1024, 700)
    project = person.folder / "Mine.biasprint"
    person.command("new", project)
    person.start("gui", project)
    person.open_panel("Prompts")
    before = hashlib.sha256(project.read_bytes()).hexdigest()
    person.do("Tour of three minutes…")
    person.sees(f"Tour, 1 of {STOPS}", seconds=60)
    for key, place in (("Return", 2), ("Return", 3), ("Left", 2)):
        person.press(key)
        person.sees(f"Tour, {place} of {STOPS}", seconds=60)
    person.press("ctrl+w", "ctrl+k")
    person.sees("Sample — Biasprint")
    person.press("Escape")
    person.sees("Mine — Biasprint")
    person.sees_no("Tour,")
    person.until(
        lambda: any(node.name == "Prompts" and "checked" in node.states for node in person.nodes()), "panel Prompts"
    )
    assert hashlib.sha256(project.read_bytes()).hexdigest() == before
    person.quit()
