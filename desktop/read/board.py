"""The reader of the live board: a study's results so far, as curves that grow, and the progress of the work.

Runs in a job. Its result is a copy that the window may draw while the next one is read.
"""

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from biasprint.core.jobs import JobContext
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, RunCounts, RunRow, StudyRow
from biasprint.core.runs.live import AT_THE_END, Course, LiveJudging, LiveKey, LiveRates, LiveTally, LiveValue, Trace
from biasprint.core.studies.kit.choose import words
from biasprint.core.texts.generators import generator_names
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import number, tr
from biasprint.desktop.wording.generators import words_of
from biasprint.desktop.wording.live import (
    NAMED_BY_GROUP,
    Counted,
    NameOf,
    counted_in,
    groups_in_words,
    measure_sentence,
    measure_title,
    noun,
)

# ---- What the board shows

MOST_RUNS = 4  # overlaid
BOARD = "board"  # the layout's place among the study's settings


@dataclass(frozen=True, eq=False)
class BoardCurve:
    """A series of a card; `place`: its colour, dash and sign."""

    key: str
    name: str
    place: int
    value: LiveValue
    trace: Trace


@dataclass(frozen=True, eq=False)
class BoardMeasure:
    """A card: one measure with its curves. `left_out`: curves for which there is no room.

    `parts`: the number of parts, such as axis and domain, of which it shows one.
    """

    key: str
    title: str
    unit: str
    curves: tuple[BoardCurve, ...]
    sentence: str
    floor: float | None = None
    left_out: int = 0
    usual: bool = True  # on the board unless somebody takes it away
    parts: int = 0
    items: str = ""  # what its n counts, where that is not the study's texts
    stand_ins: tuple[str, ...] = ()  # names of the stand-in scorers behind it

    @property
    def reason(self) -> str:
        """The reason why there is nothing to draw; empty where there is something."""
        if any(len(curve.trace.n) for curve in self.curves):
            return ""
        return self.sentence


@dataclass(frozen=True)
class BoardRun:
    """A run that can be picked."""

    id: int
    title: str
    wanted: int
    done: int
    failed: int
    can_go_on: bool

    @property
    def words(self) -> str:
        """The title with the run's progress."""
        return tr("{title}: {done} of {wanted}").format(
            title=self.title, done=number(self.done), wanted=number(self.wanted)
        )


@dataclass(frozen=True, eq=False)
class BoardPace:
    """The pace of the work on the shown texts; the curve is texts a second over the number of texts."""

    name: str
    place: int
    rates: LiveRates
    trace: Trace


@dataclass(frozen=True, eq=False)
class StudyBoard:
    """Everything that the board shows of one study at one moment."""

    study: StudyRow
    title: str
    items: str
    measures: tuple[BoardMeasure, ...] = ()
    left_out: int = 0
    paces: tuple[BoardPace, ...] = ()
    judging: tuple[LiveJudging, ...] = ()
    runs: tuple[BoardRun, ...] = ()
    picked: tuple[int, ...] = ()

    @property
    def layout(self) -> Mapping[str, Any]:
        """Return the layout stored in the project; empty where it is no mapping, since anybody may edit the file."""
        stored = self.study.settings.get(BOARD)
        return stored if isinstance(stored, dict) else {}


@dataclass(frozen=True, eq=False)
class BoardData:
    """The studies on offer, by id and title, and the one that is shown."""

    studies: tuple[tuple[int, str], ...] = ()
    board: StudyBoard | None = None
    reading: int = field(default=0)  # which reading this is


MOST_CURVES = 8  # on a card: as many as there are colours
MOST_MEASURES = 120  # of a study: who asks for more looks at the findings
JUDGED = "creativity"  # the study whose texts raters compare
COUNTED_SECONDS = 3.0
NOTHING = Course().trace


def _finite(value: LiveValue) -> LiveValue:
    """Replace estimates and bounds that are not finite by None: scores from elsewhere may hold anything."""
    if value.estimate is not None and not isfinite(value.estimate):
        return replace(value, estimate=None, low=None, high=None, reason=tr("some scores are no numbers"))
    if value.low is not None and value.high is not None and not isfinite(value.high - value.low):
        return replace(value, low=None, high=None, reason=tr("the band has no ends"))
    return value


@dataclass
class _Followed:
    """A tally as it was at the last reading, and the course of its pace."""

    tally: LiveTally
    values: tuple[LiveValue, ...] = ()
    traces: Mapping[LiveKey, Trace] = field(default_factory=dict)
    rates: LiveRates = field(default_factory=LiveRates)
    pace: Course = field(default_factory=Course)
    texts: int = -1

    def read(self, ctx: JobContext) -> None:
        self.tally.catch_up(ctx)
        self.values = tuple(_finite(value) for value in self.tally.values())
        self.traces = self.tally.traces()
        rates = self.rates = self.tally.rates()
        if rates.texts != self.texts and rates.texts_per_second:  # of texts that were there before, no pace is known
            self.texts = rates.texts
            self.pace.add(rates.texts, rates.texts_per_second, None, None)


@dataclass(frozen=True)
class _Listed:
    """The project's content beside texts and scores; read again when it changes."""

    studies: tuple[StudyRow, ...]
    runs: tuple[RunRow, ...]
    generators: Mapping[int, GeneratorRow]
    written_by: Mapping[int, str]  # generator → its name
    names: Mapping[str, str]  # what the axes call themselves and their identities


class StoredBoard:
    """The board of one study. Call `choose` and `note` on the window's thread, `load` on a worker thread."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._wanted: tuple[int | None, tuple[int, ...]] = (None, ())
        self._noted: deque[Changes] = deque()
        self._followed: dict[tuple[int, int | None], _Followed] = {}
        self._listed: _Listed | None = None
        self._judging: tuple[LiveJudging, ...] | None = None
        self._counts: dict[int, tuple[float, RunCounts]] = {}  # with when each was counted
        self._frames: Frames = {}  # of cards, with the names that were read
        self._reading = 0

    def choose(self, study_id: int | None, runs: Sequence[int] = ()) -> None:
        """Choose the study, None for the first, and its runs to show beside each other; none: all its texts."""
        self._wanted = study_id, tuple(runs)[:MOST_RUNS]

    def note(self, changes: Changes) -> None:
        """Note a change of the project. Texts and scores are looked for at each reading, the rest after a change."""
        if changes.touches("study", "run", "axis_definition", "judgment", "session"):
            self._noted.append(changes)

    def load(self, ctx: JobContext) -> BoardData:
        """Read what is to be shown. One call at a time; a text is read only once."""
        with self._lock:
            self._take_notes()
            listed = self._listed = self._listed or self._list()
            wanted, picked = self._wanted
            study = next((row for row in listed.studies if row.id == wanted), None) or _first(listed)
            self._reading += 1
            offered = tuple((row.id, safe_line(words_of(row.kind).rows)) for row in listed.studies)
            if study is None:
                return BoardData(offered, None, self._reading)
            return BoardData(offered, self._board(ctx, listed, study, picked), self._reading)

    def _take_notes(self) -> None:
        while self._noted:
            changes = self._noted.popleft()
            if changes.touches("study", "run", "axis_definition"):
                self._listed, self._frames = None, {}
            if changes.touches("judgment", "session"):
                self._judging = None

    def _list(self) -> _Listed:
        named: dict[str, str] = {}
        for key, axis in self._project.axes.in_use().items():
            named[key] = axis.title
            named.update((identity["key"], identity["label"]) for identity in axis.definition["identities"])
        runs = self._project.runs
        return _Listed(
            self._project.studies.all(), runs.all(), runs.generators(), generator_names(self._project), named
        )

    def _board(self, ctx: JobContext, listed: _Listed, study: StudyRow, picked: tuple[int, ...]) -> StudyBoard:
        runs = self._runs(listed, study)
        known = {run.id: run.title for run in runs}
        picked = tuple(run for run in picked if run in known)
        parts: list[tuple[str, _Followed]] = []
        for run in picked or (None,):
            followed = self._followed.get((study.id, run))
            if followed is None:
                tally = LiveTally(self._project, study, None if run is None else (run,))
                followed = self._followed[study.id, run] = _Followed(tally)
            followed.read(ctx)
            parts.append((known[run] if run is not None and len(picked) > 1 else "", followed))
        wording = words_of(study.kind)
        measures, left_out = measures_of(
            parts, lambda key: safe_line(listed.names.get(key) or words(key)), wording.counted, self._frames
        )
        paces = tuple(
            BoardPace(name or tr("all texts"), place, reading.rates, reading.pace.trace)
            for place, (name, reading) in enumerate(parts)
        )
        if self._judging is None:
            self._judging = parts[0][1].tally.judging()
        judging = self._judging if study.kind == JUDGED else ()
        return StudyBoard(
            study, safe_line(wording.rows), noun(wording.counted), measures, left_out, paces, judging, runs, picked
        )

    def _runs(self, listed: _Listed, study: StudyRow) -> tuple[BoardRun, ...]:
        """Return the runs, newest first."""
        runs = []
        for row in reversed([row for row in listed.runs if row.study_id == study.id]):
            made = listed.generators[row.generator_id]
            name = safe_line(listed.written_by[row.generator_id])
            title = tr("{generator}, seed {seed}").format(generator=name, seed=row.seed)
            counts = self._counted(row.id)
            runs.append(
                BoardRun(
                    row.id, title, counts.wanted, counts.done, counts.failed, can_go_on=made.backend != "imported"
                )
            )  # fmt: skip
        return _told_apart(runs)

    def _counted(self, run_id: int) -> RunCounts:
        """Return a run's counts, at most a few seconds old: counting a long run takes longer than all else here."""
        now = time.monotonic()
        at, counts = self._counts.get(run_id, (0.0, None))
        if counts is None or (counts.missing and now - at > COUNTED_SECONDS):
            counts = self._project.runs.counts(run_id)
            self._counts[run_id] = (now, counts)
        return counts


def _first(listed: _Listed) -> StudyRow | None:
    """Return the study of the newest run, else the first."""
    newest = listed.runs[-1].study_id if listed.runs else None
    studies = listed.studies
    return next((row for row in studies if row.id == newest), studies[0] if studies else None)


def _told_apart(runs: Sequence[BoardRun]) -> tuple[BoardRun, ...]:
    """Add the number to runs with equal titles: of one model and seed, over two prompt sets."""
    titles = [run.title for run in runs]
    return tuple(
        replace(run, title=tr("{title}, run {n}").format(title=run.title, n=run.id))
        if titles.count(run.title) > 1
        else run
        for run in runs
    )


# ---- From values to cards

WRITER = ("generator", "model")  # dims that say who wrote


def _card_of(value: LiveValue) -> tuple[Any, ...]:
    """Return what the values of one card share. Groups and generators are curves of it."""
    key = value.key
    by_group = key.label == key.group or key.id.startswith(NAMED_BY_GROUP)
    dims = tuple(dim for dim in key.dims if dim[0] not in WRITER)
    return key.id, key.variant, value.unit, "" if by_group else key.label, dims


@dataclass(frozen=True)
class _Frame:
    """The part of a card that stays the same while its figures change."""

    key: str
    title: str
    common: str
    names: tuple[str, ...]
    counted: Counted
    items: str
    stand_ins: tuple[str, ...]


Frames = dict[tuple[Any, ...], _Frame]
Found = Sequence[tuple[str, LiveValue, Trace]]


def measures_of(
    parts: Sequence[tuple[str, _Followed]], name_of: NameOf, counted: Counted, frames: Frames
) -> tuple[tuple[BoardMeasure, ...], int]:
    """Return the cards of several tallies, each with the name of its run, and the number of further cards.

    `frames`: those of earlier readings with the same names; new ones are added.
    """
    gathered: dict[tuple[Any, ...], list[tuple[str, LiveValue, Trace]]] = {}
    for run, followed in parts:
        for value in followed.values:
            trace = followed.traces.get(value.key, NOTHING)
            gathered.setdefault(_card_of(value), []).append((run, value, trace))
    measures = []
    for card, series in list(gathered.items())[:MOST_MEASURES]:
        place = (*card, *((run, value.key) for run, value, _ in series[:MOST_CURVES]))
        if place not in frames:
            frames[place] = _frame(card, series, name_of, counted, [followed for _, followed in parts])
        measures.append(_measure(frames[place], card, series))
    return tuple(measures), len(gathered) - len(measures)


def _frame(
    card: tuple[Any, ...], found: Found, name_of: NameOf, counted: Counted, parts: Sequence[_Followed]
) -> _Frame:
    first = found[0][1]
    counted = counted_in(first.key, counted)
    common, names = _names([_name_parts(run, value.key, card, name_of) for run, value, _ in found[:MOST_CURVES]])
    scorers = {info.name: info.role for followed in parts for info in followed.tally.scorers if info.stand_in}
    return _Frame(
        key=" ".join(map(str, (card[0], card[1], card[2], card[3], *(f"{name}={of}" for name, of in card[4])))),
        title=measure_title(first.key, first.unit, name_of, named=bool(card[3])),
        common=common,
        names=tuple(names),
        counted=counted,
        items=noun(counted),
        stand_ins=tuple(scorer_title(name) for name, role in scorers.items() if _behind(role, first)),
    )


def _measure(frame: _Frame, card: tuple[Any, ...], found: Found) -> BoardMeasure:
    first = found[0][1]
    curves = tuple(
        BoardCurve(f"{run} {value.key}", name, place, value, trace)
        for place, (name, (run, value, trace)) in enumerate(zip(frame.names, found, strict=False))
    )
    floors = [value.floor for _, value, _ in found if value.floor is not None]
    named = [(curve.name, curve.value) for curve in curves]
    return BoardMeasure(
        key=frame.key,
        title=frame.title,
        unit=first.unit,
        curves=curves,
        sentence=measure_sentence(named, frame.counted, frame.common),
        floor=max(floors) if floors else None,
        left_out=len(found) - len(curves),
        usual=first.key.variant == "default" and not first.reason.endswith(AT_THE_END),
        parts=len(card[4]),
        items=frame.items,
        stand_ins=frame.stand_ins,
    )


def _behind(role: str, value: LiveValue) -> bool:
    """Return the name behind a figure: the role that it is measured by; for distances, the embeddings."""
    return role in value.key.id.split(".") or (role == "embedding" and "distance" in value.unit)


def _name_parts(run: str, key: LiveKey, card: tuple[Any, ...], name_of: NameOf) -> tuple[str, ...]:
    label = "" if card[3] or key.label == key.group else name_of(key.label)
    dims = dict(key.dims)
    return run, groups_in_words(key, name_of), label, *(dims.get(name, "") for name in WRITER)


def _names(parts: Sequence[tuple[str, ...]]) -> tuple[str, list[str]]:
    """Return the parts that all curves share, and for each curve a name of the others."""
    columns = list(zip(*parts, strict=True))
    telling = [place for place, column in enumerate(columns) if len(parts) == 1 or len(set(column)) > 1]
    common = " · ".join(column[0] for place, column in enumerate(columns) if place not in telling and column[0])
    return common, [" · ".join(part[place] for place in telling if part[place]) for part in parts]
