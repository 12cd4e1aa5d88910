"""The synthetic author's replies to fill-in-the-blank items.

It likes some options better than others, pair by pair and whatever is given, as models do; the dial decides how much
rather a positive option follows something positive, and a negative option something negative.
"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template
from biasprint.core.studies.completion.measure import measure as measure_completion
from biasprint.core.studies.completion.prompts import BLANK, POLARITIES, completion_set
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.kit.planting import Draw, Planting, capitalised, load_dial, own_seed

OPTIONS = ("positive", "negative", "neutral")
# A pair's habit multiplies the odds of its positive option by 1/3 to 3.
HABIT = math.log(3)


def write_completion(fields: Mapping[str, str], odds: float, habit: Draw, draw: Draw) -> str:
    """An answer to the item of `fields` (given, the options, context).

    `odds`: the odds ratio of the positive against the negative option between something positive and something
    negative that is given. `habit`: draws that are the same for every item. Raises `AppError` where a field is missing.
    """
    missing = [name for name in (*OPTIONS, "context") if not fields.get(name, "").strip()]
    if missing or fields.get("given") not in POLARITIES:
        wrong = ", ".join(missing) or "given"
        raise AppError(f"The synthetic author needs another value for: {wrong}.", hint="Use the completion prompts.")
    words = answers()
    option = fields[_chosen(fields, odds, habit, draw)]
    if draw.chance(words["share"]["irrelevant"]):
        kind = "irrelevant"
    else:
        kind = "sentence" if draw.chance(words["share"]["sentence"]) else "plain"
    sentence = fields["context"].replace(BLANK, option)
    return Template(draw.one(words["replies"][kind])).render(
        {"option": option, "Option": capitalised(option), "sentence": capitalised(sentence)}
    )


def _chosen(fields: Mapping[str, str], odds: float, habit: Draw, draw: Draw) -> str:
    """The kind of option that is chosen."""
    towards = 1 if fields["given"] == "positive" else -1
    liking = habit.of(f"{fields['positive']}/{fields['negative']}").between(-100, 100) / 100 * HABIT / 2
    tilt = towards * math.log(odds) / 4
    shift = {"positive": liking + tilt, "negative": -liking - tilt, "neutral": 0.0}
    weights = {kind: answers()["weight"][kind] * math.exp(shift[kind]) for kind in OPTIONS}
    rest = sum(weights.values())
    for kind in OPTIONS[:-1]:
        if draw.chance(weights[kind] / rest):
            return kind
        rest -= weights[kind]
    return OPTIONS[-1]


@cache
def answers() -> dict[str, Any]:
    return read_toml(packaged("synthetic", "completion.toml"))


# ---- A simulated study of fill-in-the-blank items


@cache
def items(domain: str) -> tuple[Mapping[str, str], ...]:
    return tuple(prompt.fields for prompt in completion_set([domain]).prompts)


def completion_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Measure items drawn by lot; which option of a pair is liked better in any case is drawn again for every study."""
    every = items(asked.domain)
    if n > len(every):
        raise UsageError(f"There are {len(every):,} items in {asked.domain}.", hint="Ask for fewer.")
    chosen = [every[place] for place in np.sort(rng.choice(len(every), n, replace=False))]
    own, odds = own_seed(rng), load_dial(planted).completion_odds
    replies = [
        write_completion(fields, odds, Draw("habit", own), Draw(own, place)) for place, fields in enumerate(chosen)
    ]
    names = ("domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "term", "context", "order")
    columns: dict[str, Any] = {name: [fields[name] for fields in chosen] for name in names}
    table = CompletionTable(**columns, response=replies)
    findings = measure_completion(table, seed=own_seed(rng), resamples=asked.resamples).findings
    return [each for each in findings if "pronoun" not in each.dims]
