"""What the live board shows of a study at one moment: measures as curves over n, pace, counts of judging, runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biasprint.core.project.rows import StudyRow
from biasprint.core.runs.live import LiveJudging, LiveRates, LiveValue, Trace
from biasprint.desktop.widgets.words import number, tr

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

    `parts`: of how many things, such as axis and domain, it shows one alone.
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
    stand_ins: tuple[str, ...] = ()  # names of the scorers behind it that stand in for others

    @property
    def reason(self) -> str:
        """Why there is nothing to draw; empty where there is something."""
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
        """With how far it is."""
        return tr("{title}: {done} of {wanted}").format(
            title=self.title, done=number(self.done), wanted=number(self.wanted)
        )


@dataclass(frozen=True, eq=False)
class BoardPace:
    """How the work on the shown texts goes; the curve is texts a second over the number of texts."""

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
        """As the project keeps it; whoever reads it admits that anybody may have edited the file."""
        kept = self.study.settings.get(BOARD)
        return kept if isinstance(kept, dict) else {}


@dataclass(frozen=True, eq=False)
class BoardData:
    """The studies on offer, by id and title, and the one that is shown."""

    studies: tuple[tuple[int, str], ...] = ()
    board: StudyBoard | None = None
    reading: int = field(default=0)  # which reading this is
