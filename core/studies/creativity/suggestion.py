"""How far a text shows its identity, as a program can guess it: a suggestion for people, who decide.

It misses what is said without a term ("beyond gender") and must not take a common word for an identity ("straight to
the sky"). Source: Kumar et al. 2024, section 5 and Table 2; METHODS, Creativity.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from core.prompts.resource_files import packaged, read_toml
from core.text import for_matching

LABELS = ("imperceptible", "nuanced", "obvious")


@dataclass(frozen=True)
class Suggestion:
    label: str
    why: str


@cache
def _lists() -> dict[str, frozenset[str]]:
    body = read_toml(packaged("perceptibility", "words.toml"))
    return {name: frozenset(words) for name, words in body.items()}


def suggested(text: str, words: Sequence[str], near: bool = False) -> Suggestion:
    """`words`: what refers to the output's own identity. `near`: is it nearer to its identity than chance brings it?

    Obvious: a word of the identity. Nuanced: only its pronouns, or nearness. Imperceptible: neither.
    """
    plain = for_matching(text)
    found = [word for word in words if _names(word, plain)]
    terms = [word for word in found if word not in _lists()["pronouns"]]
    if terms:
        return Suggestion("obvious", f"It has the word “{terms[0]}”.")
    if found:
        return Suggestion("nuanced", f"It has the pronoun “{found[0]}”.")
    if near:
        return Suggestion("nuanced", "It lies nearer to its identity’s other outputs than default outputs do.")
    return Suggestion("imperceptible", "It has no word of its identity.")


def _names(word: str, text: str) -> bool:
    """Is the word there, and for people? An ambiguous one needs a word for people right after it."""
    pattern = rf"(?<!\w){re.escape(for_matching(word))}(?!\w)"
    if word not in _lists()["ambiguous"]:
        return re.search(pattern, text) is not None
    after = (match[1] for match in re.finditer(rf"{pattern}[\s-]+(\w+)", text))
    return any(next_word in _lists()["people"] for next_word in after)
