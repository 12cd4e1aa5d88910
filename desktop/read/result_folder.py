"""The rows of a result folder for the outputs table: read by a child, so that this process loads no pyarrow."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from biasprint.core import compute
from biasprint.core.project.rows import OutputRow
from biasprint.core.runs.result_folder.rows import finished_partitions, places_in_partition, rows_of_partition
from biasprint.desktop.read.outputs import Choices, Detail, OutputOrder, as_array
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.titles import Titles

if TYPE_CHECKING:
    from array import array

    from biasprint.core.project.project import Project
    from biasprint.core.project.stores.runs import OutputFilter
    from biasprint.core.runs.result_folder.rows import FinishedPartition, ResultRow

LONGEST_VALUE = 24  # signs of a column's value on the card


class ResultRows:
    """The `RowSource` of a project that shows a result folder. Rows are numbered from 1, one partition after another.

    Fields that not every folder has (tasks, generators, failures) are in none of its filters.
    """

    sortable = False  # by what, only the texts' own columns could say

    def __init__(self, project: "Project") -> None:
        self._project, self._folder = project, str(project.path.absolute())
        self._partitions: list[FinishedPartition] = []
        self._before: list[int] = []  # rows before each partition

    def forget(self) -> None:
        self._partitions, self._before = [], []

    def id_pages(
        self, where: "OutputFilter", after_id: int, order: OutputOrder | None = None
    ) -> "Iterator[array[int]]":
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

    def rows(self, ids: Sequence[int]) -> "Sequence[OutputRow]":
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

    def _read_partitions(self) -> "list[FinishedPartition]":
        if not self._partitions:
            partitions = compute.quick().call(finished_partitions, self._folder)
            self._before = [0, *accumulate(partition.rows for partition in partitions)][:-1]
            self._partitions = partitions
        return self._partitions

    def _partition_of(self, number: int) -> int:
        return bisect_right(self._before, number - 1) - 1

    def _read(self, at: int, ids: Sequence[int]) -> "list[ResultRow]":
        places = [number - 1 - self._before[at] for number in ids]
        return compute.quick().call(rows_of_partition, self._folder, self._partitions[at].name, places)


def _short(value: str) -> str:
    """Shorten a long value such as a hash: unbroken it would make the card wider than its place."""
    return value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}…"


def _row(number: int, read: "ResultRow") -> "OutputRow":
    text = read.text if read.text is not None else tr("(text {why})").format(why=read.why)
    columns = dict(read.columns)
    return OutputRow(
        id=number, run_id=0, prompt_id=0, sample=0, seed=0, status="done", text=text, finish_reason="", error="",
        seconds=0.0, prompt_key="", task=columns.get("task", ""), theme=columns.get("theme", ""), axis="",
        identity=read.group, fields={}, backend="", model=columns.get("model", ""),
    )  # fmt: skip
