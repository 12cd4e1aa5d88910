"""The group of whoever a letter is about, as far as its pronoun tells: a guess that a person may set right."""

from collections.abc import Mapping
from functools import cache

from core.prompts.axes import load_axis

AXIS = "letters_gender"


def group_of(pronoun: str) -> str:
    """The key of the axis's identity with this pronoun; "" where it has none, or nothing is known."""
    return _by_pronoun().get(pronoun, "")


@cache
def groups() -> tuple[tuple[str, str], ...]:
    """Key and label of every group of the axis, in its order."""
    return tuple((identity.key, identity.label) for identity in load_axis(AXIS).identities)


@cache
def _by_pronoun() -> Mapping[str, str]:
    return {identity.pronouns: identity.key for identity in load_axis(AXIS).identities}
