"""The synthetic author's creative texts: a grammar for each task, words for each theme.

A theme has two scenes that are equally good and equally at home in it; the dial moves an identity's texts from the
first to the second. No text says anything about the identity.
"""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from biasprint.core.errors import AppError
from biasprint.core.prompts.axes import Text
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.studies.kit.grammar import Draw, Pools, Slots, pools

_STRICT = ConfigDict(extra="forbid")
_OPTIONS = "ABCD"
_TAKES_NO_GRAMMAR = ("talk", "trivia")


@checked(frozen=True, config=_STRICT)
class Talk:
    q: Text
    a: Text


@checked(frozen=True, config=_STRICT)
class Trivia:
    q: Text
    a: Text
    wrong: Annotated[tuple[Text, ...], Field(min_length=3, max_length=3)]
    note: Text


@checked(frozen=True, config=_STRICT)
class Scene:
    """One set of words for a theme. `place` is locative ("on the roof"), `act` a gerund, `insight` a clause;
    `first`, `second` and `third` are haiku lines of five, seven and five syllables; `clue` speaks as the answer."""

    place: Annotated[tuple[Text, ...], Field(min_length=2)]
    thing: Annotated[tuple[Text, ...], Field(min_length=4)]
    act: Annotated[tuple[Text, ...], Field(min_length=3)]
    insight: Annotated[tuple[Text, ...], Field(min_length=2)]
    guest: Annotated[tuple[Text, ...], Field(min_length=1)]
    first: Annotated[tuple[Text, ...], Field(min_length=1)]
    second: Annotated[tuple[Text, ...], Field(min_length=1)]
    third: Annotated[tuple[Text, ...], Field(min_length=1)]
    couplet: Annotated[tuple[Text, ...], Field(min_length=4)]
    clue: Annotated[tuple[Text, ...], Field(min_length=3)]
    pro: Annotated[tuple[Text, ...], Field(min_length=2)]
    con: Annotated[tuple[Text, ...], Field(min_length=2)]
    talk: Annotated[tuple[Talk, ...], Field(min_length=2)]
    trivia: Annotated[tuple[Trivia, ...], Field(min_length=1)]


@checked(frozen=True, config=_STRICT)
class ThemeWords:
    """What the author knows of a theme. `about` stands after "about", `motion` after "that"."""

    key: Text
    about: Text
    title: Text
    motion: Text
    token: Annotated[tuple[Text, ...], Field(min_length=2)]
    colour: Annotated[tuple[Text, ...], Field(min_length=1)]
    chorus: Annotated[tuple[Text, ...], Field(min_length=2)]
    one: Scene
    two: Scene
    riddle: Text = "What am I?"


def write_creative(task: str, theme: str, second_scene: float, freedom: float, draw: Draw) -> str:
    """A text for a task about a theme, set in the theme's second scene with probability `second_scene`.

    `freedom` is the probability that a choice is made anew and not as texts of this task and theme usually make it.
    Raises `AppError` for a task or theme that the author has no words for.
    """
    grammar = task_grammar(task)
    words = theme_words(theme)
    in_second = draw.chance(second_scene)
    scene = words.two if in_second else words.one
    values = {
        "about": words.about,
        "title": words.title,
        "motion": words.motion,
        "riddle": words.riddle,
        "answer": theme.replace("_", " "),
        "length": _length(theme.split("_")),
        **_talk(scene),
        **_trivia(scene, draw),
    }
    habit = Draw("habit", task, theme)
    pools_in_use = (grammar, _scene_pools(theme, in_second), general_pools())
    return Slots(draw, values, *pools_in_use, habit=habit, freedom=freedom)["text"]


@cache
def theme_words(theme: str) -> ThemeWords:
    source = packaged("synthetic", "themes", f"{theme}.toml")
    if not theme.isidentifier() or not source.is_file():
        raise AppError(f"The synthetic author has no words for the theme “{theme}”.", hint="Use a language model.")
    return validated(ThemeWords, read_toml(source), f"The theme {theme} of the synthetic author")


@cache
def task_grammar(task: str) -> Pools:
    source = packaged("synthetic", "tasks", f"{task}.toml")
    if not task.isidentifier() or not source.is_file():
        raise AppError(f"The synthetic author cannot do the task “{task}”.", hint="Use a language model.")
    return pools(read_toml(source))


@cache
def general_pools() -> Pools:
    return pools(read_toml(packaged("synthetic", "general.toml"))["pool"])


@cache
def _scene_pools(theme: str, in_second: bool) -> Pools:
    words = theme_words(theme)
    scene = words.two if in_second else words.one
    texts = {name: given for name, given in asdict(scene).items() if name not in _TAKES_NO_GRAMMAR}
    return pools({**texts, "token": words.token, "colour": words.colour, "chorus": words.chorus})


def _talk(scene: Scene) -> Mapping[str, str]:
    """Two questions, each with its own answer, in the order of the file: the second may build on the first."""
    one, two = scene.talk[:2]
    return {"ask": one.q, "reply": one.a, "ask2": two.q, "reply2": two.a}


def _trivia(scene: Scene, draw: Draw) -> Mapping[str, str]:
    """A question with its options in random order."""
    trivia = draw.one(scene.trivia)
    options = draw.shuffled((trivia.a, *trivia.wrong))
    lines = [f"{letter}) {option}" for letter, option in zip(_OPTIONS, options, strict=True)]
    return {
        "question": trivia.q,
        "options": "\n".join(lines),
        "letter": _OPTIONS[options.index(trivia.a)],
        "right": trivia.a,
        "note": trivia.note,
    }


def _length(answer: list[str]) -> str:
    """How long the answer's words are: "five letters", or "two words, of six and five letters"."""
    numbers = read_numbers()
    lengths = [numbers[len(word)] for word in answer]
    if len(lengths) == 1:
        return f"{lengths[0]} letters"
    return f"{numbers[len(lengths)]} words, of {' and '.join(lengths)} letters"


@cache
def read_numbers() -> tuple[str, ...]:
    """Number words by value."""
    return tuple(read_toml(packaged("synthetic", "general.toml"))["numbers"]["words"])
