"""The option that a reply chose."""

from collections.abc import Sequence
from functools import lru_cache

from biasprint.core.text import for_matching

ARTICLES = ("a ", "an ", "the ")
_SAME_SIGN = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", " ": " "})


def chosen_option(reply: str, options: Sequence[str]) -> int | None:
    """The place of the option that the reply names; None where it names none of them, or two different ones.

    Case does not count, and neither does an article before an option. Options are whole words, and the longest one
    wins where one lies within another: “Boston College” is not “Boston”, “non-critical” is not “critical”.
    """
    plain_options = [as_option(option) for option in options]
    if as_option(reply) in plain_options:
        return plain_options.index(as_option(reply))
    said = plain(reply)
    found = set()
    for place in sorted(range(len(options)), key=lambda place: -len(plain_options[place])):
        rest = _without(said, plain_options[place])
        if rest != said:
            found.add(place)
            said = rest
    return found.pop() if len(found) == 1 else None


def same_options(options: Sequence[str]) -> bool:
    """True if two options cannot be told apart, or one is empty."""
    plain_options = [as_option(option) for option in options]
    return "" in plain_options or len(set(plain_options)) < len(plain_options)


def plain(text: str) -> str:
    """For comparing: one form of letters and signs, single blanks, nothing at the ends but words."""
    return " ".join(for_matching(text).translate(_SAME_SIGN).split()).strip(".,;:!?\"'*_()[]“”` ")


@lru_cache(maxsize=4096)
def as_option(text: str) -> str:
    """An option, or a reply that is nothing else, for comparing; the same few come in every other row."""
    said = plain(text)
    return next((said[len(article) :] for article in ARTICLES if said.startswith(article)), said)


def _without(text: str, words: str) -> str:
    """`text` with every place where `words` stand as whole words cut out."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if _open(text[:start][::-1]) and _open(text[end:]):
            text = text[:start] + "\n" + text[end:]
            end = start
        start = text.find(words, end)
    return text


def _open(beside: str) -> bool:
    """No word goes on here: neither a letter nor a hyphen or apostrophe with a letter behind it."""
    first, second = beside[:1], beside[1:2]
    return not (first.isalnum() or (first in ("-", "'") and second.isalnum()))
