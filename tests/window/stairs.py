"""Texts whose place can be read from the pixels: line k has k letters, so the first line's length says where one is.

A scroll bar can say anything, also to a screen reader; what is on the screen cannot.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from accessible import Box, Node
from display import Pixels
from person import Person, cut

LINES = {"man": 55, "woman": 45, "non-binary": 35}  # of the text of each identity
COMPARISONS = 36
BAR_PIXELS = 16  # the scroll bar's column, at the right
INK = 120  # darker pixels are letters
LETTER_PIXELS = 8  # a line whose letters are less high is cut off


def write_table(file: Path) -> None:
    """Write a table of texts in which every theme is one comparison; no two texts are the same."""
    with file.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(("task", "theme", "identity", "text"))
        for number in range(COMPARISONS):
            for identity, lines in LINES.items():
                text = "\n".join("i" * line for line in range(1, lines + 1))
                rows.writerow(("haiku", f"thing{number}", identity, text + " " * number))


def make_project(person: Person) -> Path:
    """Make a project with these texts, by the program's own commands."""
    table, project = person.folder / "stairs.csv", person.folder / "Stairs.biasprint"
    write_table(table)
    person.command("new", project)
    person.command("import", project, table, "--study", "creativity")
    person.command("compare", project, "--axis", "gender", "--seed", 1)
    return project


@dataclass(frozen=True)
class Stairs:
    """One text on the screen."""

    box: Box
    lines: int

    @classmethod
    def on(cls, person: Person) -> "list[Stairs]":
        """The texts of the comparison that shows, from left to right."""
        return [cls(node.seen, len(node.text.split("\n"))) for node in cards(person)]

    def first_line(self, screen: Pixels) -> tuple[int, int]:
        """Return the number of the first whole line that shows, and how many lines show."""
        left, top, width, height = self.box
        ink = cut(screen, (left, top, width - BAR_PIXELS, height)).max(axis=2) < INK
        lengths = [int(np.flatnonzero(rows.any(axis=0)).max(initial=-1)) + 1 for rows in _bands(ink)]
        steps = np.diff(lengths)
        assert len(lengths) > 3, "no text shows"
        assert steps.std() < 2, f"These are no stairs: {lengths}"
        return round(lengths[0] / float(steps.mean())), len(lengths)

    def share(self, screen: Pixels) -> float:
        """How far the text is scrolled: 0 at its beginning, 1 where the last line shows."""
        first, shown = self.first_line(screen)
        return (first - 1) / (self.lines - shown)


def cards(person: Person) -> list[Node]:
    found = [node for node in person.nodes() if node.role == "text" and node.name in ("Text A", "Text B", "Text C")]
    return sorted(found, key=lambda node: node.name)


def _bands(ink: "np.ndarray") -> "list[np.ndarray]":
    """The lines of letters, without those that are cut off."""
    rows = np.concatenate(([False], ink.any(axis=1), [False]))
    starts, ends = np.flatnonzero(rows[1:] & ~rows[:-1]), np.flatnonzero(~rows[1:] & rows[:-1])
    bands: list[list[int]] = []
    for start, end in zip(starts, ends, strict=True):
        if bands and start - bands[-1][1] <= 4:  # the dot of the i, and the rest of it
            bands[-1][1] = end
        else:
            bands.append([start, end])
    return [ink[start:end] for start, end in bands if end - start >= LETTER_PIXELS]
