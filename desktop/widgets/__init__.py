"""The small parts of panels. All of them take their looks from the theme's tokens."""

from biasprint.desktop.widgets.buttons import (
    Button,
    CountLink,
    IconButton,
    KeyHint,
    LinkButton,
    PrimaryButton,
    QuietButton,
)
from biasprint.desktop.widgets.card import Card, Chip, EmptyState, ProgressThin, StandInBadge
from biasprint.desktop.widgets.labels import ElidedLabel, Label, announce, hairline
from biasprint.desktop.widgets.layout import FlowLayout
from biasprint.desktop.widgets.notice import Banners, Notice
from biasprint.desktop.widgets.plain_text import PlainText
from biasprint.desktop.widgets.words import left_words, number, plural, spelled_seconds, tr
