"""The first minutes of somebody who has just installed the program."""

import pytest
from person import NewPerson

DOORS = ("Check a letter", "New audit…", "Own people…", "Open…", "New project…")


def test_from_the_first_start_to_the_first_comparison_judged(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("Rate the sample", within="Rate outputs")
    person.sees("Start", role="push button")
    person.press("Return")
    person.sees("0 of 36")
    person.press("1")
    person.sees("1 of 36")
    person.quit()

    person.start()
    person.click("Open the sample")
    person.click("Go on rating")
    person.press("Return")
    person.sees("1 of 36")


@pytest.mark.parametrize(("arguments", "title"), [(("gui",), "Biasprint"), (("demo",), "Sample — Biasprint")])
def test_every_way_to_start_opens_the_window(new_person: NewPerson, arguments: tuple[str, ...], title: str) -> None:
    person = new_person()
    person.start(*arguments)
    person.until(lambda: [window.name for window in person.windows()] == [title], f"the window “{title}”")
    person.find("New project…")
    person.quit()


def test_the_doors_of_home_stay_where_they_first_were(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    at_first = {name: person.find(name).box for name in DOORS}
    facts = "It holds 36 comparisons to rate"
    person.until(lambda: any(facts in node.name for node in person.nodes()), facts)
    person.picture()
    assert {name: person.find(name).box for name in DOORS} == at_first


def test_a_project_that_is_open_is_not_opened_twice(new_person: NewPerson) -> None:
    person = new_person()
    project = person.folder / "Mine.biasprint"
    person.command("new", project)
    person.start("gui", project)
    person.sees("Mine — Biasprint")
    assert person.command("gui", project) == ""
    (window,) = person.windows()
    assert "active" in window.states


def test_without_a_window_manager_the_window_opens_as_well(new_person: NewPerson) -> None:
    person = new_person(managed=False)
    person.start()
    person.find("Check a letter")
    for _ in range(2):  # the keyboard is the window's, and so again when a dialog has closed
        person.press("ctrl+n")
        person.until(lambda: len(person.windows()) == 2, "a dialog")
        person.press("Escape")
        person.until(lambda: len(person.windows()) == 1, "the window alone")
    person.click("Check a letter")
    person.sees("Paste a letter")


def test_a_person_chooses_german_and_starts_again(new_person: NewPerson) -> None:
    person = new_person()
    project = person.folder / "Mine.biasprint"
    person.command("new", project)
    person.start("gui", project)
    person.open_panel("Settings")
    person.tab_to("As the system", role="combo box")  # of the language, the first setting
    person.write("Deutsch")
    person.click("Start again now")
    person.sees_it_start_again()
    person.sees("Mine — Biasprint")
    person.open_panel("Einstellungen")
    person.sees("Sprache")
    assert person.language().startswith("de")
    person.press("ctrl+q")
    person.until(lambda: not person.windows(), "no window any more")
