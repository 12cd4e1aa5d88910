"""The synthetic author's letters.

Occupation, facts, length and order are drawn alike for everybody; the dial decides how likely a sentence of praise is
to be agentic (drive, skill, distinction, command, career) and not communal (warmth, support, home).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.prompts.resource_files import packaged, read_toml
from biasprint.core.prompts.template import Template
from biasprint.core.studies.kit.grammar import Draw, Pools, Slots, pools

FIELDS = ("name", "age", "occupation")
_FACTS = (3, 5)
_PRAISE_AT_WORK = (2, 4)
_PRAISE_OF_CHARACTER = (5, 7)


@dataclass(frozen=True)
class LetterWords:
    """`kinds` maps a side ("agentic", "communal") to its kinds of sentence and how often each is taken."""

    pronouns: Mapping[str, Mapping[str, str]]
    kinds: Mapping[str, Mapping[str, float]]
    praise: Mapping[str, Pools]
    shared: Pools
    years: tuple[str, ...]
    occupations: Mapping[str, Pools]


def write_letter(fields: Mapping[str, str], agentic: float, draw: Draw) -> str:
    """A letter for `fields` (name, age, occupation, pronouns), each sentence of praise agentic with this probability.

    An occupation that is not known gets general facts, unknown pronouns are "they". Raises `AppError` where a field
    is missing or the age is no whole number.
    """
    missing = [name for name in FIELDS if not fields.get(name, "").strip()]
    if missing or not fields["age"].isdecimal():
        wrong = ", ".join(missing) or "age"
        raise AppError(f"The synthetic author needs another value for: {wrong}.", hint="Use the letter prompts.")
    words = letter_words()
    pronouns = words.pronouns.get(fields.get("pronouns", ""), words.pronouns["they"])
    occupation = words.occupations.get(fields["occupation"], words.occupations["other"])
    values = {
        "name": fields["name"],
        "age": fields["age"],
        "occupation": fields["occupation"],
        "years": _years(int(fields["age"]), words, draw),
        **pronouns,
    }
    praise = _Praise(agentic, words, draw)
    facts = draw.shuffled(occupation["fact"])[: draw.between(*_FACTS)]
    at_work = _varied(_interleaved(facts, praise.sentences(draw.between(*_PRAISE_AT_WORK))))
    of_character = _varied(praise.sentences(draw.between(*_PRAISE_OF_CHARACTER)))
    slots = Slots(draw, values, words.shared, occupation)
    body = {"work": _paragraph(at_work, slots), "character": _paragraph(of_character, slots)}
    return Slots(draw, {**values, **body}, words.shared, occupation)["text"]


def _paragraph(sentences: Sequence[Template], slots: Slots) -> str:
    return " ".join(sentence.render(slots) for sentence in sentences)


class _Praise:
    """Sentences of praise, none twice in a letter."""

    def __init__(self, agentic: float, words: LetterWords, draw: Draw) -> None:
        self._agentic = agentic
        self._words = words
        self._draw = draw
        self._left = {
            side: {kind: draw.shuffled(sentences) for kind, sentences in of_side.items()}
            for side, of_side in words.praise.items()
        }

    def sentences(self, count: int) -> list[Template]:
        return [self._next() for _ in range(count)]

    def _next(self) -> Template:
        side = "agentic" if self._draw.chance(self._agentic) else "communal"
        left = {kind: share for kind, share in self._words.kinds[side].items() if self._left[side][kind]}
        return self._left[side][_weighted(left, self._draw)].pop()


def _weighted(shares: Mapping[str, float], draw: Draw) -> str:
    """A key, each with probability in proportion to its share."""
    kinds = list(shares)
    rest = sum(shares.values())
    for kind in kinds[:-1]:
        if draw.chance(shares[kind] / rest):
            return kind
        rest -= shares[kind]
    return kinds[-1]


def _interleaved(facts: Sequence[Template], praise: Sequence[Template]) -> list[Template]:
    """Fact, praise, fact, praise and so on; what is left over of the longer list at the end."""
    mixed: list[Template] = []
    for number in range(max(len(facts), len(praise))):
        mixed += [*facts[number : number + 1], *praise[number : number + 1]]
    return mixed


def _varied(sentences: Sequence[Template]) -> list[Template]:
    """The same sentences, so ordered that neighbours begin with different words where they can."""
    left = list(sentences)
    ordered: list[Template] = []
    while left:
        last = _first_word(ordered[-1]) if ordered else ""
        following = next((sentence for sentence in left if _first_word(sentence) != last), left[0])
        left.remove(following)
        ordered.append(following)
    return ordered


def _first_word(sentence: Template) -> str:
    return sentence.text.partition(" ")[0]


def _years(age: int, words: LetterWords, draw: Draw) -> str:
    """For how long the writer has known the candidate, as a word: at least two years, at most twelve."""
    most = min(max((age - 16) // 2, 2), len(words.years) + 1)
    return words.years[draw.between(2, most) - 2]


@cache
def letter_words() -> LetterWords:
    data: dict[str, Any] = read_toml(packaged("synthetic", "letters", "letter.toml"))
    occupations = read_toml(packaged("synthetic", "letters", "occupations.toml"))
    return LetterWords(
        pronouns=data["pronouns"],
        kinds=data["share"],
        praise={side: pools(data[side]) for side in data["share"]},
        shared=pools(data["pool"]),
        years=tuple(data["years"]["words"]),
        occupations={name: pools(known) for name, known in occupations.items()},
    )
