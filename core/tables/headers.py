"""The row of a table that names its columns: the first, below titles where there are some, or a chosen one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biasprint.core.tables.rows import visible

MOST_TITLES = 20  # rows above the header that may hold a title


@dataclass(frozen=True)
class HeaderPlace:
    """The place of the header: `sheet`, a name or a number from 1 ("": found); `row`, from 1 (None: found)."""

    sheet: str = ""
    row: int | None = None


ANYWHERE = HeaderPlace()


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows come before the header: blank ones, and titles with one filled cell, a table's first.

    One cell is a title where the row is as wide as the table, has a blank in its text, or comes before a blank row.
    """
    for place, cells in enumerate(rows[: MOST_TITLES + 1]):
        width = _filled(cells)
        if width > 1:
            return place
        if width == 1 and not _is_title(cells, rows[place + 1 :]):
            return place
    return next((place for place, cells in enumerate(rows) if _filled(cells)), 0)


def _is_title(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    if not cells[0].strip() or not below:
        return False
    after = [row for row in below[:MOST_TITLES] if _filled(row)]
    wide = [_filled(row) for row in after if _filled(row) > 1]
    if not wide or len(wide) < len(after) / 2 or wide[0] != max(wide):  # the first wide row names the columns
        return False
    return len(cells) > 1 or " " in cells[0].strip() or not _filled(below[0])


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with a number at those that come again: `a (2)`, and `[model (2)] prompt` of promptfoo's."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        model, bracket, prompt = name.rpartition("] ") if name.startswith("[") else (name, "", "")
        numbered.append(name if seen[name] == 1 else f"{model} ({seen[name]}){bracket}{prompt}")
    return tuple(numbered)


def about_titles(rows: Sequence[Sequence[str]], before: int) -> str:
    """Return the notice of rows above the header, "" where none holds anything."""
    titles = [next(cell for cell in cells if cell.strip()) for cells in rows[:before] if _filled(cells)]
    if not titles:
        return ""
    return f"Rows above the header were not read: {', '.join(f'“{visible(title.strip(), 40)}”' for title in titles)}."


def _filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)
