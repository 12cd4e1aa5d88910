"""Live figures of creative writing: distances from the default texts and their spread, and revealed choices."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import gamma, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.anytime import FIRST, spread_band
from biasprint.core.metrics.representative import cosine_distance, representative_of
from biasprint.core.metrics.sums import ClusterSums, ExactSum
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.creativity.distances import DISTANCE, RBS
from biasprint.core.studies.creativity.gather import defined_axes, embedder
from biasprint.core.studies.creativity.live_choices import JudgedChoices
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.live import (
    MOST_GROUPS,
    LiveKey,
    LiveValue,
    Restart,
    banded,
    dims_of,
    nearly_normal,
    undefined,
)
from biasprint.core.studies.kit.shelf import Drawer
from biasprint.core.texts.values import temperatures

DEFAULT = "default"
UNIT = "cosine distance"
INCOMPLETE = "no task and theme has the default output and every identity's"

Runs: TypeAlias = frozenset[frozenset[int]]
Block = tuple[str, str]


class _Unscored(NamedTuple):
    """What is known of an output until its vector comes. `heat`: empty for that of its run."""

    run_id: int
    sample: int
    model: str
    task: str
    theme: str
    identity: str
    heat: str


@dataclass
class _Written:
    """A model's outputs to one prompt, temperature and sample. Vectors are kept only while something waits for them."""

    default: Floats | None = None
    waiting: dict[str, Floats] = field(default_factory=dict)
    distances: dict[str, float] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)  # identities of each axis that have no distance yet


def _packed(written: _Written) -> list[Any]:
    default = None if written.default is None else _in_letters(written.default)
    return [default, {name: _in_letters(one) for name, one in written.waiting.items()}, written.distances, written.left]


def _unpacked(packed: Sequence[Any]) -> _Written:
    default, waiting, distances, left = packed
    vectors = {name: _vector(one) for name, one in waiting.items()}
    return _Written(None if default is None else _vector(default), vectors, distances, left)


def _in_letters(vector: Floats) -> str:
    return b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def _vector(letters: str) -> Floats:
    return np.frombuffer(b64decode(letters), dtype="<f4").astype(np.float32)


class CreativityTally:
    """Follows the outputs of a study. Each is compared with the default one of its prompt, once both are there."""

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._project = project
        self._embedder = embedder(MeasureOptions())
        self._axes = defined_axes(project)
        self._axes_of: dict[str, list[str]] = {DEFAULT: []}
        for axis, names in self._axes.items():
            for name in names:
                self._axes_of.setdefault(name, []).append(axis)
        self._compared = {axis: len(names) for axis, names in self._axes.items() if len(names) <= MOST_GROUPS}
        self._heat: dict[int, str] = {}
        drawer = Drawer()
        self._unscored = drawer.shelf(tuple, lambda packed: _Unscored(*packed))
        self._written = drawer.shelf(_packed, _unpacked)
        self._samples = _Samples(drawer)
        self._spreads: dict[tuple[str, str], _Spread] = {}
        self._choices = JudgedChoices(project)

    @property
    def scorers(self) -> tuple[ScorerInfo, ...]:
        return (self._embedder,)

    def learn(self, apart: object) -> None:
        """The runs that wrote the same prompt and sample, from a tally that found out."""
        assert isinstance(apart, frozenset)
        self._samples.apart = apart

    def text(self, row: OutputRow) -> None:
        if row.run_id not in self._heat:
            self._heat = temperatures(self._project)
            if defined_axes(self._project) != self._axes:
                raise Restart(self._samples.apart)
        heat = row.fields.get("temperature", "")
        self._unscored[row.id] = _Unscored(
            row.run_id, row.sample, row.model, row.task, row.theme, row.identity, heat
        )  # fmt: skip

    def source(self, row: SourceRow) -> None:
        """No source of this study is written by a model."""

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        row = self._unscored.get(key[1]) if key[0] == "output" else None
        if row is None:
            return
        del self._unscored[key[1]]
        heat = row.heat or self._heat[row.run_id]
        sample = self._samples.of(row, heat)
        vector = np.asarray(values, dtype=np.float32)
        if row.identity not in self._axes_of or not 0 < np.linalg.norm(vector.astype(np.float64)) < np.inf:
            return
        axes = self._axes_of[row.identity]
        for axis in axes:
            if (row.model, axis) not in self._spreads:
                self._spreads[row.model, axis] = _Spread(self._axes[axis])
        if row.identity != DEFAULT and not any(axis in self._compared for axis in axes):
            return
        prompt = (row.model, row.task, row.theme, heat, *sample)
        here = self._written.get(prompt) or _Written(left=dict(self._compared))
        if row.identity == DEFAULT:
            if here.default is None:
                here.default = vector
        elif row.identity not in here.distances:
            here.waiting.setdefault(row.identity, vector)
        self._compare(row, here)
        self._written[prompt] = here

    def _compare(self, row: _Unscored, here: _Written) -> None:
        if here.default is None:
            return
        default = here.default.astype(np.float64)[None]
        for identity, vector in here.waiting.items():
            here.distances[identity] = float(cosine_distance(vector.astype(np.float64)[None], default)[0])
            for axis in self._axes_of[identity]:
                if axis not in self._compared:
                    continue
                here.left[axis] -= 1
                if not here.left[axis]:
                    distances = [here.distances[name] for name in self._axes[axis]]
                    self._spreads[row.model, axis].add((row.task, row.theme), distances)
        here.waiting.clear()
        if not any(here.left.values()):
            here.default = np.zeros(0, dtype=np.float32)  # nothing waits for it any more

    def settle(self, ctx: JobContext) -> None:
        """Nothing is left for later."""

    def values(self) -> list[LiveValue]:
        several = len({model for model, _ in self._spreads}) > 1
        found: list[LiveValue] = []
        for (model, axis), spread in self._spreads.items():
            found += spread.values(axis, dims_of(axis=axis, model=model if several else ""))
        return found + self._choices.values()

    def judged(self, ctx: JobContext) -> bool:
        """What was revealed since the last time."""
        return self._choices.read(ctx)


class _Samples:
    """A sample number for every output, so that several runs of one prompt are several samples of it.

    As `core.studies.creativity.columns.kept_apart`: runs that wrote nothing twice between them share numbers.
    `apart`: the runs that did.
    """

    def __init__(self, drawer: Drawer) -> None:
        self.apart: Runs = frozenset()
        self._layers: dict[tuple[str, str], dict[int, int]] = {}
        self._wrote = drawer.shelf(int, int)

    def of(self, row: _Unscored, heat: str) -> tuple[int, int]:
        """Layer and sample. Raises `Restart` where this output shows that runs are to be kept apart."""
        layers = self._layers.setdefault((row.model, heat), {})
        if row.run_id not in layers:
            known = _layered(sorted({*layers, row.run_id}), self.apart)
            if any(known[run] != layer for run, layer in layers.items()):
                raise Restart(self.apart)
            layers[row.run_id] = known[row.run_id]
        layer = layers[row.run_id]
        key = (row.model, heat, layer, row.task, row.theme, row.identity, row.sample)
        other = self._wrote.get(key)
        if other is None:
            self._wrote[key] = row.run_id
        elif other != row.run_id:
            raise Restart(self.apart | {frozenset((other, row.run_id))})
        return layer, row.sample


def _layered(runs: list[int], apart: Runs) -> dict[int, int]:
    """Each run in the first layer that holds no run it is to be kept apart from."""
    layers: list[set[int]] = []
    found = {}
    for run in runs:
        free = (place for place, of in enumerate(layers) if all(frozenset((run, one)) not in apart for one in of))
        found[run] = next(free, len(layers))
        if found[run] == len(layers):
            layers.append(set())
        layers[found[run]].add(run)
    return found


class _Spread:
    """Mean distances of one model's outputs on one axis; a unit is a task and theme with every identity."""

    def __init__(self, identities: list[str]) -> None:
        self._identities = identities
        self._sums = ClusterSums(len(identities))
        self._blocks: dict[Block, tuple[list[ExactSum], int]] = {}
        self._within = ExactSum()  # of the variances within the blocks

    def add(self, block: Block, distances: list[float]) -> None:
        totals, count = self._blocks.get(block, ([ExactSum() for _ in distances], 0))
        if count:
            self._within.remove(float(np.var(self._sums.row(block, ""))))
        for total, distance in zip(totals, distances, strict=True):
            total.add(distance)
        self._blocks[block] = (totals, count + 1)
        means = np.array([total.value / (count + 1) for total in totals])
        self._sums.put(block, "", means)
        self._within.add(float(np.var(means)))

    def values(self, axis: str, dims: tuple[tuple[str, str], ...]) -> list[LiveValue]:
        n, k = len(self._blocks), len(self._identities)
        whole = LiveKey(RBS, axis, "", dims)
        if k > MOST_GROUPS or n == 0 or k < 2:
            few = "an axis needs at least two identities" if k < 2 else INCOMPLETE
            many = f"there are more than {MOST_GROUPS} identities: they are compared at the end"
            return [undefined(whole, UNIT, n, many if k > MOST_GROUPS else few)]
        means = self._sums.totals("") / n
        covariance = self._sums.covariance("")
        found = []
        for place, identity in enumerate(self._identities):
            error = None if covariance is None or covariance[place, place] <= 0 else sqrt(covariance[place, place])
            key = LiveKey(DISTANCE, identity, identity, dims)
            found.append(nearly_normal(key, UNIT, n, float(means[place]), error, (n,)))
        value = representative_of(means).value
        assert value is not None
        bounds = None if covariance is None or n < FIRST else spread_band(means, covariance, n)
        reason = f"the band is shown from {FIRST} on, now {n}" if n < FIRST else "nothing varies yet"
        shown = banded(whole, UNIT, n, value, bounds, "" if bounds else reason)
        return [*found, replace(shown, floor=self._floor(n, k))]

    def _floor(self, n: int, k: int) -> float:
        """The mean of RBS with identities permuted within the blocks, as if their means were normal.

        Its root mean square is √Σ v_b / B, v_b the variance within a block; the mean of a χ with k − 1 degrees of
        freedom is so many times its root mean square. `representative_null` draws the permutations themselves.
        """
        df = k - 1
        return sqrt(max(0.0, self._within.value)) / n * sqrt(2 / df) * gamma((df + 1) / 2) / gamma(df / 2)
