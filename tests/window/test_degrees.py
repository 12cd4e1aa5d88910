"""Saying how much better a text is, how sure one is, and why: by real keys, and what is kept of it."""

import csv
from pathlib import Path
from typing import Any

import pytest
from person import NewPerson, Person

TEXTS = {
    "man": "An apple fell at noon,\nand nobody came to look.\nThe grass kept it.",
    "woman": "A pear fell at dusk,\nand the whole village came.\nThe grass kept nothing.",
    "non-binary": "A plum fell at dawn,\nand the dog came to look.\nThe grass kept half of it.",
}
SIZES = ((1440, 900), (1024, 700))


def make_project(person: Person, *axis: str) -> Path:
    table, project = person.folder / "fruit.csv", person.folder / "Fruit.biasprint"
    with table.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("task", "theme", "identity", "text"))
        for number in range(4):
            for identity, text in TEXTS.items():
                rows.writerow(("haiku", f"thing{number}", identity, text + "\n" + "i" * number))
    person.command("new", project)
    person.command("import", project, table, "--study", "creativity")
    person.command("compare", project, "--axis", *axis, "--seed", 1, "--graded", "--confidence", "--spans")
    return project


def judgments(person: Person, project: Path) -> list[dict[str, Any]]:
    out = person.folder / "judgments.csv"
    out.unlink(missing_ok=True)
    person.command("export", "judgments", project, "--out", out, "--superseded")
    with out.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def cut_off(person: Person) -> list[str]:
    """The controls that a window of this size does not show whole."""
    return [
        node.name
        for node in person.nodes()
        if node.role in ("push button", "check box") and node.name and not node.whole
    ]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_an_answer_says_which_how_much_how_sure_and_why(new_person: NewPerson, size: tuple[int, int]) -> None:
    person = new_person(*size)
    project = make_project(person, "gender:man,woman")
    person.start("gui", project)
    person.click("Judge")
    person.click("Start")
    person.sees("A slightly better")
    assert cut_off(person) == []
    person.double_click_on(middle_of(person, "fell"))
    person.press("h")
    person.sees("Saved")
    person.press("shift+2")
    person.sees("How sure are you?")
    assert cut_off(person) == []
    person.press("3")
    person.sees("1 of 4")
    person.press("b")
    person.sees("✓ B much better")
    person.sees("You found B much better.")
    person.sees("1 passage is marked")
    person.press("1", "1", "0", "2")
    person.sees("2 of 4")
    person.press("x", "1", "0", "1")
    person.sees("Overview")
    person.click("Finish and reveal")
    person.quit()


def middle_of(person: Person, word: str) -> tuple[int, int]:
    left, top, width, height = person.place_of(word, within="Text A")
    return left + width // 2, top + height // 2
