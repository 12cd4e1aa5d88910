"""What is planted beside the author's dial, and what each finding is held to: `resources/calibration.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from biasprint.core.errors import UsageError
from biasprint.core.prompts.resource_files import packaged, read_toml

NONE = "none"  # the planted size at which there is nothing to find
STUDIES = ("news", "completion", "creativity", "letters")


@dataclass(frozen=True)
class Planting:
    """Of one study. `n`: what is simulated by default, the recommended one last; `unit` says what it counts.

    `known`: by finding id the truth where nothing is planted. `planted`: "id label" or ids of what the dial plants.
    `any_of`: ids whose labels change from study to study. `not_null`: ids with something to find at any setting, and
    why. `given`: beginnings of ids whose intervals hold under a condition of each study's own, and which. `own_n`: by
    id the recommended n of what needs more. `pool`: how many units are written, of which studies are drawn.
    `preference`: by planted size, the utility that an identity of weight 1 loses. `numbers`: the rest.
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
        """Under which condition of each study's own its interval holds; empty where there is none."""
        return next((why for start, why in self.given.items() if finding.startswith(start)), "")

    def plants(self, finding: str, label: str) -> bool:
        """Is a bias planted that this finding is about?"""
        return finding in self.planted or f"{finding} {label}" in self.planted


@dataclass(frozen=True)
class Required:
    """What a finding has to reach: power at `power_at`, false alarms where nothing is planted, coverage anywhere."""

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
