"""A budget of seconds spent on one kind of input; what is found is made small and told."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from biasprint.core.compute import process
from biasprint.core.machine import child
from fuzzing.contract import Ending, Held
from fuzzing.targets import Target

ROUND = 200  # inputs from one seed
SHRINK_SECONDS = 20.0
MOST_FINDS = 20


@dataclass
class Find:
    """The smallest input that ended in a fault."""

    data: bytes
    ending: Ending
    until: float  # when making it smaller ends

    def file(self, folder: Path, target: Target, number: int) -> Path:
        place = folder / target.name / f"find-{number}{Path(target.place).suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.data)
        return place


@dataclass
class Told:
    """How a campaign went."""

    kind: str
    seed: int
    endings: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    peak_mb: float = 0.0
    finds: dict[str, Find] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        return self.endings.total()

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {how}" for how, count in sorted(self.endings.items()))
        worst = f"slowest {self.slowest:.1f} s, at most {self.peak_mb:.0f} MB more memory"
        return f"{self.kind}: {self.inputs} inputs from seed {self.seed}: {ends}; {worst}; {len(self.finds)} finds"


class Fault(Exception):
    """For Hypothesis: this input did not end well."""


def campaign(target: Target, root: Path, *, seconds: float, first_seed: int) -> Told:
    """Damage inputs of one kind for so many seconds. `root` becomes the home of all that the program writes."""
    told = Told(target.name, first_seed)
    with pytest.MonkeyPatch.context() as patch:
        held = hold(target, root, patch)
        try:
            _warm_up(target, held)
            _spend(target, held, told, seconds)
        finally:
            held.close()
    return told


def hold(target: Target, root: Path, patch: pytest.MonkeyPatch) -> Held:
    """The child and the folders for inputs of a kind; what lies beside such an input is made."""
    for name, variable in (("home", "BIASPRINT_HOME"), ("tmp", "TMPDIR")):
        (root / name).mkdir(parents=True)
        patch.setenv(variable, str(root / name))
    patch.setattr(tempfile, "tempdir", str(root / "tmp"))  # which it asked for once, and keeps
    # A child that is forked, as other tests' are, asked too, and holds more memory than the one of documents may.
    patch.setattr(process, "start", child.start)
    (root / target.place).parent.mkdir(parents=True, exist_ok=True)
    target.lay_out(root)
    return Held(target.name, root, apart=target.apart, seconds=target.seconds)


def _warm_up(target: Target, held: Held) -> None:
    """Undamaged samples end well, so that what is tried is what the program does; and what it imports is there."""
    samples = target.samples()
    held.end_of(samples[0], target.place)
    for sample in samples:
        ending = held.end_of(sample, target.place)
        assert not ending.fault, f"an undamaged sample of {target.name} ends badly: {ending}"
        assert ending.how == "done", f"an undamaged sample of {target.name} is refused: {ending.details}"


def _spend(target: Target, held: Held, told: Told, seconds: float) -> None:
    inputs = target.inputs()
    until = time.monotonic() + seconds
    number = 0
    while time.monotonic() < until and len(told.finds) < MOST_FINDS:
        known = frozenset(told.finds)
        try:
            seed(told.seed + number)(_round(target, held, told, inputs, known, until))()
        except Exception:
            if told.finds.keys() == known:
                raise
        number += 1


def _round(
    target: Target, held: Held, told: Told, inputs: st.SearchStrategy[bytes], known: frozenset[str], until: float
) -> Callable[[], None]:
    """Some inputs, until one ends in a fault that is not known yet, which is made small."""

    @SETTINGS
    @given(inputs)
    def one(data: bytes) -> None:
        if time.monotonic() < until or told.finds.keys() != known:
            _try(target, held, told, data, known)

    return one


SETTINGS = settings(
    max_examples=ROUND, database=None, deadline=None, print_blob=False, report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
)  # fmt: skip


def _try(target: Target, held: Held, told: Told, data: bytes, known: frozenset[str]) -> None:
    ending = held.end_of(data, target.place)
    told.endings["found" if ending.fault else ending.how] += 1
    told.slowest, told.peak_mb = max(told.slowest, ending.seconds), max(told.peak_mb, ending.peak_mb)
    if not ending.fault or ending.fault in known:
        return
    now = time.monotonic()
    find = told.finds.setdefault(ending.fault, Find(data, ending, now + SHRINK_SECONDS))
    if len(data) <= len(find.data):
        find.data, find.ending = data, ending
    if now < find.until:
        raise Fault(ending.fault)
