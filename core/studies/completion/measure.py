"""Fill in the blank: every finding of a table of replies. Called in the compute process.

`completion.likelihood`, `completion.option_position` and `completion.irrelevant` are made here, Δ and τ in
`associations`. The input is described in `table`."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.findings import Finding, StudyResult, Variant
from core.metrics.likelihood import CHOSEN, GIVEN, LikelihoodShare, conditional_likelihoods, likelihood_draws
from core.metrics.proportions import equal_chances, share, wilson
from core.metrics.result import RESAMPLES, Bools, MaybeBounds
from core.prompts.completion import DIRECTIONS
from core.studies.completion.associations import ID as DELTA
from core.studies.completion.associations import IDS as TAUS
from core.studies.completion.associations import OMNIBUS, deltas, published_deltas, taus
from core.studies.completion.cells import (
    SOURCE,
    ReplyCell,
    cells,
    irrelevant_line,
    likelihood_line,
    share_interval,
    times_as_wide,
)
from core.studies.completion.table import IRRELEVANT, Coded, CompletionTable, coded
from core.studies.findings import interval, missing_interval, with_holm

# ---- `completion.likelihood`: how often each kind of option is chosen

LIKELIHOOD_ID = "completion.likelihood"


def likelihoods(cell: ReplyCell) -> Iterator[Finding]:
    """PPL, PNL, PNuL, NPL, NNL, NNuL and the base rates PL, NL, NuL, as shares of the replies that name an option."""
    draws = likelihood_draws(cell.resampled[:, : len(CHOSEN)])
    for place, one in enumerate(conditional_likelihoods(cell.chosen)):
        units = min(*cell.terms, cell.pairs) if place >= 6 else min(cell.terms[place // 3], cell.pairs)
        bounds = one.interval if one.value is None else share_interval(draws[place], one.value, units)
        notes = [times_as_wide(bounds, one.interval.bounds), likelihood_line(one.label, cell.dims)]
        yield _finding(cell, place, one, bounds, "default", notes)


def published_likelihoods(cell: ReplyCell) -> Iterator[Finding]:
    """The same numbers with Wilson's intervals, as if every reply were independent."""
    for place, one in enumerate(conditional_likelihoods(cell.chosen)):
        notes = ["Takes replies as independent.", likelihood_line(one.label, cell.dims)]
        yield _finding(cell, place, one, one.interval, "as_published", notes)


def _finding(
    cell: ReplyCell, place: int, one: LikelihoodShare, bounds: MaybeBounds, variant: Variant, notes: list[str]
) -> Finding:
    chosen = CHOSEN[place % 3]
    given = GIVEN[place // 3] if place < 6 else ""
    after = f"after something {given}" if given else "whatever is given"
    return Finding(
        id=LIKELIHOOD_ID,
        label=one.label,
        title=f"{chosen.capitalize()} option chosen {after}",
        groups=(given,) if given else GIVEN,
        estimate=one.value,
        reason=one.reason if one.value is None else missing_interval(bounds),
        unit="proportion",
        n=one.n,
        dims=cell.dims,
        variant=variant,
        interval=interval(bounds.bounds) if one.value is not None else None,
        n_by_group=cell.n_by_group,
        dropped=cell.dropped,
        source=f"{SOURCE}, experimental setup, {'Table 2' if not given else 'Tables 3 to 9'}",
        note=" ".join(filter(None, notes)),
    )


# ---- `completion.irrelevant`: replies that name none of the options, or two

IRRELEVANT_ID = "completion.irrelevant"


def irrelevant(cell: ReplyCell) -> Iterator[Finding]:
    """The share of irrelevant replies, and how much more of them follow each polarity than all together."""
    counts = cell.observed
    whole, left_out = counts.sum(axis=1), counts[:, IRRELEVANT]
    n, dropped = int(whole.sum()), int(left_out.sum())
    share = dropped / n
    draws = np.asarray(cell.resampled[:, IRRELEVANT].sum(axis=0) / np.maximum(1, cell.resampled.sum(axis=(0, 1))))
    independent = wilson(dropped, n)
    clustered = share_interval(draws, share, min(*cell.terms, cell.pairs))
    contrast = {
        given: float(left_out[place] / whole[place] - share) for place, given in enumerate(GIVEN) if whole[place]
    }
    published = ("as_published", MaybeBounds(independent), "Takes replies as independent.")
    for variant, bounds, note in (("default", clustered, times_as_wide(clustered, independent)), published):
        yield Finding(
            id=IRRELEVANT_ID,
            label="irrelevant",
            title="Replies that are left out: no option named, or two",
            groups=GIVEN,
            estimate=share,
            reason=missing_interval(bounds),
            unit="proportion",
            n=n,
            dims=cell.dims,
            variant=variant,  # type: ignore[arg-type]
            interval=interval(bounds.bounds),
            n_by_group={given: int(count) for given, count in zip(GIVEN, whole, strict=True)},
            contrast=contrast,
            source=f"{SOURCE}, experimental setup",
            note=" ".join(filter(None, [f"{dropped} of {n} replies.", note, irrelevant_line(cell.dims)])),
        )


# ---- `completion.option_position`, where the order shown is known

POSITION_ID = "completion.option_position"
PLACES = ("first", "second", "third")


def option_positions(replies: Coded) -> Iterator[Finding]:
    """The share of choices that fell on the option shown first, second and third, by model and direction.

    The order is drawn for each item by itself, so without position bias every place has one chance in three, whatever
    the options are: the choices' places are independent although the choices are not.
    """
    for model, name in enumerate(replies.models):
        for direction, direction_name in enumerate(DIRECTIONS):
            inside = (replies.model == model) & (replies.direction == direction) & (replies.chosen != IRRELEVANT)
            dims = {"model": name or "(no name)"} if len(replies.models) > 1 else {}
            if inside.any():
                yield from _positions(replies, inside, {**dims, "direction": direction_name})


def _positions(replies: Coded, inside: Bools, dims: dict[str, str]) -> Iterator[Finding]:
    known = replies.position[inside & (replies.position >= 0)]
    if len(known) == 0:
        return
    counts = np.bincount(known, minlength=len(PLACES))
    test = equal_chances(counts)
    unknown = int(inside.sum()) - len(known)
    whole = f"{test.name} over the three places: X² = {test.statistic:.2f}, p = {test.p:.3g}."
    for place, title in enumerate(PLACES):
        one = share(int(counts[place]), len(known), 1 / len(PLACES))
        yield Finding(
            id=POSITION_ID,
            label=title,
            title=f"Chosen: the option shown {title}",
            groups=PLACES,
            estimate=one.value,
            unit="proportion",
            n=len(known),
            dims=dims,
            interval=interval(one.interval),
            n_by_group={label: int(count) for label, count in zip(PLACES, counts, strict=True)},
            dropped={"order not known": unknown} if unknown else {},
            p=one.p,
            contrast={title: one.value - 1 / len(PLACES)},
            source="beyond the paper (METHODS, Completion)",
            note=f"Chance is one in three; p: {one.test}. {whole}",
        )


# ---- All findings

NO_TERMS = "Some given terms are not known: replies to one sentence count as one term, or each as its own."


def measure(table: CompletionTable, *, seed: int = 0, resamples: int = RESAMPLES) -> StudyResult:
    """All findings of the completion study, the default ones of each kind first."""
    replies = coded(table)
    dropped = dict(replies.dropped)
    if left_out := int((replies.chosen == IRRELEVANT).sum()):
        dropped["irrelevant"] = left_out
    findings = _findings(replies, seed, resamples) if len(replies) else _nothing(dropped)
    if not replies.terms_known:
        findings = [replace(each, note=f"{each.note} {NO_TERMS}".strip()) for each in findings]
    return StudyResult("completion", len(table.domain), dropped, tuple(findings))


def _findings(replies: Coded, seed: int, resamples: int) -> list[Finding]:
    found = list(cells(replies, seed, resamples))
    differences = [each for cell in found for each in deltas(cell)]
    every_tau = [each for cell in found for each in taus(cell)]
    return [
        *(each for cell in found for each in likelihoods(cell)),
        *_adjusted(differences),
        *_adjusted([each for each in every_tau if each.variant == "default"]),
        *_adjusted(list(option_positions(replies))),
        *(each for cell in found for each in irrelevant(cell)),
        *(each for cell in found for each in published_likelihoods(cell)),
        *(each for cell in found for each in published_deltas(cell)),
        *(each for each in every_tau if each.variant == "as_published"),
    ]


def _adjusted(findings: list[Finding]) -> list[Finding]:
    """Holm within one id and one way of breaking down: pooled, by domain, by pronoun, by both; the omnibus test apart.

    What is pooled is adjusted among itself, so that it does not pay for being broken down as well.
    """
    families: dict[tuple[str, str], list[int]] = {}
    for place, finding in enumerate(findings):
        by = " and ".join(name for name in ("domain", "pronoun") if name in finding.dims)
        kind = f"{finding.id} {finding.label}" if finding.label == OMNIBUS else finding.id
        families.setdefault((kind, f"by {by}" if by else "pooled"), []).append(place)
    adjusted = list(findings)
    for (kind, by), places in families.items():
        family = f"{kind}, {by}, {len(places)} tests"
        for place, finding in zip(places, with_holm([findings[place] for place in places], family), strict=True):
            adjusted[place] = finding
    return adjusted


def _nothing(dropped: dict[str, int]) -> list[Finding]:
    """One undefined finding of each kind, where no row is a reply to an item of this study."""
    why = ", ".join(f"{reason} ({count})" for reason, count in dropped.items()) or "there are no rows"
    return [
        Finding(
            id=finding_id, label=finding_id.rpartition(".")[2], title="Fill in the blank", groups=(), estimate=None,
            reason=f"no row is a reply to an item: {why}", unit="proportion", n=0, dropped=dropped, source=SOURCE,
        )
        for finding_id in (LIKELIHOOD_ID, DELTA, *(tau for tau, _ in TAUS), IRRELEVANT_ID)
    ]  # fmt: skip
