"""Cells of the replies: counted and permuted once, their intervals, and the paper's figures beside them.

`completion.crossed`: does the pronoun of a sentence change what is chosen, and what the given term does?

Two factors are crossed in every item: what is given of a person (something positive or negative, of age, beauty and so
on) and the pronoun that the sentence has. The effect of what is given is `completion.delta`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from biasprint.core.findings import Finding
from biasprint.core.given import packaged_toml
from biasprint.core.metrics.associations import (
    CHOSEN,
    CONDITIONAL,
    DELTAS,
    Omnibus,
    delta_draws,
    delta_values,
    kendall_tau,
    likelihood_deltas,
    likelihood_draws,
    omnibus,
)
from biasprint.core.metrics.clusters import CrossedCounts, Draws, Influences, Singles, gradient, two_way_error
from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.resampling import TOLERANCE, generator, permutation_p
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
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

MAIN_ID, INTERACTION_ID = "completion.crossed.main_effect", "completion.crossed.interaction"
CROSSED_SOURCE = (
    "ours: counts of Kamruzzaman et al. 2024, Figure 3, by pronoun; errors of Cameron, Gelbach & Miller 2011"
)
# The third kind of option follows from these two: shares sum to 1, and their differences to 0.
SHOWN = CHOSEN[:2]


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


# ---- Crossed pronouns


@dataclass(frozen=True)
class _Pair:
    """The cells of two pronouns that are equal otherwise. `dims`: without the pronoun."""

    dims: Mapping[str, str]
    one: ReplyCell
    other: ReplyCell

    @property
    def units(self) -> int:
        return min(*self.one.terms, *self.other.terms, self.one.pairs, self.other.pairs)

    def influences(self, statistics: Callable[[Floats], Floats]) -> list[list[Influences]]:
        """Per statistic of a table what each term and pair adds to its value for the one pronoun minus the other's."""
        gradients = [gradient(statistics, cell.chosen) for cell in (self.one, self.other)]
        return [
            [
                one.beside(other)
                for one, other in zip(self.one.influences(plus), self.other.influences(-minus), strict=True)
            ]
            for plus, minus in zip(*gradients, strict=True)
        ]

    @property
    def pronouns(self) -> tuple[str, str]:
        return self.one.dims["pronoun"], self.other.dims["pronoun"]


def crossed_pronouns(cells: Sequence[ReplyCell]) -> list[Finding]:
    """Every pair of pronouns, by direction and domain: main effects, then interactions with what is given.

    p by Holm within each of the two, what is pooled over domains among itself.
    """
    findings: list[Finding] = []
    pairs = list(_pairs(cells))
    for make, name in ((_main_effects, MAIN_ID), (_interactions, INTERACTION_ID)):
        for by in ("pooled", "by domain"):
            own = [each for pair in pairs if ("domain" in pair.dims) == (by == "by domain") for each in make(pair)]
            findings += with_holm(own, f"{name}, {by}, {len(own)} tests")
    return findings


def _pairs(cells: Sequence[ReplyCell]) -> Iterator[_Pair]:
    apart: dict[tuple[tuple[str, str], ...], list[ReplyCell]] = {}
    for cell in cells:
        if "pronoun" in cell.dims:
            own = tuple((name, value) for name, value in cell.dims.items() if name != "pronoun")
            apart.setdefault(own, []).append(cell)
    for dims, own_cells in apart.items():
        for first, other_cell in combinations(own_cells, 2):
            yield _Pair(dict(dims), first, other_cell)


def _main_effects(pair: _Pair) -> Iterator[Finding]:
    """Share of an option with the one pronoun minus that with the other, mean of both polarities of what is given."""
    first, second = pair.pronouns
    seen = [_even(cell.chosen[..., None])[:, 0] for cell in (pair.one, pair.other)]
    parts = pair.influences(_even)
    for place, chosen in enumerate(SHOWN):
        title = f"{chosen.capitalize()} option: {first} against {second}, whatever is given"
        yield _finding(
            pair, MAIN_ID, chosen, title, float(seen[0][place] - seen[1][place]), parts[place],
            "Both polarities of what is given count alike.", "difference of proportions",
        )  # fmt: skip


def _interactions(pair: _Pair) -> Iterator[Finding]:
    """Δ with the one pronoun minus Δ with the other."""
    first, second = pair.pronouns
    permuted = [delta_draws(cell.permuted[:, : len(CHOSEN)]) for cell in (pair.one, pair.other)]
    seen = [delta_values(cell.chosen) for cell in (pair.one, pair.other)]
    parts = pair.influences(delta_draws)
    for place, chosen in enumerate(SHOWN):
        first_value, second_value = seen[0][place], seen[1][place]
        value = None if first_value is None or second_value is None else first_value - second_value
        title = f"{chosen.capitalize()} option: its rise from a negative to a positive term, {first} against {second}"
        yield _finding(
            pair, INTERACTION_ID, DELTAS[place], title, value, parts[place],
            "At 0 what is given does the same for both pronouns.", "difference of differences of proportions",
            np.asarray(permuted[0][place] - permuted[1][place]),
        )  # fmt: skip


def _even(counts: Draws) -> Floats:
    """Shares of the options, mean of both polarities, for counts of shape (2, 3, draws): shape (3, draws)."""
    shares = likelihood_draws(counts)[: 2 * len(CHOSEN)]
    return np.asarray(shares.reshape(2, len(CHOSEN), -1).mean(axis=0))


def _finding(
    pair: _Pair,
    finding_id: str,
    label: str,
    title: str,
    value: float | None,
    parts: Sequence[Influences],
    note: str,
    unit: str,
    permuted: Floats | None = None,
) -> Finding:
    """`permuted`: the values with polarity permuted over terms, for p where nothing varies between terms or pairs."""
    known = value is not None and np.isfinite(value)
    bounds, p = clustered(parts, float(value), pair.units, 2.0) if known and value is not None else (None, None)
    if bounds is not None and value is not None and permuted is not None and bounds.reason == ALIKE:
        defined = permuted[np.isfinite(permuted)]
        p = float(permutation_p(np.abs(defined) >= abs(value) - TOLERANCE))
    cells = (pair.one, pair.other)
    irrelevant = sum(cell.dropped.get("irrelevant", 0) for cell in cells)
    return Finding(
        id=finding_id,
        label=label,
        title=title,
        groups=pair.pronouns,
        dims=dict(pair.dims),
        estimate=value if known else None,
        reason=missing_interval(bounds) if bounds else "a pronoun has no usable reply to a term of one polarity",
        unit=unit,
        interval=interval(bounds.bounds) if bounds else None,
        n=sum(cell.n for cell in cells),
        n_by_group={name: cell.n for name, cell in zip(pair.pronouns, cells, strict=True)},
        dropped={"irrelevant": irrelevant} if irrelevant else {},
        p=p,
        source=CROSSED_SOURCE,
        note=note,
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


def published() -> Mapping[str, Any]:
    return packaged_toml("published", "completion.toml")


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
