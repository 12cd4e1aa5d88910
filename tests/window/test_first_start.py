"""The first minutes of somebody who has just installed the program."""

from conftest import NewPerson


def test_from_the_first_start_to_the_first_comparison_judged(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("Rate the sample", within="Rate outputs")
    person.click("Start")
    person.sees("0 of 36")
    person.press("1")
    person.sees("1 of 36")
