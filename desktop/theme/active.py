"""What is in force now: the tokens, and a signal for when they become others."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from desktop.theme.tokens import Tokens, tokens_for


class Signals(QObject):
    """Connect a method of the widget, never a lambda: Qt lets go of a method with its widget, of a lambda never."""

    changed = Signal(object)  # the new Tokens


signals = Signals()
_tokens = tokens_for("light")
_reduced_motion = False


def current() -> Tokens:
    """The tokens in force."""
    return _tokens


def set_current(tokens: Tokens) -> None:
    """Put other tokens in force; `theme.apply` does, once the program is dressed in them."""
    global _tokens
    _tokens = tokens


def reduced_motion() -> bool:
    """True when the reader asked for no animation."""
    return _reduced_motion


def set_reduced_motion(value: bool) -> None:
    """Stop, or allow again, what moves by itself: menus that slide, bars that run to and fro."""
    global _reduced_motion
    _reduced_motion = value
    for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
        QApplication.setEffectEnabled(effect, not value)
