"""Paragraphs from lines: plain text is broken at a width, and its lines are put together again."""

import re
from statistics import median

RETURN = re.compile(r"<return>", re.IGNORECASE)  # what stands for a line break in some released tables
_LIST = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_ENDS = (".", "!", "?", ":", ";", "”", '"', ")")
FULL_LINE = 0.75  # of the usual width: a line that long was broken for want of room
LEAST_WIDTH = 45  # characters; narrower lines are an address or a list


def paragraphs_of(text: str) -> list[str]:
    """Blocks between blank lines; within one, lines that were broken at a width become one again.

    Where nothing but single line ends separates paragraphs, every long line is one.
    """
    text = RETURN.sub("\n", text).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    blocks = [block.strip("\n") for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    width = _width(text)
    return [paragraph for block in blocks for paragraph in _unwrapped(block.split("\n"), width)]


def _width(text: str) -> float:
    """The width at which lines were broken; 0 where they were not."""
    longer = [len(line) for line in text.split("\n") if len(line.strip()) >= LEAST_WIDTH]
    if not longer:
        return 0.0
    usual = median(longer)
    return usual if usual <= 120 and max(longer) <= 1.6 * usual else 0.0


def _unwrapped(lines: list[str], width: float) -> list[str]:
    if width == 0.0:
        long = [len(line) > LEAST_WIDTH * 2 for line in lines]
        return lines if any(long) else ["\n".join(line.strip() for line in lines)]
    paragraphs: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on and not _LIST.match(line):
            paragraphs[-1] = _joined(paragraphs[-1], line.strip())
        elif paragraphs and not goes_on and len(line) < LEAST_WIDTH and len(paragraphs[-1]) < LEAST_WIDTH:
            paragraphs[-1] += "\n" + line.strip()  # an address
        else:
            paragraphs.append(line.strip())
        goes_on = len(line) >= FULL_LINE * width
    return [paragraph for paragraph in paragraphs if paragraph]


def _joined(before: str, line: str) -> str:
    """A word that was divided at the end of a line is one again; a compound keeps its hyphen where it has a capital."""
    if re.search(r"[a-z]-$", before) and line[:1].islower():
        return before[:-1] + line
    return f"{before} {line}"
