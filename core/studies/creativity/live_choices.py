"""Choices of revealed sessions, judgment by judgment: whose texts were chosen how often, and how unequally (ABS)."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gamma, sqrt

import numpy as np

from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import keys_of_sets, ranked_sets
from biasprint.core.judging.workshop import tellable_sessions
from biasprint.core.metrics.affinity import affinity_score
from biasprint.core.metrics.anytime import share_band, share_spread_band, watched_trials
from biasprint.core.metrics.worth import of_clusters
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow
from biasprint.core.studies.creativity.affinity import ABS, SHARE
from biasprint.core.studies.creativity.choices import FEWEST_RATERS, MODEL, PERSON
from biasprint.core.studies.creativity.gather import axes_of
from biasprint.core.studies.kit.live import LiveKey, LiveValue, banded, undefined

UNIT = "proportion"
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
        """As many independent choices as would be known so well: see `AxisChoices.worth`, which measures at the end."""
        effect, raters = self._effect, {name: own for name, own in self._of_raters.items() if any(own.values())}
        shares = {name: share / self.n for name, share in self.shares.items()}
        even = float(1 - sum(share * share for share in shares.values()))
        if len(raters) < FEWEST_RATERS:
            return self.n / effect
        if not even:
            return float(min(len(raters), self._comparisons))
        own = np.array([[float(one[name]) for name in shares] for one in raters.values()])
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
    """Reads each revealed session once; before its reveal nothing of it is read."""

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
        sessions = tellable_sessions(self._project, [one for one in judging.sessions() if one.revealed_at is not None])
        merged = judging.merged_sessions()
        # A session that was revealed is closed; but copies of a packet come later, and decisions between them.
        state = {one.id: self._merged_state(one.id) if one.id in merged else () for one in sessions}
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
            for judgment in judging.unswayed(session.id):
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
        self._orders[place] = [*(one for one in known if one in shown), *sorted(set(shown) - set(known))]
        chosen = None if judgment.chosen is None else names[judgment.chosen]
        choices = self._choices.setdefault((*place, kind), _Choices())
        choices.add(comparison.id, rater, shown if kind == MODEL else (), chosen)

    def values(self) -> list[LiveValue]:
        found: list[LiveValue] = []
        sets = list(dict.fromkeys((axis, names) for axis, names, _ in self._choices))
        keys, ranked = keys_of_sets(sets), ranked_sets(sets)
        for axis, names in sets:
            if (axis, names) in ranked:
                continue  # a ranking is told when it is measured
            # As the measure pools: people, where people judged; otherwise models.
            choices = self._choices.get((axis, names, PERSON)) or self._choices[axis, names, MODEL]
            dims = (("axis", keys.get((axis, names), axis)),)
            if choices.n == 0:
                found.append(undefined(LiveKey(ABS, dims[0][1], "", dims), UNIT, 0, "no comparison with a choice"))
            else:
                found += _values(choices, self._orders[axis, names], dims)
        return found


def _values(choices: _Choices, identities: list[str], dims: tuple[tuple[str, str], ...]) -> list[LiveValue]:
    n, k = choices.n, len(identities)
    worth = choices.worth
    shares = [choices.shares[name] / n for name in identities]
    found = []
    for name, share in zip(identities, shares, strict=True):
        band = share_band(float(share) * worth, worth)
        found.append(banded(LiveKey(SHARE, name, name, dims), UNIT, n, float(share), band))
    parts = np.lcm.reduce([choices.shares[name].denominator for name in identities])
    counts = np.array([int(choices.shares[name] * int(parts)) for name in identities], dtype=np.int64)
    value = affinity_score(counts).value
    assert value is not None
    bounds = share_spread_band(counts / counts.sum() * worth)
    floor = sqrt((k - 1) / worth) / k * sqrt(2 / (k - 1)) * gamma(k / 2) / gamma((k - 1) / 2)
    spread = banded(LiveKey(ABS, dims[0][1], "", dims), UNIT, n, value, bounds)
    return [*found, replace(spread, floor=floor)]
