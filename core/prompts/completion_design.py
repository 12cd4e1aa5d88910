"""The design of the fill-in-the-blank study, as its data files say: terms, options and sentences of each domain.

Source: Kamruzzaman et al. 2024, “Dataset Creation” and Table 10. The sentences are this program's own.
"""

from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from core.prompts.axes import Text
from core.prompts.resource_files import packaged, read_toml, validated

DOMAINS = ("ageism", "beauty", "beauty_profession", "institution", "nationality")
DIRECTIONS = ("SAI", "ASA")
PRONOUNS = ("masculine", "feminine", "non-binary")
POLARITIES = ("positive", "negative")
BLANK = "BLANK"

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True, config=_STRICT)
class Terms:
    """Positive and negative terms that belong together, and neutral ones, which are only ever offered."""

    pairs: Annotated[tuple[tuple[Text, Text], ...], Field(min_length=1)]
    neutral: Annotated[tuple[Text, ...], Field(min_length=1)]


@dataclass(frozen=True, config=_STRICT)
class Sentence:
    """A sentence with {term}, the word BLANK and the pronoun's forms; `forms`: the pronouns it is written with."""

    text: Text
    forms: tuple[Literal["masculine", "feminine", "non-binary"], ...] = PRONOUNS  # type: ignore[assignment]


@dataclass(frozen=True, config=_STRICT)
class Sentences:
    """SAI gives a stimulus and asks for an attribute; ASA gives an attribute and asks for a stimulus."""

    SAI: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    ASA: Annotated[tuple[Sentence, ...], Field(min_length=1)]


@dataclass(frozen=True, config=_STRICT)
class People:
    """Whom a positive and a negative stimulus stand for, in words."""

    positive: Text
    negative: Text


@dataclass(frozen=True, config=_STRICT)
class Domain:
    """One domain of the study."""

    title: Text
    people: People
    stimuli: Terms
    attributes: Terms
    sentences: Sentences

    def given(self, direction: str) -> Terms:
        """What the items of a direction say of the person."""
        return self.stimuli if direction == "SAI" else self.attributes

    def offered(self, direction: str) -> Terms:
        """What the items of a direction offer for the blank."""
        return self.attributes if direction == "SAI" else self.stimuli

    def written(self, direction: str) -> tuple[Sentence, ...]:
        return self.sentences.SAI if direction == "SAI" else self.sentences.ASA


@cache
def domain(name: str) -> Domain:
    """One of `DOMAINS`."""
    data = read_toml(packaged("completion", f"{name}.toml"))
    for direction, sentences in data.get("sentences", {}).items():
        data["sentences"][direction] = [each if isinstance(each, dict) else {"text": each} for each in sentences]
    return validated(Domain, data, f"The file completion/{name}.toml")


@cache
def pronoun_forms() -> dict[str, dict[str, str]]:
    """What stands for {they}, {are}, {man} … with each pronoun; {They} begins with a capital."""
    data = read_toml(packaged("completion", "forms.toml"))
    return {
        pronoun: {**words, **{name[0].upper() + name[1:]: word[:1].upper() + word[1:] for name, word in words.items()}}
        for pronoun, words in data.items()
    }
