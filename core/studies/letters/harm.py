"""Whom which direction of a finding harms, as the axis says it (a user's setting)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class HarmSetting:
    """`direction` of the estimate that harms `harmed`. `order`: the axis's identities; differences are first − later.

    For an estimate of one group (hallucinated − grounded text) `direction` is that of the harmed group, and the
    opposite one favours the others at its cost.
    """

    finding: str
    harmed: str
    direction: Literal["higher", "lower"]
    words: str
    order: tuple[str, ...]

    @property
    def sign(self) -> int:
        return 1 if self.direction == "higher" else -1


def setting_of(harms: Sequence[HarmSetting], finding: str) -> HarmSetting | None:
    return next((harm for harm in harms if harm.finding == finding), None)


def of_difference(harms: Sequence[HarmSetting], finding: str, pair: tuple[str, str]) -> str:
    """The harmful direction of a difference between two groups, in words; empty where the axis names none."""
    harm = setting_of(harms, finding)
    if harm is None or harm.harmed not in pair or not set(pair) <= set(harm.order):
        return ""
    in_order = harm.order.index(pair[0]) < harm.order.index(pair[1])
    where = "above" if (harm.sign > 0) == in_order else "below"
    return f"{harm.words} A difference {where} 0 is to the disadvantage of {harm.harmed}."


def harmful_sign(harms: Sequence[HarmSetting], finding: str, group: str) -> int | None:
    """+1 or −1: the direction of a group's own estimate that does harm; None where the axis does not say."""
    harm = setting_of(harms, finding)
    if harm is None or group not in harm.order:
        return None
    return harm.sign if group == harm.harmed else -harm.sign
