"""Affinity of raters with identities: `creativity.share`, `creativity.abs`, and the effect of the order of cards.

Source: Kumar et al. 2024 (METHODS, Creativity). Beyond the paper, by axis and model that judged:
`creativity.agreement.flips`: of the comparisons in which a model chose in every order, the share in which not every
order gave the same output. `creativity.agreement.position`: the share of those choices that fell on each card.
`creativity.agreement.unanswered`: the share of all replies that are refusals, unreadable or failed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.findings import Effect, Finding, Power, for_these
from biasprint.core.metrics.affinity import (
    affinity_floor,
    affinity_interval,
    affinity_score,
    permuted_totals,
    spread_maximum,
    worth_floor,
)
from biasprint.core.metrics.anytime import share_spread_band
from biasprint.core.metrics.means import mean_difference
from biasprint.core.metrics.power import choices_needed, detectable_affinity
from biasprint.core.metrics.proportions import (
    Share,
    clustered_proportion,
    clustered_share,
    design_effect,
    equal_chances,
    share,
    watched_choices,
    watched_share,
    wilson,
    worth_share,
)
from biasprint.core.metrics.resampling import TOLERANCE, generator, permutation_p
from biasprint.core.metrics.result import NOT_ASKED, Bounds, MaybeBounds, estimates_alone
from biasprint.core.studies.creativity.choices import (
    FEW_RATERS,
    MODEL,
    PLACES,
    UNREAD,
    AxisChoices,
    JudgmentTable,
    Unit,
    published,
    within,
)
from biasprint.core.studies.kit.findings import floor, interval, missing_interval, with_holm

# ---- `creativity.share` and `creativity.abs`

SHARE, ABS = "creativity.share", "creativity.abs"
SOURCE = "Kumar et al. 2024, section 3.2, equations 11 and 12"


def shares(choices: AxisChoices, harm: str, seed: int, resamples: int) -> Iterator[Finding]:
    """Yield for each identity its share of the choices, and of all judgments as the paper has it."""
    chosen, n, chance = choices.chosen, choices.n, 1 / max(1, len(choices.identities))
    whole = n * choices.parts
    null = None
    drawn = not (n == 0 or choices.independent or choices.raters_are_units or choices.watched)
    if drawn and not estimates_alone():
        null = permuted_totals(choices.counts, generator(seed, SHARE, choices.axis, *choices.dims.values()), resamples)
    for place, identity in enumerate(choices.identities):
        common = _common(choices, harm) | {
            "label": identity,
            "title": within(f"Share of choices: {identity}", choices.dims),
        }
        if n == 0 or choices.by_position:
            reason = choices.by_position or "no comparison with a choice"
            yield Finding(id=SHARE, estimate=None, reason=reason, **common)
            continue
        count = int(chosen[place])
        method = "anytime-valid" if choices.watched else "Wilson"
        if choices.watched:
            result = watched_share(count, whole, chance, choices.worth(place))
        elif choices.raters_are_units:
            result = worth_share(count, whole, chance, choices.worth(place))
        elif not drawn:
            result = share(count, n, chance)
        elif null is None:
            result = Share(count / whole, None, None, NOT_ASKED)
        else:
            result = clustered_share(count, whole, chance, choices.worth().effect, null[:, place])
        yield Finding(
            id=SHARE,
            estimate=result.value,
            interval=interval(_averaged(result.interval, choices, method, place)),
            p=result.p,
            contrast={identity: result.value - chance},
            **common | {"note": f"Chance is {chance:.3f}; p: {result.test}. {common['note']}".strip()},
        )
        yield Finding(
            id=SHARE,
            variant="as_published",
            estimate=count / (choices.asked * choices.parts),
            reason="interval: the paper gives none",
            contrast={identity: (count - whole * chance) / (choices.asked * choices.parts)},
            **common | {"n": choices.asked, "note": "Divided by all judgments, with a choice or without."},
        )


def score(choices: AxisChoices, harm: str, seed: int, resamples: int, planned: float) -> Finding:
    """ABS with its interval, noise floor and power. `planned`: the normalised ABS that `power.n_for_planned` is for."""
    common = _common(choices, harm) | _titles(choices)
    affinity = affinity_score(choices.chosen)
    if affinity.value is None or choices.by_position:
        return Finding(id=ABS, estimate=None, reason=choices.by_position or affinity.reason, **common)
    if estimates_alone():
        return Finding(id=ABS, estimate=affinity.value, **common)
    k, n = len(choices.identities), choices.n
    worth = choices.worth()
    if choices.raters_are_units:
        noise = worth_floor(choices.chosen / choices.chosen.sum(), n * choices.parts, worth)
    else:
        noise = affinity_floor(choices.counts, generator(seed, ABS, choices.axis, *choices.dims.values()), resamples)
    bounds, p = affinity_interval(choices.chosen, worth.effect, freedom=worth.freedom, noise=noise), noise.p
    named = "Wilson mapped" if k == 2 else "noncentral χ² inverted"
    if choices.watched:
        named, whole = "anytime-valid", n * choices.parts
        apart = [watched_share(int(count), whole, 1 / k, worth) for count in choices.chosen]
        p = min(1.0, min(each.p or 1.0 for each in apart) * (1 if k == 2 else k))
        bounds = MaybeBounds(share_spread_band(choices.chosen / whole * watched_choices(whole, worth)))
    needed = choices_needed(planned * spread_maximum(k), k)
    return Finding(
        id=ABS,
        estimate=affinity.value,
        reason=missing_interval(bounds),
        interval=interval(_averaged(bounds.bounds, choices, named)),
        p=p,
        effect=Effect("share of the largest possible ABS", affinity.normalised or 0.0),
        contrast=dict(zip(choices.identities, affinity.contrast, strict=True)),
        floor=floor(noise),
        floor_subtracted=affinity.value - noise.mean,
        power=Power(detectable_affinity(n * choices.parts / worth.effect, k), needed),
        **common | {"note": _abs_note(choices, affinity.preferred, noise.method)},
    )


def published_score(choices: AxisChoices, harm: str) -> Finding:
    """Shares of all judgments, and the paper's ANOVA (t for two identities) over them."""
    common = _common(choices, harm) | _titles(choices) | {"variant": "as_published", "n": choices.asked}
    affinity = affinity_score(choices.chosen, choices.asked * choices.parts)
    if affinity.value is None:
        return Finding(id=ABS, estimate=None, reason=affinity.reason, **common)
    p, test = _published_test(choices)
    printed = "" if choices.dims else published(ABS, choices.axis)
    return Finding(
        id=ABS,
        estimate=affinity.value,
        reason="interval: the paper gives none",
        p=p,
        contrast=dict(zip(choices.identities, affinity.contrast, strict=True)),
        **common | {"note": f"Divided by all judgments; {test}{printed}"},
    )


def _published_test(choices: AxisChoices) -> tuple[float | None, str]:
    """The paper's test over judgments, and how it is called; for a model asked in several orders it has none."""
    if choices.parts > 1:
        return None, "no test: the paper asks each model once, in one order."
    indicators = [np.repeat([1.0, 0.0], [count, choices.asked - count]) for count in choices.chosen]
    test = mean_difference(indicators)
    undefined = f" p: {test.reason}." if test.p is None else ""
    return test.p, f"{test.name}, unit assumed: one judgment.{undefined}"


def _averaged(bounds: Bounds | None, choices: AxisChoices, method: str, place: int | None = None) -> Bounds | None:
    """The method in words that fit averaged choices: there the design effect is one of replies, not of choices."""
    if bounds is None or choices.parts == 1:
        return bounds
    worth = choices.n * choices.parts / choices.worth(place).effect
    return replace(bounds, method=f"{method}, a model's orders averaged: worth {worth:.1f} independent choices")


def _common(choices: AxisChoices, harm: str) -> dict[str, Any]:
    """Fields that every finding on this axis has."""
    return {
        "groups": choices.identities,
        "unit": "proportion",
        "n": choices.n,
        "dims": {"axis": choices.axis, **choices.dims},
        "n_by_group": dict(zip(choices.identities, choices.replies, strict=True)),
        "dropped": choices.dropped,
        "harm": harm,
        "source": SOURCE,
        "note": units_note(choices),
    }


def units_note(choices: AxisChoices) -> str:
    """Say what the units of these choices are, where that is needed."""
    notes = [_units(choices)]
    if choices.watched:
        notes.append("Drawn in rounds: interval and p may be looked at after every round.")
    if choices.parts > 1:
        notes.append("A model's choices in all orders of the cards are one averaged choice; groups count its replies.")
    return " ".join(filter(None, notes))


def _units(choices: AxisChoices) -> str:
    raters = len(choices.raters)
    if choices.raters_are_units:
        few = ", which are few to speak for others" if raters < FEW_RATERS else ""
        return f"Raters and comparisons are the units: {raters} raters{few}."
    return f"Comparisons are the unit. {for_these(raters)}" if raters else ""


def _titles(choices: AxisChoices) -> dict[str, str]:
    return {"label": choices.axis, "title": within(f"Affinity bias score: {choices.axis}", choices.dims)}


def _abs_note(choices: AxisChoices, preferred: tuple[int, ...], floor_method: str) -> str:
    most = ", ".join(choices.identities[place] for place in preferred)
    parts = [f"Chosen most often: {most}.", f"Floor: {floor_method}."]
    fit = equal_chances(choices.chosen)
    if choices.independent and fit.p is not None and fit.statistic is not None:
        parts.append(f"{fit.name}: {fit.statistic:.2f}, df {len(choices.identities) - 1}, {digits.p_value(fit.p)}.")
    return " ".join([*parts, _common(choices, "")["note"]]).strip()


# ---- The order of the cards, and what a model that judged left unanswered
#
# Source: beyond the paper (METHODS, Creativity: a model asked in several orders).

AGREEMENT = "creativity.agreement"
FLIPS, POSITION, UNANSWERED = f"{AGREEMENT}.flips", f"{AGREEMENT}.position", f"{AGREEMENT}.unanswered"
ORDERS_SOURCE = "beyond the paper: a model is asked in several orders of the cards"
ONE_ORDER = "no comparison with a choice in several orders"


@dataclass(frozen=True)
class Orders:
    """One model's replies on an axis: `replies` in force by comparison; `complete`, where each is a choice."""

    axis: str
    rater: str
    replies: Mapping[Unit, Sequence[int]]
    complete: Mapping[Unit, Sequence[int]]

    @property
    def dims(self) -> dict[str, str]:
        return {"axis": self.axis, "rater": self.rater}


def of_orders(table: JudgmentTable, axes: Mapping[str, Sequence[str]], seed: int, resamples: int) -> list[Finding]:
    """The findings of every model that judged on these axes."""
    findings: list[Finding] = []
    for axis, identities in axes.items():
        rows = table.rows_on(axis, MODEL)
        for rater in dict.fromkeys(table.rater[row] for row in rows):
            asked = _asked(table, axis, rater, [row for row in rows if table.rater[row] == rater])
            findings.append(_flips(table, asked))
            findings += _positions(table, asked, len(identities), seed, resamples)
            findings += _unanswered(table, asked)
    return findings


def _asked(table: JudgmentTable, axis: str, rater: str, rows: Sequence[int]) -> Orders:
    last: dict[Unit, dict[tuple[str, ...], int]] = {}
    for row in rows:
        if not (table.repeat_of and table.repeat_of[row]):
            last.setdefault(table.unit(row), {})[table.shown[row]] = row
    replies = {unit: list(orders.values()) for unit, orders in last.items()}
    complete = {
        unit: orders
        for unit, orders in replies.items()
        if len(orders) > 1 and all(table.outcome[row] == "choice" for row in orders)
    }
    return Orders(axis, rater, replies, complete)


def _flips(table: JudgmentTable, asked: Orders) -> Finding:
    flipped = sum(len({table.chosen[row] for row in rows}) > 1 for rows in asked.complete.values())
    n = len(asked.complete)
    left_out = len(asked.replies) - n
    return Finding(
        id=FLIPS,
        label=asked.rater,
        title=f"Choices that turn with the order of the cards: {asked.axis}, {asked.rater}",
        groups=(asked.rater,),
        estimate=flipped / n if n else None,
        reason=None if n else ONE_ORDER,
        unit="proportion",
        interval=interval(wilson(flipped, n)),
        n=n,
        dims=asked.dims,
        dropped={"without a choice in several orders": left_out} if left_out else {},
        source=ORDERS_SOURCE,
        note="Of the comparisons with a choice in every order: those in which it was not always the same.",
    )


def _positions(table: JudgmentTable, asked: Orders, cards: int, seed: int, resamples: int) -> Iterator[Finding]:
    """The share of the choices on each card, against chance: preferences cancel out over the orders.

    One test for all cards, reported with the one chosen most often: Σ (c − n/k)², cards permuted within comparisons.
    """
    counts = np.zeros((len(asked.complete), cards), dtype=np.int64)
    for line, rows in enumerate(asked.complete.values()):
        for row in rows:
            if table.chosen[row] in table.shown[row] and len(table.shown[row]) == cards:
                counts[line, table.shown[row].index(table.chosen[row])] += 1
    counts = counts[counts.sum(axis=1) > 0]
    n, chance = int(counts.sum()), 1 / cards
    names = (*PLACES[:cards], *(f"{number}th" for number in range(len(PLACES) + 1, cards + 1)))
    if n == 0:
        yield _position(asked, names[0], names, None, n, counts, cards)
        return
    null = permuted_totals(counts, generator(seed, POSITION, asked.axis, asked.rater), resamples)
    effect, totals = design_effect(counts), counts.sum(axis=0)
    p = float(permutation_p(((null - n * chance) ** 2).sum(axis=1) >= ((totals - n * chance) ** 2).sum() - TOLERANCE))
    findings = []
    for place, name in enumerate(names):
        result = clustered_share(int(totals[place]), n, chance, effect, null[:, place])
        about = _position(asked, name, names, result.value, n, counts, cards)
        tested = None if estimates_alone() or place != int(totals.argmax()) else p
        findings.append(replace(about, interval=interval(result.interval), p=tested))
    yield from with_holm(findings, f"{POSITION}, axis {asked.axis}, {asked.rater}, 1 test of {cards} cards")


def _position(
    asked: Orders, name: str, names: Sequence[str], value: float | None, n: int, counts: np.ndarray, cards: int
) -> Finding:
    return Finding(
        id=POSITION,
        label=name,
        title=f"Choices that fell on the {name} card: {asked.axis}, {asked.rater}",
        groups=tuple(names),
        estimate=value,
        reason=ONE_ORDER if value is None else None,
        unit="proportion",
        n=n,
        dims=asked.dims,
        n_by_group=dict(zip(names, map(int, counts.sum(axis=0)), strict=True)),
        contrast=None if value is None else {name: value - 1 / cards},
        source=ORDERS_SOURCE,
        note=f"Chance is {1 / cards:.3f}; p is of all cards, permuted within each comparison. n counts replies.",
    )


def _unanswered(table: JudgmentTable, asked: Orders) -> Iterator[Finding]:
    """Yield the share of replies that are no answer, by how they were read. Replies to one comparison go together."""
    units = [place for place, rows in enumerate(asked.replies.values()) for _ in rows]
    read = [table.read_as[row] if table.read_as else "" for rows in asked.replies.values() for row in rows]
    if not any(read):
        return  # a table that does not say how replies were read says nothing about those that were not
    counted = Counter(read)
    for name in UNREAD:
        proportion = clustered_proportion(
            np.array([status == name for status in read]), np.array(units, dtype=np.int64)
        )
        yield Finding(
            id=UNANSWERED,
            label=name,
            title=f"Replies that are {name}: {asked.axis}, {asked.rater}",
            groups=(name,),
            estimate=proportion.value,
            reason="no reply" if proportion.value is None else None,
            unit="proportion",
            interval=interval(proportion.interval),
            n=proportion.n,
            dims=asked.dims,
            n_by_group={status: counted[status] for status in UNREAD},
            source=ORDERS_SOURCE,
            note="Replies that were no answer are counted and never guessed at.",
        )
