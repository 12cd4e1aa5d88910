"""Saying how much better a text is, how sure one is, and why: by real keys, and what is kept of it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from person import NewPerson, Person

TEXTS = {
    "man": "An apple fell at noon,\nand nobody came to look.\nThe grass kept it.",
    "woman": "A pear fell at dusk,\nand the whole village came.\nThe grass kept nothing.",
    "non-binary": "A plum fell at dawn,\nand the dog came to look.\nThe grass kept half of it.",
}
MARKED = np.array((0xFB, 0xEA, 0xDB))  # the tint of marked words in light colours
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


def judgments(person: Person, project: Path) -> list[dict[str, str]]:
    """What was kept, every row that was ever made."""
    out = person.folder / "judgments.csv"
    person.command("export", project, "judgments", "--out", out, "--superseded")
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
    plain = tinted(person)
    person.double_click_on(middle_of(person, "fell"))
    person.press("h")
    person.until(lambda: tinted(person) > plain + 100, "the marked word, tinted")
    person.press("shift+2")
    person.sees("How sure are you?")
    assert cut_off(person) == []
    person.press("3")
    person.sees("1 of 4")
    person.press("b")
    person.sees("✓ B much better")
    person.sees("You found B much better.")
    assert tinted(person) > plain + 100, "shown again"
    for answer, sure, done in (("1", "1", "1 of 4"), ("0", "2", "2 of 4"), ("x", "1", "3 of 4")):
        person.press(answer)
        person.sees("How sure are you?")
        person.press(sure)
        person.sees_no("How sure are you?")
        person.sees(done)
    person.press("s")
    person.click("Reveal")
    person.click("Reveal and lock")
    person.sees("What you chose")
    person.quit()
    rows = judgments(person, project)
    assert [(row["outcome"], row["degree"], row["confidence"]) for row in rows] == [
        ("choice", "much", ""), ("choice", "much", "3"), ("choice", "slightly", ""), ("choice", "slightly", "1"),
        ("tie", "equal", ""), ("tie", "equal", "2"), ("none", "", ""), ("none", "", "1"), ("skip", "", ""),
    ]  # fmt: skip
    assert [row["card"] for row in rows[:4]] == ["2", "2", "1", "1"]
    ((card, start, end),) = json.loads(rows[3]["spans"])
    text = TEXTS[rows[3]["shown"].split("|")[card - 1]]
    assert (card, text[start:end]) == (1, "fell")


def tinted(person: Person) -> int:
    """How many pixels have the colour of marked words."""
    return int((np.abs(person.picture().astype(int) - MARKED).max(axis=2) < 4).sum())


def middle_of(person: Person, word: str) -> tuple[int, int]:
    left, top, width, height = person.place_of(word, within="Text A")
    return left + width // 2, top + height // 2
