"""Judging long texts: what scrolls, and what a key does."""

import re
from collections.abc import Callable

import pytest
from person import NewPerson, Person
from stairs import COMPARISONS, Stairs, make_project

WHERE = ((400, 380), (740, 380), (1080, 380))  # over the text of each card
LINES_OFF = 1.2  # only whole lines are read from the screen
HELD_SECONDS = 1.5  # an X server repeats a key after 0.66 s
Scroll = Callable[[Person, tuple[int, int]], None]
ANSWERED = re.compile(r"(\d+) of (\d+)")


@pytest.fixture(scope="module")
def rater(new_person_for_all: NewPerson) -> Person:
    """A rater before the first of 36 comparisons with long texts."""
    person = new_person_for_all()
    person.start("gui", make_project(person))
    person.click("Judge")
    person.click("Start")
    person.sees(f"0 of {COMPARISONS}")
    return person


def answered(person: Person) -> int:
    """How many answers the window says there are."""
    for node in person.nodes():
        if match := ANSWERED.fullmatch(node.name):
            return int(match[1])
    raise AssertionError(f"No count of answers on the screen: {person.texts()}")


def test_a_held_key_answers_once(rater: Person) -> None:
    for key in ("1", "0", "x"):
        before = answered(rater)
        rater.hold(key, HELD_SECONDS)
        rater.sees(f"{before + 1} of {COMPARISONS}")
        rater.picture()
        assert answered(rater) == before + 1, f"{key} was held once"


def test_a_held_key_goes_back_once(rater: Person) -> None:
    before = answered(rater)
    shown = title(rater)
    rater.press("2")
    rater.sees(f"{before + 1} of {COMPARISONS}")
    rater.hold("b", HELD_SECONDS)
    rater.sees("✓ B chosen")
    rater.picture()
    assert title(rater) == shown
    rater.press("2")
    rater.sees_no("✓ B chosen")
    assert answered(rater) == before + 1


def test_a_held_letter_is_typed_again_and_again_in_a_note(rater: Person) -> None:
    """So that the two above do not pass because this display repeats nothing."""
    rater.press("n")
    rater.hold("1", HELD_SECONDS)
    rater.until(lambda: any(node.text.startswith("1111") for node in rater.nodes()), "a note with many letters")
    rater.press("ctrl+a", "BackSpace", "Escape", "n", "Escape")


def title(person: Person) -> str:
    return next(node.name for node in person.nodes() if node.name.startswith("Haiku · thing"))


def drag_the_bar(person: Person, where: tuple[int, int]) -> None:
    """Drag the bar beside one of the texts down by a finger's breadth."""
    bars = [node for node in person.nodes() if node.role == "scroll bar" and node.seen[3] > 200]
    left, top, width, _ = min((bar.box for bar in bars if bar.box[0] > where[0]), key=lambda box: box[0])
    person.drag((left + width // 2, top + 20), (left + width // 2, top + 110))


DOWNWARDS: tuple[Scroll, ...] = (
    lambda person, where: person.wheel(where, 3),
    lambda person, where: person.press("Down", "Down", "Down"),
    drag_the_bar,
    lambda person, where: person.press("Next"),
)
ONWARDS: tuple[Scroll, ...] = (
    lambda person, where: person.press("End"),
    lambda person, where: person.wheel(where, -4),
    lambda person, where: person.press("Prior"),
    lambda person, where: person.press("Home"),
)


def test_texts_that_scroll_together_show_the_same_share_of_each_text(rater: Person) -> None:
    """Through all comparisons that are left, each scrolled in another way over another card; the first in every way."""
    done = answered(rater)
    assert done <= COMPARISONS - 30
    scrolled = 0
    while done < COMPARISONS:
        texts = Stairs.on(rater)
        assert len(texts) == 3
        assert shares(texts, rater) == [0, 0, 0], "a comparison begins at its first lines"
        where = WHERE[done % len(WHERE)]
        for scroll in (*DOWNWARDS, *ONWARDS) if not scrolled else (DOWNWARDS[done % len(DOWNWARDS)],):
            before = shares(texts, rater)
            scroll(rater, where)
            rater.until(lambda texts=texts, before=before: have_moved(texts, before, rater), "texts moving together")
            scrolled += 1
        rater.press("123"[done % 3])
        done += 1
        if done < COMPARISONS:
            rater.sees(f"{done} of {COMPARISONS}")
    rater.sees("Reveal")


def shares(texts: list[Stairs], person: Person) -> list[float]:
    screen = person.display.picture()
    return [text.share(screen) for text in texts]


def have_moved(texts: list[Stairs], before: list[float], person: Person) -> bool:
    """Whether all texts moved, and show their lines from the same share of what can be scrolled."""
    screen = person.display.picture()
    now = [text.share(screen) for text in texts]
    one_line = [LINES_OFF / (text.lines - text.first_line(screen)[1]) for text in texts]
    middle = sorted(now)[1]
    same = all(abs(share - middle) <= line + max(one_line) for share, line in zip(now, one_line, strict=True))
    return same and all(share != earlier for share, earlier in zip(now, before, strict=True))
