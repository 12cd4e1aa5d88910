"""What a report is made of, before anybody decides how it looks."""

from dataclasses import dataclass

from core.documents.values import Category


@dataclass(frozen=True)
class Run:
    """A piece of text. `category`: it is marked, and `tag` is what stands behind it in small type."""

    text: str
    bold: bool = False
    category: Category | None = None
    tag: str = ""


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 1  # 0 is the report's title


@dataclass(frozen=True)
class Paragraph:
    """`soft`: said in passing. `bullet`: one of a list."""

    runs: tuple[Run, ...]
    soft: bool = False
    bullet: bool = False


@dataclass(frozen=True)
class Table:
    """Cells are plain text; `widths` are shares of the page's width and add up to 1."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]


@dataclass(frozen=True)
class NewPage:
    pass


Block = Heading | Paragraph | Table | NewPage


def said(text: str, *, soft: bool = False, bullet: bool = False) -> Paragraph:
    """A paragraph of plain text."""
    return Paragraph((Run(text),), soft, bullet)
