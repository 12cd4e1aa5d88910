"""Visible strings pass through here, into the reader's language."""

from biasprint.core import language
from biasprint.core.draw import digits
from biasprint.core.language import tr


def plural(n: int, one: str, many: str) -> str:
    """Return the phrase for `n` things; "%n" becomes the number as the reader's language writes it."""
    return language.plural(n, one, many, number)


def number(value: int | float, decimals: int = 0) -> str:
    """Return a number as the reader's language writes it: "2,880", "0.5"."""
    return tr(digits.fixed(value, decimals))


def left_words(seconds: float) -> str:
    """Return a time that is left, no more exactly than a pace can tell: “about 12 minutes left”."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return tr("less than a minute left")
    if minutes > 20:
        minutes = 5 * round(minutes / 5)
    if minutes >= 60:
        return tr("about {time} left").format(time=spelled_seconds(60 * minutes))
    return plural(minutes, "about 1 minute left", "about %n minutes left")


def spelled_seconds(seconds: float) -> str:
    """Return a duration in the words of a status line: "12 s", "5 min", "2 h 10 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return tr("{s} s").format(s=whole)
    minutes = round(whole / 60)
    if minutes < 60:
        return tr("{m} min").format(m=minutes)
    return tr("{h} h {m} min").format(h=minutes // 60, m=minutes % 60)
