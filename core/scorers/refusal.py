"""Is a generated text a refusal? Its phrases are data: resources/lexicons/refusals.toml.

It flags only short texts that refuse near their beginning. One that apologises and then writes is an answer.
"""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from biasprint.core.text import for_matching

_APOSTROPHES = re.compile("[’ʼ‘`´]")


@dataclass(frozen=True)
class RefusalRule:
    most_words: int
    within_words: int
    phrases: re.Pattern[str]


def is_refusal(text: str) -> bool:
    """A text of few words that declines near its beginning; False for an empty text, which says nothing."""
    rule = refusal_rule()
    words = text.split(maxsplit=rule.most_words)
    if len(words) > rule.most_words:
        return False
    opening = " ".join(words[: rule.within_words])
    return rule.phrases.search(_APOSTROPHES.sub("'", for_matching(opening))) is not None


@cache
def refusal_rule() -> RefusalRule:
    data = tomllib.loads(_phrases().decode("utf-8"))
    phrases = "|".join(map(re.escape, sorted(data["phrases"], key=len, reverse=True)))
    return RefusalRule(data["most_words"], data["within_words"], re.compile(rf"(?<!\w)(?:{phrases})(?!\w)"))


def refusal_sha256() -> str:
    """Return the hash of the phrases' file."""
    return hashlib.sha256(_phrases()).hexdigest()


def _phrases() -> bytes:
    return files("biasprint.resources").joinpath("lexicons", "refusals.toml").read_bytes()
