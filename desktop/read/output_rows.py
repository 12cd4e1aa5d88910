"""What the outputs table is fed with: ids in short readings, rows by page, one output whole. No Qt here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from desktop.widgets.safe_text import safe_line
from desktop.wording.titles import Titles

if TYPE_CHECKING:
    from core.project.rows import OutputRow
    from core.project.stores.runs import OutputFilter

PREVIEW = 240  # characters: more than any column shows


class Line(NamedTuple):
    """One output as the table shows it: every field a short safe line."""

    text: str
    task: str
    theme: str
    identity: str
    model: str
    status: str


@dataclass(frozen=True)
class Choices:
    """What the filters offer: (key, title) pairs, by title."""

    tasks: tuple[tuple[str, str], ...]
    identities: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Detail:
    """One output whole, with the prompt it answers and how it was made: (name, value) pairs in plain words."""

    row: "OutputRow"
    title: str
    prompt: str
    recipe: tuple[tuple[str, str], ...]


class RowSource(Protocol):
    """Reads the outputs of a project. Called on worker threads only."""

    def id_pages(self, where: "OutputFilter", after_id: int) -> Iterator[Sequence[int]]:
        """The ids of the outputs that match, ascending, above `after_id`, in pages as they are found.

        An empty page says that nothing was found for a while: a chance to cancel.
        """

    def rows(self, ids: Sequence[int]) -> "Sequence[OutputRow]":
        """These outputs (ids ascending), those that are still there."""

    def detail(self, output_id: int) -> Detail | None:
        """One output whole; None if it is no longer there."""

    def choices(self) -> Choices:
        """The tasks and identities there are."""

    def titles(self) -> Titles:
        """What tasks, themes and identities are called."""


def line_of(row: "OutputRow", titles: Titles) -> Line:
    """The table's view of an output: a failure shows its error in place of the text."""
    shown = row.error if row.status == "error" else row.text
    identity = titles.axis_and_identity(row.axis, row.identity)
    fields = (shown[:PREVIEW], titles.task(row.task), titles.theme(row.theme), identity, row.model, row.status)
    return Line(*(safe_line(field) for field in fields))
