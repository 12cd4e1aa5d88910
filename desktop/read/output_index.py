"""Which outputs match a filter, and in which order, by what is held of each in memory: 25 bytes.

Asked of the file, a filter by generator took two minutes over 10⁶ outputs, and no index of it serves every pair of
filter and order; here each takes milliseconds once every output was read, which the first listing does. (decision 0047)
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.project.stores.runs import OutputFilter

Ids = NDArray[np.int64]
Ranks = NDArray[np.unsignedinteger]
ROW = np.dtype([("id", np.int64), ("prompt", np.int64), ("run", np.int64), ("failed", np.bool_)])
PROMPTS_AT_ONCE = 2_000
FIRST_ROOM = 1 << 14  # rows; it doubles
MOST_SHORT = 1 << 16  # words whose ranks have 16 bits, which NumPy sorts in a tenth of the time


class PromptWords(NamedTuple):
    """What a prompt is about."""

    task: str
    theme: str
    axis: str
    identity: str


class OutputIndex:
    """Grows as it is read, by whichever thread asks. It finds new outputs; after a removal it is to be made anew."""

    def __init__(self, project: "Project") -> None:
        self._project = project
        self._lock = threading.Lock()
        self._rows, self._count = np.empty(FIRST_ROOM, ROW), 0
        self._asked: dict[int, PromptWords] = {}

    def pages(self, where: "OutputFilter", after_id: int = 0) -> Iterator[Ids]:
        """Ids that match, ascending, above `after_id`: of all that is known, then page by page as it is read."""
        begin = int(np.searchsorted(self._rows["id"][: self._count], after_id, side="right"))
        while True:
            known = self._rows[: self._count]
            if len(known) > begin:
                new = known[begin:]
                yield new["id"][self._matching(where, new)]
                begin = len(known)
            elif not self._grow():
                return

    def by_prompt(self, where: "OutputFilter", word: Callable[[PromptWords], str], *, descending: bool) -> Ids:
        """All ids that match, sorted by a word of what their prompts are about.

        Equal ones stay in the order in which they were written. What `pages` has not read is not among them.
        """
        words = {key: word(asked) for key, asked in self._asked.items()}
        return self._sorted(where, lambda rows: _ranks(words, rows["prompt"]), descending)

    def by_run(self, where: "OutputFilter", words: Mapping[int, str], *, descending: bool) -> Ids:
        """The same, sorted by a word for each run."""
        return self._sorted(where, lambda rows: _ranks(words, rows["run"]), descending)

    def by_failure(self, where: "OutputFilter", *, descending: bool) -> Ids:
        """The same, finished ones first."""
        return self._sorted(where, lambda rows: rows["failed"].astype(np.uint16), descending)

    def _sorted(
        self,
        where: "OutputFilter",
        ranks_of: Callable[[NDArray[np.void]], Ranks],
        backwards: bool,
    ) -> Ids:
        known = self._rows[: self._count]
        chosen = known[self._matching(where, known)]
        ranks = ranks_of(chosen)
        # Turned round before sorting, so that equal ones are not.
        order = np.argsort(ranks.max(initial=0) - ranks if backwards else ranks, kind="stable")
        return chosen["id"][order]

    def _matching(self, where: "OutputFilter", rows: NDArray[np.void]) -> NDArray[np.bool_]:
        found = np.ones(len(rows), bool)
        if where.run_ids is not None:
            found &= np.isin(rows["run"], where.run_ids)
        if where.status is not None:
            found &= rows["failed"] == (where.status == "error")
        if where.task is not None or where.identity is not None:
            fitting = {key: True for key, asked in self._asked.items() if _fits(asked, where)}
            found &= _looked_up(fitting, rows["prompt"], np.dtype(bool))
        return found

    def _grow(self) -> bool:
        """Read the next outputs. Whether there were any."""
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
        """What outputs answer never changes: it is read again only where there are new prompts."""
        if all(int(one) in self._asked for one in np.unique(prompts)):
            return
        asked = dict(self._asked)
        for prompt_set in self._project.prompts.sets():
            after = 0
            while rows := self._project.prompts.page(prompt_set.id, after, PROMPTS_AT_ONCE):
                asked |= {row.id: PromptWords(row.task, row.theme, row.axis, row.identity) for row in rows}
                after = rows[-1].id
        self._asked = asked


def _fits(asked: PromptWords, where: "OutputFilter") -> bool:
    return where.task in (None, asked.task) and where.identity in (None, asked.identity)


def _ranks(words: Mapping[int, str], numbers: Ids) -> Ranks:
    """The place of each number's word among all the words, without regard to case."""
    places = {word: place for place, word in enumerate(sorted({word.casefold() for word in words.values()}))}
    kind = np.dtype(np.uint16 if len(places) <= MOST_SHORT else np.uint32)
    return _looked_up({number: places[word.casefold()] for number, word in words.items()}, numbers, kind)


def _looked_up(values: Mapping[int, int], numbers: Ids, kind: "np.dtype[np.generic]") -> NDArray[np.generic]:
    """The value of each number, by a table of all numbers up to the largest; nothing for one that has none."""
    table = np.zeros(int(numbers.max(initial=0)) + 1, kind)
    for number, value in values.items():
        if number < len(table):
            table[number] = value
    return table[numbers]
