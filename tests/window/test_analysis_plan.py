"""An analysis plan, locked in Findings before anything is scored, and what is shown of it afterwards."""

import json

from person import NewPerson, Person

FILE = "study.biasprint"


def with_texts(person: Person) -> None:
    """A project with imported texts of two groups, those of b longer."""
    words = {"a": "a few plain words", "b": "a few plain words and many more of them besides"}
    rows = [f"{group},{block},{text} {'again ' * (block % 3)}" for block in range(12) for group, text in words.items()]
    (person.folder / "texts.csv").write_text("\n".join(["group,block,text", *rows]))
    person.command("new", FILE)
    person.command("import", FILE, "texts.csv", "--study", "compare")


def test_a_plan_is_locked_with_the_keyboard_and_its_findings_are_marked(new_person: NewPerson) -> None:
    person = new_person()
    with_texts(person)
    person.start(person.folder / FILE)
    person.open_panel("Findings")
    person.click("Analysis plan: Any score by any group")
    person.sees("before any text was scored or judged (24 texts were there)")
    person.click("Do texts of one group score higher than those of another?")
    person.press("Tab", "Tab")
    person.press("ctrl+a")
    person.write("3")
    person.click("Refusals")
    person.click("Lock the plan")
    person.sees("Analysis plan locked on ")
    locked = json.loads(person.command("analysis-plan", "show", FILE, "--json"))
    assert [(each["finding"], each["margin"]) for each in locked["findings"]] == [("compare.difference", 3.0)]
    assert locked["exclusions"] == ["refusals"]
    assert locked["before_scoring"]
