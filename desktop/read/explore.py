"""The columns of all texts of a project as arrays, in short readings, never on the window's thread.

Judgments are those of revealed sessions only: no column holds anything that would unblind an open session.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from biasprint.core import compute
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import unswayed
from biasprint.core.judging.plan import CHECK
from biasprint.core.judging.workshop import participants, tellable_sessions
from biasprint.core.metrics.associations import SpearmanRho
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PromptRow, SourceRow, TextKey
from biasprint.core.project.stores.columns import Kind, Measured
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.studies import Prompts
from biasprint.core.runs.explore import (
    MOST_FITTED,
    Method,
    TellingWords,
    TextMap,
    map_texts,
    principal_directions,
    rank_correlation,
    stand_in_scorers,
    telling_words,
)
from biasprint.desktop.read.findings import TextRef, read_text
from biasprint.desktop.widgets.words import tr
from biasprint.desktop.wording.generators import Titles, read_titles, words_of

KINDS: tuple[Kind, ...] = ("output", "source")
FIRST_SHOWN_SECONDS = 0.1  # of reading, until what there is so far is shown; then twice as long each time
MOST_NAMES = 10_000  # values of a field; a field with more tells texts apart, not groups
MOST_READ = 2_000  # texts of each side whose words are compared
SEED = 0
NOT_TOLD = ("axis", "study", "backend", "kind")  # of a single text: its identity names the axis


@dataclass(frozen=True)
class FieldCodes:
    """A field of every text: `codes` are places in `names`, −1 where a text has no value. The most frequent first."""

    title: str
    names: tuple[str, ...]
    codes: np.ndarray

    def counts(self) -> np.ndarray:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))

    def at(self, places: "np.ndarray | slice") -> "FieldCodes":
        """Return the field for some texts only, with their values, the most frequent first."""
        codes = self.codes[places]
        counts = np.bincount(codes[codes >= 0], minlength=len(self.names))
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] > 0]
        new = np.full(len(self.names) + 1, -1, dtype=np.int32)  # the last stands for −1
        new[order] = np.arange(len(order))
        return FieldCodes(self.title, tuple(np.array(self.names, dtype=object)[order]), new[codes])


@dataclass(frozen=True)
class ExploredTexts:
    """Every finished text of a project, in arrays of one length. `complete`: False while it is still being read."""

    ids: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    outputs: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))  # the others are sources
    lengths: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    fields: Mapping[str, FieldCodes] = field(default_factory=dict)
    scorers: tuple[Measured, ...] = ()
    embedders: tuple[Measured, ...] = ()
    complete: bool = True
    total: int = 0  # about how many there are, while not all are read
    rating: frozenset[str] = frozenset()  # people's sessions that are not revealed yet

    def __len__(self) -> int:
        return len(self.ids)

    def key(self, index: int) -> TextKey:
        return ("output" if self.outputs[index] else "source", int(self.ids[index]))

    def title(self, index: int) -> str:
        """Return the fields of a text, shown for the text under the pointer."""
        values = (
            coded.names[coded.codes[index]]
            for name, coded in self.fields.items()
            if name not in NOT_TOLD and coded.codes[index] >= 0
        )
        return " · ".join(dict.fromkeys(values))


class Coder:
    """A coder that numbers the values of a field in order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, value: str) -> int:
        return self.numbers.setdefault(value, len(self.numbers)) if value else -1


class StoredTexts:
    """The texts of an open project. Called on worker threads only."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._stand_ins: frozenset[str] | None = None

    # columns

    def load(self, ctx: JobContext) -> ExploredTexts:
        """Read every text; deliver those read so far as partial results, the first soon."""
        reading = _Reading(self._project, self._rating())
        began, next_shown = time.monotonic(), FIRST_SHOWN_SECONDS
        after, last = 0, self._project.columns.last_output()
        while (page := self._project.columns.outputs(after)).last_id is not None:
            ctx.check()
            reading.take(page.ids, page.prompts, page.runs, page.lengths)
            after = page.last_id
            if time.monotonic() - began > next_shown and after < last:
                next_shown *= 2
                ctx.report(after, last, partial=replace(reading.texts(), complete=False, total=last))
        for study in self._project.studies.all():
            reading.take_sources(study.id, study.kind, ctx)
        return reading.texts()

    def _rating(self) -> frozenset[str]:
        people = {rater.id for rater in self._project.judging.raters() if rater.kind == "person"}
        sessions = self._project.judging.sessions()
        return frozenset(
            session.id for session in sessions if session.revealed_at is None and session.rater_id in people
        )

    def score(self, ctx: JobContext, texts: ExploredTexts, of: Measured) -> np.ndarray:
        """Return a scorer's summary of each text; not a number where there is none."""
        scores = np.full(len(texts), np.nan, dtype=np.float32)
        for kind in KINDS:
            places = _places(texts, kind)
            after = 0
            while after < places.last and len((page := self._project.columns.scores(kind, of, after))[0]):
                ctx.check()
                places.put(scores, *page)
                after = int(page[0][-1])
        return scores

    def vectors(self, ctx: JobContext, texts: ExploredTexts, of: Measured) -> tuple[np.ndarray, np.ndarray]:
        """Return the places in `texts` that have an embedding, ascending, and their vectors."""
        indexes, vectors = [], []
        for kind in KINDS:
            places = _places(texts, kind)
            after = 0
            while after < places.last and len((page := self._project.columns.embeddings(kind, of, after))[0]):
                ctx.check()
                at, known = places.of(page[0])
                indexes.append(at[known])
                vectors.append(page[1][known])
                after = int(page[0][-1])
        if not indexes:
            return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32)
        place = np.concatenate(indexes)
        order = np.argsort(place)
        return place[order], np.concatenate(vectors)[order]

    # in the compute process

    def stand_ins(self, ctx: JobContext) -> frozenset[str]:
        """Return the names of the stand-in scorers, which have a badge wherever their numbers appear."""
        if self._stand_ins is None:
            self._stand_ins = compute.shared().call(stand_in_scorers, ctx=ctx)
        return self._stand_ins

    def map_of(self, ctx: JobContext, vectors: np.ndarray, method: Method) -> TextMap:
        if method == "pca" and len(vectors) > MOST_FITTED:  # to the compute process goes only what it needs
            some = vectors[draw(np.arange(len(vectors)), MOST_FITTED)]
            directions = compute.shared().call(principal_directions, some, ctx=ctx)
            return TextMap(directions.place(vectors), (float(directions.shares[0]), float(directions.shares[1])))
        return compute.shared().call(map_texts, vectors, method, SEED, ctx=ctx)

    def correlation(self, ctx: JobContext, first: np.ndarray, second: np.ndarray) -> SpearmanRho:
        return compute.shared().call(rank_correlation, first, second, ctx=ctx)

    def words(self, ctx: JobContext, texts: ExploredTexts, chosen: np.ndarray, others: np.ndarray) -> TellingWords:
        """Return words that distinguish the chosen texts, from at most `MOST_READ` of each side, drawn at random."""
        inside, outside = (
            [self.text(texts, int(index)) for index in _checked(ctx, draw(np.flatnonzero(side), MOST_READ))]
            for side in (chosen, others)
        )
        return compute.shared().call(telling_words, inside, outside, ctx=ctx)

    # texts

    def text(self, texts: ExploredTexts, index: int) -> str:
        """Return one whole text."""
        kind, number = texts.key(index)
        if kind == "output":
            return read_text(self._project, TextRef((kind, number), 0, "", ""))
        return self._project.sources.texts([number]).get(number, "")

    # judgments

    def chosen(self, ctx: JobContext) -> "tuple[Judged, ...]":
        """Return every choice of a revealed session: who chose, and which of the texts shown."""
        project = self._project
        revealed = [session for session in project.judging.sessions() if session.revealed_at is not None]
        raters = {row.id: row for row in project.judging.raters()}
        unnamed = participants(project)  # a workshop's people are seen together only
        choices = []
        for session in tellable_sessions(project, revealed):
            ctx.check()
            code = raters[session.rater_id].code
            name = tr("workshop together") if code in unnamed else code
            comparisons = {row.id: row for row in project.judging.comparisons(session.plan_id)}
            for row in unswayed(project, session.id):
                comparison = comparisons[row.comparison_id]
                if row.chosen is not None and not comparison.repeat_of and comparison.axis != CHECK:
                    keys = tuple(item.key for item in comparison.items)
                    choices.append(Judged(name, keys, row.chosen))
        return tuple(choices)


@dataclass(frozen=True)
class Judged:
    """One choice: of `shown`, the text at `chosen`."""

    rater: str
    shown: tuple[TextKey, ...]
    chosen: int


def draw(indexes: np.ndarray, most: int) -> np.ndarray:
    """Draw at most so many of them at random, always the same ones; ascending."""
    if len(indexes) <= most:
        return indexes
    return np.sort(np.random.default_rng(SEED).choice(indexes, most, replace=False))


def _checked(ctx: JobContext, indexes: np.ndarray) -> Iterator[int]:
    for index in indexes:
        ctx.check()
        yield int(index)


@dataclass(frozen=True)
class _Places:
    """The places of the texts of a kind among all texts: `ids` ascending, and the index of each."""

    ids: np.ndarray
    indexes: np.ndarray

    @property
    def last(self) -> int:
        """The highest id: while texts are still being read, higher ids are not known yet."""
        return int(self.ids[-1]) if len(self.ids) else 0

    def of(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the index of each id, and whether there is one."""
        if not len(self.ids):
            return np.zeros(len(ids), dtype=np.int64), np.zeros(len(ids), dtype=bool)
        at = np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)
        return self.indexes[at], self.ids[at] == ids

    def put(self, into: np.ndarray, ids: np.ndarray, values: np.ndarray) -> None:
        at, known = self.of(ids)
        into[at[known]] = values[known]


def _places(texts: ExploredTexts, kind: Kind) -> _Places:
    indexes = np.flatnonzero(texts.outputs if kind == "output" else ~texts.outputs)
    return _Places(texts.ids[indexes], indexes)


class _Reading:
    """The texts read so far. Outputs get their fields from their prompt and run, each looked up once."""

    def __init__(self, project: Project, rating: frozenset[str]) -> None:
        self._project, self._titles, self._rating = project, read_titles(project), rating
        self._scorers, self._embedders = project.columns.scorers(), project.columns.embedders()
        self._coders: dict[str, Coder] = {}
        self._of_prompt: dict[str, np.ndarray] = {}
        self._of_run: dict[str, np.ndarray] = {}
        self._parts: list[tuple[np.ndarray, bool, np.ndarray, dict[str, np.ndarray]]] = []
        self._read_prompts()
        self._read_runs()

    def take(self, ids: np.ndarray, prompts: np.ndarray, runs: np.ndarray, lengths: np.ndarray) -> None:
        codes = {name: table[prompts] for name, table in self._of_prompt.items()}
        for name, table in self._of_run.items():  # an imported text names its own model
            codes[name] = np.where(codes[name] >= 0, codes[name], table[runs]) if name in codes else table[runs]
        self._parts.append((ids, True, lengths, codes))

    def take_sources(self, study_id: int, kind: str, ctx: JobContext) -> None:
        """Add imported texts: their fields are those of the table they came from."""
        rows = []
        for row in chunks(lambda after, limit: self._project.sources.page(study_id, after, limit), lambda row: row.id):
            ctx.check()
            rows.append((row.id, len(row.text), _fields_of_source(row) | {"study": words_of(kind).rows}))
        if not rows:
            return
        names = {name for _, _, fields in rows for name in fields}
        codes = {name: np.array([self._code(name, fields.get(name, "")) for *_, fields in rows]) for name in names}
        ids, lengths = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
        self._parts.append((ids, False, lengths, codes))

    def texts(self) -> ExploredTexts:
        """Return all texts read, without fields that have one value throughout."""
        empty = ExploredTexts(scorers=self._scorers, embedders=self._embedders, rating=self._rating)
        if not self._parts:
            return empty
        ids, lengths = (np.concatenate([part[place] for part in self._parts]) for place in (0, 2))
        outputs = np.concatenate([np.full(len(part[0]), part[1]) for part in self._parts])
        fields = {name: self._coded(name) for name in self._coders}
        order = [name for name in FIELD_ORDER if name in fields] + sorted(set(fields) - set(FIELD_ORDER))
        telling = {name: fields[name] for name in order if 1 <= len(fields[name].names) <= MOST_NAMES}
        return replace(empty, ids=ids, outputs=outputs, lengths=lengths, fields=telling)

    def _code(self, name: str, value: str) -> int:
        return self._coders.setdefault(name, Coder())(value)

    def _coded(self, name: str) -> FieldCodes:
        parts = [part[3].get(name, np.full(len(part[0]), -1)) for part in self._parts]
        codes = np.concatenate(parts).astype(np.int32)
        return FieldCodes(field_title(name), tuple(self._coders[name].numbers), codes).at(slice(None))

    def _read_prompts(self) -> None:
        fields: dict[int, dict[str, str]] = {}
        for prompt_set in self._project.prompts.sets():
            for row in _prompts(self._project.prompts, prompt_set.id):
                fields[row.id] = _fields_of_prompt(row, self._titles)
        self._of_prompt = self._tables(fields)

    def _read_runs(self) -> None:
        generators = self._project.runs.generators()
        studies = {study.id: words_of(study.kind).rows for study in self._project.studies.all()}
        fields = {}
        for run in self._project.runs.all():
            made = generators[run.generator_id]
            fields[run.id] = {"model": made.model, "backend": made.backend, "study": studies[run.study_id]}
        self._of_run = self._tables(fields)

    def _tables(self, fields: Mapping[int, Mapping[str, str]]) -> dict[str, np.ndarray]:
        """Return, by field, the code of each row at the place of its id."""
        names = {name for values in fields.values() for name in values}
        tables = {name: np.full(max(fields, default=0) + 1, -1, dtype=np.int32) for name in names}
        for key, values in fields.items():
            for name, value in values.items():
                tables[name][key] = self._code(name, value)
        return tables


FIELD_ORDER = ("identity", "axis", "group", "task", "theme", "model", "study")


def field_title(name: str) -> str:
    """Return the words for a field in a box."""
    known = {
        "identity": tr("identity"), "axis": tr("axis"), "group": tr("group"), "task": tr("task"),
        "theme": tr("theme"), "model": tr("model"), "study": tr("study"), "backend": tr("backend"),
    }  # fmt: skip
    return known.get(name, name.replace("_", " "))


def _prompts(prompts: Prompts, set_id: int) -> Iterator[PromptRow]:
    return chunks(lambda after, limit: prompts.page(set_id, after, limit), lambda row: row.id)


def _fields_of_prompt(row: PromptRow, titles: Titles) -> dict[str, str]:
    own = {
        "identity": titles.axis_and_identity(row.axis, row.identity) if row.identity else "",
        "axis": titles.axes.get(row.axis, row.axis),
        "task": titles.task(row.task) if row.task else "",
        "theme": titles.theme(row.theme) if row.theme else "",
    }
    return {name: str(value) for name, value in {**row.fields, **own}.items() if value}


def _fields_of_source(row: SourceRow) -> dict[str, str]:
    return {"kind": row.kind, **{name: str(value) for name, value in row.fields.items() if name != "line_break"}}
