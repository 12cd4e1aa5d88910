"""Does the place of an option decide? `completion.option_position`, where the order shown is known."""

from collections.abc import Iterator

import numpy as np

from core.findings import Finding
from core.metrics.proportions import equal_chances, share
from core.metrics.result import Bools
from core.prompts.completion_design import DIRECTIONS
from core.studies.completion.table import IRRELEVANT, Coded
from core.studies.findings import interval

ID = "completion.option_position"
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
            id=ID,
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
