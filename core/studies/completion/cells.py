"""Cells of the replies: counted and permuted once, their intervals, and the paper's figures beside them."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from statistics import NormalDist
from typing import Any

import numpy as np

from biasprint.core.metrics.clusters import CrossedCounts, Influences, Singles, two_way_error
from biasprint.core.metrics.likelihood import (
    CONDITIONAL,
    Omnibus,
    likelihood_deltas,
    omnibus,
)
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.ranks import kendall_tau
from biasprint.core.metrics.resampling import TOLERANCE, generator
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    Bools,
    Bounds,
    Difference,
    Floats,
    MaybeBounds,
    estimates_alone,
)
from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, PRONOUNS
from biasprint.core.studies.completion.table import IRRELEVANT, Coded

# ---- Cells
# Terms and option pairs are units within a direction and domain, and polarities are permuted there: the design fixes
# how many of each there are. A pooled cell adds what its parts gave.

PURPOSE = "completion"
OUTCOMES = IRRELEVANT + 1  # positive, negative, neutral, irrelevant


@dataclass(frozen=True)
class ReplyCell:
    """Replies that are looked at together; counts are (given, chosen), chosen with the irrelevant last: (2, 4, …).

    `permuted`: counts with polarity permuted over terms, (2, 4, resamples). `terms`: how many terms were given,
    positive and negative; `pairs`: how many pairs of options were offered. `strata`: the counts of each domain by term
    and pair.
    """

    dims: Mapping[str, str]
    observed: Floats
    permuted: Singles
    terms: tuple[int, int]
    pairs: int
    strata: tuple[CrossedCounts, ...]

    def influences(self, gradient: Floats) -> list[Influences]:
        """The parts that terms and pairs add to a statistic; `gradient`: ∂s/∂n, shape (2, its outcomes)."""
        whole = np.zeros((2, OUTCOMES))
        whole[:, : gradient.shape[1]] = gradient
        return [stratum.influences(whole) for stratum in self.strata]

    @property
    def direction(self) -> str:
        return self.dims["direction"]

    @property
    def chosen(self) -> Floats:
        """The counts without the irrelevant replies, shape (2, 3)."""
        return self.observed[:, :IRRELEVANT]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """ΔPL, ΔNL and ΔNuL, as if replies were independent."""
        return likelihood_deltas(self.chosen)

    @cached_property
    def omnibus(self) -> Omnibus:
        return omnibus(self.chosen)

    @property
    def n(self) -> int:
        return int(self.chosen.sum())

    @property
    def n_by_group(self) -> dict[str, int]:
        positive, negative = (int(count) for count in self.chosen.sum(axis=1))
        return {"positive": positive, "negative": negative}

    @property
    def dropped(self) -> dict[str, int]:
        irrelevant = int(self.observed[:, IRRELEVANT].sum())
        return {"irrelevant": irrelevant} if irrelevant else {}


@dataclass(frozen=True)
class _Stratum:
    """One domain in one direction, outcomes by pronoun: `permuted` of shape (2, pronouns, 4, resamples)."""

    counts: CrossedCounts
    permuted: Singles

    def of(self, pronoun: int | None) -> CrossedCounts:
        """The counts of one pronoun, or of all together: (entries, 4)."""
        if pronoun is not None:
            return self.counts.only(slice(pronoun * OUTCOMES, (pronoun + 1) * OUTCOMES))
        together = self.counts.entries.reshape(-1, len(PRONOUNS), OUTCOMES).sum(axis=1)
        return replace(self.counts, entries=together)


def cells(replies: Coded, seed: int, resamples: int) -> Iterator[ReplyCell]:
    """Yield cells by model and direction: all domains together if there are several, then each; whole, then by pronoun.

    For estimates alone nothing is resampled.
    """
    resamples = 0 if estimates_alone() else resamples
    for model, name in enumerate(replies.models):
        dims = {"model": name or "(no name)"} if len(replies.models) > 1 else {}
        for direction, direction_name in enumerate(DIRECTIONS):
            inside = (replies.model == model) & (replies.direction == direction)
            strata = {
                place: _stratum(replies, inside & (replies.domain == place), (name, direction_name, DOMAINS[place]),
                                seed, resamples)
                for place in np.unique(replies.domain[inside])
            }  # fmt: skip
            if not strata:
                continue
            pronouns = [int(each) for each in np.unique(replies.pronoun[inside])]
            here = {**dims, "direction": direction_name}
            groups = [(here, list(strata.values()))] if len(strata) > 1 else []
            groups += [({**here, "domain": DOMAINS[place]}, [stratum]) for place, stratum in strata.items()]
            for group_dims, parts in groups:
                yield _cell(group_dims, parts, None)
                # A pronoun may have replies in the one domain and none in the other.
                for pronoun in pronouns if len(pronouns) > 1 else []:
                    cell = _cell({**group_dims, "pronoun": PRONOUNS[pronoun]}, parts, pronoun)
                    if cell.observed.any():
                        yield cell


def _stratum(replies: Coded, inside: Bools, key: tuple[str, ...], seed: int, resamples: int) -> _Stratum:
    pronouns = len(PRONOUNS)
    outcome = replies.pronoun[inside] * OUTCOMES + replies.chosen[inside]
    counts = CrossedCounts.of(
        replies.term[inside], replies.pair[inside], outcome, replies.positive[inside], pronouns * OUTCOMES
    )
    permuted = counts.permuted(generator(seed, PURPOSE, "p", *key), resamples)
    return _Stratum(counts, permuted.reshape(2, pronouns, OUTCOMES, resamples))


def _cell(dims: Mapping[str, str], strata: list[_Stratum], pronoun: int | None) -> ReplyCell:
    which = slice(None) if pronoun is None else slice(pronoun, pronoun + 1)
    counts = tuple(stratum.of(pronoun) for stratum in strata)
    first, *rest = (stratum.permuted[:, which].sum(axis=1) for stratum in strata)
    used = [each.positive[np.unique(each.term)] for each in counts]
    return ReplyCell(
        dims=dims,
        observed=np.asarray(sum(each.observed for each in counts)),
        permuted=np.asarray(sum(rest, start=first)),
        terms=(sum(int(each.sum()) for each in used), sum(int((~each).sum()) for each in used)),
        pairs=sum(len(np.unique(each.pair)) for each in counts),
        strata=counts,
    )


# ---- Intervals and p values, with the error that shared terms and option pairs give

METHOD = "t, with an error by given terms and option pairs"
OF_SHARE = "Wilson, for the n that given terms and option pairs are worth"
FEWEST = 2
ALIKE = "nothing varies between given terms or option pairs"
TOO_FEW = "fewer than two given terms or option pairs"


def clustered(
    parts: Sequence[Influences], estimate: float, units: int, farthest: float = 1.0
) -> tuple[MaybeBounds, float | None]:
    """Interval estimate ± t error within ±`farthest`, and the two-sided p of 0, from `two_way_error`.

    `units`: the fewest terms or pairs behind the estimate.
    """
    if estimates_alone():
        return NO_BOUNDS, None
    if units < FEWEST:
        return MaybeBounds(None, TOO_FEW), None
    error = two_way_error(parts)
    if error.error < TOLERANCE or not error.degrees:
        return MaybeBounds(None, ALIKE), None
    far = t_quantile((1 + LEVEL) / 2, error.degrees) * error.error
    bounds = Bounds(max(estimate - far, -farthest), min(estimate + far, farthest), METHOD)
    return MaybeBounds(bounds), two_sided_t(abs(estimate) / error.error, error.degrees)


def difference_interval(
    cell: ReplyCell, parts: Sequence[Influences], chosen: int, estimate: float
) -> tuple[MaybeBounds, float | None]:
    """Interval and p of a difference of the shares of one kind of option, its place in CHOSEN.

    Where nothing varies, the score interval and its exact test, taking each given term as one reply: so all against
    none has both too.
    """
    bounds, p = clustered(parts, estimate, min(*cell.terms, cell.pairs))
    if bounds.reason != ALIKE:
        return bounds, p
    (positive, negative), shares = cell.terms, cell.chosen[:, chosen] / cell.chosen.sum(axis=1)
    counts = (round(float(shares[0]) * positive), positive, round(float(shares[1]) * negative), negative)
    of_terms = two_proportions(*counts, exact=None)
    score = of_terms.interval.bounds
    if score is None:
        return MaybeBounds(None, f"{ALIKE}, and a polarity has no terms"), None
    p = 1.0 if abs(estimate) < TOLERANCE else of_terms.p
    return MaybeBounds(replace(score, method=f"{score.method}, one reply for each given term")), p


def share_interval(parts: Sequence[Influences], share: float, units: int) -> MaybeBounds:
    """Wilson's interval of a proportion for the n it is worth: share (1 − share) / error², less for few units as t is
    wider than z; one of 0 or 1 takes each unit as one reply. Source: Korn & Graubard 1998."""
    if estimates_alone():
        return NO_BOUNDS
    if units < FEWEST:
        return MaybeBounds(None, TOO_FEW)
    error = two_way_error(parts)
    worth, method = float(units), "Wilson, one reply for each given term or option pair"
    if error.error >= TOLERANCE and error.degrees and 0 < share < 1:
        wider = t_quantile((1 + LEVEL) / 2, error.degrees) / NormalDist().inv_cdf((1 + LEVEL) / 2)
        worth, method = share * (1 - share) / (error.error * wider) ** 2, OF_SHARE
    bounds = wilson(share * worth, worth)
    return MaybeBounds(None, ALIKE) if bounds is None else MaybeBounds(Bounds(bounds.low, bounds.high, method))


def times_as_wide(shared: MaybeBounds, independent: Bounds | None) -> str:
    """A sentence on what it changes that replies share their terms and options."""
    bounds = shared.bounds
    if bounds is None or independent is None or independent.high == independent.low:
        return ""
    if bounds.method not in (METHOD, OF_SHARE):
        return ""
    ratio = (bounds.high - bounds.low) / (independent.high - independent.low)
    return f"Replies share terms and options: the interval is {ratio:.1f} times as wide as if they were independent."


# ---- The paper's figures, for reference: resources/published/completion.toml

SOURCE = "Kamruzzaman et al. 2024"
# Positive, negative, neutral in the tables; τ wants them in order.
ASCENDING = [1, 2, 0]
INSTITUTION = (
    "The paper's institution rows are for Massachusetts; the replies that its authors released are nationwide and "
    "more, and do not give these rows."
)


def likelihood_line(label: str, dims: Mapping[str, str]) -> str:
    """The paper's values of this likelihood, each model and its table; empty where it prints none."""
    return _line({model: (row[label], number) for model, number, row in _rows(dims) if label in row}, " %", dims)


def delta_line(label: str, dims: Mapping[str, str]) -> str:
    """The same for a Δ, made from the printed likelihoods."""
    chosen = label.removeprefix("delta_")
    pair = (f"P{chosen}L", f"N{chosen}L")
    differences = {model: (row[pair[0]] - row[pair[1]], number) for model, number, row in _rows(dims) if pair[0] in row}
    return _line(differences, " points", dims)


def tau_line(dims: Mapping[str, str]) -> str:
    """The paper's τ, which is printed for each direction over all domains, and that its own tables do not give it."""
    if "domain" in dims or "pronoun" in dims:
        return ""
    direction = dims["direction"]
    printed = {model: values[direction][0] for model, values in published()["tau"].items()}
    implied = {model: implied_tau(model, direction) for model in printed}
    return (
        f"Paper: {_joined({model: f'{value:.3f}' for model, value in printed.items()})} (Table 1). Reported as "
        "inconsistent: its Tables 4 and 7 with its numbers of items give "
        f"{_joined({model: f'{value:.3f}' for model, value in implied.items()})}."
    )


def irrelevant_line(dims: Mapping[str, str]) -> str:
    """The number of replies that the paper left out, over both directions; only beside findings over all domains."""
    if "domain" in dims or "pronoun" in dims:
        return ""
    counts = published()["irrelevant"]
    models = {model: str(count) for model, count in counts.items() if model != "items"}
    return f"Paper: {_joined(models)} of {counts['items']:,} in both directions together."


def implied_tau(model: str, direction: str) -> float:
    """τ-b of the counts that Tables 4 and 7 imply, each row weighing the paper's number of items, half of each kind."""
    table = np.zeros((2, 3))
    for domain, items in published()["items"][direction].items():
        row = next(row for name, _, row in _rows({"direction": direction, "domain": domain}) if name == model)
        table += items / 2 * np.array([row[label] for label in CONDITIONAL]).reshape(2, 3) / 100
    value = kendall_tau(np.rint(table[::-1, ASCENDING])).value
    assert value is not None
    return value


@cache
def published() -> Mapping[str, Any]:
    text = files("biasprint.resources").joinpath("published", "completion.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _by_cell() -> Mapping[tuple[str, str, str], list[tuple[str, int, dict[str, float]]]]:
    """Direction, domain and pronoun → each model's row with its table."""
    by_cell: dict[tuple[str, str, str], list[tuple[str, int, dict[str, float]]]] = {}
    for table in published()["tables"]:
        for model, direction, domain, pronoun, *values in table["rows"]:
            row = dict(zip(table["labels"], values, strict=True))
            by_cell.setdefault((direction, domain, pronoun), []).append((model, table["number"], row))
    return by_cell


def _rows(dims: Mapping[str, str]) -> list[tuple[str, int, dict[str, float]]]:
    key = (dims["direction"], dims.get("domain", ""), dims.get("pronoun", ""))
    # A domain stands in Table 2 (base rates) and in Table 4 or 7 (conditional): those with all six come first.
    return sorted(_by_cell().get(key, []), key=lambda row: -len(row[2]))


def _line(values: Mapping[str, tuple[float, int]], unit: str, dims: Mapping[str, str]) -> str:
    if not values:
        return ""
    tables = sorted({number for _, number in values.values()})
    where = f"Table{'s' if len(tables) > 1 else ''} {' and '.join(str(number) for number in tables)}"
    models = _joined({model: f"{value:.2f}{unit}" for model, (value, _) in sorted(values.items())})
    note = f" {INSTITUTION}" if dims.get("domain") == "institution" else ""
    return f"Paper: {models} ({where}).{note}"


def _joined(values: Mapping[str, str]) -> str:
    return ", ".join(f"{model} {value}" for model, value in values.items())
