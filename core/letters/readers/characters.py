"""The characters of a paragraph as it is read: one kind of blank, nothing unseen, ligatures as their letters."""

import re
import unicodedata

_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
# Soft hyphens and blanks of no width would part words; tags are never shown.
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff\U000e0000-\U000e007f]")
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_LIGATURES = re.compile(r"[\ufb00-\ufb06]")  # ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ: how letters are set, not other letters


def cleaned(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them, ligatures as letters; nothing else is changed."""
    text = _LIGATURES.sub(_letters, _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n")))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def kept(paragraph: str) -> tuple[str, list[int]]:
    """A paragraph as it is read, and the place of each of its characters in the paragraph as it was.

    The letters of a ligature share its place.
    """
    places: list[int] = []
    line: list[int] = []
    last_break = -1
    for place, character in enumerate(paragraph + "\n"):
        if character in "\v\n":
            of_line = _kept_of_line(paragraph, line)
            if of_line:
                places += [last_break, *of_line] if places else of_line
            line, last_break = [], place
        elif character != "\x00" and not _UNSEEN.match(character):
            line.append(place)
    shown = [_shown(paragraph[place]) for place in places]
    return "".join(shown), [place for place, letters in zip(places, shown, strict=True) for _ in letters]


def written_in_tags(text: str) -> str:
    """Return the words that a text holds in tag characters, which no program shows."""
    return " ".join("".join(chr(ord(tag) - 0xE0000) for tag in run.group()) for run in _TAGS.finditer(text))


def _letters(ligature: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", ligature.group())


def _shown(character: str) -> str:
    if character in "\v\n":
        return "\n"
    return _LIGATURES.sub(_letters, _BLANKS.sub(" ", character))


def _kept_of_line(paragraph: str, line: list[int]) -> list[int]:
    places: list[int] = []
    for place in line:
        if not (places and _BLANKS.match(paragraph[place]) and _BLANKS.match(paragraph[places[-1]])):
            places.append(place)
    first, last = 0, len(places)
    while last > first and paragraph[places[last - 1]].isspace():
        last -= 1
    while first < last and paragraph[places[first]].isspace():
        first += 1
    return places[first:last]
