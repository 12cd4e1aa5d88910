"""What the prompts of a set have in common: their texts with the names of fields in place of what changes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

SHORTEST = 2  # letters of a value that is looked for: a shorter one stands in other words' places
SAME = ("block", "group", "axis")  # fields that repeat what another field says


class AskedPrompt(Protocol):
    """What is read of a stored prompt."""

    @property
    def text(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def theme(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, str]: ...


def prompt_patterns(prompts: Iterable[AskedPrompt]) -> dict[str, int]:
    """Each pattern, in the order of its first prompt, with how many prompts have it.

    “A letter for Joseph, a 20 year old student.” with the fields name, age and occupation has the pattern “A letter for
    {name}, a {age} year old {occupation}.”
    """
    return dict(Counter(map(_pattern, prompts)))


def _pattern(prompt: AskedPrompt) -> str:
    named: dict[str, str] = {}
    own = {name: value for name, value in prompt.fields.items() if name not in SAME}
    for name, value in {**own, "theme": prompt.theme, "identity": prompt.identity, "task": prompt.task}.items():
        if len(value) >= SHORTEST:
            named.setdefault(value, name)
    if not named:
        return prompt.text
    # All at once, and the longest first: what was put in is not looked at again.
    values = "|".join(re.escape(value) for value in sorted(named, key=len, reverse=True))
    pattern = re.sub(rf"(?<!\w)(?:{values})(?!\w)", lambda found: f"{{{named[found.group()]}}}", prompt.text)
    return re.sub(r"\b([Aa])n(?= +\{)", r"\1", pattern)  # “an” before one value and “a” before another are one wording
