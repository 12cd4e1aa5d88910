"""Live figures of a study that declares none, such as a plug-in's: its texts' scores by group, and differences."""

from collections.abc import Sequence
from itertools import combinations
from math import isfinite, sqrt

from biasprint.core.jobs import JobContext
from biasprint.core.metrics.sums import Moments
from biasprint.core.project.rows import Floats, OutputRow, SourceRow, TextKey
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.kit.live import AGAINST, MOST_GROUPS, LiveKey, LiveValue, nearly_normal, undefined
from biasprint.core.studies.kit.shelf import Drawer, Shelf

SCORE = "score"


class PlainTally:
    """The mean summary of each scorer that the study needs, by group (its prompts' identity or field “group”)."""

    def __init__(self, kind: str, needed: Sequence[ScorerInfo]) -> None:
        self._kind = kind
        self.scorers = tuple(info for info in needed if info.role != "embedding")
        self._group_of: Shelf[str] = Drawer().shelf(str, str)
        self._means: dict[str, dict[str, Moments]] = {info.role: {} for info in self.scorers}
        self._undefined: dict[str, int] = {}

    def text(self, row: OutputRow) -> None:
        self._group_of["output", row.id] = row.fields.get("group", "") or row.identity

    def source(self, row: SourceRow) -> None:
        self._group_of["source", row.id] = row.fields.get("group", "")

    def scored(self, scorer: ScorerInfo, key: TextKey, values: Floats, summary: float | None) -> None:
        if summary is None or not isfinite(summary):
            self._undefined[scorer.role] = self._undefined.get(scorer.role, 0) + 1
        else:
            self._means[scorer.role].setdefault(self._group_of.get(key) or "", Moments()).add(summary)

    def settle(self, ctx: JobContext) -> None:
        """Nothing is left for later."""

    def values(self) -> list[LiveValue]:
        found = []
        for role, by_group in self._means.items():
            name = f"{self._kind}.score"
            if not by_group:
                without = self._undefined.get(role, 0)
                reason = f"none of {without} scored texts has a summary" if without else "no text has been scored yet"
                found.append(undefined(LiveKey(name, role, ""), SCORE, without, reason))
            elif len(by_group) > MOST_GROUPS:
                reason = f"there are more than {MOST_GROUPS} groups: they are compared at the end"
                found.append(undefined(LiveKey(name, role, ""), SCORE, sum(one.n for one in by_group.values()), reason))
            else:
                found += _of_role(name, role, by_group)
        return found


def _of_role(name: str, role: str, by_group: dict[str, Moments]) -> list[LiveValue]:
    found = []
    for group, one in by_group.items():
        assert one.mean is not None
        found.append(nearly_normal(LiveKey(name, role, group), SCORE, one.n, one.mean, one.error, (one.n,)))
    for first, second in combinations([group for group in by_group if group], 2):
        one, other = by_group[first], by_group[second]
        assert one.mean is not None
        assert other.mean is not None
        error = sqrt((one.error or 0.0) ** 2 + (other.error or 0.0) ** 2) or None
        key = LiveKey(f"{name}.difference", role, AGAINST.join((first, second)))
        found.append(nearly_normal(key, SCORE, one.n + other.n, one.mean - other.mean, error, (one.n, other.n)))
    return found
