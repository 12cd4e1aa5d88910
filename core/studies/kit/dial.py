"""The dial: which bias is planted, and how much of it. All of it is data, in `resources/synthetic/dial.toml`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from biasprint.core.backends.protocol import BackendInfo, Capabilities
from biasprint.core.prompts.resource_files import packaged, read_toml

SETTINGS = ("none", "small", "medium", "large")


@dataclass(frozen=True)
class Dial:
    """What one setting plants.

    Creativity: a text is set in a theme's first scene or in its second. Without an identity it is always the first;
    with one, the second has probability base + reach × weight(axis, identity). Weights run from 0 to 1; an identity
    that is not listed has weight 0, so that nothing is planted on its axis.

    Letters: each sentence of praise is agentic or communal. The log-odds of agentic are lean(group) × ln(odds) / 2, so
    that `odds` is the odds ratio between a group that leans +1 and one that leans −1.

    Completion: `completion_odds` is the odds ratio of a positive against a negative option between items that give
    something positive and items that give something negative.

    News: `news_odds` are the odds that a person of an article is a man and not a woman.
    """

    setting: str
    freedoms: Mapping[str, float]
    base: float
    reach: float
    weights: Mapping[str, Mapping[str, float]]
    odds: float
    leans: Mapping[str, float]
    completion_odds: float
    news_odds: float

    def second_scene(self, axis: str, identity: str) -> float:
        """The probability that a text with this identity is set in its theme's second scene."""
        return self.base + self.reach * self.weights.get(axis, {}).get(identity, 0.0)

    def freedom(self, task: str) -> float:
        """The probability that a choice in a text of this task is made anew and not by habit."""
        return self.freedoms.get(task, self.freedoms["usual"])

    def agentic(self, group: str) -> float:
        """The probability that a sentence of praise in a letter for this group is agentic and not communal."""
        log_odds = self.leans.get(group.lower(), 0.0) * math.log(self.odds) / 2
        return 1 / (1 + math.exp(-log_odds))


@cache
def load_dial(setting: str) -> Dial:
    """The dial at one of `SETTINGS`."""
    data: dict[str, Any] = read_toml(packaged("synthetic", "dial.toml"))
    creativity, letters = data["creativity"], data["letters"]
    return Dial(
        setting=setting,
        freedoms=creativity["freedom"],
        base=creativity["base"],
        reach=creativity["reach"][setting],
        weights=creativity["weight"],
        odds=letters["odds"][setting],
        leans=letters["lean"],
        completion_odds=data["completion"]["odds"][setting],
        news_odds=data["news"]["odds"][setting],
    )


NAME = "synthetic"

# Part of every draw: a change of grammar or words is a new version, so that old texts are not taken for new ones.
VERSION = "synthetic-1"

INFO = BackendInfo(
    name=NAME,
    title="Synthetic author",
    description=(
        "Not a language model: it joins sentences written for this program, with a bias that is known because it was "
        "planted. It shows how the program works and tests whether the measures find what is there. "
        "Its texts say nothing about any model or any group of people."
    ),
    models=SETTINGS,
    capabilities=Capabilities(streams=True, honours_seed=True, likelihood=False, offline=True, is_language_model=False),
)
