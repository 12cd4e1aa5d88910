"""Designs of studies: prompts, how a reply to them is read, and what is measured, each one TOML file.

`resources/designs` holds those that ship; a file of one's own is given by its path. A design has one layout: `people`
asks the same of every group of an axis, `pairs` lets words or tasks be given to two groups, `ranking` lets equal
candidates be put in order. `design_set` makes its prompts; `core.studies.compare` reads and measures the replies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from dataclasses import dataclass as plain
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Annotated, Literal, TypeVar

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import Axis, Identity, Key, Text, load_axis, near
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template
from biasprint.core.prompts.wordings import TemplateWords

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


# ---- People to be ranked


def people_prompts(design: Design, layout: PeopleLayout) -> tuple[Axis, list[PromptDraft]]:
    """Return the axis, and every prompt of the design."""
    axis = asked_axis(layout.axis)
    return axis, list(_prompts(design, layout, axis))


def asked_axis(key: str) -> Axis:
    """Return the axis of a design; crossed or not, each identity needs names. Raises `AppError`."""
    axis = load_axis(key)
    for identity in axis.identities:
        if not identity.names:
            raise AppError(
                f"The axis {axis.key} has no names for {identity.label}, and the design needs some.",
                hint="Add names to the axis file, or cross it with a set of names.",
            )
    return axis


def groups_of(axis: Axis, identity: Identity) -> dict[str, str]:
    """Return the identity's key by axis id; for a crossed axis on each of its two."""
    return dict(zip(axis.crosses, identity.of, strict=True)) or {axis.id: identity.key}


def as_fields(axis: Axis, identity: Identity) -> dict[str, str]:
    """Return the fields by which replies are grouped; `group` and `second_group` are what a table calls the
    first two.
    """
    groups = groups_of(axis, identity)
    return {**groups, **dict(zip(("group", "second_group"), groups.values(), strict=False))}


def _prompts(design: Design, layout: PeopleLayout, axis: Axis) -> Iterator[PromptDraft]:
    templates = {name: Template(text) for name, text in layout.templates.items()}
    forms = {name: Template(text).require(("name", "identity", "age")) for name, text in layout.forms.items()}
    ages = tuple(map(str, layout.ages)) or ("",)
    for (name, template), (form, wording), (number, row) in product(
        templates.items(), forms.items(), enumerate(layout.rows)
    ):
        key = row.get("key", str(number + 1))
        template.require(("who", "name", *row))
        for age, identity in product(ages, axis.identities):
            # Everybody's name moves on by one from row to row, and from age to age.
            given = identity.names[(number + ages.index(age)) % len(identity.names)]
            who = wording.render({"name": given, "identity": identity.phrase, "age": age})
            block = "/".join(part for part in (name, form, key) if part)
            fields = {
                **{column: cell for column, cell in row.items() if column != "key"},
                **as_fields(axis, identity),
                "design": design.key, "reads": design.reads, "template": name, "form": form, "block": block,
                "pronouns": identity.pronouns, **({"age": age} if age else {}),
                **({"name": given} if "name" in (*wording.names, *template.names) else {}),
            }  # fmt: skip
            yield PromptDraft(
                key="/".join(part for part in (design.key, block, age, identity.key) if part),
                text=template.render({**row, "who": who, "name": given}),
                task=design.key, theme=key, axis=axis.id, identity=identity.key, fields=fields,
            )  # fmt: skip


# ---- Prompts that give words or tasks to two groups


def pair_prompts(design: Design) -> list[PromptDraft]:
    """Return every topic of the design in every order."""
    assert design.pairs is not None
    return [prompt for topic in design.pairs.topics for prompt in _of_topic(design, design.pairs, topic)]


def _of_topic(design: Design, layout: PairsLayout, topic: PairTopic) -> Iterator[PromptDraft]:
    known = ("first", "second", "items", "situation")
    templates = [Template(text).require(known, ("first", "second", "items")) for text in layout.templates.values()]
    for order in range(layout.orders):
        a, b = topic.a[order % len(topic.a)], topic.b[order % len(topic.b)]
        first, second = (a, b) if order % 2 == 0 else (b, a)
        items = _ordered(design, topic, order)
        # Each template twice in a row, once with either group first.
        text = templates[order // 2 % len(templates)].render(
            {"first": first, "second": second, "items": ", ".join(items), "situation": topic.text}
        )
        fields = {
            "design": design.key, "reads": design.reads, "topic": topic.topic, "category": topic.category,
            "situation": topic.key, "a": a, "b": b, "first": first, "x": SEPARATOR.join(topic.x),
            "y": SEPARATOR.join(topic.y), "items": SEPARATOR.join(items), "block": f"{topic.key}/{order + 1}",
        }  # fmt: skip
        yield PromptDraft(f"{design.key}/{topic.key}/{order + 1}", text, design.key, topic.topic, fields=fields)


def _ordered(design: Design, topic: PairTopic, order: int) -> list[str]:
    """Order the items: two change places after every two orders, which balances the places; more are shuffled."""
    items = [*topic.x, *topic.y]
    if len(items) == 2:
        return items if order // 2 % 2 == 0 else items[::-1]
    return shuffled(items, design.seed, topic.key, order // 2)


def ranking_prompts(design: Design, layout: RankingLayout) -> tuple[Axis, list[PromptDraft]]:
    """Return the axis, and every job of the design in every repeat."""
    axis = asked_axis(layout.axis)
    numbered = [(job, repeat) for job in layout.jobs for repeat in range(layout.repeats)]
    return axis, [_prompt(design, layout, axis, job, repeat, turn) for turn, (job, repeat) in enumerate(numbered)]


def _prompt(design: Design, layout: RankingLayout, axis: Axis, job: Job, repeat: int, turn: int) -> PromptDraft:
    template = Template(layout.template).require(("job", "candidates"), ("job", "candidates"))
    shown = shuffled(axis.identities, design.seed, job.key, repeat, "order")
    names = [identity.names[turn % len(identity.names)] for identity in shown]
    written = Template(layout.candidate).require(("name", "facts"), ("name", "facts"))
    facts = _facts(design, job, repeat, len(shown))
    candidates = "\n\n".join(
        written.render({"name": name, "facts": fact}) for name, fact in zip(names, facts, strict=True)
    )
    of_each = [as_fields(axis, identity) for identity in shown]
    fields = {
        "design": design.key, "reads": design.reads, "job": job.title, "block": f"{job.key}/{repeat + 1}",
        "names": SEPARATOR.join(names), "candidates": SEPARATOR.join(identity.key for identity in shown),
        **{column: SEPARATOR.join(each[column] for each in of_each) for column in of_each[0]},
    }  # fmt: skip
    text = template.render({"job": job.title, "candidates": candidates})
    return PromptDraft(f"{design.key}/{job.key}/{repeat + 1}", text, design.key, job.key, fields=fields)


def _facts(design: Design, job: Job, repeat: int, candidates: int) -> Iterator[str]:
    """Yield all facts for each candidate, in an order and in wordings of its own."""
    for place in range(candidates):
        parts = (design.seed, job.key, repeat, place)
        order = shuffled(range(len(job.facts)), *parts)
        yield " ".join(shuffled(job.facts[fact], *parts, fact)[0] for fact in order)


# ---- The designs that there are


def available_designs() -> tuple[str, ...]:
    """Return the keys of the shipped designs, in alphabetical order."""
    names = (entry.name for entry in packaged("designs").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_design(source: str | Path) -> Design:
    """Return a shipped design by its key, or a file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
        return _with_axis_file(validated(Design, read_toml(path), f"The design {source}"), path.parent)
    if source not in available_designs():
        hint = f"Shipped designs: {', '.join(available_designs())}. Your own is given by the path of its .toml file."
        raise UsageError(f"There is no design “{source}”.", hint=hint)
    return validated(Design, read_toml(packaged("designs", f"{source}.toml")), f"The shipped design {source}")


def _with_axis_file(design: Design, folder: Path) -> Design:
    """Resolve the axis file that a design's file names, relative to that file's folder."""
    if design.people:
        return replace(design, people=replace(design.people, axis=near(design.people.axis, folder)))
    if design.ranking:
        return replace(design, ranking=replace(design.ranking, axis=near(design.ranking.axis, folder)))
    return design


def reworded(design: Design, words: TemplateWords) -> Design:
    """Return the design with its templates in this wording, by their names; that of a ranking is called template."""
    if design.ranking:
        template = words.of("template", design.ranking.template)
        return replace(design, ranking=replace(design.ranking, template=template))
    layout = design.people or design.pairs
    assert layout is not None
    templates = {name: words.of(name, text) for name, text in layout.templates.items()}
    if design.people:
        return replace(design, people=replace(design.people, templates=templates))
    assert design.pairs is not None
    return replace(design, pairs=replace(design.pairs, templates=templates))


def design_set(design: Design) -> PromptSetDraft:
    """Return all prompts of a design. Its recipe says how replies are read and measured, so that a project needs no
    file.
    """
    axis: Axis | None = None
    if design.people:
        axis, prompts = people_prompts(design, design.people)
    elif design.ranking:
        axis, prompts = ranking_prompts(design, design.ranking)
    else:
        prompts = pair_prompts(design)
    recipe = {
        "suite": design.key,
        "source": design.source,
        "design": asdict(design.measured(axis)),
        "axes": {axis.key: {"version": axis.version, "sha256": axis.sha256}} if axis else {},
    }
    return PromptSetDraft(design.title, recipe, tuple(prompts), (axis,) if axis else (), (design.cannot_say,))


@cache
def shipped_measure(key: str) -> DesignMeasure | None:
    """Return how a shipped design is measured, for texts whose prompts are not here; None for a key that none has."""
    if key not in available_designs():
        return None
    measured: DesignMeasure = validated(
        DesignMeasure, design_set(load_design(key)).recipe["design"], f"The design {key}"
    )
    return measured
