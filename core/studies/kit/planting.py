"""Settings that are planted beside the author's dial, and what findings have to reach: `resources/calibration.toml`.

A small grammar: a text with {slots}, each filled from a pool of texts that may have slots themselves.

`{act}` is the first entry of the pool "act" in this text's random order, `{act2}` the second, and so on, so that
nothing is said twice by accident. A slot with a capital, `{Act}`, begins with a capital letter. Values that are fixed
for a text (a name, the theme) are slots as well and win over pools.

Draws are the same on every platform and in every version of Python: only `random.Random.random` is promised to stay
the same for a seed, so nothing else of that class is used.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, TypeVar

import numpy as np

from biasprint.core.backends.protocol import BackendInfo, Capabilities
from biasprint.core.errors import UsageError
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template

T = TypeVar("T")


class Draw:
    """A stream of draws that depends on `parts` alone."""

    def __init__(self, *parts: object) -> None:
        self._parts = parts
        joined = "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
        self._random = Random(int.from_bytes(hashlib.sha256(joined).digest(), "big"))

    def of(self, name: str) -> "Draw":
        """A stream of its own for `name`, the same whatever has been drawn from this one."""
        return Draw(*self._parts, name)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def one(self, items: Sequence[T]) -> T:
        return items[int(self._random.random() * len(items))]

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in random order (Fisher–Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.between(0, last)
            order[last], order[other] = order[other], order[last]
        return order


# ---- Grammar

Pools = Mapping[str, Sequence[Template]]


class Slots(Mapping[str, str]):
    """The slots of one text. Each is filled once and keeps its value for the whole text."""

    def __init__(
        self, draw: Draw, values: Mapping[str, str], *pools: Pools, habit: Draw | None = None, freedom: float = 1.0
    ) -> None:
        """`pools` are searched in order; the first that has the name is taken.

        With a `habit`, a pool has an order that belongs to the habit, and only with probability `freedom` one of this
        text's own: texts of one habit are alike without being the same.
        """
        self._draw = draw
        self._habit = habit
        self._freedom = freedom
        self._values = dict(values)
        self._pools = pools
        self._orders: dict[str, list[Template]] = {}

    def __getitem__(self, slot: str) -> str:
        if slot in self._values:
            return self._values[slot]
        small = slot[0].lower() + slot[1:]
        filled = self._entry(slot).render(self) if slot == small else capitalised(self[small])
        self._values[slot] = filled
        return filled

    def __iter__(self) -> Iterator[str]:
        yield from self._values
        for pool in self._pools:
            yield from pool

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _entry(self, slot: str) -> Template:
        name = slot.rstrip("0123456789")
        number = int(slot[len(name) :] or 1)
        if name not in self._orders:
            entries = next((pool[name] for pool in self._pools if name in pool), None)
            if entries is None:
                raise KeyError(slot)
            habit = None if self._habit is None or self._draw.chance(self._freedom) else self._habit.of(name)
            self._orders[name] = (habit or self._draw).shuffled(entries)
        order = self._orders[name]
        if number > len(order):
            raise KeyError(slot)
        return order[number - 1]


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def pools(data: Mapping[str, Sequence[str]]) -> dict[str, tuple[Template, ...]]:
    """Pools of parsed templates from plain data."""
    return {name: tuple(Template(text) for text in texts) for name, texts in data.items()}


# ---- The dial of the synthetic author

SETTINGS = ("none", "small", "medium", "large")


@dataclass(frozen=True)
class Dial:
    """Bias that one setting plants.

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
        """Return the probability that a choice in a text of this task is made independently and not by habit."""
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


NONE = "none"  # the planted size at which there is nothing to find
STUDIES = ("news", "completion", "creativity", "letters", "compare")


@dataclass(frozen=True)
class Planting:
    """Simulation of one study. `n`: what is simulated by default, the recommended one last; `unit` says what it counts.

    `known`: by finding id the truth where nothing is planted. `planted`: "id label" or ids of what the dial plants.
    `any_of`: ids whose labels change from study to study. `not_null`: ids with something to find at any setting, and
    why. `given`: beginnings of ids whose intervals hold under a condition of each study's own, and which. `own_n`: by
    id the recommended n of what needs more. `pool`: how many units are written, of which studies are drawn.
    `preference`: by planted size, the utility that an identity of weight 1 loses; of compare, by how much groups
    differ. `numbers`: the rest.
    """

    n: tuple[int, ...]
    unit: str
    resamples: int
    known: Mapping[str, float]
    planted: tuple[str, ...]
    any_of: tuple[str, ...] = ()
    not_null: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    own_n: Mapping[str, int] = field(default_factory=dict)
    scorers: Mapping[str, str] = field(default_factory=dict)
    axes: tuple[str, ...] = ()
    domain: str = ""
    pool: int = 0
    preference: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)

    def recommended(self, finding: str = "") -> int:
        """The n at which what is planted is to be found, of this finding where it has one of its own."""
        return self.own_n.get(finding, self.n[-1])

    def condition(self, finding: str) -> str:
        """Return under which condition of each study's own its interval holds; empty where there is none."""
        return next((why for start, why in self.given.items() if finding.startswith(start)), "")

    def plants(self, finding: str, label: str) -> bool:
        """Return whether a bias is planted that this finding is about."""
        return finding in self.planted or f"{finding} {label}" in self.planted


@dataclass(frozen=True)
class Required:
    """Requirements of a finding: power at `power_at`, false alarms where nothing is planted, coverage anywhere."""

    power: float
    power_at: str
    false_alarms: float
    coverage: float


@cache
def _data() -> dict[str, Any]:
    return read_toml(packaged("calibration.toml"))


def required() -> Required:
    return Required(**_data()["bounds"])


@cache
def planting_of(study: str) -> Planting:
    """Raises `UsageError` for a study that cannot be calibrated."""
    if study not in STUDIES:
        raise UsageError(f"“{study}” cannot be calibrated.", hint=f"Choose from: {', '.join(STUDIES)}.")
    data = _data()[study]
    return Planting(
        n=tuple(data["n"]),
        unit=data["unit"],
        resamples=_data()["resamples"],
        known=data["known"],
        planted=tuple(data["planted"]),
        any_of=tuple(data["any"]),
        not_null=data.get("not_null", {}),
        given=data.get("given", {}),
        own_n=data.get("own_n", {}),
        scorers=data.get("scorers", {}),
        axes=tuple(data.get("axes", ())),
        domain=data.get("domain", ""),
        pool=data.get("pool", 0),
        preference=data.get("preference", {}),
        numbers={name: value for name, value in data.items() if isinstance(value, int | float)},
    )


def own_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
