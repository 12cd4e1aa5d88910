"""Cells of the replies: counted, resampled and permuted once, their intervals, and the paper's figures beside them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from biasprint.core.metrics.clusters import CrossedCounts, Singles
from biasprint.core.metrics.likelihood import CONDITIONAL, Omnibus, likelihood_deltas, omnibus
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.ranks import kendall_tau
from biasprint.core.metrics.resampling import TOLERANCE, generator, permutation_p, widened_tail
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
# Terms and option pairs are resampled, and polarities permuted, within a direction and domain: the design fixes how
# many of each there are. A pooled cell adds what its parts gave, so that every cell comes from the same resamples.

PURPOSE = "completion"
OUTCOMES = IRRELEVANT + 1  # positive, negative, neutral, irrelevant


@dataclass(frozen=True)
class ReplyCell:
    """Replies that are looked at together; counts are (given, chosen), chosen with the irrelevant last: (2, 4, …).

    `resampled`, `permuted`: counts of each resample, shape (2, 4, resamples). `terms`: how many terms were given,
    positive and negative; `pairs`: how many pairs of options were offered.
    """

    dims: Mapping[str, str]
    observed: Floats
    resampled: Singles
    permuted: Singles
    terms: tuple[int, int]
    pairs: int

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
    """One domain in one direction, with a row for each pronoun: counts of shape (2, pronouns, 4, …)."""

    observed: Floats
    resampled: Singles
    permuted: Singles
    positive: Bools
    used_terms: Bools  # (terms, pronouns)
    used_pairs: Bools  # (pairs, pronouns)


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
    by_pronoun = counts.entries.reshape(-1, pronouns, OUTCOMES).sum(axis=2)
    used_terms, used_pairs = (_used(place, by_pronoun) for place in (counts.term, counts.pair))
    shape = (2, pronouns, OUTCOMES)
    return _Stratum(
        observed=counts.observed.reshape(shape),
        resampled=counts.resampled(generator(seed, PURPOSE, "intervals", *key), resamples).reshape(*shape, -1),
        permuted=counts.permuted(generator(seed, PURPOSE, "p", *key), resamples).reshape(*shape, -1),
        positive=counts.positive,
        used_terms=used_terms,
        used_pairs=used_pairs,
    )


def _used(place: np.ndarray, counts: Floats) -> Bools:
    sums = np.zeros((int(place.max()) + 1, counts.shape[1]))
    np.add.at(sums, place, counts)
    return sums > 0


def _cell(dims: Mapping[str, str], strata: list[_Stratum], pronoun: int | None) -> ReplyCell:
    which = slice(None) if pronoun is None else slice(pronoun, pronoun + 1)

    def added(arrays: list[Floats] | list[Singles]) -> np.ndarray:
        first, *rest = (array[:, which].sum(axis=1) for array in arrays)
        return np.asarray(sum(rest, start=first))

    positive = sum(int(each.used_terms[each.positive, which].any(axis=1).sum()) for each in strata)
    negative = sum(int(each.used_terms[~each.positive, which].any(axis=1).sum()) for each in strata)
    return ReplyCell(
        dims=dims,
        observed=added([each.observed for each in strata]),
        resampled=added([each.resampled for each in strata]),
        permuted=added([each.permuted for each in strata]),
        terms=(positive, negative),
        pairs=sum(int(each.used_pairs[:, which].any(axis=1).sum()) for each in strata),
    )


# ---- Intervals and p values from the resampled and permuted counts of a cell

METHOD = "two-way cluster bootstrap over given terms and option pairs, percentile, widened for few of them"
FEWEST = 2
ALIKE = "no resample differs from the replies"
# Without this share of resamples with a value, those that have one are no fair picture.
MOST_UNDEFINED = 0.05


def clustered_interval(draws: Floats, estimate: float, units: int) -> MaybeBounds:
    """The percentile interval of `draws` (resamples,); `units`: the fewest terms or pairs behind the estimate."""
    if estimates_alone():
        return NO_BOUNDS
    if units < FEWEST:
        return MaybeBounds(None, "fewer than two given terms or option pairs")
    defined = draws[np.isfinite(draws)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(draws):
        return MaybeBounds(None, "too many resamples have no value")
    if np.ptp(defined) == 0:
        return MaybeBounds(None, ALIKE)
    low, high = np.quantile(defined, [_tail(units), 1 - _tail(units)])
    return MaybeBounds(Bounds(min(float(low), estimate), max(float(high), estimate), METHOD))


@cache
def _tail(units: int) -> float:
    return widened_tail(units, LEVEL)


def difference_interval(cell: ReplyCell, chosen: int, draws: Floats, estimate: float, units: int) -> MaybeBounds:
    """The same for a difference of the shares of one kind of option, its place in CHOSEN. Where no resample differs,
    the score interval, taking each given term as one reply: so all against none has an interval too."""
    bounds = clustered_interval(draws, estimate, units)
    if bounds.reason != ALIKE:
        return bounds
    (positive, negative), shares = cell.terms, cell.chosen[:, chosen] / cell.chosen.sum(axis=1)
    counts = (round(float(shares[0]) * positive), positive, round(float(shares[1]) * negative), negative)
    unpermuted = two_proportions(*counts).interval.bounds
    if unpermuted is None:
        return MaybeBounds(None, f"{ALIKE}, and a polarity has no terms")
    return MaybeBounds(replace(unpermuted, method=f"{unpermuted.method}, one reply for each given term"))


def share_interval(draws: Floats, estimate: float, units: int) -> MaybeBounds:
    """The same for a proportion. One of 0 or 1 has no spread to resample: Wilson's, taking each unit as one reply."""
    if estimate in (0.0, 1.0) and units >= FEWEST and not estimates_alone():
        bounds = wilson(estimate * units, units)
        assert bounds is not None
        return MaybeBounds(Bounds(bounds.low, bounds.high, "Wilson, one reply for each given term or option pair"))
    return clustered_interval(draws, estimate, units)


def term_p(cell: ReplyCell, permuted: Floats, estimate: float) -> tuple[float | None, str]:
    """Two-sided p of a difference from permuting polarity over terms, shape (resamples,); or why there is none."""
    if estimates_alone():
        return None, ""
    if min(cell.terms) < FEWEST:
        return None, "No p: fewer than two given terms of a polarity."
    defined = permuted[np.isfinite(permuted)]
    return float(permutation_p(np.abs(defined) >= abs(estimate) - TOLERANCE)), ""


def times_as_wide(clustered: MaybeBounds, independent: Bounds | None) -> str:
    """A sentence on what it changes that replies share their terms and options."""
    bounds = clustered.bounds
    if bounds is None or bounds.method != METHOD or independent is None or independent.high == independent.low:
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
