"""The outputs of a project as the table reads them: in short readings, so that no write waits for a long scroll.

Saved letters come before the outputs: each by its source's number, made negative.

The rows of a result folder for the outputs table: read by a child, so that this process loads no pyarrow.
"""

import threading
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from biasprint.core import compute
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.result_folder.measuring import (
    FinishedPartition,
    ResultRow,
    finished_partitions,
    places_in_partition,
    rows_of_partition,
)
from biasprint.core.text import for_matching
from biasprint.core.texts.generators import runs_by_name
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import Titles, read_titles

LONGEST_VALUE = 24  # signs of a column's value on the card


# ---- The index of outputs

Ids = NDArray[np.int64]
Ranks = NDArray[np.unsignedinteger]
ROW = np.dtype([("id", np.int64), ("prompt", np.int64), ("run", np.int64), ("failed", np.bool_)])
PROMPTS_AT_ONCE = 2_000
FIRST_ROOM = 1 << 14  # rows; it doubles
MOST_SHORT = 1 << 16  # words whose ranks have 16 bits, which NumPy sorts in a tenth of the time


class PromptWords(NamedTuple):
    """The task, theme, axis and identity of a prompt."""

    task: str
    theme: str
    axis: str
    identity: str


class OutputIndex:
    """The index of outputs. It grows as any thread reads it, and finds new outputs; make a new one after a removal."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._rows, self._count = np.empty(FIRST_ROOM, ROW), 0
        self._asked: dict[int, PromptWords] = {}

    def pages(self, where: OutputFilter, after_id: int = 0) -> Iterator[Ids]:
        """Yield matching ids, ascending, above `after_id`: first the known ones, then page by page as they are read."""
        begin = int(np.searchsorted(self._rows["id"][: self._count], after_id, side="right"))
        while True:
            known = self._rows[: self._count]
            if len(known) > begin:
                new = known[begin:]
                yield new["id"][self._matching(where, new)]
                begin = len(known)
            elif not self._grow():
                return

    def by_prompt(self, where: OutputFilter, word: Callable[[PromptWords], str], *, descending: bool) -> Ids:
        """Return all matching ids, sorted by a word of their prompts.

        Equal ones stay in the order in which they were written. Ids that `pages` has not read are missing.
        """
        words = {key: word(asked) for key, asked in self._asked.items()}
        return self._sorted(where, lambda rows: _ranks(words, rows["prompt"]), descending)

    def by_run(self, where: OutputFilter, words: Mapping[int, str], *, descending: bool) -> Ids:
        """Return the same, sorted by a word for each run."""
        return self._sorted(where, lambda rows: _ranks(words, rows["run"]), descending)

    def by_failure(self, where: OutputFilter, *, descending: bool) -> Ids:
        """Return the same, finished ones first."""
        return self._sorted(where, lambda rows: rows["failed"].astype(np.uint16), descending)

    def _sorted(
        self,
        where: OutputFilter,
        ranks_of: Callable[[NDArray[np.void]], Ranks],
        backwards: bool,
    ) -> Ids:
        known = self._rows[: self._count]
        chosen = known[self._matching(where, known)]
        ranks = ranks_of(chosen)
        # Turned round before sorting, so that equal ones are not.
        order = np.argsort(ranks.max(initial=0) - ranks if backwards else ranks, kind="stable")
        return chosen["id"][order]

    def _matching(self, where: OutputFilter, rows: NDArray[np.void]) -> NDArray[np.bool_]:
        matching = np.ones(len(rows), bool)
        if where.run_ids is not None:
            matching &= np.isin(rows["run"], where.run_ids)
        if where.status is not None:
            matching &= rows["failed"] == (where.status == "error")
        if where.task is not None or where.identity is not None:
            fitting = {key: True for key, asked in self._asked.items() if _fits(asked, where)}
            matching &= _looked_up(fitting, rows["prompt"], np.dtype(bool))
        return matching

    def _grow(self) -> bool:
        """Read the next outputs; return whether there were any."""
        with self._lock:
            page = self._project.columns.places(int(self._rows["id"][self._count - 1]) if self._count else 0)
            end = self._count + len(page.ids)
            if end > len(self._rows):
                # What other threads look at stays as it is.
                self._rows = np.concatenate([self._rows[: self._count], np.empty(end, ROW)])
            new = self._rows[self._count : end]
            new["id"], new["prompt"], new["run"], new["failed"] = page.ids, page.prompts, page.runs, page.failed
            self._learn(page.prompts)
            self._count = end  # last: from here on they are seen
            return bool(len(page.ids))

    def _learn(self, prompts: Ids) -> None:
        """Read prompts only where there are new ones: the prompt of an output never changes."""
        if all(int(prompt) in self._asked for prompt in np.unique(prompts)):
            return
        asked = dict(self._asked)
        for prompt_set in self._project.prompts.sets():
            after = 0
            while rows := self._project.prompts.page(prompt_set.id, after, PROMPTS_AT_ONCE):
                asked |= {row.id: PromptWords(row.task, row.theme, row.axis, row.identity) for row in rows}
                after = rows[-1].id
        self._asked = asked


def _fits(asked: PromptWords, where: OutputFilter) -> bool:
    return where.task in (None, asked.task) and where.identity in (None, asked.identity)


def _ranks(words: Mapping[int, str], numbers: Ids) -> Ranks:
    """Return the place of each number's word among all the words, ignoring case."""
    places = {word: place for place, word in enumerate(sorted({word.casefold() for word in words.values()}))}
    kind = np.dtype(np.uint16 if len(places) <= MOST_SHORT else np.uint32)
    return _looked_up({number: places[word.casefold()] for number, word in words.items()}, numbers, kind)


def _looked_up(values: Mapping[int, int], numbers: Ids, kind: np.dtype[np.generic]) -> NDArray[np.generic]:
    """Return the value of each number, by a table of all numbers up to the largest; 0 for one without a value."""
    table = np.zeros(int(numbers.max(initial=0)) + 1, kind)
    for number, value in values.items():
        if number < len(table):
            table[number] = value
    return table[numbers]


PREVIEW = 240  # characters: more than any column shows


class Line(NamedTuple):
    """One output as the table shows it: every field a short safe line."""

    text: str
    task: str
    theme: str
    identity: str
    model: str
    status: str


SORTED = ("task", "theme", "identity", "model", "status")  # the fields of a line that rows can be sorted by


@dataclass(frozen=True)
class OutputOrder:
    """The rows sorted by one of `SORTED`, as they are shown."""

    field: str
    descending: bool = False


@dataclass(frozen=True)
class Choices:
    """The options of the filters: (key, title) pairs, by title."""

    tasks: tuple[tuple[str, str], ...]
    identities: tuple[tuple[str, str], ...]
    generators: tuple[tuple[str, str], ...] = ()  # by their runs: "1,3"


@dataclass(frozen=True)
class Detail:
    """One whole output, with its prompt and how it was made: (name, value) pairs in plain words."""

    row: OutputRow
    title: str
    prompt: str
    recipe: tuple[tuple[str, str], ...]

    reading: str = ""  # of a saved letter: what Letters opens it by


class RowSource(Protocol):
    """The source of outputs of a project. Called on worker threads only. `sortable`: whether it can order them."""

    @property
    def sortable(self) -> bool: ...

    def id_pages(self, where: OutputFilter, after_id: int, order: OutputOrder | None = None) -> "Iterator[array[int]]":
        """Yield the matching ids above `after_id` in pages as they are found: ascending, or in an order.

        An empty page means that nothing was found for a while, and gives a chance to cancel.
        """

    def forget(self) -> None:
        """Read all outputs again: some were removed or replaced."""

    def rows(self, ids: Sequence[int]) -> Sequence[OutputRow]:
        """Return these outputs, as far as they still exist."""

    def detail(self, output_id: int) -> Detail | None:
        """Return one whole output; None if it no longer exists."""

    def choices(self) -> Choices:
        """Return the tasks and identities of the outputs."""

    def titles(self) -> Titles:
        """Return the titles of tasks, themes and identities."""


def line_of(row: OutputRow, titles: Titles) -> Line:
    """Return the table's line for an output: a failure shows its error in place of the text."""
    shown = row.error if row.status == "error" else row.text
    identity = titles.axis_and_identity(row.axis, row.identity)
    fields = (shown[:PREVIEW], titles.task(row.task), titles.theme(row.theme), identity, row.model, row.status)
    return Line(*(safe_line(field) for field in fields))


class SavedHead(NamedTuple):
    """A saved letter: its text's source, its last reading, and its name."""

    source_id: int
    reading: str
    title: str


def letter_row(output_id: int, text: str) -> OutputRow:
    """Return a saved letter in the form of an output: it has no generator."""
    return OutputRow(
        id=output_id, run_id=0, prompt_id=0, sample=0, seed=0, status="done", text=text, finish_reason="", error="",
        seconds=0.0, prompt_key="", task=tr("Saved letter"), theme="", axis="", identity="", fields={}, backend="",
        model="",
    )  # fmt: skip


def _any() -> OutputFilter:
    return OutputFilter()


SEARCHED_AT_ONCE = 100  # texts in one reading of a search: longer ones make the window stutter


class StoredOutputs:
    """The `RowSource` of an open project."""

    sortable = True

    def __init__(self, project: Project) -> None:
        self._project = project
        self._index = OutputIndex(project)

    def forget(self) -> None:
        self._index = OutputIndex(self._project)

    def id_pages(self, where: OutputFilter, after_id: int, order: OutputOrder | None = None) -> "Iterator[array[int]]":
        index, after = self._index, max(after_id, 0)
        if after_id == 0:
            yield self._letter_ids(where)
        without = replace(where, contains=None)
        pages = index.pages(without, after) if order is None else self._in_order(index, without, order)
        for ids in pages:
            if where.contains:
                yield from self._containing(ids, where.contains)
            else:
                yield as_array(ids)

    def _in_order(self, index: OutputIndex, where: OutputFilter, order: OutputOrder) -> Iterator[Ids]:
        for page in index.pages(where):  # to its end
            yield page[:0]  # not in this order; a chance to cancel
        yield self._sorted(index, where, order)

    def _sorted(self, index: OutputIndex, where: OutputFilter, order: OutputOrder) -> Ids:
        titles, descending = self.titles(), order.descending
        if order.field == "status":
            return index.by_failure(where, descending=descending)
        if order.field == "model":
            return index.by_run(where, runs_by_name(self._project), descending=descending)
        words = {
            "task": lambda asked: titles.task(asked.task),
            "theme": lambda asked: titles.theme(asked.theme),
            "identity": lambda asked: titles.axis_and_identity(asked.axis, asked.identity),
        }
        return index.by_prompt(where, words[order.field], descending=descending)

    def _containing(self, ids: Ids, wanted: str) -> "Iterator[array[int]]":
        """Yield outputs that contain a text. Compared here: in SQL one reading would last until enough are found."""
        needle = for_matching(wanted)
        for first in range(0, len(ids), SEARCHED_AT_ONCE):
            some = ids[first : first + SEARCHED_AT_ONCE].tolist()
            texts = self._project.outputs.texts(some)
            yield array("q", [number for number in some if number in texts and needle in for_matching(texts[number])])

    def _letter_ids(self, where: OutputFilter) -> "array[int]":
        """Return saved letters by their sources' numbers, made negative."""
        sources = [head.source_id for head in self._letters(where)]
        if where.contains:
            needle = for_matching(where.contains)
            texts = self._project.sources.texts(sources)
            sources = [number for number, text in texts.items() if needle in for_matching(text)]
        return array("q", sorted(-number for number in sources))

    def _letters(self, where: OutputFilter) -> list[SavedHead]:
        """Return the saved letters, unless the filter asks for a field that only outputs have."""
        if where.task or where.identity or where.run_ids or where.status == "error":
            return []
        latest = self._project.readings.latest()
        return [
            SavedHead(letter.source_id, letter.id, letter.title) for letter in latest if letter.source_id is not None
        ]

    def rows(self, ids: Sequence[int]) -> Sequence[OutputRow]:
        wrote = runs_by_name(self._project)
        return [replace(row, model=wrote.get(row.run_id, row.model)) for row in self._rows(ids)]

    def _rows(self, ids: Sequence[int]) -> Sequence[OutputRow]:
        letters, ids = [id for id in ids if id < 0], [id for id in ids if id > 0]
        rows = self._project.outputs.several(ids) if ids else {}
        return [*self._letter_rows(letters), *(rows[id] for id in ids if id in rows)]

    def _letter_rows(self, ids: Sequence[int]) -> list[OutputRow]:
        texts = self._project.sources.texts([-number for number in ids]) if ids else {}
        return [letter_row(number, texts[-number]) for number in ids if -number in texts]

    def _letter(self, output_id: int) -> Detail | None:
        head = next((letter for letter in self._letters(_any()) if letter.source_id == -output_id), None)
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
                tasks |= {prompt.task: titles.task(prompt.task) for prompt in prompts if prompt.task}
                identities |= {
                    prompt.identity: titles.identity(prompt.axis, prompt.identity)
                    for prompt in prompts
                    if prompt.identity
                }
                after = prompts[-1].id
        return Choices(_by_title(tasks), _by_title(identities), self._generators())

    def _generators(self) -> tuple[tuple[str, str], ...]:
        """Return the generators that have a run, and, for one with several runs, each run too."""
        runs: dict[str, list[int]] = {}
        for run, name in runs_by_name(self._project).items():
            runs.setdefault(name, []).append(run)
        choices: list[tuple[str, str]] = []
        for name, own in sorted(runs.items(), key=lambda pair: pair[0].casefold()):
            choices.append((",".join(map(str, own)), name))
            if len(own) > 1:
                choices += [(str(run), tr("{name}, run {run}").format(name=name, run=run)) for run in own]
        return tuple(choices)


def as_array(ids: Ids) -> "array[int]":
    """Convert the ids at once: a million numbers must not be handled one by one."""
    array_of_ids = array("q")
    array_of_ids.frombytes(ids.tobytes())
    return array_of_ids


def _by_title(titles: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(titles.items(), key=lambda pair: pair[1].casefold()))


class ResultRows:
    """The `RowSource` of a project that shows a result folder. Rows are numbered from 1, one partition after another.

    Fields that not every folder has (tasks, generators, failures) are in none of its filters.
    """

    sortable = False  # by what, only the texts' own columns could say

    def __init__(self, project: Project) -> None:
        self._project, self._folder = project, str(project.path.absolute())
        self._partitions: list[FinishedPartition] = []
        self._before: list[int] = []  # rows before each partition

    def forget(self) -> None:
        self._partitions, self._before = [], []

    def id_pages(self, where: OutputFilter, after_id: int, order: OutputOrder | None = None) -> "Iterator[array[int]]":
        if where.status == "error":
            return
        for partition, before in zip(self._read_partitions(), self._before, strict=True):
            if before + partition.rows <= after_id:
                continue
            if where.identity is None and where.contains is None:
                yield as_array(np.arange(max(before, after_id) + 1, before + partition.rows + 1))
            else:
                asked = (self._folder, partition.name, where.identity, where.contains)
                ids = compute.quick().call(places_in_partition, *asked) + before + 1
                yield as_array(ids[ids > after_id])

    def rows(self, ids: Sequence[int]) -> Sequence[OutputRow]:
        self._read_partitions()
        rows: dict[int, OutputRow] = {}
        for at in sorted({self._partition_of(number) for number in ids}):
            here = [number for number in ids if self._partition_of(number) == at]
            rows |= {number: _row(number, read) for number, read in zip(here, self._read(at, here), strict=True)}
        return [rows[number] for number in ids]

    def detail(self, output_id: int) -> Detail | None:
        self._read_partitions()
        at = self._partition_of(output_id)
        (read,) = self._read(at, [output_id])
        title = tr("Row {row} of {file}").format(
            row=f"{output_id - self._before[at]:,}", file=self._partitions[at].name
        )
        return Detail(_row(output_id, read), title, "", tuple((name, _short(value)) for name, value in read.columns))

    def choices(self) -> Choices:
        """Return the groups, as the findings name them."""
        groups = {group for row in self._project.findings.all() for group in row.finding.groups}
        return Choices((), tuple((group, group) for group in sorted(groups, key=str.casefold)))

    def titles(self) -> Titles:
        return Titles()

    def _read_partitions(self) -> list[FinishedPartition]:
        if not self._partitions:
            partitions = compute.quick().call(finished_partitions, self._folder)
            self._before = [0, *accumulate(partition.rows for partition in partitions)][:-1]
            self._partitions = partitions
        return self._partitions

    def _partition_of(self, number: int) -> int:
        return bisect_right(self._before, number - 1) - 1

    def _read(self, at: int, ids: Sequence[int]) -> list[ResultRow]:
        places = [number - 1 - self._before[at] for number in ids]
        return compute.quick().call(rows_of_partition, self._folder, self._partitions[at].name, places)


def _short(value: str) -> str:
    """Shorten a long value such as a hash: unbroken it would make the card wider than its place."""
    return value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}…"


def _row(number: int, read: ResultRow) -> OutputRow:
    text = read.text if read.text is not None else tr("(text {why})").format(why=read.why)
    columns = dict(read.columns)
    return OutputRow(
        id=number, run_id=0, prompt_id=0, sample=0, seed=0, status="done", text=text, finish_reason="", error="",
        seconds=0.0, prompt_key="", task=columns.get("task", ""), theme=columns.get("theme", ""), axis="",
        identity=read.group, fields={}, backend="", model=columns.get("model", ""),
    )  # fmt: skip
