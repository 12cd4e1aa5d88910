"""Blocks that a report is made of, whatever format it is written in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from biasprint.core.draw.figure import Figure
from biasprint.core.language import tr


@dataclass(frozen=True)
class Run:
    """A piece of text. With a `category` it is marked, and `tag` follows it in small type.

    `tex`: the same as LaTeX writes it in an equation. `quoted`: words of a letter or a model, which stay.
    """

    text: str
    bold: bool = False
    category: str | None = None
    tag: str = ""
    tex: str = ""
    quoted: bool = False


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1  # 0 is the report's title


@dataclass(frozen=True)
class ReportParagraph:
    """`soft`: said in passing. `bullet`: one of a list.

    `small`: on paper in the size of what is said in passing, and smaller where it is soft.
    """

    runs: tuple[Run, ...]
    soft: bool = False
    bullet: bool = False
    small: bool = False


Cell = str | tuple[Run, ...]


@dataclass(frozen=True)
class ReportTable:
    """`widths` are shares of the page's width and add up to 1. Of a cell's runs only `bold` is shown."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[float, ...]


@dataclass(frozen=True)
class NewPage:
    pass


@dataclass(frozen=True)
class ReportFigure:
    """A drawing, as wide as this share of the page; where nothing can be drawn, its numbers as a table."""

    figure: Figure
    share: float = 1.0


Block = Heading | ReportParagraph | ReportTable | ReportFigure | NewPage


def said(text: str, *, soft: bool = False, bullet: bool = False, small: bool = False) -> ReportParagraph:
    """A paragraph of plain text."""
    return ReportParagraph((Run(text),), soft, bullet, small)


def parted(run: Run, written: str) -> str:
    """Return what was written of a run, between the blanks that separate it from its neighbours."""
    return f"{' ' * run.text[:1].isspace()}{written}{' ' * run.text[-1:].isspace()}"


def in_language(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks as their reader reads them. Figures are put into the language where they are drawn."""
    for block in blocks:
        if isinstance(block, Heading):
            yield replace(block, text=tr(block.text))
        elif isinstance(block, ReportParagraph):
            yield replace(block, runs=_joined(map(_run_in_language, block.runs)))
        elif isinstance(block, ReportTable):
            rows = tuple(tuple(map(_cell_in_language, row)) for row in block.rows)
            yield replace(block, header=tuple(map(tr, block.header)), rows=rows)
        else:
            yield block


def _cell_in_language(cell: Cell) -> Cell:
    return tr(cell) if isinstance(cell, str) else tuple(map(_run_in_language, cell))


def _run_in_language(run: Run) -> Run:
    return replace(run, text=run.text if run.quoted else tr(run.text), tag=tr(run.tag))


def _joined(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return the runs with those as one that look alike: apart they were only for the language's sake."""
    joined: list[Run] = []
    for run in runs:
        if joined and replace(run, text="", quoted=False) == replace(joined[-1], text="", quoted=False) == Run(
            "", run.bold
        ):
            joined[-1] = replace(run, text=f"{joined[-1].text}{run.text}")
        else:
            joined.append(run)
    return tuple(joined)


def runs_of(cell: Cell) -> tuple[Run, ...]:
    return (Run(cell),) if isinstance(cell, str) else cell


def shortened(text: str, most: int = 220) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[:most].rstrip()} …"


def printable(text: str) -> str:
    """Text without controls and lone surrogates, for which XML has no place; a line end stays one."""
    return "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)


Rgb = tuple[int, int, int]
INK: Rgb = (31, 35, 40)
SOFT: Rgb = (92, 99, 112)
LINES: Rgb = (222, 219, 211)
_BLUE, _PINK, _GREEN, _ORANGE, _RED = (0, 92, 143), (153, 68, 120), (0, 107, 78), (150, 96, 0), (168, 70, 0)
_OF: dict[str, Rgb] = {
    "agentic": _BLUE, "standout": _BLUE, "ability": _BLUE,
    "communal": _PINK,
    "grindstone": _GREEN,
    "doubt": _RED,
}  # fmt: skip


def colour_of(category: str) -> Rgb:
    """Return the colour of a category; orange for what speaks of the person instead of the work."""
    return _OF.get(category, _ORANGE)
