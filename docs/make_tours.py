"""Makes docs/tours anew: python docs/make_tours.py [rate letter audit workshop], with the project's own environment.

The installed window is driven by real keys on an X server of its own, as tests/window does. Each stop is a picture of
the screen with what is done next ringed and said below it. A tour is one animated picture that stands still long enough
to be read, and a still of its first stop, so that a page moves only when somebody asks for it.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "window"))

import docx
from accessible import Box, Node
from display import Display
from installed import installed_command
from person import Person
from PIL import Image, ImageDraw, ImageFont

TOURS = ROOT / "docs" / "tours"
FONTS = ROOT / "resources" / "fonts"
WIDTH, HEIGHT, CAPTION = 1024, 700, 64  # pixels of the screen, and below it
GROUND, INK, SOFT, RING = "#24272D", "#FFFFFF", "#B9C0CB", "#D55E00"
PATIENCE_SECONDS = 600  # a first letter or fingerprint loads what reads it
WORD_SECONDS, LOOK_SECONDS = 0.33, 2.0  # read slowly, then look
LARGEST_BYTES, LARGEST_TOGETHER = 2_000_000, 4_000_000
LETTER = (
    "To whom it may concern,",
    "I recommend Kelly Moreno for the post of laboratory technician. She worked in our laboratory for four years.",
    "Kelly is a warm and caring colleague, and everybody likes her. She is always cheerful and helpful to new people.",
    "She might be able to lead a small group. Kelly repaired the centrifuge in 2021. She speaks Portuguese.",
    "Sincerely,",
    "Ann Weber",
)
CV = (
    "Kelly Moreno",
    "Laboratory technician, Weber Laboratories, 2019 to 2023",
    "Repaired and maintained the centrifuges.",
    "Languages: English, Spanish",
)


class Tour:
    """A tour that is being recorded: `look` takes a stop."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.stops: list[tuple[Image.Image, str]] = []

    def look(self, caption: str, ringed: "Node | Box | None" = None) -> None:
        """Take the screen as it is now, say what is seen or done next, and ring the control that it is done with."""
        self.person.move_pointer_away()
        self.person.settled(PATIENCE_SECONDS)
        picture = Image.fromarray(self.person.picture()).convert("RGB")
        if ringed is not None:
            left, top, width, height = ringed.seen if isinstance(ringed, Node) else ringed
            around = (left - 5, top - 5, left + width + 4, top + height + 4)
            ImageDraw.Draw(picture).rounded_rectangle(around, 8, outline=RING, width=4)
        self.stops.append((picture, caption))

    def click(self, caption: str, name: str, *, role: str = "", within: str = "") -> None:
        """Say what is clicked, then click it."""
        node = self.person.reach(name, role=role, within=within)
        self.look(caption, node)
        self.person.click_on(node.centre)

    def write(self, name: str) -> int:
        """Write the animated picture and its still; return the bytes of both."""
        frames = [captioned(picture, words, at, len(self.stops)) for at, (picture, words) in enumerate(self.stops)]
        pauses = [round(1000 * (LOOK_SECONDS + WORD_SECONDS * len(words.split()))) for _, words in self.stops]
        moving, still = TOURS / f"{name}.webp", TOURS / f"{name}-still.webp"
        frames[0].save(
            moving, save_all=True, append_images=frames[1:], duration=pauses, loop=0, lossless=True, method=6
        )
        frames[0].save(still, lossless=True, method=6)
        print(
            f"{moving.relative_to(ROOT)}: {len(frames)} stops, {sum(pauses) // 1000} s, {moving.stat().st_size:,} bytes"
        )
        assert moving.stat().st_size <= LARGEST_BYTES, f"{moving.name} is too large."
        return moving.stat().st_size + still.stat().st_size


def captioned(picture: Image.Image, words: str, at: int, total: int) -> Image.Image:
    """Return the picture with its caption below, and how far the tour is."""
    frame = Image.new("RGB", (WIDTH, HEIGHT + CAPTION), GROUND)
    frame.paste(picture, (0, 0))
    pen = ImageDraw.Draw(frame)
    large, small = (ImageFont.truetype(str(FONTS / f"Inter-{weight}.ttf"), size) for weight, size in
                    (("Medium", 20), ("Regular", 15)))  # fmt: skip
    assert pen.textlength(words, large) < WIDTH - 130, f"The caption is too long: {words}"
    middle = HEIGHT + CAPTION // 2
    pen.text((24, middle), words, INK, large, anchor="lm")
    pen.text((WIDTH - 24, middle), f"{at + 1} of {total}", SOFT, small, anchor="rm")
    pen.rectangle((0, HEIGHT, round(WIDTH * (at + 1) / total), HEIGHT + 3), RING)
    return frame


def word_file(folder: Path, name: str, paragraphs: Sequence[str]) -> Path:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(str(folder / name))
    return folder / name


def rate(tour: Tour) -> None:
    person = tour.person
    tour.click("The sample project has texts to compare. Begin here.", "Rate the sample", within="Rate outputs")
    person.sees("Start", role="push button")
    tour.click("A code is all that is stored of you. Press Start, or Return.", "Start", role="push button")
    person.sees("0 of 36")
    tour.look("Two or three texts side by side. Read them, then press 1, 2 or 3.")
    person.press("End", "1")
    person.sees("1 of 36")
    tour.look("The choice is on the disk, and the next comparison is here.")
    person.press("d")
    tour.look("D marks the words in which the texts differ.")
    person.press("d", "g")
    tour.look("G opens what to judge by: the rubric.")
    person.press("g", "0")
    person.sees("2 of 36")
    person.press("2")
    person.sees("3 of 36")
    tour.click("You can stop whenever you like. The count leads to the overview.", "3 of 36")
    person.sees("Reveal", role="push button")
    tour.click("From here any answer can be changed, until you reveal.", "Reveal", role="push button")
    tour.click("The reveal locks your answers, so it asks once more.", "Reveal and lock")
    person.sees("You chose these texts")
    tour.click("Now you see for whom each text was written.", "See my fingerprint")
    person.sees("In words", seconds=PATIENCE_SECONDS)
    tour.look("With most comparisons unanswered there is no result, and the page says so.")


def letter(tour: Tour) -> None:
    person = tour.person
    file, cv = word_file(person.folder, "Letter.docx", LETTER), word_file(person.folder, "CV.docx", CV)
    tour.click("A letter is checked on this computer alone.", "Check a letter", within="Check a letter")
    tour.click("Drop a Word, PDF or text file, paste the text, or choose a file.", "Choose a file…")
    person.choose_file(file)
    person.sees("Communal:")
    tour.look("Words worth a second look are marked, and counted by kind.")
    place = person.place_of("caring", within="The letter")
    tour.look("A click on a mark says why it is there.", place)
    person.click_word("caring", within="The letter")
    person.sees("Communal: “caring”")
    tour.click("You decide. A mark that is not meant so can be dismissed.", "Dismiss")
    person.click("CV", role="page tab")
    tour.click("With the CV beside it, the letter’s claims can be looked up.", "Choose a file…", within="The CV")
    person.choose_file(cv)
    person.sees("entailment", seconds=PATIENCE_SECONDS)
    person.settled(PATIENCE_SECONDS)
    person.click("To look at", role="page tab")
    tour.look("What the CV does not bear out is listed. Not found does not mean untrue.")
    person.click("The letter", role="page tab")
    tour.click("“Swap twin” shows the same letter under another name.", "Swap twin")
    tour.look("One letter cannot show bias: bias is a difference between groups of letters.")


def audit(tour: Tour) -> None:
    person = tour.person
    tour.click("An audit asks for the same text on behalf of different people.", "New audit…")
    person.sees("What is asked")
    tour.look("Choose what is asked, and who writes. The synthetic author needs no model.")
    tour.click("One press writes the texts and measures them.", "Generate and measure")
    person.sees("Latest text", seconds=PATIENCE_SECONDS)
    person.sees("Words of nine categories: Male against female", seconds=PATIENCE_SECONDS)
    tour.look("The figure shows each measure with its interval.")
    tour.click("Every number stands under Findings.", "Findings", within="Panels")
    answer = person.sees("Are words of some kinds more frequent in one group's letters?")
    tour.look("The answer comes first, with the number of texts behind it.", answer)
    person.click_on(answer.centre)
    finding = person.sees("Standout words: male against female")
    tour.look("Below it are the findings that it rests on.", finding)
    person.click_on(finding.centre)
    person.sees("The finding in full")
    tour.click("A finding opens with its interval, n and what it means.", "Open its texts")
    person.sees("Back to the findings")
    tour.look("And behind each finding are the texts that were counted.")
    person.press("Escape")
    tour.click("A report holds all of it: as a page, PDF, Markdown or LaTeX.", "Report…")


def workshop(tour: Tour) -> None:
    person = tour.person
    tour.click("A workshop needs this computer, and no network.", "Lead a workshop", role="push button")
    person.fill_in("Comparisons on each axis", "3\t")
    person.sees("3 comparisons for each person.")
    tour.click("Say how many comparisons each person judges. More can show more.", "Start the workshop")
    person.sees("Which text do you find best?")
    tour.look("The first page says how long it takes, and what so few choices can show.")
    person.press("Return")
    person.sees("0 of 3")
    tour.look("People take turns. Each judges blind, by the keys 1, 2 and 3.")
    for number, key in enumerate("121"):
        person.sees(f"{number} of 3")
        person.press(key)
    person.sees("That was the last one")
    tour.look("After the last one, Return opens their own picture.")
    person.press("Return")
    person.sees("Your fingerprint", seconds=PATIENCE_SECONDS)
    person.settled(PATIENCE_SECONDS)
    tour.click("It is theirs alone. The next person starts clean.", "Done: next person")
    person.sees("Which text do you find best?")
    tour.click("Whoever leads ends the workshop from here.", "Leave the workshop", role="push button")
    person.click("Leave")
    person.sees("begun")
    tour.look("The group is shown from five people on, so that nobody can be picked out.")


RECORDED: dict[str, Callable[[Tour], None]] = {"rate": rate, "letter": letter, "audit": audit, "workshop": workshop}


def record(name: str, command: Path) -> int:
    """Record one tour in a home where nobody has been; return its bytes."""
    folder = Path(tempfile.mkdtemp(prefix="biasprint-tour-"))
    with Display(WIDTH, HEIGHT) as display:
        person = Person(display, [command], folder)
        try:
            person.start()
            person.click("Close this message")  # the offer of the tour in the window
            person.sees_no("New here?")
            tour = Tour(person)
            RECORDED[name](tour)
            return tour.write(name)
        finally:
            person.stop()
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    TOURS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="biasprint-tours-") as folder:
        command = installed_command(Path(folder) / "installed")
        for name in sys.argv[1:] or RECORDED:
            record(name, command)
    together = sum(file.stat().st_size for file in TOURS.glob("*.webp"))
    print(f"Together {together:,} bytes.")
    assert together <= LARGEST_TOGETHER, "The tours are too large for the tree."


if __name__ == "__main__":
    main()
