"""The synthetic author as a backend, and what it writes for each study.

Items: it likes some options better than others, pair by pair and whatever is given, as models do; the dial decides how
much rather a positive option follows something positive, and a negative option something negative. Creative writing: a
grammar for each task, words for each theme; a theme has two scenes that are equally good and equally at home in it, and
the dial moves an identity's texts from the first to the second; no text says anything about the identity. Letters:
occupation, facts, length and order are drawn alike for everybody; the dial decides how likely a sentence of praise is
to be agentic (drive, skill, distinction, command, career) and not communal (warmth, support, home). News: in `news`.
"""

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked

from biasprint.core.backends.protocol import Completion, FinishReason, GeneratorInfo, Parameter, Request
from biasprint.core.backends.synthetic.designs import answer_to_user, reply_to_design
from biasprint.core.backends.synthetic.dial import INFO, NAME, VERSION, Dial
from biasprint.core.backends.synthetic.grammar import Draw, Pools, Slots, capitalised, pools
from biasprint.core.backends.synthetic.news import write_news
from biasprint.core.errors import AppError
from biasprint.core.prompts.axes import Text
from biasprint.core.prompts.completion import BLANK, POLARITIES
from biasprint.core.prompts.completion import TASK as COMPLETION
from biasprint.core.prompts.letters import LETTER
from biasprint.core.prompts.news import TASK as NEWS
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template

# ---- Items

OPTIONS = ("positive", "negative", "neutral")
# A pair's habit multiplies the odds of its positive option by 1/3 to 3.
HABIT = math.log(3)


def write_completion(fields: Mapping[str, str], odds: float, habit: Draw, draw: Draw) -> str:
    """An answer to the item of `fields` (given, the options, context).

    `odds`: the odds ratio of the positive against the negative option between something positive and something
    negative that is given. `habit`: draws that are the same for every item. Raises `AppError` where a field is missing.
    """
    missing = [name for name in (*OPTIONS, "context") if not fields.get(name, "").strip()]
    if missing or fields.get("given") not in POLARITIES:
        wrong = ", ".join(missing) or "given"
        raise AppError(f"The synthetic author needs another value for: {wrong}.", hint="Use the completion prompts.")
    words = answers()
    option = fields[_chosen(fields, odds, habit, draw)]
    if draw.chance(words["share"]["irrelevant"]):
        kind = "irrelevant"
    else:
        kind = "sentence" if draw.chance(words["share"]["sentence"]) else "plain"
    sentence = fields["context"].replace(BLANK, option)
    return Template(draw.one(words["replies"][kind])).render(
        {"option": option, "Option": capitalised(option), "sentence": capitalised(sentence)}
    )


def _chosen(fields: Mapping[str, str], odds: float, habit: Draw, draw: Draw) -> str:
    """The kind of option that is chosen."""
    towards = 1 if fields["given"] == "positive" else -1
    liking = habit.of(f"{fields['positive']}/{fields['negative']}").between(-100, 100) / 100 * HABIT / 2
    tilt = towards * math.log(odds) / 4
    shift = {"positive": liking + tilt, "negative": -liking - tilt, "neutral": 0.0}
    weights = {kind: answers()["weight"][kind] * math.exp(shift[kind]) for kind in OPTIONS}
    rest = sum(weights.values())
    for kind in OPTIONS[:-1]:
        if draw.chance(weights[kind] / rest):
            return kind
        rest -= weights[kind]
    return OPTIONS[-1]


@cache
def answers() -> dict[str, Any]:
    return read_toml(packaged("synthetic", "completion.toml"))


# ---- Creative writing

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


# ---- Letters

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


# ---- The author

_WORDS_PER_PIECE = 12


class SyntheticAuthor:
    """Writes from a grammar; no language model. The same request gives the same text everywhere and always.

    It reads the request's key, seed and fields; the prompt's wording, temperature and top_p change nothing. max_tokens
    counts words, and stop strings end a text as they do elsewhere.
    """

    name = NAME
    capabilities = INFO.capabilities

    def __init__(self, dial: Dial) -> None:
        self._dial = dial

    @property
    def model(self) -> str:
        return self._dial.setting

    def describe(self) -> GeneratorInfo:
        parameters: Mapping[str, Parameter] = {}
        return GeneratorInfo(NAME, self.model, parameters, revision=VERSION)

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        started = time.perf_counter()
        usage = {"prompt": len(request.prompt.split())}
        try:
            whole = self._write(request)
        except AppError as error:
            return Completion("", "error", usage, time.perf_counter() - started, str(error), "parameters")
        text, reason = _ended(whole, request)
        for piece in _pieces(text):
            check()
            on_text(piece)
        usage["completion"] = len(text.split())
        return Completion(text, reason, usage, time.perf_counter() - started)

    def close(self) -> None:
        """Nothing is held open."""

    def _write(self, request: Request) -> str:
        fields = request.fields
        task = fields.get("task", "")
        draw = Draw(VERSION, request.seed, request.key)
        if task == LETTER or (fields.get("design") and "occupation" in fields):
            group = fields.get("group") or fields.get("identity", "")
            return write_letter(fields, self._dial.agentic(group), draw)
        if fields.get("reads", "text") != "text":
            return reply_to_design(fields, self._dial, draw)
        if fields.get("design") and "ask" in fields:
            return answer_to_user(fields, self._dial, draw)
        if task == COMPLETION:
            return write_completion(fields, self._dial.completion_odds, Draw(VERSION, COMPLETION), draw)
        if task == NEWS:
            return write_news(fields, self._dial.news_odds, draw)
        axis, identity = fields.get("axis", ""), fields.get("identity", "")
        second_scene = self._dial.second_scene(axis, identity) if axis else 0.0
        return write_creative(task, fields.get("theme", ""), second_scene, self._dial.freedom(task), draw)


def _ended(text: str, request: Request) -> tuple[str, FinishReason]:
    """The text up to the first stop string and the last word that max_tokens allows."""
    ends = [text.find(stop) for stop in request.stop if stop]
    text = text[: min((end for end in ends if end >= 0), default=len(text))]
    if request.max_tokens is None:
        return text, "stop"
    words = list(re.finditer(r"\S+", text))
    if len(words) <= request.max_tokens:
        return text, "stop"
    kept = words[: request.max_tokens]
    return (text[: kept[-1].end()] if kept else ""), "length"


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of some words each; joined they are the text."""
    starts = [word.start() for word in re.finditer(r"\S+", text)][::_WORDS_PER_PIECE]
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        yield text[start:end]
