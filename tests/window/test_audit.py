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
