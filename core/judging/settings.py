"""What a plan asks of its raters, read from the settings that are stored with it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

PlanKind = Literal["identity", "model", "origin", "twin"]
KINDS: tuple[PlanKind, ...] = get_args(PlanKind)


@dataclass(frozen=True)
class PlanSettings:
    """`kind`: what the cards of a comparison differ in: the identity they were written for, the model that wrote them,
    whether a person or a model did, or the name and gender in one letter.

    `consent_text`: what a rater agrees to first. `criterion_ratings`: each card is rated by each criterion as well.
    `ask_background`: raters may describe themselves, in their own words. `notes`: whether a note can be written.
    `workshop`: participants see their fingerprint, and nobody else sees one person's answers. `repeat_share`: the share
    of comparisons that come again. `planned`: what the planner was told when the plan was drawn.
    """

    kind: PlanKind = "identity"
    consent_text: str = ""
    criterion_ratings: bool = False
    ask_background: bool = False
    notes: bool = True
    workshop: bool = False
    repeat_share: float = 0.0
    planned: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "PlanSettings":
        """From a plan row's settings; plans of earlier versions lack most of them."""
        known = {name: stored[name] for name in cls.__dataclass_fields__ if name in stored}
        return cls(**known)

    def stored(self) -> dict[str, Any]:
        """The settings that are not the usual ones, as a plan row keeps them."""
        usual = asdict(PlanSettings())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}
