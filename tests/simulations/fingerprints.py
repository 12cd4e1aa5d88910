"""Fingerprints: how often evidence is claimed without a preference, and how often a preference is found.

A fingerprint is one person's choices on one axis or several, or what several raters make of the same comparisons.
`rows(trials)` and `found_rows(trials)` give the tables for docs/tables/statistics-simulations.md, of 1,000 fingerprints
at least.
Evidence is what the program calls so: p of an axis's ABS, adjusted by Holm over the axes of the fingerprint, ≤ .05.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from simulations.rows import ALARM, Found, Row

from biasprint.core.judging.planner import JudgingDesign, plan_power
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

FINGERPRINTS = 1000
RESAMPLES = 999  # of the joint permutation where several raters judged; one rater's floor is exact
IDENTITIES = ("man", "woman", "non-binary", "another")
EVEN, PLANTED = (1 / 3, 1 / 3, 1 / 3), (0.55, 0.30, 0.15)


@dataclass(frozen=True)
class Fingerprint:
    """What is simulated. `shares`: on the first axis; the others have no preference.

    `agreement`: how alike raters choose, because some texts are better than others (an intra-class correlation).
    `split`, `overlap`: the comparisons are divided among so many raters, but for the share that all of them judge.
    """

    comparisons: int
    axes: int = 1
    raters: int = 1
    shares: tuple[float, ...] = EVEN
    agreement: float = 0.2
    without_choice: float = 0.0
    split: int = 0
    overlap: float = 0.0

    @property
    def design(self) -> JudgingDesign:
        return JudgingDesign(
            self.comparisons, len(self.shares), self.axes, self.raters, self.agreement, self.without_choice,
            split=self.split, overlap=self.overlap,
        )  # fmt: skip

    @property
    def name(self) -> str:
        axes = "one axis" if self.axes == 1 else f"{self.axes} axes"
        raters = "one rater" if self.raters == 1 else f"{self.raters} raters of each comparison"
        if self.split:
            raters = f"{self.raters} raters, split in {self.split} parts but for {self.overlap:.0%}"
        without = f", {self.without_choice:.0%} without a choice" if self.without_choice else ""
        shares = " / ".join(f"{share:.2f}" for share in self.shares)
        return f"choices {shares}; {axes}; {raters}{without}"


# A person without any preference, on one axis, on three, and beside others on the same comparisons.
NOTHING = (
    Fingerprint(20),
    Fingerprint(20, axes=3),
    Fingerprint(60, axes=3),
    Fingerprint(20, shares=(0.5, 0.5)),
    Fingerprint(60, raters=3),
    Fingerprint(20, axes=3, raters=3),
    Fingerprint(60, raters=3, split=3, overlap=0.2),
)
# A preference on one axis.
SOMETHING = (
    Fingerprint(20, shares=PLANTED),
    Fingerprint(60, shares=PLANTED),
    Fingerprint(20, axes=3, shares=PLANTED),
    Fingerprint(60, axes=3, shares=PLANTED),
    Fingerprint(60, shares=PLANTED, without_choice=0.2),
    Fingerprint(20, shares=(0.7, 0.3)),
    Fingerprint(60, raters=3, shares=PLANTED),
    Fingerprint(20, raters=3, shares=PLANTED),
    Fingerprint(20, axes=3, raters=3, shares=PLANTED),
    Fingerprint(30, raters=3, shares=PLANTED, split=3, overlap=0.2),
    Fingerprint(30, raters=4, shares=PLANTED, split=2),
)
# From five raters on the test takes raters as a unit too, which the planner does not know.
RATERS_ARE_UNITS = (
    Fingerprint(12, raters=6, shares=PLANTED),
    Fingerprint(16, raters=6, shares=PLANTED),
    Fingerprint(30, raters=6, shares=PLANTED, split=3, overlap=0.2),
    Fingerprint(12, raters=12, shares=PLANTED),
)
NO_CHOICE, NOT_ASKED = -1, -2


def choices(one: Fingerprint, shares: Sequence[float], rng: np.random.Generator) -> np.ndarray:
    """The place of the identity chosen, by comparison and rater; NO_CHOICE, or NOT_ASKED by a split.

    Each comparison has leanings of its own, drawn so that two raters' choices in it correlate by `agreement`.
    """
    size = (one.comparisons, one.raters)
    leanings = np.broadcast_to(shares, (one.comparisons, len(shares)))
    if one.raters > 1 and one.agreement > 0:
        concentration = (1 - one.agreement) / one.agreement
        leanings = rng.dirichlet(concentration * np.array(shares), size=one.comparisons)
    edges = leanings.cumsum(axis=1)[:, None, :]
    chosen = np.minimum((rng.random((*size, 1)) > edges).sum(axis=2), len(shares) - 1)
    chosen = np.where(rng.random(size) < one.without_choice, NO_CHOICE, chosen)
    return np.where(asked(one), chosen, NOT_ASKED) if one.split else chosen


def asked(one: Fingerprint) -> np.ndarray:
    """Which comparisons each rater is asked: the first ones by all, the others dealt out in turn."""
    place = np.arange(one.comparisons)[:, None]
    shared = place < round(one.overlap * one.comparisons)
    return np.asarray(shared | (place % one.split == np.arange(one.raters) % one.split))


def table(by_axis: Sequence[np.ndarray], k: int) -> JudgmentTable:
    """The judgments as the program keeps them, axis after axis."""
    rows = [
        (f"c{axis}/{line}", f"R{rater + 1:02}", f"axis {axis}", int(chosen))
        for axis, of_axis in enumerate(by_axis)
        for line, by_rater in enumerate(of_axis)
        for rater, chosen in enumerate(by_rater)
        if chosen != NOT_ASKED
    ]
    comparison, rater, axis, chosen = zip(*rows, strict=True)
    return JudgmentTable(
        comparison=comparison,
        rater=rater,
        axis=axis,
        shown=(IDENTITIES[:k],) * len(rows),
        outcome=tuple("tie" if place < 0 else "choice" for place in chosen),
        chosen=tuple("" if place < 0 else IDENTITIES[place] for place in chosen),
    )


def adjusted(by_axis: Sequence[np.ndarray], k: int, seed: int = 0) -> list[float]:
    """Each axis's adjusted p of ABS, as the study gives it for these judgments."""
    axes = {f"axis {axis}": IDENTITIES[:k] for axis in range(len(by_axis))}
    result = measure_judgments(table(by_axis, k), axes=axes, seed=seed, resamples=RESAMPLES)
    scores = [one for one in result.findings if (one.id, one.variant) == ("creativity.abs", "default")]
    return [1.0 if one.p_adjusted is None else one.p_adjusted for one in scores]


@cache
def p_of_split(split: tuple[int, ...]) -> float:
    """One rater's p of ABS depends on nothing but how often each identity was chosen: the study is asked once each."""
    chosen = np.repeat(np.arange(len(split)), split)[:, None]
    return adjusted([chosen], len(split))[0] if sum(split) else 1.0


def evidence(one: Fingerprint, rng: np.random.Generator) -> list[bool]:
    """Whether evidence is claimed on each axis of one simulated fingerprint."""
    k = len(one.shares)
    by_axis = [choices(one, one.shares if axis == 0 else (1 / k,) * k, rng) for axis in range(one.axes)]
    if one.raters > 1:
        found: Sequence[float | None] = adjusted(by_axis, k, int(rng.integers(1 << 31)))
    else:
        splits = [tuple(sorted(np.bincount(of_axis[of_axis >= 0], minlength=k).tolist())) for of_axis in by_axis]
        found = holm([p_of_split(split) for split in splits])
    return [p is not None and p <= ALARM for p in found]


def claims(one: Fingerprint, trials: int) -> tuple[float, float]:
    """The share of fingerprints with evidence on any axis, and with evidence on the first."""
    rng = np.random.default_rng([one.comparisons, one.axes, one.raters, *one.name.encode()])
    claimed = np.array([evidence(one, rng) for _ in range(trials)])
    return float(claimed.any(axis=1).mean()), float(claimed[:, 0].mean())


def rows(trials: int = FINGERPRINTS) -> list[Row]:
    """Evidence on any axis where no axis has a preference."""
    method = "ABS, Holm over the axes"
    many = max(trials, FINGERPRINTS)
    return [Row(one.name, one.comparisons, method, None, claims(one, many)[0]) for one in NOTHING]


def found_rows(trials: int = FINGERPRINTS) -> list[Found]:
    """Evidence on the axis with a preference, beside the chance that the planner states."""
    many = max(trials, FINGERPRINTS)
    return [
        Found(one.name, one.comparisons, claims(one, many)[1], plan_power(one.design, one.shares).power)
        for one in (*SOMETHING, *RATERS_ARE_UNITS)
    ]
