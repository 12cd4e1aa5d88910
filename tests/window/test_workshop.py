"""A workshop of two people at one computer."""

from person import NewPerson, Person

COMPARISONS = 3


def take_part(person: Person, key: str) -> None:
    """Judge by one key, and see one's own picture."""
    person.sees("Which text do you find best?")
    person.press("Return")
    for number in range(COMPARISONS):
        person.sees(f"{number} of {COMPARISONS}")
        person.press(key)
    person.sees("That was the last one")
    person.press("Return")
    person.sees("Your fingerprint")
    person.sees(f"You chose {COMPARISONS} texts. That is too few to say anything about you.")


def test_two_people_take_part_in_a_workshop(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("Lead a workshop")
    person.fill_in("Comparisons on each axis", f"{COMPARISONS}\t")
    person.sees(f"{COMPARISONS} comparisons for each person.")
    person.click("Start the workshop")
    take_part(person, "1")
    person.click("Done: next person")
    take_part(person, "2")
    person.click("Done: next person")

    person.click("Leave the workshop", role="push button")
    person.click("Leave")
    person.sees("2 sessions were begun. 2 were finished.")
    person.sees("The group’s choices are shown from 5 people on")
    person.click("End the workshop")
    person.sees("Fingerprint", role="radio button")


def test_a_held_key_answers_once_in_a_workshop(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("Lead a workshop")
    person.click("Start the workshop")
    person.sees("Which text do you find best?")
    person.press("Return")
    person.sees("0 of 20")
    person.hold("1", 1.5)
    person.sees("1 of 20")
    person.picture()
    assert any(node.name == "1 of 20" for node in person.nodes())
