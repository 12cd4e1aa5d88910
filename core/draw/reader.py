"""Language and number signs of whoever reads the figures: English, unless the window says otherwise at start."""

from collections.abc import Callable

_translate: Callable[[str], str] = str
_signs = (".", ",")


def read_by(translate: Callable[[str], str], point: str, group: str) -> None:
    """From now on texts are translated by this, and numbers have this decimal point and this sign between thousands."""
    global _translate, _signs
    _translate, _signs = translate, (point, group)


def tr(text: str) -> str:
    """`text` in the reader's language."""
    return _translate(text)


def signs() -> tuple[str, str]:
    """The decimal point, and what stands between thousands."""
    return _signs
