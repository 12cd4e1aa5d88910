"""The tokens as Qt's palette, for whatever the stylesheet does not reach."""

from PySide6.QtGui import QColor, QPalette

from desktop.theme.tokens import Tokens


def palette(tokens: Tokens) -> QPalette:
    """Every colour role that Qt draws with, taken from the tokens."""
    role = QPalette.ColorRole
    colors = {
        role.Window: tokens.ground,
        role.WindowText: tokens.ink,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.sunk,
        role.Text: tokens.ink,
        role.Button: tokens.surface,
        role.ButtonText: tokens.ink,
        role.BrightText: tokens.accent_ink,
        role.ToolTipBase: tokens.surface,
        role.ToolTipText: tokens.ink,
        role.PlaceholderText: tokens.soft,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.accent_ink,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.Accent: tokens.accent,
        role.Light: tokens.surface,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.edge,
        role.Shadow: tokens.line,
    }
    made = QPalette()
    for color_role, value in colors.items():
        made.setColor(color_role, QColor(value))
    for color_role in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, color_role, QColor(tokens.faint))
    return made
