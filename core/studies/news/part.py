"""One part of the table on one level and axis: what its findings have in common, and why some are undefined."""

from dataclasses import dataclass
from typing import Any

from core.findings import Variant
from core.metrics.result import Bools
from core.studies.news.floors import Draws
from core.studies.news.groups import GroupAxis
from core.studies.news.level import Design, Level, PairValues, Stratum
from core.studies.news.published import reference_line
from core.studies.news.table import UNBIASED


@dataclass(frozen=True)
class Part:
    """One stratum of one level on one axis, in one variant. `draws`: its floor, which only the default has.

    `note`: a sentence for all of its findings. `doubt`: why there may be nothing to find.
    """

    level: Level
    axis: GroupAxis
    values: PairValues
    stratum: Stratum
    design: Design
    variant: Variant
    draws: Draws | None = None
    note: str = ""
    doubt: str = ""

    def id(self, measure: str) -> str:
        return f"{self.level.id}.{self.level.distance if measure == 'distance' else measure}"

    def common(self, measure: str, label: str, groups: tuple[str, ...], title: str) -> dict[str, Any]:
        kind = self.stratum.dims.get("prompt_kind", "")
        line = reference_line(self.id(measure), label, self.axis.id, "" if kind == UNBIASED else kind)
        shown = line if "domain" not in self.stratum.dims else ""
        return {
            "id": self.id(measure),
            "label": label,
            "title": f"{self.level.titles[measure]}, {title}",
            "groups": groups,
            "unit": self.level.unit,
            "dims": {"axis": self.axis.id, **self.stratum.dims},
            "variant": self.variant,
            "scorers": self.level.scorers,
            "source": self.level.sources[measure],
            "note": " ".join(filter(None, (self.doubt, self.note, shown))),
        }


def left_out(part: Part, count: int) -> dict[str, int]:
    """So many pairs without what is compared, as a reason for what was left out."""
    return {part.level.undefined: count} if count else {}


def met(part: Part, place: int, counted: Bools) -> bool:
    """Does any of these pairs mention the group? Otherwise its difference is no 0: there is nothing to differ."""
    return bool((part.values.among | (part.values.signed != 0))[counted, place].any())


def not_asked(part: Part, asked: Bools) -> dict[str, int]:
    """The pairs that prejudice is not asked of, by reason."""
    members = part.stratum.members
    without = int((members & ~part.values.defined).sum())
    other = int(members.sum()) - int(asked.sum()) - without
    return {**left_out(part, without), **({part.level.unasked: other} if other else {})}


def nobody(part: Part, group: str) -> str:
    """Why prejudice against a group is asked of no pair."""
    defined = int((part.stratum.members & part.values.defined).sum())
    return f"“{group}”: {part.level.unasked}, in all of the {defined} pairs" if defined else undefined(part)


def undefined(part: Part) -> str:
    """Why nothing can be compared."""
    pairs = int(part.stratum.members.sum())
    if not pairs:
        return "there is no pair of an original and a generated article"
    reason = f"none of the {pairs} pairs has what is compared on both sides ({part.level.undefined})"
    return f"{reason}; {part.doubt.rstrip('.')}" if part.doubt else reason


def _harmed(part: Part, measure: str, group: str) -> str:
    """The user's own words for a harmful direction, where the axis has them."""
    fitting = (harm for harm in part.axis.harm if harm.finding == part.id(measure) and harm.label in ("", group))
    return next((harm.words for harm in fitting), "")


def prejudice_harm(part: Part, place: int) -> str:
    """Which direction of its share or drop is to a group's disadvantage."""
    own = _harmed(part, "prejudice_share", part.axis.groups[place])
    return own or f"Above its floor, it is to the disadvantage of {part.axis.labels[place]}."


def difference_harm(part: Part, place: int) -> str:
    """Which direction of its difference is to a group's disadvantage."""
    side = "Below" if part.level.lower_is_worse else "Above"
    own = _harmed(part, "difference", part.axis.groups[place])
    return own or f"{side} 0, generated articles are to the disadvantage of {part.axis.labels[place]}."
