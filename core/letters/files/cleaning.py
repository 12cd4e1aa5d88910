"""What is read of a paragraph: blanks as one blank, no unseen characters; and where in it each character stood."""

import re

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff]")  # soft hyphens and blanks of no width: they would part words


def cleaned(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them; nothing else of the text is changed."""
    text = _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n"))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def kept(paragraph: str) -> tuple[str, list[int]]:
    """A paragraph as it is read, and the place of each of its characters in the paragraph as it was."""
    found: list[int] = []
    line: list[int] = []
    last_break = -1
    for place, character in enumerate(paragraph + "\n"):
        if character in "\v\n":
            of_line = _kept_of_line(paragraph, line)
            if of_line:
                found += [last_break, *of_line] if found else of_line
            line, last_break = [], place
        elif character != "\x00" and not _UNSEEN.match(character):
            line.append(place)
    return "".join(_shown(paragraph[place]) for place in found), found


def _shown(character: str) -> str:
    return "\n" if character in "\v\n" else _BLANKS.sub(" ", character)


def _kept_of_line(paragraph: str, line: list[int]) -> list[int]:
    found: list[int] = []
    for place in line:
        if not (found and _BLANKS.match(paragraph[place]) and _BLANKS.match(paragraph[found[-1]])):
            found.append(place)
    first, last = 0, len(found)
    while last > first and paragraph[found[last - 1]].isspace():
        last -= 1
    while first < last and paragraph[found[first]].isspace():
        first += 1
    return found[first:last]
