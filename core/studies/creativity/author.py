"""The synthetic author's creative texts: a grammar for each task, words for each theme.

A theme has two scenes that are equally good and equally at home in it; the dial moves an identity's texts from the
first to the second. No text says anything about the identity.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.metrics.result import Floats
from biasprint.core.prompts.axes import Text, load_axis
from biasprint.core.prompts.cogs import cogs_tasks, cogs_themes
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import agreed_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs
from biasprint.core.studies.kit.planting import Draw, Planting, Pools, Slots, load_dial, own_seed, pools

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
    """The author's words for a theme. `about` follows the word "about", `motion` the word "that"."""

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

    `freedom` is the probability that a choice is made independently, and not as texts of this task and theme usually
    make it.
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
    question, follow_up = scene.talk[:2]
    return {"ask": question.q, "reply": question.a, "ask2": follow_up.q, "reply2": follow_up.a}


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
    """Describe the length of the answer's words: "five letters", or "two words, of six and five letters"."""
    numbers = read_numbers()
    lengths = [numbers[len(word)] for word in answer]
    if len(lengths) == 1:
        return f"{lengths[0]} letters"
    return f"{numbers[len(lengths)]} words, of {' and '.join(lengths)} letters"


@cache
def read_numbers() -> tuple[str, ...]:
    """Number words by value."""
    return tuple(read_toml(packaged("synthetic", "general.toml"))["numbers"]["words"])


# ---- A simulated study of creative writing

BAG_OF_WORDS = ScorerUse("embedding", "counts of words", "1", stand_in=True)
PLACES = 512  # of a bag of words
DEFAULT = "default"


def creativity_trial(planted: str, n: int, asked: Planting, seed: int, rng: np.random.Generator) -> list[Finding]:
    axes = {axis: [identity.key for identity in load_axis(axis).identities] for axis in asked.axes}
    return [*_texts_on(axes, planted, n, asked, rng), *_choices_on(axes, planted, n, asked, rng)]


def _texts_on(
    axes: Mapping[str, Sequence[str]], planted: str, n: int, asked: Planting, rng: np.random.Generator
) -> list[Finding]:
    """Texts of prompts drawn by lot, for nobody and for every identity."""
    prompts = [(task.key, theme.key) for task in cogs_tasks() for theme in cogs_themes()]
    if n > len(prompts):
        raise UsageError(f"There are {len(prompts)} prompts of creative writing.", hint="Ask for fewer.")
    dial, seed, rows = load_dial(planted), own_seed(rng), []
    for task, theme in (prompts[place] for place in rng.choice(len(prompts), n, replace=False)):
        second = {DEFAULT: 0.0} | {who: dial.second_scene(axis, who) for axis in axes for who in axes[axis]}
        for who, chance in second.items():
            text = write_creative(task, theme, chance, dial.freedom(task), Draw(seed, task, theme, who))
            rows.append((task, theme, who, text))
    tasks, themes, identities, texts = (tuple(column) for column in zip(*rows, strict=True))
    result = measure_outputs(
        OutputTable(tasks, themes, identities), bags(texts), axes=axes, scorer=BAG_OF_WORDS, seed=own_seed(rng),
        resamples=asked.resamples,
    )  # fmt: skip
    return list(result.findings)


def bags(texts: Sequence[str]) -> Floats:
    """Count how often each word comes, by its checksum in `PLACES` places: float[texts, PLACES]."""
    vectors = np.zeros((len(texts), PLACES))
    for row, text in zip(vectors, texts, strict=True):
        np.add.at(row, [zlib.crc32(word.strip(".,;:!?").encode()) % PLACES for word in text.casefold().split()], 1)
    return vectors


def _choices_on(
    axes: Mapping[str, Sequence[str]], planted: str, n: int, asked: Planting, rng: np.random.Generator
) -> list[Finding]:
    """Raters choose among the same cards: by who wrote for whom, by how good and how long a text is, and by chance."""
    weights = load_dial(planted).weights
    columns: dict[str, list[Any]] = {
        name: [] for name in ("comparison", "rater", "axis", "shown", "outcome", "chosen", "words")
    }
    for axis, identities in axes.items():
        lost = asked.preference[planted] * np.array([weights[axis][who] for who in identities])
        for comparison in range(n):
            length = np.exp(rng.normal(math.log(200), asked.numbers["words"], len(identities)))
            utility = rng.normal(0, asked.numbers["quality"], len(identities)) + np.log(length / 200) - lost
            for rater in range(int(asked.numbers["raters"])):
                order = rng.permutation(len(identities))
                best = int(np.argmax(utility + rng.gumbel(size=len(identities))))
                row = (
                    f"{axis} {comparison}", f"rater {rater}", axis, tuple(identities[place] for place in order),
                    "choice", identities[best], tuple(int(length[place]) for place in order),
                )  # fmt: skip
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    table = JudgmentTable(**{name: tuple(column) for name, column in columns.items()})
    how: dict[str, Any] = {"seed": own_seed(rng), "resamples": asked.resamples, "adjusted": True}
    return list(agreed_judgments(table, axes=axes, **how).findings)
