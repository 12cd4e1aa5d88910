"""The contents of a design file. `resources/designs` has those that ship, docs/reference/designs.md every key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass as plain
from dataclasses import field
from random import Random
from typing import Annotated, Literal, TypeVar

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from biasprint.core.prompts.axes import Axis, Key, Text

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)
SEPARATOR = "|"  # of several values in one field of a prompt
T = TypeVar("T")
Reads = Literal["text", "yes_no", "sorting", "assigning", "ranking"]


@dataclass(frozen=True, config=_STRICT)
class PeopleLayout:
    """A layout that asks the same of every group: rows × templates × forms × ages × identities of the axis.

    `forms`: how somebody is spoken of, with {name}, {identity} and {age}; a template says {who}, and the columns of the
    rows. Names are taken in turn, the next in the next row, so that a group is not one name.
    """

    axis: Text
    templates: Annotated[Mapping[Key, Text], Field(min_length=1)]
    rows: Annotated[tuple[Mapping[str, Text], ...], Field(min_length=1)]
    forms: Mapping[Key, Text] = Field(default_factory=lambda: {"named": "{name}"})
    ages: tuple[Annotated[int, Field(ge=1)], ...] = ()


@dataclass(frozen=True, config=_STRICT)
class PairTopic:
    """Two groups, as they are called in prompts, and what a stereotype ties to the first (`x`) and the second (`y`).

    `topic`: by what findings are parted; several situations may share one. `text`: the situation, for {situation}.
    """

    key: Key
    topic: Text
    category: Text
    a: Annotated[tuple[Text, ...], Field(min_length=1)]
    b: Annotated[tuple[Text, ...], Field(min_length=1)]
    x: Annotated[tuple[Text, ...], Field(min_length=1)]
    y: Annotated[tuple[Text, ...], Field(min_length=1)]
    text: str = ""

    @model_validator(mode="after")
    def _check_distinct(self) -> "PairTopic":
        for what, both in (("group", (*self.a, *self.b)), ("item", (*self.x, *self.y))):
            for word in both:
                if [each.casefold() for each in both].count(word.casefold()) > 1:
                    raise ValueError(f"{self.key}: the {what} “{word}” is there twice")
                if SEPARATOR in word:
                    raise ValueError(f"{self.key}: the {what} “{word}” has the sign {SEPARATOR}")
        return self


@dataclass(frozen=True, config=_STRICT)
class PairsLayout:
    """A layout in which words or tasks are given to two groups. Each topic is asked `orders` times: with the next two
    names, the other group first, and the items in another order. Templates are taken in turn.
    """

    templates: Annotated[Mapping[Key, Text], Field(min_length=1)]
    topics: Annotated[tuple[PairTopic, ...], Field(min_length=1)]
    orders: Annotated[int, Field(ge=2, le=100)] = 8

    @model_validator(mode="after")
    def _balanced(self) -> "PairsLayout":
        if self.orders % 2:
            raise ValueError("orders must be even, so that each group is named first as often as the other")
        return self


@dataclass(frozen=True, config=_STRICT)
class Job:
    """A job to rank candidates for. `facts`: of every candidate, each in wordings that mean the same."""

    key: Key
    title: Text
    facts: Annotated[tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...], Field(min_length=2)]


@dataclass(frozen=True, config=_STRICT)
class RankingLayout:
    """A layout that ranks a candidate of each identity of the axis, equal in all facts; {job} and {candidates} in the
    template.

    Each job is asked `repeats` times, with the next names, in another order and with other wordings of the facts.
    """

    axis: Text
    template: Text
    candidate: Text
    jobs: Annotated[tuple[Job, ...], Field(min_length=1)]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 4


@plain(frozen=True)
class DesignMeasure:
    """The part of a design that measuring needs; a project keeps it in the recipe of the prompt set.

    `by`: the fields that hold groups; the first two are crossed where `crossed` says so. `higher_for`: by what is
    compared → the group for which more words of stereotypes are the stereotype. `spread`: of which label of a
    scorer it is measured how far the groups' means lie apart.
    """

    key: str
    title: str
    version: int
    reads: Reads
    source: str
    scorers: tuple[str, ...] = ()
    similarity: bool = False
    base: Mapping[str, str] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    crossed: bool = False
    higher_for: Mapping[str, str] = field(default_factory=dict)
    spread: str = ""


@dataclass(frozen=True, config=_STRICT)
class Design:
    """A design file. `measure`: what is measured, in words; `cannot_say`: what its numbers do not show; `texts`: who
    wrote the texts.

    `higher_for`, `spread`: as `DesignMeasure` has them. `reads`: how a reply is read. `scorers`: what scores its text.
    `similarity`: are texts for two groups compared with each other? `base`: by what is compared → the group that the
    others are set against; else every pair.
    """

    key: Key
    title: Text
    version: Annotated[int, Field(ge=1)]
    source: Text
    question: Text
    measure: Text
    cannot_say: Text
    texts: Text
    reads: Reads
    scorers: tuple[Text, ...] = ()
    similarity: bool = False
    base: Mapping[Text, Text] = Field(default_factory=dict)
    higher_for: Mapping[Text, Text] = Field(default_factory=dict)
    spread: str = ""
    seed: Annotated[int, Field(ge=0)] = 0
    people: PeopleLayout | None = None
    pairs: PairsLayout | None = None
    ranking: RankingLayout | None = None

    @model_validator(mode="after")
    def _one_layout(self) -> "Design":
        layouts = [name for name in ("people", "pairs", "ranking") if getattr(self, name)]
        if len(layouts) != 1:
            raise ValueError(f"a design has one of people, pairs and ranking, and this one has {len(layouts)}")
        wanted = {"pairs": ("sorting", "assigning"), "ranking": ("ranking",), "people": ("text", "yes_no")}[layouts[0]]
        if self.reads not in wanted:
            raise ValueError(f"replies to {layouts[0]} are read as {' or '.join(wanted)}, not as {self.reads}")
        if self.reads == "text" and not self.scorers:
            raise ValueError("texts need scorers")
        return self

    def measured(self, axis: Axis | None) -> DesignMeasure:
        """Return how it is measured, with the groups of its axis, where it has one."""
        by = (axis.crosses or (axis.id,)) if axis else ()
        ages = ("age",) if self.people and len(self.people.ages) > 1 else ()
        return DesignMeasure(
            self.key, self.title, self.version, self.reads, self.source, self.scorers, self.similarity,
            dict(self.base), (*by, *ages), bool(axis and axis.crosses), dict(self.higher_for), self.spread,
        )  # fmt: skip


def shuffled(items: Sequence[T], *parts: object) -> list[T]:
    """Return all items in an order that the parts decide: the same in every version of Python."""
    random, order = Random("/".join(map(str, parts))), list(items)
    for last in range(len(order) - 1, 0, -1):
        other = int(random.random() * (last + 1))  # only `random` is promised to stay the same for a seed
        order[last], order[other] = order[other], order[last]
    return order
