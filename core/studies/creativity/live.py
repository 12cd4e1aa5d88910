"""Live figures of creative writing: distances from the default texts and their spread, and revealed choices."""

from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gamma, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import unread_rule, unswayed
from biasprint.core.judging.plan import keys_of_sets, ranked_sets
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.metrics.affinity import affinity_score
from biasprint.core.metrics.anytime import FIRST, share_band, share_spread_band, spread_band, watched_trials
from biasprint.core.metrics.representative import cosine_distance, representative_of
from biasprint.core.metrics.resampling import of_clusters
from biasprint.core.metrics.sums import ClusterSums, ExactSum
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, Floats, JudgmentRow, OutputRow, TextKey
from biasprint.core.prompts.wordings import sample_in
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.creativity.affinity import ABS, SHARE
from biasprint.core.studies.creativity.author import creativity_trial
from biasprint.core.studies.creativity.choices import FEWEST_RATERS, MODEL, PERSON
from biasprint.core.studies.creativity.columns import store_creative_texts
from biasprint.core.studies.creativity.distances import DISTANCE, RBS
from biasprint.core.studies.creativity.gather import (
    axes_of,
    defined_axes,
    embedder,
    kind_of,
    needed,
    of_judged,
    of_project,
    of_several,
    of_tables,
    prepared,
)
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.live import (
    MOST_GROUPS,
    Drawer,
    LiveKey,
    LiveValue,
    Restart,
    StudyTally,
    banded,
    dims_of,
    nearly_normal,
    undefined,
)
from biasprint.core.studies.kit.study import OwnWork
from biasprint.core.texts.values import temperatures

# ---- Choices

CHOICE_UNIT = "proportion"
Identities = frozenset[str]


@dataclass
class _Unit:
    """One comparison: what each rater chose, a person once and a model in each order of the cards; None: no choice."""

    chosen: dict[str, dict[tuple[str, ...], str | None]] = field(default_factory=dict)
    shares: dict[str, Fraction] = field(default_factory=dict)

    def of(self, rater: str) -> dict[str, Fraction]:
        """One rater's choice; of a model its choices in all orders, averaged. Empty without one in every order."""
        orders = self.chosen.get(rater, {})
        if None in orders.values():
            return {}
        return {name: Fraction(times, len(orders)) for name, times in Counter(filter(None, orders.values())).items()}


class _Choices:
    """One set of identities of an axis, judged by one kind of rater. A model's orders are one averaged choice."""

    def __init__(self) -> None:
        self.shares: defaultdict[str, Fraction] = defaultdict(Fraction)
        self.n = 0
        self._units: dict[str, _Unit] = {}
        self._squares = Fraction(0)  # Σ_c |x_c|², and Σ_c m_c x_c, Σ_c m_c²: the design effect needs no more
        self._products: defaultdict[str, Fraction] = defaultdict(Fraction)
        self._sizes = Fraction(0)
        self._comparisons = 0
        self._of_raters: defaultdict[str, defaultdict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        self._cell_squares = Fraction(0)  # Σ |x|² of one rater's choice in one comparison

    def add(self, comparison: str, rater: str, order: tuple[str, ...], chosen: str | None) -> None:
        unit = self._units.setdefault(comparison, _Unit())
        self._count(unit, -1)
        self._count_rater(rater, unit, -1)
        unit.chosen.setdefault(rater, {})[order] = chosen
        self._count_rater(rater, unit, 1)
        unit.shares = {}
        for each in unit.chosen:
            for name, share in unit.of(each).items():
                unit.shares[name] = unit.shares.get(name, Fraction(0)) + share
        self._count(unit, 1)

    def _count_rater(self, rater: str, unit: _Unit, sign: int) -> None:
        own = unit.of(rater)
        for name, share in own.items():
            self._of_raters[rater][name] += sign * share
        self._cell_squares += sign * sum((share * share for share in own.values()), Fraction(0))

    def _count(self, unit: _Unit, sign: int) -> None:
        size = sum(unit.shares.values(), Fraction(0))
        for name, share in unit.shares.items():
            self.shares[name] += sign * share
            self._products[name] += sign * size * share
        self._squares += sign * sum((share * share for share in unit.shares.values()), Fraction(0))
        self._sizes += sign * size * size
        self._comparisons += sign * bool(size)
        self.n += sign * int(size)

    @property
    def worth(self) -> float:
        """Number of independent choices that would be known as well: `AxisChoices.worth` measures it at the end."""
        effect, raters = self._effect, {name: own for name, own in self._of_raters.items() if any(own.values())}
        shares = {name: share / self.n for name, share in self.shares.items()}
        even = float(1 - sum(share * share for share in shares.values()))
        if len(raters) < FEWEST_RATERS:
            return self.n / effect
        if not even:
            return float(min(len(raters), self._comparisons))
        own = np.array([[float(rater[name]) for name in shares] for rater in raters.values()])
        sizes = own.sum(axis=1)
        total, freedom = of_clusters(own - sizes[:, None] * np.array([*map(float, shares.values())]), sizes)
        of_raters = total / (self.n * even)
        cells = (float(self._cell_squares) / self.n - (1 - even)) / even
        crossed = max(effect, of_raters, effect + of_raters - cells)
        return watched_trials(self.n / crossed, freedom)

    @property
    def _effect(self) -> float:
        """The design effect of `biasprint.core.metrics.proportions.design_effect`, of choices in whole comparisons."""
        count, n = self._comparisons, self.n
        shares = {name: share / n for name, share in self.shares.items()}
        even = 1 - sum(share * share for share in shares.values())
        if count < 2 or not even:
            return 1.0
        cross = sum(shares[name] * total for name, total in self._products.items() if name in shares)
        between = self._squares - 2 * cross + self._sizes * sum(share * share for share in shares.values())
        return max(1.0, float(Fraction(count, count - 1) * between / (n * even)))


class JudgedChoices:
    """Reads each revealed session once; before its reveal no part of it is read."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._begin()

    def _begin(self) -> None:
        self._sessions: dict[str, tuple[str, ...]] = {}
        self._choices: dict[tuple[str, Identities, str], _Choices] = {}
        self._orders: dict[tuple[str, Identities], list[str]] = {}

    def read(self, ctx: JobContext) -> bool:
        """Take in what was revealed since; True if there was anything. All again where a session has changed."""
        judging = self._project.judging
        sessions = tellable_sessions(
            self._project, [each_session for each_session in judging.sessions() if each_session.revealed_at is not None]
        )
        merged = judging.merged_sessions()
        rule = ("read to the end",) if unread_rule(self._project) is not None else ()
        # A session that was revealed is closed; but copies of a packet come later, and decisions between them.
        state = {
            each_session.id: (*rule, *(self._merged_state(each_session.id) if each_session.id in merged else ()))
            for each_session in sessions
        }
        if any(state.get(key) != known for key, known in self._sessions.items()):
            self._begin()
        new = [session for session in sessions if session.id not in self._sessions]
        if not new:
            return False
        axes = axes_of(self._project)
        raters = {rater.id: rater for rater in judging.raters()}
        comparisons: dict[str, dict[str, ComparisonRow]] = {}
        for session in new:
            ctx.check()
            if session.plan_id not in comparisons:
                comparisons[session.plan_id] = {row.id: row for row in judging.comparisons(session.plan_id)}
            rows, rater = comparisons[session.plan_id], raters[session.rater_id]
            for judgment in unswayed(self._project, session.id):
                self._take(judgment, rows[judgment.comparison_id], rater.code, rater.kind, axes)
            self._sessions[session.id] = state[session.id]
        return True

    def _merged_state(self, session_id: str) -> tuple[str, ...]:
        """The judgments in force of a session whose packet came back."""
        return tuple(row.id for row in self._project.judging.judgments(session_id))

    def _take(
        self, judgment: JudgmentRow, comparison: ComparisonRow, rater: str, kind: str, axes: dict[str, list[str]]
    ) -> None:
        if judgment.outcome == "undone" or comparison.repeat_of or comparison.axis not in axes:
            return
        names = [item.identity for item in comparison.items]
        shown = tuple(names[place] for place in judgment.shown)
        if len(set(shown)) != len(shown) or len(shown) < 2:
            return
        place = (comparison.axis, frozenset(shown))
        known = axes[comparison.axis]
        self._orders[place] = [*(identity for identity in known if identity in shown), *sorted(set(shown) - set(known))]
        chosen = None if judgment.chosen is None else names[judgment.chosen]
        choices = self._choices.setdefault((*place, kind), _Choices())
        choices.add(comparison.id, rater, shown if kind == MODEL else (), chosen)

    def values(self) -> list[LiveValue]:
        values: list[LiveValue] = []
        sets = list(dict.fromkeys((axis, names) for axis, names, _ in self._choices))
        keys, ranked = keys_of_sets(sets), ranked_sets(sets)
        for axis, names in sets:
            if (axis, names) in ranked:
                continue  # a ranking is told when it is measured
            # As the measure pools: people, where people judged; otherwise models.
            choices = self._choices.get((axis, names, PERSON)) or self._choices[axis, names, MODEL]
            dims = (("axis", keys.get((axis, names), axis)),)
            if choices.n == 0:
                values.append(
                    undefined(LiveKey(ABS, dims[0][1], "", dims), CHOICE_UNIT, 0, "no comparison with a choice")
                )
            else:
                values += _values(choices, self._orders[axis, names], dims)
        return values


def _values(choices: _Choices, identities: list[str], dims: tuple[tuple[str, str], ...]) -> list[LiveValue]:
    n, k = choices.n, len(identities)
    worth = choices.worth
    shares = [choices.shares[name] / n for name in identities]
    values = []
    for name, share in zip(identities, shares, strict=True):
        band = share_band(float(share) * worth, worth)
        values.append(banded(LiveKey(SHARE, name, name, dims), CHOICE_UNIT, n, float(share), band))
    parts = np.lcm.reduce([choices.shares[name].denominator for name in identities])
    counts = np.array([int(choices.shares[name] * int(parts)) for name in identities], dtype=np.int64)
    value = affinity_score(counts).value
    assert value is not None
    bounds = share_spread_band(counts / counts.sum() * worth)
    floor = sqrt((k - 1) / worth) / k * sqrt(2 / (k - 1)) * gamma(k / 2) / gamma((k - 1) / 2)
    spread = banded(LiveKey(ABS, dims[0][1], "", dims), CHOICE_UNIT, n, value, bounds)
    return [*values, replace(spread, floor=floor)]


DEFAULT = "default"
UNIT = "cosine distance"
INCOMPLETE = "no task and theme has the default output and every identity's"

Runs: TypeAlias = frozenset[frozenset[int]]
Block = tuple[str, str]


class _Unscored(NamedTuple):
    """Facts about an output until its vector comes. `heat`: empty for that of its run."""

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
    return [
        default,
        {name: _in_letters(vectors) for name, vectors in written.waiting.items()},
        written.distances,
        written.left,
    ]


def _unpacked(packed: Sequence[Any]) -> _Written:
    default, waiting, distances, left = packed
    vectors = {name: _vector(text_vector) for name, text_vector in waiting.items()}
    return _Written(None if default is None else _vector(default), vectors, distances, left)


def _in_letters(vector: Floats) -> str:
    return b64encode(vector.astype("<f4").tobytes()).decode("ascii")


def _vector(letters: str) -> Floats:
    return np.frombuffer(b64decode(letters), dtype="<f4").astype(np.float32)


class CreativityTally(StudyTally):
    """Follows the outputs of a study. Each is compared with the default one of its prompt, once both are there."""

    def __init__(self, project: Project, study_id: int, compute: ComputeProcess) -> None:
        self._project = project
        self.scorers = (embedder(MeasureOptions(), project, study_id),)
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

    def learn(self, apart: object) -> None:
        """Take over, from a tally that found out, the runs that wrote the same prompt and sample."""
        assert isinstance(apart, frozenset)
        self._samples.apart = apart

    def text(self, row: OutputRow) -> None:
        if row.run_id not in self._heat:
            self._heat = temperatures(self._project)
            if defined_axes(self._project) != self._axes:
                raise Restart(self._samples.apart)
        heat = row.fields.get("temperature", "")
        self._unscored[row.id] = _Unscored(
            row.run_id, sample_in(row.sample, row.fields), row.model, row.task, row.theme, row.identity, heat
        )  # fmt: skip

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

    def values(self) -> list[LiveValue]:
        several = len({model for model, _ in self._spreads}) > 1
        values: list[LiveValue] = []
        for (model, axis), spread in self._spreads.items():
            values += spread.values(axis, dims_of(axis=axis, model=model if several else ""))
        return values + self._choices.values()

    def judged(self, ctx: JobContext) -> bool:
        """Read what was revealed since the last time."""
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
    layer_of = {}
    for run in runs:
        free = (
            place
            for place, of in enumerate(layers)
            if all(frozenset((run, other_run)) not in apart for other_run in of)
        )
        layer_of[run] = next(free, len(layers))
        if layer_of[run] == len(layers):
            layers.append(set())
        layers[layer_of[run]].add(run)
    return layer_of


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
        values = []
        for place, identity in enumerate(self._identities):
            error = None if covariance is None or covariance[place, place] <= 0 else sqrt(covariance[place, place])
            key = LiveKey(DISTANCE, identity, identity, dims)
            values.append(nearly_normal(key, UNIT, n, float(means[place]), error, (n,)))
        value = representative_of(means).value
        assert value is not None
        bounds = None if covariance is None or n < FIRST else spread_band(means, covariance, n)
        reason = f"a band needs at least {FIRST}; so far there are {n}" if n < FIRST else "nothing varies yet"
        shown = banded(whole, UNIT, n, value, bounds, "" if bounds else reason)
        return [*values, replace(shown, floor=self._floor(n, k))]

    def _floor(self, n: int, k: int) -> float:
        """The mean of RBS with identities permuted within the blocks, as if their means were normal.

        Its root mean square is √Σ v_b / B, v_b the variance within a block; the mean of a χ with k − 1 degrees of
        freedom is so many times its root mean square. `representative_null` draws the permutations themselves.
        """
        df = k - 1
        return sqrt(max(0.0, self._within.value)) / n * sqrt(2 / df) * gamma((df + 1) / 2) / gamma(df / 2)


class CreativityWork(OwnWork):
    """Creative texts, and the judgments of them."""

    store = store_creative_texts
    needed_by_any = staticmethod(needed)
    kind_of = staticmethod(kind_of)
    of_tables = staticmethod(of_tables)
    prepared = staticmethod(prepared)
    of_project = staticmethod(of_project)
    of_judged = staticmethod(of_judged)
    of_several = staticmethod(of_several)
    live = CreativityTally
    simulated = staticmethod(creativity_trial)
