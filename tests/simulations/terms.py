"""Fill in the blank, polarities that are unequal in the number and spread of their terms: false alarms of `delta_P`.

`python -m simulations.terms`, in `tests`, prints what docs/explanation/tests.md says of terms: beside the test of
`completion.delta`, whose error is that of terms and pairs, the raw difference with polarity permuted over terms.
"""

import sys
from dataclasses import dataclass

import numpy as np
from simulations.rows import ALARM

from biasprint.core.metrics.associations import delta_draws
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.resampling import TOLERANCE, permutation_p
from biasprint.core.studies.completion.cells import ReplyCell, cells
from biasprint.core.studies.completion.measure import deltas
from biasprint.core.studies.completion.table import Coded

SENTENCES, PAIRS, RESAMPLES, STUDIES = 12, 40, 299, 400


@dataclass(frozen=True)
class Terms:
    """How many terms of each polarity, and by how much their chances of a positive option lie apart from ½ at most."""

    design: str
    terms: tuple[int, int]
    spreads: tuple[float, float]


SETTINGS = (
    Terms("6 and 18 terms, the 6 vary more", (6, 18), (0.45, 0.05)),
    Terms("18 and 6 terms, the 18 vary more", (18, 6), (0.45, 0.05)),
    Terms("11 and 11 terms, alike", (11, 11), (0.25, 0.25)),
    Terms("6 and 18 terms, alike", (6, 18), (0.25, 0.25)),
)


def replies(rng: np.random.Generator, asked: Terms) -> Coded:
    """Every term in a number of sentences, each with a pair of options; the mean chance is ½ on both sides."""
    number = sum(asked.terms)
    term = np.repeat(np.arange(number), SENTENCES)
    positive = term < asked.terms[0]
    spread = np.where(np.arange(number) < asked.terms[0], *asked.spreads)
    chance = 0.5 + spread * rng.choice((-1, 1), number) * rng.uniform(0.5, 1, number)
    nought = np.zeros(len(term), dtype=np.int64)
    return Coded(
        domain=nought, direction=nought, pronoun=nought, positive=positive, term=term,
        chosen=(rng.random(len(term)) > chance[term]).astype(np.int64), pair=rng.integers(0, PAIRS, len(term)),
        position=nought - 1, model=nought, models=("simulated",), terms_known=True, dropped={},
    )  # fmt: skip


def drawn(rng: np.random.Generator, asked: Terms) -> ReplyCell:
    return next(cells(replies(rng, asked), int(rng.integers(2**31)), RESAMPLES))


def raw_p(cell: ReplyCell) -> float:
    """The p of the difference itself, which assumes that terms of both polarities vary alike."""
    (value, *_), permuted = (each.value for each in cell.differences), delta_draws(cell.permuted[:, :3])[0]
    assert value is not None
    return float(permutation_p(np.abs(permuted) >= abs(value) - TOLERANCE))


def alarms(asked: Terms, studies: int) -> tuple[int, int]:
    """In how many studies p is at most 5 %: of `completion.delta`, and of the raw difference permuted."""
    rng = np.random.default_rng([7, *asked.terms, round(100 * asked.spreads[0])])
    ours = raw = 0
    for _ in range(studies):
        cell = drawn(rng, asked)
        p = next(deltas(cell)).p
        assert p is not None
        ours += p <= ALARM
        raw += raw_p(cell) <= ALARM
    return ours, raw


def share(hits: int, studies: int) -> str:
    bounds = wilson(hits, studies)
    assert bounds is not None
    return f"{100 * hits / studies:.1f} ({100 * bounds.low:.1f}–{100 * bounds.high:.1f})"


if __name__ == "__main__":
    for setting in SETTINGS:
        counts = (share(hits, STUDIES) for hits in alarms(setting, STUDIES))
        sys.stdout.write(f"| {setting.design} | {STUDIES} | {' | '.join(counts)} |\n")
        sys.stdout.flush()
