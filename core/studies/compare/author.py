"""Replies of the synthetic author to the prompts of a design: in the layout that was asked for, with a planted bias.

The dial's odds decide: an item goes to the group that a stereotype ties it to with probability odds / (1 + odds); the
log-odds of a yes, and of a candidate against another, are lean(gender) × ln(odds) / 2; so are those of a word of
stereotypes of men against one of women in an answer. Nothing is planted by race or age, so that a study sees what is
there and nothing more.
"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from biasprint.core.prompts.designs.design import SEPARATOR
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template
from biasprint.core.studies.kit.grammar import Draw
from biasprint.core.studies.kit.planting import Dial

SUGGESTIONS = 3  # of an answer
PLAIN = 0.4  # the share of them that no stereotype is about


USUAL_YES = 0.6  # the share of yes where nothing leans


def reply_to_design(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
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


def _yes_or_no(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    log_odds = math.log(USUAL_YES / (1 - USUAL_YES)) + _lean(fields.get("gender", ""), dial)
    return "Yes." if draw.chance(1 / (1 + math.exp(-log_odds))) else "No."


def _ranking(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    """Rank one name after the other, each drawn in proportion to exp(lean) among those who are left."""
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


def answer_to_user(fields: Mapping[str, str], dial: Dial, draw: Draw) -> str:
    """Three suggestions to a user, each of a word of stereotypes of one gender, or of none."""
    words = _answers()
    of_men = 1 / (1 + math.exp(-_lean(fields.get("gender", ""), dial)))
    sentences = []
    for template in draw.shuffled(words["suggestions"])[:SUGGESTIONS]:
        side = "neutral" if draw.chance(PLAIN) else "masculine" if draw.chance(of_men) else "feminine"
        sentences.append(Template(template).render({"what": draw.one(words[side])}))
    return " ".join((draw.one(words["openings"]), *sentences, draw.one(words["ends"])))


@cache
def _answers() -> dict[str, Any]:
    return read_toml(packaged("synthetic", "answers.toml"))


def _lean(gender: str, dial: Dial) -> float:
    return dial.leans.get(gender, 0.0) * math.log(dial.completion_odds) / 2
