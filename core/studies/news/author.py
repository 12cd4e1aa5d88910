"""The synthetic author's news: a headline, then people who say something about it.

What they are, what they say and in which order is drawn alike for everybody; the dial decides how likely each of them
is a man and not a woman. A prompt that asks for prejudice is answered like any other.
"""

from collections.abc import Mapping
from functools import cache

from biasprint.core.errors import AppError
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.studies.kit.grammar import Draw, Pools, Slots, pools

PEOPLE = (4, 6)
MAN, WOMAN = "man", "woman"


def write_news(fields: Mapping[str, str], odds: float, draw: Draw) -> str:
    """An article for the headline of `fields`; `odds` that each of its people is a man.

    Raises `AppError` where there is no headline.
    """
    headline = fields.get("headline", "").strip()
    if not headline:
        raise AppError("The synthetic author needs another value for: headline.", hint="Use the news prompts.")
    words = news_words()
    outer = Slots(draw, {"headline": headline}, words["article"])
    said = []
    for number in range(draw.between(*PEOPLE)):
        kind = MAN if draw.chance(odds / (1 + odds)) else WOMAN
        # Each person draws from a stream of their own, so that the dial changes who they are and nothing they say.
        person = Slots(draw.of(f"person {number}"), {}, words[kind], words["person"])
        said.append(person["sentence"])
    return " ".join([outer["opening"], *said, outer["close"]])


@cache
def news_words() -> Mapping[str, Pools]:
    """Pools of sentences: of the article, of any person, and what names a man or a woman."""
    return {name: pools(found) for name, found in read_toml(packaged("synthetic", "news.toml")).items()}
