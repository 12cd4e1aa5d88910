"""A simulated study of fill-in-the-blank items."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.errors import UsageError
from biasprint.core.findings import Finding
from biasprint.core.studies.completion.author import write_completion
from biasprint.core.studies.completion.measure import measure as measure_completion
from biasprint.core.studies.completion.prompts import completion_set
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.kit.dial import load_dial
from biasprint.core.studies.kit.grammar import Draw
from biasprint.core.studies.kit.planting import Planting, own_seed


@cache
def items(domain: str) -> tuple[Mapping[str, str], ...]:
    return tuple(prompt.fields for prompt in completion_set([domain]).prompts)


def completion_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    """Items drawn by lot; which option of a pair is liked better in any case is drawn anew for every study."""
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
    found = measure_completion(table, seed=own_seed(rng), resamples=asked.resamples).findings
    return [each for each in found if "pronoun" not in each.dims]
