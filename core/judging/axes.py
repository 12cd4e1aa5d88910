"""What a comparison's cards differ in, by name: an axis of identities, or one of the three kinds without one.

`Comparison.axis` holds an axis as findings report it (“gender”), “model”, “origin” or “twin”. What was compared is
that together with the set of identities on the cards: some of an axis's, or these two models. Where one axis was
compared in several sets, each set counts by itself, because chance differs between them; `keys_of_sets` names them.
"""

from collections.abc import Iterable

MODEL, ORIGIN, TWIN = "model", "origin", "twin"
GENERATED, ORIGINAL = "generated", "original"
TITLES = {MODEL: "Model", ORIGIN: "Who wrote it", TWIN: "Name and gender"}
LABELS = {ORIGIN: {GENERATED: "A model", ORIGINAL: "A person"}}

CompareSet = tuple[str, frozenset[str]]  # an axis, and the identities on the cards


def keys_of_sets(compared: Iterable[CompareSet]) -> dict[CompareSet, str]:
    """A key for each set: the axis's own where it was compared in one way only, else “AXIS: one | other”."""
    sets = set(compared)
    ways = [axis for axis, _ in sets]
    return {
        (axis, identities): axis if ways.count(axis) == 1 else f"{axis}: {' | '.join(sorted(identities))}"
        for axis, identities in sets
    }


def axis_of_key(key: str) -> str:
    """The axis behind a key of `keys_of_sets`."""
    return key.partition(": ")[0]
