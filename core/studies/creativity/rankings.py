"""Findings of rankings: places of identities or models that were compared some at a time, as judged and at equal style.

Source: beyond the papers (METHODS, rankings); style control as public arenas have it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from biasprint.core.findings import Finding, Interval, for_these
from biasprint.core.judging.blocks import Standing
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.preference import LENGTH, MARKDOWN, SECOND, THIRD, TOGETHER, card_style, tellable
from biasprint.core.metrics.ranking import NOBODY, SEPARATE, Ballots, RankedPair, Ranking, fitted_strengths, ranking
from biasprint.core.metrics.result import LEVEL, Bounds, Floats
from biasprint.core.studies.creativity.choices import (
    FEW_RATERS,
    FEWEST_RATERS,
    MODEL,
    PERSON,
    UNREAD,
    JudgmentTable,
    in_force,
    told,
    within,
)
from biasprint.core.studies.creativity.distances import contrasts_of, crossed_preferences
from biasprint.core.studies.kit.crossed import crossing_of
from biasprint.core.studies.kit.findings import interval, missing_interval, with_holm

RANK = "creativity.rank"
STRENGTH, PLACE, PAIR = f"{RANK}.strength", f"{RANK}.place", f"{RANK}.pair"
EQUAL = ".adjusted"  # what is at equal style
STYLE = f"{RANK}.style"
SOURCE = "beyond the papers: Bradley–Terry with ties (Davidson 1970), Plackett–Luce for three; bootstrap by rater"
STYLE_SOURCE = f"{SOURCE}; style as covariates, in the way of public arenas"
WATCHED_SOURCE = "beyond the papers: Bradley–Terry with ties (Davidson 1970), Plackett–Luce for three; Robbins 1970"
WATCHED = "Drawn in rounds: interval and p may be looked at after every round."
HELD_OPEN = "pairs told apart at p ≤ .05 after Holm"
DOES = {  # what a coefficient says
    LENGTH: "Twice the length",
    "headings": "The only text with headings",
    "lists": "The only text with lists",
    "bold": "The only text with bold words",
    SECOND: "The second card, against the first",
    THIRD: "The third card, against the first",
}
NO_LENGTHS, NOT_KNOWN = "the lengths of the texts are not known", "length not known"
NOTHING_HELD = "length, markdown and place go together with who wrote the texts: none can be held equal"


@dataclass(frozen=True)
class _Ranked:
    """An axis ranked by these judgments. `shown`: in how many answers each identity was. `held`: which styles are held
    equal, empty where it is ranked as judged; `left_out`: those that could not be, with the reason.
    """

    identities: tuple[str, ...]
    found: Ranking
    n: int
    shown: Mapping[str, int]
    common: dict[str, Any]
    note: str
    used: tuple[tuple[int, float], ...] = ()
    by_rater: bool = False
    held: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)


def rankings(
    table: JudgmentTable,
    axes: Mapping[str, Sequence[str]],
    harm: Mapping[str, str],
    *,
    seed: int,
    definitions: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Finding]:
    """The rankings of every axis that `table.ranked` names: of people where people judged, and of each kind of rater
    where both did. `definitions`: axes as plain data; crossed ones give main effects and interactions too."""
    findings: list[Finding] = []
    for axis in dict.fromkeys(filter(None, table.ranked)):
        rows = [row for row, name in enumerate(table.ranked) if name == axis]
        people = [row for row in rows if not table.by_model(row)]
        models = [row for row in rows if table.by_model(row)]
        identities = _identities(table, rows, axes.get(axis, ()))
        parts: list[tuple[dict[str, str], list[int]]] = [({}, people or models)]
        if people and models:
            parts += [({"rater_kind": PERSON}, people), ({"rater_kind": MODEL}, models)]
        crossing = crossing_of(identities, [definitions[axis]]) if definitions and axis in definitions else None
        weights = contrasts_of(crossing, identities) if crossing is not None else None
        for dims, own in parts:
            ranked = _ranked(table, axis, identities, own, dims, harm.get(axis, ""), seed, weights)
            findings += _findings(ranked)
            findings += _at_equal_style(table, ranked, seed)
            if crossing is not None:
                findings += crossed_preferences(crossing, ranked.found, ranked.common)
    return findings


def _identities(table: JudgmentTable, rows: Sequence[int], known: Sequence[str]) -> tuple[str, ...]:
    shown = {identity for row in rows for identity in table.shown[row]}
    return (*(known_identity for known_identity in known if known_identity in shown), *sorted(shown - set(known)))


def _ranked(
    table: JudgmentTable,
    axis: str,
    identities: tuple[str, ...],
    rows: Sequence[int],
    dims: Mapping[str, str],
    harm: str,
    seed: int,
    contrasts: Floats | None = None,
) -> _Ranked:
    """Rank identities by these judgments."""
    ballots, used, dropped = _ballots_on(table, rows, identities)
    shown = Counter(identity for row, _ in used for identity in table.shown[row])
    raters = len({table.rater[row] for row, _ in used})
    by_rater, watched = raters >= FEWEST_RATERS, table.watched(row for row, _ in used)
    result = ranking(ballots, len(identities), by_rater=by_rater, contrasts=contrasts, seed=seed, watched=watched)
    n = round(sum(weight for _, weight in used))
    common = {
        "groups": identities,
        "n": n,
        "dims": {"axis": axis, **dims},
        "n_by_group": {identity: shown[identity] for identity in identities},
        "dropped": told(dropped),
        "harm": harm,
        "source": SOURCE,
    }
    note = _note(result, raters, by_rater)
    if watched:
        common |= {"source": WATCHED_SOURCE}
        note = f"{WATCHED} {standing_words(result, identities, len({table.comparison[row] for row, _ in used}))} {note}"
    return _Ranked(identities, result, n, shown, common, note, tuple(used), by_rater)


def _ballots_on(
    table: JudgmentTable, rows: Sequence[int], identities: Sequence[str]
) -> tuple[Ballots, list[tuple[int, float]], Counter[str]]:
    """Return the ballots among these judgments, their rows with their weights, and why others are none.

    A model's replies in all orders of the cards are one answer: each counts as its part of it.
    """
    answered, dropped = in_force(table, rows)
    used: list[tuple[int, float]] = []
    for judgments in answered.values():
        reasons = [_why_not(table, row) for row in judgments]
        dropped.update(filter(None, reasons))
        if not any(reasons):
            used += [(row, 1 / len(judgments)) for row in judgments]
    return _ballots(table, used, identities), used, dropped


def standing_of(columns: Mapping[str, Any], axis: str, identities: tuple[str, ...]) -> tuple[Standing, str]:
    """Return the state of a ranking for its next round, and in words what is certain and what is least known."""
    table = JudgmentTable(**columns)
    rows = [row for row, named in enumerate(table.axis) if named == axis]
    ballots, used, _ = _ballots_on(table, rows, identities)
    if not used:
        return Standing([0.0] * len(identities)), ""
    raters = len({table.rater[row] for row, _ in used})
    comparisons = len({table.comparison[row] for row, _ in used})
    found = ranking(ballots, len(identities), by_rater=raters >= FEWEST_RATERS, watched=True)
    strengths = fitted_strengths(ballots, len(identities))[: len(identities)].tolist()
    answers = sum(weight for _, weight in used) / comparisons
    pairs = tuple((pair.first, pair.second) for pair in _open_pairs(found))
    return Standing(strengths, answers, pairs), standing_words(found, identities, comparisons)


def standing_words(found: Ranking, identities: Sequence[str], comparisons: int) -> str:
    """Return which places of a ranking are certain, and which of the pairs that are still open is least known."""
    if found.identities is None:
        return "Not every identity was compared with the others yet."
    still = _open_pairs(found)
    order = sorted(range(len(identities)), key=lambda place: found.identities[place].place)  # type: ignore[index]
    named = {identity for pair in still for identity in (pair.first, pair.second)}
    certain = next((rank for rank, identity in enumerate(order) if identity in named), len(order))
    after = f"after {comparisons:,} comparison{'s' * (comparisons != 1)}"
    first = ", ".join(identities[place] for place in order[:certain])
    words = ""
    if not still:
        words = f"The whole order is certain {after}: {first}."
    elif certain:
        which = "first place" if certain == 1 else f"order of the first {COUNTED.get(certain, certain)}"
        words = f"The {which} is certain {after}: {first}. "
    if not still:
        return words
    least = max(still, key=lambda pair: 0.0 if pair.interval is None else pair.interval.high - pair.interval.low)
    one, other = identities[least.first], identities[least.second]
    range_ = "" if least.interval is None else _range(least.interval, one)
    more = f", and {len(still) - 1} more pair{'s' * (len(still) > 2)}" if len(still) > 1 else ""
    return f"{words}Still open: {one} against {other}{range_}{more}."


def _range(bounds: Bounds, preferred: str) -> str:
    return f" ({100 * bounds.low:.0f} to {100 * bounds.high:.0f} % prefer {preferred})"


COUNTED = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


def _open_pairs(found: Ranking) -> list[RankedPair]:
    return [pair for pair in found.pairs if pair.adjusted is None or pair.adjusted > SEPARATE]


def _why_not(table: JudgmentTable, row: int) -> str:
    """Return the reason why a judgment ranks nothing; empty where it does. A tie does: the texts are equally good."""
    outcome, shown = table.outcome[row], table.shown[row]
    if len(set(shown)) != len(shown) or not 2 <= len(shown) <= 3:
        return "not two or three different identities shown"
    if outcome == "skip" and table.read_as and table.read_as[row] in UNREAD:
        return UNREAD[table.read_as[row]]
    if outcome in ("none", "skip"):
        return outcome
    if outcome not in ("choice", "tie"):
        return "unknown outcome"
    return "" if outcome == "tie" or table.chosen[row] in shown else "chosen identity not shown"


def _ballots(table: JudgmentTable, used: Sequence[tuple[int, float]], identities: Sequence[str]) -> Ballots:
    number = {identity: at for at, identity in enumerate(identities)}

    def column(values: Sequence[int] | Sequence[list[int]]) -> Any:
        return np.array(values, dtype=np.int64)

    def numbered(names: Sequence[str]) -> Any:
        return np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)[1]

    rows = [row for row, _ in used]
    cards = [
        [number[shown_identity] for shown_identity in table.shown[row]] + [NOBODY] * (3 - len(table.shown[row]))
        for row in rows
    ]
    best = [number[table.chosen[row]] if table.outcome[row] == "choice" else NOBODY for row in rows]
    worst = [_worst(table, row, number) for row in rows]
    blocks = [table.block[row] if table.block else "\n".join(table.unit(row)) for row in rows]
    return Ballots(
        shown=column(cards).reshape(-1, 3),
        best=column(best),
        worst=column(worst),
        weight=np.array([weight for _, weight in used], dtype=np.float64),
        rater=numbered([table.rater[row] for row in rows]),
        block=numbered(blocks),
    )


def _worst(table: JudgmentTable, row: int, number: Mapping[str, int]) -> int:
    named = table.worst[row] if table.worst else ""
    right = named in table.shown[row] and named != table.chosen[row] and table.outcome[row] == "choice"
    return number[named] if right else NOBODY


def _note(ranking: Ranking, raters: int, by_rater: bool) -> str:
    ties = ", ".join(f"{share:.0%} of {cards}" for cards, share in ranking.ties)
    remark = f" Equally strong texts are called equal in: {ties}." if ties else ""
    if not by_rater:
        return f"{remark} {for_these(raters)}".lstrip()
    few = ", which are few to speak for others" if raters < FEW_RATERS else ""
    return f"{remark} {raters} raters{few}.".lstrip()


def _findings(ranked: _Ranked) -> list[Finding]:
    axis = ranked.common["dims"]["axis"]
    more = EQUAL if ranked.held else ""
    many = len(ranked.identities)
    strengths = with_holm(list(_strengths(ranked)), f"{STRENGTH}{more}, axis {axis}, {many} identities")
    pairs = list(_pairs(ranked))
    return [*strengths, *_places(ranked), *with_holm(pairs, f"{PAIR}{more}, axis {axis}, {len(pairs)} pairs")]


def _no_interval(ranked: _Ranked, present: object) -> str | None:
    if present:
        return None
    if ranked.held and ranked.found.units:
        return "interval: all comparisons went one way, which at equal style bounds nothing"
    return "interval: one set of texts and too few raters say nothing about others"


def _common(ranked: _Ranked, name: str, title: str, identity: str, unit: str) -> dict[str, Any]:
    equal, more = (", style held equal", EQUAL) if ranked.held else ("", "")
    shown = within(f"{title}{equal}: {identity}", ranked.common["dims"])
    return ranked.common | {"id": f"{name}{more}", "label": identity, "title": shown, "unit": unit}


def _strengths(ranked: _Ranked) -> Iterator[Finding]:
    for place, identity in enumerate(ranked.identities):
        common = _common(ranked, STRENGTH, "Preferred to another", identity, "proportion")
        if ranked.found.identities is None:
            yield Finding(estimate=None, reason=ranked.found.reason, **common)
            continue
        ranked_identity = ranked.found.identities[place]
        yield Finding(
            estimate=ranked_identity.strength,
            reason=_no_interval(ranked, ranked_identity.interval),
            interval=interval(ranked_identity.interval),
            p=ranked_identity.p,
            contrast={identity: ranked_identity.strength - 0.5},
            note=f"The chance to be preferred to another, averaged over the others; ½ is average. {ranked.note}",
            **common,
        )


def _places(ranked: _Ranked) -> Iterator[Finding]:
    for place, identity in enumerate(ranked.identities):
        common = _common(ranked, PLACE, "Place", identity, "place")
        if ranked.found.identities is None:
            yield Finding(estimate=None, reason=ranked.found.reason, **common)
            continue
        ranked_identity = ranked.found.identities[place]
        open_ones = (
            None
            if ranked_identity.places is None
            else Interval(float(ranked_identity.places[0]), float(ranked_identity.places[1]), LEVEL, HELD_OPEN)
        )
        yield Finding(
            estimate=float(ranked_identity.place),
            reason=_no_interval(ranked, open_ones),
            interval=open_ones,
            note=f"Of {len(ranked.identities)}, 1 being preferred most; the interval: the places that are left open."
            f"{_about_style(ranked)}",
            **common,
        )


def _pairs(ranked: _Ranked) -> Iterator[Finding]:
    for pair in ranked.found.pairs:
        yield _pair(ranked, pair)


def _pair(ranked: _Ranked, pair: RankedPair) -> Finding:
    first, second = ranked.identities[pair.first], ranked.identities[pair.second]
    equal = ", style held equal" if ranked.held else ""
    return Finding(
        estimate=pair.chance,
        reason=_no_interval(ranked, pair.interval),
        interval=interval(pair.interval),
        p=pair.p,
        contrast={first: pair.chance - 0.5, second: 0.5 - pair.chance},
        note=f"The chance that a text of {first} is preferred to one of {second}. {ranked.note}",
        **_common(ranked, PAIR, "Preferred", f"{first} / {second}", "proportion")
        | {
            "title": within(f"Preferred{equal}: {first} to {second}", ranked.common["dims"]),
            "groups": (first, second),
            "n_by_group": {identity: ranked.shown[identity] for identity in (first, second)},
        },
    )


# ---- At equal style


def _at_equal_style(table: JudgmentTable, raw: _Ranked, seed: int) -> list[Finding]:
    """The same ranking with length, markdown and place held equal, and what each of these does to the choices."""
    used = [(row, weight) for row, weight in raw.used if table.words and min(table.words[row], default=0) > 0]
    common = raw.common | {"source": STYLE_SOURCE}
    if not table.words or not used:
        unknown = replace(raw, found=Ranking(None, reason=NO_LENGTHS), common=common, held=(LENGTH,))
        return _findings(unknown)
    if unknown_lengths := len(raw.used) - len(used):
        common["dropped"] = {**common["dropped"], NOT_KNOWN: unknown_lengths}
    ballots = _ballots(table, used, raw.identities)
    there = ballots.shown != NOBODY
    wrote = np.eye(len(raw.identities))[ballots.shown] * there[:, :, None]
    fits = tellable(card_style(_amounts(table, [row for row, _ in used]), there), wrote, there)
    if not fits.style.names:
        return _findings(replace(raw, found=Ranking(None, reason=NOTHING_HELD), common=common, held=(LENGTH,)))
    found = ranking(
        replace(ballots, style=fits.style), len(raw.identities), by_rater=raw.by_rater, seed=seed,
        watched=table.watched(row for row, _ in used),
    )  # fmt: skip
    shown = Counter(identity for row, _ in used for identity in table.shown[row])
    n = round(sum(weight for _, weight in used))
    common |= {"n": n, "n_by_group": {identity: shown[identity] for identity in raw.identities}}
    ranked = replace(raw, found=found, n=n, shown=shown, common=common, held=fits.style.names, left_out=fits.left_out)
    ranked = replace(ranked, note=f"{_order(raw, ranked)} {raw.note}")
    return [*_findings(ranked), *_styles(ranked)]


def _amounts(table: JudgmentTable, rows: Sequence[int]) -> dict[str, Floats]:
    """Words of each card, and its headings, list items and bold parts where these are known: shape (n, 3)."""
    amounts = {LENGTH: np.zeros((len(rows), 3))} | (
        {name: np.zeros((len(rows), 3)) for name in MARKDOWN} if table.markup else {}
    )
    for at, row in enumerate(rows):
        amounts[LENGTH][at, : len(table.words[row])] = table.words[row]
        for card, marks in enumerate(table.markup[row] if table.markup else ()):
            for name, many in zip(MARKDOWN, marks, strict=True):
                amounts[name][at, card] = many
    return amounts


def _held_words(ranked: _Ranked) -> str:
    """ "With length, lists and place held equal", and what cannot be."""
    names = [name for name in (LENGTH, *MARKDOWN) if name in ranked.held]
    names += ["place"] if {SECOND, THIRD} & set(ranked.held) else []
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    together = [name for name, why in ranked.left_out.items() if why == TOGETHER]
    cannot = f" (not {', '.join(together)}: {TOGETHER})" if together else ""
    return f"With {listed} held equal{cannot}"


def _order(raw: _Ranked, equal: _Ranked) -> str:
    """Say whether the order changes, and no more than the pairs that are told apart allow."""
    held = _held_words(equal)
    if raw.found.identities is None or equal.found.identities is None:
        return f"{held}:"
    before, after = (_apart(ranked) for ranked in (raw, equal))
    places = [[identity.place for identity in ranked.found.identities or ()] for ranked in (raw, equal)]
    turned = sorted((first, second) for first, second in after if places[0][first] > places[0][second])
    lost = len(before - after)
    gone = f" {lost} of {len(before)} pairs that were told apart no longer are." if lost else ""
    if turned:
        first, second = (equal.identities[place] for place in turned[0])
        return f"{held}, the order changes: {first} is then preferred to {second}, beyond chance.{gone}"
    if places[0] == places[1]:
        return f"{held}, the order stays the same.{gone}"
    return f"{held}, the order changes, but only among those that cannot be told apart.{gone}"


def _apart(ranked: _Ranked) -> set[tuple[int, int]]:
    """The pairs that are told apart, the preferred one first."""
    return {
        (pair.first, pair.second) if pair.chance > 0.5 else (pair.second, pair.first)
        for pair in ranked.found.pairs
        if pair.adjusted is not None and pair.adjusted <= SEPARATE
    }


def _about_style(ranked: _Ranked) -> str:
    return f" {ranked.note}" if ranked.held else ""


def _styles(ranked: _Ranked) -> list[Finding]:
    """Return what each style does to the odds of a text; of those left out the reason."""
    effects = dict(zip(ranked.held, ranked.found.styles, strict=False))
    names = [name for name in DOES if name in (*ranked.held, *ranked.left_out)]
    findings = [_style(ranked, name, effects.get(name)) for name in names]
    axis = ranked.common["dims"]["axis"]
    return with_holm(findings, f"{STYLE}, axis {axis}, {len(findings)} styles")


def _style(ranked: _Ranked, name: str, effect: OddsRatio | None) -> Finding:
    dims = ranked.common["dims"]
    common = ranked.common | {"id": STYLE, "label": name, "title": within(DOES[name], dims), "unit": "odds ratio"}
    common |= {"groups": (), "n_by_group": {}, "harm": ""}
    if effect is None:
        return Finding(estimate=None, reason=ranked.left_out.get(name) or ranked.found.reason, **common)
    return Finding(
        estimate=effect.value,
        reason=missing_interval(effect.interval),
        interval=interval(effect.interval.bounds),
        p=effect.p,
        note=f"What it does to the odds to be preferred, all else equal. {ranked.note}",
        **common,
    )
