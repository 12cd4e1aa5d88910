"""The outputs of a project as the table reads them: in short readings, so that no choice ever waits for a scroll.

Letters that were checked and saved stand before the outputs: each by its source's number, made negative.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from core.runs.generators import runs_by_name
from core.text import for_matching
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import tr
from desktop.wording.titles import Titles, read_titles

if TYPE_CHECKING:
    from core.project.project import Project
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
    generators: tuple[tuple[str, str], ...] = ()  # by their runs: "1,3"


@dataclass(frozen=True)
class Detail:
    """One output whole, with the prompt it answers and how it was made: (name, value) pairs in plain words."""

    row: "OutputRow"
    title: str
    prompt: str
    recipe: tuple[tuple[str, str], ...]

    reading: str = ""  # of a saved letter: what Letters opens it by


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


class SavedHead(NamedTuple):
    """A saved letter: its text's source, its last reading, and what it is called."""

    source_id: int
    reading: str
    title: str


def letter_row(output_id: int, text: str) -> "OutputRow":
    """A saved letter as the table holds outputs: nothing made it here."""
    from core.project.rows import OutputRow

    return OutputRow(
        id=output_id, run_id=0, prompt_id=0, sample=0, seed=0, status="done", text=text, finish_reason="", error="",
        seconds=0.0, prompt_key="", task=tr("Saved letter"), theme="", axis="", identity="", fields={}, backend="",
        model="",
    )  # fmt: skip


def _any() -> "OutputFilter":
    from core.project.stores.runs import OutputFilter

    return OutputFilter()


FIRST_PAGE = 200  # shown before the other ids are read
SEARCHED_AT_ONCE = 100  # texts in one reading of a search: longer ones make the window stutter


class StoredOutputs:
    """The `RowSource` of an open project."""

    def __init__(self, project: "Project") -> None:
        self._project = project

    def id_pages(self, where: "OutputFilter", after_id: int) -> Iterator[Sequence[int]]:
        if where.contains:
            return self._search(where, where.contains, after_id)
        return self._ids(where, after_id)

    def _ids(self, where: "OutputFilter", after_id: int) -> Iterator[Sequence[int]]:
        if after_id == 0:
            yield sorted(-head.source_id for head in self._letters(where))
        after_id = max(after_id, 0)
        first = [row.id for row in self._project.outputs.page(after_id, FIRST_PAGE, where)]
        yield first
        if len(first) == FIRST_PAGE:
            yield [found for found in self._project.outputs.ids(where) if found > first[-1]]

    def _search(self, where: "OutputFilter", wanted: str, after_id: int) -> Iterator[Sequence[int]]:
        """Texts are compared here: in SQL one reading would last until enough are found, however far that is."""
        needle, without = for_matching(wanted), replace(where, contains=None)
        if after_id == 0:
            texts = self._project.sources.texts([head.source_id for head in self._letters(where)])
            yield sorted(-number for number, text in texts.items() if needle in for_matching(text))
        after_id = max(after_id, 0)
        while rows := self._project.outputs.page(after_id, SEARCHED_AT_ONCE, without):
            yield [row.id for row in rows if needle in for_matching(row.text)]
            after_id = rows[-1].id

    def _letters(self, where: "OutputFilter") -> "list[SavedHead]":
        """The saved letters, unless the filter asks for what only outputs have."""
        if where.task or where.identity or where.run_ids or where.status == "error":
            return []
        latest = self._project.readings.latest()
        return [SavedHead(one.source_id, one.id, one.title) for one in latest if one.source_id is not None]

    def rows(self, ids: Sequence[int]) -> "Sequence[OutputRow]":
        wrote = runs_by_name(self._project)
        return [replace(row, model=wrote.get(row.run_id, row.model)) for row in self._rows(ids)]

    def _rows(self, ids: Sequence[int]) -> "Sequence[OutputRow]":
        letters, ids = [one for one in ids if one < 0], [one for one in ids if one > 0]
        return [*self._letter_rows(letters), *(self._output_rows(ids) if ids else ())]

    def _letter_rows(self, ids: Sequence[int]) -> "list[OutputRow]":
        texts = self._project.sources.texts([-one for one in ids]) if ids else {}
        return [letter_row(one, texts[-one]) for one in ids if -one in texts]

    def _output_rows(self, ids: Sequence[int]) -> "Sequence[OutputRow]":
        if ids[-1] - ids[0] < 2 * len(ids):  # nearly all of a range: one reading
            wanted = set(ids)
            found = self._project.outputs.page(ids[0] - 1, ids[-1] - ids[0] + 1)
            return [row for row in found if row.id in wanted]
        each = (self._project.outputs.get(one) for one in ids)
        return [row for row in each if row is not None]

    def _letter(self, output_id: int) -> Detail | None:
        head = next((one for one in self._letters(_any()) if one.source_id == -output_id), None)
        rows = self._letter_rows([output_id])
        if head is None or not rows:
            return None
        reading = self._project.readings.get(head.reading)
        saved = reading.created_at[:16].replace("T", " ") if reading is not None else ""
        recipe = ((tr("Checked in Letters, saved"), tr("{when} UTC").format(when=saved)),)
        return Detail(rows[0], head.title, "", recipe, head.reading)

    def detail(self, output_id: int) -> Detail | None:
        if output_id < 0:
            return self._letter(output_id)
        row = self._project.outputs.get(output_id)
        if row is None:
            return None
        run = self._project.runs.get(row.run_id)
        generator = self._project.runs.generators()[run.generator_id]
        prompts = self._project.prompts.page(run.prompt_set_id, row.prompt_id - 1, 1)
        titles = self.titles()
        recipe = [
            (tr("Identity"), titles.axis_and_identity(row.axis, row.identity)),
            (tr("Prompt"), row.prompt_key),
            (tr("Generator"), runs_by_name(self._project).get(row.run_id, "")),
            (tr("Run"), str(row.run_id)),
            (tr("Backend"), row.backend),
            (tr("Model"), row.model),
            (tr("Revision"), generator.revision),
            *((name, str(value)) for name, value in generator.parameters.items()),
            (tr("Seed"), str(row.seed)),
            (tr("Sample"), str(row.sample + 1)),
            (tr("Ended by"), row.finish_reason),
            (tr("Seconds"), f"{row.seconds:.1f}" if row.seconds else ""),
            (tr("Program version"), run.program_version),
            (tr("Computed by"), str(row.detail.get("build", ""))),
        ]
        shown = tuple((name, value) for name, value in recipe if value)
        return Detail(row, titles.about(row.task, row.theme), prompts[0].text if prompts else "", shown)

    def titles(self) -> Titles:
        return read_titles(self._project)

    def choices(self) -> Choices:
        titles = self.titles()
        tasks: dict[str, str] = {}
        identities: dict[str, str] = {}
        for prompt_set in self._project.prompts.sets():
            after = 0
            while prompts := self._project.prompts.page(prompt_set.id, after, 2_000):
                tasks |= {one.task: titles.task(one.task) for one in prompts if one.task}
                identities |= {one.identity: titles.identity(one.axis, one.identity) for one in prompts if one.identity}
                after = prompts[-1].id
        return Choices(_by_title(tasks), _by_title(identities), self._generators())

    def _generators(self) -> tuple[tuple[str, str], ...]:
        """Those that have a run, and of one with several runs each run too."""
        runs: dict[str, list[int]] = {}
        for run, name in runs_by_name(self._project).items():
            runs.setdefault(name, []).append(run)
        found: list[tuple[str, str]] = []
        for name, own in sorted(runs.items(), key=lambda pair: pair[0].casefold()):
            found.append((",".join(map(str, own)), name))
            if len(own) > 1:
                found += [(str(run), tr("{name}, run {run}").format(name=name, run=run)) for run in own]
        return tuple(found)


def _by_title(titles: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(titles.items(), key=lambda pair: pair[1].casefold()))
