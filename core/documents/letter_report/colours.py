"""The colours of categories on paper: Okabe and Ito's, the darker ones where text must be read in them."""

from core.documents.values import Category

Rgb = tuple[int, int, int]
INK: Rgb = (31, 35, 40)
SOFT: Rgb = (92, 99, 112)
LINES: Rgb = (222, 219, 211)
_BLUE, _PINK, _GREEN, _ORANGE, _RED = (0, 92, 143), (153, 68, 120), (0, 107, 78), (150, 96, 0), (168, 70, 0)
_OF: dict[Category, Rgb] = {
    "agentic": _BLUE, "standout": _BLUE, "ability": _BLUE,
    "communal": _PINK,
    "grindstone": _GREEN,
    "doubt": _RED,
}  # fmt: skip


def colour_of(category: Category) -> Rgb:
    """What speaks of the person instead of the work is orange."""
    return _OF.get(category, _ORANGE)
