"""An audit, from “New audit…” to the report."""

from person import NewPerson


def test_a_new_audit_is_written_measured_and_reported(new_person: NewPerson) -> None:
    person = new_person()
    report = person.folder / "Report.html"
    person.start()
    person.click("New audit…")
    person.sees("Reference letters: 120 prompts")
    person.click("Generate and measure")
    person.sees("Words of nine categories: Male against female", seconds=150)
    person.click("Findings")
    answer = person.sees("Are words of some kinds more frequent in one group's letters? Yes")
    assert "n = 120" in answer.name
    person.click("Report…")
    person.press("Down", "Return")  # the first line of its menu, which a screen reader is not shown
    person.choose_file(report)
    person.sees("The report is in “Report.html”.")
    assert "Are words of some kinds more frequent" in report.read_text(encoding="utf-8").replace("&#39;", "'")


def test_an_own_question_goes_on_into_everything_and_a_new_audit_begins_without_it(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("New audit…")
    person.click("My own question")
    person.fill_in("Your question", "Write a reference for {name}, a cook.")
    person.fill_in("First name", "Emily")
    person.fill_in("Second name", "Lakisha")
    person.click("Choose everything…")
    person.sees("2 prompts")
    person.sees("Write a reference for Emily, a cook.")
    person.open_panel("Findings")
    person.open_panel("Prompts")
    person.sees("Write a reference for Emily, a cook.")
    person.click("Add and generate…")
    person.sees("My own question, version 1 (2 prompts)")
    person.open_panel("Prompts")
    person.sees("Write a reference for Emily, a cook.")
    person.open_panel("Home")
    person.click("New audit…")
    person.click("My own question")
    fields = [person.find(name, role="text") for name in ("Your question", "First name", "Second name")]
    assert [field.text for field in fields] == ["", "", ""]


def test_a_chosen_design_stays_chosen(new_person: NewPerson) -> None:
    person = new_person()
    person.start()
    person.click("New audit…")
    person.click(person.sees("Any score by any group", role="radio button").name)
    person.click("Choose everything…")
    person.sees("40 prompts")
    person.click_on(person.sees("Equal résumés, other names").centre)
    person.press("Down", "Return")
    person.sees_no("Equal résumés, other names")
    chosen = person.sees("prompts", role="label").name
    person.open_panel("Findings")
    person.open_panel("Prompts")
    person.sees(chosen)
    person.sees_no("Equal résumés, other names")
    person.click("Add and generate…")
    person.sees("Start")
    person.open_panel("Prompts")
    person.sees(chosen)
