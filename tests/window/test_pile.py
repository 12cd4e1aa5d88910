"""A day with a pile of letters, by mouse and keys: read, held against CVs, edited, taken out; gone on with later."""

from pathlib import Path

import docx
from accessible import middle
from person import NewPerson, Person
from test_letter import write_word

NAMES = (
    "Helen Adler", "Emily Stone", "Thomas Okafor", "Peter Brandt", "Maria Costa", "Luis Duarte",
    "Anna Ekberg", "Samir Farouk", "Olivia Grant", "Ole Hansen", "Keiko Ito", "Mark Jones",
)  # fmt: skip
WITH_CV = (0, 8, 10)
CLICKS, KEYS = 20, 20  # that the first day takes; a step more is one to think about


def file_of(number: int) -> str:
    return f"{number + 1:02}_{'_'.join(reversed(NAMES[number].split()))}.docx"


def letter(number: int) -> tuple[str, ...]:
    name = NAMES[number]
    first = name.split()[0]
    she, her = ("He", "his") if number in (2, 3, 5, 7, 9, 11) else ("She", "her")
    return (
        "Dear committee,",
        f"I recommend {name} for the post of engineer. {first} led a team of four and is a warm and caring colleague.",
        f"{she} seems to be an adequate planner. {she} built the control system of {her} bridge in 2019.",
        "Sincerely,",
        "Ruth Levi",
    )


def pile_of(folder: Path, count: int = len(NAMES)) -> tuple[Path, Path]:
    """Write the letters and the CVs, each in a folder."""
    letters, cvs = folder / "Applications", folder / "CVs"
    for made in (letters, cvs):
        made.mkdir()
    for number in range(count):
        write_word(letters / file_of(number), letter(number))
    for number in WITH_CV:
        write_word(cvs / file_of(number), (NAMES[number], "Engineer since 2017", "Built a bridge in 2018"))
    return letters, cvs


def open_row(person: Person, file: str) -> None:
    row = person.until(
        lambda: next((node for node in person.nodes() if node.name == file and node.in_sight), None), f"the row {file}"
    )
    person.click_on(row.centre)
    person.sees(f"{file}: ")  # the line below speaks of the row that is highlighted
    person.press("Return")
    reads(person, file)


def reads(person: Person, file: str) -> None:
    """Wait until a letter of the pile is shown and read."""
    person.sees(f": {file}")
    person.sees("What to look at", seconds=60)
    person.settled()


def replace_word(person: Person, word: str, by: str) -> None:
    person.double_click_on(middle(person.place_of(word, within="The letter")))
    person.write(by)
    person.until(lambda: by in person.find("The letter", role="text").text, f"“{by}” in the letter")
    person.settled()


def text_of(person: Person) -> str:
    return person.find("The letter", role="text").text


def test_a_day_with_twelve_letters_and_the_next(new_person: NewPerson) -> None:
    person = new_person(1440, 900)
    letters, cvs = pile_of(person.folder)
    out = person.folder / "out"
    out.mkdir()
    person.start()
    person.open_panel("Letters")
    person.click("A pile of letters…")
    person.click("Choose a folder…")
    person.choose_file(letters)
    person.sees("12 of 12 files read", seconds=120)
    person.click("CVs…")
    person.choose_file(cvs)
    person.sees("3 letters were held against their CVs.", seconds=60)
    person.settled()

    open_row(person, file_of(1))
    replace_word(person, "adequate", "careful")
    person.do("Save as Word, with changes and comments…")
    person.choose_file(out / "Stone.docx")
    person.sees("Written to “Stone.docx”.", seconds=60)
    person.sees_no("not saved")
    person.click("Next")
    reads(person, file_of(2))
    replace_word(person, "adequate", "able")
    person.do("Save as Word, with changes and comments…")
    person.choose_file(out / "Okafor.docx")
    person.sees("Written to “Okafor.docx”.", seconds=60)
    person.click_word("caring", within="The letter")
    person.sees("Communal: “caring”")
    person.press("alt+d")
    person.sees("1 dismissed")
    person.press("ctrl+Page_Down")
    reads(person, file_of(3))
    person.click("Report…")
    person.press("Return")
    person.choose_file(out / "note.pdf")
    person.sees("Saved as “note.pdf”", seconds=60)
    person.click("Back to the pile")
    person.sees(f"{file_of(3)}: ")
    person.click("Report for all…")
    person.choose_file(out / "report.pdf")
    person.sees("Saved as “report.pdf”", seconds=90)
    person.sees("This pile: kept on this computer")
    assert (person.clicks, person.keys) == (CLICKS, KEYS)
    person.quit()

    assert all((out / name).stat().st_size for name in ("Stone.docx", "Okafor.docx", "note.pdf", "report.pdf"))
    written = docx.Document(str(out / "Stone.docx")).element.iter()
    assert any("careful" in (part.text or "") for part in written)

    person.start()
    person.open_panel("Letters")
    person.sees("Applications: 12 letters, 2 of them worked on")
    person.click("Open")
    person.sees("12 of 12 files read")
    open_row(person, file_of(1))
    assert "careful planner" in text_of(person)
    person.press("ctrl+Page_Down")
    reads(person, file_of(2))
    assert "an able planner" in text_of(person)
    person.sees("1 dismissed")
    person.press("alt+Left")
    open_row(person, file_of(8))
    person.click("CV", role="page tab")
    assert "Built a bridge in 2018" in person.find("The CV", role="text").text
    assert letters.exists()
    person.quit()


def test_what_happens_to_a_pile_meanwhile_is_one_sentence_and_loses_nothing(new_person: NewPerson) -> None:
    person = new_person(1440, 900)
    letters, _ = pile_of(person.folder, 3)
    (letters / "4_broken.docx").write_bytes((letters / file_of(0)).read_bytes()[:9000])
    person.start()
    person.open_panel("Letters")
    person.click("A pile of letters…")
    person.click("Choose a folder…")
    person.choose_file(letters)
    person.sees("3 of 4 files read · 1 could not be", seconds=60)
    open_row(person, file_of(0))
    person.click("CV", role="page tab")
    person.click("Choose a file…", within="The CV")
    person.choose_file(letters / file_of(1))
    person.sees(f"“{file_of(1)}” looks like a letter, not a CV")
    replace_word(person, "adequate", "careful")

    write_word(letters / file_of(0), ("Dear all,", "I recommend Helen Adler in other words than those of yesterday."))
    person.press("ctrl+Page_Down")
    reads(person, file_of(1))
    person.press("ctrl+Page_Up")
    person.sees(f"“{file_of(0)}” was changed elsewhere since you opened it: your version is shown")
    assert "careful planner" in text_of(person)

    stick = letters.rename(letters.with_name("in a pocket"))
    person.press("ctrl+Page_Down")
    person.sees("“Applications” is not there any more.")
    person.sees("Connect the drive that it is on")
    assert "careful planner" in text_of(person)
    stick.rename(letters)
    person.click("To look at", role="page tab")
    for focus, key, file in (
        ("list", "ctrl+Page_Down", 1),
        ("text", "ctrl+Page_Up", 0),
        ("page tab", "ctrl+Page_Down", 1),
    ):
        name = {"list": "What to look at", "text": "The letter", "page tab": "To look at"}[focus]
        person.click(name, role=focus)  # wherever the keyboard is, the keys go on
        person.press(key)
        reads(person, file_of(file))
    person.quit()
