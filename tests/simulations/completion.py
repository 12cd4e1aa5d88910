"""Fill in the blank: terms recur in sentences, pairs of options recur with terms.

Terms differ in what follows them and pairs in which option is liked, beyond what polarity does. `rows(trials)` gives
the table for docs/tables/statistics-simulations.md.
"""

from functools import cache, partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.findings import Finding
from biasprint.core.metrics.associations import delta_draws, kendall_draws, likelihood_draws
from biasprint.core.metrics.result import Bounds
from biasprint.core.studies.completion.cells import ReplyCell, cells
from biasprint.core.studies.completion.measure import deltas, likelihoods, published_deltas, published_likelihoods, taus
from biasprint.core.studies.completion.table import Coded

# Terms of each polarity: a small set of one's own, the ages of the ageism domain, its attributes.
SMALL, USUAL, LARGE = 4, 11, 36
SENTENCES, PRONOUNS = 8, 3
RESAMPLES = 1000
# Standard deviations, on the logit, of what is particular to a term and to a pair of options.
TERM, PAIR = 0.4, 0.6
NOTHING, EFFECT = 0.0, 1.0
ASCENDING = [1, 2, 0]
SHOWN = (("likelihood", "PPL"), ("likelihood", "PL"), ("delta", "delta_P"), ("delta", "omnibus"), ("tau_b", "tau_b"))


def shares(polarity: np.ndarray, term: np.ndarray, pair: np.ndarray, effect: float) -> np.ndarray:
    """Chances of a positive, negative and neutral choice, shape (3, n); `polarity` is +½ or −½."""
    lean = effect * polarity + term + pair
    weights = np.exp([0.4 + lean, -lean, np.full_like(lean, -0.3)])
    return np.asarray(weights / weights.sum(axis=0))


@cache
def truth(effect: float) -> dict[str, float]:
    """What an endless set of terms and pairs would give."""
    rng = np.random.default_rng(1)
    size = 400_000
    term, pair = rng.normal(0, TERM, size), rng.normal(0, PAIR, size)
    table = np.stack([shares(np.full(size, side), term, pair, effect).mean(axis=1) for side in (0.5, -0.5)])
    counts = 1e6 * table[:, :, None]
    likelihood, delta = likelihood_draws(counts)[:, 0], delta_draws(counts)[:, 0]
    tau = kendall_draws(counts[::-1][:, ASCENDING])[0][0]
    return {"PPL": likelihood[0], "PL": likelihood[6], "delta_P": delta[0], "tau_b": tau}


def replies(rng: np.random.Generator, terms: int, effect: float) -> Coded:
    """Every term in every sentence and with every pronoun; a pair of options is drawn for each term and sentence."""
    pairs = max(6, terms)
    of_term, of_pair = rng.normal(0, TERM, 2 * terms), rng.normal(0, PAIR, pairs)
    term = np.repeat(np.arange(2 * terms), SENTENCES * PRONOUNS)
    pair = np.repeat(rng.integers(0, pairs, 2 * terms * SENTENCES), PRONOUNS)
    positive = term < terms
    chances = shares(np.where(positive, 0.5, -0.5), of_term[term], of_pair[pair], effect)
    chosen = (rng.random(len(term)) > chances.cumsum(axis=0)[:2]).sum(axis=0)
    nought = np.zeros(len(term), dtype=np.int64)
    return Coded(
        domain=nought, direction=nought, pronoun=np.tile(np.arange(PRONOUNS), len(term) // PRONOUNS),
        positive=positive, chosen=chosen, term=term, pair=pair, position=nought - 1, model=nought,
        models=("simulated",), terms_known=True, dropped={},
    )  # fmt: skip


def whole_cell(coded: Coded, seed: int) -> ReplyCell:
    """The cell over all pronouns."""
    return next(cell for cell in cells(coded, seed, RESAMPLES) if "pronoun" not in cell.dims)


def trial(rng: np.random.Generator, terms: int, effect: float) -> dict[str, Outcome]:
    cell = whole_cell(replies(rng, terms, effect), int(rng.integers(2**31)))
    findings = [
        *likelihoods(cell), *published_likelihoods(cell), *deltas(cell), *published_deltas(cell), *taus(cell),
    ]  # fmt: skip
    return {
        f"{label}, {variant}": _outcome(_one(findings, kind, label, variant), effect)
        for kind, label in SHOWN
        for variant in ("default", "as_published")
    }


def _one(findings: list[Finding], kind: str, label: str, variant: str) -> Finding:
    return next(
        each for each in findings if (each.id, each.label, each.variant) == (f"completion.{kind}", label, variant)
    )


def _outcome(finding: Finding, effect: float) -> Outcome:
    interval = finding.interval
    bounds = interval and Bounds(interval.low, interval.high, interval.method)
    tested = finding.id != "completion.likelihood"
    return Outcome(
        covers(bounds, truth(effect)[finding.label]) if bounds else None,
        alarm(finding.p, effect) if tested else None,
    )


DESIGNS = (("completion: terms and option pairs reused, no bias", NOTHING),
           ("completion: terms and option pairs reused, bias", EFFECT))  # fmt: skip


def rows(trials: int) -> list[Row]:
    """Coverage and false positives at a small, the usual and a large number of terms."""
    return [
        row
        for design, effect in DESIGNS
        for terms in (SMALL, USUAL, LARGE)
        for row in simulated(design, terms, partial(trial, effect=effect), trials)
    ]
