"""The design of the fill-in-the-blank study, as its data files say: terms, options and sentences of each domain.

Source: Kamruzzaman et al. 2024, “Dataset Creation” and Table 10. The sentences are this program's own.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Annotated, Literal, TypeVar

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from biasprint.core.errors import UsageError
from biasprint.core.prompts.axes import Text
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords

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
class ItemSentence:
    """A sentence with {term}, the word BLANK and the pronoun's forms; `forms`: the pronouns it is written with."""

    text: Text
    forms: tuple[Literal["masculine", "feminine", "non-binary"], ...] = PRONOUNS  # type: ignore[assignment]


@dataclass(frozen=True, config=_STRICT)
class Sentences:
    """SAI gives a stimulus and asks for an attribute; ASA gives an attribute and asks for a stimulus."""

    SAI: Annotated[tuple[ItemSentence, ...], Field(min_length=1)]
    ASA: Annotated[tuple[ItemSentence, ...], Field(min_length=1)]


@dataclass(frozen=True, config=_STRICT)
class GivenPeople:
    """The people whom a positive and a negative stimulus mean, in words."""

    positive: Text
    negative: Text


@dataclass(frozen=True, config=_STRICT)
class Domain:
    """One domain of the study."""

    title: Text
    people: GivenPeople
    stimuli: Terms
    attributes: Terms
    sentences: Sentences

    def given(self, direction: str) -> Terms:
        """The terms that the items of a direction say of the person."""
        return self.stimuli if direction == "SAI" else self.attributes

    def offered(self, direction: str) -> Terms:
        """The terms that the items of a direction offer for the blank."""
        return self.attributes if direction == "SAI" else self.stimuli

    def written(self, direction: str) -> tuple[ItemSentence, ...]:
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
    """The words for {they}, {are}, {man} … with each pronoun; {They} begins with a capital."""
    data = read_toml(packaged("completion", "forms.toml"))
    return {
        pronoun: {**words, **{name[0].upper() + name[1:]: word[:1].upper() + word[1:] for name, word in words.items()}}
        for pronoun, words in data.items()
    }


# ---- The fill-in-the-blank prompts: terms × sentences × pronoun forms, 10,816 in all (Kamruzzaman et al. 2024)
# Every term is given in every sentence. The options are one pair of a positive and a negative term and one neutral
# term, drawn for each term and sentence and the same for its pronoun forms, so that pronouns are compared on equal
# items. The order in which the options are shown is drawn for every item.

TASK = "completion"
OPTIONS = ("positive", "negative", "neutral")
ORDER_SEPARATOR = "|"
T = TypeVar("T")


def completion_set(
    domains: Sequence[str] | None = None,
    directions: Sequence[str] | None = None,
    *,
    seed: int | None = None,
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """The items of these domains and directions (None: all), in the paper's numbers.

    `seed` decides the options and their order; None: the shipped one. Each prompt's fields: domain, direction,
    pronoun, given (the term's polarity), term, positive, negative, neutral (the options), order (which option is
    first, second, third) and context (the sentence with its BLANK). Raises `UsageError` for what does not exist.
    """
    chosen_domains = _choose("domain", DOMAINS, domains)
    chosen_directions = _choose("direction", DIRECTIONS, directions)
    shipped = read_toml(packaged("prompts", "completion.toml"))
    drawn_by = int(shipped["seed"]) if seed is None else seed
    template = Template(words.of("question", shipped["template"].strip())).require(
        ("context", "options"), ("context", "options")
    )
    prompts = tuple(
        prompt
        for name in chosen_domains
        for direction in chosen_directions
        for prompt in _items(name, direction, template, drawn_by)
    )
    recipe = {
        "suite": "completion",
        "source": "Kamruzzaman et al. 2024, dataset creation; sentences and options written for this program",
        "template": template.text,
        "seed": drawn_by,
        "domains": chosen_domains,
        "directions": chosen_directions,
    }
    return PromptSetDraft("Fill in the blank", recipe, prompts)


def _items(name: str, direction: str, template: Template, seed: int) -> Iterator[PromptDraft]:
    """Every item of a domain and direction; the pronoun forms of one term and sentence are together."""
    design = domain(name)
    known = ("term", *next(iter(pronoun_forms().values())))
    for number, sentence in enumerate(design.written(direction), start=1):
        text = Template(sentence.text).require(known=known, needed=("term",))
        for given, term in _given(design.given(direction)):
            key = f"completion/{name}/{direction}/{number:02}/{_slug(term)}"
            options = _drawn(design.offered(direction), Random(f"{seed}/{key}"))
            for pronoun in sentence.forms:
                context = text.render({"term": term, **pronoun_forms()[pronoun]})
                fields = {
                    "domain": name, "direction": direction, "pronoun": pronoun, "given": given, "term": term,
                    **options, "context": context,
                }  # fmt: skip
                yield _draft(f"{key}/{pronoun}", fields, template, seed)


def _draft(key: str, fields: dict[str, str], template: Template, seed: int) -> PromptDraft:
    order = _shuffled(OPTIONS, Random(f"{seed}/order/{key}"))
    text = template.fill(context=fields["context"], options="\n".join(f"- {fields[option]}" for option in order))
    return PromptDraft(key, text, TASK, fields["domain"], fields={**fields, "order": ORDER_SEPARATOR.join(order)})


def _given(terms: Terms) -> Iterator[tuple[str, str]]:
    """Polarity and term, the positive ones first."""
    for place, polarity in enumerate(POLARITIES):
        for pair in terms.pairs:
            yield polarity, pair[place]


def _drawn(terms: Terms, random: Random) -> dict[str, str]:
    positive, negative = _one(terms.pairs, random)
    return {"positive": positive, "negative": negative, "neutral": _one(terms.neutral, random)}


def _one(items: Sequence[T], random: Random) -> T:
    # Only `random.random` is promised to stay the same for a seed in every version of Python.
    return items[int(random.random() * len(items))]


def _shuffled(items: Sequence[T], random: Random) -> list[T]:
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = int(random.random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def _slug(term: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", term.casefold()).strip("-")


def _choose(what: str, known: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    """The known names that are wanted, in the study's order."""
    if wanted is None:
        return list(known)
    if not wanted:
        raise UsageError(f"No {what} was chosen.", hint=f"Name at least one {what}.")
    for name in wanted:
        if name not in known:
            raise UsageError(f"There is no {what} “{name}”.", hint=f"There are: {', '.join(known)}.")
    return [name for name in known if name in wanted]
