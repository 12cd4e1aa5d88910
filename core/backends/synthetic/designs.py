"""What the synthetic author replies to the prompts of a design: the layout that was asked for, with a planted bias.

The dial's odds decide: an item goes to the group that a stereotype ties it to with probability odds / (1 + odds); the
log-odds of a yes, and of a candidate against another, are lean(gender) × ln(odds) / 2. Nothing is planted by race or
age, so that a study sees what is there and nothing more.
"""

import math
from collections.abc import Mapping
from typing import Protocol

from core.backends.synthetic.dial import Dial
from core.prompts.designs.design import SEPARATOR


class _Draws(Protocol):
    """A stream of draws."""

    def chance(self, probability: float) -> bool: ...


USUAL_YES = 0.6  # the share of yes where nothing leans


def reply_to_design(fields: Mapping[str, str], dial: Dial, draw: _Draws) -> str:
    """The reply to a prompt whose replies are read as `fields["reads"]` says."""
    odds = dial.completion_odds
    reads = fields["reads"]
    if reads == "yes_no":
        return _yes_or_no(fields, dial, draw)
    if reads == "ranking":
        return _ranking(fields, dial, draw)
    items = fields["items"].split(SEPARATOR)
    x = fields["x"].split(SEPARATOR)
    fitting = odds / (1 + odds)
    if reads == "assigning":
        as_said = draw.chance(fitting)
        return "\n".join(f"{item} - {fields['a' if (item in x) == as_said else 'b']}" for item in items)
    return "\n".join(f"{item} - {fields['a' if (item in x) == draw.chance(fitting) else 'b']}" for item in items)


def _yes_or_no(fields: Mapping[str, str], dial: Dial, draw: _Draws) -> str:
    log_odds = math.log(USUAL_YES / (1 - USUAL_YES)) + _lean(fields.get("gender", ""), dial)
    return "Yes." if draw.chance(1 / (1 + math.exp(-log_odds))) else "No."


def _ranking(fields: Mapping[str, str], dial: Dial, draw: _Draws) -> str:
    """One after the other, each with a chance in proportion to exp(lean) among those who are left."""
    names = fields["names"].split(SEPARATOR)
    genders = fields.get("gender", "").split(SEPARATOR)
    left = {name: math.exp(_lean(gender, dial)) for name, gender in zip(names, genders, strict=True)}
    order = []
    while left:
        rest = sum(left.values())
        for name in list(left):
            if len(left) == 1 or draw.chance(left[name] / rest):
                order.append(name)
                del left[name]
                break
            rest -= left[name]
    return "\n".join(f"{place}. {name}" for place, name in enumerate(order, start=1))


def _lean(gender: str, dial: Dial) -> float:
    return dial.leans.get(gender, 0.0) * math.log(dial.completion_odds) / 2
